//! Builds SSA form while a function is written: variables in, block parameters out.
//!
//! After Braun, Buchwald, Hack, Leißa, Mallon, Zwinkau, *Simple and Efficient Construction of
//! Static Single Assignment Form* (CC 2013), without recursion. Definitions:
//!
//! * a *variable* is what the front end assigns to; it has a type and no value before its first
//!   [`SsaBuilder::def`] (reading it then gives zero);
//! * an *edge* is one target of one terminator: a `condbr` with equal targets is two edges;
//! * a block is *sealed* when all edges into it are known. A read in a block that is not sealed
//!   gives a block parameter whose edge arguments are found when the block is sealed.
//!
//! How a front end uses it:
//!
//! ```
//! use cairn_ir::ssa_builder::SsaBuilder;
//! use cairn_ir::{FuncBuilder, Function, Signature, Type};
//! # use cairn_evm::{Opcode, Word};
//! let mut func = Function::new("f", Signature::default());
//! let (entry, header, exit) = (func.make_block(), func.make_block(), func.make_block());
//! [entry, header, exit].map(|block| func.layout.append_block(block));
//! let mut ssa = SsaBuilder::new();
//! let i = ssa.declare(Type::U256);
//! let mut b = FuncBuilder::at(&mut func, entry);
//! ssa.seal_block(b.func, entry); // no edge leads here
//! let zero = b.constant(Word::ZERO);
//! ssa.def(i, entry, zero); // i := 0
//! let jump = b.br(header, &[]);
//! ssa.add_edges(b.func, jump); // after each terminator
//! b.switch_to(header);
//! let old = ssa.use_var(b.func, i, header);
//! let one = b.constant(Word::from(1));
//! let new = b.evm_value(Opcode::ADD, &[old, one]);
//! ssa.def(i, header, new); // i := i + 1
//! let branch = b.cond_br(new, header, exit);
//! ssa.add_edges(b.func, branch);
//! ssa.seal_block(b.func, header); // the back edge is known now
//! ssa.seal_block(b.func, exit);
//! b.switch_to(exit);
//! b.evm(Opcode::STOP, &[]);
//! ssa.finish(&mut func);
//! assert_eq!(func.dfg.params(header).len(), 1);
//! ```
//!
//! [`SsaBuilder::finish`] is needed: only it passes arguments along edges, drops parameters that
//! turned out to be one value only or unused, and rewrites their uses. Values given out before may
//! have been replaced by it. Explicit block parameters and edge arguments may be used beside
//! variables; they come first. The entry block has no edges. Cost: near-linear in the number of
//! instructions plus, for each variable, the blocks between its definitions and its uses.

use crate::debug::drop_dead_traces;
use crate::dfg::Payload;
use crate::function::Function;
use crate::ids::{Block, Inst, Value};
use crate::op::Op;
use crate::types::Type;
use cairn_evm::Word;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use rustc_hash::FxHashMap;

/// A variable of a front end.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Variable(u32);
entity_impl!(Variable, "var");

/// A block parameter that may turn out to be superfluous.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Phi(u32);
entity_impl!(Phi, "phi");

#[derive(Clone, Debug)]
struct Edge {
    from: Block,
    terminator: Inst,
    target: u32,
}

#[derive(Clone, Debug, Default)]
struct BlockState {
    sealed: bool,
    edges: Vec<Edge>,
    phis: Vec<Phi>,
    incomplete: Vec<(Variable, Phi)>,
}

/// Operands are scanned once: `operands[..next]` are all `first` or the phi itself. Equality of
/// values only grows, so the scan goes on where it stopped when `first` or `operands[next]`, the
/// two witnesses that differ, are replaced.
#[derive(Clone, Debug)]
struct PhiData {
    value: Value,
    block: Block,
    operands: Vec<Value>,
    next: usize,
    first: PackedOption<Value>,
    watched: [PackedOption<Value>; 2],
    watchers: Vec<Phi>,
    live: bool,
}

/// What is known of a variable at the start of a block.
#[derive(Clone, Copy)]
enum Start {
    /// The predecessors are being asked.
    Pending,
    Known(Value),
}

enum Task {
    /// Find the value at the end of the block.
    Find(Block),
    /// Combine the values at the ends of the predecessors into that at the start of the block.
    Join(Block),
}

/// See the head of this module.
#[derive(Default)]
pub struct SsaBuilder {
    types: PrimaryMap<Variable, Type>,
    blocks: SecondaryMap<Block, BlockState>,
    ends: FxHashMap<(Block, Variable), Value>,
    starts: FxHashMap<(Block, Variable), Start>,
    zeros: FxHashMap<(Block, Type), Value>,
    phis: PrimaryMap<Phi, PhiData>,
    phi_of: SecondaryMap<Value, PackedOption<Phi>>,
    replacement: SecondaryMap<Value, PackedOption<Value>>,
}

impl SsaBuilder {
    /// A builder without variables.
    pub fn new() -> Self {
        SsaBuilder::default()
    }

    /// A new variable.
    pub fn declare(&mut self, ty: Type) -> Variable {
        self.types.push(ty)
    }

    /// The variable has this value from here on in `block`.
    pub fn def(&mut self, var: Variable, block: Block, value: Value) {
        self.ends.insert((block, var), value);
    }

    /// The value of the variable at the current end of `block`.
    pub fn use_var(&mut self, func: &mut Function, var: Variable, block: Block) -> Value {
        match self.ends.get(&(block, var)).copied() {
            Some(value) => self.resolve(value),
            None => self.use_at_start(func, var, block),
        }
    }

    /// Makes the edges of a terminator known. Their targets must not be sealed.
    pub fn add_edges(&mut self, func: &Function, terminator: Inst) {
        let from = func.layout.inst_block(terminator).expect("invariant: the terminator is in a block");
        let mut target = 0;
        func.dfg.for_each_target(terminator, |call| {
            let state = &mut self.blocks[call.block];
            assert_ne!(func.layout.first_block(), Some(call.block), "an edge into the entry block");
            assert!(!state.sealed, "an edge into {}, which is sealed", call.block);
            state.edges.push(Edge { from, terminator, target });
            target += 1;
        });
    }

    /// Says that all edges into `block` are known.
    pub fn seal_block(&mut self, func: &mut Function, block: Block) {
        let state = &mut self.blocks[block];
        assert!(!state.sealed, "{block} is sealed already");
        state.sealed = true;
        for (var, phi) in std::mem::take(&mut state.incomplete) {
            let preds: Vec<Block> = self.blocks[block].edges.iter().map(|edge| edge.from).collect();
            let operands = preds.iter().map(|pred| self.use_var(func, var, *pred)).collect();
            self.complete(func, phi, operands);
        }
    }

    pub(crate) fn is_sealed(&self, block: Block) -> bool {
        self.blocks[block].sealed
    }

    /// Uses of `value` become uses of `by` in [`SsaBuilder::finish`]. `by` must not have been made
    /// from `value`.
    pub(crate) fn replace(&mut self, value: Value, by: Value) {
        self.replacement[value] = self.resolve(by).into();
    }

    /// The value of the variable at the start of `block`, whatever is defined in it.
    fn use_at_start(&mut self, func: &mut Function, var: Variable, block: Block) -> Value {
        let mut tasks = Vec::new();
        let mut found: Vec<Value> = self.find_at_start(func, var, block, &mut tasks).into_iter().collect();
        while let Some(task) = tasks.pop() {
            let value = match task {
                Task::Find(block) => match self.ends.get(&(block, var)).copied() {
                    Some(value) => Some(value),
                    None => self.find_at_start(func, var, block, &mut tasks),
                },
                Task::Join(block) => {
                    let operands = found.split_off(found.len() - self.blocks[block].edges.len());
                    Some(self.join(func, var, block, operands))
                }
            };
            found.extend(value);
        }
        let value = found.pop().expect("invariant: each search finds one value");
        self.resolve(value)
    }

    /// The value at the start of `block`; `None` when tasks that find it were scheduled.
    fn find_at_start(
        &mut self,
        func: &mut Function,
        var: Variable,
        block: Block,
        tasks: &mut Vec<Task>,
    ) -> Option<Value> {
        let block = match self.skip_single_preds(var, block) {
            Ok(block) => block,
            Err(value) => return Some(value),
        };
        match self.starts.get(&(block, var)) {
            Some(Start::Known(value)) => return Some(*value),
            Some(Start::Pending) => return Some(self.make_phi(func, var, block).1),
            None => {}
        }
        let state = &self.blocks[block];
        if !state.sealed {
            let (phi, value) = self.make_phi(func, var, block);
            self.blocks[block].incomplete.push((var, phi));
            return Some(value);
        }
        if state.edges.is_empty() {
            let value = self.zero(func, self.types[var], block);
            self.starts.insert((block, var), Start::Known(value));
            return Some(value);
        }
        tasks.push(Task::Join(block));
        tasks.extend(state.edges.iter().rev().map(|edge| Task::Find(edge.from)));
        self.starts.insert((block, var), Start::Pending);
        None
    }

    /// Walks up to a block at whose start something must be done or remembered; or to the value, if
    /// a block on the way defines it. Bounded, so that cycles end and long ways are remembered.
    fn skip_single_preds(&self, var: Variable, mut block: Block) -> Result<Block, Value> {
        for _ in 0..8 {
            let state = &self.blocks[block];
            if !state.sealed || state.edges.len() != 1 || self.starts.contains_key(&(block, var)) {
                break;
            }
            block = state.edges[0].from;
            if let Some(value) = self.ends.get(&(block, var)) {
                return Err(*value);
            }
        }
        Ok(block)
    }

    /// The value at the start of a block whose predecessors' values are known. A parameter is made
    /// only when they differ or the search came round to the block itself.
    fn join(&mut self, func: &mut Function, var: Variable, block: Block, operands: Vec<Value>) -> Value {
        if let Some(Start::Known(value)) = self.starts.get(&(block, var)).copied() {
            let phi = self.phi_of[value].expect("invariant: a search that came round made a parameter");
            self.complete(func, phi, operands);
            return self.resolve(value);
        }
        let first = self.resolve(operands[0]);
        if operands.iter().all(|operand| self.resolve(*operand) == first) {
            self.starts.insert((block, var), Start::Known(first));
            return first;
        }
        let (phi, value) = self.make_phi(func, var, block);
        self.complete(func, phi, operands);
        value
    }

    fn make_phi(&mut self, func: &mut Function, var: Variable, block: Block) -> (Phi, Value) {
        let value = func.dfg.append_param(block, self.types[var]);
        let phi = self.phis.push(PhiData {
            value,
            block,
            operands: Vec::new(),
            next: 0,
            first: None.into(),
            watched: [None.into(); 2],
            watchers: Vec::new(),
            live: false,
        });
        self.phi_of[value] = phi.into();
        self.blocks[block].phis.push(phi);
        self.starts.insert((block, var), Start::Known(value));
        (phi, value)
    }

    /// A zero at the start of a block that nothing leads to, for a variable without a value.
    fn zero(&mut self, func: &mut Function, ty: Type, block: Block) -> Value {
        if let Some(value) = self.zeros.get(&(block, ty)) {
            return *value;
        }
        let int = if matches!(ty, Type::Ptr(..)) { Type::U256 } else { ty };
        let mut inst = func.make_constant(Word::ZERO, int);
        func.layout.prepend_inst(inst, block);
        if let Type::Ptr(..) = ty {
            let zero = func.dfg.result(inst);
            let cast = func.dfg.make_inst(Op::IntToPtr, &[zero], Payload::None);
            func.dfg.append_result(cast, ty);
            func.layout.insert_inst_after(cast, inst);
            inst = cast;
        }
        let value = func.dfg.result(inst);
        self.zeros.insert((block, ty), value);
        value
    }

    /// The value that stands for `value` now.
    fn resolve(&mut self, value: Value) -> Value {
        let mut at = value;
        while let Some(next) = self.replacement[at].expand() {
            if let Some(after) = self.replacement[next].expand() {
                self.replacement[at] = after.into();
            }
            at = next;
        }
        at
    }

    /// Gives a parameter its operands and removes it, and those that depend on it, if they are one
    /// value only.
    fn complete(&mut self, func: &mut Function, phi: Phi, operands: Vec<Value>) {
        self.phis[phi].operands = operands;
        let mut work = vec![phi];
        while let Some(phi) = work.pop() {
            let this = self.phis[phi].value;
            if self.replacement[this].is_some() {
                continue;
            }
            let [first, second] = self.scan(phi);
            if second.is_some() {
                self.watch(phi, [first, second]);
                continue;
            }
            let only = first.unwrap_or_else(|| {
                let block = self.phis[phi].block;
                self.zero(func, func.dfg.ty(this), block)
            });
            self.replacement[this] = only.into();
            work.append(&mut self.phis[phi].watchers);
        }
    }

    /// Two operands that differ from each other and from the parameter, as far as there are such.
    fn scan(&mut self, phi: Phi) -> [Option<Value>; 2] {
        let this = self.phis[phi].value;
        let first = self.phis[phi].first.expand();
        let mut first = first.map(|first| self.resolve(first)).filter(|first| *first != this);
        let mut second = None;
        while let Some(operand) = self.phis[phi].operands.get(self.phis[phi].next).copied() {
            let operand = self.resolve(operand);
            if operand != this && first.is_some_and(|first| first != operand) {
                second = Some(operand);
                break;
            }
            if operand != this {
                first = Some(operand);
            }
            self.phis[phi].next += 1;
        }
        self.phis[phi].first = first.into();
        [first, second]
    }

    /// Has `phi` scanned again when one of the two values is replaced.
    fn watch(&mut self, phi: Phi, witnesses: [Option<Value>; 2]) {
        let watched = witnesses.map(PackedOption::from);
        let before = std::mem::replace(&mut self.phis[phi].watched, watched);
        for witness in witnesses.into_iter().flatten() {
            if before.contains(&witness.into()) {
                continue;
            }
            if let Some(other) = self.phi_of[witness].expand() {
                self.phis[other].watchers.push(phi);
            }
        }
    }

    /// Passes arguments along edges, drops superfluous parameters, rewrites their uses.
    ///
    /// # Panics
    /// If a block in which a variable was read was never sealed.
    pub fn finish(mut self, func: &mut Function) {
        self.mark_live(func);
        let Function { dfg, layout, .. } = func;
        for inst in layout.blocks().flat_map(|block| layout.insts(block)) {
            dfg.map_uses(inst, |value| self.resolve(value));
        }
        for block in self.blocks.keys() {
            self.materialize(func, block);
        }
        drop_dead_traces(func);
    }

    /// Marks the parameters that an instruction uses, directly or through other parameters.
    fn mark_live(&mut self, func: &Function) {
        let mut work = Vec::new();
        for block in func.layout.blocks() {
            for inst in func.layout.insts(block) {
                func.dfg.for_each_use(inst, |value| work.push(value));
                while let Some(value) = work.pop() {
                    let value = self.resolve(value);
                    let Some(phi) = self.phi_of[value].expand() else { continue };
                    if !std::mem::replace(&mut self.phis[phi].live, true) {
                        work.extend_from_slice(&self.phis[phi].operands);
                    }
                }
            }
        }
    }

    fn materialize(&mut self, func: &mut Function, block: Block) {
        let state = std::mem::take(&mut self.blocks[block]);
        assert!(state.incomplete.is_empty(), "{block} was never sealed");
        if state.phis.is_empty() {
            return;
        }
        let kept: Vec<Phi> = state.phis.iter().copied().filter(|phi| self.is_kept(*phi)).collect();
        if kept.len() < state.phis.len() {
            func.dfg.retain_params(block, |_, value| {
                let keep = self.phi_of[value].expand().is_none_or(|phi| self.is_kept(phi));
                if !keep {
                    func.value_names.remove(&value);
                }
                keep
            });
        }
        for (index, edge) in state.edges.iter().enumerate() {
            for phi in &kept {
                let operand = self.resolve(self.phis[*phi].operands[index]);
                func.dfg.append_call_arg(edge.terminator, edge.target as usize, operand);
            }
        }
    }

    fn is_kept(&self, phi: Phi) -> bool {
        let data = &self.phis[phi];
        data.live && self.replacement[data.value].is_none()
    }
}

#[cfg(test)]
mod tests;
