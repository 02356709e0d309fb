//! Buffers that nobody but their pointer leads to.
//!
//! A *buffer* is what begins at a load of the pointer to free memory. In a module that keeps that pointer,
//! allocated memory is used through the word that was loaded for it (A19): where neither the word nor a sum of it
//! is stored, no other word leads there but what functions are passed and give back, which is followed.

use super::places::{Places, Shape};
use crate::pointer_word;
use cairn_analysis::{CallGraph, callgraph};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, Func, Inst, Module, Op, SecondaryMap, Value, ValueDef};
use std::cell::{Cell, OnceCell, RefCell};

/// Parameters and sums that are looked into for the pointer.
const DEPTH: u32 = 8;
/// Calls that are followed, in or out of functions, for one question.
const MAX_CALLS: u32 = 64;
/// Values that an address is looked into for parameters of its function.
const MAX_SLICE: usize = 64;

/// The buffers of a module.
pub(super) struct Buffers<'a> {
    module: &'a Module,
    graph: CallGraph,
    shapes: Vec<OnceCell<Shape>>,
    /// The calls of each function.
    calls: SecondaryMap<Func, Vec<(Func, Inst)>>,
    /// Calls that may still be followed.
    left: Cell<u32>,
    /// Parameters of blocks whose roots are looked for.
    open: RefCell<Vec<(Func, Block, usize)>>,
}

/// What an address is a sum of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    /// A load of the pointer to free memory.
    Load(Value),
    /// A parameter of the function.
    Param(Value, usize),
    /// What a loop's parameter was in the round before.
    Before,
}

impl<'a> Buffers<'a> {
    /// Linear.
    pub(super) fn new(module: &'a Module) -> Buffers<'a> {
        let mut calls: SecondaryMap<Func, Vec<(Func, Inst)>> = SecondaryMap::new();
        for (id, func) in &module.funcs {
            for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
                if let Some(callee) = callgraph::callee(func, inst) {
                    calls[callee].push((id, inst));
                }
            }
        }
        let shapes = module.funcs.keys().map(|_| OnceCell::new()).collect();
        Buffers {
            module,
            graph: CallGraph::compute(module),
            shapes,
            calls,
            left: Cell::new(0),
            open: RefCell::default(),
        }
    }

    /// True if an address of a function surely is in a buffer that the other one is not in.
    pub(super) fn are_apart(&self, id: Func, inside: Value, other: Value) -> bool {
        self.left.set(MAX_CALLS);
        self.is_none_inside(id, inside, &[other])
    }

    /// The same for several others.
    fn is_none_inside(&self, id: Func, inside: Value, others: &[Value]) -> bool {
        let root = self.root_of(id, inside, DEPTH);
        let Some(Root::Load(pointer) | Root::Param(pointer, _)) = root else { return false };
        let Some(places) = self.places_of(id, pointer) else { return false };
        if others.iter().any(|other| places.contains(*other)) {
            return false;
        }
        match root {
            Some(Root::Param(_, index)) => self.is_none_inside_for_callers(id, index, others),
            _ => true,
        }
    }

    /// The same for the arguments of all calls of a function, of which the one with this index is the address.
    fn is_none_inside_for_callers(&self, id: Func, index: usize, others: &[Value]) -> bool {
        let is_known = self.module.entry.is_some_and(|entry| entry != id) && !self.graph.is_recursive(id);
        let Some(params) = self.params_behind(id, others).filter(|_| is_known) else { return false };
        self.calls[id].iter().all(|(caller, call)| {
            let args = self.module.funcs[*caller].dfg.args(*call);
            let others: Vec<Value> = params.iter().map(|param| args[*param]).collect();
            self.follow_call().is_some() && self.is_none_inside(*caller, args[index], &others)
        })
    }

    fn follow_call(&self) -> Option<()> {
        self.left.set(self.left.get().checked_sub(1)?);
        Some(())
    }

    fn shape(&self, id: Func) -> &Shape {
        self.shapes[id.as_u32() as usize].get_or_init(|| Shape::of(&self.module.funcs[id]))
    }

    fn places_of(&self, id: Func, pointer: Value) -> Option<Places> {
        Places::of(&self.module.funcs[id], self.shape(id), pointer, |callee, index| {
            self.follow_call()?;
            if self.graph.is_recursive(callee) {
                return None;
            }
            self.places_of(callee, self.module.funcs[callee].params()[index]).map(|places| places.results)
        })
    }

    /// What an address is a sum of, whichever way it came.
    fn root_of(&self, id: Func, address: Value, depth: u32) -> Option<Root> {
        if depth == 0 {
            return None;
        }
        let func = &self.module.funcs[id];
        let inst = match func.dfg.def(address) {
            ValueDef::Param(block, index) if block == func.layout.entry() => {
                return Some(Root::Param(address, usize::from(index)));
            }
            ValueDef::Param(block, index) => {
                return self.root_of_param(id, block, usize::from(index), depth);
            }
            ValueDef::Result(inst, _) => inst,
        };
        if pointer_word::is_loaded(func, inst) {
            return Some(Root::Load(address));
        }
        let args = func.dfg.args(inst);
        match func.dfg.op(inst) {
            Op::Evm(Opcode::ADD) | Op::PtrAdd => self.root_of_sum(id, args[0], args[1], depth),
            Op::PtrToInt | Op::IntToPtr => self.root_of(id, args[0], depth - 1),
            Op::Icall => self.root_of_result(id, inst, address, depth),
            _ => None,
        }
    }

    /// A load before a parameter, which may be a number.
    fn root_of_sum(&self, id: Func, first: Value, second: Value, depth: u32) -> Option<Root> {
        let roots = [first, second].map(|value| self.root_of(id, value, depth - 1));
        match roots {
            [Some(root @ Root::Load(_)), None | Some(Root::Param(..))] if self.goes_up(id, second) => {
                Some(root)
            }
            [None | Some(Root::Param(..)), Some(root @ Root::Load(_))] if self.goes_up(id, first) => {
                Some(root)
            }
            [Some(root), None] if self.goes_up(id, second) => Some(root),
            [None, Some(root)] if self.goes_up(id, first) => Some(root),
            _ => None,
        }
    }

    /// False for what may be the way from a buffer to another: a difference, or a negative number.
    fn goes_up(&self, id: Func, added: Value) -> bool {
        let dfg = &self.module.funcs[id].dfg;
        if let Some(word) = dfg.as_const(added) {
            return word >> pointer_word::BITS == Word::ZERO;
        }
        dfg.def_inst(added).is_none_or(|inst| dfg.op(inst) != Op::Evm(Opcode::SUB))
    }

    /// The same root for every edge into a block.
    fn root_of_param(&self, id: Func, block: Block, index: usize, depth: u32) -> Option<Root> {
        if self.open.borrow().contains(&(id, block, index)) {
            return Some(Root::Before);
        }
        self.open.borrow_mut().push((id, block, index));
        let mut roots = Vec::new();
        self.for_each_arg(id, block, index, |arg| roots.push(self.root_of(id, arg, depth - 1)));
        self.open.borrow_mut().pop();
        the_only_one(roots)
    }

    /// The root of what a function is passed that gives back a sum of it.
    fn root_of_result(&self, id: Func, call: Inst, result: Value, depth: u32) -> Option<Root> {
        let func = &self.module.funcs[id];
        let callee = callgraph::callee(func, call).filter(|callee| !self.graph.is_recursive(*callee))?;
        let index = func.dfg.results(call).iter().position(|value| *value == result)?;
        let body = &self.module.funcs[callee];
        let ends = self.shape(callee).cfg.rpo().iter().filter_map(|block| body.terminator(*block));
        let returns = ends.filter(|end| body.dfg.op(*end) == Op::Iret);
        let roots = returns.map(|end| self.root_of(callee, body.dfg.args(end)[index], depth - 1)).collect();
        self.follow_call()?;
        match the_only_one(roots)? {
            Root::Param(_, param) => self.root_of(id, func.dfg.args(call)[param], depth - 1),
            Root::Load(_) | Root::Before => None,
        }
    }

    fn for_each_arg(&self, id: Func, block: Block, index: usize, mut visit: impl FnMut(Value)) {
        let func = &self.module.funcs[id];
        let mut last = None;
        for pred in self.shape(id).cfg.preds(block) {
            // Repeated edges from one block stand together.
            if last.replace(*pred) == Some(*pred) {
                continue;
            }
            if let Some(end) = func.terminator(*pred) {
                func.dfg.for_each_target(end, |call| {
                    if call.block == block {
                        visit(func.dfg.call_args(call)[index]);
                    }
                });
            }
        }
    }

    /// The parameters of a function that words may be made of; what is loaded is no place in a buffer that is not
    /// stored.
    fn params_behind(&self, id: Func, values: &[Value]) -> Option<Vec<usize>> {
        let func = &self.module.funcs[id];
        let mut params = Vec::new();
        let mut seen: Vec<Value> = values.to_vec();
        let mut next = 0;
        while let Some(value) = seen.get(next).copied() {
            next += 1;
            let mut found = Vec::new();
            match func.dfg.def(value) {
                ValueDef::Param(block, index) if block == func.layout.entry() => {
                    params.push(usize::from(index));
                }
                ValueDef::Param(block, index) => {
                    self.for_each_arg(id, block, usize::from(index), |arg| found.push(arg));
                }
                ValueDef::Result(inst, _) => {
                    let op = func.dfg.op(inst);
                    if op == Op::Icall || op.effects().is_pure() {
                        found.extend_from_slice(func.dfg.args(inst));
                    }
                }
            }
            found.retain(|value| !seen.contains(value));
            seen.extend(found);
            if seen.len() > MAX_SLICE {
                return None;
            }
        }
        Some(params)
    }
}

/// The root that all of some have but for those that are the round before's.
fn the_only_one(roots: Vec<Option<Root>>) -> Option<Root> {
    let mut found = Root::Before;
    for root in roots {
        match root? {
            Root::Before => {}
            root if found == Root::Before || found == root => found = root,
            _ => return None,
        }
    }
    Some(found)
}
