//! What of a contract can be called, as far as the front end tells.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// What of a contract can be called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Callables {
    /// Signatures of its functions, and what calls name them by.
    pub external: Vec<(String, u32)>,
    /// What takes calls of none of them.
    pub fallback: Fallback,
    /// Names of functions that only code of the contract calls, and the numbers of their definitions.
    pub internal: Vec<(String, u64)>,
}

/// What takes calls of no function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fallback {
    /// Nothing.
    #[default]
    Absent,
    /// A fallback function.
    Alone,
    /// A fallback function; another one takes calls without data.
    BesideReceive,
}

/// The functions of a contract, and what calls name them by.
pub(crate) fn external(evm: &Map<String, Value>) -> Vec<(String, u32)> {
    let names = evm.get("methodIdentifiers").and_then(Value::as_object).into_iter().flatten();
    let known = names
        .filter_map(|(name, digits)| Some((name.clone(), u32::from_str_radix(digits.as_str()?, 16).ok()?)));
    known.collect()
}

/// What the ABI says.
pub(crate) fn fallback(abi: Option<&RawValue>) -> Fallback {
    let abi: Value = abi.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
    let has = |kind: &str| abi.as_array().into_iter().flatten().any(|one| one["type"] == kind);
    match (has("fallback"), has("receive")) {
        (false, _) => Fallback::Absent,
        (true, false) => Fallback::Alone,
        (true, true) => Fallback::BesideReceive,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_takes_other_calls_stands_in_the_abi() {
        let of = |abi: &Value| fallback(serde_json::value::to_raw_value(abi).ok().as_deref());
        assert_eq!(
            of(&json!([{ "type": "receive" }, { "type": "function", "name": "fallback" }])),
            Fallback::Absent
        );
        assert_eq!(of(&json!([{ "type": "fallback" }])), Fallback::Alone);
        assert_eq!(of(&json!([{ "type": "fallback" }, { "type": "receive" }])), Fallback::BesideReceive);
        assert_eq!((of(&json!(7)), fallback(None)), (Fallback::Absent, Fallback::Absent));
    }
}
