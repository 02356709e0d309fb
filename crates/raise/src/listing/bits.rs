//! Numbers by their bits.

use cairn_evm::Word;

/// What a word is that is cut by a mask.
pub(super) fn type_of_mask(mask: Word) -> Option<String> {
    let (low, high) = run_of_ones(mask)?;
    match (low, high) {
        (0, 160) => Some("address".to_owned()),
        (0, bits) if bits % 8 == 0 && bits < 256 => Some(format!("uint{bits}")),
        (low, 256) if low % 8 == 0 && low > 0 => Some(format!("bytes{}", (256 - low) / 8)),
        _ => None,
    }
}

/// The lowest bit that is one, and the lowest behind it that is zero, if all ones stand in a row.
pub(super) fn run_of_ones(word: Word) -> Option<(usize, usize)> {
    if word.is_zero() {
        return None;
    }
    let low = word.trailing_zeros();
    let ones = (!(word >> low)).trailing_zeros().min(256 - low);
    let is_row = ones == 256 || (word >> low) == (Word::from(1) << ones).wrapping_sub(Word::from(1));
    is_row.then_some((low, low + ones))
}
