//! Requests: read, and turned into what the front end is asked.
//!
//! The front end is asked for Yul where code is wanted, and for what passes through as it stands.

use crate::message::{Message, Texts};
use crate::selection::{Hashes, Selection};
use serde_json::{Value, json};

/// Reads a request.
///
/// # Errors
/// It is no JSON object with sources.
pub(crate) fn read(request: &str) -> Result<Value, Message> {
    let value: Value = serde_json::from_str(request)
        .map_err(|fault| Message::of_request(format!("parse error: {fault}")))?;
    match &value {
        Value::Object(fields) if fields.get("sources").is_some_and(Value::is_object) => Ok(value),
        Value::Object(_) => Err(Message::of_request("No input sources specified.")),
        _ => Err(Message::of_request("Input is not a JSON object.")),
    }
}

/// Keys of a request, and of its settings, that mean nothing: the front end refuses them, and for Yul
/// there is none.
pub(crate) fn unknown_keys(request: &Value) -> Vec<String> {
    const REQUEST: [&str; 4] = ["auxiliaryInput", "language", "settings", "sources"];
    const SETTINGS: [&str; 13] = [
        "cairn",
        "debug",
        "eofVersion",
        "evmVersion",
        "experimental",
        "libraries",
        "metadata",
        "modelChecker",
        "optimizer",
        "outputSelection",
        "remappings",
        "stopAfter",
        "viaIR",
    ];
    let of_request = request.as_object().into_iter().flat_map(|fields| fields.keys());
    let of_request = of_request.filter(|key| !REQUEST.contains(&key.as_str())).cloned();
    let of_settings = request["settings"].as_object().into_iter().flat_map(|fields| fields.keys());
    let of_settings = of_settings.filter(|key| !SETTINGS.contains(&key.as_str()));
    of_request.chain(of_settings.map(|key| format!("settings.{key}"))).collect()
}

/// Texts of the sources that stand in the request.
pub(crate) fn texts_of(request: &Value) -> Texts {
    let sources = request["sources"].as_object().into_iter().flatten();
    let texts =
        sources.filter_map(|(name, source)| Some((name.clone(), source["content"].as_str()?.to_owned())));
    texts.collect()
}

/// Takes our own settings out of a request: the front end would refuse them.
pub(crate) fn remove_own_settings(request: &mut Value) {
    if let Some(settings) = request.get_mut("settings").and_then(Value::as_object_mut) {
        settings.remove("cairn");
    }
}

/// Turns a request for code into one for Yul.
pub(crate) fn ask_for_yul(request: &mut Value, selection: &Selection) {
    let Some(settings) = request.get_mut("settings").and_then(Value::as_object_mut) else { return };
    let hashes = Hashes::of(settings.get("metadata").unwrap_or(&Value::Null));
    settings.insert("outputSelection".to_owned(), selection.for_front_end(hashes));
    if selection.names("ir") {
        // Who reads the Yul gets all that is said in it.
        return;
    }
    let debug = settings.entry("debug").or_insert_with(|| json!({}));
    let names_places = |one: &Value| one == "location" || one == "ethdebug" || one == "*";
    let info = debug.get("debugInfo").and_then(Value::as_array);
    let keeps_places = info.is_none_or(|list| list.iter().any(names_places));
    if let Some(debug) = debug.as_object_mut() {
        // Snippets make the text twice as long, and only people read them.
        let kinds = if keeps_places { json!(["location"]) } else { json!([]) };
        debug.insert("debugInfo".to_owned(), kinds);
    }
}

/// The first front end that gives the Yul without optimizing it as well, which takes minutes.
pub(crate) const FIRST_LAZY: semver::Version = semver::Version::new(0, 8, 27);

/// Switches an old front end's optimizer off; returns the settings that its metadata should name.
/// The Yul that is asked for is the same.
pub(crate) fn without_optimizer(request: &mut Value, version: &semver::Version) -> Option<Value> {
    let optimizer = request.get_mut("settings")?.get_mut("optimizer")?;
    if optimizer["enabled"] != true || *version >= FIRST_LAZY {
        return None;
    }
    let mut off = json!({ "enabled": false });
    if let Some(mut details) = optimizer.get("details").cloned().filter(Value::is_object) {
        details.as_object_mut()?.remove("yulDetails");
        details["yul"] = false.into();
        off["details"] = details;
    }
    let mut asked = std::mem::replace(optimizer, off);
    asked.as_object_mut()?.entry("runs").or_insert_with(|| 200.into());
    Some(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn switched(mut request: Value, version: &str) -> (Value, Option<Value>) {
        let version = semver::Version::parse(version).expect("a version");
        let asked = without_optimizer(&mut request, &version);
        (request["settings"]["optimizer"].clone(), asked)
    }

    #[test]
    fn snippets_are_for_those_who_read_the_yul() {
        let prepared = |names: Value| {
            let wanted = json!({ "a.sol": { "A": names } });
            let mut request = json!({ "settings": { "outputSelection": wanted } });
            let selection = Selection::of(Some(&wanted));
            ask_for_yul(&mut request, &selection);
            request["settings"]["debug"].clone()
        };
        assert_eq!(prepared(json!(["evm.bytecode"])), json!({ "debugInfo": ["location"] }));
        assert_eq!(prepared(json!(["evm.bytecode", "ir"])), Value::Null);
    }

    #[test]
    fn an_old_front_end_does_not_optimize() {
        let request = json!({ "settings": { "optimizer": { "enabled": true } } });
        let (sent, asked) = switched(request.clone(), "0.8.26+commit.8a97fa7a");
        assert_eq!(sent, json!({ "enabled": false }));
        assert_eq!(asked, Some(json!({ "enabled": true, "runs": 200 })));
        let (sent, asked) = switched(request, "0.8.27+commit.40a35a09");
        assert_eq!((sent, asked), (json!({ "enabled": true }), None));
    }

    #[test]
    fn what_shapes_the_yul_stays() {
        let details =
            json!({ "simpleCounterForLoopUncheckedIncrement": false, "yul": true, "yulDetails": {} });
        let optimizer = json!({ "enabled": true, "runs": 9, "details": details });
        let (sent, asked) = switched(json!({ "settings": { "optimizer": optimizer } }), "0.8.22");
        let kept = json!({ "simpleCounterForLoopUncheckedIncrement": false, "yul": false });
        assert_eq!(sent, json!({ "enabled": false, "details": kept }));
        assert_eq!(asked, Some(optimizer));
        assert_eq!(switched(json!({ "settings": {} }), "0.8.22"), (Value::Null, None));
    }
}
