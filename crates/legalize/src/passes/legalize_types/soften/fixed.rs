//! Fixed-point numbers as integers.
//!
//! `ufixed<N,D>` is a `uN` that counts units of 10^−D; `fixed<N,D>` is the same in two's
//! complement. A value is stored and passed as that integer, not extended beyond N bits. Addition,
//! subtraction, equality and bit operations are those of the integers, modulo 2^N.
//!
//! * `mul` is `a · b / 10^D`, `div` is `a · 10^D / b`, both computed without loss and then rounded
//!   towards zero and taken modulo 2^N. Division by zero gives zero, as everywhere on the EVM.
//! * `mod` is what `a` leaves when multiples of `b` are taken away; it has the sign of `a`.
//! * `lt` and `gt` of `fixed` compare signed numbers; `sdiv`, `smod`, `slt`, `sgt` of either type
//!   mean `div`, `mod`, `lt`, `gt`.
//! * `min` and `max` follow the type's sign, as `smin` and `smax` do.
//! * `convert` and `sconvert` multiply or divide by the power of ten between the decimals of both types;
//!   a quotient is rounded towards zero; the result is taken modulo 2^N.
//! * `exp` is a loop of `mul` in a function of its own ([`outline`](crate::outline)).
//! * `addmod`, `mulmod`, shifts, `byte`, `signextend` and `clz` have no meaning; the verifier rejects
//!   them.
//!
//! Cost: a multiplication or division becomes about six integer operations.

use super::super::action::words;
use crate::emit::Emit;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Function, Inst, Op, Payload, Type, Value};
use smallvec::SmallVec;

/// The decimals of the last power of ten that is a word.
const WORD_DECIMALS: u8 = 77;

/// A fixed-point type.
#[derive(Clone, Copy)]
struct Fixed {
    bits: u16,
    decimals: u8,
    is_signed: bool,
}

impl Fixed {
    /// The words whose product is 1.
    fn unit(self) -> SmallVec<[Word; 2]> {
        power_of_ten(self.decimals)
    }

    /// The type of whole words that holds its bits and so many others.
    fn extended(self, needed: u16) -> Type {
        Type::Int(words(self.bits.max(needed)) as u16 * 256)
    }
}

/// 10^`decimals`, as the product of words.
fn power_of_ten(decimals: u8) -> SmallVec<[Word; 2]> {
    let first = decimals.min(WORD_DECIMALS);
    let factors = [first, decimals - first].map(|decimals| Word::from(10).pow(Word::from(decimals)));
    factors.into_iter().take(if decimals > WORD_DECIMALS { 2 } else { 1 }).collect()
}

/// Bits that the product of these words has at most.
fn product_bits(factors: &[Word]) -> u16 {
    factors.iter().map(|factor| factor.bit_len() as u16).sum()
}

/// A number as `convert` reads and gives it; integers are signed for `sconvert`.
fn number(op: Op, ty: Type) -> Fixed {
    let integer = Fixed { bits: ty.bits().unwrap_or(256), decimals: 0, is_signed: op == Op::Sconvert };
    fixed(ty).unwrap_or(integer)
}

fn fixed(ty: Type) -> Option<Fixed> {
    match ty {
        Type::Ufixed(bits, decimals) => Some(Fixed { bits, decimals, is_signed: false }),
        Type::Fixed(bits, decimals) => Some(Fixed { bits, decimals, is_signed: true }),
        Type::Int(_) | Type::Bool | Type::Ptr(..) | Type::Float(_) | Type::Composite(_) => None,
        Type::Void | Type::Unreachable => None,
    }
}

/// Rewrites an operation on fixed-point numbers.
pub(super) fn soften(func: &mut Function, inst: Inst) {
    let values = func.dfg.args(inst).iter().chain(func.dfg.results(inst));
    if !values.into_iter().any(|value| func.dfg.ty(*value).is_fixed()) {
        return;
    }
    let opcode = match func.dfg.op(inst) {
        Op::Evm(opcode) => opcode,
        Op::Convert | Op::Sconvert => return soften_conversion(func, inst),
        Op::Min | Op::Smin => return choose(func, inst, [Op::Min, Op::Smin]),
        Op::Max | Op::Smax => return choose(func, inst, [Op::Max, Op::Smax]),
        _ => return,
    };
    let args: SmallVec<[Value; 4]> = SmallVec::from_slice(func.dfg.args(inst));
    let Some(fixed) = args.iter().find_map(|arg| fixed(func.dfg.ty(*arg))) else { return };
    match opcode {
        Opcode::MUL => soften_scaled(func, inst, fixed, Scale::Product),
        Opcode::DIV | Opcode::SDIV => soften_scaled(func, inst, fixed, Scale::Quotient),
        Opcode::MOD | Opcode::SMOD => soften_scaled(func, inst, fixed, Scale::Remainder),
        Opcode::LT | Opcode::SLT => compare(func, inst, fixed, [Opcode::LT, Opcode::SLT]),
        Opcode::GT | Opcode::SGT => compare(func, inst, fixed, [Opcode::GT, Opcode::SGT]),
        _ => {}
    }
}

/// What is scaled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scale {
    Product,
    Quotient,
    Remainder,
}

/// Extends operands far enough that nothing is lost, to whole words so that the sign is where the
/// signed opcodes look for it; computes; truncates.
fn soften_scaled(func: &mut Function, inst: Inst, fixed: Fixed, scale: Scale) {
    let factors = fixed.unit();
    let unit_bits = product_bits(&factors);
    let needed = match scale {
        Scale::Product => unit_bits.max(2 * fixed.bits),
        Scale::Quotient => fixed.bits + unit_bits + 1,
        Scale::Remainder => fixed.bits,
    };
    let wide = Type::Int(words(needed) as u16 * 256);
    let [a, b] = [0, 1].map(|index| func.dfg.args(inst)[index]);
    let mut emit = Emit::before(func, inst);
    let [a, b] = [a, b].map(|value| extend(&mut emit, value, fixed, wide));
    let [div, rem] = match fixed.is_signed {
        true => [Opcode::SDIV, Opcode::SMOD],
        false => [Opcode::DIV, Opcode::MOD],
    };
    let factor = product(&mut emit, &factors, wide);
    let result = match scale {
        Scale::Product => {
            let product = emit.value(Op::Evm(Opcode::MUL), &[a, b], wide);
            emit.value(Op::Evm(div), &[product, factor], wide)
        }
        Scale::Quotient => {
            let scaled = emit.value(Op::Evm(Opcode::MUL), &[a, factor], wide);
            emit.value(Op::Evm(div), &[scaled, b], wide)
        }
        Scale::Remainder => emit.value(Op::Evm(rem), &[a, b], wide),
    };
    func.dfg.replace_inst(inst, Op::Trunc, &[result], Payload::None);
}

/// A number as an integer of type `wide`. Its own type is still the fixed-point type here; it
/// becomes the integer of the same width before the cast is looked at.
fn extend(emit: &mut Emit<'_>, value: Value, fixed: Fixed, wide: Type) -> Value {
    let op = if fixed.is_signed { Op::Sext } else { Op::Zext };
    emit.value(op, &[value], wide)
}

/// The product of constants.
fn product(emit: &mut Emit<'_>, factors: &[Word], wide: Type) -> Value {
    let factors: SmallVec<[Value; 2]> = factors.iter().map(|factor| emit.constant(*factor)).collect();
    match factors[..] {
        [factor] => factor,
        _ => emit.value(Op::Evm(Opcode::MUL), &factors, wide),
    }
}

/// More decimals: a product, of which only the low bits count. Fewer: a quotient of the whole number.
fn soften_conversion(func: &mut Function, inst: Inst) {
    let (arg, result) = (func.dfg.args(inst)[0], func.dfg.result(inst));
    let [from, to] = [arg, result].map(|value| number(func.dfg.op(inst), func.dfg.ty(value)));
    let factors = power_of_ten(from.decimals.abs_diff(to.decimals));
    let mut emit = Emit::before(func, inst);
    let (scaled, bits) = if to.decimals >= from.decimals {
        let wide = from.extended(to.bits);
        let whole = extend(&mut emit, arg, from, wide);
        let factor = product(&mut emit, &factors, wide);
        (emit.value(Op::Evm(Opcode::MUL), &[whole, factor], wide), wide.bits())
    } else {
        let wide = from.extended(product_bits(&factors) + 1);
        let whole = extend(&mut emit, arg, from, wide);
        let factor = product(&mut emit, &factors, wide);
        let div = if from.is_signed { Opcode::SDIV } else { Opcode::DIV };
        (emit.value(Op::Evm(div), &[whole, factor], wide), wide.bits())
    };
    let op = match (bits.is_none_or(|bits| bits >= to.bits), from.is_signed) {
        (true, _) => Op::Trunc,
        (false, true) => Op::Sext,
        (false, false) => Op::Zext,
    };
    func.dfg.replace_inst(inst, op, &[scaled], Payload::None);
}

/// The smaller or the greater number, by the type's sign.
fn choose(func: &mut Function, inst: Inst, [unsigned, signed]: [Op; 2]) {
    if let Some(fixed) = fixed(func.dfg.ty(func.dfg.result(inst))) {
        func.dfg.set_op(inst, if fixed.is_signed { signed } else { unsigned });
    }
}

fn compare(func: &mut Function, inst: Inst, fixed: Fixed, [unsigned, signed]: [Opcode; 2]) {
    if !fixed.is_signed {
        func.dfg.set_op(inst, Op::Evm(unsigned));
        return;
    }
    let wide = Type::Int(words(fixed.bits) as u16 * 256);
    let args = [0, 1].map(|index| func.dfg.args(inst)[index]);
    let mut emit = Emit::before(func, inst);
    let args = args.map(|value| extend(&mut emit, value, fixed, wide));
    func.dfg.replace_inst(inst, Op::Evm(signed), &args, Payload::None);
}
