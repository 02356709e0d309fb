// Creation code deploys the nested object, which adds two words of calldata.
//! exec: deploy calldata=word(5),word(3) => return word(8)
//! exec: deploy calldata=word(-1),word(1) => return word(0)
object "Sum" {
    code {
        datacopy(0, dataoffset("Sum_deployed"), datasize("Sum_deployed"))
        return(0, datasize("Sum_deployed"))
    }
    object "Sum_deployed" {
        code {
            mstore(0, add(calldataload(0), calldataload(0x20)))
            return(0, 0x20)
        }
    }
}
