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

use super::edges::load_space;
use super::facts::{Fact, Space, State, held, remember};
use super::{Forward, MAX_STATE, MAX_WAYS};
use crate::memory::Place;
use cairn_analysis::Cfg;
use cairn_evm::Effects;
use cairn_ir::{Block, EntityRef, Inst, Op, Value};
use smallvec::SmallVec;

/// Loads of a block that are looked at: each is one more word that edges pass on.
const MAX_LOADS: usize = 4;
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
            let (address, place) = self.address_of(load);
            if state.len() == MAX_STATE
                || held(state, space, place).is_some()
                || !self.is_known_where(address, |defined| defined != block)
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
}

#[cfg(test)]
mod tests {
    use super::super::tests::{after, loading_blocks};

    /// Two ways that join before a load from `%k`.
    fn with_join(one: &str, other: &str, joined: &str) -> String {
        format!(
            "^e:
               %k = evm.constant 3 : u256
               evm.condbr %x, ^one, ^other
             ^one:
               {one}
               evm.br ^m
             ^other:
               {other}
               evm.br ^m
             ^m:
               {joined}
               %w = evm.sload %k : u256
               evm.mstore %k, %w
               evm.stop"
        )
    }

    #[test]
    fn what_each_way_knows_is_passed_on() {
        let body = after(&with_join("evm.sstore %k, %x", "evm.sstore %k, %y", ""));
        assert_eq!(loading_blocks(&body), [""; 0], "{body}");
        assert!(body.contains("evm.br ^m(%x)") && body.contains("evm.br ^m(%y)"), "{body}");
    }

    #[test]
    fn a_way_that_does_not_know_the_word_loads_it() {
        let body = after(&with_join("evm.sstore %k, %x", "", ""));
        assert_eq!(loading_blocks(&body), ["^other"], "{body}");
        let body = after(&with_join("evm.sstore %k, %x", "evm.sstore %y, %x", ""));
        assert_eq!(loading_blocks(&body), ["^other"], "{body}");
    }

    #[test]
    fn where_no_way_knows_the_word_it_is_loaded_once() {
        let body = after(&with_join("", "evm.sstore %y, %x", ""));
        assert_eq!(loading_blocks(&body), ["^m"], "{body}");
    }

    #[test]
    fn a_write_between_the_join_and_the_load_counts() {
        let call = "%g = evm.gas : u256\n %s = evm.call %g, %x, %k, %k, %k, %k, %k : bool";
        for write in ["evm.sstore %y, %x", call] {
            let body = after(&with_join("evm.sstore %k, %x", "evm.sstore %k, %y", write));
            assert_eq!(loading_blocks(&body), ["^m"], "{body}");
        }
    }

    #[test]
    fn a_key_of_the_join_is_not_known_before_it() {
        let body = after(
            "^e:
               %k = evm.constant 3 : u256
               evm.sstore %x, %k
               evm.condbr %x, ^m(%x), ^other
             ^other:
               evm.br ^m(%y)
             ^m(%p : u256):
               %w = evm.sload %p : u256
               evm.mstore %k, %w
               evm.stop",
        );
        assert_eq!(loading_blocks(&body), ["^m"], "{body}");
    }
}
