//! `promote`: turns slots into block parameters.
//!
//! Canonical form spells merged values as loads and stores of slots; every other pass wants them
//! as values. See [`promote_slots`]. Needs nothing, preserves blocks, establishes promotion.

use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_ir::{Function, promote_slots};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "promote",
    summary: "turns slots into block parameters",
    needs: &[],
    preserves: &[Property::Blocks, Property::LocalConstants, Property::Calls],
    gives: &[Property::Promoted],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, _: &mut PassContext<'_>) -> Changed {
    Changed::from(promote_slots(func) > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{lines, run_on_body};

    #[test]
    fn a_slot_becomes_a_parameter() {
        let (changed, text) = run_on_body(
            "(%x : u256) -> u256",
            "^e:
               %s = evm.alloca : ptr<0>
               evm.mstore %s, %x
               evm.condbr %x, ^a, ^b
             ^a:
               %n = evm.not %x : u256
               evm.mstore %s, %n
               evm.br ^b
             ^b:
               %v = evm.mload %s : u256
               evm.iret %v",
            &[run],
        );
        let expected = "^e:
               evm.condbr %x, ^a, ^b(%x)
             ^a:
               %n = evm.not %x : u256
               evm.br ^b(%n)
             ^b(%v : u256):
               evm.iret %v";
        assert_eq!((changed, text), (Changed::Yes, lines(expected)));
    }

    #[test]
    fn memory_whose_address_is_used_otherwise_stays() {
        let body = "^e:
               %s = evm.alloca : ptr<0>
               evm.mstore %s, %x
               evm.log0 %s, %x
               %v = evm.mload %s : u256
               evm.iret %v";
        assert_eq!(run_on_body("(%x : u256) -> u256", body, &[run]), (Changed::No, lines(body)));
    }
}
