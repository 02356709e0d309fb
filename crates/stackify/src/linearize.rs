//! The order of a function's blocks in the code.
//!
//! Blocks that run after each other are joined to chains, the most profitable edge first: falling
//! through saves a jump on each run of an unconditional edge, and on each run of the rarer arm of
//! a branch. So a loop's latch falls into its header, which then jumps back with its branch. The
//! chain of the entry comes first; chains that begin with a cold block, which only leads to
//! failure, come last. Blocks without steps that only jump are skipped by whoever jumps to them.
//! With [`Placement::AsWritten`] blocks are in the order of the text, and none that has a place in it is skipped.

use crate::code::{Exit, FuncCode, ScheduledFunc, StepKind};
use crate::options::Placement;
use cairn_analysis::{CallGraph, Cfg, Frequency};
use cairn_evm::{Cost, Opcode};
use cairn_ir::{Block, Function, Inst, SecondaryMap, table};
use cranelift_entity::EntitySet;

/// How a block is left once its place is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Into the next block.
    Fall,
    /// By a jump.
    Jump(Block),
    /// By a jump if the condition is not zero, else into the next block.
    JumpIf(Block),
    /// By a jump if the condition is zero, else into the next block.
    JumpIfZero(Block),
    /// By a jump either way: not zero, zero.
    JumpEither(Block, Block),
    /// Through a table, by its index in [`Linear::tables`].
    Table(usize),
    /// Halts, returns or calls in tail position, as the exit says.
    Leave,
}

/// The blocks of a function in order.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    /// Indices in [`FuncCode::blocks`] and how each is left.
    pub(crate) order: Vec<(usize, Ending)>,
    /// Blocks that are jumped to.
    pub(crate) targets: EntitySet<Block>,
    /// Where the entries of each table lead.
    pub(crate) tables: Vec<Vec<Block>>,
}

/// Gas of the `PUSH` and `JUMP` that falling through saves.
const JUMP_GAS: f64 = Cost::JUMP.gas as f64;
/// Gas of the `ISZERO` that a branch to the other arm may need.
const INVERT_GAS: f64 = Cost::ISZERO.gas as f64;

/// Orders the blocks of a function.
pub(crate) fn linearize(scheduled: &ScheduledFunc, calls: &CallGraph, placement: Placement) -> Linear {
    let code = &scheduled.code;
    let graph = Graph::of(scheduled, calls, placement);
    let order = graph.place();
    let mut linear =
        Linear { order: Vec::with_capacity(order.len()), targets: EntitySet::new(), tables: Vec::new() };
    for (at, index) in order.iter().enumerate() {
        let next = order.get(at + 1).map(|index| code.blocks[*index].block);
        let ending = match graph.exits[*index] {
            Exit::Table(switch) => {
                linear.tables.push(graph.entries(switch));
                Ending::Table(linear.tables.len() - 1)
            }
            exit => ending(exit, next),
        };
        match ending {
            Ending::Jump(target) | Ending::JumpIf(target) | Ending::JumpIfZero(target) => {
                linear.targets.insert(target);
            }
            Ending::JumpEither(then, otherwise) => linear.targets.extend([then, otherwise]),
            Ending::Table(table) => linear.targets.extend(linear.tables[table].iter().copied()),
            Ending::Fall | Ending::Leave => {}
        }
        linear.order.push((*index, ending));
    }
    linear
}

fn ending(exit: Exit, next: Option<Block>) -> Ending {
    match exit {
        Exit::Jump(target) if Some(target) == next => Ending::Fall,
        Exit::Jump(target) => Ending::Jump(target),
        Exit::Branch { then, otherwise } if Some(otherwise) == next => Ending::JumpIf(then),
        Exit::Branch { then, otherwise } if Some(then) == next => Ending::JumpIfZero(otherwise),
        Exit::Branch { then, otherwise } => Ending::JumpEither(then, otherwise),
        Exit::Table(_) | Exit::Halt | Exit::Return | Exit::TailCall(_) => Ending::Leave,
    }
}

/// An edge that a chain can follow, by indices of blocks.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: usize,
    to: usize,
    gain: f64,
}

/// The flow between blocks after skipping those that only jump.
struct Graph<'a> {
    func: &'a Function,
    code: &'a FuncCode,
    index: SecondaryMap<Block, u32>,
    exits: Vec<Exit>,
    frequency: Frequency,
    placement: Placement,
}

impl<'a> Graph<'a> {
    fn of(scheduled: &'a ScheduledFunc, calls: &CallGraph, placement: Placement) -> Self {
        let code = &scheduled.code;
        let mut index = SecondaryMap::with_default(u32::MAX);
        code.blocks.iter().enumerate().for_each(|(at, block)| index[block.block] = at as u32);
        let frequency = Frequency::compute(&scheduled.func, &Cfg::compute(&scheduled.func), Some(calls));
        let mut graph = Graph { func: &scheduled.func, code, index, exits: Vec::new(), frequency, placement };
        graph.exits = code.blocks.iter().map(|block| graph.threaded(block.exit)).collect();
        graph
    }

    fn threaded(&self, exit: Exit) -> Exit {
        match exit {
            Exit::Jump(target) => Exit::Jump(self.skip_empty(target)),
            Exit::Branch { then, otherwise } => {
                Exit::Branch { then: self.skip_empty(then), otherwise: self.skip_empty(otherwise) }
            }
            Exit::Table(_) | Exit::Halt | Exit::Return | Exit::TailCall(_) => exit,
        }
    }

    /// Where a jump to `target` ends up. Chains longer than the bound (or endless) are cut.
    fn skip_empty(&self, target: Block) -> Block {
        const MAX_CHAIN: usize = 16;
        let next = |block: &Block| {
            let code = &self.code.blocks[self.index[*block] as usize];
            match code.exit {
                Exit::Jump(next) if code.steps.is_empty() && !self.is_kept(*block) => Some(next),
                Exit::Jump(_)
                | Exit::Branch { .. }
                | Exit::Table(_)
                | Exit::Halt
                | Exit::Return
                | Exit::TailCall(_) => None,
            }
        };
        std::iter::successors(Some(target), next).take(MAX_CHAIN).last().unwrap_or(target)
    }

    /// True for a block of the text, if blocks are to be as written. One that splits an edge belongs to none.
    fn is_kept(&self, block: Block) -> bool {
        self.placement == Placement::AsWritten
            && self.func.terminator(block).is_some_and(|inst| self.func.dfg.inst(inst).loc.is_some())
    }

    /// Where the entries of a table lead.
    fn entries(&self, switch: Inst) -> Vec<Block> {
        let entries = table::entries(self.func, switch).expect("invariant: such a switch has a table");
        entries.into_iter().map(|entry| self.skip_empty(entry.block)).collect()
    }

    fn at(&self, block: Block) -> usize {
        self.index[block] as usize
    }

    fn frequency(&self, index: usize) -> f64 {
        self.frequency.of(self.code.blocks[index].block)
    }

    /// Reached blocks in depth-first order, the zero arm of a branch first.
    fn reached(&self) -> Vec<usize> {
        let mut seen = vec![false; self.code.blocks.len()];
        let mut order = Vec::new();
        let mut worklist = vec![0];
        while let Some(index) = worklist.pop() {
            if std::mem::replace(&mut seen[index], true) {
                continue;
            }
            order.push(index);
            match self.exits[index] {
                Exit::Jump(target) => worklist.push(self.at(target)),
                Exit::Branch { then, otherwise } => worklist.extend([self.at(then), self.at(otherwise)]),
                Exit::Table(switch) => {
                    worklist.extend(self.entries(switch).into_iter().rev().map(|target| self.at(target)));
                }
                Exit::Halt | Exit::Return | Exit::TailCall(_) => {}
            }
        }
        order
    }

    /// The edges out of a block with the gas that falling through saves.
    fn edges(&self, from: usize) -> impl Iterator<Item = Edge> + use<> {
        let runs = self.frequency(from);
        let (first, second) = match self.exits[from] {
            Exit::Jump(target) => (Some(Edge { from, to: self.at(target), gain: runs * JUMP_GAS }), None),
            Exit::Branch { then, otherwise } => {
                let (then, otherwise) = (self.at(then), self.at(otherwise));
                let (then_runs, otherwise_runs) =
                    (self.frequency(then).min(runs), self.frequency(otherwise).min(runs));
                let gain = then_runs.min(otherwise_runs) * JUMP_GAS;
                let inverted = gain - runs * self.invert_gas(from);
                // Of two equal arms the one that runs more often stays near.
                let nearer = |arm: f64| if arm > then_runs.min(otherwise_runs) { runs / 1024.0 } else { 0.0 };
                let then = Edge { from, to: then, gain: inverted + nearer(then_runs) };
                (Some(Edge { from, to: otherwise, gain: gain + nearer(otherwise_runs) }), Some(then))
            }
            Exit::Table(_) | Exit::Halt | Exit::Return | Exit::TailCall(_) => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// What inverting the condition of a branch costs.
    fn invert_gas(&self, index: usize) -> f64 {
        match self.code.blocks[index].steps.last().map(|step| step.kind) {
            Some(StepKind::Op(Opcode::ISZERO)) => -INVERT_GAS,
            Some(StepKind::Op(Opcode::EQ)) => 0.0,
            _ => INVERT_GAS,
        }
    }

    /// The place of each block in the text: they were made in its order.
    fn places(&self) -> SecondaryMap<Block, u32> {
        let mut places = SecondaryMap::with_default(u32::MAX);
        self.func.layout.blocks().zip(0..).for_each(|(block, place)| places[block] = place);
        places
    }

    fn place(&self) -> Vec<usize> {
        let mut reached = self.reached();
        if self.placement == Placement::AsWritten {
            let place = self.places();
            reached.sort_by_key(|index| place[self.code.blocks[*index].block]);
            return reached;
        }
        let mut edges: Vec<Edge> = reached.iter().flat_map(|from| self.edges(*from)).collect();
        edges.sort_by(|a, b| b.gain.total_cmp(&a.gain));
        let mut chains = Chains::new(self.code.blocks.len());
        edges.iter().for_each(|edge| chains.join(*edge));
        let is_cold = |index: &usize| self.frequency.is_cold(self.code.blocks[*index].block) && *index != 0;
        let (cold, hot): (Vec<usize>, Vec<usize>) =
            reached.into_iter().filter(|index| chains.before[*index].is_none()).partition(is_cold);
        hot.into_iter().chain(cold).flat_map(|head| chains.from(head)).collect()
    }
}

/// Chains of blocks that follow each other.
struct Chains {
    before: Vec<Option<usize>>,
    after: Vec<Option<usize>>,
    /// A representative of the chain, found by following.
    chain: Vec<usize>,
}

impl Chains {
    fn new(count: usize) -> Self {
        Chains { before: vec![None; count], after: vec![None; count], chain: (0..count).collect() }
    }

    fn find(&mut self, mut index: usize) -> usize {
        while self.chain[index] != index {
            self.chain[index] = self.chain[self.chain[index]];
            index = self.chain[index];
        }
        index
    }

    /// Puts two chains together if the edge leads from an end to a start. The entry stays first.
    fn join(&mut self, edge: Edge) {
        let is_free = self.after[edge.from].is_none() && self.before[edge.to].is_none() && edge.to != 0;
        let (from, to) = (self.find(edge.from), self.find(edge.to));
        if is_free && from != to {
            self.after[edge.from] = Some(edge.to);
            self.before[edge.to] = Some(edge.from);
            self.chain[to] = from;
        }
    }

    fn from(&self, head: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(head), |index| self.after[*index])
    }
}
