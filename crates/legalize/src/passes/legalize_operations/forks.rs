//! Expands opcodes that old forks lack.

use crate::emit::Emit;
use crate::emit::Results;
use cairn_evm::{Opcode, Word};
use cairn_ir::Value;
use smallvec::smallvec;

/// `evm.shl` as a product. An amount from 256 up makes the power 0, and the product too.
pub(crate) fn shl(emit: &mut Emit<'_>, args: &[Value], _bits: u16) -> Results {
    let power = power_of_two(emit, args[0]);
    smallvec![emit.mul(args[1], power)]
}

/// `evm.shr` as a quotient. An amount from 256 up makes the power 0, and division by 0 gives 0.
pub(crate) fn shr(emit: &mut Emit<'_>, args: &[Value], _bits: u16) -> Results {
    let power = power_of_two(emit, args[0]);
    smallvec![emit.div(args[1], power)]
}

/// `evm.sar`: the shift of `x ^ s`, which is not negative, flipped back; `s` is −1 for a negative
/// `x`, else 0.
pub(crate) fn sar(emit: &mut Emit<'_>, args: &[Value], _bits: u16) -> Results {
    let zero = emit.number(0);
    let is_negative = emit.evm(Opcode::SLT, &[args[1], zero]);
    let sign = emit.sub(zero, is_negative);
    let positive = emit.xor(args[1], sign);
    let power = power_of_two(emit, args[0]);
    let shifted = emit.div(positive, power);
    smallvec![emit.xor(shifted, sign)]
}

fn power_of_two(emit: &mut Emit<'_>, amount: Value) -> Value {
    if let Some(amount) = emit.func().dfg.as_const(amount) {
        let amount = amount.try_into().unwrap_or(256usize);
        return emit.constant(Word::from(1).checked_shl(amount).unwrap_or(Word::ZERO));
    }
    let two = emit.number(2);
    emit.evm(Opcode::EXP, &[two, amount])
}

/// `evm.selfbalance`.
pub(crate) fn selfbalance(emit: &mut Emit<'_>, _args: &[Value], _bits: u16) -> Results {
    let address = emit.evm(Opcode::ADDRESS, &[]);
    smallvec![emit.evm(Opcode::BALANCE, &[address])]
}
