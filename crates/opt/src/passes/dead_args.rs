//! `dead-args`: drops parameters and results that say nothing.
//!
//! * a parameter that the body does not use;
//! * a parameter that is the same constant at every call: the body gets the constant;
//! * a result that no call uses, and every result of a function that never returns;
//! * a result that is always the same constant or one of the parameters: callers use that.
//!
//! ```text
//! func @f(%x, %flag) -> (u256, u256)        func @f(%x) -> u256
//!   … evm.iret %y, %x                         … evm.iret %y
//! %a, %b = evm.icall @f(%p, 1)        =>    %a = evm.icall @f(%p)          (%b is %p)
//! ```
//!
//! The entry function keeps its signature, so does every function of a module without one. Needs
//! promotion, preserves blocks and promotion. Cost: linear.

use crate::edit::{Renaming, rename_through};
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_analysis::callgraph;
use cairn_evm::Word;
use cairn_ir::{Func, Function, Inst, Module, Op, Payload, SecondaryMap, Type, Value, ValueDef};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "dead-args",
    summary: "drops parameters and results that say nothing",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
pub(crate) fn run(module: &mut Module, _: &mut PassContext<'_>) -> Changed {
    if module.entry.is_none() {
        return Changed::No;
    }
    let plans = compute_plans(module);
    let mut changed = false;
    for (id, func) in module.funcs.iter_mut() {
        changed |= rewrite_calls(func, &plans);
        changed |= rewrite_function(func, &plans[id]);
    }
    Changed::from(changed)
}

/// What is known of one parameter or result over all calls or returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Nothing,
    Word(Word),
    Param(usize),
    Different,
}

impl Seen {
    fn and(self, other: Seen) -> Seen {
        match self {
            Seen::Nothing => other,
            same if same == other => same,
            Seen::Word(_) | Seen::Param(_) | Seen::Different => Seen::Different,
        }
    }
}

/// What happens to a parameter or result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Keep,
    Drop,
    /// It is this word.
    Word(Word),
    /// The result is this parameter.
    Param(usize),
}

#[derive(Clone, Debug, Default)]
struct Plan {
    params: Vec<Fate>,
    results: Vec<Fate>,
}

impl Plan {
    fn is_idle(&self) -> bool {
        self.params.iter().chain(&self.results).all(|fate| *fate == Fate::Keep)
    }
}

/// What the scan of a module finds of a function.
#[derive(Clone, Debug, Default)]
struct Usage {
    is_param_used: Vec<bool>,
    passed: Vec<Seen>,
    is_result_used: Vec<bool>,
    returned: Vec<Seen>,
}

fn compute_plans(module: &Module) -> SecondaryMap<Func, Plan> {
    let mut usages: SecondaryMap<Func, Usage> = SecondaryMap::new();
    for (id, func) in &module.funcs {
        usages[id] = Usage {
            is_param_used: vec![false; func.signature.params.len()],
            passed: vec![Seen::Nothing; func.signature.params.len()],
            is_result_used: vec![false; func.signature.results.len()],
            returned: vec![Seen::Nothing; func.signature.results.len()],
        };
    }
    module.funcs.iter().for_each(|(id, func)| scan(id, func, &mut usages));
    let mut plans: SecondaryMap<Func, Plan> = SecondaryMap::new();
    for (id, func) in &module.funcs {
        if module.entry != Some(id) {
            plans[id] = plan(func, &usages[id]);
        }
    }
    plans
}

fn scan(id: Func, func: &Function, usages: &mut SecondaryMap<Func, Usage>) {
    for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
        func.dfg.for_each_use(inst, |value| match func.dfg.def(value) {
            ValueDef::Param(block, index) if block == func.layout.entry() => {
                usages[id].is_param_used[usize::from(index)] = true;
            }
            ValueDef::Result(call, index) => {
                if let Some(callee) = callgraph::callee(func, call) {
                    usages[callee].is_result_used[usize::from(index)] = true;
                }
            }
            ValueDef::Param(..) => {}
        });
        let args = func.dfg.args(inst);
        if let Some(callee) = callgraph::callee(func, inst) {
            for (seen, arg) in usages[callee].passed.iter_mut().zip(args) {
                *seen = seen.and(func.dfg.as_const(*arg).map_or(Seen::Different, Seen::Word));
            }
        }
        if func.dfg.op(inst) == Op::Iret {
            for (seen, arg) in usages[id].returned.iter_mut().zip(args) {
                *seen = seen.and(returned(func, *arg));
            }
        }
    }
}

fn returned(func: &Function, value: Value) -> Seen {
    if let Some(word) = func.dfg.as_const(value) {
        return Seen::Word(word);
    }
    func.param_index(value).map_or(Seen::Different, Seen::Param)
}

fn plan(func: &Function, usage: &Usage) -> Plan {
    let params = usage.is_param_used.iter().zip(&usage.passed).zip(&func.signature.params);
    let results = usage.is_result_used.iter().zip(&usage.returned).zip(&func.signature.results);
    let fate = |((is_used, seen), ty): ((&bool, &Seen), &Type)| match is_used {
        true => fate_of_used(*seen, *ty),
        false => Fate::Drop,
    };
    Plan { params: params.map(fate).collect(), results: results.map(fate).collect() }
}

fn fate_of_used(seen: Seen, ty: Type) -> Fate {
    match seen {
        // Nothing is ever returned: whoever uses the result is never reached.
        Seen::Nothing | Seen::Different => Fate::Keep,
        Seen::Word(word) if ty.bits().is_some() => Fate::Word(word),
        Seen::Word(_) => Fate::Keep,
        Seen::Param(index) => Fate::Param(index),
    }
}

/// Changes the signature, the parameters and the returns.
fn rewrite_function(func: &mut Function, plan: &Plan) -> bool {
    if plan.is_idle() {
        return false;
    }
    let entry = func.layout.entry();
    let params = func.params().to_vec();
    let mut renaming = Renaming::new();
    for (param, fate) in params.iter().zip(&plan.params) {
        if let Fate::Word(word) = fate {
            let inst = func.make_constant(*word, func.dfg.ty(*param));
            func.layout.prepend_inst(inst, entry);
            renaming[*param] = func.dfg.result(inst).into();
        }
    }
    let insts: Vec<Inst> = func.layout.blocks().flat_map(|block| func.layout.insts(block)).collect();
    for inst in insts {
        func.dfg.map_uses(inst, |value| renaming[value].expand().unwrap_or(value));
        if func.dfg.op(inst) == Op::Iret {
            let kept = kept(func.dfg.args(inst), &plan.results);
            func.dfg.replace_inst(inst, Op::Iret, &kept, Payload::None);
        }
    }
    func.dfg.retain_params(entry, |index, _| plan.params[index] == Fate::Keep);
    func.signature.params = kept(&func.signature.params, &plan.params);
    func.signature.results = kept(&func.signature.results, &plan.results);
    true
}

fn kept<T: Copy>(list: &[T], fates: &[Fate]) -> Vec<T> {
    list.iter().zip(fates).filter(|(_, fate)| **fate == Fate::Keep).map(|(item, _)| *item).collect()
}

/// Makes the calls in a function fit the changed signatures.
fn rewrite_calls(func: &mut Function, plans: &SecondaryMap<Func, Plan>) -> bool {
    let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
    let is_stale = |callee: &Func| !plans[*callee].is_idle();
    let stale = insts.filter_map(|inst| Some((inst, callgraph::callee(func, inst).filter(is_stale)?)));
    let stale: Vec<(Inst, Func)> = stale.collect();
    if stale.is_empty() {
        return false;
    }
    let mut renaming = Renaming::new();
    for (call, callee) in stale {
        rewrite_call(func, call, callee, &plans[callee], &mut renaming);
    }
    rename_through(func, &mut renaming);
    true
}

/// Puts a call with the kept operands and results in the place of `call`.
fn rewrite_call(func: &mut Function, call: Inst, callee: Func, plan: &Plan, renaming: &mut Renaming) {
    let args = func.dfg.args(call).to_vec();
    let results = func.dfg.results(call).to_vec();
    let new = func.dfg.make_inst(Op::Icall, &kept(&args, &plan.params), Payload::Func(callee));
    func.dfg.inst_mut(new).loc = func.dfg.inst(call).loc;
    func.layout.insert_inst_before(new, call);
    func.layout.remove_inst(call);
    for (result, fate) in results.into_iter().zip(&plan.results) {
        let replacement = match fate {
            Fate::Keep => func.dfg.append_result(new, func.dfg.ty(result)),
            Fate::Drop => continue,
            Fate::Word(word) => {
                let inst = func.make_constant(*word, func.dfg.ty(result));
                func.layout.insert_inst_before(inst, new);
                func.dfg.result(inst)
            }
            Fate::Param(index) => args[*index],
        };
        renaming[result] = replacement.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{lines, parse, run_module_pass};

    /// A module whose entry has the first body and whose function `f` is the second text.
    fn rewritten(entry: &str, f: &str) -> (Changed, String) {
        let mut module = parse(&format!("module @m {{ func @__entry() {{ {entry} }} {f} }}"));
        let changed = run_module_pass(&mut module, run);
        let text = cairn_ir::text::print(&module);
        let kept: Vec<&str> = text.lines().map(str::trim).filter(|line| line.len() > 1).collect();
        (changed, kept[2..].join("\n"))
    }

    #[test]
    fn unused_and_constant_parameters_and_results_go() {
        let (changed, text) = rewritten(
            "^e:
               %x = evm.callvalue : u256
               %k = evm.constant 7 : u256
               %a, %b, %c, %d = evm.icall @f(%x, %k, %x) : u256, u256, u256, u256
               evm.sstore %a, %b
               evm.sstore %c, %c
               evm.stop",
            "func @f(%p : u256, %seven : u256, %unused : u256) -> (u256, u256, u256, u256) {
             ^e:
               %s = evm.add %p, %seven : u256
               %one = evm.constant 1 : u256
               evm.iret %s, %p, %one, %s
             }",
        );
        let expected = "^e:
               %x = evm.callvalue : u256
               %k = evm.constant 7 : u256
               %0 = evm.constant 1 : u256
               %1 = evm.icall @f(%x) : u256
               evm.sstore %1, %x
               evm.sstore %0, %0
               evm.stop
             func @f(%p : u256) -> u256 {
             ^e:
               %0 = evm.constant 7 : u256
               %s = evm.add %p, %0 : u256
               %one = evm.constant 1 : u256
               evm.iret %s";
        assert_eq!((changed, text), (Changed::Yes, lines(expected)));
    }

    #[test]
    fn what_differs_between_calls_or_returns_stays() {
        let (changed, _) = rewritten(
            "^e:
               %k = evm.constant 7 : u256
               %j = evm.constant 8 : u256
               %a = evm.icall @f(%k) : u256
               %b = evm.icall @f(%j) : u256
               evm.sstore %a, %b
               evm.stop",
            "func @f(%p : u256) -> u256 {
             ^e:
               %one = evm.constant 1 : u256
               evm.condbr %p, ^a, ^b
             ^a:
               evm.iret %one
             ^b:
               evm.iret %p
             }",
        );
        assert_eq!(changed, Changed::No);
    }

    #[test]
    fn results_that_pass_through_two_calls_are_followed() {
        let (_, text) = rewritten(
            "^e:
               %x = evm.callvalue : u256
               %a = evm.icall @f(%x) : u256
               %b = evm.icall @f(%a) : u256
               evm.sstore %b, %a
               evm.stop",
            "func @f(%p : u256) -> u256 {
             ^e:
               evm.sstore %p, %p
               evm.iret %p
             }",
        );
        assert!(text.contains("evm.sstore %x, %x") && text.contains("evm.icall @f(%x)"), "{text}");
    }

    #[test]
    fn a_library_keeps_its_signatures() {
        let mut module = parse("module @m { func @f(%x : u256) -> u256 {\n ^e:\n evm.iret %x\n } }");
        assert_eq!(run_module_pass(&mut module, run), Changed::No);
    }
}
