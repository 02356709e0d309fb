//! Unicode direction marks in comments.
//!
//! Marks that are still open at the end of a comment make the code after it look different from
//! what it is, so they must be closed where they were opened.

use super::LexicalFault;

/// Checks that every direction mark of `text` is closed in it; says what is wrong and where.
pub(super) fn check(text: &[u8]) -> Result<(), (LexicalFault, usize)> {
    if text.is_ascii() {
        return Ok(());
    }
    let mut open = 0_usize;
    for (at, mark) in text.windows(3).enumerate() {
        match mark {
            // LRE, RLE, LRO, RLO; LRI, RLI, FSI.
            [0xe2, 0x80, 0xaa | 0xab | 0xad | 0xae] | [0xe2, 0x81, 0xa6..=0xa8] => open += 1,
            // PDF; PDI.
            [0xe2, 0x80, 0xac] | [0xe2, 0x81, 0xa9] => {
                open = open.checked_sub(1).ok_or((LexicalFault::DirectionUnderflow, at))?;
            }
            _ => {}
        }
    }
    match open {
        0 => Ok(()),
        _ => Err((LexicalFault::DirectionMismatch, text.len())),
    }
}
