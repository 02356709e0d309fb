//! Runs a block in all of its cases.

use super::Source;
use super::cases::{Cases, Entry};
use super::memory::Memory;
use crate::absint::Subject;
use crate::decode::{Instruction, instructions};
use crate::optable::{OpFacts, OpKind};
use crate::traits::Traits;
use cairn_evm::{Effects, Opcode, Word};
use smallvec::SmallVec;
use std::ops::Range;

/// What a block reads from tables in the code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tables {
    /// Its loads of words of the code, in order.
    pub(crate) loads: Vec<Load>,
    /// Its `CODECOPY`s that read nothing but the code, whatever the case, in order.
    pub(crate) copies: Vec<TableCopy>,
}

/// A `CODECOPY` of a piece of the code that is chosen among some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableCopy {
    /// Offset of the `CODECOPY`.
    pub(crate) pc: u32,
    /// The part of the code that all pieces lie in.
    pub(crate) range: Range<u32>,
}

/// A load of words that came from the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Load {
    /// Offset of the `MLOAD`.
    pub(crate) pc: u32,
    /// The word in each case; as many as every other load of the block has.
    pub(crate) words: Vec<Word>,
}

impl Tables {
    /// The cases of the block.
    pub(crate) fn count(&self) -> usize {
        self.loads.first().map_or(0, |load| load.words.len())
    }

    /// The words that are loaded in a case, with the offsets of the loads.
    pub(crate) fn case(&self, case: usize) -> impl Iterator<Item = (u32, Word)> {
        self.loads.iter().map(move |load| (load.pc, load.words[case]))
    }
}

/// Words that may still be computed for the tables of a code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fuel(u64);

impl Fuel {
    /// What is enough for the tables that compilers write into code of so many bytes.
    pub(crate) fn for_code(length: usize) -> Fuel {
        Fuel(100_000 + 16 * length as u64)
    }
}

/// Words that a block puts on the stack, about: there is room for so many at first.
const WORDS_AT_FIRST: usize = 32;

/// What the block from `start` reads from tables, in the code before `end`. `needs` words of the stack at its
/// entry may be used.
pub(crate) fn read_tables(
    source: Source<'_>,
    (start, end): (u32, u32),
    needs: u32,
    fuel: &mut Fuel,
) -> Tables {
    // Cases are dear, and most blocks need none for what they copy and load.
    let mut run = run_cases(source, (start, end), needs, Cases::only_one(fuel.0));
    if run.needs_cases {
        run = run_cases(source, (start, end), needs, Cases::new(run.cases.left()));
    }
    let Run { cases, loads, copies, .. } = run;
    *fuel = Fuel(cases.left());
    let column = |entry: Entry| (0..cases.count()).filter_map(|case| cases.word(entry, case)).collect();
    let loads = loads.iter().map(|(pc, entry)| Load { pc: *pc, words: column(*entry) }).collect();
    Tables { loads, copies }
}

/// Runs a block as far as it goes.
fn run_cases(source: Source<'_>, (start, end): (u32, u32), needs: u32, cases: Cases) -> Run<'_> {
    let is_entry = start == 0 && source.code.first().is_some_and(|byte| Opcode(*byte) != Opcode::JUMPDEST);
    let mut stack = Vec::with_capacity(needs as usize + WORDS_AT_FIRST);
    stack.resize(needs as usize, Entry::Unknown);
    let mut run = Run {
        source,
        start,
        cases,
        memory: if is_entry { Memory::fresh() } else { Memory::unknown() },
        stack,
        loads: Vec::new(),
        copies: Vec::new(),
        needs_cases: false,
    };
    for inst in instructions(source.code, start, end) {
        if !run.step(&inst) || !run.cases.spend(1) {
            break;
        }
    }
    run
}

/// The `CODECOPY`s of the blocks that control reaches that read nothing but the code, in order.
pub(crate) fn copies_of_code(subject: &Subject<'_>, reached: &[bool]) -> Vec<TableCopy> {
    let mut fuel = Fuel::for_code(subject.code.len());
    let blocks = subject.blocks.list().iter().zip(reached).filter(|(_, reached)| **reached);
    let blocks = blocks.map(|(block, _)| block).filter(|block| block.traits.contains(Traits::COPIES_CODE));
    let copies = blocks.flat_map(|block| {
        read_tables(subject.source(), (block.start, block.end), block.needs, &mut fuel).copies
    });
    copies.collect()
}

struct Run<'a> {
    source: Source<'a>,
    start: u32,
    cases: Cases,
    memory: Memory,
    /// The topmost last.
    stack: Vec<Entry>,
    loads: Vec<(u32, Entry)>,
    copies: Vec<TableCopy>,
    /// Something is not known of a copy or a load that might be in cases.
    needs_cases: bool,
}

impl Run<'_> {
    /// Runs an instruction; false when the block ends, or the stack is not what it needs.
    fn step(&mut self, inst: &Instruction<'_>) -> bool {
        let facts = self.source.table[usize::from(inst.opcode.0)];
        let Some(below) = self.stack.len().checked_sub(usize::from(facts.inputs)) else { return false };
        match facts.kind {
            OpKind::Push => self.stack.push(self.pushed(inst)),
            OpKind::Dup => self.stack.push(self.stack[below]),
            OpKind::Swap => {
                let top = self.stack.len() - 1;
                self.stack.swap(below, top);
            }
            OpKind::Pc => self.stack.push(Entry::Same(Word::from(inst.pc))),
            OpKind::And | OpKind::Arithmetic => {
                let args: SmallVec<[Entry; 2]> = self.stack.drain(below..).rev().collect();
                let result = self.cases.apply(inst.opcode, &args);
                self.stack.push(result);
            }
            OpKind::Plain | OpKind::CodeSize => self.access(inst, facts, below),
            OpKind::JumpDest if inst.pc == self.start => {}
            OpKind::JumpDest | OpKind::Jump | OpKind::JumpI | OpKind::Halt | OpKind::Undefined => {
                return false;
            }
        }
        true
    }

    fn pushed(&self, inst: &Instruction<'_>) -> Entry {
        let is_filled = self.source.placeholders.binary_search(&inst.pc).is_ok();
        let is_cut = inst.next_pc() as usize > self.source.code.len();
        let word = inst.pushed_word().filter(|_| !is_filled && !is_cut);
        word.map_or(Entry::Unknown, Entry::Same)
    }

    /// Operations on memory, and those whose result is not known.
    fn access(&mut self, inst: &Instruction<'_>, facts: OpFacts, below: usize) {
        let mut result = Entry::Unknown;
        // Operands as they lie there, the topmost last.
        let operands = &self.stack[below..];
        // A word that is stored may be in cases; only where it is loaded again they are needed.
        let places = match (inst.opcode, operands) {
            (Opcode::MSTORE | Opcode::MSTORE8, [_, places @ ..]) => places,
            _ => operands,
        };
        self.needs_cases |= writes_memory(inst.opcode) && places.contains(&Entry::Several);
        match (inst.opcode, operands) {
            (Opcode::MLOAD, &[at]) if self.memory.holds_code() => {
                result = self.memory.load(self.source, &mut self.cases, at);
                if result == Entry::Unknown {
                    self.needs_cases = true;
                } else {
                    self.loads.push((inst.pc, result));
                }
            }
            (Opcode::MSTORE, &[word, at]) => self.memory.store(at, word),
            (Opcode::MSTORE8, &[word, at]) => self.memory.store_byte(at, word),
            (Opcode::CODECOPY, &[length, from, at]) => {
                if let Some(range) = self.range_of_copy(from, length) {
                    self.copies.push(TableCopy { pc: inst.pc, range });
                }
                self.memory.copy_code(at, from, length);
            }
            (Opcode::CALLDATACOPY | Opcode::RETURNDATACOPY | Opcode::MCOPY, &[length, _, at]) => {
                self.memory.copy(at, length);
            }
            (op, _) if writes_memory(op) => self.memory.forget(),
            _ => {}
        }
        self.stack.truncate(below);
        self.stack.extend(std::iter::repeat_n(result, usize::from(facts.outputs)));
    }

    /// The part of the code that a copy reads in, if it reads nothing but the code in every case.
    fn range_of_copy(&self, from: Entry, length: Entry) -> Option<Range<u32>> {
        let size = Word::from(self.source.code.len());
        let mut range = size..Word::ZERO;
        for case in 0..self.cases.count() {
            let (from, length) = (self.cases.word(from, case)?, self.cases.word(length, case)?);
            if from > size || length > size - from {
                return None;
            }
            range = range.start.min(from)..range.end.max(from + length);
        }
        Some(range.start.to::<u32>()..range.end.to::<u32>())
    }
}

fn writes_memory(op: Opcode) -> bool {
    op.info().is_some_and(|info| info.effects.intersects(Effects::WRITE_MEMORY))
}
