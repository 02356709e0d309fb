// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// Pointers that are compared, cast, empty, of other functions, or from outside.
abstract contract PointersMore {
    function(uint256) external returns (uint256) internal outside;
    function() internal never;
    function() internal set = work;
    function(uint256) internal pure returns (uint256) immutable fixedOne;
    uint256 internal count;

    struct Outside {
        function(uint256) external returns (uint256) run;
    }

    constructor() {
        fixedOne = twice;
    }

    function work() internal {
        count++;
    }

    function rest() internal {}

    function twice(uint256 a) internal pure returns (uint256) {
        return a * 2;
    }

    function changes(uint256 a) internal returns (uint256) {
        count += a;
        return count;
    }

    function external1(uint256 a) external returns (uint256) {
        return changes(a);
    }

    function pick(bool first) internal view returns (function(uint256) external returns (uint256)) {
        return first ? this.external1 : outside;
    }

    /// Calls a function that writes as if it were pure.
    function asPure(function(uint256) internal returns (uint256) f, uint256 a) internal pure returns (uint256) {
        function(uint256) internal pure returns (uint256) g;
        assembly {
            g := f
        }
        return g(a);
    }

    function callOutside(function(uint256) external returns (uint256) f, uint256 a) internal returns (uint256) {
        return f(a);
    }

    function composed(
        function(uint256) internal pure returns (uint256) f,
        function(uint256) internal pure returns (uint256) g,
        uint256 a
    ) internal pure returns (uint256) {
        return g(f(a));
    }

    modifier through(function() internal f) {
        f();
        _;
    }

    function modified() internal through(work) {
        rest();
    }

    function given(function(function() internal) internal f) internal {
        f(work);
    }

    function runs(function() internal f) internal {
        f();
    }

    function test_compared() public {
        function() internal f = work;
        function() internal g = rest;
        if (f == g) f();
        if (f != g) g();
    }

    function test_cast() public {
        function(uint256) internal returns (uint256) f = changes;
        function(uint256) internal pure returns (uint256) g;
        assembly {
            g := f
        }
        assert(g(3) == 3);
    }

    function test_castBelow() public {
        assert(asPure(changes, 3) == 3);
    }

    function test_initialised() public {
        set();
        assert(count == 1);
    }

    function test_immutable() public view {
        assert(fixedOne(2) == 4);
    }

    function test_neverSet() public {
        never();
    }

    function test_deleted() public {
        never = work;
        never();
        delete never;
        never();
    }

    function test_localNeverSet() public {
        function(uint256) internal f;
        f(1);
    }

    function test_inModifier() public {
        modified();
    }

    function test_ofPointer() public {
        given(runs);
        assert(count == 1);
    }

    function test_composed() public pure {
        assert(composed(twice, twice, 1) == 4);
    }

    function test_inLoop() public {
        function() internal f = work;
        for (uint256 i = 0; i < 3; i++) {
            f();
            f = i == 0 ? rest : work;
        }
        assert(count == 2);
    }

    function test_externalStored() public {
        outside = this.external1;
        assert(outside(2) == 2);
    }

    function test_externalLocal() public {
        function(uint256) external returns (uint256) f = this.external1;
        assert(f(2) == 2);
    }

    function test_externalWithGas() public {
        function(uint256) external returns (uint256) f = this.external1;
        assert(f{gas: 500000}(2) == 2);
    }

    function test_externalParameter() public {
        assert(callOutside(this.external1, 2) == 2);
    }

    function test_externalResult() public {
        assert(pick(true)(2) == 2);
    }

    function test_externalStruct() public {
        Outside memory o = Outside(this.external1);
        assert(o.run(2) == 2);
    }

    function test_externalNeverSet() public {
        outside(1);
    }
}
