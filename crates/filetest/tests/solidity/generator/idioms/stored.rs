//! Idioms on storage: sets, heaps, queues, histories, bitmaps, packed slots, records with arrays and mappings.

use super::{Idiom, many, one_word, three_words, two_words};
use crate::generator::types::{Type, WORD};

pub(super) const ALL: &[Idiom] = &[
    Idiom { entries: &[("setMember", two_words), ("setMembers", Vec::new)], text: SET, is_callable: false },
    Idiom { entries: &[("heapPush", one_word), ("heapPop", Vec::new)], text: HEAP, is_callable: false },
    Idiom { entries: &[("queueTurn", two_words)], text: QUEUE, is_callable: false },
    Idiom {
        entries: &[("historyPush", two_words), ("historyAt", one_word)],
        text: HISTORY,
        is_callable: false,
    },
    Idiom { entries: &[("bitFlip", two_words), ("bitNext", one_word)], text: BITMAP, is_callable: false },
    Idiom {
        entries: &[("packedSwap", three_words), ("packedSee", Vec::new)],
        text: PACKED,
        is_callable: false,
    },
    Idiom {
        entries: &[
            ("recordAdd", || vec![WORD, Type::Bytes, many(Type::Uint(32))]),
            ("recordDrop", one_word),
            ("records", one_word),
            ("recordOf", || vec![Type::Address, Type::Uint(8)]),
        ],
        text: RECORDS,
        is_callable: false,
    },
    Idiom {
        entries: &[("moveCoins", three_words), ("coinsOf", || vec![Type::Address])],
        text: COINS,
        is_callable: false,
    },
    Idiom { entries: &[("chainUp", one_word), ("chainDown", one_word)], text: CHAIN, is_callable: false },
    Idiom { entries: &[("phaseNext", one_word), ("phaseBack", Vec::new)], text: PHASES, is_callable: false },
    Idiom {
        entries: &[
            ("gridPut", || vec![Type::Fixed(Box::new(many(Type::Int(16))), 2), WORD]),
            ("gridCopy", Vec::new),
        ],
        text: GRID,
        is_callable: false,
    },
];

const SET: &str = "$W[] setValues;
mapping($W => uint256) setPlaces;
function setMember(uint256 x, uint256 what) external returns (bool) {
$W v = $W(x % 23);
uint256 place = setPlaces[v];
if (what % 3 != 0) {
if (place != 0) return false;
setValues.push(v);
setPlaces[v] = setValues.length;
return true;
}
if (place == 0) return false;
uint256 last = setValues.length - 1;
if (place - 1 != last) { $W moved = setValues[last]; setValues[place - 1] = moved; setPlaces[moved] = place; }
setValues.pop();
delete setPlaces[v];
return true;
}
function setMembers() external view returns ($W[] memory m, uint256 sum) {
m = setValues;
for (uint256 i = 0; i < m.length; i++) { unchecked { sum += setPlaces[m[i]] * (i + 1); } }
}";

const HEAP: &str = "int128[] heap;
function heapPush(uint256 x) external returns (uint256 i) {
int128 v = int128(int256(x));
heap.push(v);
i = heap.length - 1;
while (i > 0) { uint256 up = (i - 1) / 2; if (heap[up] <= v) break; heap[i] = heap[up]; i = up; }
heap[i] = v;
}
function heapPop() external returns (int128 top, uint256 n) {
if (heap.length == 0) return (-1, 0);
top = heap[0];
int128 v = heap[heap.length - 1];
heap.pop();
n = heap.length;
if (n == 0) return (top, n);
uint256 i = 0;
for (;;) {
uint256 below = 2 * i + 1;
if (below >= n) break;
if (below + 1 < n && heap[below + 1] < heap[below]) below++;
if (heap[below] >= v) break;
heap[i] = heap[below];
i = below;
}
heap[i] = v;
}";

const QUEUE: &str = "struct Queue { int128 front; int128 back; mapping(int128 => uint256) items; }
Queue queue;
error QueueEmpty(int128 at);
function queueTurn(uint256 what, uint256 x) external returns (uint256 r) {
Queue storage q = queue;
if (what % 4 == 0) { q.items[q.back] = x; q.back += 1; }
else if (what % 4 == 1) { unchecked { q.front--; } q.items[q.front] = ~x; }
else {
if (q.front >= q.back) revert QueueEmpty(q.front);
int128 at = what % 4 == 2 ? q.front++ : --q.back;
r = q.items[at];
delete q.items[at];
}
return r ^ uint256(uint128(q.back - q.front));
}";

const HISTORY: &str = "struct Point { uint32 key; uint224 value; }
Point[] history;
function historyPush(uint256 key, uint256 value) external returns (uint224 before, uint224 afterwards) {
uint32 k = uint32(key % 64);
uint256 n = history.length;
if (n > 0) {
Point memory last = history[n - 1];
require(last.key <= k, \"older\");
if (last.key == k) { history[n - 1].value = uint224(value); return (last.value, uint224(value)); }
before = last.value;
}
history.push(Point({key: k, value: uint224(value)}));
return (before, uint224(value));
}
function historyAt(uint256 key) external view returns (uint256) {
uint32 k = uint32(key % 70);
(uint256 low, uint256 high) = (0, history.length);
while (low < high) {
uint256 middle = (low & high) + (low ^ high) / 2;
if (history[middle].key > k) high = middle; else low = middle + 1;
}
return high == 0 ? $N : uint256(history[high - 1].value) + low;
}";

const BITMAP: &str = "mapping(int16 => uint256) bits;
function bitFlip(uint256 x, uint256 y) external returns (uint256) {
int24 tick = int24(int256(x)) / int24($N);
(int16 word, uint8 bit) = (int16(tick >> 8), uint8(int8(tick % 256)));
bits[word] ^= uint256(1) << bit;
if (y % 4 == 1) bits[word + 1 > word ? int16(1) : int16(0)] |= y;
return bits[word];
}
function bitNext(uint256 x) external view returns (int24 next, bool found) {
int24 tick = int24(int256(x));
unchecked {
(int16 word, uint8 bit) = (int16(tick >> 8), uint8(uint24(tick) & 0xff));
uint256 mask = (uint256(1) << bit) - 1 + (uint256(1) << bit);
uint256 masked = bits[word] & mask;
found = masked != 0;
uint8 high;
for (uint256 m = masked; m > 1; m >>= 1) high++;
next = found ? tick - int24(uint24(bit - high)) : tick - int24(uint24(bit));
}
}";

const PACKED: &str = "struct Packed { uint160 price; int24 tick; uint16 index; uint8 fee; bool open; }
Packed packed;
$W packedBefore; int56 packedSum; bool packedLock;
error Locked();
modifier packedAlone() { if (packedLock) revert Locked(); packedLock = true; _; packedLock = false; }
function packedSwap(uint256 price, uint256 step, uint256 fee) external packedAlone returns (int56) {
Packed memory p = packed;
unchecked {
p.price = uint160(price);
p.tick += int24(int256(step));
p.index = uint16((uint256(p.index) + 1) % $N);
p.fee = uint8(fee) % 16 | uint8(uint256(p.fee) << 4);
p.open = !p.open;
packedSum += int56(p.tick) * int56(uint56(step % 1000));
packedBefore = $W(price ^ fee);
}
if (step % 13 == 12) return packedSum;
packed = p;
if (step % 7 == 6) { packed.index += uint16(step); delete packed.fee; }
return packedSum;
}
function packedSee() external view returns (Packed memory p, bytes32 word, int56 sum) {
p = packed; sum = packedSum;
assembly (\"memory-safe\") { word := sload(packed.slot) }
}";

const RECORDS: &str = "struct Record { uint64 id; address who; bytes note; uint32[] lots; bool[3] flags; mapping(uint256 => int128) marks; }
Record[] public records;
mapping(address => mapping(uint8 => Record)) public recordOf;
event Recorded(bytes indexed note, uint32[] indexed lots, uint64 id);
function recordAdd(uint256 x, bytes calldata note, uint32[] calldata lots) external returns (uint256) {
Record storage r = x % 2 == 0 ? records.push() : recordOf[msg.sender][uint8(x)];
r.id = uint64(x);
r.who = msg.sender;
r.note = note;
r.lots = lots;
r.flags[x % 3] = !r.flags[(x + 1) % 3];
r.marks[x % 5] -= int128(int256(x % 1000));
if (x % 3 == 0) r.note.push(0x2a);
emit Recorded(r.note, r.lots, r.id);
return r.lots.length ^ uint256(int256(r.marks[x % 5]));
}
function recordDrop(uint256 x) external returns (uint256 sum) {
for (uint256 i; i < records.length; ++i) for (uint256 j; j < records[i].lots.length; ++j) { unchecked { sum += records[i].lots[j] * (j + 1); } }
if (records.length == 0) return sum;
uint256 at = x % records.length;
Record storage last = records[records.length - 1];
(records[at].id, records[at].note, records[at].lots, records[at].flags) = (last.id, last.note, last.lots, last.flags);
delete recordOf[last.who][uint8(x)].lots;
records.pop();
}";

const COINS: &str = "mapping(address => uint256) public coinsOf;
mapping(address => mapping(address => uint256)) coinsLent;
uint128 coinsAll;
event Moved(address indexed from, address indexed to, uint256 amount);
error TooFew(address from, uint256 has, uint256 wants);
function moveCoins(uint256 a, uint256 b, uint256 amount) external returns (bool) {
address from = address(uint160(a % 4)); address to = address(uint160(b % 4));
if (from == address(0)) { coinsAll += uint128(amount); }
else {
uint256 lent = coinsLent[from][msg.sender];
if (lent != type(uint256).max && lent < amount) { coinsLent[from][msg.sender] = a > b ? type(uint256).max : amount; }
uint256 has = coinsOf[from];
if (has < amount) revert TooFew(from, has, amount);
unchecked { coinsOf[from] = has - amount; }
}
if (to == address(0)) { unchecked { coinsAll -= uint128(amount); } } else { unchecked { coinsOf[to] += amount; } }
assembly (\"memory-safe\") { mstore(0, amount) log3(0, 0x20, 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef, from, to) }
emit Moved(from, to, amount);
return true;
}";

/// Owners of a multisignature wallet are such a list.
const CHAIN: &str = "mapping(address => address) chain;
uint8 chainLength;
function chainUp(uint256 x) external returns (uint256) {
address a = address(uint160(x % 7 + 2));
require(chain[a] == address(0), \"in it\");
if (chain[address(1)] == address(0)) chain[address(1)] = address(1);
chain[a] = chain[address(1)];
chain[address(1)] = a;
return ++chainLength;
}
function chainDown(uint256 x) external returns (address[] memory all) {
address a = address(uint160(x % 7 + 2));
address before = address(1);
while (chain[before] != a && chain[before] != address(1) && chain[before] != address(0)) before = chain[before];
if (chain[before] == a) { chain[before] = chain[a]; chain[a] = address(0); chainLength--; }
all = new address[](chainLength);
uint256 n;
for (address at = chain[address(1)]; at != address(1) && at != address(0); at = chain[at]) all[n++] = at;
}";

const PHASES: &str = "enum Phase { Closed, Open, Full, Done }
Phase phase; uint40 phaseSince; uint24 phaseCount;
error WrongPhase(Phase found, Phase wanted);
modifier inPhase(Phase wanted) virtual { if (phase != wanted) revert WrongPhase(phase, wanted); _; phaseCount++; }
modifier counting() { uint24 before = phaseCount; _; require(phaseCount > before, \"counted\"); }
function phaseNext(uint256 x) external counting inPhase(Phase(x % 4)) returns (Phase) {
if (phase == Phase.Done) { delete phase; return phase; }
phase = Phase(uint8(phase) + 1);
phaseSince = uint40(x >> 2);
if (x % 32 >= 28) return Phase.Done;
}
function phaseBack() external inPhase(phase) returns (uint40 since, Phase p) {
(since, phase) = (phaseSince, phase == Phase.Closed ? type(Phase).max : Phase(uint8(phase) - 1));
p = phase;
}";

const GRID: &str = "int16[][2] grid; int16[3][] gridRows; int32[] gridWide; $W[5] gridFixed;
function gridPut(int16[][2] calldata cells, uint256 x) external returns (int16[][2] memory) {
grid = cells;
if (x % 2 == 0) gridWide = cells[x % 2];
gridRows.push([int16(1), -2, int16(int256(x))]);
if (gridRows.length > 3) { gridRows.pop(); gridRows[x % 3] = gridRows[(x + 1) % 3]; }
gridFixed[x % 5] = $W(x);
(gridFixed[0], gridFixed[4]) = (gridFixed[4], gridFixed[0]);
if (grid[1].length > 1) grid[0] = grid[1];
return grid;
}
function gridCopy() external returns (int32[] memory wide, int16[3][] memory rows, $W[5] memory f) {
(wide, rows, f) = (gridWide, gridRows, gridFixed);
if (rows.length > 1) { rows[0] = rows[1]; rows[1][2] = $N; rows[0][1]++; }
delete gridWide;
delete f[2];
gridFixed = f;
}";
