// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// Inline assembly in, before and after calls.
abstract contract Assembly {
    function one() internal pure returns (uint256) {
        return 1;
    }

    function only(uint256 a) internal pure returns (uint256 r) {
        assembly {
            r := add(a, 1)
        }
    }

    function yul(uint256 a) internal pure returns (uint256 r) {
        assembly {
            function twice(x) -> y {
                y := mul(x, 2)
            }
            function fourfold(x) -> y {
                y := twice(twice(x))
            }
            r := fourfold(a)
        }
    }

    function between(uint256 a) internal pure returns (uint256 r) {
        uint256 b = only(a);
        assembly ("memory-safe") {
            b := mul(b, 3)
        }
        r = only(b);
    }

    function leaves(uint256 a) internal pure returns (uint256 r) {
        assembly {
            function small(x) -> y {
                if lt(x, 10) {
                    y := 1
                    leave
                }
                y := 2
            }
            r := small(a)
        }
        r += one();
    }

    function loops(uint256 n) internal pure returns (uint256 r) {
        assembly {
            for { let i := 0 } lt(i, n) { i := add(i, 1) } {
                if eq(i, 2) { continue }
                r := add(r, i)
            }
            switch r
            case 0 { r := 7 }
            default { r := add(r, 1) }
        }
    }

    function empty() internal pure {
        assembly {}
    }

    function failsInYul(uint256 a) internal pure {
        assembly {
            function check(x) {
                if iszero(x) { revert(0, 0) }
            }
            check(a)
        }
    }

    function stops() external pure returns (uint256) {
        return ends(3);
    }

    function ends(uint256 a) internal pure returns (uint256) {
        assembly {
            mstore(0, a)
            return(0, 32)
        }
    }

    function test_only() public pure {
        assert(only(1) == 2);
    }

    function test_yulFunctions() public pure {
        assert(yul(1) == 4);
    }

    function test_between() public pure {
        assert(between(1) == 7);
    }

    function test_leave() public pure {
        assert(leaves(1) == 2);
        assert(leaves(11) == 3);
    }

    function test_loops() public pure {
        assert(loops(0) == 7);
        assert(loops(4) == 5);
    }

    function test_neighbours() public pure {
        uint256 a = one();
        assembly {
            a := add(a, 1)
        }
        a = only(a);
        assembly {
            a := add(a, 1)
        }
        assert(a == 4);
    }

    function test_unchecked() public pure {
        unchecked {
            assert(only(type(uint256).max) == 0);
            uint256 a = one() - 2;
            assert(a == type(uint256).max);
        }
    }

    function test_empty() public pure {
        empty();
    }

    function test_failsInYul() public pure {
        failsInYul(1);
        failsInYul(0);
    }

    function test_ends() public view {
        assert(this.stops() == 3);
    }
}
