// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

struct Bid {
    address bidder;
    uint96 amount;
}

/// The highest bids, highest first. Deployed by itself and linked.
library Ranking {
    error TooLow(uint96 amount, uint96 needed);

    /// Puts a bid in its place; the lowest falls out where there are more than `places`.
    function insert(Bid[] storage bids, Bid calldata bid, uint256 places) external returns (Bid memory out) {
        if (bids.length == places) {
            out = bids[places - 1];
            if (bid.amount <= out.amount) revert TooLow(bid.amount, out.amount + 1);
            bids.pop();
        }
        bids.push(bid);
        uint256 place = bids.length - 1;
        for (; place > 0 && bids[place - 1].amount < bid.amount; --place) bids[place] = bids[place - 1];
        bids[place] = bid;
    }
}
