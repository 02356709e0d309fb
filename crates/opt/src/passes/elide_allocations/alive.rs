//! Which buffers are used later: where instructions read or write the pointer to free memory.
//!
//! A buffer is *alive* at a point if some way from there uses it before its pointer is loaded anew (the
//! same instruction again, in a later round of a loop), by backward data flow over blocks. What belongs to
//! a load and is used behind it was made of what it loaded last: the load dominates all of that.
//! Cost: linear for each [`WIDTH`] buffers.

use super::buffers::{Buffers, is_use};
use super::parts::Origin;
use crate::pointer_word;
use cairn_analysis::Cfg;
use cairn_ir::{Block, EntityRef, Function, Inst, SecondaryMap};

/// Words of a set.
const WIDTH: usize = 4;

/// Buffers of a function that are followed; those of its later loads are taken to be alive always.
const MAX_BUFFERS: usize = WIDTH * u64::BITS as usize;

/// A set of origins, by index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Set([u64; WIDTH]);

impl Set {
    fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    fn remove(&mut self, index: usize) {
        self.0[index / 64] &= !(1 << (index % 64));
    }

    fn contains(self, index: usize) -> bool {
        self.0[index / 64] & (1 << (index % 64)) != 0
    }

    fn union(self, other: Set) -> Set {
        Set(std::array::from_fn(|word| self.0[word] | other.0[word]))
    }
}

/// See the head of this module.
pub(super) struct Alive<'a> {
    func: &'a Function,
    buffers: &'a Buffers,
    /// At the start of each block.
    starts: SecondaryMap<Block, Set>,
    /// Before each instruction that was asked for.
    before: SecondaryMap<Inst, Set>,
}

impl<'a> Alive<'a> {
    /// Follows a function's buffers; `is_asked` says where [`Alive::is_before`] will be asked.
    pub(super) fn compute(
        func: &'a Function,
        cfg: &Cfg,
        buffers: &'a Buffers,
        is_asked: impl Fn(Block, Inst) -> bool,
    ) -> Alive<'a> {
        let mut alive = Alive { func, buffers, starts: SecondaryMap::new(), before: SecondaryMap::new() };
        let mut is_new = true;
        while std::mem::replace(&mut is_new, false) {
            for block in cfg.rpo().iter().rev() {
                let start = alive.visit(cfg, *block, |_, _| {});
                is_new |= alive.starts[*block] != start;
                alive.starts[*block] = start;
            }
        }
        for block in cfg.rpo() {
            let mut found = Vec::new();
            alive.visit(cfg, *block, |inst, set| {
                if is_asked(*block, inst) {
                    found.push((inst, set));
                }
            });
            found.into_iter().for_each(|(inst, set)| alive.before[inst] = set);
        }
        alive
    }

    /// Whether a buffer is used from an instruction on.
    pub(super) fn is_before(&self, inst: Inst, origin: Origin) -> bool {
        origin.index() >= MAX_BUFFERS || self.before[inst].contains(origin.index())
    }

    /// What is alive at the start of a block.
    fn visit(&self, cfg: &Cfg, block: Block, mut at: impl FnMut(Inst, Set)) -> Set {
        let ends = cfg.succs(block).iter().map(|next| self.starts[*next]);
        let mut set = ends.fold(Set::default(), Set::union);
        for inst in self.func.layout.insts_rev(block) {
            if pointer_word::is_loaded(self.func, inst) {
                let loaded = self.buffers.loads_of(self.func.dfg.result(inst)).next();
                if let Some(origin) = loaded.filter(|origin| origin.index() < MAX_BUFFERS) {
                    set.remove(origin.index());
                }
            } else if is_use(self.func, inst) {
                for origin in self.func.dfg.args(inst).iter().flat_map(|arg| self.buffers.loads_of(*arg)) {
                    if origin.index() < MAX_BUFFERS {
                        set.insert(origin.index());
                    }
                }
            }
            at(inst, set);
        }
        set
    }
}
