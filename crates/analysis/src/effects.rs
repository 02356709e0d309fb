//! What each function reads and writes, the functions it calls included.
//!
//! An internal call has the union of the effects of what it runs: the worst case of
//! [`Op::effects`] is for those who don't know the callee. `HALT` is in the summary when the call
//! may do anything but return.

use crate::callgraph::{CallGraph, Ends, callee};
use cairn_evm::Effects;
use cairn_ir::{Func, Function, Inst, Module, Op};
use cranelift_entity::SecondaryMap;

/// Effects of every function of a module.
#[derive(Clone, Debug, Default)]
pub struct FuncEffects {
    summaries: SecondaryMap<Func, Summary>,
}

#[derive(Clone, Copy, Debug)]
struct Summary(Effects);

impl Default for Summary {
    fn default() -> Self {
        Summary(Effects::empty())
    }
}

impl FuncEffects {
    /// One pass over the functions, callees first; functions that call each other share a summary.
    pub fn compute(module: &Module, graph: &CallGraph) -> FuncEffects {
        let mut found = FuncEffects::default();
        for component in graph.components() {
            let mut union = Effects::empty();
            for id in component {
                union |= found.effects_of_body(&module.funcs[*id]);
            }
            for id in component {
                let halts = if graph.ends(*id).intersects(Ends::all() - Ends::RETURN) {
                    Effects::HALT
                } else {
                    Effects::empty()
                };
                found.summaries[*id] = Summary(union | halts);
            }
        }
        found
    }

    /// Effects of calling `func`. `MAY_FAIL` and `HALT` say that control may not come back.
    pub fn of_func(&self, func: Func) -> Effects {
        self.summaries[func].0
    }

    /// Effects of an instruction, summaries used for internal calls.
    pub fn of_inst(&self, func: &Function, inst: Inst) -> Effects {
        match callee(func, inst) {
            Some(callee) => self.of_func(callee),
            None => func.dfg.op(inst).effects(),
        }
    }

    /// Callees in the same component count as nothing yet, which is right: their bodies are in
    /// the same union.
    fn effects_of_body(&self, func: &Function) -> Effects {
        let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
        let effects = insts.filter(|inst| !is_memory_reservation(func.dfg.op(*inst)));
        effects.map(|inst| self.of_inst(func, inst)).fold(Effects::empty(), Effects::union)
    }
}

/// Reserving frame memory happens before the program runs.
fn is_memory_reservation(op: Op) -> bool {
    matches!(op, Op::Alloca | Op::HeapBase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_evm::{Opcode, Word};
    use cairn_ir::{EntityRef, FuncBuilder, Signature};

    fn add_func(module: &mut Module, ops: &[Opcode], calls: &[usize]) {
        let mut func = Function::new("f", Signature::default());
        let entry = func.make_block();
        func.layout.append_block(entry);
        let mut b = FuncBuilder::at(&mut func, entry);
        let zero = b.constant(Word::ZERO);
        for op in ops {
            b.evm(*op, &vec![zero; op.known().inputs as usize]);
        }
        for callee in calls {
            b.icall(Func::new(*callee), &Signature::default(), &[]);
        }
        if !b.is_terminated() {
            b.iret(&[]);
        }
        module.funcs.push(func);
    }

    fn summaries(funcs: &[(&[Opcode], &[usize])]) -> Vec<Effects> {
        let mut module = Module::new("m");
        funcs.iter().for_each(|(ops, calls)| add_func(&mut module, ops, calls));
        let effects = FuncEffects::compute(&module, &CallGraph::compute(&module));
        module.funcs.keys().map(|func| effects.of_func(func)).collect()
    }

    #[test]
    fn effects_are_transitive() {
        let found = summaries(&[(&[Opcode::SLOAD], &[1]), (&[Opcode::TLOAD], &[2]), (&[], &[])]);
        assert_eq!(found[2], Effects::empty());
        assert_eq!(found[1], Effects::READ_TRANSIENT);
        assert_eq!(found[0], Effects::READ_TRANSIENT | Effects::READ_STORAGE);
        assert!(found[0].is_removable());
    }

    #[test]
    fn a_cycle_shares_its_effects_and_may_not_end() {
        let found = summaries(&[(&[Opcode::SLOAD], &[1]), (&[Opcode::TLOAD], &[0])]);
        assert_eq!(found[0], Effects::READ_TRANSIENT | Effects::READ_STORAGE | Effects::HALT);
        assert_eq!(found[0], found[1]);
    }

    #[test]
    fn a_call_that_may_revert_is_not_removable() {
        let found = summaries(&[(&[], &[1]), (&[Opcode::REVERT], &[])]);
        assert!(found[0].contains(Effects::HALT) && !found[0].is_removable());
    }
}
