//! Copies of constant words with padding behind them, and constants that are stored over constants.
//!
//! Varies: where bytes lie (one to three *places* that may overlap: a window at a fixed address, at one of call data,
//! scratch, a buffer behind the pointer, what a function is given); constants that are zero at either end or differ in
//! one byte, that say what is there already or nearly; how long a copy is (0 to 70 bytes, a constant or loaded), whether
//! it overlaps itself, where and what the padding is, what stands before and behind it (looks, calls, writes, ends,
//! branches, loops, functions); the bytes of a place that an end gives back; and encoders of texts as solc writes them,
//! as a function or in line, as they are or with one thing changed.
//!
//! Not taken for granted: that padding is zero, begins where the copy ends and ends with its last word, that a length
//! or a text is still there, that words begin at multiples of 32, that a copy copies anything.
//!
//! Kept (A3, A17, A19): a buffer is written before it is looked at, and looked at through one word.

mod place;
mod statements;

use crate::harness::{Case, Merge, Role, check_seeds, outcome, run_net};
use crate::random::Random;
use crate::teeth::{faults_are_seen, places_are_not_seen};
use crate::ways::{branch, choice, chosen, rounds};
use crate::world;
use cairn_diag::FileId;
use cairn_exec::{Status, U256, account};
use cairn_yul::interp::{End, Limits, World, run as interpret};
use place::{Place, words};

/// What is looked at, of a place: `#a` is the address of a word, `#r` a region, `#s` at most 32, `#k` a number, `#v` a
/// variable, `#t` a test.
const LOOKS: &str = "[#v := xor(mul(#v, 3), mload(#a))|#v := add(#v, keccak256(#r))|log0(#r)|log1(#r, #v)|sstore(#k, mload(#a))\
    |pop(call(gas(), [0xe1|0xe9], 0, #r, #r)) #v := xor(#v, mload(#a))|if #t { [return|revert](#r) }\
    |pop(staticcall(gas(), 0xe1, #r, 0, 0)) #v := add(#v, returndatasize())|if eq(mload(#a), #v) { #v := add(#v, 7) }]\n";
const WRITES: &str = "[mstore(#a, #v)|mstore8(#a, #v)|calldatacopy(#a, [#k|calldatasize()], #s)|codecopy(#a, codesize(), #s)\
    |returndatacopy(#a, 0, and(returndatasize(), 0x1f))|mstore(#a, mload(#a))|#c(#a, #a, and(#v, 0x1f))\
    |pop(staticcall(gas(), 4, #a, #s, #a, #s))]\n";
const BLIND: &str =
    "[sstore(#k, #v)|#v := add(mul(#v, 5), #k)|#v := xor(#v, calldataload(#k))|log0(0, 0)|#m]\n";
const TESTS: &str = "[and(#v, 1)|iszero(#v)|gt(#v, 6)|callvalue()|slt(#v, 100)]";
const ENDS: &str = "sstore(50, add(v0, mul(31, add(v1, mul(31, v2)))))\n\
    [return(#r)|return(#r)|return(#r)|revert(#r)|log1(#r, v0) stop()|sstore(7, keccak256(#r))]\n";

/// `#d` is behind the end, `#p` padding, `#o` what the length is rounded with, `#c` the copy.
const ENCODE: &str = "let n := mload(value) mstore(pos, n) #c(add(pos, 32), add(value, 32), n)\n\
    mstore(add(add(pos, 32), add(n, #d)), #p) end := add(add(pos, 32), and(add(n, #o), not(#o)))\n";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// All of it is the program's.
    Owned,
    Pointer,
    Guarded,
}

struct Writer {
    random: Random,
    memory: Memory,
    limit: usize,
    asks_size: bool,
    has_calls: bool,
    /// How bytes are copied: older forks have no other way than a call.
    copy: &'static str,
    words: Vec<[u8; 32]>,
    /// What variables begin with.
    letter: &'static str,
    depth: usize,
    next_name: usize,
    found: Counts,
}

/// Of programs, in what runs unless they end before.
#[derive(Debug, Default)]
struct Counts {
    programs: u64,
    with_copy: u64,
    with_overlapping_constants: u64,
    /// Calls compared with the interpreter of Yul.
    interpreted: u64,
}

impl Merge for Counts {
    fn merge(&mut self, other: &Self) {
        self.programs += other.programs;
        self.with_copy += other.with_copy;
        self.with_overlapping_constants += other.with_overlapping_constants;
        self.interpreted += other.interpreted;
    }
}

/// Every level does what `-O0` does, and that does what the interpreter does.
pub(crate) fn run(default: u64) {
    run_net("copies", default, case);
    let (counts, count) = check_seeds("copies", default, 2, check);
    if count > 1 {
        assert!(counts.with_copy * 2 > counts.programs, "hardly anything is copied: {counts:?}");
        assert!(
            counts.with_overlapping_constants * 2 > counts.programs,
            "hardly anything overlaps: {counts:?}"
        );
        assert!(counts.interpreted * 5 > counts.programs, "hardly anything was interpreted: {counts:?}");
    }
}

/// A program with its calls.
fn case(seed: u64) -> Case {
    written(seed).0
}

/// What the first call does differently from the interpreter, which shares nothing with the compiler but the parser.
fn check(seed: u64, counts: &mut Counts) -> Option<String> {
    let (case, found) = written(seed);
    counts.merge(&found);
    let dialect = cairn_yul::Dialect::default();
    let object = cairn_yul::parse(&case.text, FileId(0), &dialect).object?;
    let word = |address: cairn_exec::Address| U256::from_be_bytes(address.into_word().0);
    let (address, caller, data) = (word(world::CONTRACT), word(account(0)), case.calls[0].data.to_vec());
    let world =
        World { address, caller, origin: caller, calldata: data, callvalue: U256::ZERO, ..World::default() };
    let expected = interpret(&object, &dialect, &world, &Limits::default());
    let status = match expected.end {
        End::Finished | End::Terminated => Status::Success,
        End::Reverted => Status::Revert,
        _ => return None,
    };
    if case.text.contains("call(") {
        return None;
    }
    let observations = outcome(&case)?;
    let found = observations.first()?;
    counts.interpreted += 1;
    let is_equal = found.status == status && *found.output == *expected.returndata;
    (!is_equal).then(|| format!("{found:?} instead of {expected:?}\n{}", case.text))
}

fn written(seed: u64) -> (Case, Counts) {
    let mut random = Random::new(seed);
    let memory = *random.pick(&[Memory::Owned, Memory::Pointer, Memory::Guarded, Memory::Guarded]);
    let is_anew = memory != Memory::Guarded && random.once_in(6);
    let mut writer = Writer {
        memory,
        limit: *random.pick(&[0x80, 0x300]),
        asks_size: memory == Memory::Owned && !is_anew && random.once_in(4),
        has_calls: random.once_in(2),
        copy: if random.once_in(8) { "copied" } else { "mcopy" },
        words: words(&mut random),
        letter: "v",
        depth: 0,
        next_name: 0,
        found: Counts { programs: 1, ..Counts::default() },
        random,
    };
    let text = writer.program();
    let role = if is_anew { Role::Recompiled } else { Role::Runtime };
    let calls = [world::calls(&mut writer.random), world::calls(&mut writer.random)].concat();
    (Case { text, role, to: world::CONTRACT, calls }, writer.found)
}

impl Writer {
    fn program(&mut self) -> String {
        let start = match self.memory {
            Memory::Owned => String::new(),
            Memory::Pointer => format!("mstore(0x40, {})\n", self.limit),
            Memory::Guarded => format!("mstore(0x40, memoryguard({}))\n", self.limit),
        };
        let mut text =
            "let v0 := calldataload(0) let v1 := calldataload(0x20) let v2 := calldataload(0x40)\n"
                .to_owned();
        for _ in 0..self.random.below(3) {
            text += &if self.random.once_in(3) { self.encoder("keccak") } else { self.section(LOOKS) };
        }
        text +=
            &if self.random.once_in(3) { self.encoder("[return|return|revert]") } else { self.section(ENDS) };
        self.letter = "p";
        for name in ["put0", "put1"] {
            let n = self.random.between(1, 3);
            let body = self.statements(&mut [Place::new("b", 0xe0)], n);
            text += &format!("function {name}(b, p0, p1) -> p2 {{\n{body}}}\n");
        }
        let encode = statements::usual(ENCODE, self.copy);
        text += &format!("function encode(value, pos) -> end {{\n{encode}}}\n");
        let copied = "function copied(to, from, n) { pop(staticcall(gas(), 4, from, n, to, n)) }\n";
        format!("{{\n{start}{text}{}}}\n", if self.copy == "copied" { copied } else { "" })
    }

    /// Statements on some places, and what is done with them in the end.
    fn section(&mut self, end: &str) -> String {
        let (mut text, mut behind, mut places) = (String::new(), String::new(), Vec::new());
        let name = self.fresh("b");
        if self.memory == Memory::Owned || self.limit > 0x80 {
            places.push(Place::new(["128", "128", "96", "145"][self.random.below(4)], 0x100));
            let unknown = chosen("add(0x80, and(calldataload([4|0x24|0]), [0x3f|0x20|1]))", &mut self.random);
            if self.random.once_in(2) {
                text += &format!("let {name}u := {unknown}\n");
                places.push(Place::new(&format!("{name}u"), 0x100));
            }
        }
        if self.memory == Memory::Owned {
            places[0].base = chosen("[0|31|32|128|128|128|145]", &mut self.random);
        } else {
            if self.random.once_in(3) {
                places.push(Place::new("0", 0x40));
            }
            if places.len() < 2 || self.random.once_in(2) {
                let filled = chosen(
                    "[calldatacopy(#b, [0|calldatasize()], 0x240)|for { let i := 0 } lt(i, 0x240) { i := add(i, 32) } \
                     { mstore(add(#b, i), [0|not(0)]) }]\n",
                    &mut self.random,
                );
                text += &format!("let {name} := mload(0x40)\n{}", filled.replace("#b", &name));
                let moved = format!("mstore(0x40, add({name}, 0x260))\n");
                match self.random.below(3) {
                    0 => text += &moved,
                    1 if end == LOOKS => behind = moved,
                    _ => {}
                }
                places.push(Place::new(&name, 0x100));
            }
        }
        let n = self.random.between(4, 9);
        text += &self.statements(&mut places, n);
        let place = self.random.below(places.len());
        format!("{{\n{text}{}{behind}}}\n", self.fill(end, &places[place]))
    }

    fn statements(&mut self, places: &mut [Place], n: usize) -> String {
        (0..n).map(|_| self.statement(places)).collect()
    }

    fn statement(&mut self, places: &mut [Place]) -> String {
        let index = self.random.below(places.len());
        match self.random.below(if self.depth > 1 { 18 } else { 24 }) {
            0..5 => (0..self.random.between(1, 3)).map(|_| self.constant(&mut places[index])).collect(),
            5 | 6 => self.byte(&mut places[index]),
            7..11 => self.padded(places),
            11..15 => self.fill(LOOKS, &places[index]),
            15 | 16 => self.fill(WRITES, &places[index]),
            17 => self.fill(BLIND, &places[index]),
            18 | 19 => branch(&self.fill(TESTS, &places[index]), &self.nested(places)),
            20 => choice(&self.fill(TESTS, &places[index]), &self.nested(places), &self.nested(places)),
            21 if !places[index].is_tight && self.letter == "v" => {
                let at = places[index].address(self.random.below(33));
                self.fill(&format!("#v := put[0|1]({at}, #v, #k)\n"), &places[index])
            }
            22 if !places[index].is_tight => {
                let (counter, base) = (self.fresh("i"), self.fresh("b"));
                let step = *self.random.pick(&[1, 17, 32]);
                let start = format!("let {base} := add({}, mul({counter}, {step}))\n", places[index].base);
                let body = self.nested(&mut [Place::new(&base, places[index].bytes.len() - 64)]);
                rounds(&counter, self.random.between(1, 3), &(start + &body))
            }
            _ => rounds(&self.fresh("i"), self.random.between(1, 3), &self.nested(places)),
        }
    }

    fn nested(&mut self, places: &mut [Place]) -> String {
        self.depth += 1;
        places.iter_mut().for_each(|place| place.stored.clear());
        let n = self.random.between(1, 3);
        let text = self.statements(places, n);
        places.iter_mut().for_each(|place| place.stored.clear());
        self.depth -= 1;
        text
    }
}

#[test]
fn other_copies_are_seen() {
    let kinds = [("mstore(", "pass_over("), ("add(", "sub("), ("mcopy(", "calldatacopy(")];
    faults_are_seen(case, "function put0(", &kinds, 24);
}

#[test]
fn places_of_copies_are_not_seen() {
    places_are_not_seen(case, "function put0(", Some("mload(64)"), 12);
}
