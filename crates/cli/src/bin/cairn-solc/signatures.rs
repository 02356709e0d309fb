//! `--hashes`: selectors of functions and errors, topics of events.

use alloy_json_abi::{Error, Event};
use serde_json::Value;

/// `26121ff0: f()` a line; errors and events below headings of their own, where there are any.
pub(crate) fn text(functions: &Value, abi: &Value) -> String {
    let functions = functions.as_object().into_iter().flatten();
    let mut text: String = functions
        .map(|(name, selector)| format!("{}: {name}\n", selector.as_str().unwrap_or_default()))
        .collect();
    let errors = items(abi, "error").filter_map(|item| serde_json::from_value::<Error>(item).ok());
    let errors = errors.map(|error| (error.signature(), cairn_evm::hex::encode(error.selector())));
    let events = items(abi, "event").filter_map(|item| serde_json::from_value::<Event>(item).ok());
    let events = events.map(|event| (event.signature(), cairn_evm::hex::encode(event.selector())));
    text += &section("Error signatures:", errors.collect());
    text += &section("Event signatures:", events.collect());
    text
}

fn items(abi: &Value, kind: &'static str) -> impl Iterator<Item = Value> {
    abi.as_array().into_iter().flatten().filter(move |item| item["type"] == kind).cloned()
}

fn section(heading: &str, mut lines: Vec<(String, String)>) -> String {
    if lines.is_empty() {
        return String::new();
    }
    lines.sort();
    lines.dedup();
    let lines: String = lines.iter().map(|(name, hash)| format!("{hash}: {name}\n")).collect();
    format!("\n{heading}\n{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn errors_and_events_have_their_own_headings() {
        let number = json!({ "name": "a", "type": "uint256", "internalType": "uint256" });
        let indexed = |kind: &str, indexed: bool| json!({ "name": "a", "type": kind, "internalType": kind, "indexed": indexed });
        let (party, amount) = (indexed("address", true), indexed("uint256", false));
        let abi = json!([
            { "type": "error", "name": "E", "inputs": [number] },
            { "type": "event", "name": "Transfer", "inputs": [party, party, amount], "anonymous": false },
            { "type": "function", "name": "f", "inputs": [], "outputs": [], "stateMutability": "view" },
        ]);
        let expected = "26121ff0: f()\n\nError signatures:\n002ff067: E(uint256)\n\nEvent signatures:\n\
                        ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef: \
                        Transfer(address,address,uint256)\n";
        assert_eq!(text(&json!({ "f()": "26121ff0" }), &abi), expected);
        assert_eq!(text(&json!({ "f()": "26121ff0" }), &json!([])), "26121ff0: f()\n");
    }
}
