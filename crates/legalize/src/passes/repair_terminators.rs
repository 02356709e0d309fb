//! Repairs terminators.
//!
//! Establishes: every block ends in its only terminator.
//!
//! * A block without a terminator gets `evm.unreachable`.
//! * Operations after `evm.condbr` move to a new block on the edge taken when the condition is
//!   zero, operations after `evm.switch` to one on the default edge. The new block goes on to the
//!   old target, unless the moved operations end in a terminator of their own.
//! * Operations after any other terminator never execute and are dropped.
//!
//! A missing terminator and code after one are worth a warning. Values defined after a terminator
//! are used in the same block only; the verifier sees to that.
//!
//! Cost: one walk over the instructions.

use crate::context::{PassContext, Place};
use crate::names::shown_block;
use crate::pass::{Leaves, Pass, Property};
use cairn_diag::Diagnostic;
use cairn_ir::{Block, BlockCall, EntityList, FuncBuilder, Function, Inst, Op, Payload};

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "repair-terminators",
    summary: "exactly one terminator a block, at its end",
    needs: &[],
    gives: Property::OneTerminator,
    leaves: Leaves::Nothing,
    run: repair_terminators,
};

/// Leaves exactly one terminator in each block, at its end.
fn repair_terminators(func: &mut Function, cx: &mut PassContext<'_>) {
    let mut next = func.layout.first_block();
    while let Some(block) = next {
        repair_block(func, block, cx);
        next = func.layout.next_block(block);
    }
}

fn repair_block(func: &mut Function, block: Block, cx: &mut PassContext<'_>) {
    let terminator = func.layout.insts(block).find(|inst| func.dfg.op(*inst).is_terminator());
    let Some(terminator) = terminator else {
        warn_of_missing(func, block, cx);
        FuncBuilder::at(func, block).unreachable();
        cx.changed(func, block, || {
            format!("{} had no terminator and got `evm.unreachable`", shown_block(func, block))
        });
        return;
    };
    let Some(trailing) = func.layout.next_inst(terminator) else { return };
    let op = func.dfg.op(terminator);
    let message = format!("code after the terminator `evm.{}`", op.name());
    cx.warn(func, trailing, Diagnostic::warning(message));
    match op {
        Op::CondBr | Op::Switch => move_trailing(func, block, terminator, trailing, cx),
        _ => drop_trailing(func, block, trailing, cx),
    }
}

/// A terminator may have been forgotten.
fn warn_of_missing(func: &Function, block: Block, cx: &mut PassContext<'_>) {
    let message =
        format!("{} has no terminator: execution is taken never to reach its end", shown_block(func, block));
    let help = "end it with `evm.stop`, `evm.br` or another terminator, or with `evm.unreachable` where \
                execution never gets";
    let place = func.layout.last_inst(block).map_or(Place::Block(block), Place::Inst);
    cx.warn(func, place, Diagnostic::warning(message).with_help(help));
}

fn move_trailing(
    func: &mut Function,
    block: Block,
    terminator: Inst,
    trailing: Inst,
    cx: &mut PassContext<'_>,
) {
    let fix = cx.append_block(func, "bb_fix");
    func.layout.remove_block(fix);
    func.layout.insert_block_after(fix, block);
    func.layout.split_block(trailing, fix);
    let target = replace_last_target(func, terminator, fix);
    if !func.layout.insts(fix).any(|inst| func.dfg.op(inst).is_terminator()) {
        let jump = func.dfg.make_inst(Op::Br, &[], Payload::Jump(target));
        func.layout.append_inst(jump, fix);
    }
    cx.changed(func, trailing, || {
        let [block, fix] = [block, fix].map(|block| shown_block(func, block));
        format!("code after the terminator of {block} moved to {fix} on the false edge")
    });
}

/// Makes the false or default edge go to `fix`; where it went before.
fn replace_last_target(func: &mut Function, terminator: Inst, fix: Block) -> BlockCall {
    let call = BlockCall { block: fix, args: EntityList::new() };
    match func.dfg.inst(terminator).payload {
        Payload::Branch([then, otherwise]) => {
            func.dfg.inst_mut(terminator).payload = Payload::Branch([then, call]);
            otherwise
        }
        Payload::Switch(id) => std::mem::replace(&mut func.dfg.switch_mut(id).default, call),
        Payload::None
        | Payload::Const(_)
        | Payload::Number(_)
        | Payload::Func(_)
        | Payload::Symbol(_)
        | Payload::Jump(_) => unreachable!("invariant: a conditional terminator has several targets"),
    }
}

fn drop_trailing(func: &mut Function, block: Block, trailing: Inst, cx: &mut PassContext<'_>) {
    let mut next = Some(trailing);
    while let Some(inst) = next {
        next = func.layout.next_inst(inst);
        func.layout.remove_inst(inst);
    }
    cx.changed(func, trailing, || {
        let block = shown_block(func, block);
        format!("code after the terminator of {block} was dropped: it never executes")
    });
}
