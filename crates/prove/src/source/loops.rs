//! Loops of a module at which paths are stopped: behind the test that each round begins with.

use cairn_analysis::{Cfg, Dominators, LoopId, Loops};
use cairn_ir::{Block, Func, Function, Inst, Module};
use rustc_hash::{FxHashMap, FxHashSet};

/// A block of an active function, with the calls that led there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(super) calls: Vec<(Func, Option<Inst>)>,
    pub(super) block: Block,
}

/// Loops by their heads: a round begins at the head, and the path is stopped behind the test.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watch {
    pub(super) heads: FxHashSet<(Func, Block)>,
    /// The block at which a path is stopped, by the head and the blocks behind it.
    pub(super) stops: FxHashMap<(Func, Block), (Block, Vec<Block>)>,
}

impl Watch {
    /// True if there are no loops in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Adds the innermost loop around a block, if there is one.
    pub(crate) fn add(&mut self, module: &Module, func: Func, block: Block) {
        let cfg = Cfg::compute(&module.funcs[func]);
        let loops = loops_of(&module.funcs[func]);
        let Some(id) = loops.innermost(block) else { return };
        let head = loops.header(id);
        if self.heads.insert((func, head)) {
            let way = way_behind_test(&cfg, &loops, id);
            let stop = way.last().copied().unwrap_or(head);
            self.stops.insert((func, stop), (head, way));
        }
    }

    /// True of the head of a loop unless a path is stopped there.
    pub(super) fn is_tested(&self, func: Func, head: Block) -> bool {
        self.stops.get(&(func, head)).is_none_or(|(other, _)| *other != head)
    }
}

/// The loops of a function.
pub(super) fn loops_of(func: &Function) -> Loops {
    let cfg = Cfg::compute(func);
    Loops::compute(&cfg, &Dominators::compute(&cfg))
}

/// True if a block belongs to a loop.
pub(super) fn is_inside(loops: &Loops, id: LoopId, block: Block) -> bool {
    let mut around = loops.innermost(block);
    while let Some(inner) = around.filter(|inner| *inner != id) {
        around = loops.parent(inner);
    }
    around == Some(id)
}

/// The blocks from the head of a loop, without it, to the one behind the test with which a round begins:
/// no other way leads there. None where rounds do not begin with a test.
fn way_behind_test(cfg: &Cfg, loops: &Loops, id: LoopId) -> Vec<Block> {
    let head = loops.header(id);
    let (mut at, mut way) = (head, Vec::new());
    loop {
        let inside: Vec<Block> =
            cfg.succs(at).iter().copied().filter(|block| is_inside(loops, id, *block)).collect();
        let [next] = inside[..] else { return Vec::new() };
        if next == head || cfg.preds(next).len() != 1 {
            return Vec::new();
        }
        way.push(next);
        if cfg.succs(at).len() > 1 {
            return way;
        }
        at = next;
    }
}
