// SPDX-License-Identifier: MIT OR Apache-2.0
// Small contracts on which `cairn prove` is tried with other compilers (docs/prove.md): what one makes with its
// optimizer is proven against what it makes without.
pragma solidity ^0.8.20;

contract Counter {
    uint256 public count;
    function increment() external { count += 1; }
    function add(uint256 amount) external { require(amount < 100, "too much"); count += amount; }
    function reset() external { count = 0; }
}

contract Packed {
    struct Slot { uint64 a; uint128 b; bool on; uint8 kind; }
    Slot public slot;
    function setA(uint64 a) external { slot.a = a; }
    function setBoth(uint64 a, uint128 b) external { slot.a = a; slot.b = b; }
    function toggle() external returns (bool) { slot.on = !slot.on; return slot.on; }
    function bump() external { slot.kind += 1; slot.b -= 1; }
}

contract Token {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;
    event Transfer(address indexed from, address indexed to, uint256 value);
    error Insufficient(uint256 has, uint256 needs);
    function mint(address to, uint256 value) external {
        totalSupply += value;
        unchecked { balanceOf[to] += value; }
        emit Transfer(address(0), to, value);
    }
    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        return true;
    }
    function transfer(address to, uint256 value) external returns (bool) { move(msg.sender, to, value); return true; }
    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        uint256 left = allowance[from][msg.sender];
        if (left != type(uint256).max) allowance[from][msg.sender] = left - value;
        move(from, to, value);
        return true;
    }
    function move(address from, address to, uint256 value) private {
        uint256 has = balanceOf[from];
        if (has < value) revert Insufficient(has, value);
        unchecked { balanceOf[from] = has - value; balanceOf[to] += value; }
        emit Transfer(from, to, value);
    }
}

contract Owned {
    address public owner = msg.sender;
    address public pending;
    modifier only() { require(msg.sender == owner, "not the owner"); _; }
    function offer(address to) external only { pending = to; }
    function accept() external { require(msg.sender == pending); owner = pending; delete pending; }
    function renounce() external only { owner = address(0); }
}

contract Arithmetic {
    function average(uint256 a, uint256 b) external pure returns (uint256) { return (a & b) + (a ^ b) / 2; }
    function muldiv(uint128 a, uint128 b, uint128 c) external pure returns (uint256) { return uint256(a) * b / c; }
    function percent(uint96 a) external pure returns (uint96) { return a * 3 / 100; }
    function signed(int64 a, int64 b) external pure returns (int64) { return a / b - a % b; }
    function least(int256 a) external pure returns (int256) { return -a; }
    function power(uint8 e) external pure returns (uint256) { return 2 ** e; }
    function modular(uint256 a, uint256 b, uint256 m) external pure returns (uint256) { return mulmod(a, b, m) + addmod(a, b, m); }
}

contract Bits {
    function pack(uint64 a, uint64 b, uint128 c) external pure returns (uint256) { return uint256(a) << 192 | uint256(b) << 128 | c; }
    function unpack(uint256 w) external pure returns (uint64, uint64, uint128) { return (uint64(w >> 192), uint64(w >> 128), uint128(w)); }
    function flag(uint256 w, uint8 i) external pure returns (bool) { return w >> i & 1 == 1; }
    function swapped(bytes32 w) external pure returns (bytes32) { return w << 128 | w >> 128; }
    function sign(int8 a) external pure returns (int256) { return int256(a) >> 2; }
    function bytesOf(bytes4 a, bytes4 b) external pure returns (bytes8) { return bytes8(abi.encodePacked(a, b)); }
}

contract Loops {
    uint256[] public items;
    function push(uint256 item) external { items.push(item); }
    function pop() external { items.pop(); }
    function sum(uint256 n) external pure returns (uint256 s) { for (uint256 i = 1; i <= n; i++) s += i; }
    function total() external view returns (uint256 s) { for (uint256 i; i < items.length; i++) s += items[i]; }
    function three(uint256[3] calldata a) external pure returns (uint256 s) { for (uint256 i; i < 3; i++) s += a[i]; }
    function find(uint256 item) external view returns (uint256) {
        for (uint256 i; i < items.length; i++) { if (items[i] == item) return i; }
        revert("absent");
    }
}

contract Recursive {
    function factorial(uint256 n) public pure returns (uint256) { return n < 2 ? 1 : n * factorial(n - 1); }
    function gcd(uint256 a, uint256 b) public pure returns (uint256) { return b == 0 ? a : gcd(b, a % b); }
}

contract Texts {
    string public name = "a name";
    function set(string calldata value) external { name = value; }
    function hash(string calldata value) external pure returns (bytes32) { return keccak256(bytes(value)); }
    function greet(bool formal) external pure returns (string memory) { return formal ? "good day" : "hello"; }
    function first(bytes calldata data) external pure returns (bytes1) { return data[0]; }
    function part(bytes calldata data) external pure returns (bytes memory) { return data[4:8]; }
}

contract Enums {
    enum State { Open, Paused, Closed }
    State public state;
    error Wrong(State now_);
    function pause() external { if (state != State.Open) revert Wrong(state); state = State.Paused; }
    function close() external { require(state != State.Closed); state = State.Closed; }
    function next(State s) external pure returns (State) { return State((uint8(s) + 1) % 3); }
    function isOpen() external view returns (bool) { return state == State.Open; }
}

contract Immutable {
    uint256 public constant LIMIT = 1e18;
    address public immutable maker;
    uint32 public immutable born;
    constructor() { maker = msg.sender; born = uint32(block.timestamp); }
    function age() external view returns (uint256) { return block.timestamp - born; }
    function check(uint256 a) external view returns (bool) { return a < LIMIT && msg.sender == maker; }
}

contract Wallet {
    mapping(address => uint256) public deposits;
    event Paid(address to, uint256 value);
    receive() external payable { deposits[msg.sender] += msg.value; }
    function withdraw(uint256 value) external {
        deposits[msg.sender] -= value;
        (bool done, ) = msg.sender.call{value: value}("");
        require(done, "failed");
        emit Paid(msg.sender, value);
    }
    function left() external view returns (uint256) { return address(this).balance; }
}

interface Other { function ask(uint256 a) external view returns (uint256); function tell(uint256 a) external; }

contract Caller {
    Other public other;
    uint256 public last;
    function set(Other to) external { other = to; }
    function ask(uint256 a) external view returns (uint256) { return other.ask(a) + 1; }
    function tell(uint256 a) external { last = a; other.tell(a); last = a + 1; }
    function attempt(uint256 a) external view returns (uint256) { try other.ask(a) returns (uint256 b) { return b; } catch { return 0; } }
    function raw(address to, bytes4 what) external returns (bool done) { (done, ) = to.call(abi.encodeWithSelector(what, 1)); }
}

contract Guarded {
    uint256 private lock = 1;
    uint256 public value;
    modifier once() { require(lock == 1, "again"); lock = 2; _; lock = 1; }
    function set(uint256 to) external once { value = to; }
    function pay(address payable to) external once { to.transfer(1); }
}

contract Guarded2 {
    bool transient busy;
    uint256 public value;
    function set(uint256 to) external { require(!busy); busy = true; value = to; busy = false; }
}

contract Auction {
    address public best;
    uint256 public bid;
    uint256 public end;
    mapping(address => uint256) public owed;
    function start(uint256 time) external { require(end == 0); end = block.timestamp + time; }
    function offer() external payable {
        require(block.timestamp < end && msg.value > bid);
        if (best != address(0)) owed[best] += bid;
        (best, bid) = (msg.sender, msg.value);
    }
    function minimum() external view returns (uint256) { return bid + bid / 20; }
}

contract Votes {
    struct Proposal { bytes32 what; uint128 yes; uint128 no; }
    Proposal[] public proposals;
    mapping(uint256 => mapping(address => bool)) public voted;
    function propose(bytes32 what) external { proposals.push(Proposal(what, 0, 0)); }
    function vote(uint256 id, bool yes) external {
        require(!voted[id][msg.sender]);
        voted[id][msg.sender] = true;
        if (yes) proposals[id].yes++; else proposals[id].no++;
    }
    function passed(uint256 id) external view returns (bool) { Proposal storage p = proposals[id]; return p.yes > p.no; }
}

contract Exchange {
    uint112 public a;
    uint112 public b;
    uint32 public at;
    function sync(uint112 x, uint112 y) external { (a, b, at) = (x, y, uint32(block.timestamp)); }
    function price() external view returns (uint256) { return uint256(a) * 1e18 / b; }
    function quote(uint256 amount) external view returns (uint256) { uint256 fee = amount * 997; return fee * b / (uint256(a) * 1000 + fee); }
}

contract Structs {
    struct Point { int128 x; int128 y; }
    function plus(Point calldata p, Point calldata q) external pure returns (Point memory) { return Point(p.x + q.x, p.y + q.y); }
    function mirror(Point memory p) external pure returns (Point memory) { (p.x, p.y) = (p.y, p.x); return p; }
    function far(Point calldata p) external pure returns (bool) { return p.x > 1000 || p.y > 1000 || p.x < -1000; }
}

contract Hashes {
    mapping(bytes32 => bool) public used;
    function id(address a, uint256 b) public pure returns (bytes32) { return keccak256(abi.encode(a, b)); }
    function packed(address a, uint96 b) external pure returns (bytes32) { return keccak256(abi.encodePacked(a, b)); }
    function use(address a, uint256 b) external { bytes32 h = id(a, b); require(!used[h]); used[h] = true; }
    function signer(bytes32 h, uint8 v, bytes32 r, bytes32 s) external pure returns (address) { return ecrecover(h, v, r, s); }
}

contract Branches {
    function grade(uint256 a) external pure returns (uint256) {
        if (a > 90) return 1; if (a > 80) return 2; if (a > 70) return 3; if (a > 60) return 4; return 5;
    }
    function clamp(int256 a, int256 low, int256 high) external pure returns (int256) { return a < low ? low : a > high ? high : a; }
    function both(bool a, bool b, bool c) external pure returns (bool) { return a && (b || !c) || !a && c; }
    function panic(uint8 a) external pure returns (uint256) { assert(a != 7); return 10 / uint256(a); }
}

contract Assembly {
    function load(uint256 key) external view returns (uint256 word) { assembly ("memory-safe") { word := sload(key) } }
    function store(uint256 key, uint256 word) external { assembly ("memory-safe") { if iszero(eq(sload(key), word)) { sstore(key, word) } } }
    function sizes(address a) external view returns (uint256 n) { assembly ("memory-safe") { n := add(extcodesize(a), calldatasize()) } }
    function swap(uint256 a, uint256 b) external pure returns (uint256, uint256) {
        assembly ("memory-safe") { mstore(0, b) mstore(32, a) return(0, 64) }
    }
}

contract Schedule {
    uint64 public immutable start = 1_700_000_000;
    uint64 public immutable length = 365 days;
    mapping(address => uint256) public granted;
    mapping(address => uint256) public taken;
    function grant(address to, uint256 amount) external { granted[to] = amount; }
    function vested(address who, uint64 time) public view returns (uint256) {
        if (time < start) return 0;
        if (time >= start + length) return granted[who];
        return granted[who] * (time - start) / length;
    }
    function take() external returns (uint256 amount) {
        amount = vested(msg.sender, uint64(block.timestamp)) - taken[msg.sender];
        taken[msg.sender] += amount;
    }
}
