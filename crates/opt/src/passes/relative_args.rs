//! `relative-args`: passes a length where a function only wants the end of what it is given for that.
//!
//! ```text
//! func @decode(%start, %end)                     func @decode(%start, %length)
//!   %length = evm.sub %end, %start                 … %length …
//!   … %length …                            =>
//! %end = evm.add %p, %n
//! %x = evm.icall @decode(%p, %end)               %x = evm.icall @decode(%p, %n)
//! ```
//!
//! Fires for a parameter whose every use is as the minuend of a difference to one other parameter, if every
//! call of the function passes a sum of what it passes for the other, or two constants: then no call has to
//! compute anything. Solidity's decoders are such functions. They say no more than the length where a buffer
//! lies, which `elide-allocations` wants to know.
//!
//! The entry function stays, and so does every function of a module without one. Needs promotion, preserves
//! blocks and promotion. Cost: linear.

use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_analysis::callgraph;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Func, Function, Inst, Module, Op, SecondaryMap, Type, Value};
use cranelift_entity::packed_option::PackedOption;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "relative-args",
    summary: "passes lengths where functions only want them of ends",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
fn run(module: &mut Module, _: &mut PassContext<'_>) -> Changed {
    if module.entry.is_none() {
        return Changed::No;
    }
    let mut bases: SecondaryMap<Func, Vec<Base>> = SecondaryMap::new();
    for (id, func) in &module.funcs {
        if module.entry != Some(id) {
            bases[id] = bases_of_params(func);
        }
    }
    if bases.values().flatten().all(|base| base.param().is_none()) {
        return Changed::No;
    }
    module.funcs.values().for_each(|func| keep_what_calls_allow(func, &mut bases));
    let mut changed = false;
    for (id, func) in module.funcs.iter_mut() {
        changed |= rewrite_calls(func, &bases);
        changed |= rewrite_body(func, &bases[id]);
    }
    Changed::from(changed)
}

/// What a parameter is only used in its difference to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Base {
    /// It is not used.
    #[default]
    Unused,
    /// This parameter.
    Param(usize),
    /// It is used otherwise.
    None,
}

impl Base {
    fn param(self) -> Option<usize> {
        match self {
            Base::Param(index) => Some(index),
            Base::Unused | Base::None => None,
        }
    }

    fn and(self, other: Base) -> Base {
        match self {
            Base::Unused => other,
            same if same == other => same,
            Base::Param(_) | Base::None => Base::None,
        }
    }
}

/// The parameters whose difference an instruction is: minuend and subtrahend.
fn difference(func: &Function, inst: Inst) -> Option<(usize, usize)> {
    if func.dfg.op(inst) != Op::Evm(Opcode::SUB) {
        return None;
    }
    let [minuend, subtrahend] = func.dfg.args(inst) else {
        return None;
    };
    let found = (func.param_index(*minuend)?, func.param_index(*subtrahend)?);
    (found.0 != found.1).then_some(found)
}

fn bases_of_params(func: &Function) -> Vec<Base> {
    let is_word = |param: &Value| func.dfg.ty(*param) == Type::U256;
    let start = |param: &Value| if is_word(param) { Base::Unused } else { Base::None };
    let mut bases: Vec<Base> = func.params().iter().map(start).collect();
    for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
        if let Some((minuend, subtrahend)) = difference(func, inst) {
            bases[minuend] = bases[minuend].and(Base::Param(subtrahend));
            bases[subtrahend] = Base::None;
            continue;
        }
        func.dfg.for_each_use(inst, |value| {
            if let Some(index) = func.param_index(value) {
                bases[index] = Base::None;
            }
        });
    }
    bases
}

/// What one value is more than another, as far as nothing has to be computed for it.
enum Length {
    Value(Value),
    Word(Word),
}

fn length(func: &Function, start: Value, end: Value) -> Option<Length> {
    if let (Some(start), Some(end)) = (func.dfg.as_const(start), func.dfg.as_const(end)) {
        return Some(Length::Word(end.wrapping_sub(start)));
    }
    let sum = func.dfg.def_inst(end).filter(|inst| func.dfg.op(*inst) == Op::Evm(Opcode::ADD))?;
    match *func.dfg.args(sum) {
        [a, b] if a == start => Some(b),
        [a, b] if b == start => Some(a),
        _ => None,
    }
    .map(Length::Value)
}

/// Calls of functions with parameters that have a base, with the callee.
fn calls<'a>(
    func: &'a Function,
    bases: &'a SecondaryMap<Func, Vec<Base>>,
) -> impl Iterator<Item = (Inst, Func)> + 'a {
    let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
    let has_base = |callee: &Func| bases[*callee].iter().any(|base| base.param().is_some());
    insts.filter_map(move |inst| Some((inst, callgraph::callee(func, inst).filter(has_base)?)))
}

/// Gives up the parameters for which a call would have to compute a difference.
fn keep_what_calls_allow(func: &Function, bases: &mut SecondaryMap<Func, Vec<Base>>) {
    let calls: Vec<(Inst, Func)> = calls(func, bases).collect();
    for (call, callee) in calls {
        let args = func.dfg.args(call);
        for (index, base) in bases[callee].iter_mut().enumerate() {
            if base.param().is_some_and(|start| length(func, args[start], args[index]).is_none()) {
                *base = Base::None;
            }
        }
    }
}

/// Makes the calls in a function pass lengths.
fn rewrite_calls(func: &mut Function, bases: &SecondaryMap<Func, Vec<Base>>) -> bool {
    let found: Vec<(Inst, Func)> = calls(func, bases).collect();
    for (call, callee) in &found {
        let mut args = func.dfg.args(*call).to_vec();
        for (index, base) in bases[*callee].iter().enumerate() {
            let Some(start) = base.param() else {
                continue;
            };
            let (start, end) = (func.dfg.args(*call)[start], func.dfg.args(*call)[index]);
            args[index] = match length(func, start, end).expect("invariant: each call was looked at") {
                Length::Value(value) => value,
                Length::Word(word) => {
                    let inst = func.make_constant(word, Type::U256);
                    func.layout.insert_inst_before(inst, *call);
                    func.dfg.result(inst)
                }
            };
        }
        func.dfg.args_mut(*call).copy_from_slice(&args);
    }
    !found.is_empty()
}

/// Uses the parameter where the body has the difference.
fn rewrite_body(func: &mut Function, bases: &[Base]) -> bool {
    let insts: Vec<Inst> = func.layout.blocks().flat_map(|block| func.layout.insts(block)).collect();
    let mut renaming: SecondaryMap<Value, PackedOption<Value>> = SecondaryMap::new();
    let mut changed = false;
    for inst in &insts {
        let Some((minuend, subtrahend)) = difference(func, *inst) else {
            continue;
        };
        if bases.get(minuend) == Some(&Base::Param(subtrahend)) {
            let param = func.params()[minuend];
            func.value_names.remove(&param);
            renaming[func.dfg.result(*inst)] = param.into();
            func.layout.remove_inst(*inst);
            changed = true;
        }
    }
    if changed {
        let Function { dfg, layout, .. } = func;
        for inst in layout.blocks().flat_map(|block| layout.insts(block)) {
            dfg.map_uses(inst, |value| renaming[value].expand().unwrap_or(value));
        }
    }
    changed
}
