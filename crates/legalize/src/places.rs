//! Where the words of a value of several words lie: one after the other in memory and calldata, at
//! consecutive keys in storage and transient storage.

use crate::emit::Emit;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Function, Op, Type, Value};

/// True for loads and stores: their first operand says where.
pub(crate) fn has_address(opcode: Opcode) -> bool {
    let loads = [Opcode::MLOAD, Opcode::SLOAD, Opcode::TLOAD, Opcode::CALLDATALOAD];
    loads.contains(&opcode) || [Opcode::MSTORE, Opcode::SSTORE, Opcode::TSTORE].contains(&opcode)
}

/// Behind this place there is nothing, wherever it is, and the words of a composite that begins here have
/// places that do not wrap.
fn far() -> Word {
    Word::MAX << 16usize
}

/// A place or an amount of more than a word as a word: [`far`] is the greatest.
pub(crate) fn saturate(emit: &mut Emit<'_>, value: Value) -> Value {
    let far = emit.constant(far());
    let is_far = emit.gt(value, far);
    let low = emit.value(Op::Trunc, &[value], Type::U256);
    emit.value(Op::Select, &[is_far, far, low], Type::U256)
}

/// Where several words are loaded or stored from on, as a word. Behind the end of calldata there are zeros, not its
/// beginning, so a place there that is not known is at most [`far`]. In memory the first word costs more gas
/// than there is, and keys of storage do wrap.
pub(crate) fn start(emit: &mut Emit<'_>, opcode: Opcode, start: Value, n_words: usize) -> Value {
    if matches!(emit.func().dfg.ty(start), Type::Int(257..)) {
        return saturate(emit, start);
    }
    if opcode != Opcode::CALLDATALOAD || n_words < 2 || is_near(emit.func(), start) {
        return start;
    }
    let start = match emit.func().dfg.ty(start) {
        Type::Ptr(..) => emit.value(Op::PtrToInt, &[start], Type::U256),
        _ => start,
    };
    let far = emit.constant(far());
    let is_far = emit.gt(start, far);
    emit.value(Op::Select, &[is_far, far, start], Type::U256)
}

/// True if a place is seen to be at most [`far`], but for the distances to parts of a composite there.
fn is_near(func: &Function, mut place: Value) -> bool {
    for _ in 0..MAX_STEPS {
        if let Some(word) = func.dfg.as_const(place) {
            return word <= far();
        }
        let Some(inst) = func.dfg.def_inst(place) else { break };
        let args = func.dfg.args(inst);
        let constant = |index: usize| args.get(index).and_then(|arg| func.dfg.as_const(*arg));
        match func.dfg.op(inst) {
            Op::CalldataBase => return true,
            Op::Select => return constant(1) == Some(far()),
            Op::PtrToInt | Op::IntToPtr => place = args[0],
            Op::Evm(Opcode::ADD) | Op::PtrAdd if constant(1).is_some_and(|step| step <= MAX_DISTANCE) => {
                place = args[0];
            }
            _ => break,
        }
    }
    matches!(func.dfg.ty(place), Type::Int(..=255) | Type::Bool)
}

/// Steps of [`is_near`]: so many distances do not leave the 2^16 places behind [`far`].
const MAX_STEPS: usize = 7;
/// The bytes of the largest composite.
const MAX_DISTANCE: Word = Word::from_limbs([1 << 13, 0, 0, 0]);

/// The place of a word: 32 bytes a word in memory and calldata, one key a word in storage.
pub(crate) fn place(emit: &mut Emit<'_>, opcode: Opcode, start: Value, word: usize) -> Value {
    if word == 0 {
        return start;
    }
    let is_keyed = [Opcode::SLOAD, Opcode::SSTORE, Opcode::TLOAD, Opcode::TSTORE].contains(&opcode);
    let distance = emit.number(if is_keyed { word as u64 } else { 32 * word as u64 });
    match emit.func().dfg.ty(start) {
        Type::Ptr(space, _) => emit.value(Op::PtrAdd, &[start, distance], Type::Ptr(space, 0)),
        Type::Int(_) | Type::Bool | Type::Ufixed(..) | Type::Fixed(..) | Type::Float(_) => {
            emit.add(start, distance)
        }
        Type::Composite(_) | Type::Void | Type::Unreachable => emit.add(start, distance),
    }
}
