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

mod calls;
mod checks;
mod run;
mod word;

use crate::blocks::{BlockId, Blocks};
use crate::decode::instructions;
use crate::jump_targets::JumpTargets;
use crate::optable::{OpTable, table_of};
use crate::tables::{Fuel, Source, Tables, read_tables};
use cairn_evm::Word as Number;
use cairn_evm::{Fork, Opcode};
use calls::Called;
use run::End;
use rustc_hash::FxHashSet;
use serde::Serialize;
use smallvec::SmallVec;
use std::cell::Cell;
use word::{Stack, Table, Word};

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
    pub(crate) stack: SmallVec<[Option<u32>; 4]>,
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
                let mut behind = state.clone();
                match self.run_call(&mut behind) {
                    Called::Part => self.enter(behind),
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

    /// True of what the selector may be compared with where several comparisons end alike, though it was pushed in less
    /// than four bytes: no address, and more than one byte.
    fn is_short_selector(&self, word: Word) -> bool {
        matches!(word, Word::Const(0x100..)) && self.target(word).is_none()
    }
}

#[cfg(test)]
mod tests;
