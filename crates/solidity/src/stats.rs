//! What an answer took.

use serde_json::{Value, json};
use std::time::Duration;

/// Times and counts of one answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// How long the front end took.
    pub front_end: Duration,
    /// How long the code took, all threads together at once.
    pub code: Duration,
    /// What was compiled.
    pub counts: Counts,
}

/// What was compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Contracts whose code was asked for.
    pub contracts: usize,
    /// Objects in them, those embedded in others each time.
    pub objects: usize,
    /// Distinct objects: each is compiled once.
    pub distinct: usize,
    /// Distinct objects that the cache knew.
    pub cached: usize,
    /// Bytes of all Yul.
    pub yul_bytes: usize,
    /// Bytes of the distinct objects.
    pub distinct_bytes: usize,
}

impl Stats {
    /// As JSON; times in seconds.
    pub fn to_value(&self) -> Value {
        let Counts { contracts, objects, distinct, cached, yul_bytes, distinct_bytes } = self.counts;
        json!({
            "cached": cached,
            "code_seconds": self.code.as_secs_f64(),
            "contracts": contracts,
            "distinct_objects": distinct,
            "distinct_yul_bytes": distinct_bytes,
            "front_end_seconds": self.front_end.as_secs_f64(),
            "objects": objects,
            "yul_bytes": yul_bytes,
        })
    }
}
