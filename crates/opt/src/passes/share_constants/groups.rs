//! Which blocks share a definition.
//!
//! A *group* is blocks that share one definition, in its *root*, which dominates them; its *region* is the blocks on
//! entry of which that is live. Each block begins as a group of its own. From the leaves of the dominator tree up, the
//! groups below a block become one with the block as root if that is cheaper: bytes by `--runs`, gas by how often
//! blocks run. One definition costs what is pushed in vain, [`IN_THE_WAY`] in each block where it is live, and a pop
//! where a way leaves the region to code that goes on; each group less spares a push for a copy. Where more than
//! [`MAX_LIVE`] values are live, nothing is added.
//!
//! Cost for a constant: linear in the blocks; what is looked at in vain is bounded by [`MAX_VAIN`].

use super::constant::Constant;
use crate::pass::PassContext;
use crate::pressure::Pressure;
use cairn_analysis::{Cfg, Dominators, Frequency};
use cairn_evm::Cost;
use cairn_ir::{Block, Function, Op, SecondaryMap};
use cranelift_entity::EntitySet;

/// Live values of a block up to which one more is kept: what the stack reaches.
const MAX_LIVE: u32 = 16;
/// Gas and bytes that a word takes in a block where it lies in the way.
const IN_THE_WAY: (f64, f64) = (0.5, 0.25);
/// Blocks that may be looked at without finding a group, for each block of the function.
const MAX_VAIN: usize = 4;

/// Blocks that share one definition.
pub(super) struct Group {
    pub(super) root: Block,
    /// Blocks that use it.
    pub(super) users: Vec<Block>,
    /// Blocks on entry of which it is live.
    region: Vec<Block>,
}

/// A block that dominates the groups below it closest.
struct Node {
    block: Block,
    groups: Vec<Group>,
}

/// What decides which blocks share.
pub(super) struct Sharing {
    cfg: Cfg,
    dominators: Dominators,
    /// Places in the preorder of the dominator tree.
    place: SecondaryMap<Block, u32>,
    frequency: Frequency,
    /// Values that are live at once at most, what is shared already among them.
    live: SecondaryMap<Block, u32>,
    /// Blocks that end the frame: what lies on the stack may stay there.
    ends_frame: EntitySet<Block>,
    gas_per_byte: f64,
    /// Blocks on entry of which the constant at hand is live.
    is_live: EntitySet<Block>,
    /// Blocks that may still be looked at in vain for it.
    vain: usize,
}

impl Sharing {
    pub(super) fn new(func: &Function, cx: &PassContext<'_>) -> Sharing {
        let cfg = Cfg::compute(func);
        let pressure = Pressure::compute(func, &cfg);
        let dominators = Dominators::compute(&cfg);
        let (mut live, mut place) = (SecondaryMap::new(), SecondaryMap::new());
        let mut ends_frame = EntitySet::new();
        for (number, block) in dominators.preorder().iter().enumerate() {
            place[*block] = number as u32;
            live[*block] = pressure.of_block(*block);
            let last = func.terminator(*block);
            if cfg.succs(*block).is_empty() && last.is_some_and(|last| func.dfg.op(last) != Op::Iret) {
                ends_frame.insert(*block);
            }
        }
        let frequency = Frequency::compute(func, &cfg, Some(&cx.summaries.graph));
        let gas_per_byte = cx.options.gas_per_byte();
        let is_live = EntitySet::new();
        Sharing { cfg, dominators, place, frequency, live, ends_frame, gas_per_byte, is_live, vain: 0 }
    }

    /// The groups of more than one block; from now on they count as live.
    pub(super) fn groups(&mut self, constant: &Constant) -> Vec<Group> {
        let mut blocks: Vec<Block> = constant.defs.iter().map(|(block, _)| *block).collect();
        blocks.retain(|block| self.cfg.is_reachable(*block));
        blocks.sort_by_key(|block| self.place[*block]);
        blocks.dedup();
        self.is_live.clear();
        self.vain = MAX_VAIN * self.dominators.preorder().len();
        let mut open: Vec<Node> = Vec::new();
        for block in blocks {
            self.leave_subtrees(constant.cost, block, &mut open);
            let own = Group { root: block, users: vec![block], region: Vec::new() };
            open.push(Node { block, groups: vec![own] });
        }
        let mut groups = Vec::new();
        while let Some(mut node) = open.pop() {
            node.groups.append(&mut groups);
            groups = self.close(constant.cost, node);
        }
        groups.retain(|group| group.users.len() > 1);
        for block in groups.iter().flat_map(|group| &group.region) {
            self.live[*block] += 1;
        }
        groups
    }

    /// Closes the open nodes that do not dominate the next block, each a dominator of the one behind it; what
    /// remains open dominates the block.
    fn leave_subtrees(&mut self, cost: Cost, next: Block, open: &mut Vec<Node>) {
        while let Some(last) = open.pop_if(|last| !self.dominators.dominates(last.block, next)) {
            let common = self.common(last.block, next);
            let mut groups = self.close(cost, last);
            match open.last_mut().filter(|below| self.dominators.dominates(common, below.block)) {
                Some(below) => below.groups.append(&mut groups),
                None => open.push(Node { block: common, groups }),
            }
        }
    }

    /// The closest block that dominates both, the first of which does not dominate the other.
    fn common(&self, mut block: Block, other: Block) -> Block {
        while let Some(above) = self.dominators.idom(block) {
            block = above;
            if self.dominators.dominates(block, other) {
                break;
            }
        }
        block
    }

    /// Makes one group of those of a node, where that pays.
    fn close(&mut self, cost: Cost, mut node: Node) -> Vec<Group> {
        if node.groups.len() < 2 {
            return node.groups;
        }
        let Some(mut region) = self.entered(&node) else { return node.groups };
        if !self.pays(cost, &node, &region) {
            self.forget(&region);
            return node.groups;
        }
        // The longest lists stay where they are, so that all moves together are few.
        node.groups.sort_by_key(|group| std::cmp::Reverse(group.region.len() + group.users.len()));
        let mut all = node.groups.remove(0);
        all.root = node.block;
        all.region.append(&mut region);
        for mut group in node.groups {
            all.users.append(&mut group.users);
            all.region.append(&mut group.region);
        }
        vec![all]
    }

    /// Marks the blocks on entry of which a definition in the node's block is live beyond the regions of its groups;
    /// `None`, and no marks, where too much is live for that.
    fn entered(&mut self, node: &Node) -> Option<Vec<Block>> {
        let mut region: Vec<Block> = Vec::new();
        let mut work: Vec<Block> = node.groups.iter().map(|group| group.root).collect();
        let mut has_room = self.live[node.block] < MAX_LIVE;
        while let Some(block) = work.pop().filter(|_| has_room) {
            if block != node.block && self.is_live.insert(block) {
                region.push(block);
                work.extend(self.cfg.preds(block));
                has_room = self.live[block] < MAX_LIVE && region.len() <= self.vain;
            }
        }
        if has_room {
            return Some(region);
        }
        self.forget(&region);
        None
    }

    /// Takes marks away.
    fn forget(&mut self, region: &[Block]) {
        self.vain = self.vain.saturating_sub(region.len());
        region.iter().for_each(|block| {
            self.is_live.remove(*block);
        });
    }

    /// True if one definition for all of them is worth it, which is live in `region` too.
    fn pays(&self, cost: Cost, node: &Node, region: &[Block]) -> bool {
        let apart =
            node.groups.iter().map(|group| self.price(cost, group.root) - self.price(Cost::DUP, group.root));
        let in_the_way = region.iter().chain([&node.block]).map(|block| self.in_the_way(*block));
        self.price(cost, node.block) + in_the_way.sum::<f64>() < apart.sum()
    }

    /// What a word costs that is live in a block, and where control leaves it to blocks where it is not.
    fn in_the_way(&self, block: Block) -> f64 {
        let (gas, bytes) = IN_THE_WAY;
        let left = self.cfg.succs(block).iter().filter(|succ| !self.is_live.contains(**succ));
        let pops =
            left.filter(|succ| !self.ends_frame.contains(**succ)).map(|succ| self.price(Cost::POP, *succ));
        gas * self.frequency.of(block) + bytes * self.gas_per_byte + pops.sum::<f64>()
    }

    /// Gas of a run of the function, bytes for what they are worth.
    fn price(&self, cost: Cost, block: Block) -> f64 {
        cost.gas as f64 * self.frequency.of(block) + cost.bytes as f64 * self.gas_per_byte
    }
}
