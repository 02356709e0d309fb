//! What frame memory must be saved around calls that can come back to the same function.
//!
//! A classic backward dataflow over frame objects, run only for functions that have such a call: a
//! use of a value in memory (or a load of a slot) makes its object live, its definition (or a store
//! to the slot) ends that. Memory of an `alloca` that is used in parts is live before every use.

use super::homes::{Home, Homes};
use crate::allocas::{Allocas, Escape};
use crate::code::FrameObject;
use crate::context::{ModuleCx, callee_of};
use crate::frame::WORD_BYTES;
use cairn_evm::Opcode;
use cairn_ir::{Block, Func, Function, Inst, Op, SecondaryMap, Value};
use cranelift_entity::{EntityRef, EntitySet};

/// For each call the words (object, offset in bytes) that it saves on the stack.
#[derive(Debug, Default)]
pub(super) struct Saves {
    around: SecondaryMap<Inst, Vec<(FrameObject, u64)>>,
}

/// A set of frame objects, one bit each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Live(Vec<u64>);

impl Live {
    fn empty(num_objects: usize) -> Live {
        Live(vec![0; num_objects.div_ceil(64)])
    }

    fn contains(&self, object: FrameObject) -> bool {
        self.0.get(object.index() / 64).is_some_and(|bits| bits & 1 << (object.index() % 64) != 0)
    }

    fn insert(&mut self, object: FrameObject) {
        self.0[object.index() / 64] |= 1 << (object.index() % 64);
    }

    fn remove(&mut self, object: FrameObject) {
        self.0[object.index() / 64] &= !(1 << (object.index() % 64));
    }

    fn add_all(&mut self, other: &Live) {
        self.0.iter_mut().zip(&other.0).for_each(|(bits, other)| *bits |= other);
    }
}

impl Saves {
    /// The words that `call` saves.
    pub(super) fn around(&self, call: Inst) -> &[(FrameObject, u64)] {
        &self.around[call]
    }

    /// Computes what each call of a function saves.
    pub(super) fn compute(
        cx: &ModuleCx<'_>,
        id: Func,
        func: &Function,
        homes: &Homes,
        blocks: &[Block],
    ) -> Saves {
        let is_reentrant =
            |inst: Inst| callee_of(func, inst).is_some_and(|callee| cx.is_reentrant(id, callee));
        let mut saves = Saves::default();
        if !blocks.iter().any(|block| func.layout.insts(*block).any(is_reentrant)) {
            return saves;
        }
        let flow = Flow { func, homes, allocas: Allocas::of(func) };
        let live_in = flow.solve(blocks);
        for block in blocks {
            let mut live = flow.live_out(*block, &live_in);
            for inst in func.layout.insts_rev(*block) {
                flow.end_results(inst, &mut live);
                if is_reentrant(inst) {
                    saves.around[inst] = homes.words_of(&live);
                }
                flow.begin_uses(inst, &mut live);
            }
        }
        saves
    }
}

impl Homes {
    fn words_of(&self, live: &Live) -> Vec<(FrameObject, u64)> {
        let words = |object: FrameObject| {
            (0..self.frame[object].size.div_ceil(WORD_BYTES)).map(move |word| (object, word * WORD_BYTES))
        };
        self.frame.keys().filter(|object| live.contains(*object)).flat_map(words).collect()
    }
}

struct Flow<'a> {
    func: &'a Function,
    homes: &'a Homes,
    allocas: Allocas,
}

impl Flow<'_> {
    fn solve(&self, blocks: &[Block]) -> SecondaryMap<Block, Live> {
        let mut preds: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for block in blocks {
            self.func.for_each_successor(*block, |next| preds[next].push(*block));
        }
        let mut live_in: SecondaryMap<Block, Live> = SecondaryMap::new();
        let mut worklist: Vec<Block> = blocks.to_vec();
        let mut waiting: EntitySet<Block> = EntitySet::new();
        waiting.extend(blocks.iter().copied());
        while let Some(block) = worklist.pop() {
            waiting.remove(block);
            let mut live = self.live_out(block, &live_in);
            for inst in self.func.layout.insts_rev(block) {
                self.end_results(inst, &mut live);
                self.begin_uses(inst, &mut live);
            }
            if live != live_in[block] {
                live_in[block] = live;
                let again = preds[block].iter().copied().filter(|pred| waiting.insert(*pred));
                worklist.extend(again);
            }
        }
        live_in
    }

    fn live_out(&self, block: Block, live_in: &SecondaryMap<Block, Live>) -> Live {
        let mut live = Live::empty(self.homes.frame.len());
        self.func.for_each_successor(block, |next| live.add_all(&live_in[next]));
        live
    }

    fn end_results(&self, inst: Inst, live: &mut Live) {
        for value in self.func.dfg.results(inst) {
            if let Home::Memory(object) = self.homes.of[*value] {
                live.remove(object);
            }
        }
        if self.func.dfg.op(inst) == Op::Evm(Opcode::MSTORE)
            && let Some((alloca, object)) = self.memory_of(self.func.dfg.args(inst)[0])
            && self.allocas.escape(alloca) == Escape::Slot
        {
            live.remove(object);
        }
    }

    fn begin_uses(&self, inst: Inst, live: &mut Live) {
        let op = self.func.dfg.op(inst);
        for (index, value) in self.func.dfg.args(inst).iter().enumerate() {
            if let Home::Memory(object) = self.homes.of[*value] {
                live.insert(object);
            }
            let Some((alloca, object)) = self.memory_of(*value) else { continue };
            let is_arithmetic = matches!(op, Op::Evm(Opcode::ADD | Opcode::SUB));
            let is_store = op == Op::Evm(Opcode::MSTORE) && index == 0;
            let overwrites = is_store && self.allocas.escape(alloca) == Escape::Slot;
            if !is_arithmetic && !overwrites {
                live.insert(object);
            }
        }
    }

    fn memory_of(&self, pointer: Value) -> Option<(Inst, FrameObject)> {
        let alloca = self.allocas.points_into(pointer)?;
        Some((alloca, self.homes.allocas[alloca].expand()?))
    }
}
