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

use crate::cx::Cx;
use crate::emit::Emit;
use crate::replace::Replacements;
use crate::steps::slots::Slots;
use cairn_diag::Diagnostic;
use cairn_evm::Fork;
use cairn_ir::{Function, Inst, Op, Type, Value};
use smallvec::SmallVec;
use table::{Action, action};

/// Results of an expansion.
pub(crate) type Results = SmallVec<[Value; 2]>;

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

/// Rewrites operations that are not legal on the fork.
pub(crate) fn legalize_operations(func: &mut Function, cx: &mut Cx<'_>) {
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
fn legalize_inst(func: &mut Function, inst: Inst, state: &mut State, cx: &mut Cx<'_>) -> bool {
    let op = func.dfg.op(inst);
    let bits = width(func, inst);
    let action = action(op, func.dfg.results(inst).len(), bits, cx.options.fork);
    if matches!(action, Action::Legal) {
        return false;
    }
    func.dfg.map_uses(inst, |value| state.replacements.resolve(value));
    let args: SmallVec<[Value; 4]> = SmallVec::from_slice(func.dfg.args(inst));
    let old: Results = SmallVec::from_slice(func.dfg.results(inst));
    let new = match action {
        Action::Legal => return false,
        Action::Missing(since) => {
            reject(func, inst, op, since, cx);
            return false;
        }
        Action::Custom(rewrite) => {
            rewrite(func, inst, state, cx);
            return true;
        }
        Action::Expand(expand) => {
            let mut emit = Emit::before(func, inst);
            let args = words(&mut emit, &args, op);
            let new = expand(&mut emit, &args, bits);
            restore_types(&mut emit, &old, new)
        }
        Action::LibCall(routine) => cx.runtime.call(&mut Emit::before(func, inst), routine, &args),
    };
    func.layout.remove_inst(inst);
    old.iter().zip(new).for_each(|(old, new)| state.replacements.record(func, *old, new));
    cx.changed(func, || format!("`evm.{}` was expanded ({})", op.name(), action.name()));
    true
}

/// The width in bits of the first result: 256 for pointers and operations without result.
fn width(func: &Function, inst: Inst) -> u16 {
    let ty = func.dfg.results(inst).first().map(|value| func.dfg.ty(*value));
    ty.and_then(Type::bits).unwrap_or(256)
}

/// The operands, pointers as integers unless the operation takes pointers.
fn words(emit: &mut Emit<'_>, args: &[Value], op: Op) -> SmallVec<[Value; 4]> {
    let convert = |arg: &Value| match emit.func().dfg.ty(*arg) {
        Type::Ptr(..) if op != Op::Mload8 => emit.value(Op::PtrToInt, &[*arg], Type::U256),
        _ => *arg,
    };
    args.iter().map(convert).collect()
}

/// Gives new results the types of the old ones.
fn restore_types(emit: &mut Emit<'_>, old: &[Value], new: Results) -> Results {
    let convert = |(old, new): (&Value, Value)| {
        let (ty, found) = (emit.func().dfg.ty(*old), emit.func().dfg.ty(new));
        if found.widens_to(ty) {
            return new;
        }
        if matches!(ty, Type::Ptr(..)) {
            return emit.value(Op::IntToPtr, &[new], ty);
        }
        emit.func().dfg.set_ty(new, ty);
        new
    };
    old.iter().zip(new).map(convert).collect()
}

fn reject(func: &Function, inst: Inst, op: Op, since: Fork, cx: &mut Cx<'_>) {
    let fork = cx.options.fork;
    let message =
        format!("`evm.{}` does not exist on {fork}; the first fork that has it is {since}", op.name());
    let help = format!("compile for {since} or later, or do without it");
    cx.error(func, inst, Diagnostic::error(message).with_help(help));
}
