// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// Three levels of a line, and a diamond.
abstract contract Grandparent {
    uint256 internal steps;

    function virtualOne(uint256 a) internal virtual returns (uint256) {
        steps += 1;
        return a;
    }

    function notImplemented(uint256 a) internal pure virtual returns (uint256);

    function inherited(uint256 a) internal pure returns (uint256) {
        return notImplemented(a) + 1;
    }

    function onlyHere() internal virtual {
        steps += 100;
    }

    function hook() internal virtual {}
}

abstract contract Parent is Grandparent {
    function virtualOne(uint256 a) internal virtual override returns (uint256) {
        steps += 10;
        return super.virtualOne(a + 1);
    }
}

abstract contract Child is Parent {
    function virtualOne(uint256 a) internal virtual override returns (uint256) {
        return super.virtualOne(a * 2);
    }

    function notImplemented(uint256 a) internal pure override returns (uint256) {
        return a + 5;
    }

    function hook() internal virtual override {
        super.hook();
        steps += 7;
    }
}

abstract contract Root {
    uint256 internal order;

    function visit() internal virtual {
        order = order * 10 + 1;
    }
}

abstract contract Left is Root {
    function visit() internal virtual override {
        super.visit();
        order = order * 10 + 2;
    }
}

abstract contract Right is Root {
    function visit() internal virtual override {
        super.visit();
        order = order * 10 + 3;
    }
}

abstract contract Inherit is Child, Left, Right {
    function visit() internal override(Left, Right) {
        super.visit();
        order = order * 10 + 4;
    }

    function test_inherited() public pure {
        assert(inherited(1) == 7);
    }

    function test_abstract() public pure {
        assert(notImplemented(1) == 6);
    }

    function test_virtual() public {
        assert(virtualOne(1) == 3);
    }

    function test_super() public {
        assert(super.virtualOne(1) == 3);
    }

    function test_superSkips() public {
        super.onlyHere();
        assert(steps == 100);
    }

    function test_byBase() public {
        assert(Parent.virtualOne(1) == 2);
        assert(Grandparent.virtualOne(1) == 1);
    }

    function test_hook() public {
        hook();
        assert(steps == 7);
    }

    function test_diamond() public {
        visit();
        assert(order == 1234);
    }

    function test_diamondByBase() public {
        Left.visit();
        assert(order == 12);
    }
}
