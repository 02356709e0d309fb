// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

import {console} from "hardhat/console.sol";
import {Bid, Ranking} from "./Ranking.sol";

/// Sells several equal things to the highest bidders; who falls out gets the bid back.
contract Auction {
    using Ranking for Bid[];

    error Ended();
    error Running(uint256 until);
    error NotSeller(address caller);

    event Placed(address indexed bidder, uint96 amount);
    event Returned(address indexed bidder, uint96 amount);

    address public immutable seller;
    uint256 public immutable end;
    uint8 public immutable places;

    Bid[] private bids;
    mapping(address => uint256) public refunds;

    constructor(uint256 duration, uint8 things) {
        require(things > 0, "nothing to sell");
        seller = msg.sender;
        end = block.timestamp + duration;
        places = things;
    }

    modifier before() {
        if (block.timestamp >= end) revert Ended();
        _;
    }

    function place() external payable before {
        console.log("bid of %s by %s", msg.value, msg.sender);
        Bid memory out = bids.insert(Bid(msg.sender, uint96(msg.value)), places);
        emit Placed(msg.sender, uint96(msg.value));
        if (out.bidder != address(0)) {
            refunds[out.bidder] += out.amount;
            emit Returned(out.bidder, out.amount);
        }
    }

    function withdraw() external {
        uint256 amount = refunds[msg.sender];
        refunds[msg.sender] = 0;
        (bool ok, ) = msg.sender.call{value: amount}("");
        require(ok, "not taken");
    }

    function close() external returns (uint256 sum) {
        if (msg.sender != seller) revert NotSeller(msg.sender);
        if (block.timestamp < end) revert Running(end);
        for (uint256 i; i < bids.length; ++i) sum += bids[i].amount;
        delete bids;
        (bool ok, ) = seller.call{value: sum}("");
        require(ok, "not taken");
    }

    function ranking() external view returns (Bid[] memory) {
        return bids;
    }
}
