// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// Functions whose bodies begin and end in every way.
abstract contract Bodies {
    uint256 internal count;

    function empty() internal pure {}

    function emptyWith(uint256, bool) internal pure {}

    function emptyResult() internal pure returns (uint256) {}

    function emptyNamed(uint256 a) internal pure returns (uint256 b, bool c) {}

    function unnamed(uint256, uint256 b) internal pure returns (uint256) {
        return b;
    }

    function namedResult(uint256 a) internal pure returns (uint256 r) {
        r = a + 1;
    }

    function namedAndReturn(uint256 a) internal pure returns (uint256 r, uint256 s) {
        r = a;
        if (a == 1) return (8, 9);
        s = 2;
    }

    function early(uint256 a) internal returns (uint256) {
        if (a > 5) {
            return 1;
        }
        count++;
        return 2;
    }

    function earlyVoid(bool leave) internal {
        if (leave) return;
        count += 10;
    }

    function fromLoop(uint256 n) internal pure returns (uint256) {
        for (uint256 i = 0;; i++) {
            if (i * i >= n) return i;
        }
    }

    function fromBlocks(uint256 a) internal pure returns (uint256) {
        {
            unchecked {
                while (true) {
                    return a - 1;
                }
            }
        }
        return 0;
    }

    function returnsVoid() internal {
        return earlyVoid(false);
    }

    function passesOn(uint256 a) internal pure returns (uint256, uint256) {
        return namedAndReturn(a);
    }

    function factorial(uint256 n) internal pure returns (uint256) {
        return n == 0 ? 1 : n * factorial(n - 1);
    }

    function fibonacci(uint256 n) internal pure returns (uint256 r) {
        if (n < 2) return n;
        r = fibonacci(n - 1);
        r += fibonacci(n - 2);
    }

    function even(uint256 n) internal pure returns (bool) {
        if (n == 0) return true;
        return odd(n - 1);
    }

    function odd(uint256 n) internal pure returns (bool) {
        if (n == 0) return false;
        return even(n - 1);
    }

    function downTo(uint256 n) internal {
        if (n == 0) return;
        downTo(n - 1);
        count += n;
    }

    function test_empty() public pure {
        empty();
    }

    function test_emptyWith() public pure {
        emptyWith(1, true);
    }

    function test_emptyResult() public pure {
        assert(emptyResult() == 0);
    }

    function test_emptyNamed() public pure {
        (uint256 b, bool c) = emptyNamed(1);
        assert(b == 0 && !c);
    }

    function test_emptyTwice() public pure {
        empty();
        empty();
    }

    function test_unnamed() public pure {
        assert(unnamed(1, 2) == 2);
    }

    function test_namedResult() public pure {
        assert(namedResult(1) == 2);
    }

    function test_namedAndReturn() public pure {
        (uint256 r, uint256 s) = namedAndReturn(1);
        assert(r == 8 && s == 9);
        (r, s) = namedAndReturn(3);
        assert(r == 3 && s == 2);
    }

    function test_early() public {
        assert(early(6) == 1);
        assert(early(5) == 2);
    }

    function test_earlyVoid() public {
        earlyVoid(true);
        earlyVoid(false);
        assert(count == 10);
    }

    function test_fromLoop() public pure {
        assert(fromLoop(9) == 3);
    }

    function test_fromBlocks() public pure {
        assert(fromBlocks(4) == 3);
    }

    function test_returnsVoid() public {
        returnsVoid();
        assert(count == 10);
    }

    function test_passesOn() public pure {
        (uint256 r,) = passesOn(1);
        assert(r == 8);
    }

    function test_recursion() public pure {
        assert(factorial(4) == 24);
    }

    function test_recursionTwice() public pure {
        assert(fibonacci(4) == 3);
    }

    function test_recursionVoid() public {
        downTo(3);
        assert(count == 6);
    }

    function test_mutual() public pure {
        assert(even(3) == false);
        assert(odd(3));
    }
}
