// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

import {Ways} from "../src/Ways.sol";

/// Each test takes other ways; they are counted test by test.
contract WaysTest {
    Ways private ways = new Ways();

    function test_taken() external {
        run(true, true);
    }

    function test_other() external {
        run(false, true);
    }

    function test_neither() external {
        run(false, false);
    }

    function run(bool c, bool e) private {
        ways.chosen(c, e);
        ways.nested(c, e);
        ways.left(c, e);
        try ways.failing(c, e) {} catch {}
        ways.around(c, e);
        ways.emptyWays(c, c ? 1 : 0);
        ways.inEach(c);
        ways.inLoops(c);
        ways.inTries(c);
        ways.inConditions(c);
        ways.asked();
    }
}
