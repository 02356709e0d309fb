// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

import {Owned} from "./Owned.sol";

/// A fungible token with a cap that the constructor fixes.
contract Token is Owned {
    error Insufficient(uint256 wanted, uint256 present);
    error OverCap(uint256 supply, uint256 cap);

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed holder, address indexed spender, uint256 amount);

    uint256 public immutable cap;
    bytes32 private immutable label;

    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    constructor(uint256 most, bytes32 name_) Owned(msg.sender) {
        cap = most;
        label = name_;
    }

    function name() external view returns (string memory) {
        bytes32 word = label;
        uint256 length;
        while (length < 32 && word[length] != 0) ++length;
        bytes memory text = new bytes(length);
        for (uint256 i; i < length; ++i) text[i] = word[i];
        return string(text);
    }

    function mint(address to, uint256 amount) external onlyOwner {
        uint256 supply = totalSupply + amount;
        if (supply > cap) revert OverCap(supply, cap);
        totalSupply = supply;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < amount) revert Insufficient(amount, allowed);
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        move(from, to, amount);
        return true;
    }

    function move(address from, address to, uint256 amount) private {
        uint256 balance = balanceOf[from];
        if (balance < amount) revert Insufficient(amount, balance);
        unchecked {
            balanceOf[from] = balance - amount;
            balanceOf[to] += amount;
        }
        emit Transfer(from, to, amount);
    }
}
