// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

import {Parts} from "../src/Parts.sol";
import {Words} from "../src/Words.sol";

/// Runs nearly all; what each call gives is not looked at.
contract AllTest {
    Words private words = new Words();
    Parts private parts = new Parts();

    function test_words() external {
        words.declared(4);
        words.assigned(4);
        words.swapped(1, 2);
        words.constants();
        words.defaults();
        words.references(3);
        words.converted(address(5));
        words.sliced("abc");
        words.pointers(2);
        words.nested(3);
        words.chosen(true, 1, 2);
        words.chosen(false, 1, 2);
        for (uint256 a; a < 6; a++) words.branches(a);
        words.loops(9);
        for (uint256 a; a < 5; a++) words.tried(a);
        words.assembled(5);
        words.brief(5);
        words.stored(3);
    }

    function test_parts() external {
        parts.guarded(3);
        try parts.guarded(0) {} catch {}
        parts.pushed(4);
        parts.linked(3);
        parts.seen(3);
        parts.seen(7);
        parts.resized();
        parts.copied(3, "abc");
        parts.pairs(2);
        parts.made(3);
        parts.called(address(1));
        (bool ok, ) = address(parts).call("abcdef");
        require(ok);
        (ok, ) = address(parts).call("");
        require(ok);
    }
}
