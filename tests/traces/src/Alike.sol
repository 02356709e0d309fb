// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

// Words of more bytes than letters, before all places: żółć, 東京, 😀.

library Twin {
    function value(uint256 a) internal pure returns (uint256) {
        return a + 1;
    }

    function alike() internal pure {}
}

function value(uint256 a) pure returns (uint256) {
    return a + 1;
}

function valueToo(uint256 a) pure returns (uint256) {
    return a + 1;
}

contract Other {
    function first(uint256 a) public pure returns (uint256) {
        return second(a);
    }

    function second(uint256 a) public pure returns (uint256) {
        return a + 1;
    }

    function third(uint256 a) public pure returns (uint256) {
        return first(a) + 1;
    }
}

/// Functions that have the same code or the same name.
abstract contract Alike {
    uint256 internal sum;

    function first(uint256 a) internal pure returns (uint256) {
        return a + 1;
    }

    function second(uint256 a) internal pure returns (uint256) {
        return a + 1;
    }

    // Ein größeres Wort: ∑.
    function third(uint256 a) internal pure returns (uint256) {
        return /* ∑ */ a + 1;
    }

    function emptyFirst() internal {}

    function emptySecond() internal {}

    function forwards(uint256 a) internal pure returns (uint256) {
        return first(a);
    }

    function forwardsToo(uint256 a) internal pure returns (uint256) {
        return second(a);
    }

    function onOneLine(uint256 a) internal pure returns (uint256) { return second(first(a)); }

    function
        onManyLines
        (
            uint256 a // the first
        )
        internal
        pure
        returns (
            uint256
        )
    {
        return
            second(
                first(
                    a
                )
            );
    }

    function functionNamed(uint256 returnsOne) internal pure returns (uint256 functionResult) {
        functionResult = first(returnsOne);
    }

    function $_1(uint256 $) internal pure returns (uint256) {
        return first($);
    }

    function open(uint256 a) public returns (uint256) {
        sum += a;
        return closed(a);
    }

    function closed(uint256 a) private pure returns (uint256) {
        return a;
    }

    function test_sameCode() public pure {
        assert(first(1) == 2);
        assert(second(1) == 2);
        assert(third(1) == 2);
    }

    function test_sameCodeEmpty() public {
        emptySecond();
        emptyFirst();
        Twin.alike();
    }

    function test_sameForwarders() public pure {
        assert(forwards(1) == 2);
        assert(forwardsToo(1) == 2);
    }

    function test_sameName() public pure {
        assert(Twin.value(1) == 2);
        assert(value(1) == 2);
        assert(valueToo(1) == 2);
    }

    function test_sameCodeByPointer() public pure {
        function(uint256) internal pure returns (uint256)[5] memory fs = [second, first, value, valueToo, Twin.value];
        for (uint256 i = 0; i < 5; i++) {
            assert(fs[i](i) == i + 1);
        }
    }

    function test_sameEmptyByPointer() public {
        function() internal f = emptySecond;
        f();
        f = emptyFirst;
        f();
    }

    function test_lines() public pure {
        assert(onOneLine(1) == 3);
        assert(onManyLines(1) == 3);
    }

    function test_names() public pure {
        assert(functionNamed(1) == 2);
        assert($_1(1) == 2);
    }

    function test_twoOnALine() public pure {
        first(1); second(2); first(second(3));
    }

    function test_everyWay() public {
        function(uint256) internal returns (uint256) f = open;
        assert(open(1) == 1);
        assert(f(2) == 2);
        assert(this.open(3) == 3);
    }

    function test_publicOfOther() public {
        Other other = new Other();
        assert(other.first(1) == 2);
        assert(other.third(1) == 3);
    }
}
