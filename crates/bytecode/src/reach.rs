//! Which blocks control reaches from a block, without returning into other callers.

use crate::analysis::Analysis;
use crate::blocks::BlockId;
use crate::cfg::EdgeKind;

/// Searches forwards: what comes after a call is reached from the call, returns are not followed.
pub(crate) struct Reach {
    /// The first of `next` of each block, and their number.
    first: Vec<u32>,
    next: Vec<BlockId>,
    /// By block, the last search that was there.
    seen: Vec<u32>,
    searches: u32,
    work: Vec<BlockId>,
}

impl Reach {
    pub(crate) fn new(analysis: &Analysis<'_>) -> Reach {
        let count = analysis.blocks.len();
        let direct = analysis.cfg.edges().iter().filter(|edge| edge.kind != EdgeKind::Return);
        let direct = direct.map(|edge| (edge.from, edge.to));
        let after_calls = analysis.outcome.edges.iter().filter_map(|edge| Some((edge.from, edge.return_to?)));
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
        Reach { first, next, seen: vec![0; count], searches: 0, work: Vec::new() }
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
            let range = self.first[block as usize] as usize..self.first[block as usize + 1] as usize;
            let unseen = |to: &&BlockId| self.seen[**to as usize] != self.searches;
            self.work.extend(self.next[range].iter().filter(unseen));
        }
    }
}

/// Whether a search goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    Go,
    Stop,
}
