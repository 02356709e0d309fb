// A storage write before a call that may end the transaction well is not dead.
//! exec: calldata=word(1) => return word(9) ; storage[0]=1
//! exec: calldata=word(0) => stop ; storage[0]=2
//! exec: calldata=word(2) => revert ; storage[0]=0
{
    function end_if(flag) {
        if eq(flag, 1) {
            mstore(0, 9)
            return(0, 32)
        }
        if eq(flag, 2) { revert(0, 0) }
    }
    sstore(0, 1)
    end_if(calldataload(0))
    sstore(0, 2)
    stop()
}
