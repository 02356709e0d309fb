// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

contract Target {
    uint256 public value = 3;
    mapping(uint256 => uint256[]) public rows;
    uint256 internal seen;

    error Odd(uint256 a);

    constructor() {
        rows[1].push(4);
    }

    function set(uint256 a) external returns (uint256) {
        store(a);
        return value;
    }

    function store(uint256 a) internal {
        value = a;
    }

    function look(uint256 a) external view returns (uint256) {
        return add(a);
    }

    function add(uint256 a) internal view returns (uint256) {
        return a + value;
    }

    function half(uint256 a) external pure returns (uint256) {
        return halved(a);
    }

    function halved(uint256 a) internal pure returns (uint256) {
        if (a % 2 == 1) revert Odd(a);
        require(a != 0, "zero");
        return 100 / (a - 2);
    }

    function bare() external pure {
        fails();
    }

    function fails() private pure {
        revert();
    }

    function note(uint256 a) private {
        seen += a;
    }

    receive() external payable {
        note(msg.value);
    }

    fallback(bytes calldata data) external payable returns (bytes memory) {
        note(1);
        return echo(data);
    }

    function echo(bytes calldata data) internal pure returns (bytes memory) {
        return data;
    }
}

/// Calls that leave the contract.
abstract contract Outside {
    Target internal target = new Target();
    uint256 public own;
    uint256 internal caught;

    function setOwn(uint256 a) public returns (uint256) {
        own = counted(a);
        return own;
    }

    function counted(uint256 a) internal pure returns (uint256) {
        return a + 1;
    }

    function note(uint256 a) internal {
        caught = caught * 10 + a;
    }

    function four() internal pure returns (uint256) {
        return 4;
    }

    function tryHalf(uint256 a) internal returns (uint256) {
        try target.half(a) returns (uint256 r) {
            note(1);
            return r;
        } catch Error(string memory) {
            note(2);
        } catch Panic(uint256) {
            note(3);
        } catch (bytes memory) {
            note(4);
        }
        return 0;
    }

    function test_this() public {
        assert(this.setOwn(1) == 2);
    }

    function test_insideAndOutside() public {
        assert(setOwn(1) == 2);
        assert(this.setOwn(2) == 3);
    }

    function test_other() public {
        assert(target.set(5) == 5);
        assert(target.look(four()) == 9);
    }

    function test_getters() public view {
        assert(target.value() == 3);
        assert(target.rows(1, 0) == 4);
        assert(this.own() == 0);
    }

    function test_trySucceeds() public {
        assert(tryHalf(4) == 50);
        assert(caught == 1);
    }

    function test_tryError() public {
        tryHalf(0);
        assert(caught == 2);
    }

    function test_tryPanic() public {
        tryHalf(2);
        assert(caught == 3);
    }

    function test_tryCustom() public {
        tryHalf(1);
        assert(caught == 4);
    }

    function test_tryBare() public {
        try target.bare() {
            note(1);
        } catch {
            note(2);
        }
        assert(caught == 2);
    }

    function test_tryArgument() public {
        try this.setOwn(counted(1)) returns (uint256 r) {
            note(r);
        } catch {}
        assert(caught == 3);
    }

    function test_tryInLoop() public {
        for (uint256 i = 1; i < 4; i++) {
            tryHalf(i * 2);
        }
        assert(caught == 311);
    }

    function test_delegatecall() public {
        (bool ok, bytes memory data) = address(this).delegatecall(abi.encodeCall(this.setOwn, (1)));
        assert(ok && data.length == 32);
    }

    function test_staticcall() public view {
        (bool ok,) = address(target).staticcall(abi.encodeCall(Target.look, (1)));
        assert(ok);
    }

    function test_staticcallFails() public view {
        (bool ok,) = address(target).staticcall(abi.encodeCall(Target.set, (1)));
        assert(!ok);
    }

    function test_call() public {
        (bool ok,) = address(target).call(abi.encodeWithSelector(Target.half.selector, counted(2)));
        assert(!ok);
    }

    function test_receive() public {
        (bool ok,) = address(target).call{value: 1}("");
        assert(ok);
    }

    function test_fallback() public {
        (bool ok, bytes memory data) = address(target).call(hex"0102030405");
        assert(ok && data.length == 5);
    }

    function test_inArguments() public {
        assert(target.look(this.setOwn(counted(1))) == 6);
    }
}
