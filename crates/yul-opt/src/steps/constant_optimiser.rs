//! ConstantOptimiser: writes large numbers as the expression that costs least to deploy and run.
//!
//! ```text
//! 0x1000000000000000000000000000000000000   →   shl(144, 1)
//! ```
//! Candidates are the number itself, `not` of its complement, and `a * 2^n ± b` around gaps of equal
//! bits, recursively. Cost is gas for the expected executions plus gas for the bytes of the code.
//! Literals that builtins need, and labels of cases, stay. Linear; representations are remembered.

use cairn_evm::{Fork, Opcode, Word, gas};
use cairn_yul::{Block, Builtin, Callee, Expression, LiteralKind};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place};
use crate::tools::expressions::takes_literal;
use crate::tools::metrics::significant_bytes;
use crate::tools::walk::VisitorMut;

/// Numbers below stay as they are.
const MIN_VALUE: u64 = 0x10000;

/// How deeply representations are nested.
const MAX_DEPTH: usize = 16;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "ConstantOptimiser",
    letter: None,
    summary: "find cheaper expressions for constants",
    needs: Form::empty(),
    preserves: Form::all().difference(Form::SPLIT),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let mut optimiser = Optimiser { search: Search::new(cx.runs, cx.dialect.fork) };
    optimiser.block(code);
}

struct Optimiser {
    search: Search,
}

impl VisitorMut for Optimiser {
    fn expression(&mut self, expression: &mut Expression) {
        match expression {
            Expression::Literal(literal) if literal.kind == LiteralKind::Number => {
                let place = Place { span: literal.span, src: literal.src };
                let best = self.search.best(literal.value, MAX_DEPTH);
                if !matches!(best.shape, Shape::Number) {
                    *expression = self.search.build(literal.value, place);
                }
            }
            Expression::Call(call) => {
                let callee = call.callee;
                for (index, argument) in call.args.iter_mut().enumerate() {
                    if !takes_literal(callee, index) {
                        self.expression(argument);
                    }
                }
            }
            Expression::Literal(_) | Expression::Identifier(_) => {}
        }
    }
}

/// How a number is written.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Number,
    /// `not(~value)`
    Not,
    /// `upper * 2^bits`, plus or minus `lower`.
    Parts {
        bits: usize,
        upper: Word,
        lower: Word,
        sign: Sign,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

#[derive(Clone, Copy, Debug)]
struct Representation {
    cost: u64,
    shape: Shape,
}

struct Search {
    runs: u64,
    is_creation: bool,
    fork: Fork,
    known: FxHashMap<Word, Representation>,
}

impl Search {
    fn new(runs: Option<u64>, fork: Fork) -> Self {
        Search { runs: runs.unwrap_or(1), is_creation: runs.is_none(), fork, known: FxHashMap::default() }
    }

    /// The price of gas for executions and of bytes, zero and other.
    fn price(&self, gas: u64, zero_bytes: u64, other_bytes: u64) -> u64 {
        let bytes = if self.is_creation {
            zero_bytes * gas::CALLDATA_ZERO_BYTE + other_bytes * gas::calldata_byte_gas(self.fork)
        } else {
            (zero_bytes + other_bytes) * gas::DEPOSIT_PER_BYTE
        };
        self.runs.saturating_mul(gas).saturating_add(bytes)
    }

    fn opcode(&self, opcode: Opcode) -> u64 {
        self.price(gas::static_gas(opcode, self.fork), 0, 1)
    }

    fn literal(&self, value: Word) -> u64 {
        if value.is_zero() && self.fork >= Fork::Shanghai {
            return self.opcode(Opcode::PUSH0);
        }
        let bytes: [u8; 32] = value.to_be_bytes();
        let used = &bytes[32 - significant_bytes(value).max(1)..];
        let n_zeros = used.iter().filter(|byte| **byte == 0).count() as u64;
        self.price(3, n_zeros, 1 + used.len() as u64 - n_zeros)
    }

    fn has_shl(&self) -> bool {
        self.fork >= Fork::Constantinople
    }

    fn best(&mut self, value: Word, depth: usize) -> Representation {
        let number = Representation { cost: self.literal(value), shape: Shape::Number };
        if value < Word::from(MIN_VALUE) || depth == 0 {
            return number;
        }
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let mut best = number;
        if significant_bytes(!value) < significant_bytes(value) {
            let cost = self.best(!value, depth - 1).cost + self.opcode(Opcode::NOT);
            best = cheaper(best, Representation { cost, shape: Shape::Not });
        }
        for bits in (9..=255).rev() {
            if let Some(parts) = self.parts(value, bits, depth) {
                best = cheaper(best, parts);
            }
        }
        self.known.insert(value, best);
        best
    }

    /// The number as two parts around a run of eight equal bits below `bits`.
    fn parts(&mut self, value: Word, bits: usize, depth: usize) -> Option<Representation> {
        let gap = (value >> (bits - 8)) & Word::from(0x1ff);
        if gap != Word::from(0xff) && gap != Word::from(0x100) {
            return None;
        }
        let power = Word::ONE << bits;
        let (mut upper, mut lower) = (value >> bits, value & (power - Word::ONE));
        let mut sign = Sign::Plus;
        if power - lower < lower {
            lower = power - lower;
            sign = Sign::Minus;
            upper = upper.wrapping_add(Word::ONE);
        }
        if upper.is_zero() || lower >= power >> 8 {
            return None;
        }
        let mut cost = self.literal(Word::from(bits));
        if self.has_shl() {
            cost += self.best_below(upper, value, depth)? + self.opcode(Opcode::SHL);
        } else {
            let exponent_bytes = 1;
            let exp = gas::static_gas(Opcode::EXP, self.fork) + gas::exp_gas(exponent_bytes, self.fork);
            cost += self.price(exp, 0, 1) + self.literal(Word::from(2));
            if upper != Word::ONE {
                cost += self.best_below(upper, value, depth)? + self.opcode(Opcode::MUL);
            }
        }
        if !lower.is_zero() {
            cost += self.best_below(lower, value, depth)? + self.opcode(Opcode::ADD);
        }
        Some(Representation { cost, shape: Shape::Parts { bits, upper, lower, sign } })
    }

    /// The cost of a part, which must be smaller than the whole so that the search ends.
    fn best_below(&mut self, part: Word, whole: Word, depth: usize) -> Option<u64> {
        (part < whole).then(|| self.best(part, depth - 1).cost)
    }

    fn build(&mut self, value: Word, place: Place) -> Expression {
        let opcode = |opcode, args| builder::call_of(Callee::Builtin(Builtin::Evm(opcode)), args, place);
        match self.best(value, MAX_DEPTH).shape {
            Shape::Number => builder::number(value, place),
            Shape::Not => {
                let complement = self.build(!value, place);
                opcode(Opcode::NOT, smallvec![complement])
            }
            Shape::Parts { bits, upper, lower, sign } => {
                let shifted = self.shifted(upper, bits, place);
                if lower.is_zero() {
                    return shifted;
                }
                let lower = self.build(lower, place);
                let operation = if sign == Sign::Plus { Opcode::ADD } else { Opcode::SUB };
                opcode(operation, smallvec![shifted, lower])
            }
        }
    }

    fn shifted(&mut self, upper: Word, bits: usize, place: Place) -> Expression {
        let opcode = |opcode, args| builder::call_of(Callee::Builtin(Builtin::Evm(opcode)), args, place);
        let is_one = upper == Word::ONE;
        let upper = self.build(upper, place);
        let bits = builder::number(Word::from(bits), place);
        if self.has_shl() {
            return opcode(Opcode::SHL, smallvec![bits, upper]);
        }
        let power = opcode(Opcode::EXP, smallvec![builder::number(Word::from(2), place), bits]);
        if is_one { power } else { opcode(Opcode::MUL, smallvec![upper, power]) }
    }
}

fn cheaper(best: Representation, candidate: Representation) -> Representation {
    if candidate.cost < best.cost { candidate } else { best }
}
