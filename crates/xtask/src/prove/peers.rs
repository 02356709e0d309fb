//! Codes of other compilers that the corpus has of contracts in use: those of solc without its optimizer, which
//! others are proven against, and those of solar.
//!
//! They are creation code. What that deploys is the piece of it that it copies and gives back, with immutables 0.

use cairn_bytecode::{Given, Role, analyze_given};
use cairn_evm::hex;
use serde_json::Value;

/// What solc makes of a row without its optimizer, by way of IR where that is not too deep for it, in hex; empty
/// where it is not found.
pub(super) fn unoptimized(row: &Value) -> Option<String> {
    let solc = |mode: &str| row["solc"][mode]["creation_code"].as_str();
    solc("ir_unopt").or_else(|| solc("legacy_unopt")).map(deployed)
}

/// What solar makes of it, in hex; empty where it is not found.
pub(super) fn solar(row: &Value) -> Option<String> {
    row["solar_0_3_0"]["code"].as_str().map(deployed)
}

/// The longest piece that is copied and given back.
fn deployed(creation: &str) -> String {
    let Ok(code) = hex::decode(creation) else { return String::new() };
    let given = Given { role: Some(Role::Creation), ..Given::default() };
    let analysis = analyze_given(&code, given);
    let returned = cairn_lift::lift_outside(&analysis).map_or_else(|_| Vec::new(), |lifted| lifted.returned);
    let longest = returned.into_iter().max_by_key(ExactSizeIterator::len).unwrap_or_default();
    hex::encode(&code[longest])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_deployed_code_is_what_is_given_back() {
        // Copies two bytes from behind itself, and there is one more behind those.
        let creation = "600260095f3960025ff3aabbcc";
        let row = json!({ "solc": { "ir_unopt": { "creation_code": creation } }, "solar_0_3_0": {} });
        assert_eq!(unoptimized(&row).as_deref(), Some("f3aa"));
        assert_eq!(solar(&row), None);
        assert_eq!(deployed("60"), "");
    }
}
