// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

import {console} from "hardhat/console.sol";
import {Shares} from "./Shares.sol";

interface IPrice {
    function price(uint256 amount) external returns (uint256);
}

abstract contract Kept {
    address public immutable keeper;

    error NotKeeper(address caller);

    constructor(address keeper_) {
        require(keeper_ != address(0), "no keeper");
        keeper = keeper_;
    }

    modifier onlyKeeper() {
        if (msg.sender != keeper) revert NotKeeper(msg.sender);
        _;
    }

    modifier below(uint256 value, uint256 limit) {
        require(value < limit, "limit");
        _;
        assert(value != 77);
    }
}

contract Vault is Kept {
    using Shares for Shares.Register;

    enum State { Open, Frozen, Closed }

    error Full(uint256 wanted, uint256 most);

    event Put(address indexed from, uint256 shares);

    uint256 public immutable most;
    bytes4 public immutable tag;
    string public name;
    State public state;
    uint256[] public notes;
    Shares.Register private register;

    constructor(uint256 most_, string memory name_, address keeper_) Kept(keeper_) {
        if (most_ > 1_000_000) revert Full({wanted: most_, most: 1_000_000});
        most = most_;
        name = name_;
        tag = bytes4(keccak256(bytes(name_)));
    }

    receive() external payable {
        require(msg.value != 13, "unlucky");
    }

    function put(uint256 amount) external payable returns (uint256 shares) {
        console.log("%s of %s by %s", amount, most, msg.sender);
        shares = add(msg.sender, amount);
        emit Put(msg.sender, shares);
    }

    function add(address to, uint256 amount) internal returns (uint256) {
        checkRoom(amount);
        return register.issue(to, amount);
    }

    function checkRoom(uint256 amount) private view {
        if (amount > most) revert Full(amount, most);
    }

    function total() external view returns (uint256) {
        return register.total();
    }

    function mean(uint256[] calldata amounts) external pure returns (uint256) {
        return Shares.mean(amounts);
    }

    function move(uint256 to) external onlyKeeper below(to, 1000) {
        state = State(to);
    }

    function twice(uint256 a) public pure returns (uint256) {
        return scaled(a, 2) + 1;
    }

    function scaled(uint256 a, uint256 by) internal pure returns (uint256) {
        uint256 product = a * by;
        return product;
    }

    function share(uint256 a, uint256 by) external pure returns (uint256) {
        return a / by;
    }

    function unnote() external {
        notes.pop();
    }

    function room(uint256 n) external pure returns (uint256) {
        uint256[] memory all = new uint256[](n);
        return all.length;
    }

    function third(bytes calldata data) external pure returns (bytes1) {
        return data[2];
    }

    function down(uint256 n) public pure returns (uint256) {
        if (n == 0) {
            revert("bottom");
        }
        return down(n - 1) + 1;
    }

    function priced(IPrice oracle, uint256 amount) external returns (uint256) {
        return oracle.price(amount);
    }

    function tried(IPrice oracle, uint256 amount) external returns (string memory) {
        try oracle.price(amount) returns (uint256 price) {
            require(price > 5, "cheap");
            return "fine";
        } catch Error(string memory why) {
            return why;
        } catch (bytes memory raw) {
            require(raw.length == 36, "unknown");
            return "raw";
        }
    }

    function forward(address to, bytes calldata data) external {
        (bool ok, bytes memory out) = to.call(data);
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(out, 32), mload(out))
            }
        }
    }

    function pay(address payable to, uint256 amount) external {
        (bool ok, ) = to.call{value: amount}("");
        require(ok, "not taken");
    }

    /// The answer has no data, so that there is code is asked first.
    function tell(Plain other, uint256 value) external {
        other.set(value);
    }

    function nothing() external pure {
        revert();
    }
}

contract Prices is IPrice {
    function price(uint256 amount) external pure override returns (uint256) {
        if (amount == 1) revert("one");
        if (amount == 2) revert();
        if (amount == 3) assert(false);
        if (amount == 4) revert Shares.Nothing(4);
        return amount;
    }
}

contract Plain {
    uint256 public value;

    function set(uint256 to) external {
        value = to;
    }
}

contract Factory {
    event Made(Vault vault);

    function make(uint256 most, address keeper) external returns (Vault vault) {
        vault = new Vault(most, "made", keeper);
        emit Made(vault);
    }
}
