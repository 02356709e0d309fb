// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// Calls in every place an expression or a statement may have.
abstract contract Places {
    struct Point {
        uint256 x;
        uint256 y;
    }

    event Seen(uint256 indexed a, uint256 b);

    uint256 internal calls;
    uint256[] internal list;
    mapping(uint256 => uint256) internal map;
    mapping(uint256 => mapping(uint256 => uint256)) internal nested;

    function one() internal pure returns (uint256) {
        return 1;
    }

    function two() internal pure returns (uint256) {
        return 2;
    }

    function next() internal returns (uint256) {
        return ++calls;
    }

    function yes() internal pure returns (bool) {
        return true;
    }

    function no() internal pure returns (bool) {
        return false;
    }

    function add(uint256 a, uint256 b) internal pure returns (uint256) {
        return a + b;
    }

    function both() internal pure returns (uint256, uint256) {
        return (1, 2);
    }

    function point() internal pure returns (Point memory) {
        return Point(one(), two());
    }

    function array() internal pure returns (uint256[2] memory) {
        return [one(), two()];
    }

    function text() internal pure returns (string memory) {
        return "text";
    }

    function returned() internal pure returns (uint256, uint256) {
        return (two(), one());
    }

    function thrice(uint256 a) internal pure returns (uint256) {
        return add(a, add(a, a));
    }

    function test_ifElse() public pure {
        uint256 r;
        if (no()) r = one();
        else if (yes()) r = two();
        else r = 3;
        assert(r == 2);
    }

    function test_for() public {
        for (uint256 i = one(); i < add(2, 2); i += two()) {
            next();
        }
        assert(calls == 2);
    }

    function test_forPost() public {
        for (uint256 i = 0; i < 2; next()) {
            i++;
        }
        assert(calls == 2);
    }

    function test_while() public {
        while (next() < 3) {
            if (calls == 2) continue;
            one();
        }
    }

    function test_doWhile() public {
        do {
            if (calls == 4) break;
            one();
        } while (next() < 3);
    }

    function test_and() public pure {
        assert(!(no() && yes()));
        assert(yes() && yes());
    }

    function test_or() public pure {
        assert(yes() || no());
        assert(no() || yes());
    }

    function test_mixedShortCircuits() public pure {
        assert((no() && yes()) || (yes() && !no()));
    }

    function test_ternary() public pure {
        assert((yes() ? one() : two()) == 1);
        assert((no() ? one() : two()) == 2);
    }

    function test_arguments() public pure {
        assert(add(add(one(), two()), add(two(), one())) == 6);
    }

    function test_sameFunctionNested() public pure {
        assert(thrice(thrice(1)) == 9);
    }

    function test_arrayLiteral() public pure {
        uint256[3] memory a = [one(), 7, two()];
        assert(a[2] == 2);
        assert(array()[1] == 2);
    }

    function test_struct() public pure {
        Point memory p = Point(one(), two());
        assert(p.y == 2);
        assert(point().x == 1);
    }

    function test_structNamed() public pure {
        Point memory p = Point({x: one(), y: 5});
        assert(p.x == 1);
    }

    function test_emit() public {
        emit Seen(one(), 2);
        emit Seen(1, two());
    }

    function test_tuple() public pure {
        (uint256 a, uint256 b) = both();
        (a, b) = (one(), two());
        (, b) = both();
        assert(a == 1 && b == 2);
    }

    function test_returned() public pure {
        (uint256 a,) = returned();
        assert(a == 2);
    }

    function test_mappingIndex() public {
        map[one()] = 5;
        map[2] = two();
        nested[one()][2] = 4;
        assert(map[one()] == 5);
        assert(nested[1][two()] == 4);
    }

    function test_arrayIndex() public {
        list.push(one());
        list.push() = two();
        list[one()] += 3;
        list[0] = next();
        assert(list[one()] == 5);
    }

    function test_delete() public {
        map[1] = 1;
        delete map[one()];
        map[two()]++;
        assert(map[1] == 0);
    }

    function test_operators() public pure {
        assert(one() + 2 == 3);
        assert(-int256(one()) == -1);
        assert(2 ** two() == 4);
        assert(1 << two() == 4);
    }

    function test_conversions() public pure {
        assert(uint8(two()) == 2);
        assert(address(uint160(one())) == address(1));
    }

    function test_builtins() public pure {
        assert(keccak256(bytes(text())) == keccak256("text"));
        assert(abi.encode(one()).length == 32);
        assert(addmod(one(), 3, 3) == 1);
        assert(bytes(string.concat(text(), "!")).length == 5);
    }

    function test_statements() public pure {
        one();
        (one());
        both();
        yes();
    }

    function test_newArray() public pure {
        assert(new uint256[](two()).length == 2);
    }

    function test_unchecked() public pure {
        unchecked {
            assert(one() - 2 == type(uint256).max);
        }
    }

    function test_assignments() public {
        uint256 a = one();
        a += two();
        a = a = next();
        assert(a == 1);
    }
}
