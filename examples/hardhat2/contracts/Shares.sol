// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// Who holds how much; deployed by itself.
library Shares {
    error Nothing(uint256 holders);

    struct Register {
        address[] holders;
        mapping(address => uint256) held;
    }

    function issue(Register storage register, address to, uint256 amount) public returns (uint256) {
        if (amount == 0) revert Nothing(register.holders.length);
        if (register.held[to] == 0) register.holders.push(to);
        register.held[to] += amount;
        return register.held[to];
    }

    function total(Register storage register) external view returns (uint256 sum) {
        for (uint256 i = 0; i < register.holders.length; i++) {
            sum += register.held[register.holders[i]];
        }
    }

    /// Is part of the contracts that call it.
    function mean(uint256[] memory amounts) internal pure returns (uint256 sum) {
        require(amounts.length > 0, "no amounts");
        for (uint256 i = 0; i < amounts.length; i++) sum += amounts[i];
        sum /= amounts.length;
    }
}
