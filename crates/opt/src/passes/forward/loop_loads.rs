//! Loads at the head of a loop that find the same in every round: done once, before the loop.
//!
//! The head runs at least once where the loop is entered, so no load is done that was not done before.
//! A word of memory is cheaper to load again than to carry along.

use super::edges::load_space;
use super::facts::{Fact, Space, State, held, remember};
use super::{Forward, MAX_STATE};
use crate::memory::Place;
use cairn_analysis::{Cfg, LoopId};
use cairn_ir::{Block, Inst, Op, Value};
use smallvec::SmallVec;

/// Loads of a loop's head that are moved: each keeps a word on the stack in all rounds.
const MAX_LOADS: usize = 4;

/// A load that may be done before a loop.
#[derive(Clone, Copy)]
pub(super) struct LoopLoad {
    load: Inst,
    space: Space,
    place: Place,
    address: Value,
}

pub(super) type LoopLoads = SmallVec<[LoopLoad; MAX_LOADS]>;

impl Forward<'_> {
    /// The loads of a loop's head from places that are known before the loop, but not what is there. The state
    /// that is given takes each to hold what the load finds; what the loop may change is to be forgotten then.
    pub(super) fn find_loop_loads(&self, header: Block, id: LoopId, state: &mut State) -> LoopLoads {
        let mut found = LoopLoads::new();
        for load in self.func.layout.insts(header) {
            let Some(space) = load_space(self.func, load) else { continue };
            let (address, place) = self.address_of(load);
            let has_room = found.len() < MAX_LOADS && state.len() < MAX_STATE;
            if !has_room
                || held(state, space, place).is_some()
                || !self.is_known_where(address, |block| !self.loops.contains(id, block))
            {
                continue;
            }
            remember(state, Fact::Holds(space, place, self.func.dfg.result(load)));
            found.push(LoopLoad { load, space, place, address });
        }
        found
    }

    /// Does before the loop the loads whose place the loop does not change, and lets the state say so; what it
    /// says of the others is forgotten already.
    pub(super) fn do_before_loop(&mut self, loads: &LoopLoads, before: Block, state: &mut State) {
        for LoopLoad { load, space, place, address } in loads {
            let found = self.func.dfg.result(*load);
            let fact = Fact::Holds(*space, *place, found);
            let Some(at) = state.iter().position(|known| *known == fact) else { continue };
            let end = self.func.terminator(before).expect("invariant: each block ends with a terminator");
            let word = self.load_before(end, *load, *address);
            state[at] = Fact::Holds(*space, *place, word);
            self.changed = true;
        }
    }

    /// The only block outside of a loop that leads to its header, if it leads nowhere else.
    pub(super) fn block_before(&self, header: Block, cfg: &Cfg) -> Option<Block> {
        let mut outside = cfg.preds(header).iter().filter(|pred| !cfg.is_retreating(**pred, header));
        let before = *outside.next().filter(|_| outside.next().is_none())?;
        let terminator = self.func.terminator(before)?;
        (self.func.dfg.op(terminator) == Op::Br).then_some(before)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{after, loading_blocks};

    /// A loop whose head loads from `%k`, and does this in each round.
    fn with_loop(before: &str, round: &str) -> String {
        format!(
            "^e:
               %k = evm.constant 3 : u256
               %zero = evm.constant 0 : u256
               %one = evm.constant 1 : u256
               {before}
               evm.br ^head(%zero)
             ^head(%i : u256):
               %n = evm.sload %k : u256
               %c = evm.lt %i, %n : bool
               evm.condbr %c, ^round, ^end
             ^round:
               {round}
               %j = evm.add %i, %one : u256
               evm.br ^head(%j)
             ^end:
               evm.stop"
        )
    }

    #[test]
    fn the_head_of_a_loop_finds_the_same_in_every_round() {
        for round in ["evm.mstore %i, %x", "evm.log0 %i, %x", "evm.sstore %one, %i", "evm.tstore %k, %i"] {
            assert_eq!(loading_blocks(&after(&with_loop("", round))), ["^e"], "{round}");
        }
    }

    #[test]
    fn a_loop_that_may_change_the_word_loads_it_in_every_round() {
        let call = "%g = evm.gas : u256\n %s = evm.call %g, %x, %zero, %zero, %zero, %zero, %zero : bool";
        for round in ["evm.sstore %k, %i", "evm.sstore %x, %i", "evm.sstore %i, %x", call] {
            assert_eq!(loading_blocks(&after(&with_loop("", round))), ["^head"], "{round}");
        }
    }

    #[test]
    fn a_key_of_the_round_is_looked_up_in_the_round() {
        let text = with_loop("", "").replace("evm.sload %k", "evm.sload %i");
        assert_eq!(loading_blocks(&after(&text)), ["^head"]);
    }

    #[test]
    fn what_is_known_before_the_loop_is_not_loaded_again() {
        assert_eq!(loading_blocks(&after(&with_loop("evm.sstore %k, %x", ""))), [""; 0]);
    }

    #[test]
    fn a_loop_that_a_branch_enters_gets_a_block_before_it() {
        let text = "^e:
               %k = evm.constant 3 : u256
               %zero = evm.constant 0 : u256
               evm.condbr %x, ^head(%zero), ^end
             ^head(%i : u256):
               %n = evm.tload %k : u256
               %c = evm.lt %i, %n : bool
               evm.condbr %c, ^round, ^end
             ^round:
               %j = evm.not %i : u256
               evm.br ^head(%j)
             ^end:
               evm.stop";
        let body = after(text);
        assert!(
            !loading_blocks(&body).contains(&"^e") && !loading_blocks(&body).contains(&"^head"),
            "{body}"
        );
        assert_eq!(loading_blocks(&body).len(), 1);
    }

    #[test]
    fn only_the_head_is_sure_to_run() {
        let text = with_loop("", "%w = evm.sload %x : u256\n evm.mstore %i, %w");
        assert_eq!(loading_blocks(&after(&text)), ["^e", "^round"]);
    }
}
