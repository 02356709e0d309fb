//! Values that creation code writes over placeholders in a copy of the code that it deploys.
//!
//! A placeholder is the operand of a push of zero. One of 32 bytes is stored over. A narrower one shares a word
//! with code: the word is loaded, the place is cleared by a shift there and back, low bytes of the value are
//! put there by an `or`, and the word goes back, as `SETIMMUTABLE` of our assembler does it. Without shifts
//! there are products and quotients instead.
//!
//! Contract: what is recognised changes the bytes of one placeholder and no others, and nothing but the store
//! sees what it loads.

use cairn_bytecode::instructions;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, Function, Inst, Op, Type, Value};

/// Bytes of a word.
const WORD: usize = 32;

/// Bits of a word.
const BITS: usize = 8 * WORD;

/// Name of the immutable whose bytes stand at this offset of the deployed code.
pub(crate) fn immutable_name(offset: u32) -> String {
    format!("immutable_{offset:x}")
}

/// The type of an immutable of so many bytes, where there is one.
pub(crate) fn immutable_type(width: usize) -> Option<Type> {
    u16::try_from(8 * width).ok().map(Type::Int).filter(|ty| ty.is_legal())
}

/// A value that is put over a placeholder.
pub(crate) struct Filled {
    /// The store.
    pub(crate) store: Inst,
    /// Offset of the placeholder's first byte in the code.
    pub(crate) offset: u32,
    /// The value, whose low bytes go there.
    pub(crate) value: Value,
    /// What else is there for the store alone.
    pub(crate) parts: Vec<Inst>,
}

/// What the store of a whole word at an offset of the code fills in.
pub(crate) fn filled_whole(func: &Function, code: &[u8], store: Inst, at: usize) -> Option<Filled> {
    let offset = placeholder(code, at, WORD)?;
    Some(Filled { store, offset, value: func.dfg.args(store)[1], parts: Vec::new() })
}

/// What the store of a word that was loaded from the same offset of the code fills in.
pub(crate) fn filled_in_part(
    func: &Function,
    block: Block,
    code: &[u8],
    (load, store): (Inst, Inst),
    at: usize,
) -> Option<Filled> {
    let either = func.dfg.def_inst(func.dfg.args(store)[1])?;
    let (Op::Evm(Opcode::OR), &[a, b]) = (func.dfg.op(either), func.dfg.args(either)) else { return None };
    let merged = merge(func, load, a, b).or_else(|| merge(func, load, b, a))?;
    let (before, width, value, mut parts) = merged;
    parts.extend([load, either]);
    let offset = placeholder(code, at + before, width)?;
    let is_used_once = |part: &Inst| uses(func, block, func.dfg.result(*part)) == 1;
    parts.iter().all(is_used_once).then_some(Filled { store, offset, value, parts })
}

/// A loaded word with a place cleared, and what goes there: bytes before the place, its width, and the value.
fn merge(
    func: &Function,
    load: Inst,
    cleared: Value,
    put: Value,
) -> Option<(usize, usize, Value, Vec<Inst>)> {
    let (back, there) = (shift(func, cleared)?, shift(func, shift(func, cleared)?.operand)?);
    let is_cleared = back.bits == there.bits && func.dfg.def_inst(there.operand) == Some(load);
    if !is_cleared || back.bits % 8 != 0 {
        return None;
    }
    let (width, rest) = (there.bits / 8, BITS - there.bits);
    let last = shift(func, put).filter(|last| last.bits == rest)?;
    let mut parts = vec![back.inst, there.inst, last.inst];
    match (there.direction, back.direction, last.direction) {
        (Direction::Left, Direction::Right, Direction::Left) => Some((0, width, last.operand, parts)),
        (Direction::Right, Direction::Left, Direction::Right) => {
            let first = shift(func, last.operand)?;
            parts.push(first.inst);
            let is_cut = first.direction == Direction::Left && first.bits == rest;
            is_cut.then_some((WORD - width, width, first.operand, parts))
        }
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Left,
    Right,
}

/// A shift by a known number of bits, from 1 to 255.
struct Shift {
    inst: Inst,
    direction: Direction,
    bits: usize,
    operand: Value,
}

fn shift(func: &Function, value: Value) -> Option<Shift> {
    let inst = func.dfg.def_inst(value)?;
    let (Op::Evm(opcode), &[a, b]) = (func.dfg.op(inst), func.dfg.args(inst)) else { return None };
    let number = |value: Value| func.dfg.as_const(value);
    let power = |value: Value| number(value).filter(|word| word.is_power_of_two());
    let bits_of = |power: Word| Word::from(power.trailing_zeros());
    let (direction, bits, operand) = match opcode {
        Opcode::SHL => (Direction::Left, number(a)?, b),
        Opcode::SHR => (Direction::Right, number(a)?, b),
        Opcode::MUL if power(a).is_some() => (Direction::Left, bits_of(power(a)?), b),
        Opcode::MUL => (Direction::Left, bits_of(power(b)?), a),
        Opcode::DIV => (Direction::Right, bits_of(power(b)?), a),
        _ => return None,
    };
    let bits = usize::try_from(bits).ok().filter(|bits| (1..BITS).contains(bits))?;
    Some(Shift { inst, direction, bits, operand })
}

/// How often instructions of a block use a value.
fn uses(func: &Function, block: Block, value: Value) -> usize {
    let mut count = 0;
    for inst in func.layout.insts(block) {
        func.dfg.for_each_use(inst, |used| count += usize::from(used == value));
    }
    count
}

/// The offset as a number, if the operand of a push of zero of this width begins there.
fn placeholder(code: &[u8], offset: usize, width: usize) -> Option<u32> {
    let push = u32::try_from(offset.checked_sub(1)?).ok()?;
    let is_zero = code.get(offset..offset + width)?.iter().all(|byte| *byte == 0);
    let mut insts = instructions(code, 0, code.len() as u32);
    let is_push = insts.find(|inst| inst.pc >= push).is_some_and(|inst| {
        inst.pc == push && inst.opcode.push_width().is_some_and(|bytes| usize::from(bytes) == width)
    });
    (is_zero && is_push).then_some(push + 1)
}
