//! Byte strings in test files: `word(5)`, `0xabcd`, `"text"`, `bytes(2, 0xff)`, joined by commas.

use cairn_evm::{Word, hex};

/// Reads a comma-separated list of terms.
///
/// # Errors
/// The term that cannot be read.
pub fn parse_data(text: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for term in split_terms(text) {
        bytes.extend(parse_term(term)?);
    }
    Ok(bytes)
}

/// Splits at commas outside parentheses and quotes.
fn split_terms(text: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let (mut depth, mut quoted, mut start) = (0, false, 0);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            ',' if !quoted && depth == 0 => {
                terms.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    terms.push(text[start..].trim());
    terms.retain(|term| !term.is_empty());
    terms
}

fn parse_term(term: &str) -> Result<Vec<u8>, String> {
    let call =
        |name: &str| term.strip_prefix(name).and_then(|rest| rest.strip_prefix('(')?.strip_suffix(')'));
    if let Some(inner) = call("word") {
        return Ok(parse_word(inner)?.to_be_bytes_vec());
    }
    if let Some(inner) = call("selector") {
        return Ok(cairn_evm::keccak256(inner)[..4].to_vec());
    }
    if let Some(inner) = call("bytes") {
        let (count, byte) = inner.split_once(',').ok_or(format!("`{term}`: expected a count and a byte"))?;
        let count: usize = count.trim().parse().map_err(|_| format!("`{term}`: bad count"))?;
        return Ok(vec![parse_word(byte)?.to::<u8>(); count]);
    }
    if let Some(text) = term.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return Ok(text.as_bytes().to_vec());
    }
    hex::decode(term).map_err(|_| format!("`{term}` is not data"))
}

/// Reads a word: decimal, hex, or negative decimal (two's complement).
///
/// # Errors
/// What cannot be read.
pub fn parse_word(text: &str) -> Result<Word, String> {
    let text = text.trim();
    let bad = || format!("`{text}` is not a number");
    if let Some(digits) = text.strip_prefix('-') {
        return Ok(Word::from_str_radix(digits, 10).map_err(|_| bad())?.wrapping_neg());
    }
    match text.strip_prefix("0x") {
        Some(digits) => Word::from_str_radix(digits, 16).map_err(|_| bad()),
        None => Word::from_str_radix(text, 10).map_err(|_| bad()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_joined() {
        let data =
            parse_data("selector(transfer(address,uint256)), 0x01ff, \"a,b\", bytes(2, 0xee)").unwrap();
        assert_eq!(data, b"\xa9\x05\x9c\xbb\x01\xffa,b\xee\xee");
        assert_eq!(parse_data("word(-1)").unwrap(), [0xff; 32]);
        assert!(parse_data("wrod(1)").is_err());
        assert_eq!(parse_data("").unwrap(), b"");
    }
}
