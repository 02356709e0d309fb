// `setimmutable` patches every place of the immutable in the code that was copied.
//! exec: deploy => return word(77),word(78)
object "A" {
    code {
        let size := datasize("A_deployed")
        let at := 0x40
        datacopy(at, dataoffset("A_deployed"), size)
        setimmutable(at, "value", 77)
        return(at, size)
    }
    object "A_deployed" {
        code {
            mstore(0, loadimmutable("value"))
            mstore(32, add(loadimmutable("value"), 1))
            return(0, 64)
        }
    }
}
