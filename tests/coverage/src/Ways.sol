// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// Ways that meet again, and calls that stand in several of them. What is run depends on the arguments: a way is counted
/// only if it was taken.
contract Ways {
    uint256 public n;

    function noted() internal {
        n++;
    }

    function chosen(bool c, bool e) external {
        if (c) {
            n = 1;
        } else if (e) {
            n = 2;
        }
        if (c) n = 3;
        else if (e) n = 4;
        else if (n == 9) n = 5;
    }

    function nested(bool c, bool e) external {
        if (c) {
            n = 1;
        } else {
            if (n > 3) {
                n = 2;
            }
        }
        if (c) {
            n = 1;
        } else {
            bool x = e && n > 1;
            if (x) n = 3;
        }
        if (c) {
            n = 1;
        } else {
            if (e) n = 3;
            if (!e) n = 4;
        }
        if (c) {
            n = 1;
        } else {
            if (e) n = 3;
            n = 4;
        }
    }

    function left(bool c, bool e) external returns (uint256) {
        if (c) {
            return 1 + n;
        } else if (e) {
            return 2 + n;
        }
        return 3 + n;
    }

    function failing(bool c, bool e) external {
        if (c) {
            n = 1;
        } else if (e) {
            revert("e");
        }
        if (c) {
            n = 1;
        } else {
            require(n > 300);
        }
    }

    function around(bool c, bool e) external {
        if (c) {
            n = 1;
        } else {
            for (uint256 i; i < 2; i++) {
                if (e) n = 3;
            }
        }
        if (c) {
            n = 1;
        } else {
            try this.n() {
                if (e) n = 3;
            } catch {}
        }
        if (c) {
            n = 1;
        } else {
            assembly {
                if e { sstore(0, 3) }
            }
        }
    }

    function emptyWays(bool c, uint256 a) external {
        if (!c) {
            n = 7;
        } else {}
        assembly {
            switch a
            case 0 { sstore(0, 3) }
            default { }
        }
    }

    function inEach(bool c) external {
        if (c) {
            noted();
        } else {
            noted();
        }
        noted();
    }

    function inLoops(bool c) external {
        noted();
        for (uint256 i; i < 2; i++) {
            noted();
        }
        while (c) {
            c = false;
        }
        noted();
    }

    function inTries(bool c) external {
        if (c) noted();
        noted();
        try this.n() {
            noted();
        } catch {
            noted();
        }
        noted();
    }

    function inConditions(bool c) external {
        noted();
        c ? n : 3;
        noted();
        bool x = c && n > 1;
        noted();
        n = x ? 1 : 2;
        noted();
    }

    function asked() external {
        uint256 time = block.timestamp;
        address who = msg.sender;
        n = 1;
    }
}
