// Data of a nested object is reached by its path; strings in code are left-aligned.
//! exec: deploy => return "hello", word(5), word(0x6162000000000000000000000000000000000000000000000000000000000000)
object "A" {
    code {
        datacopy(0, dataoffset("B"), datasize("B"))
        return(0, datasize("B"))
    }
    object "B" {
        code {
            datacopy(0, dataoffset("C.greeting"), datasize("C.greeting"))
            mstore(5, datasize("C.greeting"))
            mstore(37, "ab")
            return(0, 69)
        }
        object "C" {
            code { invalid() }
            data "greeting" "hello"
        }
    }
}
