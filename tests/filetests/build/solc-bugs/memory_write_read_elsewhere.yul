// A memory write in a block without other effects is read by a later one.
//! exec: calldata=word(5) => return word(6)
{
    function put(v) { mstore(0x80, v) }
    function get() -> v { v := mload(0x80) }
    {
        put(calldataload(0))
    }
    {
        mstore(0, add(get(), 1))
    }
    return(0, 32)
}
