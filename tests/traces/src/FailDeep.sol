// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

abstract contract FailBase {
    function level(uint256 a) internal virtual returns (uint256) {
        require(a != 0, "zero in base");
        return a;
    }
}

library FailLibrary {
    function inverse(uint256 a) internal pure returns (uint256) {
        return 100 / a;
    }
}

function freelyFails() pure {
    revert("free");
}

/// Failures below several frames.
abstract contract FailDeep is FailBase {
    error Stop(uint256 at);

    function level(uint256 a) internal override returns (uint256) {
        return super.level(a - 1);
    }

    function check(uint256 a) internal pure returns (bool) {
        if (a == 2) revert Stop(a);
        return true;
    }

    modifier checkedBefore(uint256 a) {
        check(a);
        _;
    }

    modifier checkedAfter(uint256 a) {
        _;
        check(a);
    }

    function before(uint256 a) internal pure checkedBefore(a) returns (uint256) {
        return a;
    }

    function afterwards(uint256 a) internal pure checkedAfter(a) returns (uint256) {
        return plain(a);
    }

    function plain(uint256 a) internal pure returns (uint256) {
        return a;
    }

    function inLoop(uint256 n) internal pure returns (uint256 r) {
        for (uint256 i = 0; i < n; i++) {
            if (check(i)) r++;
        }
    }

    function inCondition(uint256 n) internal pure {
        while (check(n)) {
            n++;
        }
    }

    function deep(uint256 n) internal pure returns (uint256) {
        if (n == 0) return FailLibrary.inverse(n);
        return deep(n - 1) + 1;
    }

    function byPointer(function(uint256) internal pure returns (bool) f, uint256 a) internal pure returns (bool) {
        return f(a);
    }

    function outside(uint256 a) external pure returns (uint256) {
        return inLoop(a);
    }

    function tries(uint256 a) internal view returns (uint256 r) {
        try this.outside(a) returns (uint256 s) {
            r = s;
        } catch (bytes memory why) {
            r = why.length;
        }
    }

    function argument(bool a, uint256 b) internal pure returns (uint256) {
        return a ? b : 0;
    }

    function test_super() public {
        level(2);
        level(1);
    }

    function test_modifierBefore() public pure {
        before(1);
        before(2);
    }

    function test_modifierAfter() public pure {
        afterwards(1);
        afterwards(2);
    }

    function test_loop() public pure {
        inLoop(5);
    }

    function test_condition() public pure {
        inCondition(0);
    }

    function test_recursion() public pure {
        deep(2);
    }

    function test_pointer() public pure {
        byPointer(check, 1);
        byPointer(check, 2);
    }

    function test_argument() public pure {
        argument(check(1), 1);
        argument(check(2), 1);
    }

    function test_free() public pure {
        freelyFails();
    }

    function test_freePointer() public pure {
        function() internal pure f = freelyFails;
        f();
    }

    function test_libraryPointer() public pure {
        function(uint256) internal pure returns (uint256) f = FailLibrary.inverse;
        f(5);
        f(0);
    }

    function test_outside() public view {
        assert(tries(1) == 1);
        assert(tries(5) == 36);
    }

    function test_caught() public view {
        try this.outside(5) {}
        catch {
            check(1);
        }
        check(2);
    }
}
