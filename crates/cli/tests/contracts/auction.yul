// An auction that ends a week after it was deployed; the second highest bidder gets money back.
object "Auction" {
    code {
        sstore(0, add(timestamp(), 604800))
        sstore(1, caller())
        datacopy(0, dataoffset("r"), datasize("r"))
        return(0, datasize("r"))
    }
    object "r" {
        code {
            // 0: end, 1: owner, 2: highest bidder, 3: highest bid, 4: ended; refunds by account
            switch shr(224, calldataload(0))
            case 0x1998aeef /* bid() */ {
                if gt(timestamp(), sload(0)) { revert(0, 0) }
                if iszero(gt(callvalue(), sload(3))) { mstore(0, sload(3)) revert(0, 32) }
                if sload(2) {
                    let slot := refund(sload(2))
                    sstore(slot, add(sload(slot), sload(3)))
                }
                sstore(2, caller())
                sstore(3, callvalue())
                log2(0, 0, 0xb1d, caller())
            }
            case 0x3ccfd60b /* withdraw() */ {
                let slot := refund(caller())
                let amount := sload(slot)
                if amount {
                    sstore(slot, 0)
                    if iszero(call(gas(), caller(), amount, 0, 0, 0, 0)) { sstore(slot, amount) }
                }
            }
            case 0xefbe1c1c /* end() */ {
                if lt(timestamp(), sload(0)) { revert(0, 0) }
                if sload(4) { revert(0, 0) }
                sstore(4, 1)
                log2(0, 0, 0xe4d, sload(2))
                pop(call(gas(), sload(1), sload(3), 0, 0, 0, 0))
            }
            default { revert(0, 0) }

            function refund(who) -> s { mstore(0, who) mstore(32, 5) s := keccak256(0, 64) }
        }
    }
}
