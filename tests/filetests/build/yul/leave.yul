// `leave` returns the current values; return variables start at zero on every call.
//! exec: calldata=word(0) => return word(0),word(5)
//! exec: calldata=word(1) => return word(7),word(0)
//! exec: calldata=word(2) => return word(1),word(2)
{
    let a, b := f(9)
    a, b := f(calldataload(0))
    mstore(0, a)
    mstore(32, b)
    return(0, 64)

    function f(x) -> r, s {
        switch x
        case 0 { s := 5 leave }
        case 1 {
            for { } 1 { } { r := 7 leave }
        }
        r := 1
        s := add(r, 1)
    }
}
