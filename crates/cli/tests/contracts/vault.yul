// Deposits by account; withdrawals fail with a custom error, a reason or a panic.
object "Vault" {
    code { datacopy(0, dataoffset("r"), datasize("r")) return(0, datasize("r")) }
    object "r" {
        code {
            mstore(0x40, memoryguard(0x80))
            switch shr(224, calldataload(0))
            case 0xd0e30db0 /* deposit() */ {
                if iszero(callvalue()) { fail("nothing sent", 12) }
                sstore(slot(caller()), checkedAdd(sload(slot(caller())), callvalue()))
                sstore(0, checkedAdd(sload(0), callvalue()))
            }
            case 0x2e1a7d4d /* withdraw(uint256) */ {
                if callvalue() { revert(0, 0) }
                let amount := calldataload(4)
                let held := sload(slot(caller()))
                if gt(amount, held) {
                    mstore(0, shl(224, 0xcf479181)) // InsufficientBalance(uint256,uint256)
                    mstore(4, held)
                    mstore(36, amount)
                    revert(0, 68)
                }
                sstore(slot(caller()), sub(held, amount))
                sstore(0, sub(sload(0), amount))
                if iszero(call(gas(), caller(), amount, 0, 0, 0, 0)) { fail("transfer failed", 15) }
            }
            case 0x2ddbd13a /* total() */ { mstore(0, sload(0)) return(0, 32) }
            default { revert(0, 0) }

            function slot(who) -> s { mstore(0, who) mstore(32, 1) s := keccak256(0, 64) }
            function checkedAdd(a, b) -> c {
                c := add(a, b)
                if gt(a, c) { mstore(0, shl(224, 0x4e487b71)) mstore(4, 0x11) revert(0, 36) }
            }
            function fail(text, length) {
                mstore(0, shl(224, 0x08c379a0))
                mstore(4, 32)
                mstore(36, length)
                mstore(68, text)
                revert(0, 100)
            }
        }
    }
}
