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
        let root = std::env::var_os("CAIRN_CORPUS").map_or_else(
            || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
            PathBuf::from,
        );
        let path = root.join("bytecode").join(format!("{name}.jsonl.gz"));
        let Ok(file) = File::open(&path) else {
            println!("skipped: no {}", path.display());
            return None;
        };
        Some(Rows { lines: BufReader::new(GzDecoder::new(file)).lines() })
    }
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

/// Time that the current thread spent on a core, where the system tells; wall time elsewhere.
pub(crate) struct CpuTime {
    seconds: Option<f64>,
    wall: std::time::Instant,
}

impl CpuTime {
    pub(crate) fn now() -> CpuTime {
        CpuTime { seconds: cpu_seconds(), wall: std::time::Instant::now() }
    }

    pub(crate) fn elapsed(&self) -> f64 {
        match (self.seconds, cpu_seconds()) {
            (Some(start), Some(end)) if end > start => end - start,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

fn cpu_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}
