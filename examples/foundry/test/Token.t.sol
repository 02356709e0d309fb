// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

import {Cheats} from "./Cheats.sol";
import {Owned} from "../src/Owned.sol";
import {Token} from "../src/Token.sol";

contract TokenTest is Cheats {
    address private constant ANN = address(0xa11);
    address private constant BOB = address(0xb0b);

    Token private token;

    function setUp() public {
        token = new Token(1_000_000, "Example");
        token.mint(ANN, 1_000);
    }

    function test_constructorFixesCapAndName() public view {
        assertEq(token.cap(), 1_000_000);
        require(keccak256(bytes(token.name())) == keccak256("Example"), "name");
        assertEq(bytes(token.name()).length, 7);
    }

    function test_mintStopsAtCap() public {
        token.mint(BOB, 999_000);
        vm.expectRevert(abi.encodeWithSelector(Token.OverCap.selector, 1_000_001, 1_000_000));
        token.mint(BOB, 1);
        assertEq(token.totalSupply(), 1_000_000);
    }

    function test_mintOverflowPanics() public {
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 0x11));
        token.mint(BOB, type(uint256).max);
    }

    function test_onlyOwnerMints() public {
        vm.prank(BOB);
        vm.expectRevert(abi.encodeWithSelector(Owned.NotOwner.selector, BOB));
        token.mint(BOB, 1);
    }

    function test_transferFromNeedsAllowance() public {
        vm.prank(ANN);
        token.approve(BOB, 10);
        vm.startPrank(BOB);
        vm.expectRevert(abi.encodeWithSelector(Token.Insufficient.selector, 11, 10));
        token.transferFrom(ANN, BOB, 11);
        token.transferFrom(ANN, BOB, 4);
        vm.stopPrank();
        assertEq(token.allowance(ANN, BOB), 6);
        assertEq(token.balanceOf(BOB), 4);
    }

    function test_endlessAllowanceStays() public {
        vm.prank(ANN);
        token.approve(BOB, type(uint256).max);
        vm.prank(BOB);
        token.transferFrom(ANN, BOB, 1_000);
        assertEq(token.allowance(ANN, BOB), type(uint256).max);
    }

    function test_ownerChangesInTwoSteps() public {
        token.propose(ANN);
        vm.expectRevert(abi.encodeWithSelector(Owned.NotProposed.selector, address(this)));
        token.accept();
        vm.prank(ANN);
        token.accept();
        assertEq(token.owner(), ANN);
        assertEq(token.proposed(), address(0));
    }

    function testFuzz_transferKeepsSum(uint256 amount, address to) public {
        vm.assume(to != address(0));
        uint256 before = token.balanceOf(ANN);
        if (amount > before) vm.expectRevert(abi.encodeWithSelector(Token.Insufficient.selector, amount, before));
        vm.prank(ANN);
        token.transfer(to, amount);
        uint256 sum = to == ANN ? token.balanceOf(ANN) : token.balanceOf(ANN) + token.balanceOf(to);
        assertEq(sum, before);
    }
}
