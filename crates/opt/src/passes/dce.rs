//! `dce`: removes instructions and block parameters that nothing depends on.
//!
//! An instruction is live if it has an effect that somebody can observe, ends a block, or computes
//! a live value; an argument of an edge only if the parameter it goes to is live. Values that only
//! keep each other alive around a loop are dead.
//!
//! ```text
//! ^loop(%i : u256, %unused : u256):       ^loop(%i : u256):
//!   %next = evm.add %unused, %i      =>     …
//!   … evm.br ^loop(%j, %next)                evm.br ^loop(%j)
//! ```
//!
//! Loads that only grow memory go too, unless the program observes the size of memory (A2).
//! Stores to slots (`alloca`s whose address is only stored to) go. Calls of functions that surely
//! return and have no effect go.
//!
//! Needs nothing. Preserves blocks. Cost: linear.

use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_evm::{Effects, Opcode};
use cairn_ir::debug::traces;
use cairn_ir::{Block, EntityRef, Function, Inst, Op, SecondaryMap, Value, ValueDef};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "dce",
    summary: "removes instructions and parameters that nothing depends on",
    needs: &[],
    preserves: &[Property::Promoted, Property::Blocks, Property::LocalConstants, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, cx: &mut PassContext<'_>) -> Changed {
    let marks = Marks::compute(func, cx);
    Changed::from(sweep(func, &marks))
}

struct Marks {
    live_insts: Vec<bool>,
    live_values: Vec<bool>,
}

impl Marks {
    fn compute(func: &Function, cx: &PassContext<'_>) -> Marks {
        let mut marks = Marks {
            live_insts: vec![false; func.dfg.num_insts()],
            live_values: vec![false; func.dfg.num_values()],
        };
        let unread = unread_slots(func);
        let mut work: Vec<Value> = Vec::new();
        func.params().iter().for_each(|param| marks.use_value(*param, &mut work));
        for block in func.layout.blocks() {
            for inst in func.layout.insts(block) {
                if is_root(func, inst, cx) && !stores_to(func, inst, &unread) {
                    marks.keep(func, inst, &mut work);
                }
            }
        }
        let edges = ParamArguments::compute(func);
        while let Some(value) = work.pop() {
            match func.dfg.def(value) {
                ValueDef::Result(inst, _) => marks.keep(func, inst, &mut work),
                ValueDef::Param(block, index) => {
                    edges.of(block, index).for_each(|value| marks.use_value(value, &mut work));
                }
            }
        }
        // A trace keeps nothing alive, and stays as long as something gives its value.
        for inst in traces(func) {
            let is_given = |value: &Value| {
                let def = func.dfg.def_inst(*value);
                marks.live_values[value.index()] || def.is_some_and(|def| marks.live_insts[def.index()])
            };
            marks.live_insts[inst.index()] = func.dfg.args(inst).iter().all(is_given);
        }
        marks
    }

    fn keep(&mut self, func: &Function, inst: Inst, work: &mut Vec<Value>) {
        if !std::mem::replace(&mut self.live_insts[inst.index()], true) {
            func.dfg.args(inst).iter().for_each(|arg| self.use_value(*arg, work));
        }
    }

    fn use_value(&mut self, value: Value, work: &mut Vec<Value>) {
        if !std::mem::replace(&mut self.live_values[value.index()], true) {
            work.push(value);
        }
    }
}

/// True when an instruction must stay even if its results are unused.
fn is_root(func: &Function, inst: Inst, cx: &PassContext<'_>) -> bool {
    let op = func.dfg.op(inst);
    // The memory that `heap_base` reserves stays the program's even where nobody asks for its end.
    if op.is_terminator() || matches!(op, Op::DbgLabel | Op::HeapBase) {
        return true;
    }
    let effects = cx.summaries.effects.of_inst(func, inst);
    !effects.is_removable() || (cx.summaries.observes_msize && effects.contains(Effects::GROW_MEMORY))
}

/// Arguments that edges pass to each parameter, one parameter after the other.
struct ParamArguments {
    /// By block: the number of its first parameter.
    first_param: SecondaryMap<Block, u32>,
    /// By number of a parameter: where its arguments begin; they end where the next one's begin.
    starts: Vec<u32>,
    args: Vec<Value>,
}

impl ParamArguments {
    fn compute(func: &Function) -> ParamArguments {
        let mut first_param = SecondaryMap::new();
        first_param.resize(func.num_blocks());
        let mut n_params = 0u32;
        for block in func.layout.blocks() {
            first_param[block] = n_params;
            n_params += func.dfg.params(block).len() as u32;
        }
        let mut found =
            ParamArguments { first_param, starts: vec![0; n_params as usize + 1], args: Vec::new() };
        if n_params == 0 {
            return found;
        }
        let mut starts = std::mem::take(&mut found.starts);
        found.for_each_argument(func, |param, _| starts[param] += 1);
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        // Each start is an end yet: arguments are put before it.
        let mut args = vec![Value::from_u32(0); starts[n_params as usize] as usize];
        found.for_each_argument(func, |param, arg| {
            starts[param] -= 1;
            args[starts[param] as usize] = arg;
        });
        (found.starts, found.args) = (starts, args);
        found
    }

    fn for_each_argument(&self, func: &Function, mut f: impl FnMut(usize, Value)) {
        for terminator in func.layout.blocks().filter_map(|block| func.terminator(block)) {
            func.dfg.for_each_target(terminator, |call| {
                let first = self.first_param[call.block] as usize;
                for (index, arg) in func.dfg.call_args(call).iter().enumerate() {
                    f(first + index, *arg);
                }
            });
        }
    }

    fn of(&self, block: Block, index: u16) -> impl Iterator<Item = Value> + '_ {
        let param = self.first_param[block] as usize + usize::from(index);
        let range = match self.starts.get(param..param + 2) {
            Some([start, end]) => *start as usize..*end as usize,
            _ => 0..0,
        };
        self.args[range].iter().copied()
    }
}

/// Slots that are stored to and used for nothing else, by value.
fn unread_slots(func: &Function) -> Vec<bool> {
    let mut unread = vec![false; func.dfg.num_values()];
    let insts = || func.layout.blocks().flat_map(|block| func.layout.insts(block));
    let slots: Vec<Inst> = insts().filter(|inst| func.dfg.op(*inst) == Op::Alloca).collect();
    if slots.is_empty() {
        return unread;
    }
    slots.iter().for_each(|slot| unread[func.dfg.result(*slot).index()] = true);
    for inst in insts() {
        let is_store = func.dfg.op(inst) == Op::Evm(Opcode::MSTORE);
        let mut place = 0;
        func.dfg.for_each_use(inst, |value| {
            if !is_store || place > 0 {
                unread[value.index()] = false;
            }
            place += 1;
        });
    }
    unread
}

fn stores_to(func: &Function, inst: Inst, slots: &[bool]) -> bool {
    func.dfg.op(inst) == Op::Evm(Opcode::MSTORE) && slots[func.dfg.args(inst)[0].index()]
}

fn sweep(func: &mut Function, marks: &Marks) -> bool {
    let mut changed = false;
    let entry = func.layout.entry();
    let blocks: Vec<Block> = func.layout.blocks().collect();
    let mut has_dead_param = vec![false; func.num_blocks()];
    for block in blocks.iter().filter(|block| **block != entry) {
        let params = func.dfg.params(*block);
        has_dead_param[block.index()] = params.iter().any(|param| !marks.live_values[param.index()]);
    }
    for block in &blocks {
        let mut next = func.layout.first_inst(*block);
        while let Some(inst) = next {
            next = func.layout.next_inst(inst);
            if !marks.live_insts[inst.index()] {
                func.layout.remove_inst(inst);
                changed = true;
            }
        }
        if let Some(terminator) = func.terminator(*block) {
            drop_dead_arguments(func, terminator, &has_dead_param, marks);
        }
    }
    for block in blocks.into_iter().filter(|block| has_dead_param[block.index()]) {
        func.dfg.retain_params(block, |_, param| marks.live_values[param.index()]);
        changed = true;
    }
    changed
}

fn drop_dead_arguments(func: &mut Function, terminator: Inst, has_dead_param: &[bool], marks: &Marks) {
    let mut any_dead = false;
    func.dfg.for_each_target(terminator, |call| any_dead |= has_dead_param[call.block.index()]);
    if !any_dead {
        return;
    }
    let mut live_params: Vec<Vec<bool>> = Vec::new();
    func.dfg.for_each_target(terminator, |call| {
        let params = func.dfg.params(call.block);
        live_params.push(params.iter().map(|param| marks.live_values[param.index()]).collect());
    });
    let mut live_params = live_params.into_iter();
    func.dfg.map_targets(terminator, |block, args| {
        let is_live = live_params.next().expect("invariant: one list for each target");
        // The entry keeps its parameters, and nothing jumps there.
        (block, args.iter().zip(is_live).filter(|(_, is_live)| *is_live).map(|(arg, _)| *arg).collect())
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{body, lines, parse, run_on_body, run_on_module};
    use cairn_ir::Func;

    fn dce(header: &str, text: &str) -> (Changed, String) {
        run_on_body(header, text, &[run])
    }

    #[test]
    fn unused_pure_values_and_loads_go() {
        let (changed, text) = dce(
            "(%x : u256)",
            "^e:
               %s = evm.add %x, %x : u256
               %m = evm.mload %s : u256
               %l = evm.sload %x : u256
               evm.iret",
        );
        assert_eq!((changed, text), (Changed::Yes, lines("^e:\n evm.iret")));
    }

    #[test]
    fn reserved_memory_stays_reserved() {
        let (changed, text) = dce("()", "^e:\n %h = evm.heap_base 1024 : ptr<0>\n evm.iret");
        assert_eq!(
            (changed, text),
            (Changed::No, lines("^e:\n %h = evm.heap_base 1024 : ptr<0>\n evm.iret"))
        );
    }

    #[test]
    fn effects_stay() {
        let body = "^e:
               evm.sstore %x, %x
               evm.mstore %x, %x
               %r = evm.returndatasize : u256
               evm.returndatacopy %x, %x, %r
               evm.log0 %x, %x
               evm.iret";
        assert_eq!(dce("(%x : u256)", body), (Changed::No, lines(body)));
    }

    #[test]
    fn loads_stay_where_the_size_of_memory_is_observed() {
        let (changed, _) = dce(
            "(%x : u256) -> u256",
            "^e:
               %m = evm.mload %x : u256
               %s = evm.msize : u256
               evm.iret %s",
        );
        assert_eq!(changed, Changed::No);
    }

    #[test]
    fn a_cycle_of_dead_parameters_goes() {
        let (_, text) = dce(
            "(%x : u256)",
            "^e:
               evm.br ^loop(%x, %x)
             ^loop(%i : u256, %dead : u256):
               %next = evm.add %dead, %i : u256
               evm.condbr %i, ^loop(%x, %next), ^done
             ^done:
               evm.iret",
        );
        let expected = "^e:
               evm.br ^loop(%x)
             ^loop(%i : u256):
               evm.condbr %i, ^loop(%x), ^done
             ^done:
               evm.iret";
        assert_eq!(text, lines(expected));
    }

    #[test]
    fn stores_to_slots_that_are_never_loaded_go() {
        let (_, text) = dce(
            "(%x : u256)",
            "^e:
               %s = evm.alloca 32 : ptr<0>
               evm.mstore %s, %x
               evm.iret",
        );
        assert_eq!(text, lines("^e:\n evm.iret"));
    }

    #[test]
    fn a_slot_whose_address_is_used_otherwise_stays() {
        let (changed, _) = dce(
            "(%x : u256)",
            "^e:
               %s = evm.alloca 32 : ptr<0>
               evm.mstore %s, %x
               %a = evm.ptrtoint %s : u256
               evm.sstore %x, %a
               evm.iret",
        );
        assert_eq!(changed, Changed::No);
    }

    #[test]
    fn calls_without_effect_go_and_those_that_may_not_return_stay() {
        let mut module = parse(
            "module @m {
               func @f(%x : u256) {
               ^e:
                 %a = evm.icall @pure(%x) : u256
                 %b = evm.icall @fails(%x) : u256
                 evm.iret
               }
               func @pure(%x : u256) -> u256 {
               ^e:
                 evm.iret %x
               }
               func @fails(%x : u256) -> u256 {
               ^e:
                 evm.condbr %x, ^bad, ^good
               ^bad:
                 evm.revert %x, %x
               ^good:
                 evm.iret %x
               }
             }",
        );
        run_on_module(&mut module, &[run]);
        let expected = lines("^e:\n %b = evm.icall @fails(%x) : u256\n evm.iret");
        assert_eq!(body(&module, Func::from_u32(0)), expected);
    }
}
