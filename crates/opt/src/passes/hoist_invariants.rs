//! `hoist-invariants`: computes before a loop what is the same in every round.
//!
//! ```text
//!   evm.br ^head(%zero)                      %base = evm.add %buffer, %length
//! ^head(%i : u256):                          evm.br ^head(%zero)
//!   %base = evm.add %buffer, %length       ^head(%i : u256):
//!   %to = evm.add %base, %i           =>     %to = evm.add %base, %i
//!   evm.mstore %to, %word                    evm.mstore %to, %word
//!   …                                        …
//! ```
//!
//! Definitions: an operation is *invariant* if it is pure and its operands come from outside of the loop, or are
//! invariant themselves. A *root* is an invariant one that something else in the loop uses; its *cone* is what it is
//! computed from, itself included, as far as it is invariant.
//!
//! A root keeps one more word on the stack in all rounds, which only reaches sixteen: none is moved where more than
//! [`MAX_LIVE`] values would be live in the loop. It moves with its cone if that saves more gas than the bytes are
//! worth (`--runs`) and than the code before the loop takes. What the condition of a branch alone is made of stays:
//! the branch tests it as cheaply. Inner loops first, so that what is invariant in outer ones moves further.
//!
//! Needs and preserves promotion; preserves blocks. Cost: linear in the loops' blocks, for each level of nesting.

use crate::cost;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::pressure::{MAX_LIVE, Pressure};
use cairn_analysis::{Cfg, Dominators, Frequency, LoopId, Loops};
use cairn_ir::{Block, Function, Inst, Op, SecondaryMap, Value, sized};

/// Gas of a copy of what is kept, and of the exchanges that one more word costs in a round.
const COPY_GAS: f64 = 6.0;

/// Bytes by which code grows where a computation is moved: it is copied from the stack where it stood.
const MOVED_BYTES: f64 = 2.0;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "hoist-invariants",
    summary: "computes before a loop what is the same in every round",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, cx: &mut PassContext<'_>) -> Changed {
    let cfg = Cfg::compute(func);
    if !cfg.has_cycle() {
        return Changed::No;
    }
    let loops = Loops::compute(&cfg, &Dominators::compute(&cfg));
    let frequency = Frequency::compute(func, &cfg, Some(&cx.summaries.graph));
    let mut pressure = Pressure::compute(func, &cfg);
    let mut changed = false;
    for id in loops.ids() {
        let blocks: Vec<Block> =
            cfg.rpo().iter().copied().filter(|block| loops.contains(id, *block)).collect();
        let Some(before) = block_before(&cfg, &loops, id) else { continue };
        let most = blocks.iter().map(|block| pressure.of_block(*block)).max().unwrap_or(0);
        let room = MAX_LIVE.saturating_sub(most);
        if room == 0 {
            continue;
        }
        let hoist = Hoist { blocks: &blocks, before, frequency: &frequency, room };
        if hoist.run(func, cx) {
            changed = true;
            pressure = Pressure::compute(func, &cfg);
        }
    }
    Changed::from(changed)
}

/// The only block outside of a loop that leads to its head.
pub(crate) fn block_before(cfg: &Cfg, loops: &Loops, id: LoopId) -> Option<Block> {
    let mut outside = cfg.preds(loops.header(id)).iter().filter(|pred| !loops.contains(id, **pred));
    let before = *outside.next()?;
    outside.all(|other| *other == before).then_some(before)
}

/// One loop.
struct Hoist<'a> {
    /// In reverse postorder.
    blocks: &'a [Block],
    before: Block,
    frequency: &'a Frequency,
    /// Words that may be kept.
    room: u32,
}

impl Hoist<'_> {
    fn run(&self, func: &mut Function, cx: &PassContext<'_>) -> bool {
        let invariant = self.invariant(func);
        if invariant.is_empty() {
            return false;
        }
        let mut is_invariant: SecondaryMap<Inst, bool> = SecondaryMap::new();
        invariant.iter().for_each(|(inst, _)| is_invariant[*inst] = true);
        let roots = self.roots(func, &is_invariant);
        let mut room = self.room;
        let mut changed = false;
        for (root, block) in invariant.iter().rev().filter(|(inst, _)| roots[*inst]) {
            // It may have gone with another one's cone.
            if !is_invariant[*root] {
                continue;
            }
            if room == 0 {
                break;
            }
            let cone = cone(func, *root, &is_invariant);
            if self.pays(func, &cone, *block, cx) {
                for inst in cone {
                    is_invariant[inst] = false;
                    func.layout.remove_inst(inst);
                    func.layout.insert_inst_before(inst, func.terminator(self.before).expect(TERMINATED));
                }
                room -= 1;
                changed = true;
            }
        }
        changed
    }

    /// Invariant operations with their blocks, each behind what it is computed from.
    fn invariant(&self, func: &Function) -> Vec<(Inst, Block)> {
        let mut is_inside: SecondaryMap<Value, bool> = sized(func.dfg.num_values());
        let mut found = Vec::new();
        for block in self.blocks {
            func.dfg.params(*block).iter().for_each(|param| is_inside[*param] = true);
            for inst in func.layout.insts(*block) {
                let is_same =
                    is_movable(func, inst) && !func.dfg.args(inst).iter().any(|arg| is_inside[*arg]);
                if is_same {
                    found.push((inst, *block));
                } else {
                    func.dfg.results(inst).iter().for_each(|result| is_inside[*result] = true);
                }
            }
        }
        found
    }

    /// Invariant operations that something else in the loop uses.
    fn roots(&self, func: &Function, is_invariant: &SecondaryMap<Inst, bool>) -> SecondaryMap<Inst, bool> {
        let mut roots: SecondaryMap<Inst, bool> = SecondaryMap::new();
        let insts = self.blocks.iter().flat_map(|block| func.layout.insts(*block));
        // A constant is pushed where it is used.
        let mut use_value = |value: Value| {
            if let Some(def) = func.dfg.def_inst(value).filter(|def| func.dfg.op(*def) != Op::Constant) {
                roots[def] = true;
            }
        };
        for inst in insts.filter(|inst| !is_invariant[*inst]) {
            if func.dfg.op(inst) == Op::CondBr {
                // Its condition is what it tests; only what it passes on is kept otherwise.
                func.dfg.for_each_target(inst, |call| {
                    func.dfg.call_args(call).iter().for_each(|arg| use_value(*arg));
                });
            } else {
                func.dfg.for_each_use(inst, &mut use_value);
            }
        }
        roots
    }

    /// True if moving this, the root last, out of the root's block saves more than it costs.
    fn pays(&self, func: &Function, cone: &[Inst], block: Block, cx: &PassContext<'_>) -> bool {
        let fork = cx.options.fork;
        let gas: u64 = cone.iter().map(|inst| cost::of_inst(func, *inst, fork).gas).sum();
        let (inside, before) = (self.frequency.of(block), self.frequency.of(self.before));
        let saved = (gas as f64 - COPY_GAS) * inside - gas as f64 * before;
        saved > MOVED_BYTES * cx.options.gas_per_byte()
    }
}

const TERMINATED: &str = "invariant: each block ends with a terminator";

/// True for pure operations on words, and for the constants that they take.
fn is_movable(func: &Function, inst: Inst) -> bool {
    match func.dfg.op(inst) {
        Op::Evm(opcode) => opcode.is_arithmetic(),
        op => matches!(op, Op::PtrAdd | Op::Constant),
    }
}

/// What an invariant operation is computed from as far as it is invariant, each behind what it uses.
fn cone(func: &Function, root: Inst, is_invariant: &SecondaryMap<Inst, bool>) -> Vec<Inst> {
    let mut found = Vec::new();
    let mut work = vec![(root, false)];
    while let Some((inst, is_open)) = work.pop() {
        if is_open {
            found.push(inst);
            continue;
        }
        if found.contains(&inst) || work.contains(&(inst, true)) {
            continue;
        }
        work.push((inst, true));
        let args = func.dfg.args(inst).iter();
        let inner = args.filter_map(|arg| func.dfg.def_inst(*arg)).filter(|def| is_invariant[*def]);
        work.extend(inner.map(|def| (def, false)));
    }
    found
}
