//! The order of a function's blocks in the code.
//!
//! Traces are grown from the entry: after each block comes the successor that is likely to be
//! executed next, if it is not placed yet. Cold blocks, which only lead to `revert` or `invalid`,
//! come last. Blocks without steps that only jump are skipped by whoever jumps to them.

use crate::code::{Exit, FuncCode, StepKind};
use cairn_evm::Opcode;
use cairn_ir::{Block, SecondaryMap};
use cranelift_entity::EntitySet;

/// How a block is left once its place is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
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
    /// Halts, returns or calls in tail position, as the exit says.
    Leave,
}

/// The blocks of a function in order.
#[derive(Clone, Debug)]
pub struct Linear {
    /// Indices in [`FuncCode::blocks`] and how each is left.
    pub order: Vec<(usize, Ending)>,
    /// Blocks that are jumped to.
    pub targets: EntitySet<Block>,
}

/// Orders the blocks of a function.
pub fn linearize(code: &FuncCode) -> Linear {
    let graph = Graph::of(code);
    let order = graph.place();
    let mut linear = Linear { order: Vec::with_capacity(order.len()), targets: EntitySet::new() };
    for (at, index) in order.iter().enumerate() {
        let next = order.get(at + 1).map(|index| code.blocks[*index].block);
        let ending = ending(graph.exits[*index], next);
        match ending {
            Ending::Jump(target) | Ending::JumpIf(target) | Ending::JumpIfZero(target) => {
                linear.targets.insert(target);
            }
            Ending::JumpEither(then, otherwise) => linear.targets.extend([then, otherwise]),
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
        Exit::Halt | Exit::Return | Exit::TailCall(_) => Ending::Leave,
    }
}

/// The flow between blocks after skipping those that only jump.
struct Graph<'a> {
    code: &'a FuncCode,
    index: SecondaryMap<Block, u32>,
    exits: Vec<Exit>,
    cold: Vec<bool>,
}

impl<'a> Graph<'a> {
    fn of(code: &'a FuncCode) -> Self {
        let mut index = SecondaryMap::with_default(u32::MAX);
        code.blocks.iter().enumerate().for_each(|(at, block)| index[block.block] = at as u32);
        let mut graph = Graph { code, index, exits: Vec::new(), cold: Vec::new() };
        graph.exits = code.blocks.iter().map(|block| graph.threaded(block.exit)).collect();
        graph.cold = graph.find_cold();
        graph
    }

    fn threaded(&self, exit: Exit) -> Exit {
        match exit {
            Exit::Jump(target) => Exit::Jump(self.skip_empty(target)),
            Exit::Branch { then, otherwise } => {
                Exit::Branch { then: self.skip_empty(then), otherwise: self.skip_empty(otherwise) }
            }
            Exit::Halt | Exit::Return | Exit::TailCall(_) => exit,
        }
    }

    /// Where a jump to `target` ends up. Chains longer than the bound (or endless) are cut.
    fn skip_empty(&self, target: Block) -> Block {
        const MAX_CHAIN: usize = 16;
        let next = |block: &Block| {
            let code = &self.code.blocks[self.index[*block] as usize];
            match code.exit {
                Exit::Jump(next) if code.steps.is_empty() => Some(next),
                Exit::Jump(_) | Exit::Branch { .. } | Exit::Halt | Exit::Return | Exit::TailCall(_) => None,
            }
        };
        std::iter::successors(Some(target), next).take(MAX_CHAIN).last().unwrap_or(target)
    }

    /// Successors of a block, the one to fall through to first.
    fn successors(&self, index: usize) -> impl Iterator<Item = usize> + use<> {
        let (first, second) = match self.exits[index] {
            Exit::Jump(target) => (Some(target), None),
            Exit::Branch { then, otherwise } => (Some(otherwise), Some(then)),
            Exit::Halt | Exit::Return | Exit::TailCall(_) => (None, None),
        };
        let at = |block: Block| self.index[block] as usize;
        first.map(at).into_iter().chain(second.map(at))
    }

    fn find_cold(&self) -> Vec<bool> {
        let count = self.code.blocks.len();
        let mut preds: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut hot_successors: Vec<usize> = (0..count).map(|index| self.successors(index).count()).collect();
        for index in 0..count {
            self.successors(index).for_each(|next| preds[next].push(index));
        }
        let mut cold = vec![false; count];
        let mut worklist: Vec<usize> = (0..count).filter(|index| self.ends_cold(*index)).collect();
        while let Some(index) = worklist.pop() {
            if std::mem::replace(&mut cold[index], true) {
                continue;
            }
            for pred in &preds[index] {
                hot_successors[*pred] -= 1;
                if hot_successors[*pred] == 0 {
                    worklist.push(*pred);
                }
            }
        }
        cold
    }

    fn ends_cold(&self, index: usize) -> bool {
        let block = &self.code.blocks[index];
        let last = block.steps.last().map(|step| step.kind);
        block.exit == Exit::Halt
            && matches!(last, Some(StepKind::Op(Opcode::REVERT | Opcode::INVALID) | StepKind::Call(_)))
    }

    fn place(&self) -> Vec<usize> {
        let mut placed = vec![false; self.code.blocks.len()];
        let mut order = Vec::new();
        let mut hot: Vec<usize> = vec![0];
        let mut cold: Vec<usize> = Vec::new();
        while let Some(start) = hot.pop().or_else(|| cold.pop()) {
            let mut current = Some(start).filter(|index| !placed[*index]);
            while let Some(index) = current {
                placed[index] = true;
                order.push(index);
                current = None;
                for next in self.successors(index).filter(|next| !placed[*next]) {
                    let is_cold = self.cold[next] && !self.cold[index];
                    match current {
                        _ if is_cold => cold.push(next),
                        None => current = Some(next),
                        Some(_) => hot.push(next),
                    }
                }
            }
        }
        order
    }
}
