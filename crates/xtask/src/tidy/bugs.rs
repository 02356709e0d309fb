//! `docs/bugs.json`: its form is that of docs/bugs.md, and tests that it names exist.

use super::Fault;
use crate::project::{Outcome, read, root};
use cairn_evm::Fork;
use serde_json::Value;
use std::collections::BTreeSet;

const LIST: &str = "docs/bugs.json";

const TEXTS: [&str; 6] = ["uid", "name", "summary", "description", "introduced", "severity"];
const OPTIONAL_TEXTS: [&str; 2] = ["fixed", "test"];
const SEVERITIES: [&str; 4] = ["very low", "low", "medium", "high"];
const INPUTS: [&str; 5] = ["yul", "solidity", "evm-ir", "asm", "bytecode"];
const LEVELS: [&str; 5] = ["0", "1", "2", "s", "3"];

pub(super) fn check() -> Outcome<Vec<Fault>> {
    let list =
        serde_json::from_str(&read(&root().join(LIST))?).map_err(|error| format!("{LIST}: {error}"))?;
    Ok(faults(&list))
}

fn faults(list: &Value) -> Vec<Fault> {
    let Some(entries) = list.as_array() else { return vec![Fault::new(LIST, "is no list")] };
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    let mut newer: Option<(u32, u32)> = None;
    for entry in entries {
        let uid = entry["uid"].as_str().unwrap_or("an entry without `uid`");
        let mut messages = wrong_fields(entry);
        let number = number_of(uid);
        if number.is_none() {
            messages.push("`uid` is not CAIRN-YEAR-NUMBER".to_owned());
        }
        if newer.zip(number).is_some_and(|(newer, number)| number >= newer) {
            messages.push("is not older than the entry before".to_owned());
        }
        newer = number.or(newer);
        if !seen.insert(entry["name"].as_str()) {
            messages.push("has the name of another".to_owned());
        }
        faults.extend(messages.into_iter().map(|message| Fault::new(format!("{LIST}: {uid}"), message)));
    }
    faults
}

/// Year and number.
fn number_of(uid: &str) -> Option<(u32, u32)> {
    let (year, number) = uid.strip_prefix("CAIRN-")?.split_once('-')?;
    Some((year.parse().ok()?, number.parse().ok().filter(|number| *number > 0)?))
}

fn wrong_fields(entry: &Value) -> Vec<String> {
    let Some(fields) = entry.as_object() else { return vec!["is no object".to_owned()] };
    let mut wrong = Vec::new();
    let is_text = |value: Option<&Value>| value.and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    wrong.extend(
        TEXTS.iter().filter(|field| !is_text(fields.get(**field))).map(|field| format!("lacks `{field}`")),
    );
    for field in OPTIONAL_TEXTS {
        if fields.get(field) != Some(&Value::Null) && !is_text(fields.get(field)) {
            wrong.push(format!("`{field}` is neither text nor null"));
        }
    }
    let is_known =
        |field: &str| field == "conditions" || TEXTS.contains(&field) || OPTIONAL_TEXTS.contains(&field);
    wrong.extend(
        fields.keys().filter(|field| !is_known(field)).map(|field| format!("has an unknown field `{field}`")),
    );
    for field in ["introduced", "fixed"] {
        if entry[field].as_str().is_some_and(|version| !is_version(version)) {
            wrong.push(format!("`{field}` is no version"));
        }
    }
    if !SEVERITIES.contains(&entry["severity"].as_str().unwrap_or_default()) {
        wrong.push(format!("`severity` is none of {}", SEVERITIES.join(", ")));
    }
    let file = entry["test"].as_str().map(|test| test.split("::").next().unwrap_or(test));
    if file.is_some_and(|file| !root().join(file).is_file()) {
        wrong.push("`test` does not exist".to_owned());
    }
    wrong.extend(wrong_conditions(&entry["conditions"]));
    wrong
}

fn is_version(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| part.parse::<u32>().is_ok())
}

fn wrong_conditions(conditions: &Value) -> Vec<String> {
    let Some(fields) = conditions.as_object() else { return vec!["lacks `conditions`".to_owned()] };
    let is_good = |field: &str, word: &str| match field {
        "input" => INPUTS.contains(&word),
        "level" => LEVELS.contains(&word),
        "fork" => word.parse::<Fork>().is_ok(),
        "command" => !word.is_empty(),
        _ => false,
    };
    let is_good_list = |field: &str, value: &Value| {
        let words = value.as_array().filter(|words| !words.is_empty());
        words.is_some_and(|words| {
            words.iter().all(|word| word.as_str().is_some_and(|word| is_good(field, word)))
        })
    };
    let wrong = fields.iter().filter(|(field, value)| !is_good_list(field, value));
    wrong.map(|(field, _)| format!("condition `{field}` is not as docs/bugs.md says")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The example of docs/bugs.md, with a test that exists.
    fn example() -> Value {
        let text = include_str!("../../../../docs/bugs.md");
        let json =
            text.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
        let mut entry: Value = serde_json::from_str(json).expect("it is JSON");
        entry["test"] = json!("crates/xtask/src/tidy/bugs.rs::tests");
        entry
    }

    fn with(field: &str, value: Value) -> Vec<String> {
        let mut entry = example();
        entry[field] = value;
        faults(&json!([entry])).iter().map(|fault| fault.message.clone()).collect()
    }

    #[test]
    fn the_documented_example_is_in_form() {
        assert_eq!(faults(&json!([example()])), []);
        assert_eq!(with("fixed", Value::Null), [""; 0]);
        assert_eq!(with("conditions", json!({ "fork": ["osaka"], "command": ["recompile"] })), [""; 0]);
    }

    #[test]
    fn each_field_is_checked() {
        assert_eq!(with("uid", json!("SOL-2027-1")), ["`uid` is not CAIRN-YEAR-NUMBER"]);
        assert_eq!(with("summary", json!("")), ["lacks `summary`"]);
        assert_eq!(with("fixed", json!(1)), ["`fixed` is neither text nor null"]);
        assert_eq!(with("introduced", json!("0.1")), ["`introduced` is no version"]);
        assert_eq!(with("severity", json!("bad"))[0], "`severity` is none of very low, low, medium, high");
        assert_eq!(with("test", json!("no/such/file.rs")), ["`test` does not exist"]);
        assert_eq!(with("link", json!("x")), ["has an unknown field `link`"]);
        assert_eq!(with("conditions", Value::Null), ["lacks `conditions`"]);
        for wrong in [
            json!({ "fork": ["moon"] }),
            json!({ "level": [] }),
            json!({ "input": ["c"] }),
            json!({ "x": ["y"] }),
        ] {
            assert_eq!(with("conditions", wrong).len(), 1);
        }
    }

    #[test]
    fn entries_are_unique_and_newest_first() {
        let (newer, mut older) = (example(), example());
        older["uid"] = json!("CAIRN-2026-9");
        older["name"] = json!("Another");
        assert_eq!(faults(&json!([newer, older])), []);
        let messages: Vec<String> =
            faults(&json!([older, newer, newer])).into_iter().map(|one| one.message).collect();
        let order = "is not older than the entry before";
        assert_eq!(messages, [order, order, "has the name of another"]);
        assert_eq!(faults(&json!({})).len(), 1);
    }
}
