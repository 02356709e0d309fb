//! Writes the code of an expansion in front of the instruction that it replaces.
//!
//! All values are words: operands of narrow types are zero-extended already, as their types
//! promise, and results have the natural types of the opcodes.

use cairn_evm::{Opcode, Word};
use cairn_ir::builder::opcode_result_type;
use cairn_ir::cursor::Cursor;
use cairn_ir::{Function, Inst, Op, Payload, Type, Value};
use smallvec::SmallVec;

/// Results of an expansion.
pub(crate) type Results = SmallVec<[Value; 2]>;

/// Inserts instructions before a place, with their location.
pub(crate) struct Emit<'a> {
    cursor: Cursor<'a>,
}

/// The word with the low `bits` bits set.
pub(crate) fn low_mask(bits: u16) -> Word {
    match bits {
        256.. => Word::MAX,
        _ => (Word::from(1) << usize::from(bits)) - Word::from(1),
    }
}

impl<'a> Emit<'a> {
    /// Inserts before `inst`.
    pub(crate) fn before(func: &'a mut Function, inst: Inst) -> Self {
        Emit { cursor: Cursor::before(func, inst) }
    }

    /// The function.
    pub(crate) fn func(&mut self) -> &mut Function {
        self.cursor.func
    }

    /// A constant.
    pub(crate) fn constant(&mut self, word: Word) -> Value {
        self.cursor.constant(word, Type::U256)
    }

    /// A small constant.
    pub(crate) fn number(&mut self, number: u64) -> Value {
        self.constant(Word::from(number))
    }

    /// Any instruction with results of the given types.
    pub(crate) fn insert(&mut self, op: Op, args: &[Value], payload: Payload, results: &[Type]) -> Inst {
        self.cursor.insert(op, args, payload, results)
    }

    /// An operation without payload and with one result.
    pub(crate) fn value(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        self.cursor.value(op, args, ty)
    }

    /// An opcode with one result of its natural type.
    pub(crate) fn evm(&mut self, opcode: Opcode, args: &[Value]) -> Value {
        self.cursor.evm(opcode, args, opcode_result_type(opcode))
    }

    /// A pointer as an integer; anything else as it is.
    pub(crate) fn integer(&mut self, value: Value) -> Value {
        match self.cursor.func.dfg.ty(value) {
            Type::Ptr(..) => self.value(Op::PtrToInt, &[value], Type::U256),
            Type::Int(_)
            | Type::Bool
            | Type::Ufixed(..)
            | Type::Fixed(..)
            | Type::Float(_)
            | Type::Composite(_)
            | Type::Void
            | Type::Unreachable => value,
        }
    }

    /// A pointer into memory where one is wanted, else an integer.
    pub(crate) fn address_or_word(&mut self, value: Value, wanted: Type) -> Value {
        match (self.cursor.func.dfg.ty(value), wanted) {
            (Type::Ptr(..), Type::Ptr(..)) => value,
            (_, Type::Ptr(..)) => self.value(Op::IntToPtr, &[value], wanted),
            _ => self.integer(value),
        }
    }

    /// `a + b`.
    pub(crate) fn add(&mut self, a: Value, b: Value) -> Value {
        self.evm(Opcode::ADD, &[a, b])
    }

    /// `a − b`.
    pub(crate) fn sub(&mut self, a: Value, b: Value) -> Value {
        self.evm(Opcode::SUB, &[a, b])
    }

    /// `a · b`.
    pub(crate) fn mul(&mut self, a: Value, b: Value) -> Value {
        self.evm(Opcode::MUL, &[a, b])
    }

    /// `a / b`, unsigned.
    pub(crate) fn div(&mut self, a: Value, b: Value) -> Value {
        self.evm(Opcode::DIV, &[a, b])
    }

    /// A bit operation; of two flags it is a flag.
    fn bitwise(&mut self, opcode: Opcode, a: Value, b: Value) -> Value {
        let are_flags = [a, b].iter().all(|value| self.cursor.func.dfg.ty(*value) == Type::Bool);
        self.cursor.evm(opcode, &[a, b], if are_flags { Type::Bool } else { Type::U256 })
    }

    /// `a & b`.
    pub(crate) fn and(&mut self, a: Value, b: Value) -> Value {
        self.bitwise(Opcode::AND, a, b)
    }

    /// `a | b`.
    pub(crate) fn or(&mut self, a: Value, b: Value) -> Value {
        self.bitwise(Opcode::OR, a, b)
    }

    /// `a ^ b`.
    pub(crate) fn xor(&mut self, a: Value, b: Value) -> Value {
        self.bitwise(Opcode::XOR, a, b)
    }

    /// `a < b`, unsigned.
    pub(crate) fn lt(&mut self, a: Value, b: Value) -> Value {
        self.evm(Opcode::LT, &[a, b])
    }

    /// `a = 0`.
    pub(crate) fn is_zero(&mut self, a: Value) -> Value {
        self.evm(Opcode::ISZERO, &[a])
    }

    /// `value << amount`.
    pub(crate) fn shl(&mut self, amount: Value, value: Value) -> Value {
        self.evm(Opcode::SHL, &[amount, value])
    }

    /// `value >> amount`, unsigned.
    pub(crate) fn shr(&mut self, amount: Value, value: Value) -> Value {
        self.evm(Opcode::SHR, &[amount, value])
    }

    /// The low `bits` bits.
    pub(crate) fn truncate(&mut self, value: Value, bits: u16) -> Value {
        if bits >= 256 {
            return value;
        }
        let mask = self.constant(low_mask(bits));
        self.and(value, mask)
    }

    /// `a > b`, unsigned.
    pub(crate) fn gt(&mut self, a: Value, b: Value) -> Value {
        self.evm(Opcode::GT, &[a, b])
    }

    /// `a = b`.
    pub(crate) fn eq(&mut self, a: Value, b: Value) -> Value {
        self.evm(Opcode::EQ, &[a, b])
    }

    /// `¬a`.
    pub(crate) fn not(&mut self, a: Value) -> Value {
        self.evm(Opcode::NOT, &[a])
    }

    /// All ones if `value` is negative, else zero.
    pub(crate) fn sign_mask(&mut self, value: Value) -> Value {
        let zero = self.number(0);
        let is_negative = self.evm(Opcode::SLT, &[value, zero]);
        self.sub(zero, is_negative)
    }

    /// `−a`.
    pub(crate) fn neg(&mut self, a: Value) -> Value {
        let zero = self.number(0);
        self.sub(zero, a)
    }

    /// `is_first ? a : b` for a flag that is 0 or 1: `b ^ (a ^ b) · flag`.
    pub(crate) fn select(&mut self, is_first: Value, a: Value, b: Value) -> Value {
        let difference = self.xor(a, b);
        let kept = self.mul(difference, is_first);
        self.xor(b, kept)
    }
}
