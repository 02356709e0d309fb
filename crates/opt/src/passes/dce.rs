//! `dce`: removes instructions and block parameters that nothing depends on.
//!
//! An instruction is live if it has an effect that somebody can observe, ends a block, or computes
//! a live value; an argument of an edge only if the parameter it goes to is live. Values that only
//! keep each other alive around a loop are dead.
//!
//! ```text
//! ^loop(%i : u256, %unused : u256):       ^loop(%i : u256):
//!   %next = evm.add %unused, %i      =>     …
//!   … evm.br ^loop(%j, %next)                evm.br ^loop(%j)
//! ```
//!
//! Loads that only grow memory go too, unless the program observes the size of memory (A2).
//! Stores to slots (`alloca`s whose address is only stored to) go. Calls of functions that surely
//! return and have no effect go.
//!
//! Needs nothing. Preserves blocks. Cost: linear.

use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_analysis::Needed;
use cairn_ir::{Function, Inst, Op};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "dce",
    summary: "removes instructions and parameters that nothing depends on",
    needs: &[],
    preserves: &[Property::Promoted, Property::Blocks, Property::LocalConstants, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, cx: &mut PassContext<'_>) -> Changed {
    let needed = Needed::compute(func, |inst| is_root(func, inst, cx));
    Changed::from(needed.remove_others(func))
}

/// True when an instruction must stay even if its results are unused.
fn is_root(func: &Function, inst: Inst, cx: &PassContext<'_>) -> bool {
    // The memory that `heap_base` reserves stays the program's even where nobody asks for its end.
    if matches!(func.dfg.op(inst), Op::DbgLabel | Op::HeapBase) {
        return true;
    }
    let effects = cx.summaries.effects.of_inst(func, inst);
    cx.summaries.is_seen(effects)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{body, lines, parse, run_on_body, run_on_module};
    use cairn_ir::Func;

    fn dce(header: &str, text: &str) -> (Changed, String) {
        run_on_body(header, text, &[run])
    }

    #[test]
    fn unused_pure_values_and_loads_go() {
        let (changed, text) = dce(
            "(%x : u256)",
            "^e:
               %s = evm.add %x, %x : u256
               %m = evm.mload %s : u256
               %l = evm.sload %x : u256
               evm.iret",
        );
        assert_eq!((changed, text), (Changed::Yes, lines("^e:\n evm.iret")));
    }

    #[test]
    fn reserved_memory_stays_reserved() {
        let (changed, text) = dce("()", "^e:\n %h = evm.heap_base 1024 : ptr<0>\n evm.iret");
        assert_eq!(
            (changed, text),
            (Changed::No, lines("^e:\n %h = evm.heap_base 1024 : ptr<0>\n evm.iret"))
        );
    }

    #[test]
    fn effects_stay() {
        let body = "^e:
               evm.sstore %x, %x
               evm.mstore %x, %x
               %r = evm.returndatasize : u256
               evm.returndatacopy %x, %x, %r
               evm.log0 %x, %x
               evm.iret";
        assert_eq!(dce("(%x : u256)", body), (Changed::No, lines(body)));
    }

    #[test]
    fn loads_stay_where_the_size_of_memory_is_observed() {
        let (changed, _) = dce(
            "(%x : u256) -> u256",
            "^e:
               %m = evm.mload %x : u256
               %s = evm.msize : u256
               evm.iret %s",
        );
        assert_eq!(changed, Changed::No);
    }

    #[test]
    fn a_cycle_of_dead_parameters_goes() {
        let (_, text) = dce(
            "(%x : u256)",
            "^e:
               evm.br ^loop(%x, %x)
             ^loop(%i : u256, %dead : u256):
               %next = evm.add %dead, %i : u256
               evm.condbr %i, ^loop(%x, %next), ^done
             ^done:
               evm.iret",
        );
        let expected = "^e:
               evm.br ^loop(%x)
             ^loop(%i : u256):
               evm.condbr %i, ^loop(%x), ^done
             ^done:
               evm.iret";
        assert_eq!(text, lines(expected));
    }

    #[test]
    fn stores_to_slots_that_are_never_loaded_go() {
        let (_, text) = dce(
            "(%x : u256)",
            "^e:
               %s = evm.alloca 32 : ptr<0>
               evm.mstore %s, %x
               evm.iret",
        );
        assert_eq!(text, lines("^e:\n evm.iret"));
    }

    #[test]
    fn a_slot_whose_address_is_used_otherwise_stays() {
        let (changed, _) = dce(
            "(%x : u256)",
            "^e:
               %s = evm.alloca 32 : ptr<0>
               evm.mstore %s, %x
               %a = evm.ptrtoint %s : u256
               evm.sstore %x, %a
               evm.iret",
        );
        assert_eq!(changed, Changed::No);
    }

    #[test]
    fn calls_without_effect_go_and_those_that_may_not_return_stay() {
        let mut module = parse(
            "module @m {
               func @f(%x : u256) {
               ^e:
                 %a = evm.icall @pure(%x) : u256
                 %b = evm.icall @fails(%x) : u256
                 evm.iret
               }
               func @pure(%x : u256) -> u256 {
               ^e:
                 evm.iret %x
               }
               func @fails(%x : u256) -> u256 {
               ^e:
                 evm.condbr %x, ^bad, ^good
               ^bad:
                 evm.revert %x, %x
               ^good:
                 evm.iret %x
               }
             }",
        );
        run_on_module(&mut module, &[run]);
        let expected = lines("^e:\n %b = evm.icall @fails(%x) : u256\n evm.iret");
        assert_eq!(body(&module, Func::from_u32(0)), expected);
    }
}
