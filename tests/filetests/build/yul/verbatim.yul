// `verbatim` takes its arguments from the top, the first one uppermost, and leaves its results.
//! exec: deploy calldata=word(9),word(4) => return word(5),word(9)
object "A" {
    code {
        datacopy(0, dataoffset("B"), datasize("B"))
        return(0, datasize("B"))
    }
    object "B" {
        code {
            let difference := verbatim_2i_1o(hex"03", calldataload(0), calldataload(32))
            let x, y := verbatim_1i_2o(hex"80", calldataload(0))
            if iszero(eq(x, y)) { invalid() }
            mstore(0, difference)
            mstore(32, x)
            return(0, 64)
        }
    }
}
