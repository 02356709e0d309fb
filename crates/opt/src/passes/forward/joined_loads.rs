//! Loads from storage where ways join that know different words, or some of which know none.
//!
//! ```text
//! ^a:                                ^a:
//!   evm.sstore %k, %x                  evm.sstore %k, %x
//!   evm.br ^m                          evm.br ^m(%x)
//! ^b:                                ^b:
//!   evm.br ^m                          %l = evm.sload %k
//! ^m:                          =>      evm.br ^m(%l)
//!   %y = evm.sload %k                ^m(%y):
//! ```
//!
//! A way that does not know the word loads it, as it would have done behind the join; at least one other knows it.
//! So no way loads more than before. A word of memory is cheaper to load again than to carry along.

use super::facts::{Fact, Space, State, held, remember};
use super::loop_loads::load_space;
use super::{Forward, MAX_STATE};
use crate::edit::{constant_before, copy_before};
use crate::memory::Place;
use cairn_analysis::Cfg;
use cairn_evm::Effects;
use cairn_ir::{Block, EntityRef, Inst, Op, Value, ValueDef};
use smallvec::SmallVec;

/// Loads of a block that are looked at: each is one more word that edges pass on.
const MAX_LOADS: usize = 4;
/// Ways that join.
const MAX_WAYS: usize = 8;
/// Bytes of a load that another way gets.
const LOAD_BYTES: f64 = 5.0;
/// Gas of a load from storage that was touched before.
const LOAD_GAS: f64 = 100.0;

/// What each way to a block knows of a word.
type Known = SmallVec<[(Block, Option<Value>); MAX_WAYS]>;

impl Forward<'_> {
    /// Gives a block the words that it loads as parameters where that saves a load on some way to it; the state at
    /// its beginning tells so. No way leads back to the block.
    pub(super) fn join_loads(&mut self, block: Block, cfg: &Cfg, state: &mut State) {
        let mut ways: SmallVec<[Block; MAX_WAYS]> = cfg.preds(block).iter().copied().collect();
        ways.sort_unstable();
        ways.dedup();
        if !(2..=MAX_WAYS).contains(&ways.len()) {
            return;
        }
        for (load, space) in self.first_loads(block) {
            let address = self.func.dfg.args(load)[0];
            let address = self.renaming[address].expand().unwrap_or(address);
            let place = self.place(address);
            if state.len() == MAX_STATE
                || held(state, space, place).is_some()
                || !self.is_known_above(address, block)
            {
                continue;
            }
            let known: Known = ways.iter().map(|way| (*way, self.known_at_end(*way, space, place))).collect();
            if self.is_worth_joining(&known, load) {
                let word = self.join(block, load, address, &known);
                remember(state, Fact::Holds(space, place, word));
            }
        }
    }

    /// The loads of a block that come before anything that changes where they look.
    fn first_loads(&self, block: Block) -> SmallVec<[(Inst, Space); MAX_LOADS]> {
        let mut found = SmallVec::new();
        let mut written = Effects::empty();
        for inst in self.func.layout.insts(block) {
            match load_space(self.func, inst) {
                Some(space) if found.len() < MAX_LOADS && !written.intersects(space.write_effect()) => {
                    found.push((inst, space));
                }
                _ => written |= self.effects.of_inst_on_return(self.func, inst),
            }
        }
        found
    }

    /// True for a constant, and for what is computed before any way to the block ends.
    fn is_known_above(&self, value: Value, block: Block) -> bool {
        let defined = match self.func.dfg.def(value) {
            ValueDef::Result(inst, _) => self.func.layout.inst_block(inst),
            ValueDef::Param(block, _) => Some(block),
        };
        self.func.dfg.as_const(value).is_some() || defined.is_some_and(|defined| defined != block)
    }

    fn known_at_end(&self, way: Block, space: Space, place: Place) -> Option<Value> {
        held(self.states[way.index()].as_ref()?, space, place)
    }

    /// True where some way knows the word, and the others can load it at their end for what it is worth.
    fn is_worth_joining(&self, known: &Known, load: Inst) -> bool {
        let ty = self.func.dfg.ty(self.func.dfg.result(load));
        let fits = |value: &Value| self.func.dfg.ty(*value).widens_to(ty);
        let n_known = known.iter().filter(|(_, value)| value.is_some()).count();
        let is_worth_bytes = LOAD_GAS > LOAD_BYTES * self.gas_per_byte;
        let can_load = |way: Block| {
            is_worth_bytes && self.func.terminator(way).is_some_and(|end| self.func.dfg.op(end) == Op::Br)
        };
        n_known > 0
            && known.iter().all(|(way, value)| value.map_or_else(|| can_load(*way), |value| fits(&value)))
    }

    /// Gives the block the word as a parameter, which takes the place of the load.
    fn join(&mut self, block: Block, load: Inst, address: Value, known: &Known) -> Value {
        let ty = self.func.dfg.ty(self.func.dfg.result(load));
        for (way, value) in known {
            let end = self.func.terminator(*way).expect("invariant: each block ends with a terminator");
            let word = value.unwrap_or_else(|| self.load_before(end, load, address));
            self.func.dfg.map_targets(end, |target, args| {
                let more = (target == block).then_some(word);
                (target, args.iter().copied().chain(more).collect())
            });
        }
        self.changed = true;
        self.func.dfg.append_param(block, ty)
    }

    /// A load like another one, before an instruction at which its address is known.
    pub(super) fn load_before(&mut self, place: Inst, like: Inst, address: Value) -> Value {
        let address = match self.func.dfg.as_const(address) {
            Some(word) => constant_before(self.func, place, word),
            None => address,
        };
        let word = copy_before(self.func, like, place);
        let copy = self.func.dfg.def_inst(word).expect("invariant: it was made");
        self.func.dfg.args_mut(copy)[0] = address;
        self.func.dfg.inst_mut(copy).loc = self.func.dfg.inst(like).loc;
        word
    }
}
