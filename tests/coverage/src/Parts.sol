// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

library Stack {
    struct Items {
        uint256[] values;
        uint256 count;
    }

    function push(Items storage items, uint256 value) internal {
        uint256 count = items.count;
        items.values.push(value);
        items.count = count + 1;
    }

    function top(Items storage items) internal view returns (uint256 value) {
        uint256 count = items.count;
        if (count == 0) {
            value = 0;
            return value;
        }
        value = items.values[count - 1];
    }

    function linked(uint256 a) external pure returns (uint256) {
        uint256 b = a;
        return b;
    }
}

abstract contract Base {
    uint256 internal base;
    address private immutable maker;

    event Seen(uint256 a);
    error Zero(uint256 a);

    constructor(uint256 a) {
        base = a;
        maker = msg.sender;
        uint256 b = a;
        base = b;
    }

    modifier locked() {
        require(base < 100, "locked");
        uint256 old = base;
        base = 1;
        _;
        base = old;
    }

    modifier positive(uint256 a) {
        if (a == 0) revert Zero(a);
        _;
    }

    function hook(uint256 a) internal virtual returns (uint256) {
        uint256 r = a;
        return r;
    }
}

contract Middle is Base {
    constructor(uint256 a) Base(a + 1) {}

    function hook(uint256 a) internal virtual override returns (uint256) {
        uint256 r = super.hook(a);
        return r;
    }
}

/// Parts of contracts: what is inherited, libraries, modifiers, constructors, functions without names.
contract Parts is Middle {
    using Stack for Stack.Items;

    Stack.Items private items;
    bytes private data;
    string private name;
    uint8[4] private small;

    constructor() Middle(4) {
        name = "hello";
        small[1] = 3;
    }

    receive() external payable {
        uint256 value = msg.value;
        base += value;
    }

    fallback(bytes calldata input) external payable returns (bytes memory output) {
        bytes memory copy = input;
        output = copy;
    }

    function guarded(uint256 a) external locked positive(a) returns (uint256 r) {
        r = hook(a);
        uint256 s = r;
        r = s;
    }

    function pushed(uint256 a) external returns (uint256) {
        uint256 before = items.top();
        items.push(a);
        items.push(before);
        return items.top();
    }

    function linked(uint256 a) external pure returns (uint256) {
        return Stack.linked(a);
    }

    function seen(uint256 a) external {
        emit Seen(a);
        uint256 b = a;
        if (b > 5) emit Seen(1);
        else emit Seen(2);
    }

    function resized() external returns (uint256 n) {
        delete data;
        data.push(0x01);
        data.push();
        data.pop();
        bytes storage same = data;
        n = same.length;
    }

    function copied(uint256 a, string calldata text) external returns (uint256) {
        uint8 s = uint8(a);
        small[2] = s;
        uint8[4] memory one = small;
        uint8[4] memory two = one;
        two[0] = 7;
        name = text;
        string memory first = name;
        string memory second = first;
        return one[0] + bytes(second).length;
    }

    function both(uint256 a) private pure returns (uint256, uint256) {
        return (a, a + 1);
    }

    function pairs(uint256 a) external pure returns (uint256 x, uint256 y) {
        (x, y) = both(a);
        (uint256 z, ) = both(y);
        x = z;
    }

    function made(uint256 a) external returns (address at) {
        Made one = new Made(a);
        Made two = one;
        at = address(two);
        base = two.value();
    }

    function called(address to) external returns (bool done) {
        (bool ok, bytes memory answer) = to.call("");
        done = ok;
        bytes memory same = answer;
        done = same.length == 0;
    }
}

contract Made {
    uint256 public value;

    constructor(uint256 a) {
        uint256 b = a;
        value = b;
    }
}
