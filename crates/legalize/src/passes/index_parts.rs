//! Parts whose index is an operand, before composites are taken apart.
//!
//! * `evm.shuffle %a, %b, [%n, …]` is composed of the lanes that it names.
//! * `evm.extract %a, %n` with a known index names its part. Else up to [`MAX_CHOSEN`] words are chosen
//!   from: one `evm.select` a part, on an `evm.eq` with its index. More are stored in the frame, with a
//!   part of zeros behind them, and one is loaded: about 9 gas a word beside 20. Where all memory is the
//!   program's, they are chosen from, however many they are.
//! * An index that names no part gives zero.
//!
//! A function that can be active twice at once has no such array in its frame: `outline.rs` has moved the
//! operation to one that cannot.
//!
//! Cost: linear in the parts of what is indexed.

use crate::context::PassContext;
use crate::emit::Emit;
use crate::passes::hoist_slots::Slots;
use crate::places::{place, saturate};
use cairn_evm::{Opcode, Word};
use cairn_ir::infer::element;
use cairn_ir::{Function, Inst, MemoryModel, Op, Payload, Type, Value};

/// Words of a composite that a part is chosen from without memory.
pub(crate) const MAX_CHOSEN: usize = 4;

/// Rewrites all operations whose indices are operands.
pub(crate) fn index_parts(func: &mut Function, cx: &mut PassContext<'_>) {
    for inst in found(func, Op::Shuffle) {
        expand_shuffle(func, inst);
        cx.changed(func, inst, || "`evm.shuffle` became the lanes that it names".to_owned());
    }
    for inst in found(func, Op::ExtractAt) {
        let what = expand_extract(func, inst, cx.memory);
        cx.changed(func, inst, || format!("`evm.extract` with an index known at run time {what}"));
    }
}

fn found(func: &Function, op: Op) -> Vec<Inst> {
    let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
    insts.filter(|inst| func.dfg.op(*inst) == op).collect()
}

/// The index, if it is known; one that is no position names no part.
fn known_index(func: &Function, index: Value) -> Option<usize> {
    func.dfg.as_const(index).map(|word| usize::try_from(word).unwrap_or(usize::MAX))
}

fn length(func: &Function, whole: Value) -> usize {
    match func.dfg.ty(whole) {
        Type::Composite(composite) => composite.len(),
        _ => 0,
    }
}

fn extract(emit: &mut Emit<'_>, whole: Value, part: usize) -> Value {
    let ty = element(emit.func().dfg.ty(whole)).expect("invariant: the verifier saw an array or a vector");
    let inst = emit.insert(Op::Extract, &[whole], Payload::Number(part as u64), &[ty]);
    emit.func().dfg.result(inst)
}

/// An index as a word.
fn word(emit: &mut Emit<'_>, index: Value) -> Value {
    match emit.func().dfg.ty(index) {
        Type::Int(257..) => saturate(emit, index),
        Type::Int(256) => index,
        _ => emit.value(Op::Zext, &[index], Type::U256),
    }
}

fn expand_shuffle(func: &mut Function, inst: Inst) {
    let args = func.dfg.args(inst).to_vec();
    let (count, ty) = (length(func, args[0]), func.dfg.ty(args[0]).lane());
    let mut emit = Emit::before(func, inst);
    let lanes = args[2..].iter().map(|index| {
        match known_index(emit.func(), *index) {
            Some(known) if known < count => return extract(&mut emit, args[0], known),
            Some(known) if known - count < count => return extract(&mut emit, args[1], known - count),
            Some(_) => return zero(&mut emit, ty),
            None => {}
        }
        let count = emit.number(count as u64);
        let index = word(&mut emit, *index);
        let behind = emit.sub(index, count);
        let first = emit.value(Op::ExtractAt, &[args[0], index], ty);
        let second = emit.value(Op::ExtractAt, &[args[1], behind], ty);
        let is_first = emit.lt(index, count);
        emit.value(Op::Select, &[is_first, first, second], ty)
    });
    let lanes: Vec<Value> = lanes.collect();
    func.dfg.replace_inst(inst, Op::Compose, &lanes, Payload::None);
}

/// Replaces an `extract`; says what it became.
fn expand_extract(func: &mut Function, inst: Inst, memory: MemoryModel) -> &'static str {
    let [whole, index] = [0, 1].map(|operand| func.dfg.args(inst)[operand]);
    if let Some(known) = known_index(func, index).filter(|known| *known < length(func, whole)) {
        func.dfg.replace_inst(inst, Op::Extract, &[whole], Payload::Number(known as u64));
        return "names its part: the index is a constant";
    }
    let index = word(&mut Emit::before(func, inst), index);
    if memory == MemoryModel::Frames && func.dfg.ty(whole).words() > MAX_CHOSEN {
        load_part(func, inst, whole, index);
        return "loads its part from memory";
    }
    choose_part(func, inst, whole, index);
    "chooses its part"
}

/// `select`s in a row, each on one index.
fn choose_part(func: &mut Function, inst: Inst, whole: Value, index: Value) {
    let (count, ty) = (length(func, whole), func.dfg.ty(func.dfg.result(inst)));
    let mut emit = Emit::before(func, inst);
    let mut chosen = zero(&mut emit, ty);
    for number in 0..count {
        let part = extract(&mut emit, whole, number);
        let number_word = emit.number(number as u64);
        let is_it = emit.eq(index, number_word);
        if number + 1 == count {
            func.dfg.replace_inst(inst, Op::Select, &[is_it, part, chosen], Payload::None);
            return;
        }
        chosen = emit.value(Op::Select, &[is_it, part, chosen], ty);
    }
}

/// Stores all parts and a part of zeros, loads one.
fn load_part(func: &mut Function, inst: Inst, whole: Value, index: Value) {
    let (n_words, count) = (func.dfg.ty(whole).words(), length(func, whole));
    let stride = n_words / count;
    let slot = Slots::of(func).make(func, 32 * (n_words + stride) as u64);
    let mut emit = Emit::before(func, inst);
    emit.insert(Op::Evm(Opcode::MSTORE), &[slot, whole], Payload::None, &[]);
    for word in n_words..n_words + stride {
        let place = place(&mut emit, Opcode::MSTORE, slot, word);
        let zero = emit.number(0);
        emit.insert(Op::Evm(Opcode::MSTORE), &[place, zero], Payload::None, &[]);
    }
    let [end, size] = [count, 32 * stride].map(|number| emit.number(number as u64));
    let at = emit.value(Op::Min, &[index, end], Type::U256);
    let distance = emit.mul(at, size);
    let place = emit.value(Op::PtrAdd, &[slot, distance], Type::MEMORY);
    func.dfg.replace_inst(inst, Op::Evm(Opcode::MLOAD), &[place], Payload::None);
}

/// The value of a type whose words are all zero.
fn zero(emit: &mut Emit<'_>, ty: Type) -> Value {
    match ty {
        Type::Composite(composite) => {
            let parts: Vec<Value> = composite.parts().into_iter().map(|part| zero(emit, part)).collect();
            emit.value(Op::Compose, &parts, ty)
        }
        Type::Ptr(..) => {
            let number = emit.number(0);
            emit.value(Op::IntToPtr, &[number], ty)
        }
        Type::Int(_)
        | Type::Bool
        | Type::Ufixed(..)
        | Type::Fixed(..)
        | Type::Float(_)
        | Type::Void
        | Type::Unreachable => {
            let id = emit.func().dfg.make_const(Word::ZERO);
            let inst = emit.insert(Op::Constant, &[], Payload::Const(id), &[ty]);
            emit.func().dfg.result(inst)
        }
    }
}
