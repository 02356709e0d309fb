{
    sstore(0, f0(calldataload(0)))
    function f0(a) -> r { r := add(f1(a), f1(sload(a))) }
    function f1(a) -> r { r := add(f2(a), f2(sload(a))) }
    function f2(a) -> r { r := add(f3(a), f3(sload(a))) }
    function f3(a) -> r { r := add(f4(a), f4(sload(a))) }
    function f4(a) -> r { r := add(f5(a), f5(sload(a))) }
    function f5(a) -> r { r := add(f6(a), f6(sload(a))) }
    function f6(a) -> r { r := add(f7(a), f7(sload(a))) }
    function f7(a) -> r { r := add(f8(a), f8(sload(a))) }
    function f8(a) -> r { r := add(f9(a), f9(sload(a))) }
    function f9(a) -> r { r := add(g(a), g(sload(a))) }
    function g(a) -> r { for {} a {} { r := add(r, sload(a)) a := shr(1, a) } }
}
