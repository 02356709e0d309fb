// A string in storage as Solidity keeps it: up to 31 bytes beside twice the length, longer ones apart.
object "Text" {
    code { datacopy(0, dataoffset("r"), datasize("r")) return(0, datasize("r")) }
    object "r" {
        code {
            mstore(0x40, memoryguard(0x80))
            switch shr(224, calldataload(0))
            case 0x4ed3885e /* set(string) */ {
                let head := add(4, calldataload(4))
                if gt(calldataload(4), 0xffff) { revert(0, 0) }
                let length := calldataload(head)
                if gt(length, 0xff) { revert(0, 0) }
                if gt(add(add(head, 32), length), calldatasize()) { revert(0, 0) }
                switch lt(length, 32)
                case 1 {
                    let clean := shl(sub(256, mul(length, 8)), shr(sub(256, mul(length, 8)), calldataload(add(head, 32))))
                    sstore(0, or(clean, mul(length, 2)))
                }
                default {
                    sstore(0, add(mul(length, 2), 1))
                    mstore(0, 0)
                    let slot := keccak256(0, 32)
                    for { let i := 0 } lt(i, length) { i := add(i, 32) } {
                        sstore(add(slot, div(i, 32)), calldataload(add(add(head, 32), i)))
                    }
                }
            }
            case 0x6d4ce63c /* get() */ {
                let word := sload(0)
                let length := and(div(word, 2), 0x7f)
                if and(word, 1) { length := div(word, 2) }
                mstore(0x80, 32)
                mstore(0xa0, length)
                mstore(0xc0, and(word, not(0xff)))
                if and(word, 1) {
                    mstore(0, 0)
                    let slot := keccak256(0, 32)
                    for { let i := 0 } lt(i, length) { i := add(i, 32) } {
                        mstore(add(0xc0, i), sload(add(slot, div(i, 32))))
                    }
                }
                return(0x80, add(64, and(add(length, 31), not(31))))
            }
            default { revert(0, 0) }
        }
    }
}
