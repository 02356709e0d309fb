//! Order of effects within a block.
//!
//! Instructions are numbered in the order of the IR. An instruction may be carried out when no
//! conflicting instruction with a higher number was: together with 'exactly once' that makes the
//! order a linear extension of the conflicts. Conflicts are a relation between single effects, so
//! the highest number seen for each effect is all there is to remember.

use cairn_evm::Effects;
use std::sync::LazyLock;

const NUM_EFFECTS: usize = Effects::all().bits().count_ones() as usize;

/// For each effect the effects that it conflicts with.
static CONFLICTS: LazyLock<[u32; NUM_EFFECTS]> = LazyLock::new(|| {
    std::array::from_fn(|effect| {
        let single = |bit: usize| Effects::from_bits_truncate(1 << bit);
        let conflicting = (0..NUM_EFFECTS).filter(|other| single(effect).conflicts_with(single(*other)));
        conflicting.fold(0, |set, other| set | 1 << other)
    })
});

/// The effects of one block carried out so far.
#[derive(Clone, Debug, Default)]
pub(super) struct EffectOrder {
    /// One more than the highest number carried out, for each effect.
    seen: [u32; NUM_EFFECTS],
}

impl EffectOrder {
    /// Carries out the instruction with this number; false if that breaks the order.
    pub(super) fn carry_out(&mut self, number: u32, effects: Effects) -> bool {
        let bits = |set: u32| (0..NUM_EFFECTS).filter(move |bit| set & 1 << bit != 0);
        let conflicts = bits(effects.bits()).fold(0, |set, effect| set | CONFLICTS[effect]);
        let in_order = bits(conflicts).all(|effect| self.seen[effect] <= number);
        bits(effects.bits()).for_each(|effect| self.seen[effect] = self.seen[effect].max(number + 1));
        in_order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_evm::Opcode;

    fn effects(op: Opcode) -> Effects {
        op.known().effects
    }

    #[test]
    fn a_load_may_not_pass_a_store() {
        let mut order = EffectOrder::default();
        assert!(order.carry_out(1, effects(Opcode::SSTORE)));
        assert!(!order.carry_out(0, effects(Opcode::SLOAD)));
    }

    #[test]
    fn independent_effects_may_change_places() {
        let mut order = EffectOrder::default();
        assert!(order.carry_out(1, effects(Opcode::SSTORE)));
        assert!(order.carry_out(0, effects(Opcode::MSTORE)));
        assert!(order.carry_out(2, effects(Opcode::MLOAD)));
    }

    #[test]
    fn conflicts_are_a_relation_of_single_effects() {
        for a in Opcode::all().map(effects) {
            for b in Opcode::all().map(effects) {
                let single = |bit: u32| Effects::from_bits_truncate(1 << bit);
                let bits =
                    |set: Effects| (0..NUM_EFFECTS as u32).filter(move |bit| set.bits() & 1 << bit != 0);
                let by_bits = bits(a).any(|x| bits(b).any(|y| single(x).conflicts_with(single(y))));
                assert_eq!(a.conflicts_with(b), by_bits, "{a:?} and {b:?}");
            }
        }
    }
}
