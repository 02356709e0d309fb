// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

import {Auction} from "./Auction.sol";
import {Bid} from "./Ranking.sol";

interface Vm {
    function expectRevert(bytes calldata data) external;
    function warp(uint256 time) external;
}

/// Tests that Hardhat runs without TypeScript.
contract RankingTest {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    Auction private auction;
    uint256 private received;

    receive() external payable {
        received += msg.value;
    }

    function setUp() public {
        auction = new Auction(1 days, 3);
    }

    function test_immutables() public view {
        require(auction.seller() == address(this), "seller");
        require(auction.end() == block.timestamp + 1 days, "end");
        require(auction.places() == 3, "places");
    }

    function test_zeroPlacesAreRefused() public {
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "nothing to sell"));
        new Auction(1, 0);
    }

    function test_closeNeedsTheEnd() public {
        vm.expectRevert(abi.encodeWithSelector(Auction.Running.selector, auction.end()));
        auction.close();
        vm.warp(auction.end());
        vm.expectRevert(abi.encodeWithSelector(Auction.Ended.selector));
        auction.place{value: 1}();
    }

    function testFuzz_highestFirst(uint96[5] calldata amounts) public {
        uint256 kept;
        for (uint256 i; i < 5; ++i) {
            uint256 amount = amounts[i] % 1 ether;
            try auction.place{value: amount}() {
                ++kept;
            } catch (bytes memory reason) {
                require(bytes4(reason) == bytes4(keccak256("TooLow(uint96,uint96)")), "another reason");
            }
        }
        Bid[] memory bids = auction.ranking();
        require(bids.length == 3 && kept >= 3, "three stay");
        require(bids[0].amount >= bids[1].amount && bids[1].amount >= bids[2].amount, "highest first");
        uint256 sum = uint256(bids[0].amount) + bids[1].amount + bids[2].amount;
        vm.warp(auction.end());
        require(auction.close() == sum && received == sum, "all of it");
    }
}
