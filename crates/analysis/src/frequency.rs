//! How often blocks and functions run, estimated.
//!
//! Frequencies are relative to one run of the function. A branch goes each way equally often,
//! except that a way that can only fail is *cold* and almost never taken; a loop's header runs
//! [`LOOP_FACTOR`] times as often as the loop is entered, and the edges that leave the loop share
//! what entered it. A block is cold if from it control can reach no ordinary end: neither `iret`
//! nor a successful end of the frame.

use crate::callgraph::{CallGraph, callee};
use crate::cfg::Cfg;
use crate::dom::Dominators;
use crate::loops::{LoopId, Loops};
use cairn_evm::Opcode;
use cairn_ir::{Block, EntityRef, Func, Function, Module, Op, sized};
use cranelift_entity::SecondaryMap;

/// Runs of a loop's header for one run of what is before it.
pub const LOOP_FACTOR: f64 = 8.0;
/// Share of the runs of a branch that go to a cold target.
pub const COLD_SHARE: f64 = 1.0 / 1024.0;

const MIN_FREQUENCY: f64 = 1e-9;
const MAX_FREQUENCY: f64 = 1e9;

/// Block frequencies of a function.
#[derive(Clone, Debug, Default)]
pub struct Frequency {
    frequency: Vec<f64>,
    is_cold: Vec<bool>,
}

impl Frequency {
    /// Computes frequencies in one pass over the order, after the loops. With a call graph, a block
    /// that calls a function that only fails is cold too.
    pub fn compute(func: &Function, cfg: &Cfg, graph: Option<&CallGraph>) -> Frequency {
        let loops = Loops::compute(cfg, &Dominators::compute(cfg));
        let is_cold = compute_cold(func, cfg, graph);
        let mut flow = Flow {
            cfg,
            loops: &loops,
            frequency: vec![0.0; func.num_blocks()],
            entered: SecondaryMap::new(),
            n_exits: count_exits(cfg, &loops, &is_cold),
            is_cold,
        };
        if let Some(entry) = cfg.rpo().first() {
            flow.frequency[entry.index()] = 1.0;
        }
        cfg.rpo().iter().for_each(|block| flow.pass_on(*block));
        Frequency { frequency: flow.frequency, is_cold: flow.is_cold }
    }

    /// Runs of the block for one run of the function; 0 if it is unreachable.
    pub fn of(&self, block: Block) -> f64 {
        self.frequency.get(block.index()).copied().unwrap_or(0.0)
    }

    /// True when control can only fail from the block on.
    pub fn is_cold(&self, block: Block) -> bool {
        self.is_cold.get(block.index()).copied().unwrap_or(false)
    }
}

/// The state of the pass.
struct Flow<'a> {
    cfg: &'a Cfg,
    loops: &'a Loops,
    frequency: Vec<f64>,
    is_cold: Vec<bool>,
    /// How often each loop is entered.
    entered: SecondaryMap<LoopId, f64>,
    /// Number of edges that leave each loop, and no loop around it, for a block that is not cold.
    n_exits: SecondaryMap<LoopId, u32>,
}

impl Flow<'_> {
    /// Fixes the frequency of a block whose forward predecessors are done, and gives each
    /// successor its share: first the edges with a known flow, then equal parts of the rest.
    fn pass_on(&mut self, block: Block) {
        let mut own = self.frequency[block.index()].clamp(MIN_FREQUENCY, MAX_FREQUENCY);
        if self.loops.is_header(block) {
            let id = self.loops.innermost(block).expect("invariant: a header is in its loop");
            self.entered[id] = own;
            own = (own * LOOP_FACTOR).min(MAX_FREQUENCY);
        }
        self.frequency[block.index()] = own;
        let succs = self.cfg.succs(block);
        let n_cold = succs.iter().filter(|succ| self.is_cold[succ.index()]).count();
        // Where all are cold they share like any others.
        let cold_share = (n_cold < succs.len()).then(|| own * COLD_SHARE / n_cold as f64);
        let (mut rest, mut n_rest) = (own, 0);
        for succ in succs {
            match self.known_flow(block, *succ, own, cold_share) {
                Some(known) => rest -= known,
                None => n_rest += 1,
            }
        }
        let share = rest.max(own * COLD_SHARE) / f64::from(n_rest.max(1));
        for succ in succs.iter().filter(|succ| !self.cfg.is_retreating(block, **succ)) {
            let known = self.known_flow(block, *succ, own, cold_share);
            self.frequency[succ.index()] += known.unwrap_or(share);
        }
    }

    fn known_flow(&self, block: Block, succ: Block, own: f64, cold_share: Option<f64>) -> Option<f64> {
        let cold_share = cold_share?;
        if self.is_cold[succ.index()] {
            return Some(cold_share);
        }
        let left = outermost_left(self.loops, block, succ)?;
        Some((self.entered[left] / f64::from(self.n_exits[left].max(1))).min(own))
    }
}

/// The outermost loop that an edge leaves.
fn outermost_left(loops: &Loops, from: Block, to: Block) -> Option<LoopId> {
    let depth = |id: Option<LoopId>| id.map_or(0, |id| loops.loop_depth(id));
    let (mut inside, mut target) = (loops.innermost(from), loops.innermost(to));
    let mut left = None;
    while inside != target {
        let (inside_depth, target_depth) = (depth(inside), depth(target));
        if inside_depth >= target_depth {
            left = inside;
            inside = inside.and_then(|id| loops.parent(id));
        }
        if target_depth >= inside_depth {
            target = target.and_then(|id| loops.parent(id));
        }
    }
    left
}

fn count_exits(cfg: &Cfg, loops: &Loops, is_cold: &[bool]) -> SecondaryMap<LoopId, u32> {
    let mut n_exits: SecondaryMap<LoopId, u32> = SecondaryMap::new();
    for block in cfg.rpo().iter().filter(|block| loops.depth(**block) > 0) {
        for succ in cfg.succs(*block).iter().filter(|succ| !is_cold[succ.index()]) {
            if let Some(left) = outermost_left(loops, *block, *succ) {
                n_exits[left] += 1;
            }
        }
    }
    n_exits
}

/// Blocks from which no ordinary end can be reached, by a walk up from the ordinary ends.
fn compute_cold(func: &Function, cfg: &Cfg, graph: Option<&CallGraph>) -> Vec<bool> {
    let fails =
        |inst| callee(func, inst).zip(graph).is_some_and(|(callee, graph)| graph.ends(callee).only_fails());
    let is_cut: Vec<bool> = {
        let mut is_cut = vec![false; func.num_blocks()];
        for block in cfg.rpo() {
            is_cut[block.index()] = func.layout.insts(*block).any(fails);
        }
        is_cut
    };
    let mut is_cold = vec![true; func.num_blocks()];
    let mut work: Vec<Block> =
        cfg.rpo().iter().copied().filter(|block| ends_ordinarily(func, *block)).collect();
    while let Some(block) = work.pop() {
        if is_cut[block.index()] || !std::mem::replace(&mut is_cold[block.index()], false) {
            continue;
        }
        work.extend(cfg.preds(block));
    }
    is_cold
}

fn ends_ordinarily(func: &Function, block: Block) -> bool {
    let Some(last) = func.terminator(block) else {
        return false;
    };
    match func.dfg.op(last) {
        Op::Evm(opcode) => opcode != Opcode::REVERT && opcode != Opcode::INVALID,
        Op::Iret | Op::ReturnValue => true,
        _ => false,
    }
}

/// How often each function runs for one run of the module's entry, from the frequencies of the
/// blocks that call it. `frequencies` are by function id. Calls within a cycle count once.
pub fn entry_frequencies(
    module: &Module,
    graph: &CallGraph,
    frequencies: &[Frequency],
) -> SecondaryMap<Func, f64> {
    let mut entries: SecondaryMap<Func, f64> = sized(module.funcs.len());
    if let Some(entry) = module.entry {
        entries[entry] = 1.0;
    }
    for caller in graph.bottom_up().rev() {
        let own = entries[caller];
        let func = &module.funcs[caller];
        for block in func.layout.blocks() {
            let runs = own * frequencies[caller.index()].of(block);
            for callee in func.layout.insts(block).filter_map(|inst| callee(func, inst)) {
                if callee != caller {
                    entries[callee] = (entries[callee] + runs).min(MAX_FREQUENCY);
                }
            }
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{block, graph};
    use cairn_evm::Word;
    use cairn_ir::{FuncBuilder, Inst, Payload, Signature};

    fn frequency(func: &Function) -> Frequency {
        Frequency::compute(func, &Cfg::compute(func), None)
    }

    fn of_graph(succs: &[&[usize]]) -> Vec<f64> {
        let found = frequency(&graph(succs));
        (0..succs.len()).map(|index| found.of(block(index))).collect()
    }

    /// Makes a returning block revert.
    fn make_failing(func: &mut Function, block: Block) {
        let last: Inst = func.terminator(block).expect("has a terminator");
        func.layout.remove_inst(last);
        let mut b = FuncBuilder::at(func, block);
        let zero = b.constant(Word::ZERO);
        b.push(Op::Evm(Opcode::REVERT), &[zero, zero], Payload::None, &[]);
    }

    #[test]
    fn branches_share_and_merges_add() {
        assert_eq!(of_graph(&[&[1, 2], &[3], &[3], &[]]), [1.0, 0.5, 0.5, 1.0]);
    }

    #[test]
    fn a_loop_runs_often_and_leaves_as_often_as_it_is_entered() {
        assert_eq!(of_graph(&[&[1], &[2, 3], &[1], &[]]), [1.0, 8.0, 7.0, 1.0]);
        assert_eq!(of_graph(&[&[1], &[2, 4], &[3, 4], &[1], &[]]), [1.0, 8.0, 7.5, 7.0, 1.0]);
    }

    #[test]
    fn nested_loops_multiply() {
        let found = of_graph(&[&[1], &[2, 5], &[3, 4], &[2], &[1], &[]]);
        assert_eq!(found, [1.0, 8.0, 56.0, 49.0, 7.0, 1.0]);
    }

    #[test]
    fn leaving_two_loops_at_once() {
        // 1 { 2 { 3 → 5 } 4 }
        let found = of_graph(&[&[1], &[2], &[3, 4], &[2, 5], &[1], &[]]);
        assert_eq!((found[1], found[2], found[5]), (8.0, 64.0, 1.0));
    }

    #[test]
    fn failing_ways_are_cold() {
        let mut func = graph(&[&[1, 2], &[3], &[], &[]]);
        make_failing(&mut func, block(3));
        let found = frequency(&func);
        assert!(found.is_cold(block(1)) && found.is_cold(block(3)));
        assert!(!found.is_cold(block(0)) && !found.is_cold(block(2)));
        assert_eq!(found.of(block(1)), COLD_SHARE);
        assert_eq!(found.of(block(2)), 1.0 - COLD_SHARE);
    }

    #[test]
    fn a_function_that_only_fails_shares_among_its_blocks() {
        let mut func = graph(&[&[1, 2], &[3], &[3], &[]]);
        make_failing(&mut func, block(3));
        let found = frequency(&func);
        assert!(found.is_cold(block(0)));
        assert_eq!((found.of(block(1)), found.of(block(3))), (0.5, 1.0));
    }

    #[test]
    fn irreducible_graphs_stay_finite() {
        for frequency in of_graph(&[&[1, 2], &[2], &[1, 3], &[]]) {
            assert!(frequency > 0.0 && frequency <= 8.0, "{frequency}");
        }
    }

    #[test]
    fn functions_run_as_often_as_their_call_sites() {
        let mut module = Module::new("m");
        let mut caller = graph(&[&[1], &[2, 3], &[1], &[]]);
        let call = caller.dfg.make_inst(Op::Icall, &[], Payload::Func(Func::new(1)));
        caller.layout.prepend_inst(call, block(2));
        module.entry = Some(module.funcs.push(caller));
        module.funcs.push(graph(&[&[]]));
        module.funcs.push(Function::new("g", Signature::default()));
        let frequencies: Vec<Frequency> = module.funcs.values().map(frequency).collect();
        let entries = entry_frequencies(&module, &CallGraph::compute(&module), &frequencies);
        let found: Vec<f64> = module.funcs.keys().map(|func| entries[func]).collect();
        assert_eq!(found, [1.0, 7.0, 0.0]);
    }
}
