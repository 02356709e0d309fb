//! Finds and reads the external corpus.

use flate2::read::GzDecoder;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Lines};
use std::path::PathBuf;

/// Rows of a compressed file with one JSON object a line.
pub(crate) struct Rows {
    lines: Lines<BufReader<GzDecoder<File>>>,
}

impl Rows {
    /// Opens `NAME.jsonl.gz` of the bytecode corpus; says so when it is not there.
    pub(crate) fn open(name: &str) -> Option<Rows> {
        Rows::open_in("bytecode", name)
    }

    /// The same in another folder of the corpus.
    pub(crate) fn open_in(folder: &str, name: &str) -> Option<Rows> {
        let path = corpus_path(folder, &format!("{name}.jsonl.gz"));
        let Ok(file) = File::open(&path) else {
            println!("skipped: no {}", path.display());
            return None;
        };
        Some(Rows { lines: BufReader::new(GzDecoder::new(file)).lines() })
    }
}

fn corpus_path(folder: &str, name: &str) -> PathBuf {
    let root = std::env::var_os("CAIRN_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        PathBuf::from,
    );
    root.join(folder).join(name)
}

impl Iterator for Rows {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        let line = self.lines.next()?.expect("readable");
        Some(serde_json::from_str(&line).expect("JSON"))
    }
}

/// The bytes of hexadecimal digits.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    cairn_evm::hex::decode(text).expect("hexadecimal digits")
}

/// The word of a number in hexadecimal digits after `0x`.
pub(crate) fn word(text: &str) -> cairn_exec::U256 {
    cairn_exec::U256::from_str_radix(text.trim_start_matches("0x"), 16).expect("a number")
}
