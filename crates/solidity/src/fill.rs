//! Code for a front end's answer: its Yul is compiled, and its contracts get what is asked for.

use crate::cache::Cache;
use crate::callables::{self, Callables};
use crate::code::{self, Shown};
use crate::compile::{Blame, Compiled, Compiler, Fault, Source};
use crate::environment::Environment;
use crate::inherited;
use crate::message::{Message, Severity, SourceLocation, Texts};
use crate::metadata::Metadata;
use crate::optimized::optimized;
use crate::parts::Parts;
use crate::places::{Detail, placed};
use crate::proof::Proving;
use crate::selection::Selection;
use crate::settings::Settings;
use crate::sizes;
use crate::stats::Stats;
use cairn_driver::place::Place;
use cairn_driver::{Level, Options};
use cairn_evm::Fork;
use semver::Version;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A contract by file and name.
type Name = (String, String);

/// What is asked for, of a front end's answer.
pub(crate) struct Fill<'a> {
    /// That of the front end.
    pub(crate) version: Version,
    pub(crate) settings: Settings,
    /// What the metadata says of the optimizer, where the front end was told something else.
    pub(crate) optimizer: Option<Value>,
    pub(crate) selection: Selection,
    pub(crate) texts: Texts,
    pub(crate) environment: &'a Environment,
}

impl Fill<'_> {
    /// Compiles the contracts whose code is asked for, and puts it in.
    pub(crate) fn fill(&self, parts: &mut Parts, stats: &mut Stats) -> Result<(), Message> {
        if parts.has_errors() {
            return Ok(());
        }
        let mut metadata = Metadata::new(&self.settings).with_optimizer(self.optimizer.clone());
        let fork = self.take_metadata(parts, &mut metadata)?;
        let (names, sources) = self.take_yul(parts);
        let places: BTreeMap<Name, Place> = names
            .iter()
            .cloned()
            .zip(&sources)
            .filter_map(|(name, source)| Some((name, source.place()?)))
            .collect();
        let cache = self.environment.overrides.cache.clone().map(Cache::new);
        let compiler = Compiler {
            options: self.settings.options(fork),
            metadata: &metadata,
            cache: cache.as_ref(),
            threads: self.environment.overrides.threads,
            progress: &self.environment.progress,
        };
        let (compiled, counts) = compiler.compile(&self.with_places(&sources));
        stats.counts = counts;
        if let Some(cache) = &cache {
            cache.tidy();
        }
        let texts = sources.iter().map(|source| source.yul.as_str());
        let yul: BTreeMap<Name, &str> = names.iter().cloned().zip(texts).collect();
        self.insert_optimized(parts, &yul, fork);
        let compiled: BTreeMap<Name, Compiled> = names.into_iter().zip(compiled).collect();
        self.report(parts, &compiled, &places, &yul, fork);
        self.insert(parts, &compiled, &yul, fork);
        self.insert_proofs(parts, &compiled, &yul, &compiler.options);
        parts.prune();
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

    /// What of the contracts is called otherwise than by name, and takes away what was asked only to tell that.
    fn take_callables(&self, parts: &mut Parts) -> BTreeMap<Name, Callables> {
        let mut found = BTreeMap::new();
        if !self.selection.wants_gas() {
            return found;
        }
        let mut internal = parts.take_internal(|file| self.selection.wants_of_file(file, "ast"));
        for (file, contracts) in &mut parts.contracts {
            let mut of_file = internal.remove(file).unwrap_or_default();
            for (contract, outputs) in contracts {
                let fallback = callables::fallback(outputs.get("abi").map(|raw| &**raw));
                if !self.selection.wants(file, contract, "abi") {
                    outputs.remove("abi");
                }
                let internal = of_file.remove(contract).unwrap_or_default();
                let callables = Callables { fallback, internal, ..Callables::default() };
                found.insert((file.clone(), contract.clone()), callables);
            }
        }
        found
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

    /// The Yul with places that solc leaves out. Those within inline assembly are for coverage, so for
    /// unoptimized code.
    fn with_places(&self, sources: &[Source]) -> Vec<Source> {
        let detail = if self.settings.level == Level::O0 { Detail::All } else { Detail::Calls };
        let placed = |source: &Source| Source {
            name: source.name.clone(),
            yul: placed(&source.yul, &self.texts, detail).into_owned(),
        };
        sources.iter().map(placed).collect()
    }

    /// Adds the optimized Yul of the contracts for which it is asked; that of interfaces is empty, as their Yul is.
    fn insert_optimized(&self, parts: &mut Parts, yul: &BTreeMap<Name, &str>, fork: Fork) {
        for (file, contracts) in &mut parts.contracts {
            for (contract, outputs) in contracts {
                if !self.selection.wants(file, contract, "irOptimized") {
                    continue;
                }
                let text = match yul.get(&(file.clone(), contract.clone())) {
                    Some(yul) => optimized(yul, fork, self.settings.level, self.settings.runs),
                    None => Some(String::new()),
                };
                let raw = text.and_then(|text| serde_json::value::to_raw_value(&text).ok());
                outputs.extend(raw.map(|raw| ("irOptimized".to_owned(), raw)));
            }
        }
    }

    /// Adds errors, each once, and warnings of code that is too large and of what it inherits.
    fn report(
        &self,
        parts: &mut Parts,
        compiled: &BTreeMap<Name, Compiled>,
        places: &BTreeMap<Name, Place>,
        yul: &BTreeMap<Name, &str>,
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
                    let yul = yul.get(name).copied().unwrap_or_default();
                    let inherited = inherited::warnings(&self.version, yul);
                    for warning in sizes::warnings(code, fork).into_iter().chain(inherited) {
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

    /// Adds proofs of the code, where they are asked for.
    fn insert_proofs(
        &self,
        parts: &mut Parts,
        compiled: &BTreeMap<Name, Compiled>,
        yul: &BTreeMap<Name, &str>,
        options: &Options,
    ) {
        let Some(demand) = self.settings.prove else { return };
        let proving = Proving { demand, options, threads: self.environment.overrides.threads };
        for (name, code) in compiled.iter().filter_map(|(name, code)| Some((name, code.as_ref().ok()?))) {
            let (file, contract) = name;
            let proven = proving.prove(contract, yul.get(name).copied().unwrap_or_default(), code);
            proven.message.iter().for_each(|message| parts.push(message));
            let outputs = parts.contracts.get_mut(file).and_then(|contracts| contracts.get_mut(contract));
            let raw = proven.output.and_then(|output| serde_json::value::to_raw_value(&output).ok());
            if let (Some(outputs), Some(raw)) = (outputs, raw) {
                outputs.insert("cairn".to_owned(), raw);
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

    fn insert(
        &self,
        parts: &mut Parts,
        compiled: &BTreeMap<Name, Compiled>,
        yul: &BTreeMap<Name, &str>,
        fork: Fork,
    ) {
        let units = parts.units();
        let mut others = self.take_callables(parts);
        let calls = self.settings.options(fork).calls;
        for (file, contracts) in &mut parts.contracts {
            for (contract, outputs) in contracts {
                let wanted: Vec<&str> = code::OUTPUTS
                    .into_iter()
                    .filter(|name| self.selection.wants(file, contract, name))
                    .collect();
                let name = (file.clone(), contract.clone());
                let (result, yul) = (compiled.get(&name), yul.get(&name).copied());
                if wanted.is_empty() || matches!(result, Some(Err(_))) {
                    continue;
                }
                let linked = result
                    .and_then(|result| result.as_ref().ok())
                    .map(|code| code.linked(&self.settings.libraries));
                let mut evm: Map<String, Value> = outputs
                    .remove("evm")
                    .and_then(|raw| serde_json::from_str(raw.get()).ok())
                    .unwrap_or_default();
                let external = callables::external(&evm);
                if !self.selection.wants(file, contract, "evm.methodIdentifiers") {
                    evm.remove("methodIdentifiers");
                }
                let mut callables = others.remove(&name).unwrap_or_default();
                callables.external = external;
                let (code, callables) = (linked.as_deref(), &callables);
                let units = &units;
                let shown = Shown { code, fork, callables, contract, units, file, yul, calls };
                for name in wanted {
                    if let (Some(value), Some(path)) = (shown.output(name), name.strip_prefix("evm.")) {
                        code::insert(&mut evm, path, value);
                    }
                }
                outputs.extend(serde_json::value::to_raw_value(&evm).map(|raw| ("evm".to_owned(), raw)));
            }
        }
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
