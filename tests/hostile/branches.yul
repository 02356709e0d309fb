{ let a := calldataload(0) let b := sload(a)
if a{if b{if a{if b{if a{if b{if a{if b{if a{if b{if a{if b{if a{if b{if a{if b{if a{if b{if a{if b{if a{if b{if a{if b{
a := add(a, b) b := sload(a)
}}}}}}}}}}}}}}}}}}}}}}}} sstore(a, b)
}
