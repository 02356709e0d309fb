//! Legalizes operations.
//!
//! Establishes: only operations that the fork has and the stackifier has code for.
//!
//! Each operation is looked up in the [table]; what the table names is in one file a family:
//! *custom* rewrites (`evm.return %v`, calls with two results), *expansions* (arithmetic, bits,
//! overflow, opcodes that old forks lack) and *library calls* to the runtime. Code that an
//! expansion writes is looked at in turn, so expansions may use each other's operations.
//!
//! The width of a generic operation is that of its first result; narrower operands are extended
//! with zeros, as their types promise.
//!
//! Cost: one walk over the instructions and what they expand to.

mod arithmetic;
mod bits;
mod custom;
mod forks;
mod overflow;
pub(crate) mod table;

pub(crate) use bits::{sign_extend, trailing_zeros};
pub(crate) use overflow::full_product;

use crate::context::PassContext;
use crate::emit::{Emit, Results};
use crate::known::is_seen_to_fit;
use crate::pass::{Leaves, Pass, Property};
use crate::passes::hoist_slots::Slots;
use crate::replace::Replacements;
use cairn_ir::{Family, Function, Inst, Op, Value};
use smallvec::SmallVec;
use table::{Action, action, action_of, missing, width};

/// What the rewrites of one function share.
#[derive(Default)]
struct State {
    replacements: Replacements,
    slots: Option<Slots>,
}

impl State {
    fn slot(&mut self, func: &mut Function, bytes: u64) -> Value {
        self.slots.get_or_insert_with(|| Slots::of(func)).make(func, bytes)
    }
}

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "legalize-operations",
    summary: "only operations that the fork has",
    needs: &[Property::OneTerminator, Property::LegalTypes],
    gives: Property::LegalOperations,
    leaves: Leaves::DeadCode,
    run: legalize_operations,
};

/// Rewrites operations that are not legal on the fork.
fn legalize_operations(func: &mut Function, cx: &mut PassContext<'_>) {
    let mut state = State::default();
    let mut block = func.layout.first_block();
    while let Some(current) = block {
        block = func.layout.next_block(current);
        let mut next = func.layout.first_inst(current);
        while let Some(inst) = next {
            let before = func.layout.prev_inst(inst);
            let is_rewritten = legalize_inst(func, inst, &mut state, cx);
            next = match (is_rewritten, before) {
                (false, _) => func.layout.next_inst(inst),
                (true, Some(before)) => func.layout.next_inst(before),
                (true, None) => func.layout.first_inst(current),
            };
        }
    }
    state.replacements.apply(func);
}

/// Rewrites one instruction; true if there is something new in its place.
fn legalize_inst(func: &mut Function, inst: Inst, state: &mut State, cx: &mut PassContext<'_>) -> bool {
    let op = func.dfg.op(inst);
    let width = width(func, inst);
    let action = action_of(func, inst, cx.options);
    if matches!(action, Action::Legal) {
        return false;
    }
    func.dfg.map_uses(inst, |value| state.replacements.resolve(value));
    let args: SmallVec<[Value; 4]> = SmallVec::from_slice(func.dfg.args(inst));
    let old: Results = SmallVec::from_slice(func.dfg.results(inst));
    match action {
        Action::Legal | Action::Composite => return false,
        Action::Missing(_) => {
            missing(func, inst, cx.options).into_iter().for_each(|fault| cx.error(func, inst, fault));
            return false;
        }
        Action::Custom(rewrite) => {
            rewrite(func, inst, state, cx);
            return true;
        }
        Action::Expand(_) | Action::LibCall(_) => {}
    }
    let fork = cx.options.fork;
    let mut emit = Emit::before(func, inst);
    let new = expand(&mut emit, action, &args, width, cx);
    let new: Results = old.iter().zip(new).map(|(old, new)| restore_type(&mut emit, *old, new)).collect();
    func.layout.remove_inst(inst);
    old.iter().zip(new).for_each(|(old, new)| state.replacements.record(func, *old, new));
    cx.changed(func, inst, || {
        let what = match action {
            Action::LibCall(_) => "became a call of the runtime",
            _ => "was expanded",
        };
        let why = match op {
            Op::Evm(_) => format!("`{}` has no such opcode", fork),
            _ => "no opcode does it".to_owned(),
        };
        format!("`evm.{}` {what}: {why}", op.name())
    });
    true
}

/// True for operations that no opcode has and that work on integers of any width.
pub(crate) fn is_generic(op: Op) -> bool {
    op.family() == Family::Select || op.family().is_generic_arithmetic()
}

/// Expands a generic operation of `width` bits, at most a word. Operands are words without dirty
/// bits, and so are the results.
pub(crate) fn expand_generic(
    emit: &mut Emit<'_>,
    op: Op,
    args: &[Value],
    width: u16,
    cx: &mut PassContext<'_>,
) -> Results {
    if op == Op::Muldiv && width < 256 {
        return custom::muldiv_of_width(emit, args, width, cx);
    }
    expand(emit, action(op, 1, width, cx.options.fork), args, width, cx)
}

fn expand(
    emit: &mut Emit<'_>,
    action: Action,
    args: &[Value],
    width: u16,
    cx: &mut PassContext<'_>,
) -> Results {
    match action {
        Action::Expand(expand) => expand(emit, args, width),
        Action::LibCall(routine) => cx.runtime.call(emit, routine, args),
        Action::Legal | Action::Custom(_) | Action::Composite | Action::Missing(_) => {
            unreachable!("invariant: generic operations are expanded or called")
        }
    }
}

/// Gives a new result the type of the old one. It fits, but the legalizer of types has to see it, else there
/// is a mask.
fn restore_type(emit: &mut Emit<'_>, old: Value, new: Value) -> Value {
    let (ty, found) = (emit.func().dfg.ty(old), emit.func().dfg.ty(new));
    if found.widens_to(ty) {
        return new;
    }
    let Some(bits) = ty.bits() else {
        return emit.value(Op::IntToPtr, &[new], ty);
    };
    let new = match emit.func().dfg.def_inst(new) {
        Some(inst) if is_seen_to_fit(emit.func(), inst, bits) => new,
        _ => emit.truncate(new, bits),
    };
    emit.func().dfg.set_ty(new, ty);
    new
}
