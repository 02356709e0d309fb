//! Dispatches: which calls are refused, with what, and what they get to see before.
//!
//! A call may be short, carry value, or name nothing; a program may refuse each of these before its dispatch, in
//! its functions, or not at all. Calls come from transactions, and through probers ([`world`]) statically and
//! as library code.
//!
//! Varies: the names (zero, ones that end or begin with zeros, neighbours), how the name is read (shift,
//! division, twice, in functions), comparisons one by one and switches, where value and the size of call data
//! are checked and how, what runs before that, fallbacks that do nothing, something, or only something seen, and
//! how functions and fallbacks end; memory that costs nothing or all gas; return data that is not there.
//!
//! Not taken for granted: that no function is called zero; that a call with value, or with short call data, is
//! refused anywhere; that what is refused does not depend on what was read before.

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::world;
use cairn_exec::{Address, Message, U256, account};

/// Names of functions.
const NAMES: [u32; 12] = [
    0,
    1,
    0xff,
    0x1122_3344,
    0x1122_3300,
    0x1122_0000,
    0x1100_0000,
    0x8000_0000,
    0xffff_ffff,
    0xa905_9cbb,
    0x70a0_8231,
    0x70a0_8232,
];

/// Checks of value, or of nothing.
const OF_VALUE: [&str; 8] = [
    "if callvalue() { revert(0, 0) }",
    "if callvalue() { revert(0, 0) }",
    "if iszero(iszero(callvalue())) { revert(0, 0) }",
    "if callvalue() { fail() }",
    "if callvalue() { mstore(0, 7) revert(0, 0x20) }",
    "if callvalue() { revert(0x40, 0) }",
    "if gt(callvalue(), 1) { revert(0, 0) }",
    "if callvalue() { invalid() }",
];

/// Checks of the size of call data.
const OF_SIZE: [&str; 8] = [
    "if lt(calldatasize(), 4) { revert(0, 0) }",
    "if iszero(gt(calldatasize(), 3)) { revert(0, 0) }",
    "if iszero(shr(2, calldatasize())) { revert(0, 0) }",
    "if lt(calldatasize(), 4) { FALLBACK }",
    "if iszero(calldatasize()) { FALLBACK }",
    "if lt(calldatasize(), 3) { revert(0, 0) }",
    "if lt(calldatasize(), 5) { fail() }",
    "if iszero(calldatasize()) { sstore(9, callvalue()) stop() }",
];

/// What does not matter, or does.
const BEFORE: [&str; 13] = [
    "mstore(0x40, 0x80)",
    "mstore(0, calldataload(0))",
    "mstore(0x20, callvalue())",
    "let #a := place(mload(0x40)) mstore(#a, 1)",
    "mstore(place(calldataload(4)), 1)",
    "pop(mload(place(calldataload(4))))",
    "mstore(0x40, keccak256(place(calldataload(4)), 0x40))",
    "calldatacopy(0, 0, calldatasize())",
    "returndatacopy(0, 0, 1)",
    "returndatacopy(0, 0, returndatasize())",
    "pop(sload(calldataload(0)))",
    "sstore(3, add(sload(3), 1))",
    "for { let #a := calldatasize() } #a { #a := shr(8, #a) } { pop(mload(#a)) }",
];

/// What functions do.
const BODIES: [&str; 10] = [
    "sstore(1, calldataload(4))",
    "mstore(0, add(calldataload(4), 1)) return(0, 0x20)",
    "sstore(2, callvalue()) log0(0, 0)",
    "mstore(0, calldataload(0)) return(0, 0x20)",
    "if iszero(calldataload(4)) { revert(0, 0) } sstore(4, 1)",
    "if gt(calldataload(4), 9) { mstore(0, 5) revert(0, 0x20) } mstore(0, 3) return(0, 0x20)",
    "revert(0, 0)",
    "pop(mload(place(calldataload(4)))) revert(0, 0)",
    "pop(staticcall(gas(), 4, 0, 4, 0, 4)) revert(0, 0)",
    "mstore(0, shr(224, calldataload(0))) return(0, 0x40)",
];

/// What is done where no function is named.
const FALLBACKS: [&str; 14] = [
    "revert(0, 0)",
    "revert(0, 0)",
    "revert(0, 0)",
    "fail()",
    "fail()",
    "stop()",
    "sstore(5, callvalue()) stop()",
    "mstore(0, calldataload(0)) return(0, 0x20)",
    "mstore(0, calldataload(0)) revert(0, 0x20)",
    "mstore(place(calldataload(4)), 1) revert(0, 0)",
    "if callvalue() { stop() } revert(0, 0)",
    "sstore(5, 1) revert(0, 0)",
    "if calldataload(0) { revert(0, 0) } stop()",
    "invalid()",
];

/// Whom calls go to.
const CALLERS: [Address; 6] = [
    world::CONTRACT,
    world::CONTRACT,
    world::CONTRACT,
    world::CONTRACT,
    world::STATIC_PROBER,
    world::DELEGATE_PROBER,
];

/// A program with its calls.
pub(crate) fn case(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let mut names: Vec<u32> = Vec::new();
    let n_names = random.between(1, 7);
    while names.len() < n_names {
        let name = if random.once_in(3) { random.next() as u32 } else { *random.pick(&NAMES[1..]) };
        let name = if random.once_in(30) { 0 } else { name };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let text = Program { random: &mut random, next: 0 }.text(&names);
    let to = *random.pick(&CALLERS);
    let calls = (0..16).map(|_| call(&mut random, &names)).collect();
    Case { text, role: Role::Runtime, to, calls }
}

/// A call: one of the names or nearly, cut off or with words behind it, with value or without.
fn call(random: &mut Random, names: &[u32]) -> Message {
    let name = match random.below(6) {
        0 => *random.pick(&NAMES),
        1 => random.pick(names) ^ (1 << random.below(32)),
        _ => *random.pick(names),
    };
    let mut data = name.to_be_bytes().to_vec();
    match random.below(5) {
        0 => data.truncate(random.below(5)),
        1 => {}
        2 => data.extend(vec![7; random.below(40)]),
        _ => {
            for _ in 0..random.between(1, 2) {
                data.extend(world::edge(random).to_be_bytes::<32>());
            }
        }
    }
    let value = match random.below(16) {
        0 | 1 => U256::from(1),
        2 => U256::from(4),
        3 => U256::from(32),
        4 => U256::from(1_u64 << 40),
        5 => U256::from(1) << 96,
        _ => U256::ZERO,
    };
    Message::new(data).with_value(value).from(account(random.below(2) as u64))
}

struct Program<'a> {
    random: &'a mut Random,
    next: usize,
}

impl Program<'_> {
    fn text(mut self, names: &[u32]) -> String {
        let fallback = *self.random.pick(&FALLBACKS);
        let mut start = String::new();
        // Guarded memory, which may be the compiler's, is left alone.
        let is_guarded = !self.random.once_in(4);
        let least = if is_guarded { 0x1_0000 } else { 0 };
        if is_guarded {
            start += "mstore(0x40, memoryguard(0x80))\n";
        }
        // Where value is refused: nowhere, at once, in each function, or here and there.
        let of_value = self.random.below(6);
        let mut checks = Vec::new();
        if of_value < 3 {
            let usual = self.random.once_in(2);
            checks.push(if usual { OF_VALUE[0] } else { self.random.pick(&OF_VALUE) }.to_owned());
        }
        if !self.random.once_in(4) {
            checks.push(self.random.pick(&OF_SIZE).replace("FALLBACK", fallback));
        }
        if self.random.once_in(5) {
            let before = self.one_of(&BEFORE);
            checks.push(before);
        }
        if self.random.once_in(2) {
            checks.reverse();
        }
        if self.random.once_in(4) {
            checks.push(self.one_of(&BEFORE));
        }
        start += &checks.join("\n");
        let name = match self.random.below(6) {
            0 => "div(calldataload(0), exp(2, 224))",
            1 => "shr(224, word())",
            2 => "and(shr(224, calldataload(0)), 0xffffffff)",
            _ => "shr(224, calldataload(0))",
        };
        start += &format!("\nlet name := {name}\n");
        let bodies: Vec<String> = names.iter().map(|_| self.body(of_value)).collect();
        let cases = names.iter().zip(bodies);
        let dispatch: String = if self.random.once_in(3) {
            cases.map(|(name, body)| format!("if eq(name, {name}) {{ {body} stop() }}\n")).collect::<String>()
                + fallback
        } else {
            let cases: String = cases.map(|(name, body)| format!("case {name} {{ {body} }}\n")).collect();
            format!("switch name {cases} default {{ {fallback} }}")
        };
        format!(
            "{{\n{start}{dispatch}\nfunction fail() {{ revert(0, 0) }}\n\
             function word() -> w {{ w := calldataload(0) }}\n\
             function place(x) -> at {{ at := add({least}, and(x, 0xffff)) }}\n}}\n"
        )
    }

    fn body(&mut self, of_value: usize) -> String {
        let mut parts = Vec::new();
        let is_checked = match of_value {
            3 => true,
            4 => self.random.once_in(2),
            _ => false,
        };
        if self.random.once_in(8) {
            parts.push(self.one_of(&BEFORE));
        }
        if is_checked {
            parts.push(
                if self.random.once_in(6) { self.random.pick(&OF_VALUE) } else { OF_VALUE[0] }.to_owned(),
            );
        }
        if self.random.once_in(3) {
            let size = *self.random.pick(&[4, 36, 68]);
            parts.push(format!("if lt(calldatasize(), {size}) {{ revert(0, 0) }}"));
        }
        parts.push(self.one_of(&BODIES));
        parts.join(" ")
    }

    /// One of several texts, with a name of its own.
    fn one_of(&mut self, texts: &[&str]) -> String {
        self.next += 1;
        self.random.pick(texts).replace("#a", &format!("a{}", self.next))
    }
}
