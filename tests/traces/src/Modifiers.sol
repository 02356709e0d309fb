// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// Modifiers, which have no frames, around functions, which have.
abstract contract Modifiers {
    uint256 internal log;

    function note(uint256 a) internal {
        log = log * 10 + a;
    }

    function allowed(uint256 a) internal pure returns (bool) {
        return a != 0;
    }

    modifier before() {
        note(1);
        _;
    }

    modifier afterwards() {
        _;
        note(2);
    }

    modifier around(uint256 a) {
        note(a);
        _;
        note(a + 1);
    }

    modifier onlyIf(bool go) {
        if (go) _;
    }

    modifier twice() {
        _;
        _;
    }

    modifier checked(uint256 a) {
        require(allowed(a), "not allowed");
        _;
    }

    modifier virtually() virtual {
        note(7);
        _;
    }

    modifier empty() {
        _;
    }

    function withBefore() internal before {
        note(5);
    }

    function withAfter() internal afterwards {
        note(5);
    }

    function withAfterAndResult(uint256 a) internal afterwards returns (uint256) {
        return a + 1;
    }

    function withAround(uint256 a) internal around(a) {
        note(5);
    }

    function stacked() internal around(3) afterwards returns (uint256 r) {
        note(5);
        r = 6;
    }

    function maybe(bool go) internal onlyIf(go) returns (uint256) {
        note(5);
        return 1;
    }

    function repeated() internal twice {
        note(5);
    }

    function argumentCalls(uint256 a) internal onlyIf(allowed(a)) {
        note(5);
    }

    function guarded(uint256 a) internal checked(a) returns (uint256) {
        note(a);
        return a;
    }

    function nothing() internal empty {}

    function overridden() internal virtually {
        note(5);
    }

    function outside(uint256 a) external checked(a) before returns (uint256) {
        note(a);
        return a;
    }

    function test_before() public {
        withBefore();
        assert(log == 15);
    }

    function test_after() public {
        withAfter();
        assert(log == 52);
    }

    function test_afterResult() public {
        assert(withAfterAndResult(1) == 2);
    }

    function test_around() public {
        withAround(2);
        assert(log == 253);
    }

    function test_stacked() public {
        assert(stacked() == 6);
        assert(log == 3524);
    }

    function test_notContinued() public {
        assert(maybe(false) == 0);
        assert(maybe(true) == 1);
    }

    function test_twice() public {
        repeated();
        assert(log == 55);
    }

    function test_argumentCalls() public {
        argumentCalls(0);
        argumentCalls(1);
        assert(log == 5);
    }

    function test_guarded() public {
        assert(guarded(4) == 4);
    }

    function test_guardedFails() public {
        guarded(0);
    }

    function test_emptyModifier() public {
        nothing();
    }

    function test_virtualModifier() public {
        overridden();
        assert(log == 85);
    }

    function test_outside() public {
        assert(this.outside(3) == 3);
    }

    function test_onTest() public around(1) {
        note(5);
    }
}

abstract contract ModifiersOverridden is Modifiers {
    modifier virtually() override {
        note(8);
        _;
    }
}
