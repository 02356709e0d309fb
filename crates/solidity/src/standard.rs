//! Standard JSON in, standard JSON out.
//!
//! [`answer`] gives an answer to every text: what cannot be read is an error in it.

use crate::cache::Cache;
use crate::code::{self, Shown};
use crate::compile::{Blame, Compiled, Compiler, Fault, Source};
use crate::frontend::{self, FileAccess, find};
use crate::message::{Message, Severity, SourceLocation, Texts};
use crate::metadata::Metadata;
use crate::selection::Selection;
use crate::settings::{Overrides, Settings};
use crate::sizes;
use cairn_driver::place::Place;
use cairn_evm::Fork;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a compilation takes from its surroundings.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Where front ends are looked for.
    pub places: find::Places,
    /// The files that sources may import.
    pub access: FileAccess,
    /// What the caller demands.
    pub overrides: Overrides,
}

/// The answer to a request.
pub fn answer(request: &str, environment: &Environment) -> String {
    let answered = read(request).and_then(|request| match request["language"].as_str() {
        Some("Solidity" | "SolidityAST") => solidity(request, environment),
        Some("Yul") => crate::yul::answer(&request, environment),
        _ => Err(Message::of_request(
            "Only \"Solidity\", \"Yul\" or \"SolidityAST\" is supported as a language.",
        )),
    });
    answered.unwrap_or_else(|message| json!({ "errors": [message.to_value()] }).to_string())
}

fn read(request: &str) -> Result<Value, Message> {
    let value: Value = serde_json::from_str(request)
        .map_err(|fault| Message::of_request(format!("parse error: {fault}")))?;
    match &value {
        Value::Object(fields) if fields.get("sources").is_some_and(Value::is_object) => Ok(value),
        Value::Object(_) => Err(Message::of_request("No input sources specified.")),
        _ => Err(Message::of_request("Input is not a JSON object.")),
    }
}

/// The parts of an answer that are looked into; the rest stays text.
type Outputs = BTreeMap<String, Box<RawValue>>;

/// An answer of the front end.
struct Parts {
    fields: Outputs,
    /// File to contract to outputs.
    contracts: BTreeMap<String, BTreeMap<String, Outputs>>,
    messages: Vec<Box<RawValue>>,
}

fn solidity(mut request: Value, environment: &Environment) -> Result<String, Message> {
    let settings = Settings::of(&request["settings"], &environment.overrides)?;
    let selection = Selection::of(request["settings"].get("outputSelection"));
    let texts = texts_of(&request);
    let wants_code = selection.wants_code() && request["settings"]["stopAfter"] != "parsing";
    let front_end =
        find::for_sources(&environment.places, texts.values()).map_err(|fault| message_of(&fault))?;
    prepare(&mut request, &selection, wants_code);
    let optimizer = if wants_code { without_optimizer(&mut request, &front_end.version) } else { None };
    let answer = ask(environment, &front_end, &request).map_err(|fault| message_of(&fault))?;
    if !wants_code {
        return Ok(answer);
    }
    let mut parts = parts_of(&answer).ok_or_else(|| {
        Message::error("InternalCompilerError", "the front end's answer is not in standard JSON")
    })?;
    drop(answer);
    Project { settings, optimizer, selection, texts, overrides: &environment.overrides }.fill(&mut parts)?;
    Ok(parts.to_text())
}

/// The front end's answer.
fn ask(
    environment: &Environment,
    front_end: &frontend::FrontEnd,
    request: &Value,
) -> Result<String, frontend::Fault> {
    let mut running = front_end.start(&environment.places, &environment.access)?;
    running.compile(&request.to_string())
}

fn message_of(fault: &frontend::Fault) -> Message {
    let help = fault.help().map(|help| format!(" {help}")).unwrap_or_default();
    Message::error("InternalCompilerError", format!("{fault}.{help}"))
}

/// Texts of the sources that stand in the request.
fn texts_of(request: &Value) -> Texts {
    let sources = request["sources"].as_object().into_iter().flatten();
    let texts =
        sources.filter_map(|(name, source)| Some((name.clone(), source["content"].as_str()?.to_owned())));
    texts.collect()
}

/// Turns a request for code into one for Yul.
fn prepare(request: &mut Value, selection: &Selection, wants_code: bool) {
    let Some(settings) = request.get_mut("settings").and_then(Value::as_object_mut) else { return };
    settings.remove("cairn");
    if !wants_code {
        return;
    }
    settings.insert("outputSelection".to_owned(), selection.for_front_end());
    let asks_for_yul = selection.wants("*", "*", "ir");
    let debug = settings.entry("debug").or_insert_with(|| json!({}));
    let info = debug.get("debugInfo").and_then(Value::as_array).cloned();
    let keeps_places =
        info.as_ref().is_none_or(|list| list.iter().any(|one| one == "location" || one == "*"));
    if let Some(debug) = debug.as_object_mut().filter(|_| !asks_for_yul || info.is_none()) {
        // Snippets make the text twice as long, and only people read them.
        let kinds = match (keeps_places, asks_for_yul) {
            (true, false) => json!(["location"]),
            (true, true) => json!(["location", "snippet"]),
            (false, _) => json!([]),
        };
        debug.insert("debugInfo".to_owned(), kinds);
    }
}

/// The first front end that gives the Yul without optimizing it as well, which takes minutes.
const FIRST_LAZY: semver::Version = semver::Version::new(0, 8, 27);

/// Switches an old front end's optimizer off; returns the settings that its metadata should name.
/// The Yul that is asked for is the same.
fn without_optimizer(request: &mut Value, version: &semver::Version) -> Option<Value> {
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

fn parts_of(answer: &str) -> Option<Parts> {
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

impl Parts {
    fn to_text(&self) -> String {
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

    fn push(&mut self, message: &Message) {
        self.messages.extend(serde_json::value::to_raw_value(message));
    }

    fn has_errors(&self) -> bool {
        self.messages.iter().any(|raw| {
            let message: Value = serde_json::from_str(raw.get()).unwrap_or_default();
            message["severity"] == "error"
        })
    }
}

/// A contract by file and name.
type Name = (String, String);

/// What is asked for, of a front end's answer.
struct Project<'a> {
    settings: Settings,
    /// What the metadata says of the optimizer, where the front end was told something else.
    optimizer: Option<Value>,
    selection: Selection,
    texts: Texts,
    overrides: &'a Overrides,
}

impl Project<'_> {
    /// Compiles the contracts whose code is asked for, and puts it in.
    fn fill(&self, parts: &mut Parts) -> Result<(), Message> {
        if parts.has_errors() {
            return Ok(());
        }
        let mut metadata =
            Metadata::new(self.settings.level, self.settings.runs).with_optimizer(self.optimizer.clone());
        let fork = self.take_metadata(parts, &mut metadata)?;
        let (names, sources) = self.take_yul(parts);
        let places: BTreeMap<Name, Place> = names
            .iter()
            .cloned()
            .zip(&sources)
            .filter_map(|(name, source)| Some((name, source.place()?)))
            .collect();
        let cache = self.overrides.cache.clone().map(Cache::new);
        let compiler = Compiler {
            options: self.settings.options(fork),
            metadata: &metadata,
            cache: cache.as_ref(),
            threads: self.overrides.threads,
        };
        let compiled = compiler.compile(&sources);
        if let Some(cache) = &cache {
            cache.tidy();
        }
        let compiled: BTreeMap<Name, Compiled> = names.into_iter().zip(compiled).collect();
        self.report(parts, &compiled, &places, fork);
        self.insert(parts, &compiled, fork);
        Ok(())
    }

    /// Rewrites all metadata, which tells the fork, and removes what was not asked for.
    fn take_metadata(&self, parts: &mut Parts, metadata: &mut Metadata) -> Result<Fork, Message> {
        let mut fork = self.settings.fork;
        for (file, contracts) in &mut parts.contracts {
            for (contract, outputs) in contracts {
                let Some(raw) = outputs.remove("metadata") else { continue };
                let old: String = serde_json::from_str(raw.get()).unwrap_or_default();
                if fork.is_none() && !old.is_empty() {
                    fork = Some(fork_in(&old)?);
                }
                let new = metadata.rewrite(&old);
                if self.selection.wants(file, contract, "metadata") {
                    outputs.extend(
                        serde_json::value::to_raw_value(&new).map(|raw| ("metadata".to_owned(), raw)),
                    );
                }
            }
        }
        Ok(fork.unwrap_or_default())
    }

    /// The Yul of the contracts whose code is asked for.
    fn take_yul(&self, parts: &mut Parts) -> (Vec<Name>, Vec<Source>) {
        let (mut names, mut sources) = (Vec::new(), Vec::new());
        for (file, contracts) in &mut parts.contracts {
            for (contract, outputs) in contracts {
                let kept =
                    self.selection.wants(file, contract, "ir").then(|| outputs.get("ir").cloned()).flatten();
                let Some(raw) = outputs.remove("ir").filter(|_| self.selection.wants_code_of(file, contract))
                else {
                    continue;
                };
                outputs.extend(kept.map(|raw| ("ir".to_owned(), raw)));
                let yul: String = serde_json::from_str(raw.get()).unwrap_or_default();
                if !yul.is_empty() {
                    names.push((file.clone(), contract.clone()));
                    sources.push(Source { name: format!("{file}:{contract}"), yul });
                }
            }
        }
        (names, sources)
    }

    /// Adds errors, each once, and warnings of code that is too large.
    fn report(
        &self,
        parts: &mut Parts,
        compiled: &BTreeMap<Name, Compiled>,
        places: &BTreeMap<Name, Place>,
        fork: Fork,
    ) {
        let mut seen: BTreeSet<*const Fault> = BTreeSet::new();
        for (name, result) in compiled {
            let (file, contract) = name;
            match result {
                Err(fault) if seen.insert(Arc::as_ptr(fault)) => {
                    parts.push(&self.message(file, contract, fault))
                }
                Err(_) => {}
                Ok(code) => {
                    let place = places.get(name).map(location);
                    for warning in sizes::warnings(code, fork) {
                        let warning = match &place {
                            Some(place) => warning.at(place.clone(), &self.texts),
                            None => warning,
                        };
                        parts.push(&warning);
                    }
                }
            }
        }
    }

    fn message(&self, file: &str, contract: &str, fault: &Fault) -> Message {
        let kind = match fault.blame {
            Blame::Input => "CodeGenerationError",
            Blame::Cairn => "InternalCompilerError",
        };
        let message = Message::error(kind, format!("{contract}: {}", fault.message));
        debug_assert_eq!(message.severity, Severity::Error, "it is an error");
        let place = match &fault.place {
            Some(place) => location(place),
            None => SourceLocation { file: file.to_owned(), start: -1, end: -1 },
        };
        message.at(place, &self.texts)
    }

    fn insert(&self, parts: &mut Parts, compiled: &BTreeMap<Name, Compiled>, fork: Fork) {
        for (file, contracts) in &mut parts.contracts {
            for (contract, outputs) in contracts {
                let wanted: Vec<&str> = code::OUTPUTS
                    .into_iter()
                    .filter(|name| self.selection.wants(file, contract, name))
                    .collect();
                let result = compiled.get(&(file.clone(), contract.clone()));
                if wanted.is_empty() || matches!(result, Some(Err(_))) {
                    continue;
                }
                let linked = result.and_then(|result| result.as_ref().ok()).map(|code| self.linked(code));
                let mut evm: Map<String, Value> = outputs
                    .remove("evm")
                    .and_then(|raw| serde_json::from_str(raw.get()).ok())
                    .unwrap_or_default();
                let signatures: Vec<String> = evm
                    .get("methodIdentifiers")
                    .and_then(Value::as_object)
                    .map(|names| names.keys().cloned().collect())
                    .unwrap_or_default();
                let shown = Shown { code: linked.as_ref(), fork, signatures: &signatures };
                for name in wanted {
                    if let (Some(value), Some(path)) = (shown.output(name), name.strip_prefix("evm.")) {
                        code::insert(&mut evm, path, value);
                    }
                }
                outputs.extend(serde_json::value::to_raw_value(&evm).map(|raw| ("evm".to_owned(), raw)));
            }
        }
    }

    /// The code with the addresses of the libraries that are known.
    fn linked(&self, code: &crate::compile::Code) -> crate::compile::Code {
        code.linked(&self.settings.libraries)
    }
}

fn location(place: &Place) -> SourceLocation {
    SourceLocation { file: place.file.clone(), start: place.start.into(), end: place.end.into() }
}

/// The fork that metadata names.
fn fork_in(metadata: &str) -> Result<Fork, Message> {
    let fields: Value = serde_json::from_str(metadata).unwrap_or_default();
    let Some(name) = fields["settings"]["evmVersion"].as_str() else { return Ok(Fork::default()) };
    name.parse().map_err(|_| Message::error("CodeGenerationError", format!("unknown EVM version `{name}`")))
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
