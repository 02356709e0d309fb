//! The cheapest code that puts a word on the stack.
//!
//! `PUSH32 ff…ff` is `PUSH0 NOT`, `PUSH20 ff…ff` is `PUSH0 NOT PUSH1 96 SHR`, `PUSH32 12345678 00…` is
//! `PUSH4 12345678 PUSH1 224 SHL`, `PUSH32 0101…01` is `PUSH1 255 PUSH0 NOT DIV` (any quotient by a short
//! number), and so are the complements of the others. Shifts only where the fork has them.

use crate::Word;
use crate::cost::{Cost, CostModel};
use crate::fork::Fork;
use crate::opcode::Opcode;
use smallvec::{SmallVec, smallvec};

/// An instruction of an [`Encoding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The shortest push of a word.
    Push(Word),
    /// An operation on what was pushed.
    Op(Opcode),
}

impl Step {
    fn cost(self, fork: Fork) -> Cost {
        match self {
            Step::Push(word) => Cost::of_push(word, fork),
            Step::Op(opcode) => Cost::of_op(opcode, fork),
        }
    }
}

/// Code that pushes one word; at most two shifts and two complements.
pub type Encoding = SmallVec<[Step; 8]>;

/// Most executions that a constant is priced for. Long masks and selectors are an eighth of code in which every
/// constant is one push, and computing them costs a thousandth of the gas: code should rather be small enough to
/// be deployed (EIP-170).
const MAX_EXECUTIONS: u64 = 640;

/// What constants are priced by: the same with at most so many executions that long ones are computed.
pub fn price_of_constants(price: CostModel) -> CostModel {
    CostModel { executions: price.executions.min(MAX_EXECUTIONS), ..price }
}

/// What an encoding costs.
pub fn cost_of_encoding(encoding: &[Step], fork: Fork) -> Cost {
    encoding.iter().map(|step| step.cost(fork)).sum()
}

/// The cheapest code for a word at a price.
pub fn best_encoding(word: Word, fork: Fork, price: CostModel) -> Encoding {
    let mut best: Encoding = smallvec![Step::Push(word)];
    if word.byte_len() <= 2 {
        return best;
    }
    let mut best_weight = price.weigh(cost_of_encoding(&best, fork));
    let mut consider = |encoding: Encoding| {
        let weight = price.weigh(cost_of_encoding(&encoding, fork));
        if weight < best_weight {
            (best, best_weight) = (encoding, weight);
        }
    };
    let complement = |mut encoding: Encoding| {
        encoding.push(Step::Op(Opcode::NOT));
        encoding
    };
    consider(smallvec![Step::Push(!word), Step::Op(Opcode::NOT)]);
    if Opcode::SHL.exists_in(fork) {
        shifted(word).into_iter().for_each(&mut consider);
        shifted(!word).into_iter().map(complement).for_each(&mut consider);
    }
    quotient(word).into_iter().for_each(&mut consider);
    best
}

/// Encodings by shifts: a short word to the left; ones to the right, then perhaps to the left.
fn shifted(word: Word) -> SmallVec<[Encoding; 2]> {
    let mut encodings = SmallVec::new();
    if word.is_zero() {
        return encodings;
    }
    let zeros = word.trailing_zeros();
    let narrow = word >> zeros;
    let shift = |amount: usize, opcode| [Step::Push(Word::from(amount)), Step::Op(opcode)];
    if zeros > 0 {
        let mut encoding: Encoding = smallvec![Step::Push(narrow)];
        encoding.extend(shift(zeros, Opcode::SHL));
        encodings.push(encoding);
    }
    let width = narrow.bit_len();
    if narrow.count_ones() == width {
        let mut encoding: Encoding = smallvec![Step::Push(Word::ZERO), Step::Op(Opcode::NOT)];
        if zeros + width < 256 {
            encoding.extend(shift(256 - width, Opcode::SHR));
        }
        if zeros > 0 {
            encoding.extend(shift(zeros, Opcode::SHL));
        }
        encodings.push(encoding);
    }
    encodings
}

/// 2²⁵⁶ − 1 divided by a short divisor, rounded down: a repeated pattern of bits, a bound of factors.
fn quotient(word: Word) -> Option<Encoding> {
    let divisor = Word::MAX.checked_div(word)?;
    let exact = Word::MAX / divisor == word && divisor > Word::ONE;
    let ones = [Step::Push(Word::ZERO), Step::Op(Opcode::NOT)];
    exact.then(|| std::iter::once(Step::Push(divisor)).chain(ones).chain([Step::Op(Opcode::DIV)]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word;

    fn encode(word: Word, runs: u64, fork: Fork) -> Vec<Step> {
        best_encoding(word, fork, price_of_constants(CostModel::deployed(runs))).to_vec()
    }

    fn push(word: u64) -> Step {
        Step::Push(Word::from(word))
    }

    /// The word that an encoding leaves on an empty stack.
    fn value(encoding: &[Step]) -> Word {
        let mut stack = Vec::new();
        for step in encoding {
            match step {
                Step::Push(word) => stack.push(*word),
                Step::Op(opcode) => {
                    let inputs = usize::from(opcode.known().inputs);
                    let operands: Vec<Word> = stack.drain(stack.len() - inputs..).rev().collect();
                    stack.push(word::eval(*opcode, &operands).expect("a computation"));
                }
            }
        }
        assert_eq!(stack.len(), 1);
        stack[0]
    }

    #[test]
    fn shapes() {
        let (not, shl) = (Step::Op(Opcode::NOT), Step::Op(Opcode::SHL));
        let osaka = |word| encode(word, 200, Fork::Osaka);
        assert_eq!(osaka(Word::MAX), [push(0), not]);
        assert_eq!(osaka(word::low_mask(160)), [push(0), not, push(96), Step::Op(Opcode::SHR)]);
        let selector = Word::from(0x1234_5678) << 224;
        assert_eq!(osaka(selector), [push(0x1234_5678 >> 3), push(227), shl]);
        let ones = Word::MAX / Word::from(255);
        assert_eq!(osaka(ones), [push(255), push(0), not, Step::Op(Opcode::DIV)]);
        assert_eq!(osaka(!Word::from(31)), [push(31), not]);
        assert_eq!(osaka(Word::from(0x12_3456)), [push(0x12_3456)]);
        assert_eq!(osaka(Word::from(0xffff)), [push(0xffff)]);
    }

    #[test]
    fn many_runs_prefer_gas() {
        assert_eq!(encode(word::low_mask(160), 1000, Fork::Osaka), [Step::Push(word::low_mask(160))]);
        // But no number of runs is worth any number of bytes.
        let selector = Word::from(0x1234_5678) << 224;
        assert_eq!(encode(selector, 1_000_000, Fork::Osaka).len(), 3);
    }

    #[test]
    fn no_shifts_before_constantinople() {
        let (not, div) = (Step::Op(Opcode::NOT), Step::Op(Opcode::DIV));
        let divided = [Step::Push(Word::ONE << 96), push(0), not, div];
        assert_eq!(encode(word::low_mask(160), 1, Fork::Byzantium), divided);
        assert_eq!(encode(Word::MAX, 1, Fork::Byzantium), [push(0), not]);
    }

    #[test]
    fn encodings_have_the_value() {
        let mut words = vec![Word::ONE, Word::MAX];
        for low in 0..256 {
            for width in [1, 7, 8, 31, 100, 160, 255] {
                let ones: Word = word::low_mask(width) << low;
                let short: Word = Word::from(0xabcd_ef01_u64) << low;
                words.extend([ones, !ones, short, !short]);
            }
        }
        words.extend((1..2000u64).map(|divisor| Word::MAX / Word::from(divisor)));
        for word in words {
            assert_eq!(value(&encode(word, 1, Fork::Osaka)), word);
        }
    }
}
