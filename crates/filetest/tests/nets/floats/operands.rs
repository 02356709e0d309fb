//! Operands from all corners of a format: what is none, zeros, subnormal numbers, the ends of the range,
//! fractions of few bits, so that results lie in the middle between two numbers, and pairs that are near each other,
//! cancel, or are as far apart as a number has bits.

use crate::random::Random;
use cairn_evm::Word;
use cairn_ir::types::float::FloatFormat;

/// What a program is run on: bits of two numbers, with any bits above them, and an integer.
#[derive(Debug)]
pub(super) struct Operands {
    pub(super) a: u64,
    pub(super) b: u64,
    pub(super) n: Word,
}

impl Operands {
    pub(super) fn choose(random: &mut Random, format: FloatFormat) -> Operands {
        let a = number(random, format);
        let b = if random.once_in(3) { number(random, format) } else { related(random, format, a) };
        let (a, b) = if random.once_in(2) { (a, b) } else { (b, a) };
        Operands { a, b, n: integer(random) }
    }

    /// The operands of a program, as constants of their types.
    pub(super) fn words(&self, format: FloatFormat) -> [Word; 4] {
        let mask = mask(format.bits());
        [Word::from(self.a & mask), Word::from(self.b & mask), self.n, Word::from(self.low())]
    }

    /// The integer of 64 bits.
    pub(super) fn low(&self) -> u64 {
        self.n.as_limbs()[0]
    }

    pub(super) fn calldata(&self) -> Vec<u8> {
        // What lies above a number of fewer bits is cut.
        let above = self.n << 64;
        let words = [Word::from(self.a) | above, Word::from(self.b) | above, self.n, self.n];
        words.iter().flat_map(|word| word.to_be_bytes::<32>()).collect()
    }
}

fn mask(bits: u16) -> u64 {
    u64::MAX >> (64 - bits)
}

/// Any bits above those of a number.
fn with_more(random: &mut Random, format: FloatFormat, bits: u64) -> u64 {
    let mask = mask(format.bits());
    (bits & mask) | (random.next() & !mask)
}

fn number(random: &mut Random, format: FloatFormat) -> u64 {
    let (width, fraction) = (format.bits(), format.fraction_bits());
    let infinity: u64 = format.infinity().to();
    let top = infinity >> fraction;
    let bias = u64::from(format.bias());
    let sign = (random.next() & 1) << (width - 1);
    let field = match random.below(8) {
        0 => 0,
        1 => 1 + random.next() % 3,
        2 => top - 1 - random.next() % 2,
        3 | 4 => random.next() % top,
        // Around 1, as far as a number has bits.
        _ => {
            bias + random.next() % (2 * u64::from(fraction)).min(bias)
                - random.next() % u64::from(fraction).min(bias)
        }
    };
    let bits = match random.below(16) {
        0 => *random.pick(&[
            0,
            infinity,
            infinity + 1,
            infinity | (infinity >> 1),
            mask(width - 1),
            1,
            infinity - 1,
            1 << fraction,
            (1 << fraction) - 1,
        ]),
        1 => random.next() & mask(width - 1),
        _ => (field.min(top - 1) << fraction) | some_fraction(random, fraction),
    };
    with_more(random, format, sign | bits)
}

/// A fraction of any bits, of few at one end, or of long runs.
fn some_fraction(random: &mut Random, bits: u16) -> u64 {
    let all = mask(bits);
    let place = random.below(usize::from(bits)) as u32;
    match random.below(8) {
        0 => 0,
        1 => all,
        2 => 1 << place,
        3 => all << place & all,
        4 => all >> place,
        5 => (random.next() & all) >> place << place,
        _ => random.next() & all,
    }
}

/// A number that has to do with another one.
fn related(random: &mut Random, format: FloatFormat, other: u64) -> u64 {
    let (width, fraction) = (format.bits(), format.fraction_bits());
    let (sign, magnitude) = (other & (1 << (width - 1)), other & mask(width - 1));
    let infinity: u64 = format.infinity().to();
    let flipped = (random.next() & 1) << (width - 1);
    let bits = match random.below(4) {
        // A few places away: with the other sign, next to nothing is left.
        0 => magnitude.wrapping_add(random.next() % 9).wrapping_sub(4),
        1 => (magnitude >> fraction << fraction) | some_fraction(random, fraction),
        // About as many binary places away as there are bits.
        _ => {
            let field = (magnitude >> fraction).saturating_sub(random.next() % (2 * u64::from(fraction)));
            (field << fraction) | some_fraction(random, fraction)
        }
    };
    with_more(random, format, (sign ^ flipped) | bits.min(infinity))
}

/// An integer of any length, often with one bit right where it is rounded.
fn integer(random: &mut Random) -> Word {
    let limbs: [u64; 4] = std::array::from_fn(|_| random.next());
    let number = Word::from_limbs(limbs) >> random.below(256);
    match random.below(4) {
        0 => (number >> 200 << random.below(200)) + Word::from(random.below(2)),
        1 => Word::MAX - number,
        2 => (Word::from(1) << random.below(256)) - Word::from(random.below(3)),
        _ => number,
    }
}
