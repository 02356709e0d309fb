// Three owners confirm a number; two confirmations of one number execute it. Bits mark who confirmed.
object "Multisig" {
    code { datacopy(0, dataoffset("r"), datasize("r")) return(0, datasize("r")) }
    object "r" {
        code {
            switch shr(224, calldataload(0))
            case 0x049878f3 /* join(uint256) */ {
                let index := calldataload(4)
                if or(gt(index, 2), sload(index)) { revert(0, 0) }
                sstore(index, caller())
            }
            case 0xba0179b5 /* confirm(uint256) */ {
                let bit := mask(caller())
                if iszero(bit) { revert(0, 0) }
                mstore(0, calldataload(4))
                mstore(32, 9)
                let slot := keccak256(0, 64)
                let bits := sload(slot)
                if and(bits, bit) { mstore(0, bits) revert(0, 32) }
                bits := or(bits, bit)
                sstore(slot, bits)
                if gt(count(bits), 1) { sstore(8, calldataload(4)) log1(0, 0, calldataload(4)) }
            }
            default { mstore(0, sload(8)) return(0, 32) }

            function mask(who) -> bit {
                for { let i := 0 } lt(i, 3) { i := add(i, 1) } {
                    if eq(sload(i), who) { bit := shl(i, 1) leave }
                }
            }
            function count(bits) -> n {
                for {} bits { bits := and(bits, sub(bits, 1)) } { n := add(n, 1) }
            }
        }
    }
}
