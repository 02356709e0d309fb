//! How words are written: small numbers in decimal, text as text, masks and addresses in hexadecimal.

use cairn_evm::Word;
use cairn_yul::LiteralKind;

/// The greatest number in decimal.
const MAX_DECIMAL: u64 = 9999;

/// Letters that make a word a text and no number.
const MIN_TEXT: usize = 6;

/// The kind of a literal, and its text.
pub(crate) fn spell(word: Word) -> (LiteralKind, Vec<u8>) {
    if let Some(text) = as_text(word) {
        return (LiteralKind::String, text);
    }
    let text = if word <= Word::from(MAX_DECIMAL) { word.to_string() } else { format!("{word:#x}") };
    (LiteralKind::Number, text.into_bytes())
}

/// The letters of a word that begins with some and has zeros behind them.
fn as_text(word: Word) -> Option<Vec<u8>> {
    let bytes: [u8; 32] = word.to_be_bytes();
    let length = bytes.iter().rposition(|byte| *byte != 0)? + 1;
    let text = &bytes[..length];
    let is_letter = |byte: &u8| (b' '..=b'~').contains(byte);
    (length >= MIN_TEXT && text.iter().all(is_letter)).then(|| text.to_vec())
}
