//! Sizes and counts as JSON.

use crate::stages::StackStats;
use cairn_asm::Assembled;
use serde_json::json;

/// Sizes of code, with the stack operations where they were measured.
pub(crate) fn statistics(assembled: &Assembled, stack: Option<StackStats>) -> String {
    let runtime = assembled.runtime().map(|runtime| runtime.bytes.len());
    let mut found = json!({ "creation_size": assembled.bytes.len(), "runtime_size": runtime });
    if let Some(StackStats { counts, gas }) = stack {
        // Frequencies are estimates: more digits would say nothing.
        let rounded = |value: f64| (value * 1e4).round() / 1e4;
        found["stack"] = json!({
            "functions": counts.funcs,
            "blocks": counts.blocks,
            "steps": counts.steps,
            "spill_accesses": counts.spill_accesses,
            "frame_bytes": counts.frame_bytes,
            "gas": rounded(gas.spent),
            "gas_bound": rounded(gas.bound),
            "ratio": rounded(gas.ratio()),
        });
    }
    found.to_string()
}
