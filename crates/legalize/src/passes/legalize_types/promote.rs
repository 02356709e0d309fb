//! Promotes narrow integers to words.
//!
//! An opcode whose low result bits depend on nothing but the low bits of its operands (`add`,
//! `mul`, `and`, …) takes dirty operands and gives a dirty result. All others take masked ones. So
//! a chain of wrapping operations is masked once, where something can see the upper bits.

use super::reps::legal_type;
use super::state::Walk;
use crate::context::PassContext;
use crate::known::is_seen_to_fit;
use cairn_evm::Opcode;
use cairn_ir::builder::opcode_result_type;
use cairn_ir::{Function, Inst, Op, SecondaryMap, Type, Value};
use smallvec::SmallVec;

/// True if the low bits of the result depend only on the low bits of the operand with this index.
fn takes_dirty(opcode: Opcode, index: usize) -> bool {
    match opcode {
        Opcode::ADD | Opcode::SUB | Opcode::MUL | Opcode::AND | Opcode::OR | Opcode::XOR | Opcode::NOT => {
            true
        }
        Opcode::SHL | Opcode::SIGNEXTEND => index == 1,
        Opcode::EXP => index == 0,
        _ => false,
    }
}

/// True for an opcode whose result has a narrower type than it naturally has.
pub(super) fn is_narrow_opcode(func: &Function, inst: Inst) -> bool {
    let Op::Evm(opcode) = func.dfg.op(inst) else { return false };
    let natural = opcode_result_type(opcode).bits().unwrap_or(256);
    let result = func.dfg.results(inst).first().map(|value| func.dfg.ty(*value));
    result.and_then(Type::bits).is_some_and(|bits| bits < natural)
}

/// True if such an opcode can stay as it is: its result is known to fit, or it loads from a slot
/// that only holds values that fit.
pub(super) fn is_narrow_legal(
    func: &Function,
    inst: Inst,
    trusted: &mut Option<SecondaryMap<Value, u16>>,
) -> bool {
    let Op::Evm(opcode) = func.dfg.op(inst) else { return true };
    let ty = func.dfg.ty(func.dfg.result(inst));
    let bits = ty.bits().unwrap_or(256);
    if !ty.is_legal() || !opcode.is_narrowing() {
        return false;
    }
    if opcode != Opcode::MLOAD {
        return is_seen_to_fit(func, inst, bits);
    }
    let slot = func.dfg.args(inst)[0];
    let is_slot = func.dfg.def_inst(slot).is_some_and(|def| func.dfg.op(def) == Op::Alloca);
    is_slot && trusted.get_or_insert_with(|| super::slot_bits(func))[slot] <= bits
}

/// Rewrites an opcode on integers of at most a word; true if something changed.
pub(super) fn promote_opcode(
    func: &mut Function,
    inst: Inst,
    opcode: Opcode,
    walk: &mut Walk,
    cx: &mut PassContext<'_>,
) -> bool {
    let result = func.dfg.results(inst).first().copied();
    let ty = result.map(|value| func.dfg.ty(value));
    let bits = ty.and_then(Type::bits).unwrap_or(256);
    let args: SmallVec<[Value; 4]> = SmallVec::from_slice(func.dfg.args(inst));
    let mut new_args: SmallVec<[Value; 4]> = SmallVec::new();
    for (index, arg) in args.iter().enumerate() {
        let is_wide_enough = walk.reps.bits(func, *arg).is_some_and(|width| width >= bits);
        new_args.push(match bits < 256 && is_wide_enough && takes_dirty(opcode, index) {
            true => walk.reps.dirty_word(*arg),
            false => walk.reps.word(func, *arg),
        });
    }
    let mut is_changed = new_args != args;
    func.dfg.args_mut(inst).copy_from_slice(&new_args);
    let is_narrow = is_narrow_opcode(func, inst) && !is_narrow_legal(func, inst, &mut walk.trusted_slots);
    if let (Some(result), Some(ty)) = (result, ty)
        && (is_narrow || !ty.is_legal())
    {
        let natural = opcode_result_type(opcode);
        let most_bits = natural.bits().unwrap_or(256).min(walk.reps.known(func).result_bits(inst));
        func.dfg.set_ty(result, if natural == Type::Bool { natural } else { Type::U256 });
        walk.reps.set_narrow(result, bits, result, most_bits);
        is_changed = true;
    }
    if is_changed {
        cx.changed(func, inst, || {
            let name = opcode.known().lower;
            match ty {
                Some(ty) if !ty.is_legal() => {
                    format!("`evm.{name}` works on words: `{ty}` is no type of the EVM")
                }
                Some(ty) if is_narrow => {
                    format!(
                        "`evm.{name}` gives a word: it is masked where its upper bits would show in a `{ty}`"
                    )
                }
                _ => format!("`evm.{name}` takes words: narrower operands were masked to their types"),
            }
        });
    }
    is_changed
}

/// `trunc`, `zext` and `sext` between widths of at most a word: the result is the word of the
/// operand, perhaps dirty.
pub(super) fn promote_cast(func: &mut Function, inst: Inst, walk: &mut Walk, cx: &mut PassContext<'_>) {
    let (arg, result) = (func.dfg.args(inst)[0], func.dfg.result(inst));
    let from = walk.reps.bits(func, arg).unwrap_or(256);
    let to = func.dfg.ty(result).bits().unwrap_or(256);
    let op = func.dfg.op(inst);
    let (word, may_be_dirty) = match op {
        Op::Trunc => (walk.reps.dirty_word(arg), true),
        Op::Sext if from < to => {
            let word = walk.reps.word(func, arg);
            let mut emit = crate::emit::Emit::before(func, inst);
            (crate::passes::legalize_operations::sign_extend(&mut emit, word, from), to < 256)
        }
        _ => (walk.reps.word(func, arg), false),
    };
    let most_bits = if may_be_dirty { walk.reps.known(func).value_bits(word) } else { to };
    walk.reps.set_narrow(result, to, word, most_bits);
    func.layout.remove_inst(inst);
    cx.changed(func, inst, || {
        let what = match word == arg {
            true => "is the same word: both widths are promoted to 256 bits",
            false => "became arithmetic on words: both widths are promoted to 256 bits",
        };
        format!("`evm.{}` from {from} to {to} bits {what}", op.name())
    });
}

/// Gives a result of narrow type, which some other operation makes without dirty bits, its legal
/// type.
pub(super) fn promote_result(func: &mut Function, value: Value, walk: &mut Walk) -> bool {
    let ty = func.dfg.ty(value);
    let Some(bits) = ty.bits().filter(|bits| *bits < 256 && !ty.is_legal()) else { return false };
    func.dfg.set_ty(value, legal_type(bits));
    walk.reps.set_narrow(value, bits, value, bits);
    true
}
