// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// Calls by name, with 0 to 5 parameters and 0 to 4 results.
abstract contract Direct {
    struct Pair {
        uint256 a;
        uint256 b;
    }

    uint256 internal touched;
    uint256[] internal list;

    function touch() internal {
        touched += 1;
    }

    function touchPrivately() private {
        touched += 2;
    }

    function zeroOne() internal view returns (uint256) {
        return touched;
    }

    function oneOne(uint256 a) internal pure returns (uint256) {
        return a + 1;
    }

    function twoTwo(uint256 a, uint256 b) internal pure returns (uint256, uint256) {
        return (b, a);
    }

    function threeThree(uint256 a, bool b, address c) private pure returns (address, bool, uint256) {
        return (c, b, a);
    }

    function fourFour(uint8 a, int256 b, bytes4 c, string memory d)
        internal
        pure
        returns (string memory, bytes4, int256, uint8)
    {
        return (d, c, b, a);
    }

    function fiveNone(uint256 a, uint256 b, uint256 c, uint256 d, uint256 e) internal {
        touched = a + b + c + d + e;
    }

    function oneNone(uint256 a) internal {
        touched = a;
    }

    function zeroTwo() private view returns (uint256, uint256) {
        return (touched, 2);
    }

    function same(uint256 a) internal pure returns (uint256) {
        return a;
    }

    function same(uint256 a, uint256 b) internal pure returns (uint256) {
        return a * b;
    }

    function same(bool a) internal pure returns (bool) {
        return !a;
    }

    function fromPublic(uint256 a) public pure returns (uint256) {
        return a * 3;
    }

    function sum(uint256[] memory xs) internal pure returns (uint256 s) {
        for (uint256 i = 0; i < xs.length; i++) {
            s += xs[i];
        }
    }

    function append(uint256[] storage xs, uint256 x) internal returns (uint256[] storage) {
        xs.push(x);
        return xs;
    }

    function swap(Pair memory p) internal pure returns (Pair memory) {
        return Pair(p.b, p.a);
    }

    function length(bytes calldata data) internal pure returns (uint256) {
        return data.length;
    }

    function lengthOutside(bytes calldata data) external pure returns (uint256) {
        return length(data);
    }

    function lengthOfPart(bytes calldata data) external pure returns (uint256) {
        return length(data[1:3]);
    }

    function test_noParameters() public {
        touch();
        assert(touched == 1);
    }

    function test_private() public {
        touchPrivately();
        assert(touched == 2);
    }

    function test_zeroOne() public view {
        assert(zeroOne() == 0);
    }

    function test_oneOne() public pure {
        assert(oneOne(4) == 5);
    }

    function test_twoTwo() public pure {
        (uint256 a, uint256 b) = twoTwo(1, 2);
        assert(a == 2 && b == 1);
    }

    function test_threeThree() public pure {
        (address a, bool b, uint256 c) = threeThree(7, true, address(9));
        assert(a == address(9) && b && c == 7);
    }

    function test_fourFour() public pure {
        (string memory a, bytes4 b, int256 c, uint8 d) = fourFour(1, -2, 0x01020304, "four");
        assert(bytes(a).length == 4 && b == 0x01020304 && c == -2 && d == 1);
    }

    function test_fiveNone() public {
        fiveNone(1, 2, 3, 4, 5);
        assert(touched == 15);
    }

    function test_oneNone() public {
        oneNone(6);
        assert(touched == 6);
    }

    function test_zeroTwo() public view {
        (uint256 a, uint256 b) = zeroTwo();
        assert(a == 0 && b == 2);
    }

    function test_named() public pure {
        (uint256 a, uint256 b) = twoTwo({b: 1, a: 2});
        assert(a == 1 && b == 2);
    }

    function test_overloaded() public pure {
        assert(same(5) == 5);
        assert(same(5, 6) == 30);
        assert(same(false));
    }

    function test_publicFromInside() public pure {
        assert(fromPublic(2) == 6);
    }

    function test_memory() public pure {
        uint256[] memory xs = new uint256[](2);
        xs[1] = 4;
        assert(sum(xs) == 4);
        assert(swap(Pair(1, 2)).a == 2);
    }

    function test_storage() public {
        append(append(list, 1), 2);
        assert(list.length == 2);
    }

    function test_calldata() public view {
        assert(this.lengthOutside("12345") == 5);
        assert(this.lengthOfPart("12345") == 2);
    }
}
