//! External functions: which selector leads where.
//!
//! The dispatcher is walked from the entry over blocks that hold few words, on its own: neither
//! blocks nor the graph are needed, so the question costs what the dispatcher is long and not what
//! the code is. A branch that compares the selector, or any word with a pushed constant of four
//! bytes (`EQ`, `SUB`, `XOR`, negated or not), gives one external function: where control goes when
//! they are equal. The walk does not enter it, nor what is called with an address to return to. A jump
//! to a part of a constant that some bits choose (`SHR`, `AND`) goes to every such part, one to a multiple of some bits
//! and a constant to every such place. A block that
//! reads [tables](crate::tables) in the code is run once for each of their rows; where the selector
//! must be that of the row, the function stands where the row says.

mod word;

use crate::blocks::{BlockId, Blocks};
use crate::decode::{Instruction, instructions};
use crate::jump_targets::JumpTargets;
use crate::optable::{OpKind, OpTable, table_of};
use crate::tables::{Fuel, Source, Tables, read_tables};
use cairn_evm::Word as Number;
use cairn_evm::{Fork, Opcode, STACK_LIMIT};
use rustc_hash::FxHashSet;
use serde::Serialize;
use smallvec::SmallVec;
use std::cell::Cell;
use word::{Stack, Table, Word, apply, pushed};

/// An external function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Selector {
    /// First four bytes of the calldata.
    pub selector: u32,
    /// Block that handles it.
    pub entry: BlockId,
    /// False when it is seen to revert if it gets wei, before it does anything but checks, and in libraries.
    pub payable: bool,
}

/// A case of the dispatcher, without an analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    /// First four bytes of the calldata.
    pub selector: u32,
    /// Offset where control goes then: the start of a block.
    pub entry: u32,
    /// False when it is seen to revert if it gets wei, before it does anything but checks, and in libraries.
    pub payable: bool,
}

/// A dispatcher keeps at most this many words on the stack between blocks.
const MAX_HEIGHT: usize = 16;
/// Instructions that are run at most: some, and so many for each byte of the code.
const INSTRUCTIONS_A_BYTE: (u64, u64) = (10_000, 4);
/// Where the first word of the calldata is stored that makes the first word of memory the selector.
const SELECTOR_STORED_AT: u32 = 28;

/// A place of the walk.
#[derive(Clone)]
struct State {
    pc: u32,
    stack: Stack,
    /// What the way here is only gone with.
    wei: Wei,
}

/// What is known of the wei of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wei {
    Any,
    None,
}

/// What a block ends with.
enum End {
    /// Control falls into the next block.
    Fall(u32),
    /// Control jumps there, or where is not known, or ends.
    Jump(Option<u32>),
    /// Control jumps to what stands behind the jump.
    Next(u32),
    /// Control jumps to one of these: entries of a table, or places in a row.
    OneOf(SmallVec<[u32; 8]>),
    /// Control jumps to where a row of a table in the code says.
    Row(u32),
    /// On a condition to the first, otherwise to the second.
    Branch(Word, Option<u32>, u32),
    /// With `REVERT`.
    Revert,
}

/// What was seen of a call.
enum Called {
    /// It comes back with this, and is a part of the dispatcher.
    Part(State),
    /// It comes back.
    Other,
    /// It does not come back on a straight way.
    Away,
}

/// What a block does besides.
#[derive(Clone, Copy, Default)]
struct Seen {
    copies_code: bool,
    /// It reads the first word of the calldata, but finds zero there when the call has wei: then it is none of
    /// the cases.
    reads_unless_paid: bool,
}

/// Blocks of a function that is called for the selector.
const MAX_IN_CALL: usize = 8;

/// Blocks of a function that are looked at for a check of the wei: Vyper before 0.3.10 checks arguments first.
const MAX_BEFORE_CHECK: usize = 32;
/// Blocks that are looked at for a `REVERT`, or for the jump that a row of a table tells.
const MAX_BEFORE_END: usize = 4;

/// The cases of the dispatcher of `code`, sorted; the same as an analysis finds, in a small part
/// of the time.
///
/// ```
/// // PUSH1 0, CALLDATALOAD, PUSH1 0xe0, SHR, PUSH4 0xa9059cbb, EQ, PUSH1 16, JUMPI, STOP, JUMPDEST
/// let code = cairn_evm::hex::decode("5f3560e01c63a9059cbb1460105700005b").expect("digits");
/// let cases = cairn_bytecode::find_cases(&code, Default::default());
/// assert_eq!((cases[0].selector, cases[0].entry), (0xa9059cbb, 16));
/// ```
pub fn find_cases(code: &[u8], fork: Fork) -> Vec<Case> {
    cases(code, &table_of(fork))
}

/// The same as blocks.
pub(crate) fn selectors_of(entries: &[Entry], blocks: &Blocks) -> Vec<Selector> {
    let of_case = |entry: &Entry| {
        let Case { selector, entry, payable } = entry.case;
        Some(Selector { selector, entry: blocks.starting_at(entry)?, payable })
    };
    entries.iter().filter_map(of_case).collect()
}

fn cases(code: &[u8], table: &OpTable) -> Vec<Case> {
    let mut cases = walk(JumpTargets::new(code, table), |case, _, _| case);
    cases.sort_unstable();
    cases.dedup();
    cases
}

/// A case with the stack that control gets there with: constants, and words that are none.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) case: Case,
    /// Bytes that the calldata have at least, where the row of a table says so.
    pub(crate) least_size: Option<u32>,
    pub(crate) stack: SmallVec<[Option<u32>; MAX_HEIGHT]>,
}

/// The cases with their stacks, sorted, each case once.
pub(crate) fn entries(targets: JumpTargets<'_>) -> Vec<Entry> {
    let constant = |word: &Word| match word {
        Word::Const(word) | Word::Four(word) => Some(*word),
        _ => None,
    };
    let entry = |case, least_size, stack: &Stack| Entry {
        case,
        least_size,
        stack: stack.iter().map(constant).collect(),
    };
    let mut entries = walk(targets, entry);
    entries.sort_by_key(|entry| entry.case);
    entries.dedup_by_key(|entry| entry.case);
    entries
}

/// Walks the dispatcher.
fn walk<T>(targets: JumpTargets<'_>, make: impl Fn(Case, Option<u32>, &Stack) -> T) -> Vec<T> {
    let (code, table) = (targets.code, targets.table);
    let length = code.len() as u64;
    let mut walk = Walk {
        code,
        table,
        targets,
        left: Cell::new(INSTRUCTIONS_A_BYTE.0 + INSTRUCTIONS_A_BYTE.1 * length),
        fuel_of_tables: Fuel::for_code(code.len()),
        is_selector_stored: Cell::new(false),
        seen: vec![0; code.len() / 64 + 1],
        decided: FxHashSet::default(),
        work: Vec::new(),
        cases: Vec::new(),
    };
    walk.enter(State { pc: 0, stack: Stack::new(), wei: Wei::Any });
    while let Some(state) = walk.work.pop() {
        walk.step(state);
    }
    walk.cases.into_iter().map(|(case, least, stack)| make(case, least, &stack)).collect()
}

/// True for what Solidity makes of a library, which begins by comparing its own address with that in its code. No
/// function of a library takes wei, but those that change nothing do not look whether there is some.
fn is_library(code: &[u8]) -> bool {
    const PUSH20: u8 = Opcode::PUSH0.0 + 20;
    const COMPARED: [u8; 2] = [Opcode::ADDRESS.0, Opcode::EQ.0];
    code.first() == Some(&PUSH20) && code.get(21..).is_some_and(|rest| rest.starts_with(&COMPARED))
}

/// True if a call with one stack that comes back with another one is a part of a dispatcher.
fn is_of_dispatcher(before: &Stack, after: &Stack) -> bool {
    let has_selector = |stack: &Stack| stack.contains(&Word::Selector);
    let makes_selector = before.contains(&Word::Calldata) && !has_selector(before) && has_selector(after);
    // Made there, or before: then what it is joined with is made there.
    let has_comparison = after.iter().any(|word| word.is_comparison());
    let mut made = after.iter().filter(|word| !before.contains(word));
    makes_selector || has_comparison || made.all(|word| word.is_constant())
}

struct Walk<'a> {
    code: &'a [u8],
    table: &'a OpTable,
    targets: JumpTargets<'a>,
    /// Instructions that may still be run.
    left: Cell<u64>,
    fuel_of_tables: Fuel,
    /// The first word of memory is the selector.
    is_selector_stored: Cell<bool>,
    /// Bits by offset.
    seen: Vec<u64>,
    /// Places that were seen, and what decides there where control goes.
    decided: FxHashSet<(u32, SmallVec<[Word; 2]>)>,
    work: Vec<State>,
    /// With the bytes that the calldata have at least, and the stack.
    cases: Vec<(Case, Option<u32>, Stack)>,
}

impl Walk<'_> {
    fn enter(&mut self, state: State) {
        let Some(bits) = self.seen.get_mut(state.pc as usize / 64) else { return };
        let bit = 1 << (state.pc % 64);
        let is_inside = (state.pc as usize) < self.code.len();
        if state.stack.len() > MAX_HEIGHT || !is_inside {
            return;
        }
        let is_first = *bits & bit == 0;
        *bits |= bit;
        // Cases may share the end of a comparison or the jump into a table.
        if is_first || self.decides_anew(&state) {
            self.work.push(state);
        }
    }

    /// True if a place that was seen is left by other words than the last times.
    fn decides_anew(&mut self, state: &State) -> bool {
        let has_selector = state.stack.contains(&Word::Selector);
        let decides = |word: &Word| word.decides() || has_selector && self.is_short_selector(*word);
        let words: SmallVec<[Word; 2]> = state.stack.iter().copied().filter(decides).collect();
        !words.is_empty() && self.decided.insert((state.pc, words))
    }

    fn step(&mut self, state: State) {
        let mut after = state.clone();
        let (end, seen) = self.run_block(state.pc, &mut after.stack, &[]);
        if seen.reads_unless_paid {
            after.wei = Wei::None;
        }
        let tables = if seen.copies_code { self.read_tables(&state) } else { Tables::default() };
        if tables.count() == 0 {
            self.follow(after, end);
        }
        for case in 0..tables.count() {
            let mut after = state.clone();
            let loads: SmallVec<[_; 4]> = tables.case(case).collect();
            let (end, _) = self.run_block(state.pc, &mut after.stack, &loads);
            self.follow(after, end);
        }
    }

    fn read_tables(&mut self, state: &State) -> Tables {
        let source = Source { code: self.code, table: self.table, placeholders: &[] };
        let place = (state.pc, self.code.len() as u32);
        read_tables(source, place, state.stack.len() as u32, &mut self.fuel_of_tables)
    }

    /// Goes on behind a block.
    fn follow(&mut self, state: State, end: End) {
        match end {
            End::Revert | End::Jump(None) => {}
            End::Fall(pc) | End::Row(pc) => self.enter(State { pc, ..state }),
            // What leaves an address behind is called, or it is a number.
            End::Jump(Some(pc)) | End::Next(pc) if self.addresses(&state.stack).next().is_some() => {
                let state = State { pc, ..state };
                match self.behind_call(state.clone()) {
                    Called::Part(state) => self.enter(state),
                    // Code that is not optimized jumps to what stands behind the jump.
                    Called::Away if matches!(end, End::Next(_)) => self.enter(state),
                    Called::Other | Called::Away => {}
                }
            }
            End::Jump(Some(pc)) | End::Next(pc) => self.enter(State { pc, ..state }),
            End::OneOf(targets) => self.enter_all(&state, &targets),
            End::Branch(condition, target, next) => self.branch(state, condition, target, next),
        }
    }

    /// Where a call comes back to that is a part of the dispatcher. Code that is not optimized shifts in a function and
    /// gets the selector from it; what is optimized for size may do in one what several cases have in common: it
    /// compares there, or pushes long constants. Other calls are no part of a dispatcher.
    fn behind_call(&self, mut state: State) -> Called {
        let before = state.stack.clone();
        let returns: SmallVec<[u32; 4]> = self.addresses(&before).collect();
        for _ in 0..MAX_IN_CALL {
            match self.run(state.pc, &mut state.stack) {
                End::Fall(pc) => state.pc = pc,
                End::Jump(Some(pc)) | End::Next(pc) => {
                    state.pc = pc;
                    if returns.contains(&pc) {
                        let is_part = is_of_dispatcher(&before, &state.stack);
                        return if is_part { Called::Part(state) } else { Called::Other };
                    }
                }
                End::Jump(None) | End::OneOf(_) | End::Row(_) | End::Branch(..) | End::Revert => {
                    return Called::Away;
                }
            }
        }
        Called::Away
    }

    /// Goes on at all of the targets, if all of them lead somewhere.
    fn enter_all(&mut self, state: &State, targets: &[u32]) {
        if targets.iter().all(|pc| self.targets.contains(*pc as usize)) {
            targets.iter().for_each(|pc| self.enter(State { pc: *pc, ..state.clone() }));
        }
    }

    /// The entries of a table, cut off at a limit.
    fn entries_of(&self, table: Table, limit: u32) -> SmallVec<[u32; 8]> {
        self.pushed_word(table.push).map_or_else(SmallVec::new, |word| table.entries(word, limit).collect())
    }

    /// The word that the push at an offset pushes.
    fn pushed_word(&self, push: u32) -> Option<Number> {
        let inst = instructions(self.code, push, self.code.len() as u32).next()?;
        Some(Number::from_be_slice(inst.data))
    }

    fn branch(&mut self, state: State, condition: Word, target: Option<u32>, next: u32) {
        let is_inside = (next as usize) < self.code.len();
        let at = |pc: u32, wei: Wei| State { pc, stack: state.stack.clone(), wei };
        let (with, without) = match condition {
            Word::Value | Word::ValueOrMore => (state.wei, Wei::None),
            Word::NoValue => (Wei::None, state.wei),
            _ => (state.wei, state.wei),
        };
        match condition {
            Word::Equal(selector) | Word::EqualAndMore(selector) => {
                target.into_iter().for_each(|entry| self.add(selector, at(entry, state.wei)));
                self.enter(at(next, without));
            }
            Word::EqualUnpaid(selector) => {
                target.into_iter().for_each(|entry| self.add(selector, at(entry, Wei::None)));
                self.enter(at(next, state.wei));
            }
            Word::OneOf(few) => {
                if let Some(entry) = target {
                    few.iter().for_each(|selector| self.add(selector, at(entry, state.wei)));
                }
                self.enter(at(next, without));
            }
            Word::NoneOf(few) => {
                if is_inside {
                    few.iter().for_each(|selector| self.add(selector, at(next, state.wei)));
                }
                target.into_iter().for_each(|target| self.enter(at(target, with)));
            }
            Word::Different(selector) | Word::DifferentOrValue(selector) => {
                let wei = if condition == Word::Different(selector) { state.wei } else { Wei::None };
                is_inside.then_some(next).into_iter().for_each(|entry| self.add(selector, at(entry, wei)));
                target.into_iter().for_each(|target| self.enter(at(target, with)));
            }
            _ => {
                target.into_iter().for_each(|target| self.enter(at(target, with)));
                self.enter(at(next, without));
            }
        }
    }

    fn add(&mut self, selector: u32, state: State) {
        let (state, least_size) = self.behind_row(&state).unwrap_or((state, None));
        let entry = state.pc;
        let stack = state.stack.clone();
        let payable = state.wei == Wei::Any && !is_library(self.code) && self.is_payable(state);
        self.cases.push((Case { selector, entry, payable }, least_size, stack));
    }

    /// The state behind the jump to where the row of a table says, past checks that revert, and the bytes that the
    /// calldata have at least there.
    fn behind_row(&self, state: &State) -> Option<(State, Option<u32>)> {
        if !state.stack.iter().any(|word| matches!(word, Word::Row(_))) {
            return None;
        }
        let (mut state, mut least_size) = (state.clone(), None);
        for _ in 0..MAX_BEFORE_END {
            match self.run(state.pc, &mut state.stack) {
                End::Row(pc) => return Some((State { pc, ..state }, least_size)),
                End::Fall(pc) => state.pc = pc,
                End::Branch(condition, Some(with), next) if self.reverts(with, state.stack.clone()) => {
                    state.pc = next;
                    if matches!(condition, Word::Value | Word::ValueOrMore | Word::ShorterOrValue(_)) {
                        state.wei = Wei::None;
                    }
                    if let Word::ShorterThan(bytes) | Word::ShorterOrValue(bytes) = condition {
                        least_size = Some(bytes);
                    }
                }
                End::Branch(..) | End::Jump(_) | End::Next(_) | End::OneOf(_) | End::Revert => return None,
            }
        }
        None
    }

    /// False when a branch from here reverts when there is wei: the first one, or behind checks of other things that
    /// revert, as Vyper makes them. Solidity's checks of arguments are calls, and come later.
    fn is_payable(&self, mut state: State) -> bool {
        let (mut num_left, mut has_checked) = (MAX_BEFORE_END, false);
        while num_left > 0 {
            num_left -= 1;
            if has_checked && self.addresses(&state.stack).next().is_some() {
                return true;
            }
            let (target, next) = match self.run(state.pc, &mut state.stack) {
                End::Fall(pc) | End::Jump(Some(pc)) | End::Next(pc) | End::Row(pc) => {
                    state.pc = pc;
                    continue;
                }
                End::Branch(Word::Value | Word::ValueOrMore, Some(with), _) => {
                    return !self.reverts(with, state.stack);
                }
                End::Branch(Word::NoValue, _, with) => return !self.reverts(with, state.stack),
                End::Branch(_, Some(target), next) => (target, next),
                End::Jump(None) | End::OneOf(_) | End::Branch(..) | End::Revert => return true,
            };
            state.pc = if self.reverts(target, state.stack.clone()) {
                next
            } else if self.reverts(next, state.stack.clone()) {
                target
            } else {
                return true;
            };
            if !std::mem::replace(&mut has_checked, true) {
                num_left = MAX_BEFORE_CHECK;
            }
        }
        true
    }

    /// True when the code reverts, perhaps in a function that it calls.
    fn reverts(&self, mut pc: u32, mut stack: Stack) -> bool {
        for _ in 0..MAX_BEFORE_END {
            match self.run(pc, &mut stack) {
                End::Revert => return true,
                End::Fall(next) | End::Jump(Some(next)) | End::Next(next) => pc = next,
                End::Jump(None) | End::OneOf(_) | End::Row(_) | End::Branch(..) => return false,
            }
        }
        false
    }

    /// Runs a block that reads no tables.
    fn run(&self, pc: u32, stack: &mut Stack) -> End {
        self.run_block(pc, stack, &[]).0
    }

    /// Runs a block, given what it loads from tables.
    fn run_block(&self, pc: u32, stack: &mut Stack, loads: &[(u32, Number)]) -> (End, Seen) {
        let mut seen = Seen::default();
        let end = self.run_until_end(pc, stack, |inst, stack| {
            seen.copies_code |= inst.opcode == Opcode::CODECOPY;
            if let Some(top @ Word::CalldataUnlessValue) = stack.last_mut() {
                *top = Word::Calldata;
                seen.reads_unless_paid = true;
            }
            let load = loads.iter().find(|(at, _)| *at == inst.pc);
            if let (Some((_, word)), Some(top)) = (load, stack.last_mut()) {
                *top = u64::try_from(*word).map_or(Word::Other, Word::Row);
            }
        });
        (end, seen)
    }

    /// Runs a block, and something behind each instruction that is neither arithmetic nor control.
    fn run_until_end(
        &self,
        pc: u32,
        stack: &mut Stack,
        mut behind: impl FnMut(&Instruction<'_>, &mut Stack),
    ) -> End {
        for inst in instructions(self.code, pc, self.code.len() as u32).take(self.left.get() as usize) {
            self.left.set(self.left.get() - 1);
            let facts = self.table[usize::from(inst.opcode.0)];
            if stack.len() < usize::from(facts.inputs) || stack.len() > STACK_LIMIT {
                return End::Jump(None);
            }
            match facts.kind {
                OpKind::Push => stack.push(pushed(inst.pc, inst.data, inst.opcode)),
                OpKind::JumpDest if inst.pc == pc => {}
                OpKind::JumpDest => return End::Fall(inst.pc),
                OpKind::Jump => {
                    return match stack.pop() {
                        Some(Word::Entry(table, limit)) => End::OneOf(self.entries_of(table, limit)),
                        Some(Word::Place(places)) => End::OneOf(places.all().collect()),
                        Some(Word::Row(row)) => self.row_target(row).map_or(End::Jump(None), End::Row),
                        word => match word.and_then(|word| self.target(word)) {
                            Some(pc) if pc == inst.next_pc() => End::Next(pc),
                            target => End::Jump(target),
                        },
                    };
                }
                OpKind::JumpI => {
                    let target = stack.pop().and_then(|word| self.target(word));
                    return End::Branch(stack.pop().unwrap_or(Word::Other), target, inst.next_pc());
                }
                OpKind::Halt if inst.opcode == Opcode::REVERT => return End::Revert,
                OpKind::Halt | OpKind::Undefined => return End::Jump(None),
                OpKind::Dup => stack.push(stack[stack.len() - usize::from(facts.inputs)]),
                OpKind::Swap => {
                    let top = stack.len() - 1;
                    stack.swap(top, top + 1 - usize::from(facts.inputs));
                }
                OpKind::And | OpKind::Arithmetic | OpKind::Pc | OpKind::CodeSize => {
                    apply(inst.opcode, facts, stack);
                }
                OpKind::Plain => {
                    let is_selector = self.loads_selector(inst.opcode, stack);
                    apply(inst.opcode, facts, stack);
                    if let (true, Some(top)) = (is_selector, stack.last_mut()) {
                        *top = Word::Selector;
                    }
                    behind(&inst, stack);
                }
            }
        }
        End::Jump(None)
    }

    /// True where the selector is loaded from memory: Vyper before 0.3.1 stores the first word of the calldata so that
    /// the first word of memory ends with its first four bytes.
    fn loads_selector(&self, op: Opcode, stack: &Stack) -> bool {
        match (op, stack.as_slice()) {
            (Opcode::MSTORE, [.., Word::Calldata, Word::Const(SELECTOR_STORED_AT)]) => {
                self.is_selector_stored.set(true);
                false
            }
            (Opcode::MLOAD, [.., Word::Const(0)]) => self.is_selector_stored.get(),
            _ => false,
        }
    }

    /// True of what the selector may be compared with where several comparisons end alike, though it was pushed in less
    /// than four bytes: no address, and more than one byte.
    fn is_short_selector(&self, word: Word) -> bool {
        matches!(word, Word::Const(0x100..)) && self.target(word).is_none()
    }

    /// Where a jump to a part of a row goes.
    fn row_target(&self, row: u64) -> Option<u32> {
        u32::try_from(row).ok().filter(|pc| self.targets.contains(*pc as usize))
    }

    /// What lies on a stack that a call may return to. A zero is a number, also in code that begins with a `JUMPDEST`.
    fn addresses<'s>(&'s self, stack: &'s Stack) -> impl Iterator<Item = u32> + 's {
        stack.iter().filter_map(|word| self.target(*word)).filter(|pc| *pc > 0)
    }

    /// Where a jump to the word goes.
    fn target(&self, word: Word) -> Option<u32> {
        let (Word::Const(pc) | Word::Four(pc)) = word else { return None };
        self.targets.contains(pc as usize).then_some(pc)
    }
}

#[cfg(test)]
mod tests;
