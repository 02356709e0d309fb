//! Expands integers of more than a word into words, the least significant first.
//!
//! An opcode computes at the greatest width that an operand or result has: operands are extended
//! with zeros to it, signed opcodes look for the sign in its highest bit, and the result is cut off
//! to its own width. Short code is
//! written in place; multiplication of many words and all divisions call the runtime, which works
//! on arrays in slots.

mod bits;
mod compare;
mod division;
pub(super) mod memory;
mod product;
mod shift;
mod sum;

pub(crate) use product::MAX_INLINE_WORDS;

use super::action::words;
use super::reps::Words;
use super::state::Walk;
use crate::context::PassContext;
use crate::emit::{Emit, low_mask};
use crate::passes::legalize_operations::sign_extend;
use crate::runtime::Routine;
use cairn_diag::Diagnostic;
use cairn_evm::Opcode;
use cairn_ir::{Function, Inst, Op, Payload, Type, Value};
use smallvec::smallvec;

/// What an expansion knows of its instruction.
struct Wide {
    op: Op,
    /// The operands as words, all equally many; only as many as an address for what is an address.
    args: Vec<Words>,
    /// Declared widths of the operands.
    arg_bits: Vec<u16>,
    /// Width of the first result.
    bits: u16,
    /// The greatest width of all, which opcodes compute at.
    width: u16,
    /// Words computed on.
    n_words: usize,
}

/// Expands an instruction with a wide operand or result; true if it was rewritten into
/// instructions that have to be looked at, itself among them.
pub(super) fn expand_inst(
    func: &mut Function,
    inst: Inst,
    walk: &mut Walk,
    cx: &mut PassContext<'_>,
) -> bool {
    let op = func.dfg.op(inst);
    cx.changed(func, inst, || {
        let width = widest(func, inst, walk);
        format!("`evm.{}` of {width} bits was expanded: it takes more than a word", op.name())
    });
    if rewrite_as_wider(func, inst, walk, cx) {
        return true;
    }
    let Some(results) = expand(func, inst, walk, cx) else {
        let message = format!("`evm.{}` has no meaning on integers of more than 256 bits", op.name());
        cx.error(func, inst, Diagnostic::error(message));
        return false;
    };
    if std::mem::take(&mut walk.made_slot) && !cx.memory.has_frames() {
        let message =
            format!("`evm.{}` of this width needs memory, but all memory is the program's", op.name());
        let help = "without the module's attribute `[noframe]` or `[unguarded]` there is room for it";
        cx.error(func, inst, Diagnostic::error(message).with_help(help));
    }
    let old = func.dfg.results(inst).to_vec();
    for (old, new) in old.into_iter().zip(results) {
        set_result(func, inst, old, &new, walk);
    }
    func.layout.remove_inst(inst);
    true
}

/// The greatest width of an operand or result.
fn widest(func: &Function, inst: Inst, walk: &Walk) -> u16 {
    let used = func.dfg.args(inst).iter().chain(func.dfg.results(inst));
    used.filter_map(|value| walk.reps.bits(func, *value)).max().unwrap_or(256)
}

/// Records the words of a result, cut off to its width.
fn set_result(func: &mut Function, inst: Inst, old: Value, new: &[Value], walk: &mut Walk) {
    let bits = func.dfg.ty(old).bits().unwrap_or(256);
    let count = words(bits);
    if count == 1 {
        let most_bits = walk.reps.known(func).value_bits(new[0]);
        walk.reps.set_narrow(old, bits, new[0], most_bits);
        return;
    }
    let mut emit = Emit::before(func, inst);
    let mut parts = pad(&mut emit, new[..count.min(new.len())].into(), count);
    let top = bits - (count as u16 - 1) * 256;
    if walk.reps.known(func).value_bits(parts[count - 1]) > top {
        let mut emit = Emit::before(func, inst);
        parts[count - 1] = emit.truncate(parts[count - 1], top);
    }
    walk.reps.set_wide(old, bits, &parts);
}

/// The words of each result; `None` if the operation has no wide form.
fn expand(func: &mut Function, inst: Inst, walk: &mut Walk, cx: &mut PassContext<'_>) -> Option<Vec<Words>> {
    let wide = read(func, inst, walk);
    let mut emit = Emit::before(func, inst);
    let emit = &mut emit;
    let results = match wide.op {
        Op::Evm(opcode) => expand_opcode(emit, opcode, &wide, walk, cx)?,
        Op::Constant => {
            let word = emit.func().dfg.inst_const(inst)?;
            vec![smallvec![emit.constant(word)]]
        }
        Op::Trunc | Op::Zext => vec![wide.args[0].clone()],
        Op::Sext => vec![extend_sign(emit, &wide.args[0], wide.arg_bits[0])],
        Op::Select => {
            let flag = any(emit, &wide.args[0]);
            vec![select(emit, flag, &wide.args[1], &wide.args[2])]
        }
        Op::Min | Op::Max | Op::Smin | Op::Smax => vec![compare::extremum(emit, &wide)],
        Op::Abs => {
            let extended = extend_sign(emit, &wide.args[0], wide.bits);
            vec![sum::absolute(emit, &extended).0]
        }
        Op::Addo | Op::UaddSat => {
            let (value, carry) = sum::add(emit, &wide.args[0], &wide.args[1]);
            overflowing(emit, &wide, value, carry)
        }
        Op::Subo => {
            let (value, borrow) = sum::sub(emit, &wide.args[0], &wide.args[1]);
            vec![value, smallvec![borrow]]
        }
        Op::UsubSat => {
            let (value, borrow) = sum::sub(emit, &wide.args[0], &wide.args[1]);
            let is_kept = emit.is_zero(borrow);
            vec![value.into_iter().map(|word| emit.mul(word, is_kept)).collect()]
        }
        Op::Mulo | Op::UmulSat => {
            let all = product::multiply(emit, &wide.args[0], &wide.args[1], 2 * wide.n_words, walk, cx);
            let (low, high) = all.split_at(wide.n_words);
            let overflows = any(emit, high);
            overflowing(emit, &wide, low.into(), overflows)
        }
        Op::Mulhi => {
            let all = product::multiply(emit, &wide.args[0], &wide.args[1], 2 * wide.n_words, walk, cx);
            let amount = u64::from(wide.bits);
            vec![shift::right_by(emit, &all, amount)]
        }
        Op::Bswap => vec![bits::swap_bytes(emit, &wide, cx)],
        Op::Ctpop | Op::Ctlz | Op::Cttz => {
            // What is counted is the operand's, however wide the result is.
            let counted = &wide.args[0][..words(wide.arg_bits[0])];
            vec![smallvec![match wide.op {
                Op::Ctpop => bits::count_ones(emit, counted, cx),
                Op::Ctlz => bits::leading_zeros(emit, counted, wide.arg_bits[0]),
                _ => bits::trailing_zeros(emit, counted, wide.arg_bits[0]),
            }]]
        }
        _ => return None,
    };
    Some(results)
}

fn expand_opcode(
    emit: &mut Emit<'_>,
    opcode: Opcode,
    wide: &Wide,
    walk: &mut Walk,
    cx: &mut PassContext<'_>,
) -> Option<Vec<Words>> {
    let args = &wide.args;
    Some(match opcode {
        Opcode::ADD => vec![sum::add(emit, &args[0], &args[1]).0],
        Opcode::SUB => vec![sum::sub(emit, &args[0], &args[1]).0],
        Opcode::MUL => vec![product::multiply(emit, &args[0], &args[1], wide.n_words, walk, cx)],
        Opcode::DIV | Opcode::MOD | Opcode::SDIV | Opcode::SMOD => {
            vec![division::divide(emit, opcode, wide, walk, cx)]
        }
        Opcode::EXP => vec![product::power(emit, &args[0], &args[1], walk, cx)],
        Opcode::AND | Opcode::OR | Opcode::XOR => {
            let pairs = args[0].iter().zip(&args[1]);
            vec![pairs.map(|(a, b)| emit.evm(opcode, &[*a, *b])).collect()]
        }
        Opcode::NOT => vec![args[0].iter().map(|word| emit.not(*word)).collect()],
        Opcode::LT => vec![smallvec![compare::less(emit, &args[0], &args[1])]],
        Opcode::GT => vec![smallvec![compare::less(emit, &args[1], &args[0])]],
        Opcode::SLT | Opcode::SGT => {
            let [a, b] = [0, 1].map(|index| extend_sign(emit, &args[index], wide.width));
            let (a, b) = if opcode == Opcode::SLT { (a, b) } else { (b, a) };
            vec![smallvec![compare::signed_less(emit, &a, &b)]]
        }
        Opcode::EQ => vec![smallvec![compare::equal(emit, &args[0], &args[1])]],
        Opcode::ISZERO => {
            let flag = any_bit(emit, &args[0]);
            vec![smallvec![emit.is_zero(flag)]]
        }
        Opcode::SHL | Opcode::SHR => vec![shift::shift(emit, opcode, &args[0], &args[1])],
        Opcode::SAR => {
            let value = extend_sign(emit, &args[1], wide.width);
            vec![shift::shift(emit, opcode, &args[0], &value)]
        }
        Opcode::BYTE => vec![smallvec![bits::byte(emit, &args[0], &args[1], wide.width)]],
        Opcode::SIGNEXTEND => vec![bits::sign_extend_from(emit, &args[0], &args[1])],
        Opcode::CLZ => vec![smallvec![bits::leading_zeros(emit, &args[0], wide.width)]],
        opcode if crate::places::has_address(opcode) && args.len() == 1 => {
            vec![memory::load(emit, opcode, args[0][0], words(wide.bits))]
        }
        opcode if crate::places::has_address(opcode) => {
            memory::store(emit, opcode, args[0][0], &args[1][..words(wide.arg_bits[1])]);
            Vec::new()
        }
        _ => return None,
    })
}

/// Operands and widths of an instruction.
fn read(func: &mut Function, inst: Inst, walk: &mut Walk) -> Wide {
    let op = func.dfg.op(inst);
    let args = func.dfg.args(inst).to_vec();
    let arg_bits: Vec<u16> = args.iter().map(|arg| walk.reps.bits(func, *arg).unwrap_or(256)).collect();
    let bits = func.dfg.results(inst).first().and_then(|value| func.dfg.ty(*value).bits()).unwrap_or(256);
    let width = widest(func, inst, walk);
    let n_words = words(width);
    let args = args.into_iter().map(|arg| walk.reps.words(func, arg, n_words)).collect();
    let mut wide = Wide { op, args, arg_bits, bits, width, n_words };
    let mut emit = Emit::before(func, inst);
    let n_addresses = usize::from(matches!(op, Op::Evm(opcode) if crate::places::has_address(opcode)));
    for arg in wide.args.iter_mut().skip(n_addresses) {
        *arg = pad(&mut emit, std::mem::take(arg), n_words);
    }
    wide
}

/// Extends with zero words.
fn pad(emit: &mut Emit<'_>, mut value: Words, n_words: usize) -> Words {
    if value.len() < n_words {
        let zero = emit.number(0);
        value.resize(n_words, zero);
    }
    value
}

/// The sum or product with its overflow bit; saturated where the operation says so.
fn overflowing(emit: &mut Emit<'_>, wide: &Wide, value: Words, carry: Value) -> Vec<Words> {
    let top_bits = wide.bits - (wide.n_words as u16 - 1) * 256;
    let mut overflows = carry;
    if top_bits < 256 {
        let greatest = emit.constant(low_mask(top_bits));
        let exceeds = emit.gt(value[wide.n_words - 1], greatest);
        overflows = emit.or(carry, exceeds);
    }
    if matches!(wide.op, Op::Addo | Op::Mulo) {
        return vec![value, smallvec![overflows]];
    }
    let ones = emit.neg(overflows);
    vec![value.into_iter().map(|word| emit.or(word, ones)).collect()]
}

/// False if all words are constant zeros.
fn can_be_set(emit: &mut Emit<'_>, words: &[Value]) -> bool {
    let dfg = &emit.func().dfg;
    words.iter().any(|word| dfg.as_const(*word).is_none_or(|word| !word.is_zero()))
}

/// Not zero if any word is not zero.
pub(super) fn any_bit(emit: &mut Emit<'_>, words: &[Value]) -> Value {
    let (first, rest) = words.split_first().expect("invariant: an integer has a word");
    rest.iter().fold(*first, |all, word| emit.or(all, *word))
}

/// 1 if any word is not zero.
pub(super) fn any(emit: &mut Emit<'_>, words: &[Value]) -> Value {
    let bits = any_bit(emit, words);
    if emit.func().dfg.ty(bits) == Type::Bool {
        return bits;
    }
    let none = emit.is_zero(bits);
    emit.is_zero(none)
}

fn select(emit: &mut Emit<'_>, flag: Value, a: &[Value], b: &[Value]) -> Words {
    a.iter().zip(b).map(|(a, b)| emit.select(flag, *a, *b)).collect()
}

/// Copies the sign of a `bits`-bit integer into all bits above it.
fn extend_sign(emit: &mut Emit<'_>, value: &[Value], bits: u16) -> Words {
    let top = words(bits) - 1;
    let mut extended: Words = value[..top].into();
    let word = sign_extend(emit, value[top], bits - top as u16 * 256);
    extended.push(word);
    if extended.len() < value.len() {
        let sign = emit.sign_mask(word);
        extended.resize(value.len(), sign);
    }
    extended
}

/// Operations that are written as others on wide types, which are then looked at: rotations,
/// `muldiv`, `addmod`, `mulmod`.
fn rewrite_as_wider(func: &mut Function, inst: Inst, walk: &Walk, cx: &mut PassContext<'_>) -> bool {
    let op = func.dfg.op(inst);
    let widest = widest(func, inst, walk);
    let args = func.dfg.args(inst).to_vec();
    let Some(result) = func.dfg.results(inst).first().copied() else { return false };
    let ty = func.dfg.ty(result);
    let bits = ty.bits().unwrap_or(256);
    let mut emit = Emit::before(func, inst);
    match op {
        Op::Rotl | Op::Rotr => {
            let width = emit.number(u64::from(bits));
            let amount_ty = emit.func().dfg.ty(args[0]);
            let amount = emit.value(Op::Evm(Opcode::MOD), &[args[0], width], amount_ty);
            let rest = emit.value(Op::Evm(Opcode::SUB), &[width, amount], Type::U256);
            let (left, right) = if op == Op::Rotl { (amount, rest) } else { (rest, amount) };
            let high = emit.value(Op::Evm(Opcode::SHL), &[left, args[1]], ty);
            let low = emit.value(Op::Evm(Opcode::SHR), &[right, args[1]], ty);
            func.dfg.replace_inst(inst, Op::Evm(Opcode::OR), &[high, low], Payload::None);
        }
        Op::Evm(Opcode::MULMOD | Opcode::ADDMOD) => {
            let is_product = op == Op::Evm(Opcode::MULMOD);
            let whole = words(widest) as u16 * 256;
            let wide = Type::Int(if is_product { 2 * whole } else { whole + 256 });
            let [a, b, modulus] = [args[0], args[1], args[2]].map(|arg| emit.value(Op::Zext, &[arg], wide));
            let opcode = if is_product { Opcode::MUL } else { Opcode::ADD };
            let sum = emit.value(Op::Evm(opcode), &[a, b], wide);
            let rest = emit.value(Op::Evm(Opcode::MOD), &[sum, modulus], wide);
            func.dfg.replace_inst(inst, Op::Trunc, &[rest], Payload::None);
        }
        Op::Muldiv => {
            let wide = Type::Int(2 * words(bits) as u16 * 256);
            let [a, b, divisor] = [args[0], args[1], args[2]].map(|arg| emit.value(Op::Zext, &[arg], wide));
            let product = emit.value(Op::Evm(Opcode::MUL), &[a, b], wide);
            let quotient = emit.value(Op::Evm(Opcode::DIV), &[product, divisor], wide);
            let width = emit.number(u64::from(bits));
            let above = emit.value(Op::Evm(Opcode::SHR), &[width, quotient], wide);
            let fits = emit.is_zero(above);
            let is_zero = emit.is_zero(args[2]);
            let is_divisible = emit.is_zero(is_zero);
            let is_defined = emit.and(fits, is_divisible);
            cx.runtime.call(&mut emit, Routine::Require, &[is_defined]);
            func.dfg.replace_inst(inst, Op::Trunc, &[quotient], Payload::None);
        }
        _ => return false,
    }
    true
}
