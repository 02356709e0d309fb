//! `uncap-args`: passes a word instead of the smaller of it and a constant, where a function only asks whether it
//! is below that.
//!
//! ```text
//! ^a:                                              ^a:
//!   %size = evm.returndatasize                       %size = evm.returndatasize
//!   %less = evm.gt %c32, %size                       %less = evm.gt %c32, %size
//!   evm.condbr %less, ^b, ^c(%c32)                   evm.condbr %less, ^b, ^c(%c32)
//! ^b:                                        =>    ^b:
//!   evm.br ^c(%size)                                 evm.br ^c(%size)
//! ^c(%least):                                      ^c(%least):
//!   %x = evm.icall @decode(%p, %least)               %x = evm.icall @decode(%p, %size)
//!
//! func @decode(%p, %n)
//!   %short = evm.lt %n, %c32
//!   evm.condbr %short, ^fail, ^ok
//! ```
//!
//! Solidity decodes as much of an answer as it expects, or what there is if that is less, and the decoder fails
//! for less. Where nobody else wants the smaller of the two, the branch goes with it (`dce`, `simplify-cfg`).
//!
//! Fires for a parameter whose every use is a comparison of the kind "is it below K", with constants K not above
//! the constant of the call. A signed comparison counts where the word is the size of return data, which is never
//! negative.
//!
//! Needs promotion, preserves blocks and promotion. Cost: linear.

use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::return_data;
use cairn_analysis::{Cfg, callgraph};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, Func, Function, Inst, Module, Op, Payload, SecondaryMap, Type, Value, ValueDef};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "uncap-args",
    summary: "passes a word for the smaller of it and a constant, where functions only ask if it is below that",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
fn run(module: &mut Module, _: &mut PassContext<'_>) -> Changed {
    let mut asked: SecondaryMap<Func, Vec<Asked>> = SecondaryMap::new();
    module.funcs.iter().for_each(|(id, func)| asked[id] = asked_of_params(func));
    let mut changed = false;
    for func in module.funcs.values_mut() {
        let found = find(func, &asked);
        changed |= !found.is_empty();
        for (call, index, word) in found {
            func.dfg.args_mut(call)[index] = word;
        }
    }
    Changed::from(changed)
}

/// What a function asks of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// Nothing.
    Nothing,
    /// Whether it is below words, of which this is the greatest.
    Below { most: Word, is_signed: bool },
    /// Something else.
    Else,
}

impl Asked {
    fn and(self, other: Asked) -> Asked {
        match (self, other) {
            (Asked::Nothing, asked) | (asked, Asked::Nothing) => asked,
            (Asked::Below { most, is_signed }, Asked::Below { most: other, is_signed: other_is }) => {
                Asked::Below { most: most.max(other), is_signed: is_signed || other_is }
            }
            _ => Asked::Else,
        }
    }
}

/// A comparison of the kind "is a value below a constant".
struct Below {
    value: Value,
    word: Word,
    is_signed: bool,
}

fn below(func: &Function, inst: Inst) -> Option<Below> {
    let Op::Evm(opcode) = func.dfg.op(inst) else { return None };
    let [value, word] = match (opcode, func.dfg.args(inst)) {
        (Opcode::LT | Opcode::SLT, &[value, word]) => [value, word],
        (Opcode::GT | Opcode::SGT, &[word, value]) => [value, word],
        _ => return None,
    };
    let word = func.dfg.as_const(word)?;
    let is_signed = matches!(opcode, Opcode::SLT | Opcode::SGT);
    (!is_signed || !word.bit(Word::BITS - 1)).then_some(Below { value, word, is_signed })
}

fn asked_of_params(func: &Function) -> Vec<Asked> {
    let start = |param: &Value| if func.dfg.ty(*param) == Type::U256 { Asked::Nothing } else { Asked::Else };
    let mut asked: Vec<Asked> = func.params().iter().map(start).collect();
    for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
        if let Some(Below { value, word, is_signed }) = below(func, inst)
            && let Some(index) = func.param_index(value)
        {
            asked[index] = asked[index].and(Asked::Below { most: word, is_signed });
            continue;
        }
        func.dfg.for_each_use(inst, |value| {
            if let Some(index) = func.param_index(value) {
                asked[index] = Asked::Else;
            }
        });
    }
    asked
}

/// Calls that are passed the smaller of a word and a constant for no reason, with the number of the operand and
/// the word.
fn find(func: &Function, asked: &SecondaryMap<Func, Vec<Asked>>) -> Vec<(Inst, usize, Value)> {
    let mut cfg = None;
    let mut found = Vec::new();
    for call in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
        let Some(callee) = callgraph::callee(func, call) else { continue };
        for (index, asked) in asked[callee].iter().enumerate() {
            let Asked::Below { most, is_signed } = *asked else { continue };
            let ValueDef::Param(block, param) = func.dfg.def(func.dfg.args(call)[index]) else { continue };
            let cfg = cfg.get_or_insert_with(|| Cfg::compute(func));
            let least = least(func, cfg, block, usize::from(param));
            let is_right =
                |least: &Least| most <= least.limit && (!is_signed || return_data::is_size(func, least.word));
            found.extend(least.filter(is_right).map(|least| (call, index, least.word)));
        }
    }
    found
}

/// The smaller of a word and a constant.
struct Least {
    word: Value,
    limit: Word,
}

/// What a parameter of a block is, if two ways lead to it from a comparison of a word with a constant, each of
/// which brings what is smaller there.
fn least(func: &Function, cfg: &Cfg, block: Block, param: usize) -> Option<Least> {
    let [one, _] = *cfg.preds(block) else { return None };
    let fork = if cfg.succs(one).len() == 2 { one } else { *cfg.preds(one).first()? };
    let end = func.terminator(fork)?;
    let Payload::Branch(ways) = func.dfg.inst(end).payload else { return None };
    let test = func.dfg.def_inst(func.dfg.args(end)[0])?;
    let Below { value: word, word: limit, is_signed: false } = below(func, test)? else { return None };
    // What each way brings, and from which block.
    let brought = |way: usize| {
        let (mut call, mut from) = (ways[way], fork);
        if call.block != block {
            from = call.block;
            let Payload::Jump(next) = func.dfg.inst(func.terminator(from)?).payload else { return None };
            call = Some(next).filter(|next| cfg.preds(from) == [fork] && next.block == block)?;
        }
        func.dfg.call_args(&call).get(param).map(|value| (*value, from))
    };
    let ((less, from), (more, _)) = (brought(0)?, brought(1)?);
    let is_word = less == word || is_same_size(func, (word, end), (less, from));
    (is_word && func.dfg.as_const(more) == Some(limit)).then_some(Least { word, limit })
}

/// True if a word is the size of return data where a block ends, and another, which a block brings that is that one
/// or comes right behind it, is the size of the same.
fn is_same_size(func: &Function, (one, end): (Value, Inst), (other, from): (Value, Block)) -> bool {
    let is_asked_in_from = || {
        let def = func.dfg.def_inst(other).and_then(|inst| func.layout.inst_block(inst));
        return_data::is_size(func, other) && def == Some(from)
    };
    let is_behind = func.layout.inst_block(end) != Some(from);
    let is_quiet = || func.layout.insts(from).all(|inst| !return_data::changes(func, inst));
    return_data::is_size_at(func, end, one)
        && (return_data::is_size_at(func, end, other) || (is_behind && is_asked_in_from() && is_quiet()))
}
