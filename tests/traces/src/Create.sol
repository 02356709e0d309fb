// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

contract Base1 {
    uint256 public a;

    constructor(uint256 x) {
        a = plus(x);
    }

    function plus(uint256 x) internal virtual returns (uint256) {
        return x + 1;
    }
}

contract Base2 {
    uint256 public b;

    constructor(uint256 x) {
        setB(x);
    }

    function setB(uint256 x) internal {
        b = x;
    }
}

function freely(uint256 x) pure returns (uint256) {
    return x * 2;
}

/// Arguments in the list of bases.
contract FromList is Base1(4) {
    uint256 public immutable fixed1;

    constructor() {
        fixed1 = freely(a);
    }
}

/// Arguments in the head of the constructor.
contract FromHead is Base2 {
    constructor(uint256 x) Base2(freely(x)) {}
}

/// Two bases, and an overridden function that a base's constructor calls.
contract FromBoth is Base1, Base2 {
    constructor(uint256 x) Base1(x) Base2(x + 1) {
        setB(b + 1);
    }

    function plus(uint256 x) internal pure override returns (uint256) {
        return x + 50;
    }
}

contract Initialised {
    uint256 public first = start();
    uint256 public immutable second = freely(3);
    uint256[] public third = [start(), 2];

    function start() internal pure returns (uint256) {
        return 7;
    }
}

contract ModifiedConstructor {
    uint256 public value;

    modifier wrapped() {
        set(1);
        _;
        set(value + 3);
    }

    constructor() wrapped {
        set(5);
    }

    function set(uint256 x) internal {
        value = x;
    }
}

contract PointerInConstructor {
    function(uint256) internal pure returns (uint256) f;
    uint256 public early;

    constructor() {
        f = later;
        early = f(1);
        delete f;
    }

    function later(uint256 a) internal pure returns (uint256) {
        return a + 1;
    }

    function run(uint256 a) external returns (uint256 r) {
        f = later;
        r = f(a);
        delete f;
    }
}

contract Payable {
    uint256 public got;

    constructor() payable {
        keep(msg.value);
    }

    function keep(uint256 x) private {
        got = x;
    }
}

contract Checked {
    constructor(bool bad) {
        check(bad);
    }

    function check(bool bad) internal pure {
        require(!bad, "bad");
    }
}

/// Constructors, initialisers and immutables that call.
abstract contract Create {
    function make(uint256 x) internal returns (FromHead) {
        return new FromHead(x);
    }

    function test_argumentsInList() public {
        FromList c = new FromList();
        assert(c.fixed1() == 10);
    }

    function test_argumentsInHead() public {
        FromHead c = new FromHead(3);
        assert(c.b() == 6);
    }

    function test_twoBases() public {
        FromBoth c = new FromBoth(1);
        assert(c.a() == 51);
        assert(c.b() == 3);
    }

    function test_initialised() public {
        Initialised c = new Initialised();
        assert(c.first() == 7);
        assert(c.second() == 6);
        assert(c.third(0) == 7);
    }

    function test_modified() public {
        assert(new ModifiedConstructor().value() == 8);
    }

    function test_pointer() public {
        PointerInConstructor c = new PointerInConstructor();
        assert(c.early() == 2);
        assert(c.run(2) == 3);
    }

    function test_value() public {
        assert(new Payable{value: 1}().got() == 1);
    }

    function test_salt() public {
        assert(new FromHead{salt: bytes32(uint256(1))}(2).b() == 4);
    }

    function test_insideInternal() public {
        assert(make(2).b() == 4);
    }

    function test_tried() public {
        try new Checked(false) returns (Checked c) {
            assert(address(c) != address(0));
        } catch {
            assert(false);
        }
    }
}
