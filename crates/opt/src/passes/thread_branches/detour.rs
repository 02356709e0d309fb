//! Blocks that stand for a crossing on one edge.

use super::BRANCH_GAS;
use crate::cost;
use crate::pass::PassContext;
use crate::passes::simplify::Foreseen;
use cairn_analysis::liveness::defining_block;
use cairn_ir::{Block, BlockCall, EntityRef, Function, Inst, Op, Payload, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::rc::Rc;

/// What values of a crossing are in a copy.
type Renaming = FxHashMap<Value, Value>;

/// The copy of a crossing, and of those behind it.
#[derive(Debug)]
pub(super) struct Detour {
    /// The block that holds it.
    pub(super) block: Block,
    /// What other blocks use of the crossings, and what that is in the copy.
    pub(super) values: SmallVec<[(Value, Value); 4]>,
}

/// The way from a crossing to a target: the edge, and what of the crossing has to be copied.
#[derive(Clone)]
struct Way {
    next: BlockCall,
    part: Rc<[Inst]>,
}

/// Leads edges on.
pub(super) struct Detours<'a, 'b> {
    func: &'a mut Function,
    cx: &'a PassContext<'b>,
    /// Values that other blocks than their own use.
    is_used_elsewhere: Vec<bool>,
    /// Addresses may be of memory that the function has.
    has_alloca: bool,
    /// By crossing and target; nothing where a copy does not pay.
    ways: FxHashMap<(Block, Block), Option<Way>>,
    made: Vec<Detour>,
}

impl<'a, 'b> Detours<'a, 'b> {
    pub(super) fn new(func: &'a mut Function, cx: &'a PassContext<'b>) -> Detours<'a, 'b> {
        let is_used_elsewhere = values_used_elsewhere(func);
        let has_alloca = func.has_alloca();
        Detours { func, cx, is_used_elsewhere, has_alloca, ways: FxHashMap::default(), made: Vec::new() }
    }

    /// The copies that were made.
    pub(super) fn finish(self) -> Vec<Detour> {
        self.made
    }

    /// Leads edges of one terminator past their crossings, where those are still there and that pays.
    pub(super) fn lead_on(&mut self, edges: &[Foreseen]) {
        let from = edges[0].from;
        if self.func.layout.inst_block(from).is_none() {
            return;
        }
        let mut calls: Vec<BlockCall> = Vec::new();
        self.func.dfg.for_each_target(from, |call| calls.push(*call));
        let mut detours: FxHashMap<usize, Block> = FxHashMap::default();
        for edge in edges {
            let call = calls.get(edge.target).filter(|call| call.block == edge.through);
            if let Some(block) = call.and_then(|call| self.detour(edge, call)) {
                detours.insert(edge.target, block);
            }
        }
        let mut targets = 0..;
        self.func.dfg.map_targets(from, |target, args| {
            match targets.next().and_then(|index| detours.get(&index)) {
                Some(block) => (*block, Vec::new()),
                None => (target, args.to_vec()),
            }
        });
    }

    /// A block that stands on an edge for the crossing and for those behind it, as far as that pays.
    fn detour(&mut self, edge: &Foreseen, call: &BlockCall) -> Option<Block> {
        let mut ways: SmallVec<[Way; 2]> = SmallVec::new();
        let mut through = edge.through;
        for to in &edge.row {
            let Some(way) = self.way(through, *to) else { break };
            ways.push(way);
            through = *to;
        }
        (!ways.is_empty()).then(|| self.copy(edge, call, &ways))
    }

    /// The way from a crossing to a target, if a copy of it pays.
    fn way(&mut self, through: Block, to: Block) -> Option<Way> {
        let known = self.ways.get(&(through, to)).cloned();
        let known = known.unwrap_or_else(|| {
            let next = self.way_on(through, to)?;
            Some(Way { next, part: self.needed_part(through, &next)? })
        });
        self.ways.insert((through, to), known.clone());
        known
    }

    /// The only edge from the crossing to the target that is taken.
    fn way_on(&self, through: Block, to: Block) -> Option<BlockCall> {
        let mut found: SmallVec<[BlockCall; 2]> = SmallVec::new();
        self.func.dfg.for_each_target(self.func.terminator(through)?, |call| {
            if call.block == to {
                found.push(*call);
            }
        });
        match found[..] {
            [call] => Some(call),
            _ => None,
        }
    }

    /// What of a crossing has an effect, is used elsewhere or by the edge that is taken. `None` if a copy
    /// of it does not pay.
    fn needed_part(&self, crossing: Block, next: &BlockCall) -> Option<Rc<[Inst]>> {
        let mut needed: FxHashSet<Value> = self.func.dfg.call_args(next).iter().copied().collect();
        let mut insts = Vec::new();
        let mut bytes = 0;
        if self.has_alloca && self.defines_for_others(crossing) {
            return None;
        }
        for inst in self.func.layout.insts_rev(crossing) {
            let results = self.func.dfg.results(inst);
            let is_needed = |value: &Value| needed.contains(value) || self.is_used_elsewhere[value.index()];
            let summaries = self.cx.summaries;
            let has_effect = summaries.is_seen(summaries.effects.of_inst(self.func, inst));
            if self.func.dfg.op(inst).is_terminator() || !(has_effect || results.iter().any(is_needed)) {
                continue;
            }
            self.func.dfg.for_each_use(inst, |value| {
                needed.insert(value);
            });
            bytes += cost::of_inst(self.func, inst, self.cx.options.fork).bytes;
            if bytes as f64 * self.cx.options.gas_per_byte() > BRANCH_GAS {
                return None;
            }
            insts.push(inst);
        }
        insts.reverse();
        Some(insts.into())
    }

    /// True for a block with values that others use.
    fn defines_for_others(&self, block: Block) -> bool {
        let is_used = |value: &Value| self.is_used_elsewhere[value.index()];
        let mut results = self.func.layout.insts(block).flat_map(|inst| self.func.dfg.results(inst));
        self.func.dfg.params(block).iter().any(is_used) || results.any(is_used)
    }

    /// Makes the copy.
    fn copy(&mut self, edge: &Foreseen, call: &BlockCall, ways: &[Way]) -> Block {
        let from = self.func.layout.inst_block(edge.from).expect("invariant: the edge was found");
        let block = self.func.make_block();
        self.func.layout.insert_block_after(block, from);
        let mut renaming = Renaming::default();
        let mut values: SmallVec<[(Value, Value); 4]> = SmallVec::new();
        let mut last = *call;
        for Way { next, part } in ways {
            self.pass_args(&last, &mut renaming, &mut values);
            for inst in part.iter() {
                let made = self.copy_inst(*inst, block, &renaming);
                let results: SmallVec<[Value; 2]> = self.func.dfg.results(*inst).iter().copied().collect();
                for result in results {
                    let copied = self.func.dfg.append_result(made, self.func.dfg.ty(result));
                    renaming.insert(result, copied);
                    self.note(result, copied, &mut values);
                }
            }
            last = *next;
        }
        let args = self.renamed_args(&last, &renaming);
        let call = self.func.dfg.block_call(last.block, &args);
        let jump = self.func.dfg.make_inst(Op::Br, &[], Payload::Jump(call));
        self.func.dfg.inst_mut(jump).loc = self.func.dfg.inst(edge.from).loc;
        self.func.layout.append_inst(jump, block);
        self.made.push(Detour { block, values });
        block
    }

    /// Gives the parameters of the block that an edge leads to the edge's arguments.
    fn pass_args(
        &self,
        call: &BlockCall,
        renaming: &mut Renaming,
        values: &mut SmallVec<[(Value, Value); 4]>,
    ) {
        let args = self.renamed_args(call, renaming);
        for (param, arg) in self.func.dfg.params(call.block).iter().zip(args) {
            renaming.insert(*param, arg);
            self.note(*param, arg, values);
        }
    }

    fn renamed_args(&self, call: &BlockCall, renaming: &Renaming) -> SmallVec<[Value; 4]> {
        let args = self.func.dfg.call_args(call).iter();
        args.map(|arg| renaming.get(arg).copied().unwrap_or(*arg)).collect()
    }

    fn note(&self, value: Value, copied: Value, values: &mut SmallVec<[(Value, Value); 4]>) {
        if self.is_used_elsewhere[value.index()] {
            values.push((value, copied));
        }
    }

    /// A copy of an instruction at the end of a block, without results.
    fn copy_inst(&mut self, inst: Inst, block: Block, renaming: &Renaming) -> Inst {
        let data = *self.func.dfg.inst(inst);
        let args = self.func.dfg.args(inst).iter();
        let args: SmallVec<[Value; 4]> = args.map(|arg| renaming.get(arg).copied().unwrap_or(*arg)).collect();
        let made = self.func.dfg.make_inst(self.func.dfg.op(inst), &args, data.payload);
        self.func.dfg.inst_mut(made).loc = data.loc;
        self.func.spans[made] = self.func.spans[inst];
        self.func.layout.append_inst(made, block);
        made
    }
}

/// By value: true where another block than its own uses it.
fn values_used_elsewhere(func: &Function) -> Vec<bool> {
    let mut found = vec![false; func.dfg.num_values()];
    for block in func.layout.blocks() {
        for inst in func.layout.insts(block) {
            func.dfg.for_each_use(inst, |value| {
                found[value.index()] |= defining_block(func, value) != Some(block)
            });
        }
    }
    found
}
