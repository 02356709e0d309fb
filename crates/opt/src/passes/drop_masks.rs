//! `drop-masks`: leaves out masks of bits that nobody asks for.
//!
//! ```text
//! %owner = evm.and %word, 2^160 − 1
//! %ok = evm.call %gas, %owner, …        =>      %ok = evm.call %gas, %word, …
//! ```
//!
//! Solidity masks what it loads. An account is what its 160 low bits say, a word that is shifted up loses its upper
//! bits, and so do sums and products of which a mask is taken later. What is asked for of a value is found over the
//! whole module (`low_bits`); `signextend` goes where nobody asks for the signs.
//!
//! Why this is the same: no operation depends on the bits that change. What was concluded from the mask stays true of
//! what is left, or somebody would ask for them.
//!
//! Does nothing in a module without entry, whose functions others may call. Needs promoted slots. Preserves
//! blocks, calls and promotion. Cost: linear.

use crate::edit::{Renaming, rename_through};
use crate::low_bits::LowBits;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_evm::{Opcode, Word, word};
use cairn_ir::{Func, Function, Inst, Module, Op, Value};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "drop-masks",
    summary: "leaves out masks of bits that nobody asks for",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::Calls],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
fn run(module: &mut Module, _: &mut PassContext<'_>) -> Changed {
    if module.entry.is_none() {
        return Changed::No;
    }
    let low = LowBits::compute(module);
    let mut changed = false;
    for (id, func) in &mut module.funcs {
        let mut renaming = Renaming::new();
        let mut is_found = false;
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            if let Some(whole) = masked(func, id, inst, &low) {
                renaming[func.dfg.result(inst)] = whole.into();
                is_found = true;
            }
        }
        if is_found {
            rename_through(func, &mut renaming);
            changed = true;
        }
    }
    Changed::from(changed)
}

/// The operand that an instruction takes bits off which nobody asks for.
fn masked(func: &Function, id: Func, inst: Inst, low: &LowBits) -> Option<Value> {
    let Op::Evm(opcode @ (Opcode::AND | Opcode::SIGNEXTEND)) = func.dfg.op(inst) else { return None };
    let [one, other] = *func.dfg.args(inst) else { return None };
    let result = func.dfg.result(inst);
    let asked = usize::from(low.of(id, result));
    let keeps = |mask: Value| {
        let word = func.dfg.as_const(mask);
        word.is_some_and(|word| match opcode {
            Opcode::AND => !word & word::low_mask(asked) == Word::ZERO,
            _ => asked < Word::BITS && word >= Word::from(asked.div_ceil(8).max(1) - 1),
        })
    };
    let whole = match (keeps(one), keeps(other)) {
        (true, _) => other,
        (_, true) if opcode == Opcode::AND => one,
        _ => return None,
    };
    (asked > 0 && func.dfg.ty(whole) == func.dfg.ty(result)).then_some(whole)
}
