//! What is needed: instructions that somebody can observe, and all that they are computed from.
//!
//! An instruction is needed if it is a *root*, as the caller says, or computes a needed value; an argument
//! of an edge only if the parameter it goes to is needed. So values that only keep each other alive around
//! a loop are not. Parameters of the entry block are needed: they are the function's. A store to a *slot*
//! (an `alloca`) is needed only if something else needs the slot's address, root or not. Traces keep
//! nothing alive and stay as long as something gives their values.
//!
//! Blocks stay as they are; each ends in its only terminator. Cost: linear.

use cairn_evm::Opcode;
use cairn_ir::debug::traces;
use cairn_ir::{Block, EntityRef, Function, Inst, Op, SecondaryMap, Value, ValueDef, sized};

/// Which instructions and values are needed.
pub struct Needed {
    insts: Vec<bool>,
    values: Vec<bool>,
}

impl Needed {
    /// Everything that roots need. Terminators are roots whatever `is_root` says.
    pub fn compute(func: &Function, is_root: impl Fn(Inst) -> bool) -> Needed {
        let mut needed =
            Needed { insts: vec![false; func.dfg.num_insts()], values: vec![false; func.dfg.num_values()] };
        let mut stores: Vec<(Value, Inst)> = Vec::new();
        let mut work: Vec<Value> = Vec::new();
        func.params().iter().for_each(|param| needed.use_value(*param, &mut work));
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            if let Some(slot) = slot_stored_to(func, inst) {
                stores.push((slot, inst));
            } else if func.dfg.op(inst).is_terminator() || is_root(inst) {
                needed.keep(func, inst, &mut work);
            }
        }
        stores.sort_unstable();
        let edges = ParamArguments::compute(func);
        while let Some(value) = work.pop() {
            match func.dfg.def(value) {
                ValueDef::Result(inst, _) => {
                    needed.keep(func, inst, &mut work);
                    stores_to(&stores, value).for_each(|store| needed.keep(func, store, &mut work));
                }
                ValueDef::Param(block, index) => {
                    edges.of(block, index).for_each(|value| needed.use_value(value, &mut work));
                }
            }
        }
        for inst in traces(func) {
            let is_given = |value: &Value| {
                let def = func.dfg.def_inst(*value);
                needed.has_value(*value) || def.is_some_and(|def| needed.has_inst(def))
            };
            needed.insts[inst.index()] = func.dfg.args(inst).iter().all(is_given);
        }
        needed
    }

    /// True for an instruction that has to stay.
    #[inline]
    pub fn has_inst(&self, inst: Inst) -> bool {
        self.insts[inst.index()]
    }

    /// True for a value that something needs.
    pub fn has_value(&self, value: Value) -> bool {
        self.values[value.index()]
    }

    fn keep(&mut self, func: &Function, inst: Inst, work: &mut Vec<Value>) {
        if !std::mem::replace(&mut self.insts[inst.index()], true) {
            func.dfg.args(inst).iter().for_each(|arg| self.use_value(*arg, work));
        }
    }

    fn use_value(&mut self, value: Value, work: &mut Vec<Value>) {
        if !std::mem::replace(&mut self.values[value.index()], true) {
            work.push(value);
        }
    }

    /// Removes the instructions and parameters that are not needed; true if there were any.
    pub fn remove_others(&self, func: &mut Function) -> bool {
        let mut changed = false;
        let entry = func.layout.entry();
        let blocks: Vec<Block> = func.layout.blocks().collect();
        let mut has_dead_param = vec![false; func.num_blocks()];
        for block in blocks.iter().filter(|block| **block != entry) {
            let params = func.dfg.params(*block);
            has_dead_param[block.index()] = params.iter().any(|param| !self.has_value(*param));
        }
        for block in &blocks {
            let mut next = func.layout.first_inst(*block);
            while let Some(inst) = next {
                next = func.layout.next_inst(inst);
                if !self.has_inst(inst) {
                    func.layout.remove_inst(inst);
                    changed = true;
                }
            }
            if let Some(terminator) = func.terminator(*block) {
                drop_dead_arguments(func, terminator, &has_dead_param, self);
            }
        }
        for block in blocks.into_iter().filter(|block| has_dead_param[block.index()]) {
            func.dfg.retain_params(block, |_, param| self.has_value(param));
            changed = true;
        }
        changed
    }
}

fn drop_dead_arguments(func: &mut Function, terminator: Inst, has_dead_param: &[bool], needed: &Needed) {
    let mut any_dead = false;
    func.dfg.for_each_target(terminator, |call| any_dead |= has_dead_param[call.block.index()]);
    if !any_dead {
        return;
    }
    let mut live_params: Vec<Vec<bool>> = Vec::new();
    func.dfg.for_each_target(terminator, |call| {
        let params = func.dfg.params(call.block);
        live_params.push(params.iter().map(|param| needed.has_value(*param)).collect());
    });
    let mut live_params = live_params.into_iter();
    func.dfg.map_targets(terminator, |block, args| {
        let is_live = live_params.next().expect("invariant: one list for each target");
        // The entry keeps its parameters, and nothing jumps there.
        (block, args.iter().zip(is_live).filter(|(_, is_live)| *is_live).map(|(arg, _)| *arg).collect())
    });
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
        let mut first_param = sized(func.num_blocks());
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

/// Those of some stores, in the order of their slots, that go to one slot.
fn stores_to(stores: &[(Value, Inst)], slot: Value) -> impl Iterator<Item = Inst> + '_ {
    let start = stores.partition_point(|(other, _)| *other < slot);
    stores[start..].iter().take_while(move |(other, _)| *other == slot).map(|(_, inst)| *inst)
}

/// The slot that an instruction stores to.
fn slot_stored_to(func: &Function, inst: Inst) -> Option<Value> {
    if !func.dfg.may_have_alloca() || func.dfg.op(inst) != Op::Evm(Opcode::MSTORE) {
        return None;
    }
    let place = func.dfg.args(inst)[0];
    let def = func.dfg.def_inst(place)?;
    (func.dfg.op(def) == Op::Alloca).then_some(place)
}
