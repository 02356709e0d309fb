//! Hashes of small slots, which compilers compute beforehand: where items of arrays begin.

use cairn_evm::{Word, keccak256};
use std::sync::LazyLock;

/// Slots whose hashes are known.
const SLOTS: u32 = 256;

/// Hashes with their slots, sorted.
static HASHES: LazyLock<Vec<(Word, u32)>> = LazyLock::new(|| {
    let hash = |slot: u32| (Word::from_be_bytes(keccak256(Word::from(slot).to_be_bytes::<32>()).0), slot);
    let mut hashes: Vec<(Word, u32)> = (0..SLOTS).map(hash).collect();
    hashes.sort_unstable();
    hashes
});

/// The slot whose hash a word is, and how far it lies behind that, if not far.
pub(super) fn number_of(word: Word) -> Option<(u32, u32)> {
    if word.bit_len() <= 192 {
        return None;
    }
    let after = HASHES.partition_point(|(hash, _)| *hash <= word);
    let (hash, slot) = *HASHES.get(after.checked_sub(1)?)?;
    u32::try_from(word - hash).ok().map(|behind| (slot, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_slot_zero_begin_at_its_hash() {
        let hash = Word::from_be_bytes(keccak256([0; 32]).0);
        assert_eq!(number_of(hash + Word::from(3)), Some((0, 3)));
        assert_eq!(number_of(Word::from(7)), None);
        assert_eq!(number_of(hash - Word::from(1)), None);
    }
}
