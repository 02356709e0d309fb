//! Which blocks control reaches from a block, without returning into other callers.

use crate::absint::Outcome;
use crate::blocks::BlockId;
use crate::cfg::{Cfg, EdgeKind};

/// Where control goes on behind each block: what comes after a call is reached from the call, returns are
/// not followed.
#[derive(Clone, Debug)]
pub(crate) struct Onward {
    /// The first of `next` of each block, and their number.
    first: Vec<u32>,
    next: Vec<BlockId>,
}

impl Onward {
    /// `count` is the number of blocks.
    pub(crate) fn new(count: usize, cfg: &Cfg, outcome: &Outcome) -> Onward {
        let direct = cfg.edges().iter().filter(|edge| edge.kind != EdgeKind::Return);
        let direct = direct.map(|edge| (edge.from, edge.to));
        let after_calls = outcome.edges.iter().filter_map(|edge| Some((edge.from, edge.return_to?)));
        let mut first = vec![0u32; count + 1];
        direct.clone().chain(after_calls.clone()).for_each(|(from, _)| first[from as usize + 1] += 1);
        for block in 0..count {
            first[block + 1] += first[block];
        }
        let mut next = vec![0; first[count] as usize];
        let mut place = first.clone();
        for (from, to) in direct.chain(after_calls) {
            let place = &mut place[from as usize];
            next[*place as usize] = to;
            *place += 1;
        }
        Onward { first, next }
    }

    fn after(&self, block: BlockId) -> &[BlockId] {
        &self.next[self.first[block as usize] as usize..self.first[block as usize + 1] as usize]
    }
}

/// Searches forwards.
pub(crate) struct Reach<'a> {
    onward: &'a Onward,
    /// By block, the last search that was there.
    seen: Vec<u32>,
    searches: u32,
    work: Vec<BlockId>,
}

impl<'a> Reach<'a> {
    pub(crate) fn new(onward: &'a Onward) -> Reach<'a> {
        let seen = vec![0; onward.first.len() - 1];
        Reach { onward, seen, searches: 0, work: Vec::new() }
    }

    /// Visits each block that is reached from `entry`, itself included, once, until `visit` says to stop.
    pub(crate) fn from(&mut self, entry: BlockId, mut visit: impl FnMut(BlockId) -> Next) {
        self.searches += 1;
        self.work.clear();
        self.work.push(entry);
        while let Some(block) = self.work.pop() {
            let seen = &mut self.seen[block as usize];
            if std::mem::replace(seen, self.searches) == self.searches {
                continue;
            }
            if visit(block) == Next::Stop {
                return;
            }
            let unseen = |to: &&BlockId| self.seen[**to as usize] != self.searches;
            self.work.extend(self.onward.after(block).iter().filter(unseen));
        }
    }
}

/// Whether a search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Go,
    Stop,
}
