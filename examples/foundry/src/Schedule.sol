// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// A linear release with a cliff.
struct Plan {
    uint64 start;
    uint64 cliff;
    uint64 end;
    uint128 total;
}

/// Deployed by itself and linked: its functions are called by DELEGATECALL.
library Schedule {
    error Unordered(uint64 start, uint64 cliff, uint64 end);

    function check(Plan calldata plan) external pure {
        if (plan.start > plan.cliff || plan.cliff > plan.end || plan.start == plan.end) {
            revert Unordered(plan.start, plan.cliff, plan.end);
        }
    }

    /// How much of the plan is released at a time.
    function released(Plan storage plan, uint256 time) external view returns (uint256) {
        return share(plan.total, plan.start, plan.cliff, plan.end, time);
    }

    /// Inlined into its callers.
    function share(uint256 total, uint256 start, uint256 cliff, uint256 end, uint256 time)
        internal
        pure
        returns (uint256)
    {
        if (time < cliff) return 0;
        if (time >= end) return total;
        return total * (time - start) / (end - start);
    }
}
