//! Which blocks control reaches from external functions, without returning into other callers.

use crate::absint::Outcome;
use crate::blocks::BlockId;
use crate::cfg::{Cfg, EdgeKind};
use smallvec::SmallVec;

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

    /// The blocks behind these, each after all that are only behind it, but for loops.
    fn order(&self, entries: &[BlockId]) -> Vec<BlockId> {
        let mut seen = vec![false; self.first.len() - 1];
        let mut order = Vec::with_capacity(seen.len());
        // Blocks, each with the index of the edge to follow next.
        let mut work: Vec<(BlockId, u32)> = Vec::new();
        for entry in entries {
            if std::mem::replace(&mut seen[*entry as usize], true) {
                continue;
            }
            work.push((*entry, self.first[*entry as usize]));
            while let Some((block, edge)) = work.last_mut() {
                if *edge == self.first[*block as usize + 1] {
                    order.push(*block);
                    work.pop();
                    continue;
                }
                let to = self.next[*edge as usize];
                *edge += 1;
                if !std::mem::replace(&mut seen[to as usize], true) {
                    work.push((to, self.first[to as usize]));
                }
            }
        }
        order
    }

    fn after(&self, block: BlockId) -> &[BlockId] {
        &self.next[self.first[block as usize] as usize..self.first[block as usize + 1] as usize]
    }
}

/// Which external functions get to which blocks: a bit for each function, in so many words a block.
///
/// Cost: one search for an order in which nearly every block comes after those before it, then rounds over
/// all edges until nothing changes; two or three where loops are as compilers write them.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    /// Words of a block.
    width: usize,
    bits: Vec<u64>,
}

impl Reach {
    /// `entries` are the blocks that functions begin with, in their order.
    pub(crate) fn new(onward: &Onward, entries: &[BlockId]) -> Reach {
        let count = onward.first.len() - 1;
        let width = entries.len().div_ceil(64);
        let mut bits = vec![0u64; count * width];
        for (number, entry) in entries.iter().enumerate() {
            bits[*entry as usize * width + number / 64] |= 1 << (number % 64);
        }
        let order = onward.order(entries);
        // In the order of a search blocks come behind those that they lead to, but for loops.
        let mut rank = vec![0u32; count];
        order.iter().zip(0..).for_each(|(block, place)| rank[*block as usize] = place);
        let mut changes = !order.is_empty();
        while changes {
            changes = false;
            for from in order.iter().rev() {
                for to in onward.after(*from) {
                    // What comes later in this round has it yet to hand on.
                    let is_past = rank[*to as usize] >= rank[*from as usize];
                    changes |= hand_on(&mut bits, width, *from, *to) && is_past;
                }
            }
        }
        Reach { width, bits }
    }

    /// The functions that get to a block.
    pub(crate) fn of(&self, block: BlockId) -> &[u64] {
        &self.bits[block as usize * self.width..][..self.width]
    }

    /// The functions that get to one of these blocks.
    pub(crate) fn of_all(&self, blocks: impl Iterator<Item = BlockId>) -> Functions {
        let mut all = Functions(SmallVec::from_elem(0, self.width));
        for block in blocks {
            all.0.iter_mut().zip(self.of(block)).for_each(|(all, bits)| *all |= bits);
        }
        all
    }
}

/// Adds the functions of a block to another; true when those became more.
fn hand_on(bits: &mut [u64], width: usize, from: BlockId, to: BlockId) -> bool {
    let (from, to) = (from as usize * width, to as usize * width);
    let mut is_more = false;
    for place in 0..width {
        let all = bits[to + place] | bits[from + place];
        is_more |= std::mem::replace(&mut bits[to + place], all) != all;
    }
    is_more
}

/// Some external functions, by number.
pub(crate) struct Functions(SmallVec<[u64; 4]>);

impl Functions {
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_a_search_from_each_function_finds() {
        // Graphs with loops that overlap, and more functions than bits of a word.
        for seed in 1..40u32 {
            let random = |place: u32| (place.wrapping_mul(seed).wrapping_mul(0x9e37_79b9) >> 20) % 50;
            let after: Vec<Vec<BlockId>> = (0..50)
                .map(|block| (0..random(block) % 3).map(|way| random(7 * block + way)).collect())
                .collect();
            let mut first = vec![0];
            after.iter().for_each(|next| first.push(first[first.len() - 1] + next.len() as u32));
            let onward = Onward { first, next: after.concat() };
            let entries: Vec<BlockId> = (0..70).map(|place| random(place + 99)).collect();
            let reach = Reach::new(&onward, &entries);
            for (number, entry) in entries.iter().enumerate() {
                let mut seen = vec![*entry];
                let mut next = 0;
                while next < seen.len() {
                    let unseen = |to: &&BlockId| !seen.contains(to);
                    let found: Vec<BlockId> =
                        after[seen[next] as usize].iter().filter(unseen).copied().collect();
                    seen.extend(found);
                    next += 1;
                }
                for block in 0..50 {
                    let found = reach.of_all(std::iter::once(block)).contains(number);
                    assert_eq!(found, seen.contains(&block), "{seed} {number} {block}");
                }
            }
        }
    }
}
