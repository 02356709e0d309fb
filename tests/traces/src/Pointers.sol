// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

struct Action {
    uint256 tag;
    function(uint256) internal returns (uint256) run;
}

library Arithmetic {
    function quadruple(uint256 a) internal pure returns (uint256) {
        return a * 4;
    }
}

function tenfold(uint256 a) pure returns (uint256) {
    return a * 10;
}

abstract contract PointersBase {
    function level(uint256 a) internal virtual returns (uint256) {
        return a + 100;
    }
}

/// Calls of internal functions that are values.
abstract contract Pointers is PointersBase {
    function(uint256) internal returns (uint256) stored;
    function(uint256) internal returns (uint256)[] actions;
    mapping(uint256 => function(uint256) internal returns (uint256)) byKey;
    uint256 internal count;

    function level(uint256 a) internal override returns (uint256) {
        return a + 200;
    }

    function inc(uint256 a) internal pure returns (uint256) {
        return a + 1;
    }

    function dec(uint256 a) internal pure returns (uint256) {
        return a - 1;
    }

    function bump() internal {
        count++;
    }

    function zeroOne() internal view returns (uint256) {
        return count;
    }

    function twoTwo(uint256 a, uint256 b) private pure returns (uint256, uint256) {
        return (b, a);
    }

    function threeThree(uint256 a, bool b, address c) internal pure returns (address, bool, uint256) {
        return (c, b, a);
    }

    function fourFour(uint8 a, int256 b, bytes4 c, string memory d)
        internal
        pure
        returns (string memory, bytes4, int256, uint8)
    {
        return (d, c, b, a);
    }

    function oneNone(uint256 a) internal {
        count = a;
    }

    function applied(function(uint256) internal pure returns (uint256) f, uint256 a) internal pure returns (uint256) {
        return f(a);
    }

    function choose(bool up) internal pure returns (function(uint256) internal pure returns (uint256)) {
        return up ? inc : dec;
    }

    function countDown(function(uint256) internal pure returns (uint256) f, uint256 a) internal pure returns (uint256) {
        return a == 0 ? 0 : countDown(f, f(a));
    }

    function publicToo(uint256 a) public pure returns (uint256) {
        return a + 9;
    }

    function test_local() public pure {
        function(uint256) internal pure returns (uint256) f = inc;
        assert(f(1) == 2);
        f = dec;
        assert(f(1) == 0);
    }

    function test_direct() public pure {
        assert((inc)(1) == 2);
    }

    function test_stored() public {
        stored = inc;
        assert(stored(1) == 2);
        delete stored;
    }

    function test_memoryStruct() public {
        Action memory action = Action(1, dec);
        assert(action.run(1) == 0);
    }

    function test_memoryArray() public {
        function(uint256) internal returns (uint256)[2] memory fs;
        fs[0] = inc;
        fs[1] = dec;
        for (uint256 i = 0; i < 2; i++) {
            fs[i](5);
        }
    }

    function test_storageArray() public {
        actions.push(inc);
        actions.push(level);
        assert(actions[1](1) == 201);
        assert(actions[0](1) == 2);
        delete actions;
    }

    function test_mapping() public {
        byKey[3] = dec;
        assert(byKey[3](3) == 2);
        delete byKey[3];
    }

    function test_parameter() public pure {
        assert(applied(inc, 4) == 5);
        assert(applied(dec, 4) == 3);
    }

    function test_result() public pure {
        assert(choose(true)(1) == 2);
        assert(choose(false)(1) == 0);
    }

    function test_ternary() public pure {
        bool up = true;
        assert((up ? inc : dec)(1) == 2);
    }

    function test_nested() public pure {
        function(uint256) internal pure returns (uint256) f = inc;
        assert(f(f(f(0))) == 3);
    }

    function test_recursion() public pure {
        assert(countDown(dec, 2) == 0);
    }

    function test_library() public pure {
        assert(applied(Arithmetic.quadruple, 2) == 8);
    }

    function test_free() public pure {
        assert(applied(tenfold, 2) == 20);
    }

    function test_public() public pure {
        assert(applied(publicToo, 1) == 10);
    }

    function test_super() public {
        function(uint256) internal returns (uint256) f = super.level;
        assert(f(1) == 101);
        f = level;
        assert(f(1) == 201);
        f = PointersBase.level;
        assert(f(1) == 101);
    }

    function test_zeroNone() public {
        function() internal f = bump;
        f();
        assert(count == 1);
    }

    function test_zeroOne() public view {
        function() internal view returns (uint256) f = zeroOne;
        assert(f() == 0);
    }

    function test_oneNone() public {
        function(uint256) internal f = oneNone;
        f(6);
        assert(count == 6);
    }

    function test_twoTwo() public pure {
        function(uint256, uint256) internal pure returns (uint256, uint256) f = twoTwo;
        (uint256 a, uint256 b) = f(1, 2);
        assert(a == 2 && b == 1);
    }

    function test_threeThree() public pure {
        function(uint256, bool, address) internal pure returns (address, bool, uint256) f = threeThree;
        (address a,,) = f(7, true, address(9));
        assert(a == address(9));
    }

    function test_fourFour() public pure {
        function(uint8, int256, bytes4, string memory) internal pure
            returns (string memory, bytes4, int256, uint8) f = fourFour;
        (,, int256 c,) = f(1, -2, 0x01020304, "four");
        assert(c == -2);
    }
}
