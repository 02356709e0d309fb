//! How many low bits of a word can be set, from its type and a few definitions above it.
//!
//! Without [hints](Hints) the answer depends on the code alone, so that legalizing canonical code
//! again comes to the same answers. What is kept in a narrow legal type must be known so; hints
//! decide only about masks of values that become `u256`.

use cairn_evm::Opcode;
use cairn_ir::builder::opcode_result_type;
use cairn_ir::{Dfg, Function, Inst, Op, SecondaryMap, Type, Value, ValueDef};

/// Definitions looked through.
const MAX_DEPTH: u32 = 4;

/// Widths of words that were narrow integers, where their types do not tell any more. 0 for others.
pub(crate) type Hints = SecondaryMap<Value, u16>;

/// What a bound is derived from.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    /// The code.
    pub(crate) dfg: &'a Dfg,
    /// What is known beyond it.
    pub(crate) hints: Option<&'a Hints>,
}

/// True if the word that an instruction computes is seen to have no more than so many bits: its result may
/// have a type of that width.
pub(crate) fn is_seen_to_fit(func: &Function, inst: Inst, bits: u16) -> bool {
    let known = Known { dfg: &func.dfg, hints: None };
    matches!(func.dfg.op(inst), Op::Evm(opcode) if opcode.is_narrowing()) && known.result_bits(inst) <= bits
}

impl Known<'_> {
    /// A bound on the bits of a value: those above are zero.
    pub(crate) fn value_bits(self, value: Value) -> u16 {
        self.value(value, MAX_DEPTH)
    }

    /// A bound on the bits of the word that an instruction computes, whatever type its result has.
    pub(crate) fn result_bits(self, inst: Inst) -> u16 {
        self.inst(inst, MAX_DEPTH)
    }

    fn value(self, value: Value, depth: u32) -> u16 {
        let of_type = match self.dfg.ty(value) {
            Type::Int(bits) => bits.min(256),
            Type::Bool => 1,
            Type::Ptr(..) | Type::Ufixed(..) | Type::Fixed(..) => 256,
            Type::Float(_) | Type::Composite(_) => 256,
            Type::Void | Type::Unreachable => 256,
        };
        if of_type < 256 || depth == 0 {
            return of_type;
        }
        match (self.hints.map_or(0, |hints| hints[value]), self.dfg.def(value)) {
            (0, ValueDef::Result(inst, 0)) => self.inst(inst, depth - 1),
            // The length that a call of another account gives beside the flag is any word.
            (0, ValueDef::Result(..) | ValueDef::Param(..)) => 256,
            (bits, _) => bits,
        }
    }

    fn inst(self, inst: Inst, depth: u32) -> u16 {
        let dfg = self.dfg;
        if let Some(word) = dfg.inst_const(inst) {
            return word.bit_len() as u16;
        }
        let arg = |index: usize| self.value(dfg.args(inst)[index], depth);
        let amount =
            || dfg.as_const(dfg.args(inst)[0]).map(|word| u16::try_from(word).unwrap_or(256).min(256));
        // The power of two that a constant is.
        let shift = |index: usize| {
            let word = dfg.as_const(dfg.args(inst)[index])?;
            (word.count_ones() == 1).then(|| word.trailing_zeros() as u16)
        };
        match dfg.op(inst) {
            Op::Zext => arg(0),
            Op::Evm(Opcode::AND) => arg(0).min(arg(1)),
            Op::Evm(Opcode::OR | Opcode::XOR) => arg(0).max(arg(1)),
            Op::Evm(Opcode::ADD) => (arg(0).max(arg(1)) + 1).min(256),
            // A number times a flag is that number or nothing.
            Op::Evm(Opcode::MUL) if arg(0).min(arg(1)) <= 1 => arg(0).max(arg(1)),
            // What forks without shifts have in their place has the bits that a shift has.
            Op::Evm(Opcode::MUL) => (arg(0) + arg(1) - shift(0).or(shift(1)).map_or(0, |_| 1)).min(256),
            Op::Evm(Opcode::DIV) => arg(0) - shift(1).unwrap_or(0).min(arg(0)),
            Op::Evm(Opcode::MOD) => arg(0).min(arg(1)),
            Op::Evm(Opcode::SHR) => arg(1) - amount().unwrap_or(0).min(arg(1)),
            Op::Evm(Opcode::SHL) => amount().map_or(256, |amount| (arg(1) + amount).min(256)),
            Op::Evm(Opcode::BYTE) => 8,
            Op::Evm(Opcode::CLZ) => 9,
            Op::Evm(opcode) => opcode_result_type(opcode).bits().unwrap_or(256),
            _ => 256,
        }
    }
}
