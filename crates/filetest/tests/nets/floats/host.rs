//! What the host's arithmetic gives: Rust's `f32` and `f64`, whose operations are correctly rounded. It has
//! no `f16`: that computes exactly or in `f64`, and rounds by the exact arithmetic of [`FloatFormat::nearest`].

use super::operands::Operands;
use cairn_evm::Word;
use cairn_ir::interp::Wide;
use cairn_ir::types::float::FloatFormat;

/// Results in the order of the program.
pub(super) fn evaluate(format: FloatFormat, operands: &Operands) -> Vec<Word> {
    let [a, b, n, m] = operands.words(format);
    let mut results = match format {
        FloatFormat::F16 => half(a, b),
        FloatFormat::F32 => single(f32::from_bits(a.to()), f32::from_bits(b.to())),
        FloatFormat::F64 => double(f64::from_bits(a.to()), f64::from_bits(b.to())),
    };
    let (x, y) = (value(format, a), value(format, b));
    results.extend([x < y, x > y, x == y, x == 0.0].map(|flag| Word::from(u64::from(flag))));
    results.extend(integers(x));
    for (integer, bits) in [(n, 256), (m, 64)] {
        results.extend(from_integer(format, integer, bits));
    }
    results.extend(FloatFormat::ALL.map(|to| if to == format { a } else { rounded(to, x) }));
    results
}

fn nan_or(format: FloatFormat, is_nan: Option<()>, bits: u64) -> Word {
    is_nan.map_or(Word::from(bits), |()| format.nan())
}

fn of_single(x: f32) -> Word {
    nan_or(FloatFormat::F32, x.is_nan().then_some(()), x.to_bits().into())
}

fn of_double(x: f64) -> Word {
    nan_or(FloatFormat::F64, x.is_nan().then_some(()), x.to_bits())
}

/// Absolute values are of the bits, of NaN, too.
fn single(a: f32, b: f32) -> Vec<Word> {
    let [least, most] = ordered(a.into(), b.into()).map(|x| of_single(x as f32));
    let computed = [a + b, a - b, a * b, a / b, a % b].map(of_single);
    let absolute = Word::from(a.to_bits() & 0x7fff_ffff);
    [&computed[..], &[least, most, of_single(a.sqrt()), absolute]].concat()
}

fn double(a: f64, b: f64) -> Vec<Word> {
    let computed = [a + b, a - b, a * b, a / b, a % b].map(of_double);
    let [least, most] = ordered(a, b).map(of_double);
    let absolute = Word::from(a.to_bits() & (u64::MAX >> 1));
    [&computed[..], &[least, most, of_double(a.sqrt()), absolute]].concat()
}

fn half(a: Word, b: Word) -> Vec<Word> {
    let format = FloatFormat::F16;
    let (x, y) = (value(format, a), value(format, b));
    let [least, most] = ordered(x, y);
    let computed = [x + y, x - y, x * y, x / y, x % y, least, most, x.sqrt()].map(|x| rounded(format, x));
    [&computed[..], &[a & Word::from(0x7fff)]].concat()
}

/// The lesser and the greater one, -0 before +0; NaN if there is one.
fn ordered(a: f64, b: f64) -> [f64; 2] {
    if a.is_nan() || b.is_nan() {
        return [f64::NAN; 2];
    }
    if a.total_cmp(&b).is_le() { [a, b] } else { [b, a] }
}

/// The number as an `f64`, which holds those of all formats.
fn value(format: FloatFormat, bits: Word) -> f64 {
    match format {
        FloatFormat::F64 => f64::from_bits(bits.to()),
        FloatFormat::F32 => f32::from_bits(bits.to()).into(),
        FloatFormat::F16 => {
            let bits: u64 = bits.to();
            let (field, fraction) = (bits >> 10 & 0x1f, (bits & 0x3ff) as f64);
            let magnitude = match field {
                0 => fraction / f64::from(1 << 24),
                31 if fraction == 0.0 => f64::INFINITY,
                31 => f64::NAN,
                field => (1024.0 + fraction) * f64::from(1_u32 << field) / f64::from(1 << 25),
            };
            if bits >> 15 == 0 { magnitude } else { -magnitude }
        }
    }
}

/// An `f64` as a number of a format.
fn rounded(format: FloatFormat, x: f64) -> Word {
    match format {
        FloatFormat::F64 => of_double(x),
        FloatFormat::F32 => of_single(x as f32),
        FloatFormat::F16 if x.is_nan() => format.nan(),
        FloatFormat::F16 => {
            let sign = if x.is_sign_negative() { format.sign() } else { Word::ZERO };
            let magnitude = match FloatFormat::F64.parts(Word::from(x.to_bits())) {
                Some((number, exponent)) => format.nearest(Wide::from(number), exponent),
                None => format.infinity(),
            };
            sign | magnitude
        }
    }
}

/// As integers without and with a sign, of 8, 64, 128 and 256 bits.
fn integers(x: f64) -> [Word; 8] {
    let signed = |x: i128, bits: usize| Word::from(x as u128) & cairn_evm::word::low_mask(bits);
    let size = magnitude(x.abs());
    let (least, most) = (Word::from(1) << 255, (Word::from(1) << 255) - Word::from(1));
    let positive = if x > 0.0 { size } else { Word::ZERO };
    let whole = if x > 0.0 { size.min(most) } else { size.min(least).wrapping_neg() };
    [
        Word::from(x as u8),
        signed((x as i8).into(), 8),
        Word::from(x as u64),
        signed((x as i64).into(), 64),
        Word::from(x as u128),
        signed(x as i128, 128),
        positive,
        whole,
    ]
}

/// A number that is not negative as an integer of a word.
fn magnitude(x: f64) -> Word {
    if x.is_nan() {
        return Word::ZERO;
    }
    if x >= 2f64.powi(256) {
        return Word::MAX;
    }
    // Above 2^128 a number is a multiple of 2^64.
    match x < 2f64.powi(128) {
        true => Word::from(x as u128),
        false => Word::from((x / 2f64.powi(128)) as u128) << 128 | low_half(x),
    }
}

/// The low 128 bits of a number from 2^128 on.
fn low_half(x: f64) -> Word {
    Word::from((x % 2f64.powi(128)) as u128)
}

/// Numbers from an integer of so many bits, without and with a sign.
fn from_integer(format: FloatFormat, integer: Word, bits: usize) -> [Word; 2] {
    let is_minus = integer.bit(bits - 1);
    let size = if is_minus { integer.wrapping_neg() & cairn_evm::word::low_mask(bits) } else { integer };
    let sign = if is_minus { format.sign() } else { Word::ZERO };
    [nearest(format, integer), nearest(format, size) | sign]
}

/// The number nearest to an integer: its first 128 bits and whether there are others say what it is.
fn nearest(format: FloatFormat, integer: Word) -> Word {
    let shift = integer.bit_len().saturating_sub(128);
    let sticky = u128::from(integer.trailing_zeros() < shift);
    let first = (integer >> shift).to::<u128>() | sticky;
    match format {
        FloatFormat::F64 => of_double(first as f64 * 2f64.powi(shift as i32)),
        // The first 128 bits are at least 2^127.
        FloatFormat::F32 if shift > 0 => format.infinity(),
        FloatFormat::F32 => of_single(first as f32),
        FloatFormat::F16 if shift > 0 => format.infinity(),
        FloatFormat::F16 => format.nearest(Wide::from(first), 0),
    }
}
