//! What others call of a program and see of it: external functions, variables, events; the same facts for text and JSON.

use super::options::ReportOptions;
use crate::analysis::Analysis;
use crate::arguments::find_arguments_of;
use crate::mutability::find_mutability;
use crate::standards::{known_events, known_signatures};
use crate::storage::{Touched, find_touched, find_variables};
use cairn_evm::{Word, keccak256};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A function that is called by a selector.
pub(super) struct ExternalFunction {
    pub(super) selector: u32,
    /// Offset where control goes for it.
    pub(super) entry: u32,
    /// As options or standards name it.
    pub(super) signature: Option<String>,
    /// Types of its arguments as the code tells them, with commas between; `None` where there are too many functions.
    pub(super) arguments: Option<String>,
    pub(super) mutability: &'static str,
}

/// The external functions by selector.
pub(super) fn external_functions(analysis: &Analysis<'_>, options: &ReportOptions) -> Vec<ExternalFunction> {
    let arguments = find_arguments_of(analysis);
    let mutability = find_mutability(analysis, &arguments);
    let known = known_signatures();
    let describe = |(found, mutability): (&crate::selectors::Selector, crate::mutability::Mutability)| {
        let selector = found.selector;
        let named = options.signatures.get(&selector).map(String::as_str);
        let place = arguments.binary_search_by_key(&selector, |one| one.selector).ok();
        ExternalFunction {
            selector,
            entry: analysis.blocks.get(found.entry).start,
            signature: named.or(known.get(&selector).copied()).map(str::to_owned),
            arguments: place.and_then(|place| arguments[place].text()),
            mutability: mutability.name(),
        }
    };
    analysis.selectors.iter().zip(mutability).map(describe).collect()
}

/// An event, and where it is emitted.
pub(super) struct EmittedEvent {
    /// Number of topics, 0 to 4.
    pub(super) topics: u8,
    /// The first topic; `None` without topics, and where it is not known.
    pub(super) topic: Option<Word>,
    /// As options or standards name it.
    pub(super) signature: Option<String>,
    /// Offsets of the instructions.
    pub(super) pcs: Vec<u32>,
}

/// The events by first topic and number of topics.
pub(super) fn list_events(touched: &Touched, options: &ReportOptions) -> Vec<EmittedEvent> {
    let known: BTreeMap<[u8; 32], &str> =
        known_events().iter().map(|signature| (keccak256(signature.as_bytes()).0, *signature)).collect();
    let mut by_topic: BTreeMap<(Option<Word>, u8), Vec<u32>> = BTreeMap::new();
    for event in &touched.events {
        by_topic.entry((event.topic, event.topics)).or_default().push(event.pc);
    }
    let name = |topic: Word| {
        let bytes = topic.to_be_bytes::<32>();
        options.topics.get(&bytes).map(String::as_str).or(known.get(&bytes).copied()).map(str::to_owned)
    };
    let events = by_topic.into_iter().map(|((topic, topics), pcs)| EmittedEvent {
        topics,
        topic,
        signature: topic.and_then(name),
        pcs,
    });
    events.collect()
}

/// Puts functions, variables and events into the JSON of an analysis.
pub(super) fn add_to(value: &mut Value, analysis: &Analysis<'_>, options: &ReportOptions) {
    let digits = |selector: &u32| format!("0x{selector:08x}");
    let touched = find_touched(analysis);
    let functions = external_functions(analysis, options).into_iter().map(|function| {
        json!({
            "selector": digits(&function.selector),
            "entry": function.entry,
            "signature": function.signature,
            "arguments": function.arguments,
            "mutability": function.mutability,
        })
    });
    value["external_functions"] = functions.collect();
    let variables = find_variables(analysis, &touched.storage).into_iter().map(|variable| {
        json!({
            "slot": format!("{:#x}", variable.slot),
            "offset": variable.offset,
            "type": variable.kind,
            "readers": variable.readers.iter().map(digits).collect::<Vec<_>>(),
            "writers": variable.writers.iter().map(digits).collect::<Vec<_>>(),
        })
    });
    value["variables"] = variables.collect();
    let events = list_events(&touched, options).into_iter().map(|event| {
        json!({
            "topics": event.topics,
            "topic": event.topic.map(|topic| format!("{topic:#066x}")),
            "signature": event.signature,
            "at": event.pcs,
        })
    });
    value["events"] = events.collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze::analyze;
    use crate::report::{full_with, text_with};

    /// A dispatcher of one case: LOG1 with the topic of `Upgraded(address)`, LOG1 with topic 9, SSTORE(1, CALLDATALOAD(4)).
    fn code() -> Vec<u8> {
        let topic = cairn_evm::hex::encode(keccak256(b"Upgraded(address)"));
        let digits = format!("5f3560e01c63aabbccdd1460105700005b7f{topic}5f5fa160095f5fa160043560015500");
        cairn_evm::hex::decode(digits).expect("digits")
    }

    fn options() -> ReportOptions {
        ReportOptions {
            signatures: BTreeMap::from([(0xaabb_ccdd, "set(uint256)".to_owned())]),
            topics: BTreeMap::from([(Word::from(9).to_be_bytes::<32>(), "Nine()".to_owned())]),
            ..ReportOptions::default()
        }
    }

    #[test]
    fn json_has_functions_variables_and_events() {
        let code = code();
        let value = full_with("x", &analyze(&code), 0.0, &options());
        let function = &value["external_functions"][0];
        assert_eq!(function["selector"], "0xaabbccdd");
        assert_eq!(function["signature"], "set(uint256)");
        assert_eq!((&function["arguments"], &function["mutability"]), (&json!("uint256"), &json!("payable")));
        let variable = json!({
            "slot": "0x1", "offset": 0, "type": "uint256", "readers": [], "writers": ["0xaabbccdd"],
        });
        assert_eq!(value["variables"], json!([variable]));
        let names: Vec<_> = (0..2).map(|event| value["events"][event]["signature"].clone()).collect();
        assert_eq!(names, ["Nine()", "Upgraded(address)"]);
        assert_eq!(value["events"][1]["at"], json!([52]));
        // What has no name is told all the same.
        let value = full_with("x", &analyze(&code), 0.0, &ReportOptions::default());
        assert_eq!(value["external_functions"][0]["signature"], Value::Null);
        assert_eq!(value["events"][0]["topic"], format!("{:#066x}", 9));
    }

    #[test]
    fn text_says_the_same() {
        let text = text_with("x", &analyze(&code()), &options());
        for line in [
            "  selector 0xaabbccdd at 0x10: set(uint256) payable",
            "  storage 0x1: uint256, written by 0xaabbccdd",
            "  event Nine(): topics 1, at 0x39",
            "  event Upgraded(address): topics 1, at 0x34",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in {text}");
        }
    }

    #[test]
    fn events_without_a_known_topic_are_told_apart() {
        // LOG0; LOG1 with CALLDATALOAD(0) as its topic
        let code = cairn_evm::hex::decode("5f5fa05f355f5fa100").expect("digits");
        let text = text_with("x", &analyze(&code), &ReportOptions::default());
        assert!(text.contains("  event without topics: topics 0, at 0x2\n"), "{text}");
        assert!(text.contains("  event with a first topic that is not known: topics 1, at 0x7\n"), "{text}");
    }
}
