// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

import {Cheats} from "../test/Cheats.sol";
import {Plan, Schedule} from "../src/Schedule.sol";
import {Token} from "../src/Token.sol";
import {Vesting} from "../src/Vesting.sol";

/// The contracts as they are built for a network that has the library already. Here the library is put where
/// the profile `linked` (or `--libraries`) says that it lies; it is called nowhere else.
contract LinkedTest is Cheats {
    address private constant LIBRARY = 0x00000000000000000000000000000000000A11B1;
    address private constant ANN = address(0xa11);

    Plan private plan = Plan({start: 1_000, cliff: 1_250, end: 2_000, total: 4_000});

    function setUp() public {
        vm.etch(LIBRARY, vm.getDeployedCode("Schedule.sol:Schedule"));
        vm.warp(1_500);
    }

    function test_callsTheLibraryAtItsAddress() public {
        Vesting vesting = planned();
        assertEq(vesting.due(ANN), 2_000);
    }

    function test_errorsOfTheLibraryComeThrough() public {
        Vesting vesting = planned();
        vm.expectRevert(abi.encodeWithSelector(Schedule.Unordered.selector, uint64(5), uint64(4), uint64(9)));
        vesting.add(address(1), Plan({start: 5, cliff: 4, end: 9, total: 1}));
    }

    function test_artifactsAreLinked() public {
        bytes memory code = abi.encodePacked(vm.getCode("Vesting.sol:Vesting"), abi.encode(new Token(1, "Example")));
        address made;
        assembly {
            made := create(0, add(code, 32), mload(code))
        }
        vm.expectCall(LIBRARY, abi.encodeWithSelector(Schedule.released.selector));
        assertEq(Vesting(made).due(ANN), 0);
    }

    /// A wallet with one plan, whose addition has to call the library where it lies.
    function planned() private returns (Vesting vesting) {
        Token token = new Token(10_000, "Example");
        vesting = new Vesting(token);
        token.mint(address(this), 10_000);
        token.approve(address(vesting), type(uint256).max);
        vm.expectCall(LIBRARY, abi.encodeWithSelector(Schedule.check.selector, plan));
        vesting.add(ANN, plan);
    }
}
