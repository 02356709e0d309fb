//! Which blocks control reaches from external functions, without returning into other callers.

use crate::absint::{CallSite, Outcome, Subject};
use crate::blocks::{Block, BlockEnd, BlockId};
use crate::cfg::{Cfg, EdgeKind};
use crate::decode::short_word;
use crate::pc_set::{PcSet, ones};
use cairn_evm::Opcode;
use smallvec::SmallVec;

/// Where control goes on behind each block of a function.
///
/// Code that functions share, and the ends of inlined code, jump to what was pushed long before: along the edges of
/// such a jump one function would get to where another goes on. So these are not followed, nor are returns: control
/// goes on at a destination from the blocks that push it. Destinations that are not pushed, or not only by code
/// behind the dispatcher, keep their edges.
#[derive(Clone, Debug)]
pub(crate) struct Onward {
    /// The first of `next` of each block, and their number.
    first: Vec<u32>,
    next: Vec<BlockId>,
}

impl Onward {
    /// `entries` are the blocks that functions begin with.
    pub(crate) fn new(subject: Subject<'_>, cfg: &Cfg, outcome: &Outcome, entries: &[BlockId]) -> Onward {
        let count = subject.blocks.len();
        let jumps = Jumps::new(subject, cfg, outcome, entries);
        let in_dispatcher = jumps.before(entries);
        let mut is_kept = vec![true; count];
        jumps.pushed.iter().for_each(|(_, to)| is_kept[*to as usize] = false);
        let from_dispatcher = jumps.pushed.iter().filter(|(from, _)| in_dispatcher[*from as usize]);
        from_dispatcher.for_each(|(_, to)| is_kept[*to as usize] = true);
        let mut first = Vec::with_capacity(count + 1);
        let mut next = Vec::with_capacity(cfg.edges().len() + outcome.call_sites.len() + jumps.pushed.len());
        let (mut sites, mut pushed) = (&outcome.call_sites[..], &jumps.pushed[..]);
        for (block, is_taken) in (0..).zip(&jumps.is_taken) {
            first.push(next.len() as u32);
            for edge in cfg.out_edges(block) {
                if edge.kind != EdgeKind::Return && (!is_taken || is_kept[edge.to as usize]) {
                    next.push(edge.to);
                }
            }
            while let [site, rest @ ..] = sites
                && site.from == block
            {
                let to = site.return_to as usize;
                if is_kept[to] && !jumps.is_entry[to] {
                    next.push(site.return_to);
                }
                sites = rest;
            }
            while let [(from, to), rest @ ..] = pushed
                && *from == block
            {
                next.push(*to);
                pushed = rest;
            }
        }
        first.push(next.len() as u32);
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

/// Where control goes, by how jumps know where to go.
struct Jumps<'a> {
    cfg: &'a Cfg,
    outcome: &'a Outcome,
    /// By block: a function begins there.
    is_entry: Vec<bool>,
    /// By block: it ends with a jump to a word that lay on the stack.
    is_taken: Vec<bool>,
    /// From the blocks that push such a word to where it leads, in the order of the blocks.
    pushed: Vec<(BlockId, BlockId)>,
}

impl<'a> Jumps<'a> {
    fn new(subject: Subject<'_>, cfg: &'a Cfg, outcome: &'a Outcome, entries: &[BlockId]) -> Jumps<'a> {
        let Subject { code, blocks, .. } = subject;
        let is_taken = |block: &Block| {
            let before = Opcode(code[block.before_last as usize]);
            block.ends == BlockEnd::Jump
                && (block.before_last == block.last_pc || before.push_width().is_none())
        };
        let is_taken: Vec<bool> = blocks.list().iter().map(is_taken).collect();
        let mut is_entry = vec![false; blocks.len()];
        entries.iter().for_each(|entry| is_entry[*entry as usize] = true);
        let mut jumps = Jumps { cfg, outcome, is_entry, is_taken, pushed: Vec::new() };
        // Where such a word leads.
        let mut leads = PcSet::new(code.len());
        let mut lead = |to: BlockId| {
            if !jumps.is_entry[to as usize] {
                leads.insert(blocks.get(to).start as usize);
            }
        };
        for edge in cfg.edges() {
            if edge.kind != EdgeKind::Return && jumps.is_taken[edge.from as usize] {
                lead(edge.to);
            }
        }
        outcome.returns.iter().for_each(|edge| lead(edge.1));
        outcome.call_sites.iter().for_each(|site| lead(site.return_to));
        // Each with the bytes that it is pushed with.
        let mut pushes: Vec<((BlockId, BlockId), u8)> = Vec::new();
        let mut width_of_offsets = width_of_jumps(subject, &outcome.reached);
        let is_reached = |block: &BlockId| outcome.reached[*block as usize];
        each_push(code, |pc, width, word| {
            if leads.contains(word as usize)
                && let Some(to) = blocks.jump_target(word)
                && let Some(from) = blocks.containing(pc as u32).filter(is_reached)
            {
                if is_padded(word, width) {
                    width_of_offsets = width_of_offsets.max(width);
                }
                pushes.push(((from, to), width));
            }
        });
        pushes.retain(|(_, width)| *width >= width_of_offsets);
        jumps.pushed = pushes.into_iter().map(|(edge, _)| edge).collect();
        jumps
    }

    /// Where the edges of a block lead that are no returns.
    fn followed(&self, block: BlockId) -> impl Iterator<Item = BlockId> + '_ {
        let edges = self.cfg.out_edges(block).iter();
        edges.filter(|edge| edge.kind != EdgeKind::Return).map(|edge| edge.to)
    }

    /// Where calls come back to. The dispatcher leads to functions by branches: what else looks like the offset of
    /// one is a number.
    fn returns<'s>(&'s self, sites: &'s [CallSite]) -> impl Iterator<Item = BlockId> + 's {
        sites.iter().map(|site| site.return_to).filter(|to| !self.is_entry[*to as usize])
    }

    /// The blocks that control gets to from the beginning without going through an entry.
    fn before(&self, entries: &[BlockId]) -> Vec<bool> {
        let mut seen = self.is_entry.clone();
        let mut work: Vec<BlockId> =
            (0..seen.len() as BlockId).take(1).filter(|first| !seen[*first as usize]).collect();
        work.iter().for_each(|first| seen[*first as usize] = true);
        while let Some(block) = work.pop() {
            let first = self.pushed.partition_point(|(from, _)| *from < block);
            let pushed = self.pushed[first..].iter().take_while(|(from, _)| *from == block);
            let all = self.followed(block).chain(self.returns(self.outcome.calls_of(block)));
            for to in all.chain(pushed.map(|(_, to)| *to)) {
                if !std::mem::replace(&mut seen[to as usize], true) {
                    work.push(to);
                }
            }
        }
        entries.iter().for_each(|entry| seen[*entry as usize] = false);
        seen
    }
}

/// Calls back with the words below 2^32 that a code pushes with one byte and more: the offset of the push, its bytes,
/// and the word. A plain sweep, because hardly any of them is looked at.
#[inline]
fn each_push(code: &[u8], mut f: impl FnMut(usize, u8, u32)) {
    let mut at = 0;
    while let Some(byte) = code.get(at) {
        let pc = at;
        at += 1;
        let Some(width @ 1..) = Opcode(*byte).push_width() else { continue };
        let word = short_word(&code[at..], width);
        at += usize::from(width);
        if let Some(word) = word {
            f(pc, width, word);
        }
    }
}

/// The most bytes that a block which control reaches pushes a padded offset with that it jumps to at once; 0 for none.
fn width_of_jumps(Subject { code, blocks, .. }: Subject<'_>, reached: &[bool]) -> u8 {
    let jumps = blocks
        .list()
        .iter()
        .zip(reached)
        .filter(|(block, reached)| **reached && matches!(block.ends, BlockEnd::Jump | BlockEnd::JumpI));
    let widths = jumps.filter_map(|(block, _)| {
        let (opcode, data) = code[block.before_last as usize..].split_first()?;
        let width = Opcode(*opcode).push_width()?;
        let word = short_word(data, width)?;
        (is_padded(word, width) && blocks.is_jump_target(word)).then_some(width)
    });
    widths.max().unwrap_or(0)
}

/// True of a word that is pushed with more bytes than it needs. Most compilers push all offsets with as many bytes as the
/// largest needs, and numbers with no more than they need: where an offset is padded, what is shorter is a number.
fn is_padded(word: u32, width: u8) -> bool {
    let needed = (4 - word.leading_zeros() as u8 / 8).max(1);
    (needed + 1..=4).contains(&width)
}

/// Which external functions get to which blocks: a bit for each function, in so many words a block.
///
/// Cost: one search for an order in which nearly every block comes after those before it, then rounds over
/// the edges of blocks that more functions get to, for each word, until there are none; nearly all in the first round
/// where loops are as compilers write them.
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
        let mut reach = Reach { width, bits };
        let mut waits = vec![false; count];
        for word in 0..width {
            entries.iter().for_each(|entry| waits[*entry as usize] = true);
            reach.hand_on(word, onward, &order, &rank, &mut waits);
        }
        reach
    }

    /// Hands on the functions of one word of each block. `waits` tells which blocks have some that they have not handed
    /// on yet; none does at the end.
    fn hand_on(&mut self, word: usize, onward: &Onward, order: &[BlockId], rank: &[u32], waits: &mut [bool]) {
        let Reach { width, bits } = self;
        let mut changes = !order.is_empty();
        while changes {
            changes = false;
            for from in order.iter().rev() {
                if !std::mem::replace(&mut waits[*from as usize], false) {
                    continue;
                }
                let functions = bits[*from as usize * *width + word];
                for to in onward.after(*from) {
                    let known = &mut bits[*to as usize * *width + word];
                    if functions & !*known != 0 {
                        *known |= functions;
                        waits[*to as usize] = true;
                        // What comes later in this round has it yet to hand on.
                        changes |= rank[*to as usize] >= rank[*from as usize];
                    }
                }
            }
        }
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

/// Some external functions, by number.
pub(crate) struct Functions(SmallVec<[u64; 4]>);

impl Functions {
    pub(crate) fn contains(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Their numbers, in order.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        ones(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_what_a_word_does_not_need() {
        assert!(is_padded(0x102, 4) && is_padded(0xff, 2));
        assert!(!is_padded(0x102, 2) && !is_padded(0, 1) && !is_padded(1, 32));
    }

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
                    let functions = reach.of_all(std::iter::once(block));
                    let found = functions.contains(number);
                    assert_eq!(found, seen.contains(&block), "{seed} {number} {block}");
                    assert_eq!(found, functions.numbers().any(|one| one == number));
                }
            }
        }
    }
}
