//! Rules about types of operands and results.
//!
//! In free form arithmetic takes any number: integers of any width, fixed-point and floating-point
//! numbers (all operands of one type) and pointers, which the legalizer rewrites. In the other forms it takes
//! integers of at most a word.

use super::expect::{Class, expect_operand, expect_result, list, verify_operand};
use super::generic::verify_generic;
use super::limits;
use super::parts;
use super::report::{Cx, Place};
use crate::builder::opcode_result_type;
use crate::dfg::Payload;
use crate::ids::Inst;
use crate::infer::{is_fixed_arithmetic, is_float_arithmetic, is_lanewise};
use crate::op::Op;
use crate::operand::is_amount;
use crate::types::{AddressSpace, Type};
use cairn_evm::Opcode;
use cairn_evm::memory::{memory_read, memory_write};

/// Checks the types of an instruction of sound shape.
pub(super) fn verify_types(cx: &mut Cx<'_>, inst: Inst) {
    for value in cx.func.dfg.results(inst) {
        let ty = cx.ty(*value);
        if matches!(ty, Type::Void | Type::Unreachable) {
            cx.report("result-type", Place::Inst(inst), format!("a value cannot have type `{ty}`"));
        }
    }
    for value in cx.func.dfg.results(inst) {
        limits::verify_type(cx, Place::Inst(inst), cx.ty(*value));
    }
    match cx.op(inst) {
        Op::Icall => verify_call(cx, inst),
        Op::Iret => verify_return(cx, inst),
        Op::Constant => verify_constant(cx, inst),
        Op::Evm(opcode) => verify_opcode(cx, inst, opcode),
        Op::Compose | Op::Splat | Op::Extract | Op::Insert => verify_parts(cx, inst),
        Op::ExtractAt | Op::Shuffle => parts::verify_indexed(cx, inst),
        op => verify_generic(cx, inst, op),
    }
    verify_lanes(cx, inst);
}

fn verify_call(cx: &mut Cx<'_>, inst: Inst) {
    let Payload::Func(callee) = cx.func.dfg.inst(inst).payload else { return };
    if cx.module.entry == Some(callee) {
        cx.report("entry", Place::Inst(inst), "the entry function is called: it has no caller".to_owned());
    }
    let callee = &cx.module.funcs[callee];
    let args: Vec<Type> = cx.func.dfg.args(inst).iter().map(|value| cx.ty(*value)).collect();
    let results: Vec<Type> = cx.func.dfg.results(inst).iter().map(|value| cx.ty(*value)).collect();
    let fits = |from: &[Type], to: &[Type]| {
        from.len() == to.len() && from.iter().zip(to).all(|(from, to)| from.widens_to(*to))
    };
    if !fits(&args, &callee.signature.params) {
        let message =
            format!("`@{}` takes ({}), not ({})", callee.name, list(&callee.signature.params), list(&args));
        cx.report("call-signature", Place::Inst(inst), message);
    }
    if callee.signature.results != results {
        let message = format!(
            "`@{}` gives ({}), not ({})",
            callee.name,
            list(&callee.signature.results),
            list(&results)
        );
        cx.report("call-signature", Place::Inst(inst), message);
    }
}

fn verify_return(cx: &mut Cx<'_>, inst: Inst) {
    if cx.module.entry == Some(cx.id) {
        cx.report("entry", Place::Inst(inst), "the entry function has nowhere to return to".to_owned());
        return;
    }
    let args: Vec<Type> = cx.func.dfg.args(inst).iter().map(|value| cx.ty(*value)).collect();
    let results = &cx.func.signature.results;
    let fits = args.len() == results.len() && args.iter().zip(results).all(|(from, to)| from.widens_to(*to));
    if !fits {
        let message = format!("the function gives ({}), not ({})", list(results), list(&args));
        cx.report("return-signature", Place::Inst(inst), message);
    }
}

fn verify_constant(cx: &mut Cx<'_>, inst: Inst) {
    let word = cx.func.dfg.inst_const(inst).expect("invariant: the shape is sound");
    let ty = cx.ty(cx.func.dfg.result(inst));
    let bits = match ty {
        Type::Int(bits) | Type::Ufixed(bits, _) | Type::Fixed(bits, _) => usize::from(bits),
        Type::Bool => 1,
        Type::Float(format) => usize::from(format.bits()),
        Type::Ptr(..) => {
            let message = "a constant is not a pointer, use `evm.inttoptr`".to_owned();
            cx.report("result-type", Place::Inst(inst), message);
            return;
        }
        Type::Composite(_) => {
            let message = format!("a constant is one number, not `{ty}`; use `evm.compose` or `evm.splat`");
            cx.report("result-type", Place::Inst(inst), message);
            return;
        }
        Type::Void | Type::Unreachable => return,
    };
    if word.bit_len() > bits {
        cx.report("constant-fits", Place::Inst(inst), format!("{word:#x} does not fit `{ty}`"));
    }
}

/// What the operand of an opcode may be.
fn operand_class(opcode: Opcode, index: usize) -> Class {
    let is_start = |region: Option<cairn_evm::MemoryRegion>| {
        region.is_some_and(|region| usize::from(region.start) == index)
    };
    if is_start(memory_write(opcode)) {
        return Class::Write;
    }
    if is_start(memory_read(opcode)) {
        return Class::Read(AddressSpace::Memory);
    }
    match (opcode, index) {
        (Opcode::CALLDATALOAD, 0) | (Opcode::CALLDATACOPY, 1) => Class::Read(AddressSpace::Calldata),
        (Opcode::CODECOPY, 1) | (Opcode::EXTCODECOPY, 2) => Class::Read(AddressSpace::Code),
        (Opcode::RETURNDATACOPY, 1) => Class::Read(AddressSpace::Returndata),
        (Opcode::SLOAD | Opcode::SSTORE, 0) => Class::Key(AddressSpace::Storage),
        (Opcode::TLOAD | Opcode::TSTORE, 0) => Class::Key(AddressSpace::Transient),
        (Opcode::MSTORE, 1) => Class::Any,
        (Opcode::SSTORE | Opcode::TSTORE, 1) => Class::Number,
        _ if opcode.is_arithmetic() => Class::Number,
        _ if is_amount(Op::Evm(opcode), index) => Class::Amount,
        _ => Class::Word,
    }
}

fn verify_opcode(cx: &mut Cx<'_>, inst: Inst, opcode: Opcode) {
    for index in 0..cx.func.dfg.args(inst).len() {
        verify_operand(cx, inst, index, operand_class(opcode, index));
    }
    if opcode.is_arithmetic() {
        verify_one_type(cx, inst, opcode);
    }
    let natural = opcode_result_type(opcode);
    for (index, value) in cx.func.dfg.results(inst).iter().enumerate() {
        let ty = cx.ty(*value);
        let fits = match (index, natural) {
            (0, Type::U256) if matches!(ty, Type::Composite(_)) => {
                is_load(opcode) || opcode.is_arithmetic() && ty.lanes().is_some()
            }
            (0, Type::U256) if matches!(ty, Type::Ptr(..)) => opcode == Opcode::MLOAD || !cx.is_legalized(),
            (0, Type::U256) => ty.words() <= 1 || is_load(opcode) || opcode.is_arithmetic(),
            (0, natural) if opcode.is_arithmetic() => natural.widens_to(ty.lane()),
            (0, natural) => natural.widens_to(ty) && ty.words() == 1,
            (_, _) => ty == Type::U256,
        };
        if !fits {
            let message = format!("`evm.{}` does not give `{ty}`", opcode.known().lower);
            cx.report("result-type", Place::Inst(inst), message);
        }
    }
}

fn is_load(opcode: Opcode) -> bool {
    [Opcode::MLOAD, Opcode::CALLDATALOAD, Opcode::SLOAD, Opcode::TLOAD].contains(&opcode)
}

/// Operands and results of arithmetic on vectors have equally many lanes.
fn verify_lanes(cx: &mut Cx<'_>, inst: Inst) {
    let args = cx.func.dfg.args(inst).iter().map(|value| cx.ty(*value));
    if !is_lanewise(cx.op(inst), args.clone().next()) {
        return;
    }
    let results = cx.func.dfg.results(inst).iter().map(|value| cx.ty(*value));
    let lanes: Vec<Option<u32>> = args.chain(results).map(|ty| ty.lanes().map(|(count, _)| count)).collect();
    if lanes.windows(2).any(|pair| pair[0] != pair[1]) {
        let message = format!("operands and results of `evm.{}` differ in lanes", cx.op(inst).name());
        cx.report("operand-type", Place::Inst(inst), message);
    }
}

/// Operations on the parts of composites.
fn verify_parts(cx: &mut Cx<'_>, inst: Inst) {
    let args: Vec<Type> = cx.func.dfg.args(inst).iter().map(|value| cx.ty(*value)).collect();
    let result = cx.ty(cx.func.dfg.result(inst));
    let op = cx.op(inst);
    if op == Op::Splat {
        let lane = result.lanes().map(|(_, ty)| ty);
        expect_result(cx, inst, lane.is_some(), "a vector");
        expect_operand(cx, inst, 0, lane.is_none_or(|ty| args[0].widens_to(ty)), "the type of a lane");
        return;
    }
    let whole = if op == Op::Compose { result } else { args[0] };
    let Type::Composite(composite) = whole else {
        match op {
            Op::Compose => expect_result(cx, inst, false, "a composite"),
            _ => expect_operand(cx, inst, 0, false, "a composite"),
        }
        return;
    };
    if op == Op::Compose {
        let parts = composite.parts();
        if parts.len() != args.len() {
            let message = format!("`{whole}` has {} parts, not {}", parts.len(), args.len());
            cx.report("operand-count", Place::Inst(inst), message);
            return;
        }
        for (index, part) in parts.into_iter().enumerate() {
            expect_operand(cx, inst, index, args[index].widens_to(part), &format!("`{part}`"));
        }
        return;
    }
    let Payload::Number(index) = cx.func.dfg.inst(inst).payload else { return };
    let part = usize::try_from(index).ok().and_then(|index| composite.part(index));
    let Some(part) = part else {
        cx.report("part-index", Place::Inst(inst), format!("`{whole}` has no part {index}"));
        return;
    };
    match op {
        Op::Extract => expect_result(cx, inst, result == part, &format!("`{part}`")),
        _ => {
            expect_operand(cx, inst, 1, args[1].widens_to(part), &format!("`{part}`"));
            expect_result(cx, inst, result == whole, &format!("`{whole}`"));
        }
    }
}

/// A power of a fixed-point number: its exponent is an integer, and there is a 1.
fn verify_power(cx: &mut Cx<'_>, inst: Inst) {
    let types: Vec<Type> = cx.func.dfg.args(inst).iter().map(|value| cx.ty(*value).lane()).collect();
    let result = cx.ty(cx.func.dfg.result(inst)).lane();
    expect_operand(cx, inst, 1, types[1].bits().is_some(), "an integer as the exponent");
    expect_operand(cx, inst, 0, types[0] == result, "the type of the result");
    let bits = match result {
        Type::Fixed(bits, decimals) => Some((bits.saturating_sub(1), decimals)),
        Type::Ufixed(bits, decimals) => Some((bits, decimals)),
        _ => None,
    };
    // 10^D has as many bits as 2^(D · log2(10)), rounded up.
    let has_one = |(bits, decimals): (u16, u8)| u32::from(decimals) * 3_321_929 / 1_000_000 < u32::from(bits);
    if bits.is_some_and(|bits| !has_one(bits)) {
        let message = format!("`evm.exp` begins with 1, which `{result}` does not have");
        cx.report("operand-type", Place::Inst(inst), message);
    }
}

/// Fixed-point and floating-point arithmetic is on operands of one type and gives that type; tests give a
/// `bool`.
fn verify_one_type(cx: &mut Cx<'_>, inst: Inst, opcode: Opcode) {
    let is_test = opcode_result_type(opcode) == Type::Bool;
    let dfg = &cx.func.dfg;
    let results = if is_test { &[] } else { dfg.results(inst) };
    let lanes = dfg.args(inst).iter().chain(results).map(|value| cx.ty(*value).lane());
    let Some(ty) = lanes.clone().find(|ty| ty.is_fixed() || ty.is_float()) else { return };
    let (has_meaning, numbers) = match ty.is_float() {
        true => (is_float_arithmetic(opcode), "floating-point numbers"),
        false => (is_fixed_arithmetic(opcode), "fixed-point numbers"),
    };
    if !has_meaning {
        let message = format!("`evm.{}` has no meaning on {numbers}", opcode.known().lower);
        cx.report("operand-type", Place::Inst(inst), message);
    } else if opcode == Opcode::EXP {
        verify_power(cx, inst);
    } else if lanes.into_iter().any(|lane| lane != ty) {
        let message = match is_test {
            true => format!("all operands must be `{ty}`"),
            false => format!("all operands and the result must be `{ty}`"),
        };
        cx.report("operand-type", Place::Inst(inst), message);
    }
}
