// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

import {Owned} from "./Owned.sol";
import {Plan, Schedule} from "./Schedule.sol";
import {Token} from "./Token.sol";

/// Pays out tokens to each beneficiary by a plan of their own.
contract Vesting is Owned {
    using Schedule for Plan;

    error PlanExists(address beneficiary);
    error NothingDue();

    event Planned(address indexed beneficiary, uint256 total);
    event Paid(address indexed beneficiary, uint256 amount);

    Token public immutable token;
    uint256 public immutable createdAt = block.timestamp;

    mapping(address => Plan) public plans;
    mapping(address => uint256) public paid;
    address[] public beneficiaries;

    constructor(Token token_) Owned(msg.sender) {
        token = token_;
    }

    function add(address beneficiary, Plan calldata plan) external onlyOwner {
        Schedule.check(plan);
        if (plans[beneficiary].end != 0) revert PlanExists(beneficiary);
        plans[beneficiary] = plan;
        beneficiaries.push(beneficiary);
        require(token.transferFrom(msg.sender, address(this), plan.total), "no tokens");
        emit Planned(beneficiary, plan.total);
    }

    function due(address beneficiary) public view returns (uint256) {
        return plans[beneficiary].released(block.timestamp) - paid[beneficiary];
    }

    function claim() external returns (uint256 amount) {
        amount = pay(msg.sender);
        if (amount == 0) revert NothingDue();
    }

    /// Pays everyone; returns who got something.
    function payAll() external returns (address[] memory who, uint256[] memory amounts) {
        uint256 count = beneficiaries.length;
        (who, amounts) = (new address[](count), new uint256[](count));
        for (uint256 i; i < count; ++i) {
            who[i] = beneficiaries[i];
            amounts[i] = pay(who[i]);
        }
    }

    /// Whose plan ends last, and when.
    function longest() external view returns (address who, uint64 end) {
        for (uint256 i; i < beneficiaries.length; ++i) {
            address each = beneficiaries[i];
            uint64 other = plans[each].end;
            if (other > end) {
                who = each;
                end = other;
            }
        }
    }

    function pay(address beneficiary) private returns (uint256 amount) {
        amount = due(beneficiary);
        if (amount == 0) return 0;
        paid[beneficiary] += amount;
        require(token.transfer(beneficiary, amount), "no transfer");
        emit Paid(beneficiary, amount);
    }
}
