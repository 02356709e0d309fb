//! The front end's answer, taken apart as far as it is looked into.

use crate::code::Units;
use crate::internal::{Internal, internal};
use crate::message::Message;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The parts of an answer that are looked into; the rest stays text.
pub(crate) type Outputs = BTreeMap<String, Box<RawValue>>;

/// A source unit, of which only its number is looked at.
#[derive(Deserialize)]
struct Unit {
    id: u64,
}

/// An answer of the front end.
#[derive(Default)]
pub(crate) struct Parts {
    pub(crate) fields: Outputs,
    /// File to contract to outputs.
    pub(crate) contracts: BTreeMap<String, BTreeMap<String, Outputs>>,
    pub(crate) messages: Vec<Box<RawValue>>,
}

/// Takes an answer apart; `None` for what is not in standard JSON.
pub(crate) fn parts_of(answer: &str) -> Option<Parts> {
    let mut fields: Outputs = serde_json::from_str(answer).ok()?;
    let contracts = match fields.remove("contracts") {
        Some(raw) => serde_json::from_str(raw.get()).ok()?,
        None => BTreeMap::new(),
    };
    let messages = match fields.remove("errors") {
        Some(raw) => serde_json::from_str(raw.get()).ok()?,
        None => Vec::new(),
    };
    Some(Parts { fields, contracts, messages })
}

/// What is looked at of a message.
#[derive(Deserialize)]
struct Failure<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    message: Cow<'a, str>,
}

/// Kinds of messages about the compiler itself.
const INTERNAL: [&str; 3] = ["InternalCompilerError", "Exception", "JSONError"];
/// What those say for want of memory.
const NO_MEMORY: [&str; 3] = ["bad_alloc", "Failed to allocate", "Error writing output JSON"];

impl Parts {
    /// What the front end says if it had not enough memory: `soljson.js` often answers that, and lives.
    pub(crate) fn out_of_memory(&self) -> Option<String> {
        let messages = || self.messages.iter().filter_map(|raw| serde_json::from_str(raw.get()).ok());
        let is_for_memory = |failure: &Failure<'_>| {
            INTERNAL.contains(&&*failure.kind) && NO_MEMORY.iter().any(|said| failure.message.contains(said))
        };
        let found = messages().filter(|_| self.contracts.is_empty()).find(is_for_memory);
        found.map(|failure| failure.message.trim().to_owned())
    }

    /// Adds what another answer has, of the same sources: messages that are here already come once.
    pub(crate) fn merge(&mut self, other: Parts) {
        for (file, contracts) in other.contracts {
            let known = self.contracts.entry(file).or_default();
            for (contract, outputs) in contracts {
                known.entry(contract).or_default().extend(outputs);
            }
        }
        for message in other.messages {
            if !self.messages.iter().any(|known| known.get() == message.get()) {
                self.messages.push(message);
            }
        }
        for (name, value) in other.fields {
            match self.fields.entry(name) {
                Entry::Occupied(mut known) if known.key() == "sources" => {
                    if let Some(both) = merged(known.get(), &value) {
                        known.insert(both);
                    }
                }
                Entry::Occupied(_) => {}
                Entry::Vacant(place) => _ = place.insert(value),
            }
        }
    }

    /// Removes the contracts of which nothing is left: they were asked for their metadata only, and
    /// not by the request.
    pub(crate) fn prune(&mut self) {
        self.contracts.values_mut().for_each(|contracts| contracts.retain(|_, outputs| !outputs.is_empty()));
        self.contracts.retain(|_, contracts| !contracts.is_empty());
    }

    /// The functions that only code of their contracts calls, by file; takes the syntax trees that tell away
    /// where they were not asked for.
    pub(crate) fn take_internal(&mut self, is_wanted: impl Fn(&str) -> bool) -> BTreeMap<String, Internal> {
        let mut found = BTreeMap::new();
        let Some(raw) = self.fields.get_mut("sources") else { return found };
        let Ok(mut files) = serde_json::from_str::<BTreeMap<String, Box<RawValue>>>(raw.get()) else {
            return found;
        };
        for (file, unit) in &mut files {
            found.insert(file.clone(), internal(unit));
            if !is_wanted(file)
                && let Ok(mut fields) = serde_json::from_str::<Outputs>(unit.get())
            {
                fields.remove("ast");
                if let Ok(less) = serde_json::value::to_raw_value(&fields) {
                    *unit = less;
                }
            }
        }
        if let Ok(less) = serde_json::value::to_raw_value(&files) {
            *raw = less;
        }
        found
    }

    /// The answer as JSON.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::from("{");
        let mut field = |name: &str, value: &str| {
            let comma = if text.len() > 1 { "," } else { "" };
            text += &format!("{comma}\"{name}\":{value}");
        };
        if !self.contracts.is_empty() {
            field("contracts", &serde_json::to_string(&self.contracts).unwrap_or_default());
        }
        if !self.messages.is_empty() {
            field("errors", &serde_json::to_string(&self.messages).unwrap_or_default());
        }
        self.fields.iter().for_each(|(name, value)| field(name, value.get()));
        text + "}"
    }

    pub(crate) fn push(&mut self, message: &Message) {
        self.messages.extend(serde_json::value::to_raw_value(message));
    }

    /// The names of source units by number.
    pub(crate) fn units(&self) -> Units {
        let sources = self.fields.get("sources").and_then(|raw| serde_json::from_str(raw.get()).ok());
        let sources: BTreeMap<String, Unit> = sources.unwrap_or_default();
        sources.into_iter().map(|(name, unit)| (unit.id, name)).collect()
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.messages.iter().any(|raw| {
            let message: Value = serde_json::from_str(raw.get()).unwrap_or_default();
            message["severity"] == "error"
        })
    }
}

/// What two answers say of source units: one may have the trees.
fn merged(one: &RawValue, other: &RawValue) -> Option<Box<RawValue>> {
    let mut files: BTreeMap<String, Outputs> = serde_json::from_str(one.get()).ok()?;
    let others: BTreeMap<String, Outputs> = serde_json::from_str(other.get()).ok()?;
    for (file, fields) in others {
        files.entry(file).or_default().extend(fields);
    }
    serde_json::value::to_raw_value(&files).ok()
}
