// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// The cheat codes of forge that the tests use.
interface Vm {
    function warp(uint256 time) external;
    function prank(address caller) external;
    function startPrank(address caller) external;
    function stopPrank() external;
    function assume(bool condition) external pure;
    function expectRevert(bytes calldata data) external;
    function expectRevert(bytes4 selector) external;
    function expectEmit(bool first, bool second, bool third, bool data, address emitter) external;
    function expectCall(address callee, bytes calldata data) external;
    function etch(address account, bytes calldata code) external;
    function getCode(string calldata artifact) external view returns (bytes memory);
    function getDeployedCode(string calldata artifact) external view returns (bytes memory);
}

abstract contract Cheats {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    error NotEqual(uint256 found, uint256 expected);

    function assertEq(uint256 found, uint256 expected) internal pure {
        if (found != expected) revert NotEqual(found, expected);
    }

    function assertEq(address found, address expected) internal pure {
        assertEq(uint160(found), uint160(expected));
    }
}
