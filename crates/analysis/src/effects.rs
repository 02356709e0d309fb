//! What each function reads and writes, the functions it calls included.
//!
//! An internal call has the union of the effects of what it runs: the worst case of
//! [`Op::effects`](cairn_ir::Op::effects) is for those who don't know the callee. There are two
//! summaries: everything a call may do, and what it may have done *once it came back*: what is
//! done only on ways that fail or end the frame is seen by nobody behind the call. `HALT` is in
//! both when the call may do anything but return.

use crate::callgraph::{CallGraph, Ends, callee};
use crate::cfg::Cfg;
use cairn_evm::Effects;
use cairn_ir::{Block, EntityRef, Func, Function, Inst, Module, Op};
use cranelift_entity::SecondaryMap;

/// Effects of every function of a module.
#[derive(Clone, Debug, Default)]
pub struct FuncEffects {
    summaries: SecondaryMap<Func, Summary>,
}

#[derive(Clone, Copy, Debug)]
struct Summary {
    all: Effects,
    on_return: Effects,
}

impl Default for Summary {
    fn default() -> Self {
        Summary { all: Effects::empty(), on_return: Effects::empty() }
    }
}

impl FuncEffects {
    /// One pass over the functions, callees first; functions that call each other share a summary.
    pub fn compute(module: &Module, graph: &CallGraph) -> FuncEffects {
        FuncEffects::compute_with(module, graph, &Cfg::compute_all(module))
    }

    /// The same when the functions' control-flow graphs are known.
    pub fn compute_with(module: &Module, graph: &CallGraph, cfgs: &[Cfg]) -> FuncEffects {
        let mut found = FuncEffects::default();
        for component in graph.components() {
            let mut union = Summary::default();
            for id in component {
                let body = found.summarize_body(&module.funcs[*id], graph, &cfgs[id.index()]);
                union.all |= body.all;
                union.on_return |= body.on_return;
            }
            for id in component {
                let can_halt = graph.ends(*id).intersects(Ends::all() - Ends::RETURN);
                let halts = if can_halt { Effects::HALT } else { Effects::empty() };
                found.summaries[*id] = Summary { all: union.all | halts, on_return: union.on_return | halts };
            }
        }
        found
    }

    /// Effects of calling `func`. `MAY_FAIL` and `HALT` say that control may not come back.
    pub fn of_func(&self, func: Func) -> Effects {
        self.summaries[func].all
    }

    /// Effects of a call of `func` that came back, as seen behind it.
    pub fn of_func_on_return(&self, func: Func) -> Effects {
        self.summaries[func].on_return
    }

    /// Effects of an instruction, summaries used for internal calls.
    pub fn of_inst(&self, func: &Function, inst: Inst) -> Effects {
        match callee(func, inst) {
            Some(callee) => self.of_func(callee),
            None => func.dfg.op(inst).effects(),
        }
    }

    /// Effects of an instruction as seen behind it.
    pub fn of_inst_on_return(&self, func: &Function, inst: Inst) -> Effects {
        match callee(func, inst) {
            Some(callee) => self.of_func_on_return(callee),
            None => func.dfg.op(inst).effects(),
        }
    }

    /// Callees in the same component count as nothing yet, which is right: their bodies are in
    /// the same union.
    fn summarize_body(&self, func: &Function, graph: &CallGraph, cfg: &Cfg) -> Summary {
        let returns = reaches_return(func, cfg, graph);
        let mut summary = Summary::default();
        for block in cfg.rpo() {
            for inst in func.layout.insts(*block) {
                summary.all |= self.of_inst(func, inst);
                if returns[block.index()] {
                    summary.on_return |= self.of_inst_on_return(func, inst);
                }
            }
        }
        summary
    }
}

/// Blocks from which control can reach `iret`.
fn reaches_return(func: &Function, cfg: &Cfg, graph: &CallGraph) -> Vec<bool> {
    let ends_in_call = |block: Block| {
        func.layout
            .insts(block)
            .any(|inst| callee(func, inst).is_some_and(|callee| !graph.ends(callee).can_return()))
    };
    let is_return = |block: &Block| func.terminator(*block).is_some_and(|inst| func.dfg.op(inst) == Op::Iret);
    let mut reaches = vec![false; func.num_blocks()];
    let mut work: Vec<Block> = cfg.rpo().iter().copied().filter(is_return).collect();
    while let Some(block) = work.pop() {
        if !reaches[block.index()] && !ends_in_call(block) {
            reaches[block.index()] = true;
            work.extend(cfg.preds(block));
        }
    }
    reaches
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
    fn what_only_a_failing_way_does_is_not_seen_behind_the_call() {
        let mut module = Module::new("m");
        let mut func = Function::new("check", Signature::default());
        let entry = func.make_block();
        func.layout.append_block(entry);
        let mut b = FuncBuilder::at(&mut func, entry);
        let zero = b.constant(Word::ZERO);
        let loaded = b.evm_value(Opcode::SLOAD, &[zero]);
        let (fail, ok) = (b.append_block(), b.append_block());
        b.cond_br(loaded, fail, ok);
        b.switch_to(fail);
        b.evm(Opcode::MSTORE, &[zero, zero]);
        b.evm(Opcode::REVERT, &[zero, zero]);
        b.switch_to(ok);
        b.iret(&[]);
        let check = module.funcs.push(func);
        let effects = FuncEffects::compute(&module, &CallGraph::compute(&module));
        assert!(effects.of_func(check).contains(Effects::WRITE_MEMORY));
        assert_eq!(effects.of_func_on_return(check), Effects::READ_STORAGE | Effects::HALT);
    }

    #[test]
    fn a_call_that_may_revert_is_not_removable() {
        let found = summaries(&[(&[], &[1]), (&[Opcode::REVERT], &[])]);
        assert!(found[0].contains(Effects::HALT) && !found[0].is_removable());
    }
}
