//! What the EVM computes, as terms of SMT-LIB.

use cairn_evm::{Opcode, Word};

/// A number of 256 bits.
pub(super) fn number(word: Word) -> String {
    format!("#x{word:064x}")
}

/// A word moved left by as many bits as a power of two has zeros.
pub(super) fn shifted(part: &str, power: Word) -> String {
    format!("(bvshl {part} {})", number(Word::from(power.trailing_zeros())))
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

/// The position of the first bit that is set, as a chain of choices.
fn leading_zeros(a: &str) -> String {
    let mut body = number(Word::from(256));
    for bit in 0..256u64 {
        body =
            format!("(ite (= ((_ extract {bit} {bit}) {a}) #b1) {} {body})", number(Word::from(255 - bit)));
    }
    body
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
