//! What frame memory must be saved around calls that can come back to the same function.
//!
//! A classic backward dataflow over frame objects, run only for functions that have such a call: a
//! use of a value in memory (or a load of a slot) makes its object live, its definition (or a store
//! to the slot) ends that. Memory of an `alloca` that is used in parts is live before every use.

use super::homes::{Home, Homes};
use crate::MAX_PASSED;
use crate::allocas::{Allocas, Escape};
use crate::code::FrameObject;
use crate::context::{ModuleCx, callee_of};
use crate::frame::{ObjectSet, WORD_BYTES};
use cairn_diag::{Diagnostic, Diagnostics};
use cairn_evm::Opcode;
use cairn_ir::{Block, Func, Function, Inst, Op, SecondaryMap, Value};
use cranelift_entity::EntitySet;

/// For each call the words (object, offset in bytes) that it saves on the stack.
#[derive(Debug, Default)]
pub(super) struct Saves {
    around: SecondaryMap<Inst, Vec<(FrameObject, u64)>>,
}

impl Saves {
    /// The words that `call` saves.
    pub(super) fn around(&self, call: Inst) -> &[(FrameObject, u64)] {
        &self.around[call]
    }

    /// Computes what each call of a function saves.
    ///
    /// # Errors
    /// There is more to save than the stack can hold, or the function is too large to tell.
    pub(super) fn compute(
        cx: &ModuleCx<'_>,
        id: Func,
        func: &Function,
        homes: &Homes,
        blocks: &[Block],
    ) -> Result<Saves, Diagnostics> {
        let is_reentrant =
            |inst: Inst| callee_of(func, inst).is_some_and(|callee| cx.is_reentrant(id, callee));
        let mut saves = Saves::default();
        if !blocks.iter().any(|block| func.layout.insts(*block).any(is_reentrant)) {
            return Ok(saves);
        }
        if blocks.len() * homes.frame.len() > MAX_LIVE_BITS {
            return Err(too_much(func, "too large to find what calls of itself must save"));
        }
        let flow = Flow { func, homes, allocas: Allocas::of(func) };
        let live_in = flow.solve(blocks);
        for block in blocks {
            let mut live = flow.live_out(*block, &live_in);
            for inst in func.layout.insts_rev(*block) {
                flow.end_results(inst, &mut live);
                if is_reentrant(inst) {
                    let passed = func.dfg.args(inst).len().max(func.dfg.results(inst).len());
                    if homes.count_words(&live) > (MAX_PASSED as u64).saturating_sub(passed as u64) {
                        return Err(too_much(
                            func,
                            "needs more memory after a call of itself than the stack can save",
                        ));
                    }
                    saves.around[inst] = homes.words_of(&live);
                }
                flow.begin_uses(inst, &mut live);
            }
        }
        Ok(saves)
    }
}

/// Blocks times objects of the largest recursive function.
const MAX_LIVE_BITS: usize = 1 << 30;

fn too_much(func: &Function, what: &str) -> Diagnostics {
    Diagnostic::error(format!("recursive function `{}` {what}", func.name))
        .with_span(func.span)
        .with_help("split the function")
        .into()
}

impl Homes {
    fn count_words(&self, live: &ObjectSet) -> u64 {
        live.iter().map(|object| self.frame[object].size.div_ceil(WORD_BYTES)).sum()
    }

    fn words_of(&self, live: &ObjectSet) -> Vec<(FrameObject, u64)> {
        let words = |object: FrameObject| {
            (0..self.frame[object].size.div_ceil(WORD_BYTES)).map(move |word| (object, word * WORD_BYTES))
        };
        live.iter().flat_map(words).collect()
    }
}

struct Flow<'a> {
    func: &'a Function,
    homes: &'a Homes,
    allocas: Allocas,
}

impl Flow<'_> {
    fn solve(&self, blocks: &[Block]) -> SecondaryMap<Block, ObjectSet> {
        let mut preds: SecondaryMap<Block, Vec<Block>> = SecondaryMap::new();
        for block in blocks {
            self.func.for_each_successor(*block, |next| preds[next].push(*block));
        }
        let mut live_in: SecondaryMap<Block, ObjectSet> = SecondaryMap::new();
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

    fn live_out(&self, block: Block, live_in: &SecondaryMap<Block, ObjectSet>) -> ObjectSet {
        let mut live = ObjectSet::new(self.homes.frame.len());
        self.func.for_each_successor(block, |next| live.add_all(Some(&live_in[next])));
        live
    }

    fn end_results(&self, inst: Inst, live: &mut ObjectSet) {
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

    fn begin_uses(&self, inst: Inst, live: &mut ObjectSet) {
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
