//! The order of blocks, and of instructions in blocks, as linked lists: every edit is O(1).

use crate::ids::{Block, Inst};
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};

#[derive(Clone, Debug, Default)]
struct BlockNode {
    prev: PackedOption<Block>,
    next: PackedOption<Block>,
    first: PackedOption<Inst>,
    last: PackedOption<Inst>,
    num_insts: u32,
    inserted: bool,
}

#[derive(Clone, Debug, Default)]
struct InstNode {
    block: PackedOption<Block>,
    prev: PackedOption<Inst>,
    next: PackedOption<Inst>,
}

/// Grows a map for an id and as many again: a map grows by one id otherwise, each time it is written
/// to behind its end.
#[inline]
fn make_room<K: EntityRef, V: Clone>(map: &mut SecondaryMap<K, V>, id: K) {
    if map.capacity() <= id.index() {
        map.resize((id.index() + 1).next_power_of_two().max(8));
    }
}

/// The order of blocks and instructions of a function. The first block is the entry.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    blocks: SecondaryMap<Block, BlockNode>,
    insts: SecondaryMap<Inst, InstNode>,
    first: PackedOption<Block>,
    last: PackedOption<Block>,
    /// Instructions of the blocks that are in the layout.
    num_insts: usize,
}

impl Layout {
    /// The entry block.
    ///
    /// # Panics
    /// If the function has no block.
    #[inline]
    pub fn entry(&self) -> Block {
        self.first.expand().expect("invariant: a function has a block")
    }

    /// The first block, if there is one.
    #[inline]
    pub fn first_block(&self) -> Option<Block> {
        self.first.expand()
    }

    /// True when the block is in the layout.
    #[inline]
    pub fn is_block_inserted(&self, block: Block) -> bool {
        self.blocks[block].inserted
    }

    /// Puts a block at the end.
    pub fn append_block(&mut self, block: Block) {
        self.insert_block_after_opt(block, self.last.expand());
    }

    /// Puts a block after another.
    pub fn insert_block_after(&mut self, block: Block, after: Block) {
        self.insert_block_after_opt(block, Some(after));
    }

    fn insert_block_after_opt(&mut self, block: Block, after: Option<Block>) {
        assert!(!self.blocks[block].inserted, "{block} is in the layout already");
        make_room(&mut self.blocks, block);
        let next = match after {
            Some(after) => std::mem::replace(&mut self.blocks[after].next, block.into()),
            None => std::mem::replace(&mut self.first, block.into()),
        };
        match next.expand() {
            Some(next) => self.blocks[next].prev = block.into(),
            None => self.last = block.into(),
        }
        let node = &mut self.blocks[block];
        (node.prev, node.next, node.inserted) = (after.into(), next, true);
        self.num_insts += node.num_insts as usize;
    }

    /// Takes a block out, with its instructions still attached to it.
    pub fn remove_block(&mut self, block: Block) {
        assert!(self.blocks[block].inserted, "{block} is not in the layout");
        let (prev, next) = (self.blocks[block].prev, self.blocks[block].next);
        match prev.expand() {
            Some(prev) => self.blocks[prev].next = next,
            None => self.first = next,
        }
        match next.expand() {
            Some(next) => self.blocks[next].prev = prev,
            None => self.last = prev,
        }
        let node = &mut self.blocks[block];
        (node.prev, node.next, node.inserted) = (None.into(), None.into(), false);
        self.num_insts -= node.num_insts as usize;
    }

    /// The block after this one.
    #[inline]
    pub fn next_block(&self, block: Block) -> Option<Block> {
        self.blocks[block].next.expand()
    }

    /// The block before this one.
    #[inline]
    pub fn prev_block(&self, block: Block) -> Option<Block> {
        self.blocks[block].prev.expand()
    }

    /// Blocks in order.
    #[inline]
    pub fn blocks(&self) -> impl Iterator<Item = Block> + '_ {
        std::iter::successors(self.first.expand(), |block| self.next_block(*block))
    }

    /// Instructions of a block in order.
    #[inline]
    pub fn insts(&self, block: Block) -> impl Iterator<Item = Inst> + '_ {
        std::iter::successors(self.first_inst(block), |inst| self.next_inst(*inst))
    }

    /// Instructions of a block from the last to the first.
    #[inline]
    pub fn insts_rev(&self, block: Block) -> impl Iterator<Item = Inst> + '_ {
        std::iter::successors(self.last_inst(block), |inst| self.prev_inst(*inst))
    }

    /// Number of instructions of a block.
    #[inline]
    pub fn num_insts_of(&self, block: Block) -> usize {
        self.blocks[block].num_insts as usize
    }

    /// Number of instructions of all blocks.
    #[inline]
    pub fn num_insts(&self) -> usize {
        self.num_insts
    }

    /// The first instruction of a block.
    #[inline]
    pub fn first_inst(&self, block: Block) -> Option<Inst> {
        self.blocks[block].first.expand()
    }

    /// The last instruction of a block: its terminator in every form but free form.
    #[inline]
    pub fn last_inst(&self, block: Block) -> Option<Inst> {
        self.blocks[block].last.expand()
    }

    /// The instruction after this one in its block.
    #[inline]
    pub fn next_inst(&self, inst: Inst) -> Option<Inst> {
        self.insts[inst].next.expand()
    }

    /// The instruction before this one in its block.
    #[inline]
    pub fn prev_inst(&self, inst: Inst) -> Option<Inst> {
        self.insts[inst].prev.expand()
    }

    /// The block of an instruction, if it is in one.
    #[inline]
    pub fn inst_block(&self, inst: Inst) -> Option<Block> {
        self.insts[inst].block.expand()
    }

    /// Puts an instruction at the end of a block.
    #[inline]
    pub fn append_inst(&mut self, inst: Inst, block: Block) {
        self.link_inst(inst, block, self.last_inst(block), None);
    }

    /// Puts an instruction at the start of a block.
    pub fn prepend_inst(&mut self, inst: Inst, block: Block) {
        self.link_inst(inst, block, None, self.first_inst(block));
    }

    /// Puts an instruction before another.
    pub fn insert_inst_before(&mut self, inst: Inst, before: Inst) {
        let block = self.inst_block(before).expect("invariant: the place is in a block");
        self.link_inst(inst, block, self.prev_inst(before), Some(before));
    }

    /// Puts an instruction after another.
    pub fn insert_inst_after(&mut self, inst: Inst, after: Inst) {
        let block = self.inst_block(after).expect("invariant: the place is in a block");
        self.link_inst(inst, block, Some(after), self.next_inst(after));
    }

    fn link_inst(&mut self, inst: Inst, block: Block, prev: Option<Inst>, next: Option<Inst>) {
        assert!(self.insts[inst].block.is_none(), "{inst} is in a block already");
        make_room(&mut self.insts, inst);
        match prev {
            Some(prev) => self.insts[prev].next = inst.into(),
            None => self.blocks[block].first = inst.into(),
        }
        match next {
            Some(next) => self.insts[next].prev = inst.into(),
            None => self.blocks[block].last = inst.into(),
        }
        self.insts[inst] = InstNode { block: block.into(), prev: prev.into(), next: next.into() };
        let node = &mut self.blocks[block];
        node.num_insts += 1;
        self.num_insts += usize::from(node.inserted);
    }

    /// Takes an instruction out of its block.
    pub fn remove_inst(&mut self, inst: Inst) {
        let node = std::mem::take(&mut self.insts[inst]);
        let block = node.block.expand().expect("invariant: the instruction is in a block");
        match node.prev.expand() {
            Some(prev) => self.insts[prev].next = node.next,
            None => self.blocks[block].first = node.next,
        }
        match node.next.expand() {
            Some(next) => self.insts[next].prev = node.prev,
            None => self.blocks[block].last = node.prev,
        }
        let node = &mut self.blocks[block];
        node.num_insts -= 1;
        self.num_insts -= usize::from(node.inserted);
    }

    /// Moves `inst` and everything after it to the end of `to`. Linear in what is moved.
    pub fn split_block(&mut self, inst: Inst, to: Block) {
        let from = self.inst_block(inst).expect("invariant: the instruction is in a block");
        let mut count = 0;
        let mut next = Some(inst);
        while let Some(moved) = next {
            let node = &mut self.insts[moved];
            node.block = to.into();
            next = node.next.expand();
            count += 1;
        }
        make_room(&mut self.blocks, to);
        let (end, rest) = (self.blocks[to].last, self.insts[inst].prev);
        self.insts[inst].prev = end;
        match rest.expand() {
            Some(rest) => self.insts[rest].next = None.into(),
            None => self.blocks[from].first = None.into(),
        }
        match end.expand() {
            Some(end) => self.insts[end].next = inst.into(),
            None => self.blocks[to].first = inst.into(),
        }
        self.blocks[to].last = std::mem::replace(&mut self.blocks[from].last, rest);
        self.blocks[from].num_insts -= count;
        self.blocks[to].num_insts += count;
        let count_if = |is_inserted: bool| if is_inserted { count as usize } else { 0 };
        self.num_insts += count_if(self.blocks[to].inserted);
        self.num_insts -= count_if(self.blocks[from].inserted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(layout: &Layout) -> (usize, Vec<usize>) {
        (layout.num_insts(), (0..3).map(|block| layout.num_insts_of(Block::new(block))).collect())
    }

    #[test]
    fn instructions_are_counted_where_they_are() {
        let mut layout = Layout::default();
        let (block, inst) = (Block::new, Inst::new);
        layout.append_block(block(0));
        layout.append_block(block(1));
        (0..5).for_each(|index| layout.append_inst(inst(index), block(0)));
        layout.insert_inst_before(inst(5), inst(2));
        assert_eq!(counts(&layout), (6, vec![6, 0, 0]));
        layout.split_block(inst(3), block(1));
        assert_eq!(counts(&layout), (6, vec![4, 2, 0]));
        layout.remove_inst(inst(0));
        layout.remove_block(block(1));
        assert_eq!(counts(&layout), (3, vec![3, 2, 0]));
        layout.prepend_inst(inst(0), block(1));
        assert_eq!(counts(&layout), (3, vec![3, 3, 0]), "the block is not in the layout");
        layout.append_block(block(1));
        assert_eq!(counts(&layout), (6, vec![3, 3, 0]));
    }
}
