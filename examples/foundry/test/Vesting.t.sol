// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

import {Cheats} from "./Cheats.sol";
import {Plan, Schedule} from "../src/Schedule.sol";
import {Token} from "../src/Token.sol";
import {Vesting} from "../src/Vesting.sol";

contract VestingTest is Cheats {
    address private constant ANN = address(0xa11);
    address private constant BOB = address(0xb0b);

    Token private token;
    Vesting private vesting;

    event Paid(address indexed beneficiary, uint256 amount);

    function setUp() public {
        vm.warp(1_000);
        token = new Token(10_000, "Example");
        vesting = new Vesting(token);
        token.mint(address(this), 10_000);
        token.approve(address(vesting), type(uint256).max);
        vesting.add(ANN, Plan({start: 1_000, cliff: 1_250, end: 2_000, total: 4_000}));
    }

    function test_immutablesAreSet() public view {
        assertEq(address(vesting.token()), address(token));
        assertEq(vesting.createdAt(), 1_000);
    }

    function test_nothingBeforeCliff() public {
        vm.warp(1_249);
        assertEq(vesting.due(ANN), 0);
        vm.prank(ANN);
        vm.expectRevert(Vesting.NothingDue.selector);
        vesting.claim();
    }

    function test_linearAfterCliff() public {
        vm.warp(1_250);
        vm.expectEmit(true, false, false, true, address(vesting));
        emit Paid(ANN, 1_000);
        vm.prank(ANN);
        assertEq(vesting.claim(), 1_000);
        vm.warp(1_500);
        assertEq(vesting.due(ANN), 1_000);
        vm.warp(9_999);
        assertEq(vesting.due(ANN), 3_000);
    }

    function test_paysAll() public {
        vesting.add(BOB, Plan({start: 0, cliff: 0, end: 2_000, total: 100}));
        (address[] memory who, uint256[] memory amounts) = vesting.payAll();
        assertEq(who.length, 2);
        assertEq(who[1], BOB);
        assertEq(amounts[0], 0);
        assertEq(amounts[1], 50);
        assertEq(token.balanceOf(BOB), 50);
    }

    function test_longestEndsLast() public {
        vesting.add(BOB, Plan({start: 0, cliff: 0, end: 3_000, total: 100}));
        (address who, uint64 end) = vesting.longest();
        assertEq(who, BOB);
        assertEq(end, 3_000);
    }

    function test_planIsChecked() public {
        vm.expectRevert(abi.encodeWithSelector(Schedule.Unordered.selector, uint64(5), uint64(4), uint64(9)));
        vesting.add(BOB, Plan({start: 5, cliff: 4, end: 9, total: 1}));
    }

    function test_onePlanEach() public {
        vm.expectRevert(abi.encodeWithSelector(Vesting.PlanExists.selector, ANN));
        vesting.add(ANN, Plan({start: 0, cliff: 0, end: 9, total: 1}));
    }

    function test_codeFromArtifact() public {
        bytes memory code = abi.encodePacked(vm.getCode("Token.sol:Token"), abi.encode(7, bytes32("Other")));
        address made;
        assembly {
            made := create(0, add(code, 32), mload(code))
        }
        assertEq(Token(made).cap(), 7);
    }

    function testFuzz_releaseNeverFalls(uint64 first, uint64 second) public {
        (uint256 early, uint256 late) = first < second ? (first, second) : (second, first);
        vm.warp(early);
        uint256 before = vesting.due(ANN);
        vm.warp(late);
        assertEq(vesting.due(ANN) < before ? 1 : 0, 0);
    }
}
