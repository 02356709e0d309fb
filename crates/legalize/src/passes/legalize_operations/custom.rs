//! Rewrites operations that need more than a sequence of words.
//!
//! * `evm.return %v` stores the value and returns its 32 bytes. The word lies in a slot, or where
//!   all memory is the program's, at address 0: the frame ends here, so nobody reads it again.
//! * `evm.datacopy` is `evm.codecopy`.
//! * The second result of `%s, %n = evm.call …` is `evm.returndatasize` after the call.
//! * `evm.sext` depends on the width of its operand.
//! * `evm.muldiv` of less than a word compares the quotient with the greatest result; up to half a
//!   word it needs no runtime to divide.
//! * `evm.revert` before Byzantium is `evm.invalid`, which is how those forks execute its byte.

use super::State;
use super::bits::sign_extend;
use crate::context::PassContext;
use crate::emit::Results;
use crate::emit::{Emit, low_mask};
use crate::names::shown;
use crate::runtime::Routine;
use cairn_evm::{Fork, Opcode};
use cairn_ir::cursor::Cursor;
use cairn_ir::{EntityList, Function, Inst, Op, Payload, Type, Value};
use smallvec::smallvec;

/// Rewrites an instruction.
pub(super) type Rewrite = fn(&mut Function, Inst, &mut State, &mut PassContext<'_>);

/// `evm.return %v`.
pub(super) fn return_value(func: &mut Function, inst: Inst, state: &mut State, cx: &mut PassContext<'_>) {
    let value = func.dfg.args(inst)[0];
    let address = return_address(func, inst, state, cx);
    let mut emit = Emit::before(func, inst);
    emit.insert(Op::Evm(Opcode::MSTORE), &[address, value], Payload::None, &[]);
    let length = emit.number(32);
    func.dfg.replace_inst(inst, Op::Evm(Opcode::RETURN), &[address, length], Payload::None);
    cx.changed(func, inst, || {
        format!("`evm.return` of {} stores the word first: the opcode returns memory", shown(func, value))
    });
}

fn return_address(func: &mut Function, inst: Inst, state: &mut State, cx: &mut PassContext<'_>) -> Value {
    if !cx.memory.has_frames() {
        let mut emit = Emit::before(func, inst);
        let zero = emit.number(0);
        return emit.value(Op::IntToPtr, &[zero], Type::MEMORY);
    }
    let slot = state.slot(func, 32);
    cx.name_value(func, slot, "slot");
    slot
}

/// `evm.datacopy`.
pub(super) fn datacopy(func: &mut Function, inst: Inst, _state: &mut State, cx: &mut PassContext<'_>) {
    func.dfg.set_op(inst, Op::Evm(Opcode::CODECOPY));
    cx.changed(func, inst, || "`evm.datacopy` became `evm.codecopy`: data lies in the code".to_owned());
}

/// A call with a second result.
pub(super) fn call_with_length(
    func: &mut Function,
    inst: Inst,
    _state: &mut State,
    cx: &mut PassContext<'_>,
) {
    let [success, length] = [0, 1].map(|index| func.dfg.results(inst)[index]);
    func.dfg.inst_mut(inst).results = EntityList::new();
    func.dfg.attach_result(inst, success);
    let size = func.dfg.make_inst(Op::Evm(Opcode::RETURNDATASIZE), &[], Payload::None);
    func.dfg.attach_result(size, length);
    func.dfg.inst_mut(size).loc = func.dfg.inst(inst).loc;
    func.spans[size] = func.spans[inst];
    Cursor::after(func, inst).insert_inst(size);
    let name = func.dfg.op(inst).name();
    cx.changed(func, inst, || format!("the length returned by `evm.{name}` comes from `evm.returndatasize`"));
}

/// `evm.sext`.
pub(super) fn sext(func: &mut Function, inst: Inst, state: &mut State, cx: &mut PassContext<'_>) {
    let (value, result) = (func.dfg.args(inst)[0], func.dfg.result(inst));
    let from = func.dfg.ty(value).bits().unwrap_or(256);
    let to = func.dfg.ty(result).bits().unwrap_or(256);
    let mut emit = Emit::before(func, inst);
    let wide = sign_extend(&mut emit, value, from);
    let new = emit.truncate(wide, to);
    if new != value {
        let ty = func.dfg.ty(result);
        func.dfg.set_ty(new, ty);
    }
    func.layout.remove_inst(inst);
    state.replacements.record(func, result, new);
    cx.changed(func, inst, || format!("`evm.sext` from {from} to {to} bits was expanded: no opcode does it"));
}

/// `evm.muldiv` of less than a word.
pub(super) fn muldiv_narrow(func: &mut Function, inst: Inst, state: &mut State, cx: &mut PassContext<'_>) {
    let result = func.dfg.result(inst);
    let ty = func.dfg.ty(result);
    let args = func.dfg.args(inst).to_vec();
    let mut emit = Emit::before(func, inst);
    let word = muldiv_of_width(&mut emit, &args, ty.bits().unwrap_or(256), cx)[0];
    let narrow = super::restore_type(&mut emit, result, word);
    func.layout.remove_inst(inst);
    state.replacements.record(func, result, narrow);
    cx.changed(func, inst, || format!("`evm.muldiv` of {ty} calls the runtime"));
}

/// The quotient as a word; reverts if it exceeds the width or the divisor is zero. Up to half a
/// word the product fits a word.
pub(super) fn muldiv_of_width(
    emit: &mut Emit<'_>,
    args: &[Value],
    width: u16,
    cx: &mut PassContext<'_>,
) -> Results {
    let greatest = emit.constant(low_mask(width));
    let (quotient, is_defined) = match width {
        ..=128 => {
            let product = emit.mul(args[0], args[1]);
            let quotient = emit.div(product, args[2]);
            let exceeds = emit.gt(quotient, greatest);
            let is_zero = emit.is_zero(args[2]);
            let is_undefined = emit.or(exceeds, is_zero);
            (quotient, emit.is_zero(is_undefined))
        }
        _ => {
            let quotient = cx.runtime.call(emit, muldiv_routine(cx.options.fork), args)[0];
            let exceeds = emit.gt(quotient, greatest);
            (quotient, emit.is_zero(exceeds))
        }
    };
    cx.runtime.call(emit, Routine::Require, &[is_defined]);
    smallvec![quotient]
}

/// The routine that divides a product of two words.
pub(super) fn muldiv_routine(fork: Fork) -> Routine {
    match Opcode::CLZ.exists_in(fork) {
        true => Routine::Muldiv,
        false => Routine::MuldivBeforeOsaka,
    }
}

/// `evm.revert` on forks that lack it.
pub(super) fn revert(func: &mut Function, inst: Inst, _state: &mut State, cx: &mut PassContext<'_>) {
    func.dfg.replace_inst(inst, Op::Evm(Opcode::INVALID), &[], Payload::None);
    cx.changed(func, inst, || "`evm.revert` became `evm.invalid`: the fork executes its byte so".to_owned());
}
