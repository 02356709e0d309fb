// Code after a terminating builtin is dead; functions defined there are not.
//! exec: => return word(42)
//! exec: calldata=word(1) => revert word(17)
{
    if calldatasize() { fail(17) sstore(0, 1) }
    answer()
    function fail(code) {
        mstore(0, code)
        revert(0, 32)
        sstore(0, 2)
        function unused() { fail(1) }
    }
    stop()
    function answer() { mstore(0, 42) return(0, 32) }
}
