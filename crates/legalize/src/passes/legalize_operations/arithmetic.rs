//! Expands selection, minimum, maximum and absolute value, all without branches.

use crate::emit::Emit;
use crate::emit::Results;
use crate::passes::legalize_operations::bits::sign_extend;
use cairn_evm::Opcode;
use cairn_ir::{Type, Value};
use smallvec::smallvec;

/// `evm.select`: any condition that is not zero selects the first value.
pub(crate) fn select(emit: &mut Emit<'_>, args: &[Value], _bits: u16) -> Results {
    let mut flag = args[0];
    if emit.func().dfg.ty(flag) != Type::Bool {
        let is_zero = emit.is_zero(flag);
        flag = emit.is_zero(is_zero);
    }
    let [first, second] = [args[1], args[2]].map(|arg| emit.integer(arg));
    smallvec![emit.select(flag, first, second)]
}

/// `evm.min`.
pub(crate) fn min(emit: &mut Emit<'_>, args: &[Value], _bits: u16) -> Results {
    let is_first = emit.lt(args[0], args[1]);
    smallvec![emit.select(is_first, args[0], args[1])]
}

/// `evm.max`.
pub(crate) fn max(emit: &mut Emit<'_>, args: &[Value], _bits: u16) -> Results {
    let is_first = emit.evm(Opcode::GT, &[args[0], args[1]]);
    smallvec![emit.select(is_first, args[0], args[1])]
}

/// `evm.smin`.
pub(crate) fn signed_min(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> Results {
    smallvec![signed_choice(emit, Opcode::SLT, args, bits)]
}

/// `evm.smax`.
pub(crate) fn signed_max(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> Results {
    smallvec![signed_choice(emit, Opcode::SGT, args, bits)]
}

fn signed_choice(emit: &mut Emit<'_>, test: Opcode, args: &[Value], bits: u16) -> Value {
    let wide = [args[0], args[1]].map(|arg| sign_extend(emit, arg, bits));
    let is_first = emit.evm(test, &wide);
    emit.select(is_first, args[0], args[1])
}

/// `evm.abs`: `(x ^ s) − s` where `s` is −1 for a negative `x`, else 0.
pub(crate) fn abs(emit: &mut Emit<'_>, args: &[Value], bits: u16) -> Results {
    let wide = sign_extend(emit, args[0], bits);
    let zero = emit.number(0);
    let is_negative = emit.evm(Opcode::SLT, &[wide, zero]);
    let sign = emit.sub(zero, is_negative);
    let flipped = emit.xor(wide, sign);
    let positive = emit.sub(flipped, sign);
    smallvec![emit.truncate(positive, bits)]
}

/// `evm.mod` for a target that lacks it: `x − (x / y) · y`, and 0 if `y` is 0.
pub(crate) fn remainder(emit: &mut Emit<'_>, args: &[Value], _bits: u16) -> Results {
    let quotient = emit.div(args[0], args[1]);
    let product = emit.mul(quotient, args[1]);
    let rest = emit.sub(args[0], product);
    let is_zero = emit.is_zero(args[1]);
    let is_kept = emit.is_zero(is_zero);
    smallvec![emit.mul(rest, is_kept)]
}
