//! What can be called, as far as the codes tell: selectors, and how many arguments each reads.

use super::words::constants;
use alloy_primitives::U256;
use cairn_bytecode::analyze_for;
use cairn_evm::Fork;
use std::collections::{BTreeMap, BTreeSet};

/// Arguments that are tried where nothing is known.
const USUAL_ARGUMENTS: usize = 4;
/// Arguments in the head of a call, at most.
const MAX_ARGUMENTS: u64 = 12;
/// Constants that may be selectors, at most.
const MAX_CANDIDATES: usize = 256;

/// Selectors with the arguments that were seen to be read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interface {
    /// In order.
    pub(crate) selectors: Vec<u32>,
    arguments: BTreeMap<u32, usize>,
}

impl Interface {
    /// Of both codes: the selectors of their dispatchers, and the constants that may be some.
    pub(crate) fn new(codes: [&[u8]; 2], fork: Fork) -> Self {
        let found = codes.map(|code| analyze_for(code, fork).selectors);
        let known = found.iter().flatten().map(|found| found.selector);
        let to_selector = |word: &U256| (25..=32).contains(&word.bit_len()).then(|| word.to::<u32>());
        let words: BTreeSet<U256> = codes.iter().flat_map(|code| constants(code)).collect();
        let candidates = words.iter().filter_map(to_selector).take(MAX_CANDIDATES);
        let selectors: BTreeSet<u32> = known.chain(candidates).collect();
        let selectors = selectors.into_iter().collect();
        Interface { selectors, arguments: BTreeMap::new() }
    }

    /// Remembers which words of the calldata a function read.
    pub(crate) fn learn(&mut self, selector: u32, offsets: &BTreeSet<u64>) {
        let words = offsets.iter().filter(|offset| **offset >= 4).map(|offset| (offset - 4) / 32 + 1);
        let read = words.filter(|words| *words <= MAX_ARGUMENTS).max().unwrap_or(0) as usize;
        let known = self.arguments.entry(selector).or_default();
        *known = read.max(*known);
    }

    /// How many arguments a function takes, by what was seen.
    pub(crate) fn arguments(&self, selector: u32) -> usize {
        self.arguments.get(&selector).copied().filter(|count| *count > 0).unwrap_or(USUAL_ARGUMENTS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_come_from_the_dispatcher() {
        // if eq(shr(224, calldataload(0)), 0x01020304) { jump to 16 } invalid; jumpdest stop
        let code = [0x5f, 0x35, 0x60, 0xe0, 0x1c, 0x63, 1, 2, 3, 4, 0x14, 0x60, 15, 0x57, 0xfe, 0x5b, 0];
        let mut interface = Interface::new([&code, &[]], Fork::Osaka);
        assert_eq!(interface.selectors, [0x0102_0304]);
        assert_eq!(interface.arguments(0x0102_0304), USUAL_ARGUMENTS);
        interface.learn(0x0102_0304, &[0, 4, 36, 10_000].into_iter().collect());
        assert_eq!(interface.arguments(0x0102_0304), 2);
    }

    #[test]
    fn constants_that_may_be_selectors_are_tried() {
        let interface = Interface::new([&[0x63, 0xa9, 5, 9, 0xcb, 0x60, 3], &[]], Fork::Osaka);
        assert_eq!(interface.selectors, [0xa905_09cb]);
    }
}
