//! What is known of a program's numbers, for comments beside them.

use cairn_evm::Word;
use std::collections::BTreeMap;

/// Names of numbers.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Signatures of functions and errors by selector.
    pub selectors: BTreeMap<u32, String>,
    /// Signatures of events by first topic.
    pub topics: BTreeMap<Word, String>,
    /// What storage holds, by slot.
    pub slots: BTreeMap<Word, String>,
}

/// Bits before which a selector stands in the first word of a call or an error.
const BEHIND_SELECTOR: usize = 224;

impl Notes {
    /// The name of a number wherever it stands.
    pub(crate) fn of_number(&self, word: Word) -> Option<&str> {
        self.topics.get(&word).map(String::as_str).or_else(|| {
            let is_aligned = (word << (256 - BEHIND_SELECTOR)).is_zero();
            let selector = if is_aligned { word >> BEHIND_SELECTOR } else { word };
            self.of_selector(selector)
        })
    }

    pub(crate) fn of_selector(&self, word: Word) -> Option<&str> {
        // Small numbers are seldom selectors.
        let selector = u32::try_from(word).ok().filter(|selector| *selector > u32::from(u16::MAX))?;
        self.selectors.get(&selector).map(String::as_str)
    }
}
