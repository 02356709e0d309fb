// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// Internal functions that fail, each in its way.
abstract contract Fail {
    enum Colour {
        Red,
        Green
    }

    struct Entry {
        uint256 a;
    }

    error Custom(uint256 a, string why);

    uint256[] internal list;
    bytes internal stored;

    function reason(uint256 a) internal pure returns (uint256) {
        require(a > 10, "too small");
        return a;
    }

    function noReason(bool go) internal pure {
        require(go);
    }

    function text() internal pure returns (string memory) {
        return "computed";
    }

    function number() internal pure returns (uint256) {
        return 42;
    }

    function computedReason() internal pure {
        revert(text());
    }

    function computedRequire() internal pure {
        require(number() == 1, text());
    }

    function custom() internal pure {
        revert Custom(number(), "custom");
    }

    function asserts(uint256 a) internal pure {
        assert(a == number());
    }

    function divides(uint256 a, uint256 b) internal pure returns (uint256) {
        return a / b;
    }

    function modulo(uint256 a, uint256 b) internal pure returns (uint256) {
        return a % b;
    }

    function adds(uint8 a, uint8 b) internal pure returns (uint8) {
        return a + b;
    }

    function subtracts(uint256 a, uint256 b) internal pure returns (uint256) {
        return a - b;
    }

    function multiplies(int256 a, int256 b) internal pure returns (int256) {
        return a * b;
    }

    function negates(int256 a) internal pure returns (int256) {
        return -a;
    }

    function increments(uint8 a) internal pure returns (uint8) {
        a++;
        return a;
    }

    function power(uint256 a, uint256 b) internal pure returns (uint256) {
        return a ** b;
    }

    function colour(uint256 a) internal pure returns (Colour) {
        return Colour(a);
    }

    function at(uint256 i) internal view returns (uint256) {
        return list[i];
    }

    function atMemory(uint256[2] memory xs, uint256 i) internal pure returns (uint256) {
        return xs[i];
    }

    function atBytes(bytes32 b, uint256 i) internal pure returns (bytes1) {
        return b[i];
    }

    function pops() internal {
        list.pop();
    }

    function allocates(uint256 n) internal pure returns (uint256[] memory) {
        return new uint256[](n);
    }

    function decodes(bytes memory data) internal pure returns (uint256) {
        return abi.decode(data, (uint256));
    }

    function slice(bytes calldata data) external pure returns (uint256) {
        return sliced(data, 9).length;
    }

    function sliced(bytes calldata data, uint256 from) internal pure returns (bytes calldata) {
        return data[from:];
    }

    function byAssembly() internal pure {
        assembly {
            revert(0, 0)
        }
    }

    function invalid() internal pure {
        assembly {
            invalid()
        }
    }

    function test_reason() public pure {
        reason(11);
        reason(1);
    }

    function test_noReason() public pure {
        noReason(true);
        noReason(false);
    }

    function test_computedReason() public pure {
        computedReason();
    }

    function test_computedRequire() public pure {
        computedRequire();
    }

    function test_custom() public pure {
        custom();
    }

    function test_asserts() public pure {
        asserts(42);
        asserts(1);
    }

    function test_divides() public pure {
        divides(1, 0);
    }

    function test_modulo() public pure {
        modulo(1, 0);
    }

    function test_adds() public pure {
        adds(200, 100);
    }

    function test_subtracts() public pure {
        subtracts(1, 2);
    }

    function test_multiplies() public pure {
        multiplies(type(int256).min, -1);
    }

    function test_negates() public pure {
        negates(type(int256).min);
    }

    function test_increments() public pure {
        increments(255);
    }

    function test_power() public pure {
        power(2, 256);
    }

    function test_colour() public pure {
        colour(2);
    }

    function test_bounds() public view {
        at(0);
    }

    function test_boundsMemory() public pure {
        atMemory([uint256(1), 2], 2);
    }

    function test_boundsBytes() public pure {
        atBytes("b", 32);
    }

    function test_pops() public {
        pops();
    }

    function test_allocates() public pure {
        allocates(type(uint256).max);
    }

    function test_decodes() public pure {
        decodes("short");
    }

    function test_slice() public view {
        try this.slice("short") {} catch {}
    }

    function test_byAssembly() public pure {
        byAssembly();
    }

    function test_invalid() public pure {
        invalid();
    }
}
