//! Formats of floating-point numbers: the binary interchange formats of IEEE 754-2019.
//!
//! A number is its bits: the sign on top, the exponent, the fraction. Rounding is to the nearest, ties
//! to even. What computes gives one NaN, the quiet one without a payload and a sign.

use crate::interp::Wide;
use cairn_evm::Word;
use std::fmt;

/// Digits of a decimal number that are read. The middle between two numbers has at most 767.
const MAX_DIGITS: usize = 800;

/// No number of a format has more digits in front of the point, and none has as many zeros behind it.
const MAX_DECIMAL_EXPONENT: i64 = 400;

/// A binary floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum FloatFormat {
    /// binary16, half precision.
    F16,
    /// binary32, single precision.
    F32,
    /// binary64, double precision.
    F64,
}

impl FloatFormat {
    /// All of them, the narrowest first.
    pub const ALL: [FloatFormat; 3] = [FloatFormat::F16, FloatFormat::F32, FloatFormat::F64];

    /// The format whose name in the language this is.
    pub fn from_name(name: &str) -> Option<FloatFormat> {
        FloatFormat::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Its name in the language.
    pub fn name(self) -> &'static str {
        match self {
            FloatFormat::F16 => "f16",
            FloatFormat::F32 => "f32",
            FloatFormat::F64 => "f64",
        }
    }

    /// Bits of a number.
    pub fn bits(self) -> u16 {
        match self {
            FloatFormat::F16 => 16,
            FloatFormat::F32 => 32,
            FloatFormat::F64 => 64,
        }
    }

    /// Bits of the fraction.
    pub fn fraction_bits(self) -> u16 {
        match self {
            FloatFormat::F16 => 10,
            FloatFormat::F32 => 23,
            FloatFormat::F64 => 52,
        }
    }

    /// What the exponent of a number is less than its field.
    pub fn bias(self) -> u16 {
        (1 << (self.bits() - self.fraction_bits() - 2)) - 1
    }

    /// The exponent of the least number above zero, which is the last place of all subnormal ones.
    pub fn least_exponent(self) -> i64 {
        1 - i64::from(self.bias()) - i64::from(self.fraction_bits())
    }

    /// The bit of the sign: negative zero.
    pub fn sign(self) -> Word {
        Word::from(1) << usize::from(self.bits() - 1)
    }

    /// All bits but that of the sign: the magnitude of a number.
    pub fn magnitude(self) -> Word {
        self.sign() - Word::from(1)
    }

    /// Positive infinity; what is more, without the sign, is not a number.
    pub fn infinity(self) -> Word {
        Word::from(2 * self.bias() + 1) << usize::from(self.fraction_bits())
    }

    /// The NaN that operations give.
    pub fn nan(self) -> Word {
        self.infinity() | (Word::from(1) << usize::from(self.fraction_bits() - 1))
    }

    /// The magnitude of a finite number as a product with a power of two; `None` for others.
    pub fn parts(self, number: Word) -> Option<(Word, i64)> {
        let magnitude = number & self.magnitude();
        if magnitude >= self.infinity() {
            return None;
        }
        let field: u64 = (magnitude >> usize::from(self.fraction_bits())).to();
        let steps = field.saturating_sub(1);
        let fraction = magnitude - (Word::from(steps) << usize::from(self.fraction_bits()));
        Some((fraction, self.least_exponent() + steps as i64))
    }

    /// The number nearest to `number` · 2^`exponent`; infinity if it is too great.
    pub fn nearest(self, number: Wide, exponent: i64) -> Word {
        let length = number.bit_len() as i64;
        let first = length + exponent - 1;
        if number.is_zero() || first < self.least_exponent() - 1 {
            return Word::ZERO;
        }
        if first > i64::from(self.bias()) {
            return self.infinity();
        }
        let last = (first - i64::from(self.fraction_bits())).max(self.least_exponent());
        let kept = match usize::try_from(last - exponent) {
            Ok(lost) if lost > 0 => shift_to_nearest(number, lost),
            _ => number << (exponent - last) as usize,
        };
        let steps = Word::from(last - self.least_exponent()) << usize::from(self.fraction_bits());
        (steps + Word::from(kept)).min(self.infinity())
    }

    /// The bits of a number as it is written: in hexadecimal its bits, in decimal what it is nearest to.
    /// `None` if it is malformed or too great.
    pub(crate) fn parse(self, text: &str) -> Option<Word> {
        if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            let is_hex =
                !digits.is_empty() && digits.len() <= 64 && digits.bytes().all(|b| b.is_ascii_hexdigit());
            let bits = is_hex.then(|| Word::from_str_radix(digits, 16).ok()).flatten();
            return bits.filter(|bits| bits.bit_len() <= usize::from(self.bits()));
        }
        let (text, sign) = match text.strip_prefix('-') {
            Some(text) => (text, self.sign()),
            None => (text, Word::ZERO),
        };
        let (digits, exponent) = split_decimal(text)?;
        let magnitude = self.nearest_decimal(&digits, exponent)?;
        (magnitude < self.infinity()).then_some(magnitude | sign)
    }

    /// The number nearest to these digits, times a power of ten.
    fn nearest_decimal(self, digits: &str, exponent: i64) -> Option<Word> {
        let first = digits.len() as i64 + exponent;
        if digits.is_empty() || first < -MAX_DECIMAL_EXPONENT {
            return Some(Word::ZERO);
        }
        if first > MAX_DECIMAL_EXPONENT || digits.len() > MAX_DIGITS {
            return None;
        }
        let number = Wide::from_str_radix(digits, 10).ok()?;
        let power = Wide::from(10).pow(Wide::from(exponent.unsigned_abs()));
        if exponent >= 0 {
            return Some(self.nearest(number * power, 0));
        }
        // Two bits more than a number has, and one that stands for all behind them.
        let wanted = power.bit_len() + usize::from(self.bits());
        let shift = wanted.saturating_sub(number.bit_len());
        let (quotient, rest) = (number << shift).div_rem(power);
        let sticky = Wide::from(!rest.is_zero());
        Some(self.nearest((quotient << 1) | sticky, -(shift as i64) - 1))
    }

    /// Writes a number so that [`parse`](Self::parse) reads the same bits: the shortest decimal number,
    /// and the bits of what is none.
    pub(crate) fn write(self, out: &mut impl fmt::Write, number: Word) -> fmt::Result {
        match (self, self.parts(number)) {
            (_, None) => write!(out, "{number:#x}"),
            (FloatFormat::F64, _) => write!(out, "{:?}", f64::from_bits(number.to())),
            (FloatFormat::F32, _) => write!(out, "{:?}", f32::from_bits(number.to())),
            (FloatFormat::F16, Some((magnitude, exponent))) => {
                let wider = FloatFormat::F32.nearest(Wide::from(magnitude), exponent);
                let sign = if (number & self.sign()).is_zero() { "" } else { "-" };
                write!(out, "{sign}{:?}", f32::from_bits(wider.to()))
            }
        }
    }
}

/// The number without its last `lost` bits, at most as many as it has and one, rounded.
fn shift_to_nearest(number: Wide, lost: usize) -> Wide {
    let kept = number >> lost;
    let (rest, half) = (number - (kept << lost), Wide::from(1) << (lost - 1));
    kept + Wide::from(rest > half || (rest == half && kept.bit(0)))
}

/// The digits of a decimal number without zeros in front, and the power of ten that the last one counts.
fn split_decimal(text: &str) -> Option<(String, i64)> {
    let (number, exponent) = match text.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = match number.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (number, ""),
    };
    let digits = [whole, fraction].concat();
    let is_number = !whole.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let digits = is_number.then(|| digits.trim_start_matches('0').to_owned())?;
    Some((digits, i64::from(exponent) - fraction.len() as i64))
}

/// True for a decimal number with a fraction or an exponent.
pub(crate) fn is_decimal(text: &str) -> bool {
    let is_hex = text.contains(['x', 'X']);
    !is_hex
        && text.contains(['.', 'e', 'E'])
        && split_decimal(text.strip_prefix('-').unwrap_or(text)).is_some()
}

impl fmt::Display for FloatFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::FloatFormat::{F16, F32, F64};
    use super::*;
    use proptest::prelude::*;

    fn written(format: FloatFormat, number: Word) -> String {
        let mut text = String::new();
        format.write(&mut text, number).expect("a string takes everything");
        text
    }

    #[test]
    fn constants_of_the_formats() {
        assert_eq!([F16, F32, F64].map(FloatFormat::bias), [15, 127, 1023]);
        assert_eq!([F16, F32, F64].map(FloatFormat::least_exponent), [-24, -149, -1074]);
        assert_eq!(F32.infinity(), Word::from(f32::INFINITY.to_bits()));
        assert_eq!(F64.nan(), Word::from(0x7ff8_0000_0000_0000_u64));
        assert_eq!(F16.nan(), Word::from(0x7e00));
        assert_eq!(FloatFormat::from_name("f128"), None);
    }

    #[test]
    fn halves_are_rounded_to_even() {
        // 2049 and 2051 lie in the middle between two numbers of 11 bits.
        for (text, bits) in [("1", 0x3c00), ("2049", 0x6800), ("2051", 0x6802), ("2051.0001", 0x6802)] {
            assert_eq!(F16.parse(text), Some(Word::from(bits)), "{text}");
        }
        assert_eq!(F16.parse("2049.00000000000000000001"), Some(Word::from(0x6801)));
        assert_eq!(F16.parse("5.9604644775390625e-8"), Some(Word::from(1)));
        assert_eq!(F16.parse("2.98023223876953125e-8"), Some(Word::ZERO));
        assert_eq!(F16.parse("2.98023223876953126e-8"), Some(Word::from(1)));
        assert_eq!([F16.parse("65519.99"), F16.parse("65520")], [Some(Word::from(0x7bff)), None]);
    }

    #[test]
    fn faults_are_no_numbers() {
        for text in ["", "-", ".5", "1.", "1e", "1.5.5", "0x", "-0x1", "0x1ffffffff", "1e400", "3.5e38", "x"]
        {
            assert_eq!(F32.parse(text), None, "{text}");
        }
        assert_eq!(F32.parse("-0.0"), Some(F32.sign()));
        assert_eq!(F32.parse("1e-500"), Some(Word::ZERO));
        assert!(is_decimal("1e5") && is_decimal("-0.5") && !is_decimal("0x1e5") && !is_decimal("12"));
    }

    proptest! {
        #[test]
        fn decimals_are_read_as_the_host_reads_them(digits in "[0-9]{1,25}", fraction in "[0-9]{1,25}", e in -330i32..310) {
            let text = format!("{digits}.{fraction}e{e}");
            let single = text.parse::<f32>().expect("a number");
            let double = text.parse::<f64>().expect("a number");
            prop_assert_eq!(F32.parse(&text), single.is_finite().then(|| Word::from(single.to_bits())));
            prop_assert_eq!(F64.parse(&text), double.is_finite().then(|| Word::from(double.to_bits())));
        }

        #[test]
        fn what_is_written_is_read_back(bits: u64) {
            for (format, bits) in [(F16, bits & 0xffff), (F32, bits & 0xffff_ffff), (F64, bits)] {
                let bits = Word::from(bits);
                prop_assert_eq!(format.parse(&written(format, bits)), Some(bits));
            }
        }
    }
}
