//! Integers of several words where the EVM takes one: what is branched on, where, how much.
//!
//! * `evm.condbr` branches on the words together.
//! * `evm.switch` compares the lowest word, as its cases are words; if a word above it is set, it is
//!   given the greatest word that no case has, so that it goes to the default.
//! * A place, a length, gas, wei ([`is_amount`]) that is greater than a word is as good as one that is
//!   [far away](crate::places::saturate).
//! * `evm.return %v` returns all words, the most significant first. They lie in a slot, or where all
//!   memory is the program's, at address 0, as a single word does.
//!
//! Cost: a few operations a word, no branches.

use super::expand::{any, any_bit, memory};
use super::state::Walk;
use crate::context::PassContext;
use crate::emit::Emit;
use crate::places::saturate;
use cairn_evm::{Opcode, Word};
use cairn_ir::operand::is_amount;
use cairn_ir::{Function, Inst, MemoryModel, Op, Payload, Type, Value};
use rustc_hash::FxHashSet;

/// Cuts operands that say where or how much to words; true if there were any, and what cuts them has
/// to be looked at.
pub(super) fn cut_amounts(func: &mut Function, inst: Inst, walk: &Walk, cx: &mut PassContext<'_>) -> bool {
    let op = func.dfg.op(inst);
    let args = func.dfg.args(inst).to_vec();
    let is_cut = |(index, arg): &(usize, Value)| is_amount(op, *index) && walk.reps.is_wide(func, *arg);
    let found: Vec<(usize, Value)> = args.into_iter().enumerate().filter(is_cut).collect();
    for (index, arg) in &found {
        let word = saturate(&mut Emit::before(func, inst), *arg);
        func.dfg.args_mut(inst)[*index] = word;
    }
    if !found.is_empty() {
        cx.changed(func, inst, || {
            format!("`evm.{}` takes words: what is greater is out of reach", op.name())
        });
    }
    !found.is_empty()
}

/// The word that a branch or switch on this value looks at.
pub(super) fn decided(func: &mut Function, inst: Inst, value: Value, walk: &mut Walk) -> Value {
    if !walk.reps.is_wide(func, value) {
        return walk.reps.word(func, value);
    }
    let words = walk.reps.words(func, value, usize::MAX);
    let free = free_word(func, inst);
    let mut emit = Emit::before(func, inst);
    let Some(free) = free else { return any_bit(&mut emit, &words) };
    let is_above = any(&mut emit, &words[1..]);
    let free = emit.constant(free);
    emit.select(is_above, free, words[0])
}

/// The greatest word that is no case of a switch; `None` for a branch.
fn free_word(func: &Function, inst: Inst) -> Option<Word> {
    let Payload::Switch(id) = func.dfg.inst(inst).payload else { return None };
    let cases: FxHashSet<Word> = func.dfg.switch(id).cases.iter().map(|(word, _)| *word).collect();
    let mut free = Word::MAX;
    while cases.contains(&free) {
        free -= Word::from(1);
    }
    Some(free)
}

/// `evm.return %v` of several words.
pub(super) fn return_words(func: &mut Function, inst: Inst, walk: &mut Walk, cx: &mut PassContext<'_>) {
    let value = func.dfg.args(inst)[0];
    let words = walk.reps.words(func, value, usize::MAX);
    let size = 32 * words.len() as u64;
    let slot = (cx.memory == MemoryModel::Frames).then(|| walk.frame(func, size));
    let mut emit = Emit::before(func, inst);
    let start = slot.unwrap_or_else(|| {
        let zero = emit.number(0);
        emit.value(Op::IntToPtr, &[zero], Type::MEMORY)
    });
    memory::store(&mut emit, Opcode::MSTORE, start, &words);
    let length = emit.number(size);
    func.dfg.replace_inst(inst, Op::Evm(Opcode::RETURN), &[start, length], Payload::None);
    cx.changed(func, inst, || {
        format!("`evm.return` stores all {} words first: the opcode returns memory", words.len())
    });
}
