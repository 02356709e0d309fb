//! Natural loops and their nesting.
//!
//! A back edge goes to a block that dominates its source; that block is a header, and its loop is
//! every block from which a back edge to it can be reached without passing it. Back edges to one
//! header share a loop. A cycle without a dominating header is no loop here: [`Loops::is_irreducible`] says whether there
//! is one.

use crate::cfg::Cfg;
use crate::dom::Dominators;
use cairn_ir::Block;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};

/// A loop of one [`Loops`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(u32);
entity_impl!(LoopId, "loop");

#[derive(Clone, Copy, Debug)]
struct LoopData {
    header: Block,
    parent: PackedOption<LoopId>,
    depth: u32,
}

/// The loop nest of a function.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    loops: PrimaryMap<LoopId, LoopData>,
    innermost: SecondaryMap<Block, PackedOption<LoopId>>,
    is_irreducible: bool,
}

impl Loops {
    /// Finds all loops: inner ones first, each block walked once for each loop level that begins
    /// at its own innermost loop.
    pub fn compute(cfg: &Cfg, dominators: &Dominators) -> Loops {
        let mut loops = Loops::default();
        let mut outermost: SecondaryMap<LoopId, PackedOption<LoopId>> = SecondaryMap::new();
        for header in cfg.rpo().iter().rev() {
            let mut work: Vec<Block> = Vec::new();
            for pred in cfg.preds(*header) {
                if dominators.dominates(*header, *pred) {
                    work.push(*pred);
                } else if cfg.is_retreating(*pred, *header) {
                    loops.is_irreducible = true;
                }
            }
            if !work.is_empty() {
                let id = loops.loops.push(LoopData { header: *header, parent: None.into(), depth: 0 });
                loops.fill(cfg, id, work, &mut outermost);
            }
        }
        // Outer loops were made after the loops in them.
        for id in loops.loops.keys().rev() {
            let parent_depth = loops.loops[id].parent.expand().map_or(0, |parent| loops.loops[parent].depth);
            loops.loops[id].depth = parent_depth + 1;
        }
        loops
    }

    /// Adds all blocks from which `work` is reached to loop `id`, whole inner loops at a time.
    fn fill(
        &mut self,
        cfg: &Cfg,
        id: LoopId,
        mut work: Vec<Block>,
        outermost: &mut SecondaryMap<LoopId, PackedOption<LoopId>>,
    ) {
        let header = self.loops[id].header;
        self.claim(header, id, outermost);
        while let Some(block) = work.pop() {
            if let Some(entered_at) = self.claim(block, id, outermost) {
                work.extend(cfg.preds(entered_at));
            }
        }
    }

    /// Puts a block, or the outermost loop made so far around it, into loop `id`. Returns where
    /// control enters what was added, `None` if it was in the loop already.
    fn claim(
        &mut self,
        block: Block,
        id: LoopId,
        outermost: &mut SecondaryMap<LoopId, PackedOption<LoopId>>,
    ) -> Option<Block> {
        let Some(inner) = self.innermost[block].expand() else {
            self.innermost[block] = id.into();
            return Some(block);
        };
        let mut top = inner;
        while let Some(above) = outermost[top].expand() {
            // Path halving.
            if let Some(next) = outermost[above].expand() {
                outermost[top] = next.into();
            }
            top = above;
        }
        if top == id {
            return None;
        }
        outermost[top] = id.into();
        self.loops[top].parent = id.into();
        Some(self.loops[top].header)
    }

    /// All loops, inner before outer.
    pub fn ids(&self) -> impl Iterator<Item = LoopId> + use<> {
        self.loops.keys()
    }

    /// The block through which a loop is entered.
    pub fn header(&self, id: LoopId) -> Block {
        self.loops[id].header
    }

    /// The loop around a loop.
    pub fn parent(&self, id: LoopId) -> Option<LoopId> {
        self.loops[id].parent.expand()
    }

    /// Number of loops around the loop's blocks, itself included: 1 for an outermost loop.
    pub fn loop_depth(&self, id: LoopId) -> u32 {
        self.loops[id].depth
    }

    /// The innermost loop of a block.
    pub fn innermost(&self, block: Block) -> Option<LoopId> {
        self.innermost[block].expand()
    }

    /// Number of loops around a block.
    pub fn depth(&self, block: Block) -> u32 {
        self.innermost(block).map_or(0, |id| self.loops[id].depth)
    }

    /// True when the block is a loop's header.
    pub fn is_header(&self, block: Block) -> bool {
        self.innermost(block).is_some_and(|id| self.loops[id].header == block)
    }

    /// True when `block` is in loop `id` or in a loop inside it.
    pub fn contains(&self, id: LoopId, block: Block) -> bool {
        std::iter::successors(self.innermost(block), |inner| self.parent(*inner)).any(|around| around == id)
    }

    /// True when there is a cycle that no block of it dominates.
    pub fn is_irreducible(&self) -> bool {
        self.is_irreducible
    }

    /// Number of loops.
    pub fn len(&self) -> usize {
        self.loops.len()
    }

    /// True when there is no loop.
    pub fn is_empty(&self) -> bool {
        self.loops.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{block, graph};

    fn loops(succs: &[&[usize]]) -> Loops {
        let cfg = Cfg::compute(&graph(succs));
        Loops::compute(&cfg, &Dominators::compute(&cfg))
    }

    fn depths(succs: &[&[usize]]) -> Vec<u32> {
        let loops = loops(succs);
        (0..succs.len()).map(|index| loops.depth(block(index))).collect()
    }

    #[test]
    fn nested_loops() {
        // 1 { 2 { 3 } 4 } 5
        let succs: [&[usize]; 6] = [&[1], &[2, 5], &[3, 4], &[2], &[1], &[]];
        assert_eq!(depths(&succs), [0, 1, 2, 2, 1, 0]);
        let loops = loops(&succs);
        assert_eq!(loops.len(), 2);
        let inner = loops.innermost(block(3)).expect("in a loop");
        let outer = loops.parent(inner).expect("nested");
        assert_eq!((loops.header(inner), loops.header(outer)), (block(2), block(1)));
        assert_eq!(loops.parent(outer), None);
        assert!(loops.is_header(block(2)) && !loops.is_header(block(3)));
        assert!(loops.contains(outer, block(3)) && !loops.contains(inner, block(4)));
        assert!(!loops.is_irreducible());
    }

    #[test]
    fn a_block_that_jumps_to_itself_is_a_loop() {
        assert_eq!(depths(&[&[1], &[1, 2], &[]]), [0, 1, 0]);
    }

    #[test]
    fn the_entry_can_be_a_header() {
        assert_eq!(depths(&[&[1, 2], &[0], &[]]), [1, 1, 0]);
    }

    #[test]
    fn two_back_edges_share_a_loop() {
        let succs: [&[usize]; 6] = [&[1], &[2, 5], &[3, 4], &[1], &[1], &[]];
        let loops = loops(&succs);
        assert_eq!(loops.len(), 1);
        assert_eq!(depths(&succs), [0, 1, 1, 1, 1, 0]);
    }

    #[test]
    fn sequential_loops_are_not_nested() {
        let succs: [&[usize]; 6] = [&[1], &[2, 3], &[1], &[4, 5], &[3], &[]];
        assert_eq!(depths(&succs), [0, 1, 1, 1, 1, 0]);
        assert_eq!(loops(&succs).len(), 2);
    }

    #[test]
    fn a_cycle_with_two_entries_is_irreducible() {
        let loops = loops(&[&[1, 2], &[2], &[1, 3], &[]]);
        assert!(loops.is_irreducible());
        assert!(loops.is_empty());
    }

    #[test]
    fn a_loop_around_an_irreducible_cycle() {
        let loops = loops(&[&[1], &[2, 3], &[3], &[2, 4], &[1, 5], &[]]);
        assert!(loops.is_irreducible());
        assert_eq!(loops.len(), 1);
        assert_eq!(loops.depth(block(2)), 1);
    }
}
