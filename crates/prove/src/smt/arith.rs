//! What the EVM computes, as terms of SMT-LIB.

use cairn_evm::{Opcode, Word, word};

/// A number of 256 bits.
pub(super) fn number(word: Word) -> String {
    format!("#x{word:064x}")
}

/// A word moved left by as many bits as a power of two has zeros.
pub(super) fn shifted(part: &str, power: Word) -> String {
    format!("(bvshl {part} {})", number(Word::from(power.trailing_zeros())))
}

/// An odd number with which the odd part of a constant makes one, in the bits that a product with the constant keeps of
/// it, if a product with that number is so much less to add up.
pub(super) fn inverse_factor(by: Word) -> Option<Word> {
    let zeros = by.trailing_zeros();
    let odd = by >> zeros;
    let inverse = odd.inv_ring()? & word::low_mask(256 - zeros);
    (digits(inverse) * 4 <= digits(odd)).then_some(inverse)
}

/// Digits of a number that are not zero, where digits are 1, 0 and -1 and no two neighbours are other than zero.
fn digits(number: Word) -> usize {
    (number ^ number.wrapping_mul(Word::from(3))).count_ones()
}

/// An operation of the EVM.
pub(super) fn exact(opcode: Opcode, values: &[String]) -> String {
    let zero = number(Word::ZERO);
    let (a, b) = (&values[0], values.get(1).unwrap_or(&values[0]));
    match opcode {
        Opcode::MUL => format!("(bvmul {a} {b})"),
        Opcode::DIV => format!("(ite (= {b} {zero}) {zero} (bvudiv {a} {b}))"),
        Opcode::MOD => format!("(ite (= {b} {zero}) {zero} (bvurem {a} {b}))"),
        Opcode::SDIV => format!("(ite (= {b} {zero}) {zero} (bvsdiv {a} {b}))"),
        Opcode::SMOD => format!("(ite (= {b} {zero}) {zero} (bvsrem {a} {b}))"),
        Opcode::ADDMOD | Opcode::MULMOD => {
            let function = if opcode == Opcode::ADDMOD { "bvadd" } else { "bvmul" };
            let wide = |value: &str| format!("((_ zero_extend 256) {value})");
            let modulus = &values[2];
            let rest = format!("(bvurem ({function} {} {}) {})", wide(a), wide(b), wide(modulus));
            format!("(ite (= {modulus} {zero}) {zero} ((_ extract 255 0) {rest}))")
        }
        Opcode::CLZ => leading_zeros(a),
        _ => power(a, b),
    }
}

/// The number of zeros above the first bit that is set, by halves: where the upper half of what is left has
/// none, it is in the lower one.
fn leading_zeros(a: &str) -> String {
    by_halves(a, |low, high| (high, low, ["#b1", "#b0"]))
}

/// The leading zeros of the lowest bit of a word that is set.
pub(super) fn leading_zeros_of_lowest(a: &str) -> String {
    by_halves(a, |low, high| (low, high, ["#b0", "#b1"]))
}

/// Of a word's halves the one that is looked at first, the other one, and the bit of the answer where the first
/// is zero, and where not; 256 where there is no bit.
type Choice = fn(String, String) -> (String, String, [&'static str; 2]);

fn by_halves(a: &str, choice: Choice) -> String {
    let zero = |bits: u32| format!("(_ bv0 {bits})");
    let halves = (0..8).rev().map(|exponent| 1 << exponent);
    let bits: Vec<String> = halves.clone().map(|half: u32| format!("n{half}")).collect();
    let found = format!("((_ zero_extend 248) (concat {}))", bits.join(" "));
    let mut body = format!("(ite (= {a} {}) {} {found})", zero(256), number(Word::from(256)));
    for half in halves.rev() {
        let part = |last: u32, first: u32| format!("((_ extract {last} {first}) x{half})");
        let (first, other, [yes, no]) = choice(part(half - 1, 0), part(2 * half - 1, half));
        let is_empty = format!("(= {first} {})", zero(half));
        let (bit, left) =
            (format!("(ite {is_empty} {yes} {no})"), format!("(ite {is_empty} {other} {first})"));
        body = format!("(let ((n{half} {bit}) (x{} {left})) {body})", half / 2);
    }
    format!("(let ((x128 {a})) {body})")
}

/// Square and multiply, one bit of the exponent after the other.
fn power(a: &str, b: &str) -> String {
    let one = number(Word::from(1));
    let factor = |bit: u32| format!("(ite (= ((_ extract {bit} {bit}) {b}) #b1) p{bit} {one})");
    let product = (0..256).fold(one.clone(), |product, bit| format!("(bvmul {product} {})", factor(bit)));
    let body = (1..256).rev().fold(product, |body, bit| {
        let last = bit - 1;
        format!("(let ((p{bit} (bvmul p{last} p{last}))) {body})")
    });
    format!("(let ((p0 {a})) {body})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_gives_the_word_back() {
        for odd in [3_u64, 25, 49] {
            for shift in [0, 1, 150] {
                let by = Word::from(odd).inv_ring().expect("odd") << shift;
                let back = inverse_factor(by).expect("many digits");
                let word = Word::from(0x1234_5678_u64);
                let own = word.wrapping_mul(back.inv_ring().expect("odd"));
                assert_eq!(own << shift, word.wrapping_mul(by));
            }
        }
        let few = [Word::ZERO, Word::from(1), Word::from(25), Word::MAX, Word::MAX - Word::from(0x1000)];
        assert!(few.iter().all(|by| inverse_factor(*by).is_none()));
    }
}
