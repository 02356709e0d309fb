//! `merge-guards`: one branch for checks that follow each other and fail the same way.
//!
//! ```text
//! ^a:                                  ^a:
//!   evm.condbr %x, ^fail, ^b             %n = evm.iszero %y
//! ^b:                                    %f = evm.or %x, %n
//!   %y = evm.lt %i, %n            =>     evm.condbr %f, ^fail, ^c
//!   evm.condbr %y, ^c, ^fail
//! ```
//!
//! The second check must be computed by cheap operations alone that read nothing which can change
//! ([`is_cheap`]): they run before the first is decided, for nothing if it fails. Where that gives back no data,
//! words may be loaded and stored near the start of memory as well: nobody sees them. A way to fail is a
//! block from which control goes nowhere that is the same for both, or does the same; blocks that only
//! jump on to it count as it. Checks that hold at once are joined by `and` where both are zero or one.
//!
//! A branch costs a push and a `JUMPI`, 13 gas and 4 bytes, the operation instead of it 3 gas and a
//! byte. Modules without frames keep the checks of blocks where values crowd the stack.
//!
//! Needs and preserves promotion. Cost: linear in the code and the length of ways to fail.

use crate::checks::{Check, checks, code, end_of, fails_silently, goes_nowhere};
use crate::edit::remove_unreachable_blocks;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use crate::pressure::Pressure;
use crate::silent::is_forgotten;
use cairn_analysis::Cfg;
use cairn_evm::{Effects, Fork, Opcode, gas};
use cairn_ir::builder::opcode_result_type;
use cairn_ir::cursor::Cursor;
use cairn_ir::{Block, BlockCall, Function, Inst, Op, Payload, SecondaryMap, Type, Value};

/// Gas of the dearest operation that may run for nothing.
const MAX_GAS: u64 = 8;
/// Operations that may run for nothing.
const MAX_CHECK: usize = 24;
/// Instructions of a way to fail that are compared.
const MAX_FAILURE: usize = 16;
/// Values live at once in a module without frames that leave no room for another.
const MAX_PRESSURE: u32 = 10;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "merge-guards",
    summary: "joins checks that fail the same way",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Calls],
    gives: &[],
    run: Run::Function(run),
};

/// Runs the pass.
pub(crate) fn run(func: &mut Function, cx: &mut PassContext<'_>) -> Changed {
    let cfg = Cfg::compute(func);
    let has_frames = cx.summaries.own_memory < u64::MAX;
    let mut room = None;
    let mut changed = false;
    // The last of a row first: what it is merged into can be merged again.
    for block in cfg.rpo().iter().rev() {
        if let Some(merge) = find_merge(func, &cfg, *block, cx.options.fork)
            && (has_frames || room.get_or_insert_with(|| Room::compute(func, &cfg)).take(*block, merge.block))
        {
            merge.apply(func, *block);
            changed = true;
        }
    }
    if changed {
        remove_unreachable_blocks(func);
    }
    Changed::from(changed)
}

/// How many values are live at once in each block.
struct Room(SecondaryMap<Block, u32>);

impl Room {
    fn compute(func: &Function, cfg: &Cfg) -> Room {
        let pressure = Pressure::compute(func, cfg);
        let mut crowds = SecondaryMap::new();
        cfg.rpo().iter().for_each(|block| crowds[*block] = pressure.of_block(*block));
        Room(crowds)
    }

    /// True if there is room for a check more in two blocks that become one.
    fn take(&mut self, block: Block, next: Block) -> bool {
        let crowds = &mut self.0;
        let together = crowds[block].max(crowds[next]);
        if together > MAX_PRESSURE {
            return false;
        }
        crowds[block] = together + 1;
        true
    }
}

/// A check and the one behind it that fails the same way.
struct Merge {
    first: Check,
    second: Check,
    /// The block of the second.
    block: Block,
}

fn find_merge(func: &Function, cfg: &Cfg, block: Block, fork: Fork) -> Option<Merge> {
    let first =
        checks(func, block)?.into_iter().find(|check| goes_nowhere(func, end_of(func, check.fail).block))?;
    let next = first.rest.block;
    let is_alone = cfg.preds(next) == [block] && func.dfg.params(next).is_empty() && next != block;
    // Where edges meet, the first check may be decided for some of them (`thread-branches`) as long as it is alone.
    let may_hide = cfg.preds(block).len() < 2 && fails_silently(func, first.fail);
    let hidden = if may_hide { Hidden::Memory } else { Hidden::Nothing };
    if !is_alone || !is_cheap(func, next, hidden, fork) {
        return None;
    }
    let second = checks(func, next)?.into_iter().find(|check| is_same_end(func, &first.fail, &check.fail))?;
    Some(Merge { first, second, block: next })
}

/// What nobody sees where a check fails.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hidden {
    Nothing,
    Memory,
}

/// True when all but the terminator may run for nothing.
fn is_cheap(func: &Function, block: Block, hidden: Hidden, fork: Fork) -> bool {
    let last = func.terminator(block);
    let others = || code(func, block).filter(|inst| Some(*inst) != last);
    let is_access = |inst| matches!(func.dfg.op(inst), Op::Evm(Opcode::MLOAD | Opcode::MSTORE));
    let is_unseen = |inst| hidden == Hidden::Memory && is_access(inst) && is_forgotten(func, inst);
    others().take(MAX_CHECK + 1).count() <= MAX_CHECK
        && others().all(|inst| is_cheap_op(func.dfg.op(inst), fork) || is_unseen(inst))
}

fn is_cheap_op(op: Op, fork: Fork) -> bool {
    // What these read, no branch changes.
    let allowed = Effects::READ_RETURNDATA | Effects::READ_LAYOUT | Effects::READ_ENVIRONMENT;
    let is_quiet = allowed.contains(op.effects());
    match op {
        Op::Evm(opcode) => is_quiet && opcode != Opcode::EXP && gas::static_gas(opcode, fork) <= MAX_GAS,
        _ => is_quiet,
    }
}

/// True when two edges end the execution the same way.
fn is_same_end(func: &Function, a: &BlockCall, b: &BlockCall) -> bool {
    let (a, b) = (&end_of(func, *a), &end_of(func, *b));
    if a.block == b.block {
        return func.dfg.call_args(a) == func.dfg.call_args(b);
    }
    let has_params = |call: &BlockCall| !func.dfg.params(call.block).is_empty();
    !has_params(a) && !has_params(b) && goes_nowhere(func, b.block) && is_same_code(func, a.block, b.block)
}

fn is_same_code(func: &Function, a: Block, b: Block) -> bool {
    let mut made: Vec<(Value, Value)> = Vec::new();
    let (mut a_insts, mut b_insts) = (code(func, a), code(func, b));
    for _ in 0..MAX_FAILURE {
        match (a_insts.next(), b_insts.next()) {
            (Some(a), Some(b)) if is_same_inst(func, a, b, &made) => {
                let (a, b) = (func.dfg.results(a), func.dfg.results(b));
                made.extend(a.iter().copied().zip(b.iter().copied()));
            }
            (None, None) => return true,
            _ => return false,
        }
    }
    false
}

fn is_same_inst(func: &Function, a: Inst, b: Inst, made: &[(Value, Value)]) -> bool {
    let (a_args, b_args) = (func.dfg.args(a), func.dfg.args(b));
    let is_same_value = |(a, b): (&Value, &Value)| {
        let word = func.dfg.as_const(*a);
        a == b || made.contains(&(*a, *b)) || (word.is_some() && word == func.dfg.as_const(*b))
    };
    let is_same_payload = match (func.dfg.inst(a).payload, func.dfg.inst(b).payload) {
        (Payload::None, Payload::None) => true,
        (Payload::Const(_), Payload::Const(_)) => func.dfg.inst_const(a) == func.dfg.inst_const(b),
        (Payload::Func(a), Payload::Func(b)) => a == b,
        (Payload::Number(a), Payload::Number(b)) => a == b,
        (Payload::Symbol(a), Payload::Symbol(b)) => a == b,
        _ => false,
    };
    func.dfg.op(a) == func.dfg.op(b)
        && is_same_payload
        && a_args.len() == b_args.len()
        && a_args.iter().zip(b_args).all(is_same_value)
}

impl Merge {
    fn apply(self, func: &mut Function, block: Block) {
        let last = func.terminator(block).expect("invariant: a check ends with a branch");
        while let Some(inst) = func.layout.first_inst(self.block) {
            func.layout.remove_inst(inst);
            if !func.dfg.op(inst).is_terminator() {
                func.layout.insert_inst_before(inst, last);
            }
        }
        func.layout.remove_block(self.block);
        let is_bool = |check: &Check| func.dfg.ty(check.condition) == Type::Bool && !check.fails_if_true;
        let (condition, calls) = if is_bool(&self.first) && is_bool(&self.second) {
            let both = make(func, Opcode::AND, &[self.first.condition, self.second.condition], last);
            (both, [self.second.rest, self.first.fail])
        } else {
            let failures = [&self.first, &self.second].map(|check| match check.fails_if_true {
                true => check.condition,
                false => make(func, Opcode::ISZERO, &[check.condition], last),
            });
            (make(func, Opcode::OR, &failures, last), [self.first.fail, self.second.rest])
        };
        func.dfg.replace_inst(last, Op::CondBr, &[condition], Payload::Branch(calls));
    }
}

/// The result of an operation before `at`.
fn make(func: &mut Function, opcode: Opcode, args: &[Value], at: Inst) -> Value {
    Cursor::before(func, at).evm(opcode, args, opcode_result_type(opcode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{lines, run_on_body};

    /// Checks what becomes of blocks before a way to fail and one to end.
    fn check(text: &str, expected: &str) {
        let (_, after) = run_on_body("(%x : u256, %y : u256)", &format!("{text}\n{END}"), &[run]);
        assert_eq!(after, lines(&format!("{expected}\n{END}")));
    }

    const END: &str = "^fail:
           %z = evm.constant 0 : u256
           evm.revert %z, %z
         ^c:
           evm.stop";

    /// Checks that blocks before a way to fail and one to end stay as they are.
    #[track_caller]
    fn stays(text: &str) {
        let (changed, after) = run_on_body("(%x : u256, %y : u256)", &format!("{text}\n{END}"), &[run]);
        assert_eq!(changed, Changed::No, "{after}");
    }

    #[test]
    fn checks_that_fail_are_joined() {
        check(
            "^a:
               evm.condbr %x, ^fail, ^b
             ^b:
               %n = evm.add %x, %y : u256
               evm.condbr %n, ^fail, ^c",
            "^a:
               %n = evm.add %x, %y : u256
               %0 = evm.or %x, %n : u256
               evm.condbr %0, ^fail, ^c",
        );
    }

    #[test]
    fn checks_that_hold_are_joined() {
        check(
            "^a:
               %p = evm.lt %x, %y : bool
               evm.condbr %p, ^b, ^fail
             ^b:
               %q = evm.gt %y, %x : bool
               evm.condbr %q, ^c, ^fail",
            "^a:
               %p = evm.lt %x, %y : bool
               %q = evm.gt %y, %x : bool
               %0 = evm.and %p, %q : u256
               evm.condbr %0, ^c, ^fail",
        );
    }

    #[test]
    fn words_that_hold_need_more_than_one_bit() {
        check(
            "^a:
               evm.condbr %x, ^b, ^fail
             ^b:
               evm.condbr %y, ^c, ^fail",
            "^a:
               %0 = evm.iszero %x : bool
               %1 = evm.iszero %y : bool
               %2 = evm.or %0, %1 : u256
               evm.condbr %2, ^fail, ^c",
        );
    }

    #[test]
    fn equal_ways_to_fail() {
        let text = |other: &str| {
            format!(
                "^a:
                   evm.condbr %x, ^other, ^b
                 ^b:
                   evm.condbr %y, ^fail, ^c
                 ^other:
                   {other}
                 {END}"
            )
        };
        let (changed, after) = run_on_body(
            "(%x : u256, %y : u256)",
            &text("%o = evm.constant 0 : u256 evm.revert %o, %o"),
            &[run],
        );
        assert_eq!(changed, Changed::Yes);
        assert!(after.contains("evm.condbr %0, ^other, ^c") && !after.contains("^fail"), "{after}");
        let other = text("%o = evm.constant 4 : u256 evm.revert %o, %o");
        assert_eq!(run_on_body("(%x : u256, %y : u256)", &other, &[run]).0, Changed::No);
        assert_eq!(run_on_body("(%x : u256, %y : u256)", &text("evm.stop"), &[run]).0, Changed::No);
    }

    #[test]
    fn a_way_to_fail_behind_jumps_is_the_same() {
        check(
            "^a:
               evm.condbr %x, ^jump, ^b
             ^b:
               %n = evm.add %x, %y : u256
               evm.condbr %n, ^fail, ^c
             ^jump:
               evm.br ^jumps
             ^jumps:
               evm.br ^fail",
            "^a:
               %n = evm.add %x, %y : u256
               %0 = evm.or %x, %n : u256
               evm.condbr %0, ^jump, ^c
             ^jump:
               evm.br ^jumps
             ^jumps:
               evm.br ^fail",
        );
    }

    #[test]
    fn ways_that_write_before_they_fail_stay_apart() {
        stays(
            "^a:
               evm.condbr %x, ^jump, ^b
             ^b:
               %n = evm.add %x, %y : u256
               evm.condbr %n, ^fail, ^c
             ^jump:
               evm.mstore %x, %y
               evm.br ^fail",
        );
    }

    #[test]
    fn jumps_in_a_circle_end_nowhere() {
        stays(
            "^a:
               evm.condbr %x, ^jump, ^b
             ^b:
               evm.condbr %y, ^fail, ^c
             ^jump:
               evm.br ^back
             ^back:
               evm.br ^jump",
        );
    }

    #[test]
    fn what_costs_or_reads_stays_behind_the_first() {
        for dear in ["%n = evm.mload %y : u256", "%n = evm.sload %y : u256", "%n = evm.exp %y, %x : u256"] {
            stays(&format!(
                "^a:
                   evm.condbr %x, ^fail, ^b
                 ^b:
                   {dear}
                   evm.condbr %n, ^fail, ^c"
            ));
        }
    }

    #[test]
    fn a_row_becomes_one() {
        let text = format!(
            "^a:
               evm.condbr %x, ^fail, ^b
             ^b:
               evm.condbr %y, ^fail, ^d
             ^d:
               %n = evm.callvalue : u256
               evm.condbr %n, ^fail, ^c
             {END}"
        );
        let (_, after) = run_on_body("(%x : u256, %y : u256)", &text, &[run]);
        assert_eq!(after.matches("condbr").count(), 1, "{after}");
    }
}
