// Arguments are evaluated right to left, also where the callee is copied into the caller and uses
// them in another order.
//! exec: => return word(0x0102),word(3) ; storage[0]=3
{
    function next() -> n {
        n := add(sload(0), 1)
        sstore(0, n)
    }
    function pair(a, b) -> r { r := or(shl(8, b), a) }
    function thrice(a, b, c) -> r { r := sub(add(mul(a, b), c), mul(b, a)) }
    mstore(0, pair(next(), next()))
    mstore(32, thrice(2, 5, next()))
    return(0, 64)
}
