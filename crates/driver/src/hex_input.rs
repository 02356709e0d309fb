//! Bytecode in hexadecimal text.

use cairn_diag::{Diagnostic, FileId, Span};

/// Reads hexadecimal digits: an optional `0x`, white space anywhere, comments from `;` to the end
/// of the line.
pub(crate) fn parse(text: &str, file: FileId) -> Result<Vec<u8>, Box<Diagnostic>> {
    let mut bytes = Vec::with_capacity(text.len() / 2);
    let mut high: Option<u8> = None;
    let mut is_comment = false;
    let start = text.len() - text.trim_start().len();
    let skip = if text[start..].starts_with("0x") { start + 2 } else { start };
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < skip) {
        is_comment = (is_comment || c == ';') && c != '\n';
        if is_comment || c.is_ascii_whitespace() {
            continue;
        }
        let Some(digit) = c.to_digit(16) else {
            let span = Span::from(at..at + c.len_utf8());
            return Err(Diagnostic::error(format!("`{c}` is not a hexadecimal digit")).at(file, span).into());
        };
        match high.take() {
            None => high = Some(digit as u8),
            Some(first) => bytes.push(first << 4 | digit as u8),
        }
    }
    if high.is_some() {
        let span = Span::from(text.len()..text.len());
        return Err(Diagnostic::error("odd number of hexadecimal digits").at(file, span).into());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_read() {
        assert_eq!(parse("0x60\n 00 ; comment ff\n5b", FileId(0)).unwrap(), [0x60, 0, 0x5b]);
        assert_eq!(parse("; 12\n0", FileId(0)).unwrap_err().message, "odd number of hexadecimal digits");
        assert_eq!(parse("0x6g", FileId(0)).unwrap_err().span, Some(Span::new(3, 4)));
        assert_eq!(parse("", FileId(0)).unwrap(), b"");
    }
}
