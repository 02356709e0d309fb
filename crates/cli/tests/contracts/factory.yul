// Creates cells with CREATE2 and keeps who made them; a cell gives back its number.
object "Factory" {
    code { datacopy(0, dataoffset("r"), datasize("r")) return(0, datasize("r")) }
    object "r" {
        code {
            mstore(0x40, memoryguard(0x80))
            switch shr(224, calldataload(0))
            case 0x780900dc /* create(uint256) */ {
                let salt := calldataload(4)
                datacopy(0x80, dataoffset("cell"), datasize("cell"))
                mstore(add(0x80, datasize("cell")), mul(salt, 2))
                let at := create2(callvalue(), 0x80, add(datasize("cell"), 32), salt)
                if iszero(at) { revert(0, 0) }
                sstore(at, caller())
                mstore(0, at)
                return(0, 32)
            }
            case 0x63f5563b /* ask(address) */ {
                let cell := calldataload(4)
                if iszero(eq(sload(cell), caller())) { revert(0, 0) }
                if iszero(staticcall(gas(), cell, 0, 0, 0, 32)) { revert(0, 0) }
                return(0, 32)
            }
            default { revert(0, 0) }
        }
        object "cell" {
            code {
                codecopy(0, datasize("cell"), 32)
                sstore(0, mload(0))
                datacopy(0, dataoffset("c"), datasize("c"))
                return(0, datasize("c"))
            }
            object "c" { code { mstore(0, add(sload(0), 1)) return(0, 32) } }
        }
    }
}
