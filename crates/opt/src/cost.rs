//! What instructions are likely to cost once they are stack code.
//!
//! Estimates: one stack operation for each operand that is not a constant, a push for each that
//! is, two-byte labels. Good enough to compare a call with the body it would be replaced by.

use cairn_evm::{Cost, Fork, Opcode, Word, gas};
use cairn_ir::{Family, Function, Inst, Op, Payload, Value};

/// Bytes of a `JUMP` to a known place with the label's `JUMPDEST`.
const JUMP_BYTES: u64 = 5;
/// Bytes around an internal call: two labels pushed, `JUMP`, two `JUMPDEST`s' worth of one site.
pub(crate) const CALL_BYTES: u64 = 8;

/// Places that call a function and are reached in one run of the program: of many, most belong to
/// other entries. Real contracts take no more gas from 5 on, and are smaller than with more.
const PLACES_REACHED: f64 = 5.0;

/// The share of so many calls of a function that one run of the program is expected to reach.
pub(crate) fn reached_share(n_sites: u32) -> f64 {
    (PLACES_REACHED / f64::from(n_sites)).min(1.0)
}

/// Bytes of `PUSH0 NOT PUSH1 n SHR`.
const ONES_BYTES: u64 = 5;

/// Bytes that make a word: pushed, complemented, a run of ones or shifted, as the assembler does.
pub(crate) fn push_bytes(word: Word) -> u64 {
    let pushed = |word: Word| 1 + word.byte_len() as u64;
    let inverted = 1 + pushed(!word);
    let shifted = 3 + pushed(word >> word.trailing_zeros());
    let is_run_at_bottom = !word.is_zero() && (word & word.wrapping_add(Word::ONE)).is_zero();
    let ones = if is_run_at_bottom { ONES_BYTES } else { u64::MAX };
    pushed(word).min(inverted).min(shifted).min(ones)
}

/// What an instruction costs with its operands' stack operations. Constants cost nothing by
/// themselves: they are paid for where they are used.
pub(crate) fn of_inst(func: &Function, inst: Inst, fork: Fork) -> Cost {
    let op = func.dfg.op(inst);
    if op == Op::Constant {
        return Cost::default();
    }
    let mut operands = Cost::default();
    func.dfg.for_each_use(inst, |value| operands = operands + of_operand(func, value));
    operands + of_op(func, inst, op, fork)
}

fn of_operand(func: &Function, value: Value) -> Cost {
    func.dfg.as_const(value).map_or(Cost::DUP, of_constant)
}

/// What it costs to push a word.
pub(crate) fn of_constant(word: Word) -> Cost {
    Cost::new(3, push_bytes(word))
}

fn of_op(func: &Function, inst: Inst, op: Op, fork: Fork) -> Cost {
    let fixed = |bytes, gas| Cost { bytes, gas };
    match op {
        Op::Evm(opcode) => fixed(1, gas::static_gas(opcode, fork)),
        Op::LoadImmutable => {
            let bits = func.dfg.ty(func.dfg.result(inst)).bits().unwrap_or(256);
            fixed(1 + u64::from(bits / 8), 3)
        }
        Op::LinkerSymbol => fixed(21, 3),
        Op::SetImmutable => fixed(8, 12),
        Op::DataCopy => fixed(1, gas::static_gas(Opcode::CODECOPY, fork)),
        Op::Verbatim => fixed(32, 32),
        Op::Alloca | Op::HeapBase | Op::DataOffset | Op::DataSize => fixed(3, 3),
        Op::Zext | Op::PtrToInt | Op::IntToPtr | Op::CalldataBase | Op::Unreachable => fixed(0, 0),
        Op::CondBr => fixed(JUMP_BYTES, 14),
        Op::Switch => {
            let n_cases = match func.dfg.inst(inst).payload {
                Payload::Switch(id) => func.dfg.switch(id).cases.len() as u64,
                _ => 0,
            };
            fixed(11 * n_cases, 22 * n_cases / 2)
        }
        Op::Icall => fixed(CALL_BYTES, 24),
        Op::Iret => fixed(2, 11),
        op if op.family() == Family::Mark => fixed(0, 0),
        op if op.family().is_generic_arithmetic() => fixed(20, 40),
        _ => fixed(2, 6),
    }
}

/// What a call site costs in the caller, and in the callee for coming back.
pub(crate) fn of_call(func: &Function, call: Inst) -> Cost {
    let mut operands = Cost::default();
    func.dfg.for_each_use(call, |value| operands = operands + of_operand(func, value));
    let n_results = func.dfg.results(call).len() as u64;
    operands + Cost::new(32 + 3 * n_results, CALL_BYTES + n_results)
}
