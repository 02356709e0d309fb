// A value without a case goes on behind the switch, with the variables as they were.
//! exec: calldata=word(0) => return word(10)
//! exec: calldata=word(1) => return word(20)
//! exec: calldata=word(2) => return word(5)
//! exec: calldata=word(-1) => return word(30)
{
    let x := 5
    switch calldataload(0)
    case 0 { x := 10 }
    case 1 { x := 20 }
    case 0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff { x := 30 }
    mstore(0, x)
    return(0, 32)
}
