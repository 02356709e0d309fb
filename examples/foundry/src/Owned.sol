// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// An owner, and a second step in which a new one takes over.
abstract contract Owned {
    error NotOwner(address caller);
    error NotProposed(address caller);

    event OwnerChanged(address indexed from, address indexed to);

    address public owner;
    address public proposed;

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner(msg.sender);
        _;
    }

    constructor(address first) {
        owner = first;
        emit OwnerChanged(address(0), first);
    }

    function propose(address next) external onlyOwner {
        proposed = next;
    }

    function accept() external {
        if (msg.sender != proposed) revert NotProposed(msg.sender);
        emit OwnerChanged(owner, msg.sender);
        owner = msg.sender;
        delete proposed;
        afterChange();
    }

    /// What a contract does when its owner changed.
    function afterChange() internal virtual {}
}
