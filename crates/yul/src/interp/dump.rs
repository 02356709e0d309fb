//! A run as text: what happened, and what is left in memory and storage.

use std::collections::BTreeMap;
use std::fmt::Write;

use cairn_evm::{Word, hex};

use super::Outcome;

impl Outcome {
    /// Trace, memory, storage and transient storage, without zeros.
    pub fn dump(&self) -> String {
        let mut text = String::from("Trace:\n");
        for line in &self.trace {
            text.push_str(&format!("  {line}\n"));
        }
        text.push_str("Memory dump:\n");
        for (address, word) in self.memory.words() {
            writeln!(text, "  {address:>4X}: {}", hex::encode(word))
                .expect("invariant: writing to a string succeeds");
        }
        dump_storage("Storage dump", &self.storage, &mut text);
        dump_storage("Transient storage dump", &self.transient_storage, &mut text);
        text
    }
}

fn dump_storage(title: &str, storage: &BTreeMap<Word, Word>, text: &mut String) {
    text.push_str(&format!("{title}:\n"));
    for (slot, value) in storage {
        text.push_str(&format!("  {slot:064x}: {value:064x}\n"));
    }
}

/// A number in a trace: decimal, or hexadecimal when it is large.
pub(super) fn number(value: Word) -> String {
    if value <= Word::from(0x100_0000) {
        return value.to_string();
    }
    let bytes = value.to_be_bytes::<32>();
    let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(31);
    format!("0x{}", hex::encode(&bytes[first..]))
}
