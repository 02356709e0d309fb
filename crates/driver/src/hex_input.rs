//! Bytecode in hexadecimal text.

use cairn_asm::{ADDRESS_SIZE, LinkReference, fault, is_placeholder};
use cairn_diag::{Diagnostic, FaultCode, FileId, Span};
use cairn_evm::hex;

/// Bytes, and the places in them where addresses of libraries belong.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct HexInput {
    pub(crate) bytes: Vec<u8>,
    pub(crate) links: Vec<LinkReference>,
    /// Where the first of these stands in the text.
    pub(crate) first_link: Option<Span>,
}

/// The code of a cell of a table, by the rule for files of bytecode: an optional `0x`, white space anywhere,
/// comments from `;` to the end of the line.
///
/// # Errors
/// Why the text is none, in a line that names the character and where it stands, in bytes from 0.
pub fn bytes_of_hex(text: &str) -> Result<Vec<u8>, String> {
    // Nearly all cells are nothing but digits, which are read many at a time.
    if let Ok(bytes) = hex::decode(text.trim()) {
        return Ok(bytes);
    }
    let fault = |fault: Box<Diagnostic>| match fault.span {
        Some(span) => format!("{} at position {}", fault.message, span.start),
        None => fault.message,
    };
    let input = parse(text, FileId(0)).map_err(fault)?;
    match input.first_link {
        None => Ok(input.bytes),
        Some(span) => Err(format!("{UNLINKED} at position {}", span.start)),
    }
}

/// What is said of code in which addresses are open.
pub(crate) const UNLINKED: &str = "the code is not linked: here belongs the address of a library";

/// Reads hexadecimal digits: an optional `0x`, white space anywhere, comments from `;` to the end
/// of the line; the placeholder of a library stands for zeros.
pub(crate) fn parse(text: &str, file: FileId) -> Result<HexInput, Box<Diagnostic>> {
    let mut input = HexInput { bytes: Vec::with_capacity(text.len() / 2), ..HexInput::default() };
    let mut high: Option<u8> = None;
    let mut is_comment = false;
    let start = text.len() - text.trim_start().len();
    let has_prefix = text[start..].starts_with("0x") || text[start..].starts_with("0X");
    let mut next = if has_prefix { start + 2 } else { start };
    while let Some(c) = text[next..].chars().next() {
        let at = next;
        next += c.len_utf8();
        is_comment = (is_comment || c == ';') && c != '\n';
        if is_comment || c.is_whitespace() {
            continue;
        }
        if let Some(digit) = c.to_digit(16) {
            match high.take() {
                None => high = Some(digit as u8),
                Some(first) => input.bytes.push(first << 4 | digit as u8),
            }
        } else if let Some(name) = text.get(at..at + 2 * ADDRESS_SIZE).filter(|name| is_placeholder(name)) {
            next = at + name.len();
            input.first_link.get_or_insert(Span::from(at..next));
            input.links.push(LinkReference { offset: input.bytes.len(), library: name.to_owned() });
            input.bytes.extend([0; ADDRESS_SIZE]);
        } else {
            let message = format!("`{c}` is not a hexadecimal digit");
            return Err(error(fault::NOT_A_DIGIT, message, file, Span::from(at..next)));
        }
    }
    if high.is_some() {
        let span = Span::from(text.len()..text.len());
        return Err(error(fault::ODD_DIGITS, "odd number of hexadecimal digits".to_owned(), file, span));
    }
    Ok(input)
}

fn error(code: FaultCode, message: String, file: FileId, span: Span) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(message).with_code(code.code).at(file, span))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Result<Vec<u8>, Box<Diagnostic>> {
        parse(text, FileId(0)).map(|input| input.bytes)
    }

    #[test]
    fn placeholders_are_zeros() {
        let name = cairn_asm::placeholder("a.sol:L");
        let input = parse(&format!("73{name}00"), FileId(0)).unwrap();
        assert_eq!(input.bytes, [vec![0x73], vec![0; 21]].concat());
        assert_eq!(input.links, [LinkReference { offset: 1, library: name }]);
        assert_eq!(input.first_link, Some(Span::new(2, 42)));
    }

    #[test]
    fn digits_are_read() {
        assert_eq!(bytes("0x60\n 00 ; comment ff\n5b").unwrap(), [0x60, 0, 0x5b]);
        assert_eq!(bytes(" 0X6a\u{a0}01 ").unwrap(), [0x6a, 1]);
        assert_eq!(bytes("; 12\n0").unwrap_err().message, "odd number of hexadecimal digits");
        assert_eq!(bytes("0x6g").unwrap_err().span, Some(Span::new(3, 4)));
        assert_eq!(bytes("").unwrap(), b"");
    }

    #[test]
    fn cells_are_read_as_files_are() {
        let read = ["6001", "0x6001", " 0X6001\n", "60 01", "\u{a0}0x60\t0 1 ; a push", "", "0x", ";"];
        let faulty = ["6", "0x0x60", "60é1", "zz", "6 0 x"];
        for text in read.iter().chain(&faulty) {
            assert_eq!(bytes_of_hex(text).ok(), bytes(text).ok(), "{text}");
        }
        assert!(
            read.iter().all(|text| bytes(text).is_ok()) && faulty.iter().all(|text| bytes(text).is_err())
        );
        assert_eq!(bytes_of_hex("é01").unwrap_err(), "`é` is not a hexadecimal digit at position 0");
        assert_eq!(bytes_of_hex("0x6").unwrap_err(), "odd number of hexadecimal digits at position 3");
        let unlinked = bytes_of_hex(&cairn_asm::placeholder("a.sol:L")).unwrap_err();
        assert_eq!(unlinked, format!("{UNLINKED} at position 0"));
    }
}
