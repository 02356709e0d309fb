// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

library Shelf {
    struct Data {
        uint256[] items;
    }

    function place(Data storage self, uint256 a) public returns (uint256) {
        grow(self, a);
        return self.items.length;
    }

    function grow(Data storage self, uint256 a) internal {
        self.items.push(a);
    }

    function each(Data storage self, function(uint256) internal returns (uint256) f) internal returns (uint256 last) {
        for (uint256 i = 0; i < self.items.length; i++) {
            last = f(self.items[i]);
            self.items[i] = last;
        }
    }
}

abstract contract Shape {
    function area() external view virtual returns (uint256);

    function name() public pure virtual returns (string memory) {
        return "shape";
    }

    function shout() internal pure returns (string memory) {
        return string.concat(name(), "!");
    }
}

contract Square is Shape {
    uint256 public override area = side() * 2;

    constructor() {
        assert(bytes(shout()).length == 7);
        Inner inner = build();
        assert(inner.value() == 2);
    }

    function side() internal pure returns (uint256) {
        return 2;
    }

    function build() internal returns (Inner) {
        return new Inner(side());
    }

    function name() public pure override returns (string memory) {
        return twice(super.name());
    }

    function twice(string memory s) internal pure returns (string memory) {
        return bytes(s).length > 5 ? s : string.concat(s, "d");
    }
}

contract Inner {
    uint256 public value;

    constructor(uint256 a) {
        value = same(a);
    }

    function same(uint256 a) internal pure returns (uint256) {
        return a;
    }
}

/// What is rare.
abstract contract Odd {
    using Shelf for Shelf.Data;

    event Named(string indexed name, uint256[] list);

    struct Wide {
        uint128 a;
        uint128 b;
    }

    Shelf.Data internal shelf;
    Wide public wide;
    uint256 internal total;

    modifier counted() {
        total++;
        _;
    }

    function inc(uint256 a) internal pure returns (uint256) {
        return a + 1;
    }

    function small(uint256 a) internal pure returns (uint128) {
        return uint128(a);
    }

    function both(uint256 a) public counted returns (uint256) {
        return inc(a);
    }

    function text() internal pure returns (string memory) {
        return "text";
    }

    function list(uint256 n) internal pure returns (uint256[] memory xs) {
        xs = new uint256[](n);
        for (uint256 i = 0; i < n; i = inc(i)) {
            if (i == 1) continue;
            xs[i] = inc(i);
        }
    }

    /// Has as many words as the stack takes.
    function many(uint256 a, uint256 b, uint256 c, uint256 d, uint256 e, uint256 f) internal pure returns (uint256 r) {
        uint256 g = inc(a);
        uint256 h = inc(b);
        uint256 i = inc(c);
        r = inc(g + h + i) + d + e + f;
        r += inc(r);
    }

    function itself(uint256 n) internal pure returns (uint256) {
        function(uint256) internal pure returns (uint256) f = itself;
        return n == 0 ? 0 : inc(f(n - 1));
    }

    function pair() internal pure returns (uint256[] memory, string memory) {
        return (list(1), text());
    }

    function step(uint256 a) internal returns (uint256) {
        total += a;
        return total;
    }

    function test_linkedLibrary() public {
        assert(shelf.place(1) == 1);
        shelf.grow(2);
        assert(shelf.each(inc) == 3);
        assert(shelf.items[1] == 3);
    }

    function test_getterOverrides() public {
        Square s = new Square();
        assert(s.area() == 4);
        assert(bytes(s.name()).length == 6);
    }

    function test_modifiedPublic() public {
        assert(both(1) == 2);
        assert(this.both(2) == 3);
        assert(total == 2);
    }

    function test_packedFields() public {
        wide.a = small(1);
        wide.b = small(2);
        (uint128 a, uint128 b) = this.wide();
        assert(a == 1 && b == 2);
    }

    function test_eventOfText() public {
        emit Named(text(), new uint256[](1));
        emit Named("", list(2));
    }

    function test_many() public pure {
        assert(many(1, 2, 3, 4, 5, 6) == 51);
    }

    function test_pointerToItself() public pure {
        assert(itself(2) == 2);
    }

    function test_references() public pure {
        (uint256[] memory xs, string memory s) = pair();
        assert(xs.length == 1 && bytes(s).length == 4);
    }

    function test_encoded() public {
        (bool ok,) = address(this).call(abi.encodeCall(this.both, inc(1)));
        assert(ok);
    }

    function test_tryPointer() public {
        function(uint256) external returns (uint256) f = this.both;
        try f(inc(1)) returns (uint256 r) {
            step(r);
        } catch {
            step(100);
        }
        assert(total == 4);
    }

    function test_gasAndSalt() public {
        Inner inner = new Inner{salt: bytes32(inc(1))}(inc(2));
        assert(inner.value() == 3);
        assert(this.both{gas: 100000 + inc(1)}(1) == 2);
    }

    function test_discarded() public {
        (step(1), step(2));
        pair();
        step(3);
        assert(total == 6);
    }

    function test_lateDeclared() public pure {
        {
            uint256 a = inc(1);
            assert(a == 2);
        }
        {
            uint256 b = inc(2);
            assert(b == 3);
        }
    }
}
