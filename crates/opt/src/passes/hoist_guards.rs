//! `hoist-guards`: refuses value once, before the dispatch, instead of in each function.
//!
//! A block is *guarded* when every path from it reverts without data if the call carries value, and
//! does nothing before that anybody could see afterwards. Where all successors of a block are
//! guarded by two checks or more, one check at its end replaces them: they are decided by it.
//!
//! ```text
//! ^dispatch:                           ^dispatch:
//!   evm.condbr %is_f, ^f, ^g             %v = evm.callvalue
//! ^f:                                    evm.condbr %v, ^fail, ^rest
//!   %v = evm.callvalue            =>   ^rest:
//!   evm.condbr %v, ^fail, ^f1            evm.condbr %is_f, ^f, ^g
//! ^f1:                                 ^f:
//!   …                                    …
//! ^g:                                  ^g:
//!   %w = evm.callvalue                   …
//!   evm.condbr %w, ^fail, ^g1
//! ^g1:
//!   …
//! ```
//!
//! Each path runs one check as before; only calls of unknown functions pay for one more. What a function
//! checks besides is then checked without value (`merge-guards`), and the dispatch can often refuse value for
//! as much as a function would pay to join it with that (`refuse-value`). Needs nothing, preserves promotion.
//! Cost: linear, times the places of checks.

use crate::edit::{append_successors, remove_unreachable_blocks};
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::silent::{leaves_no_trace, reverts_without_data};
use cairn_analysis::{Cfg, Dominators};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, BlockCall, Function, Op, Payload, SecondaryMap, Type, Value};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "hoist-guards",
    summary: "refuses value once before the dispatch instead of in each function",
    needs: &[],
    preserves: &[Property::Promoted, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, _: &mut PassContext<'_>) -> Changed {
    let cfg = Cfg::compute(func);
    let guards = Guards::compute(func, &cfg);
    let is_place = |block: &Block| guards.is_place(func, &cfg, *block);
    let places: Vec<Block> = cfg.rpo().iter().copied().filter(is_place).collect();
    if places.is_empty() {
        return Changed::No;
    }
    let dominators = Dominators::compute(&cfg);
    for check in cfg.rpo() {
        let Some(rest) = checked_rest(func, *check, &guards) else { continue };
        if places.iter().any(|place| dominators.dominates(*place, *check)) {
            let last = func.terminator(*check).expect("invariant: a check ends with a branch");
            func.dfg.replace_inst(last, Op::Br, &[], Payload::Jump(rest));
        }
    }
    places.iter().for_each(|block| insert_check(func, *block));
    // A way to fail that only decided checks led to.
    remove_unreachable_blocks(func);
    // What a decided check led to may be joined with the check before it (`merge-guards`).
    append_successors(func);
    Changed::Yes
}

/// What happens from a point on if the call carries value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Guard {
    /// Something that is seen.
    #[default]
    None,
    /// Reverts without data whatever the value is.
    Fails,
    /// Reverts without data, found out by so many checks.
    Checked(u32),
}

impl Guard {
    fn and(self, other: Guard) -> Guard {
        match (self, other) {
            (Guard::None, _) | (_, Guard::None) => Guard::None,
            (Guard::Fails, other) => other,
            (Guard::Checked(n), Guard::Fails) => Guard::Checked(n),
            (Guard::Checked(a), Guard::Checked(b)) => Guard::Checked(a.saturating_add(b)),
        }
    }
}

/// The guards of all blocks.
struct Guards {
    /// From the block's start.
    at_start: SecondaryMap<Block, Guard>,
    /// From before its terminator, the terminator itself being no check.
    at_end: SecondaryMap<Block, Guard>,
}

impl Guards {
    fn compute(func: &Function, cfg: &Cfg) -> Guards {
        let mut guards = Guards { at_start: SecondaryMap::new(), at_end: SecondaryMap::new() };
        // A successor that is reached by a back edge has not been visited: it is no guard.
        for block in cfg.rpo().iter().rev() {
            let at_end = guards.of_successors(func, *block);
            let is_check = checked_rest(func, *block, &guards).is_some();
            let terminator = if is_check { Guard::Checked(1) } else { at_end };
            guards.at_end[*block] = if is_check { Guard::None } else { at_end };
            guards.at_start[*block] = match terminator {
                _ if reverts_without_data(func, *block) => Guard::Fails,
                guard if leaves_no_trace(func, *block) => guard,
                Guard::None | Guard::Fails | Guard::Checked(_) => Guard::None,
            };
        }
        guards
    }

    fn of_successors(&self, func: &Function, block: Block) -> Guard {
        let mut guard = Guard::Fails;
        let mut count = 0;
        func.for_each_successor(block, |next| {
            guard = guard.and(self.at_start[next]);
            count += 1;
        });
        if count == 0 { Guard::None } else { guard }
    }

    /// True where a check is worth its place: it replaces several, and no check can stand earlier.
    fn is_place(&self, func: &Function, cfg: &Cfg, block: Block) -> bool {
        let replaces_several = matches!(self.at_end[block], Guard::Checked(n) if n > 1);
        let preds = cfg.preds(block);
        let is_covered = !preds.is_empty()
            && leaves_no_trace(func, block)
            && preds.iter().all(|pred| matches!(self.at_end[*pred], Guard::Checked(_)));
        replaces_several && !is_covered
    }
}

/// Where a block goes on that ends with `condbr callvalue, ^fail, ^rest`, either way round.
fn checked_rest(func: &Function, block: Block, guards: &Guards) -> Option<BlockCall> {
    let last = func.terminator(block)?;
    let Payload::Branch([nonzero, zero]) = func.dfg.inst(last).payload else {
        return None;
    };
    let condition = func.dfg.args(last)[0];
    let fails = |call: BlockCall| guards.at_start[call.block] == Guard::Fails;
    let negated = argument_of(func, condition, Opcode::ISZERO).is_some_and(|inner| is_value(func, inner));
    if is_value(func, condition) && fails(nonzero) {
        Some(zero)
    } else {
        (negated && fails(zero)).then_some(nonzero)
    }
}

fn is_value(func: &Function, value: Value) -> bool {
    func.dfg.def_inst(value).is_some_and(|inst| func.dfg.op(inst) == Op::Evm(Opcode::CALLVALUE))
}

fn argument_of(func: &Function, value: Value, opcode: Opcode) -> Option<Value> {
    let inst = func.dfg.def_inst(value)?;
    (func.dfg.op(inst) == Op::Evm(opcode)).then(|| func.dfg.args(inst)[0])
}

/// Puts a check before the terminator of a block.
fn insert_check(func: &mut Function, block: Block) {
    let last = func.terminator(block).expect("invariant: the block has successors");
    let loc = func.dfg.inst(last).loc;
    let (fail, rest) = (func.make_block(), func.make_block());
    func.layout.insert_block_after(rest, block);
    func.layout.split_block(last, rest);
    func.layout.append_block(fail);
    let value = func.dfg.make_inst(Op::Evm(Opcode::CALLVALUE), &[], Payload::None);
    let value_result = func.dfg.append_result(value, Type::U256);
    let calls = [func.dfg.block_call(fail, &[]), func.dfg.block_call(rest, &[])];
    let branch = func.dfg.make_inst(Op::CondBr, &[value_result], Payload::Branch(calls));
    let zero = func.make_constant(Word::ZERO, Type::U256);
    let zero_result = func.dfg.result(zero);
    let revert = func.dfg.make_inst(Op::Evm(Opcode::REVERT), &[zero_result, zero_result], Payload::None);
    for (inst, place) in [(value, block), (branch, block), (zero, fail), (revert, fail)] {
        func.dfg.inst_mut(inst).loc = loc;
        func.layout.append_inst(inst, place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{lines, run_on_body};

    /// Two functions behind a dispatch; `f` is the body of the first.
    fn dispatch(f: &str) -> String {
        format!(
            "^e:
               %zero = evm.constant 0 : u256
               %s = evm.calldataload %zero : u256
               evm.mstore %zero, %s
               evm.condbr %s, ^f, ^g
             ^f:
               {f}
             ^g:
               %w = evm.callvalue : u256
               %n = evm.iszero %w : u256
               evm.condbr %n, ^g1, ^fail
             ^g1:
               evm.return %zero, %s
             ^f1:
               evm.stop
             ^fail:
               evm.revert %zero, %zero"
        )
    }

    #[test]
    fn one_check_stands_for_all() {
        let text = dispatch("%v = evm.callvalue : u256\n evm.condbr %v, ^fail, ^f1");
        let (changed, text) = run_on_body("()", &text, &[run]);
        let head = "^e:
               %zero = evm.constant 0 : u256
               %s = evm.calldataload %zero : u256
               evm.mstore %zero, %s
               %0 = evm.callvalue : u256
               evm.condbr %0, ^1, ^0
             ^0:
               evm.condbr %s, ^f, ^g
             ^f:
               %v = evm.callvalue : u256
               evm.stop
             ^g:
               %w = evm.callvalue : u256
               %n = evm.iszero %w : u256
               evm.return %zero, %s";
        assert_eq!(changed, Changed::Yes);
        assert!(text.starts_with(&lines(head)), "{text}");
    }

    #[test]
    fn a_function_that_takes_value_keeps_the_checks_apart() {
        let text = dispatch("evm.stop");
        assert_eq!(run_on_body("()", &text, &[run]).0, Changed::No);
    }

    #[test]
    fn a_check_after_a_visible_effect_stays() {
        let text = dispatch("evm.sstore %s, %s\n %v = evm.callvalue : u256\n evm.condbr %v, ^fail, ^f1");
        assert_eq!(run_on_body("()", &text, &[run]).0, Changed::No);
    }

    #[test]
    fn an_unknown_function_that_fails_needs_no_check() {
        let text = dispatch("evm.br ^fail");
        assert_eq!(run_on_body("()", &text, &[run]).0, Changed::No);
    }
}
