//! Stores of a block to adjacent words, which one copy can do at once.
//!
//! Definitions: the stores of a *stretch* stand in one block, their addresses are one base plus constants, and
//! between them nothing else touches memory or reads `gas`. A store of a stretch that overlaps no other one of
//! it may as well come last. A *row* is stores of a stretch like that to adjacent words, by address. A copy stands in
//! the place of the row's last store, where its address and all that was stored is known.
//!
//! Why this is the same: no address of a row wraps round, or all of it is more memory than anybody can pay
//! for (A13); the bytes and the size of memory behind it are equal. What is in memory of the function's own
//! (`alloca`) stays: it may not be memory in the end.

use crate::memory::{Place, WORD, touches_memory};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, Function, Inst, Op, Payload, Value};

/// A store of a stretch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Store<S> {
    pub(crate) inst: Inst,
    /// How many stores of the stretch come before.
    turn: usize,
    pub(crate) place: Place,
    /// What is known of the word, if it may be copied from somewhere.
    pub(crate) source: S,
}

/// The rows of a block with so many stores and more; neighbours are those whose sources go on with each other.
pub(crate) fn rows<S: Copy>(
    func: &Function,
    block: Block,
    min_words: usize,
    source: impl Fn(Value) -> Option<S>,
    goes_on: impl Fn(S, S) -> bool,
) -> Vec<Vec<Store<S>>> {
    let mut found = Vec::new();
    for mut stretch in stretches(func, block, source) {
        if stretch.len() >= min_words {
            found.extend(rows_of(&mut stretch, &goes_on));
        }
    }
    found.retain(|row| row.len() >= min_words);
    found
}

/// The stretches of a block, in order.
fn stretches<S>(
    func: &Function,
    block: Block,
    source: impl Fn(Value) -> Option<S>,
) -> Vec<Vec<Store<Option<S>>>> {
    let mut found: Vec<Vec<Store<Option<S>>>> = vec![Vec::new()];
    for inst in func.layout.insts(block) {
        let op = func.dfg.op(inst);
        if op == Op::Evm(Opcode::MSTORE) {
            let args = func.dfg.args(inst);
            let place = Place::of(func, args[0]);
            let is_other = |last: &Store<Option<S>>| last.place.base != place.base;
            if found.last().and_then(|stretch| stretch.last()).is_some_and(is_other) {
                found.push(Vec::new());
            }
            if let Some(stretch) = found.last_mut().filter(|_| !is_own(func, place)) {
                stretch.push(Store { inst, turn: stretch.len(), place, source: source(args[1]) });
            }
        } else if touches_memory(op) || op == Op::Evm(Opcode::GAS) {
            found.push(Vec::new());
        }
    }
    found
}

/// True for a place in memory of the function's own.
fn is_own(func: &Function, place: Place) -> bool {
    let base = place.base.expand().and_then(|base| func.dfg.def_inst(base));
    base.is_some_and(|inst| func.dfg.op(inst) == Op::Alloca)
}

/// The rows of a stretch, by address. A base that is no constant may be anything, so offsets from it are
/// neighbours also where one is negative.
fn rows_of<S: Copy>(stretch: &mut [Store<Option<S>>], goes_on: impl Fn(S, S) -> bool) -> Vec<Vec<Store<S>>> {
    stretch.sort_by_key(|store| (store.place.offset, store.turn));
    let mut rows: Vec<Vec<Store<S>>> = Vec::new();
    let mut is_open = false;
    for (index, store) in stretch.iter().enumerate() {
        let Store { inst, turn, place, source } = *store;
        let Some(source) = source.filter(|_| !overlaps_another(stretch, index)) else {
            is_open = false;
            continue;
        };
        let follows = |last: &Store<S>| {
            last.place.offset.wrapping_add(Word::from(WORD)) == place.offset && goes_on(last.source, source)
        };
        let store = Store { inst, turn, place, source };
        match rows.last_mut().filter(|row| is_open && row.last().is_some_and(follows)) {
            Some(row) => row.push(store),
            None => rows.push(vec![store]),
        }
        is_open = true;
    }
    rows
}

/// True if a store writes a byte that another one writes: one next to it by address, where the last and the
/// first are next to each other, too.
fn overlaps_another<S>(stretch: &[Store<S>], index: usize) -> bool {
    let far = stretch.len() - 1;
    let at = |index: usize| stretch[index % stretch.len()].place.offset;
    let distance = |from: usize, to: usize| at(to).wrapping_sub(at(from));
    far > 0 && distance(index, index + 1).min(distance(index + far, index)) < Word::from(WORD)
}

/// The store of a row that is done last: what copies the row stands in its place.
pub(crate) fn last_done<S>(row: &[Store<S>]) -> Option<Inst> {
    row.iter().max_by_key(|store| store.turn).map(|store| store.inst)
}

/// Puts a copy with these operands behind the address in the place of the last store of a row; the others go.
pub(crate) fn copy_at_once<S>(func: &mut Function, row: &[Store<S>], op: Op, operands: [Value; 2]) {
    let (Some(first), Some(last)) = (row.first(), last_done(row)) else {
        return;
    };
    let to = func.dfg.args(first.inst)[0];
    for store in row.iter().filter(|store| store.inst != last) {
        func.layout.remove_inst(store.inst);
    }
    func.dfg.replace_inst(last, op, &[to, operands[0], operands[1]], Payload::None);
}
