//! Arithmetic at any width, written after docs/ir.md and nothing else: exact numbers, cut at the end.

/// Room for the product of two numbers of 4096 bits.
pub(super) use cairn_ir::interp::Wide;

const ONE: Wide = Wide::from_limbs({
    let mut limbs = [0; 128];
    limbs[0] = 1;
    limbs
});

/// A number of a type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) bits: usize,
    pub(super) value: Wide,
}

impl Number {
    /// Cuts a value to the width.
    pub(super) fn new(bits: usize, value: Wide) -> Self {
        Number { bits, value: value & mask(bits) }
    }

    fn is_zero(&self) -> bool {
        self.value == Wide::ZERO
    }
}

pub(super) fn mask(bits: usize) -> Wide {
    (ONE << bits) - ONE
}

fn number_of(test: bool) -> Wide {
    if test { ONE } else { Wide::ZERO }
}

/// Magnitude and sign of a number in two's complement.
fn signed(value: Wide, bits: usize) -> (Wide, bool) {
    match value.bit(bits - 1) {
        true => ((ONE << bits) - value, true),
        false => (value, false),
    }
}

fn with_sign(magnitude: Wide, is_negative: bool, bits: usize) -> Wide {
    if is_negative { (ONE << bits).wrapping_sub(magnitude) & mask(bits) } else { magnitude & mask(bits) }
}

/// True if `a` is less than `b` in two's complement.
fn is_less(a: Wide, b: Wide, bits: usize) -> bool {
    let flip = ONE << (bits - 1);
    (a ^ flip) < (b ^ flip)
}

/// A count that may be out of all proportion.
fn count(value: Wide, limit: usize) -> Option<usize> {
    (value < Wide::from(limit)).then(|| value.as_limbs()[0] as usize)
}

/// What an operation gives, cut to the widths of its results; `None` if it reverts.
pub(super) fn evaluate(op: &str, args: &[Number], results: &[usize]) -> Option<Vec<Number>> {
    let values = match opcode(op, args, results[0]) {
        Some(value) => vec![value],
        None => generic(op, args, results[0])?,
    };
    Some(values.into_iter().zip(results).map(|(value, bits)| Number::new(*bits, value)).collect())
}

/// "An opcode works on words. If an operand or the result is wider than a word, the opcode works at
/// the widest of them."
fn opcode(op: &str, args: &[Number], result: usize) -> Option<Wide> {
    let bits = args.iter().map(|arg| arg.bits).max().unwrap_or(0).max(result).max(256);
    let a = args[0].value;
    let b = args.get(1).map_or(Wide::ZERO, |arg| arg.value);
    let c = args.get(2).map_or(Wide::ZERO, |arg| arg.value);
    Some(match op {
        "add" => a + b,
        "sub" => a.wrapping_sub(b) & mask(bits),
        "mul" => a.wrapping_mul(b),
        "div" if b == Wide::ZERO => b,
        "div" => a / b,
        "mod" if b == Wide::ZERO => b,
        "mod" => a % b,
        "sdiv" | "smod" if b == Wide::ZERO => b,
        "sdiv" => {
            let ((a, a_negative), (b, b_negative)) = (signed(a, bits), signed(b, bits));
            with_sign(a / b, a_negative != b_negative, bits)
        }
        "smod" => {
            let ((a, a_negative), (b, _)) = (signed(a, bits), signed(b, bits));
            with_sign(a % b, a_negative, bits)
        }
        "addmod" | "mulmod" if c == Wide::ZERO => c,
        "addmod" => (a + b) % c,
        "mulmod" => a.wrapping_mul(b) % c,
        "exp" => power(a, b, bits),
        "signextend" => match count(a, bits / 8) {
            Some(byte) if 8 * (byte + 1) < bits => {
                let low = b & mask(8 * (byte + 1));
                let is_negative = low.bit(8 * byte + 7);
                if is_negative { low | (mask(bits) ^ mask(8 * (byte + 1))) } else { low }
            }
            _ => b,
        },
        "lt" => number_of(a < b),
        "gt" => number_of(a > b),
        "slt" => number_of(is_less(a, b, bits)),
        "sgt" => number_of(is_less(b, a, bits)),
        "eq" => number_of(a == b),
        "iszero" => number_of(a == Wide::ZERO),
        "and" => a & b,
        "or" => a | b,
        "xor" => a ^ b,
        "not" => a ^ mask(bits),
        "byte" => {
            // The most significant byte of a width that is no number of bytes is not defined: see `module`.
            count(a, bits / 8).map_or(Wide::ZERO, |index| (b >> (8 * (bits / 8 - 1 - index))) & mask(8))
        }
        "shl" => count(a, bits).map_or(Wide::ZERO, |n| (b << n) & mask(bits)),
        "shr" => count(a, bits).map_or(Wide::ZERO, |n| b >> n),
        "sar" => {
            let is_negative = b.bit(bits - 1);
            let fill = if is_negative { mask(bits) } else { Wide::ZERO };
            count(a, bits)
                .map_or(fill, |n| if is_negative { (b >> n) | (fill ^ (fill >> n)) } else { b >> n })
        }
        "clz" => Wide::from(bits - a.bit_len()),
        _ => return None,
    })
}

/// Squares and products modulo 2^bits.
fn power(base: Wide, exponent: Wide, bits: usize) -> Wide {
    let mut result = ONE;
    for index in (0..exponent.bit_len()).rev() {
        result = result.wrapping_mul(result) & mask(bits);
        if exponent.bit(index) {
            result = result.wrapping_mul(base) & mask(bits);
        }
    }
    result & mask(bits)
}

/// "Generic arithmetic works at the width of its first result (counts of bits, `abs` and `bswap` at
/// that of the operand), and its signed operations read operands as two's complement of that width."
fn generic(op: &str, args: &[Number], bits: usize) -> Option<Vec<Wide>> {
    let a = args[0].value;
    let own = args[0].bits;
    let b = args.get(1).map_or(Wide::ZERO, |arg| arg.value);
    let product = || a.wrapping_mul(b);
    let one = |value| Some(vec![value]);
    match op {
        "trunc" | "zext" => one(a),
        "sext" => one(if a.bit(own - 1) { a | (mask(bits.max(own)) ^ mask(own)) } else { a }),
        "select" => one(if args[0].is_zero() { args[2].value } else { b }),
        "min" => one(a.min(b)),
        "max" => one(a.max(b)),
        "smin" => one(if is_less(a, b, bits) { a } else { b }),
        "smax" => one(if is_less(a, b, bits) { b } else { a }),
        "abs" => one(signed(a, own).0),
        "rotl" | "rotr" => {
            let amount = (a % Wide::from(bits)).as_limbs()[0] as usize;
            let left = if op == "rotl" { amount } else { (bits - amount) % bits };
            one(((b << left) | (b >> (bits - left))) & mask(bits))
        }
        "bswap" => {
            let bytes = a.to_be_bytes::<1024>();
            let swapped: Vec<u8> = bytes[1024 - own / 8..].iter().rev().copied().collect();
            one(Wide::from_be_slice(&swapped))
        }
        "ctpop" => one(Wide::from(a.count_ones())),
        "ctlz" => one(Wide::from(own - a.bit_len())),
        "cttz" => one(Wide::from(a.trailing_zeros().min(own))),
        "addo" => Some(vec![a + b, number_of(a + b > mask(bits))]),
        "subo" => Some(vec![a.wrapping_sub(b), number_of(a < b)]),
        "mulo" => Some(vec![product(), number_of(product() > mask(bits))]),
        "uadd_sat" => one((a + b).min(mask(bits))),
        "usub_sat" => one(a.saturating_sub(b)),
        "umul_sat" => one(product().min(mask(bits))),
        "muldiv" => {
            let divisor = args[2].value;
            let quotient = (divisor != Wide::ZERO).then(|| product() / divisor)?;
            (quotient <= mask(bits)).then(|| vec![quotient])
        }
        "mulhi" => one(product() >> bits),
        other => unreachable!("no operation `{other}`"),
    }
}
