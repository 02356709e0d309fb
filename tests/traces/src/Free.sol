// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

type Price is uint256;

using {plus as +, minus as -, negated as ~, equals as ==, less as <} for Price global;
using {doubled, Prices.halved} for Price global;

function plus(Price a, Price b) pure returns (Price) {
    return Price.wrap(Price.unwrap(a) + Price.unwrap(b));
}

function minus(Price a, Price b) pure returns (Price) {
    return Price.wrap(Price.unwrap(a) - Price.unwrap(b));
}

function negated(Price a) pure returns (Price) {
    return Price.wrap(~Price.unwrap(a));
}

function equals(Price a, Price b) pure returns (bool) {
    return Price.unwrap(a) == Price.unwrap(b);
}

function less(Price a, Price b) pure returns (bool) {
    return Price.unwrap(a) < Price.unwrap(b);
}

function doubled(Price a) pure returns (Price) {
    return a + a;
}

library Prices {
    function halved(Price a) internal pure returns (Price) {
        return Price.wrap(half(Price.unwrap(a)));
    }

    function half(uint256 a) private pure returns (uint256) {
        return a / 2;
    }
}

function triple(uint256 a) pure returns (uint256) {
    return a * 3;
}

function triple(uint256 a, uint256 b) pure returns (uint256) {
    return triple(a) + b;
}

function nothing() pure {}

struct Bag {
    uint256 size;
    uint256[] items;
}

library Bags {
    function put(Bag storage bag, uint256 item) internal returns (uint256) {
        bag.items.push(item);
        grow(bag);
        return bag.size;
    }

    function grow(Bag storage bag) private {
        bag.size++;
    }

    function weight(Bag memory bag) internal pure returns (uint256 w) {
        for (uint256 i = 0; i < bag.items.length; i++) {
            w = add(w, bag.items[i]);
        }
    }

    function add(uint256 a, uint256 b) internal pure returns (uint256) {
        return a + b;
    }
}

library Linked {
    function square(uint256 a) public pure returns (uint256) {
        return times(a, a);
    }

    function times(uint256 a, uint256 b) internal pure returns (uint256) {
        return a * b;
    }
}

/// Functions that stand in no contract, and libraries.
abstract contract Free {
    using Bags for Bag;
    using Bags for uint256;
    using {triple_} for uint256;

    Bag internal bag;

    function test_free() public pure {
        nothing();
        assert(triple(2) == 6);
    }

    function test_freeOverloaded() public pure {
        assert(triple(2, 1) == 7);
    }

    function test_freeAttached() public pure {
        uint256 a = 2;
        assert(a.triple_() == 6);
    }

    function test_libraryByName() public pure {
        assert(Bags.add(1, 2) == 3);
        assert(Linked.times(2, 3) == 6);
    }

    function test_libraryAttached() public {
        assert(bag.put(4) == 1);
        assert(bag.put({item: 5}) == 2);
        assert(bag.weight() == 9);
    }

    function test_libraryChained() public pure {
        uint256 a = 1;
        assert(a.add(2).add(3) == 6);
    }

    function test_libraryLinked() public pure {
        assert(Linked.square(3) == 9);
    }

    function test_operators() public pure {
        Price a = Price.wrap(5);
        Price b = Price.wrap(3);
        assert(Price.unwrap(a + b) == 8);
        assert(Price.unwrap(a - b) == 2);
        assert(b < a);
        assert(a == a);
    }

    function test_operatorUnary() public pure {
        assert(Price.unwrap(~Price.wrap(0)) == type(uint256).max);
    }

    function test_operatorsNested() public pure {
        Price a = Price.wrap(1);
        assert(a + a + a == Price.wrap(3));
    }

    function test_attachedGlobally() public pure {
        assert(Price.unwrap(Price.wrap(2).doubled()) == 4);
        assert(Price.unwrap(Price.wrap(2).halved()) == 1);
    }
}

function triple_(uint256 a) pure returns (uint256) {
    return triple(a);
}
