//! Literals of EVM-IR text: words, byte strings, quoted names. Reading and writing.

use crate::interp::Wide;
use crate::types::Type;
use crate::types::float;
use cairn_evm::{Word, hex};
use std::fmt::{self, Write};

/// A number token: its magnitude, and whether it has a minus sign.
pub(crate) fn parse_number(text: &str) -> Option<(Word, bool)> {
    let (digits, radix, negative) = split_number(text)?;
    // Longer numbers do not fit; not reading them keeps the cost linear.
    if digits.len() > 78 {
        return None;
    }
    let word = if digits.is_empty() { Word::ZERO } else { Word::from_str_radix(digits, radix).ok()? };
    Some((word, negative))
}

/// As [`parse_number`], for numbers of up to 4096 bits.
pub(crate) fn parse_wide_number(text: &str) -> Option<(Wide, bool)> {
    let (digits, radix, negative) = split_number(text)?;
    if digits.len() > 1234 {
        return None;
    }
    let number = if digits.is_empty() { Wide::ZERO } else { Wide::from_str_radix(digits, radix).ok()? };
    (number.bit_len() <= 4096).then_some((number, negative))
}

/// Significant digits, radix and sign of a well-formed number.
fn split_number(text: &str) -> Option<(&str, u64, bool)> {
    let (digits, negative) = match text.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => (digits, 16),
        None => (digits, 10),
    };
    let well_formed = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    well_formed.then(|| (digits.trim_start_matches('0'), u64::from(radix), negative))
}

/// The word of a number of `bits` bits: two's complement for a negative one. `None` if it does not
/// fit.
pub(crate) fn to_word((magnitude, negative): (Word, bool), bits: u16) -> Option<Word> {
    let bits = usize::from(bits.min(256));
    if !negative || magnitude.is_zero() {
        return Some(magnitude).filter(|word| word.bit_len() <= bits);
    }
    let least = Word::from(1) << (bits - 1);
    let mask = if bits == 256 { Word::MAX } else { (Word::from(1) << bits) - Word::from(1) };
    (magnitude <= least).then(|| magnitude.wrapping_neg() & mask)
}

/// The bytes of `hex"…"`; separators `_` and spaces between digits are skipped.
pub(crate) fn parse_hex(token: &str) -> Option<Vec<u8>> {
    let digits = token.strip_prefix("hex\"")?.strip_suffix('"')?;
    let digits: String = digits.chars().filter(|c| !matches!(c, '_' | ' ')).collect();
    hex::decode(digits.as_bytes()).ok().filter(|_| !digits.starts_with("0x"))
}

/// The content of a quoted string. Escapes: `\n`, `\r`, `\t`, `\0`, `\\`, `\"`, `\'`, `\xNN` for a
/// byte, `\u{…}` for a character.
pub(crate) fn parse_string(token: &str) -> Option<Vec<u8>> {
    let content = token.strip_prefix('"')?.strip_suffix('"')?;
    let mut bytes = Vec::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = parse_escape(&rest[at + 1..], &mut bytes)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    Some(bytes)
}

/// Reads what follows a backslash; what is left.
fn parse_escape<'a>(text: &'a str, bytes: &mut Vec<u8>) -> Option<&'a str> {
    let mut chars = text.chars();
    let byte = match chars.next()? {
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        '0' => 0,
        c @ ('\\' | '"' | '\'') => c as u8,
        'x' => {
            let digits = text.get(1..3)?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            return Some(&text[3..]);
        }
        'u' => {
            let (digits, rest) = chars.as_str().strip_prefix('{')?.split_once('}')?;
            let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            return Some(rest);
        }
        _ => return None,
    };
    bytes.push(byte);
    Some(chars.as_str())
}

/// The name in a token `%name`, `^"a name"`, `@name`; borrowed when it is not quoted.
pub(crate) fn parse_name(token: &str) -> Option<std::borrow::Cow<'_, str>> {
    let name = &token[1..];
    if name.starts_with('"') {
        return String::from_utf8(parse_string(name)?).ok().map(Into::into);
    }
    Some(name.into())
}

/// True when a name can be written without quotes.
fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
    !name.is_empty() && name.bytes().all(plain)
}

/// True for a name that only numbers a value or block: such names are not kept.
pub(crate) fn is_number(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Writes a name after its sigil, quoted where needed.
pub(crate) fn write_name(out: &mut impl Write, sigil: char, name: &str) -> fmt::Result {
    out.write_char(sigil)?;
    if is_plain(name) { out.write_str(name) } else { write_string(out, name) }
}

/// Writes a quoted string.
pub(crate) fn write_string(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(out, "\\{c}")?,
            '\n' => out.write_str("\\n")?,
            '\t' => out.write_str("\\t")?,
            c if c.is_control() => write!(out, "\\u{{{:x}}}", c as u32)?,
            c => out.write_char(c)?,
        }
    }
    out.write_char('"')
}

/// Writes a constant of a type.
pub(crate) fn write_constant(out: &mut impl Write, word: Word, ty: Type) -> fmt::Result {
    match ty {
        Type::Bool if word.is_zero() => out.write_str("false"),
        Type::Bool if word == Word::from(1) => out.write_str("true"),
        Type::Float(format) => format.write(out, word),
        _ => write_word(out, word),
    }
}

/// Writes a word: decimal when short, else hexadecimal.
pub(crate) fn write_word(out: &mut impl Write, word: Word) -> fmt::Result {
    match u16::try_from(word) {
        Ok(small) => write!(out, "{small}"),
        Err(_) => write!(out, "{word:#x}"),
    }
}

/// True for a number of at most a word, or a decimal number with a fraction or an exponent.
pub(crate) fn is_literal(text: &str) -> bool {
    parse_number(text).is_some() || float::is_decimal(text)
}

/// The word of a literal of type `ty`; `None` if it does not fit or needs more than a word.
pub(crate) fn parse_word(text: &str, ty: Type) -> Option<Word> {
    match (text, ty) {
        (text, Type::Float(format)) => format.parse(text),
        ("true", ty) => word_of_type((Word::from(1), false), ty),
        ("false", ty) => word_of_type((Word::ZERO, false), ty),
        (text, ty) => word_of_type(parse_number(text)?, ty),
    }
}

/// The word of a number of type `ty`; `None` if it does not fit or needs more than a word.
pub(crate) fn word_of_type(number: (Word, bool), ty: Type) -> Option<Word> {
    let bits = match ty {
        Type::Int(bits) | Type::Ufixed(bits, _) | Type::Fixed(bits, _) => bits,
        Type::Bool => 1,
        Type::Ptr(..) => 256,
        Type::Float(_) | Type::Composite(_) | Type::Void | Type::Unreachable => return None,
    };
    let is_negative = number.1 && !number.0.is_zero();
    if is_negative && bits > 256 {
        return None;
    }
    to_word(number, bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let word = |n: u64| Word::from(n);
        assert_eq!(parse_number("42"), Some((word(42), false)));
        assert_eq!(parse_number("0xFf"), Some((word(255), false)));
        assert_eq!(parse_number("-0x1"), Some((word(1), true)));
        let max = format!("0x{}", "f".repeat(64));
        assert_eq!(parse_number(&max), Some((Word::MAX, false)));
        for bad in ["0x", "12a", "0xg", "1_0", "-", &format!("0x1{}", "0".repeat(64)), &"9".repeat(100_000)] {
            assert_eq!(parse_number(bad), None, "{bad:.20}");
        }
    }

    #[test]
    fn negative_numbers_are_twos_complement() {
        let one = (Word::from(1), true);
        assert_eq!(to_word(one, 256), Some(Word::MAX));
        assert_eq!(to_word(one, 8), Some(Word::from(255)));
        assert_eq!(to_word((Word::from(128), true), 8), Some(Word::from(128)));
        assert_eq!(to_word((Word::from(129), true), 8), None);
        assert_eq!(to_word((Word::ZERO, true), 8), Some(Word::ZERO));
        assert_eq!(to_word((Word::from(255), false), 8), Some(Word::from(255)));
        assert_eq!(to_word((Word::from(256), false), 8), None);
    }

    #[test]
    fn strings_read_back_what_was_written() {
        let text = "a\"b\\c\n\t\u{1}é";
        let mut out = String::new();
        write_string(&mut out, text).expect("a string takes everything");
        assert_eq!(parse_string(&out), Some(text.as_bytes().to_vec()));
        assert_eq!(parse_string(r#""\x41\u{e9}""#), Some("Aé".as_bytes().to_vec()));
        for bad in [r#""\q""#, r#""\x4""#, r#""\u{110000}""#, r#""\xé""#] {
            assert_eq!(parse_string(bad), None, "{bad}");
        }
        assert_eq!(parse_hex("hex\"00 ff_01\""), Some(vec![0, 255, 1]));
        assert_eq!(parse_hex("hex\"0\""), None);
        assert_eq!(parse_hex("hex\"0x00\""), None);
    }

    #[test]
    fn names_are_quoted_where_needed() {
        let written = |name: &str| {
            let mut out = String::new();
            write_name(&mut out, '@', name).expect("a string takes everything");
            out
        };
        assert_eq!(written("a.b$1"), "@a.b$1");
        assert_eq!(written("a b"), "@\"a b\"");
        assert_eq!(parse_name("@\"a b\"").as_deref(), Some("a b"));
    }
}
