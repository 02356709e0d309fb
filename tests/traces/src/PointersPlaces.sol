// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

type Id is uint256;

struct Node {
    uint256 value;
    Handler handler;
}

struct Handler {
    function(Node memory) internal pure returns (uint256) run;
    function(uint256) internal pure returns (bool)[] checks;
}

interface IRun {
    function run(uint256 a) external returns (uint256);
}

/// Runs pointers below the dispatch of its own code.
contract Runner is IRun {
    function(uint256) internal pure returns (uint256) immutable kept;

    constructor(bool up) {
        kept = up ? inc : dec;
        kept(5);
    }

    function inc(uint256 a) internal pure returns (uint256) {
        return a + 1;
    }

    function dec(uint256 a) internal pure returns (uint256) {
        return a - 1;
    }

    function run(uint256 a) external view returns (uint256) {
        return kept(a);
    }

    fallback() external {
        function(uint256) internal pure returns (uint256) f = inc;
        f(7);
    }
}

/// Calls of pointers in every place an expression may have.
abstract contract PointersPlaces {
    event Seen(uint256 a);

    error No(uint256 a);

    uint256[] internal list;

    function half(uint256 a) internal pure returns (uint256) {
        return a / 2;
    }

    function yes(uint256 a) internal pure returns (bool) {
        return a < 3;
    }

    function no(uint256) internal pure returns (bool) {}

    function handle(Node memory n) internal pure returns (uint256) {
        return half(n.value);
    }

    function push(uint256[] storage xs, uint256 a) internal {
        xs.push(a);
    }

    function unwrap(Id a) internal pure returns (uint256) {
        return Id.unwrap(a);
    }

    function size(bytes calldata data) internal pure returns (uint256) {
        return data.length;
    }

    function sizeOutside(bytes calldata data) external pure returns (uint256) {
        function(bytes calldata) internal pure returns (uint256) f = size;
        return f(data);
    }

    modifier only(function(uint256) internal pure returns (bool) f, uint256 a) {
        if (!f(a)) revert No(a);
        _;
    }

    function guarded(uint256 a) internal pure only(yes, a) returns (uint256) {
        function(uint256) internal pure returns (uint256) f = half;
        return f(a);
    }

    function test_conditions() public pure {
        function(uint256) internal pure returns (bool) f = yes;
        function(uint256) internal pure returns (bool) g = no;
        if (f(1) && !g(1)) {
            assert(f(1) || g(2));
        }
        assert((g(1) ? g : f)(2));
    }

    function test_loop() public pure {
        function(uint256) internal pure returns (bool) f = yes;
        function(uint256) internal pure returns (uint256) h = half;
        for (uint256 i = h(2); f(i); i += h(2)) {}
    }

    function test_statements() public {
        function(uint256) internal pure returns (uint256) h = half;
        emit Seen(h(2));
        require(h(2) == 1, "half");
        h(4);
        list.push(h(6));
        list[h(1)] = 5;
    }

    function test_reverts() public pure {
        function(uint256) internal pure returns (uint256) h = half;
        revert No(h(2));
    }

    function test_argumentsAndArrays() public pure {
        function(uint256) internal pure returns (uint256) h = half;
        uint256[2] memory a = [h(2), half(h(8))];
        assert(a[1] == 2);
    }

    function test_unchecked() public pure {
        function(uint256) internal pure returns (uint256) h = half;
        unchecked {
            assert(h(2) - 2 == type(uint256).max);
        }
    }

    function test_structs() public pure {
        Node memory n;
        n.value = 8;
        n.handler.run = handle;
        n.handler.checks = new function(uint256) internal pure returns (bool)[](2);
        n.handler.checks[0] = yes;
        n.handler.checks[1] = no;
        assert(n.handler.run(n) == 4);
        assert(n.handler.checks[0](1) && !n.handler.checks[1](1));
    }

    function test_storageParameter() public {
        function(uint256[] storage, uint256) internal f = push;
        f(list, 4);
    }

    function test_calldataParameter() public view {
        assert(this.sizeOutside("123") == 3);
    }

    function test_userType() public pure {
        function(Id) internal pure returns (uint256) f = unwrap;
        assert(f(Id.wrap(3)) == 3);
    }

    function test_inModifier() public pure {
        assert(guarded(2) == 1);
    }

    function test_inModifierFails() public pure {
        guarded(3);
    }

    function test_notGiven() public pure {
        Handler memory h;
        Node memory n;
        h.run(n);
    }

    function test_immutableOfOther() public {
        assert(new Runner(true).run(1) == 2);
        assert(new Runner(false).run(1) == 0);
    }

    function test_fallback() public {
        (bool ok,) = address(new Runner(true)).call("");
        assert(ok);
    }
}
