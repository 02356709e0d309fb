// Mutual recursion with values that live across the calls, without memory.
//! exec: calldata=word(10) => return word(1),word(55)
//! exec: calldata=word(7) => return word(0),word(13)
{
    mstore(0, is_even(calldataload(0)))
    mstore(32, fibonacci(calldataload(0)))
    return(0, 64)

    function is_even(n) -> r {
        r := 1
        if n { r := is_odd(sub(n, 1)) }
    }
    function is_odd(n) -> r {
        if n { r := is_even(sub(n, 1)) }
    }
    function fibonacci(n) -> r {
        if lt(n, 2) { r := n leave }
        r := add(fibonacci(sub(n, 1)), fibonacci(sub(n, 2)))
    }
}
