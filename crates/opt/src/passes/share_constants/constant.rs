//! Constants that take many bytes of code.

use super::MIN_BYTES;
use crate::cost;
use crate::options::Options;
use crate::pass::PassContext;
use cairn_evm::{Cost, CostModel, Word, best_encoding, cost_of_encoding, price_of_constants};
use cairn_ir::{Block, EntityRef, Function, Inst, Op, Payload, Type};
use rustc_hash::FxHashMap;

/// What makes two definitions the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Word(Word),
    /// The number of the symbol of an immutable or of a library.
    Symbol(Op, u32),
}

/// A long constant.
pub(super) struct Constant {
    /// What the code costs that makes it.
    pub(super) cost: Cost,
    /// Its definitions with their blocks, in order.
    pub(super) defs: Vec<(Block, Inst)>,
}

impl Constant {
    /// Those with definitions in several blocks, those that take most bytes first.
    pub(super) fn find(func: &Function, cx: &PassContext<'_>) -> Vec<Constant> {
        let uses = func.count_uses();
        let mut numbers: FxHashMap<(Key, Type), usize> = FxHashMap::default();
        let mut found: Vec<Constant> = Vec::new();
        for block in func.layout.blocks() {
            for inst in func.layout.insts(block) {
                let Some(key) = key_of(func, inst) else { continue };
                let value = func.dfg.result(inst);
                // What debuggers alone are told of is not pushed.
                if uses[value] == 0 {
                    continue;
                }
                let number = numbers.entry((key, func.dfg.ty(value))).or_insert_with(|| {
                    found.push(Constant { cost: cost_of(func, inst, key, cx), defs: Vec::new() });
                    found.len() - 1
                });
                found[*number].defs.push((block, inst));
            }
        }
        found.retain(|constant| {
            let mut blocks = constant.defs.iter().map(|(block, _)| *block);
            let first = blocks.next();
            constant.cost.bytes >= MIN_BYTES && blocks.any(|block| Some(block) != first)
        });
        found.sort_by_key(|constant| std::cmp::Reverse(constant.cost.bytes * constant.defs.len() as u64));
        found
    }
}

/// What an instruction pushes, if it may be long.
fn key_of(func: &Function, inst: Inst) -> Option<Key> {
    if let Some(word) = func.dfg.inst_const(inst) {
        return (word.byte_len() as u64 >= MIN_BYTES / 2).then_some(Key::Word(word));
    }
    match (func.dfg.op(inst), &func.dfg.inst(inst).payload) {
        (op @ (Op::LoadImmutable | Op::LinkerSymbol), Payload::Symbol(symbol)) => {
            Some(Key::Symbol(op, symbol.index() as u32))
        }
        _ => None,
    }
}

/// What the code costs that pushes it.
fn cost_of(func: &Function, inst: Inst, key: Key, cx: &PassContext<'_>) -> Cost {
    let Options { fork, runs, .. } = *cx.options;
    match key {
        Key::Word(word) => {
            let price = price_of_constants(CostModel::deployed(runs));
            cost_of_encoding(&best_encoding(word, fork, price), fork)
        }
        Key::Symbol(..) => cost::of_inst(func, inst, fork),
    }
}
