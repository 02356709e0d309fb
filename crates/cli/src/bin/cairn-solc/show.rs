//! The answer as solc's command line prints it, or writes it to files.

use crate::args::{Args, Language};
use crate::kinds::{KINDS, json_text};
use crate::objects;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::Path;

/// The messages of an answer, for standard error, and whether an error is among them.
pub(crate) fn messages(args: &Args, answer: &Value) -> (String, bool) {
    let messages = answer["errors"].as_array().into_iter().flatten();
    let text = messages.clone().filter_map(|one| {
        let text = one["formattedMessage"].as_str()?.trim_end_matches('\n');
        let code = one["errorCode"].as_str().filter(|_| args.outputs.error_codes);
        Some(match (code, text.split_once(':')) {
            (Some(code), Some((kind, rest))) => format!("{kind} ({code}):{rest}\n\n"),
            _ => format!("{text}\n\n"),
        })
    });
    (text.collect(), messages.into_iter().any(|one| one["severity"] == "error"))
}

/// What a command line asks for.
#[derive(Debug, Default)]
pub(crate) struct Shown {
    /// For standard output.
    pub(crate) printed: String,
    /// The same in files.
    pieces: Vec<Piece>,
}

/// A text that is written to a file of this name.
#[derive(Debug)]
struct Piece {
    file: String,
    text: String,
}

/// What is done about a file that is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    Overwrite,
    Refuse,
}

/// Shows an answer without errors.
pub(crate) fn show(args: &Args, language: Language, answer: &Value, version: &str) -> Shown {
    if language == Language::Yul {
        return Shown { printed: objects::text(args, answer), pieces: Vec::new() };
    }
    let mut shown = Shown::default();
    if !args.outputs.combined_json.is_empty() {
        let text = json_text(&combined(args, answer, version), args);
        shown.printed += &text;
        shown.pieces.push(Piece { file: "combined.json".into(), text });
    }
    if args.outputs.ast_compact_json {
        shown.add_trees(args, answer);
    }
    let names = Names::of(answer);
    for (file, contracts) in answer["contracts"].as_object().into_iter().flatten() {
        for (name, contract) in contracts.as_object().into_iter().flatten() {
            shown.add_contract(args, &format!("{file}:{name}"), &names.of_file(file, name), contract);
        }
    }
    shown
}

impl Shown {
    fn add_trees(&mut self, args: &Args, answer: &Value) {
        self.printed += "JSON AST (compact format):\n\n";
        for (file, unit) in answer["sources"].as_object().into_iter().flatten() {
            let tree = &unit["ast"];
            let text = json_text(tree, args);
            self.printed += &format!("\n======= {file} =======\n{text}");
            let name = file.rsplit('/').next().unwrap_or(file);
            let is_taken = self.pieces.iter().any(|piece| piece.file == format!("{name}_json.ast"));
            let name = if is_taken { flat(file) } else { name.to_owned() };
            self.pieces.push(Piece { file: format!("{name}_json.ast"), text });
        }
    }

    fn add_contract(&mut self, args: &Args, full: &str, stem: &str, contract: &Value) {
        let mut text = String::new();
        for kind in KINDS.iter().filter(|kind| kind.is_shown(args)) {
            let shown = kind.text(contract, args);
            text += &format!("{}\n{shown}", kind.heading);
            // Files hold the digits alone.
            let content = if kind.suffix.starts_with(".bin") { shown.trim_end().to_owned() } else { shown };
            self.pieces.push(Piece { file: format!("{stem}{}", kind.suffix), text: content });
        }
        if !text.is_empty() {
            self.printed += &format!("\n======= {full} =======\n{text}");
        }
    }

    /// Writes all files or, where one is there that may not be overwritten, none.
    ///
    /// # Errors
    /// A file cannot be written.
    pub(crate) fn write(&self, folder: &Path, existing: Existing) -> Result<(), String> {
        write_all(folder, &self.pieces, existing)
    }
}

/// Names of contracts, as often as there are such.
struct Names<'a>(Vec<&'a str>);

impl<'a> Names<'a> {
    fn of(answer: &'a Value) -> Names<'a> {
        let files = answer["contracts"].as_object().into_iter().flatten();
        let names = files.flat_map(|(_, contracts)| contracts.as_object().into_iter().flatten());
        Names(names.map(|(name, _)| name.as_str()).collect())
    }

    /// The beginning of the names of a contract's files: with the source's, where the contract's own
    /// is another's as well.
    fn of_file(&self, file: &str, contract: &str) -> String {
        match self.0.iter().filter(|name| **name == contract).count() {
            0 | 1 => contract.to_owned(),
            _ => flat(&format!("{file}:{contract}")),
        }
    }
}

fn combined(args: &Args, answer: &Value, version: &str) -> Value {
    let mut contracts = Map::new();
    for (file, found) in answer["contracts"].as_object().into_iter().flatten() {
        for (name, contract) in found.as_object().into_iter().flatten() {
            let wanted = KINDS.iter().filter(|kind| kind.is_combined(args));
            let outputs = wanted.map(|kind| (kind.combined.to_owned(), kind.value(contract).clone()));
            contracts.insert(format!("{file}:{name}"), Value::Object(outputs.collect()));
        }
    }
    let mut units: Vec<(&String, &Value)> = answer["sources"].as_object().into_iter().flatten().collect();
    units.sort_by_key(|(_, unit)| unit["id"].as_u64());
    let list: Vec<&String> = units.iter().map(|(name, _)| *name).collect();
    let mut all = json!({ "contracts": contracts, "version": version });
    all["sourceList"] = json!(list);
    if args.outputs.combined_json.iter().any(|name| name == "ast") {
        let trees = units
            .iter()
            .map(|(name, unit)| ((*name).clone(), json!({ "AST": unit["ast"], "id": unit["id"] })));
        all["sources"] = Value::Object(trees.collect());
    }
    all
}

/// A path as the name of one file.
fn flat(path: &str) -> String {
    path.replace(|c: char| !c.is_ascii_alphanumeric(), "_")
}

/// Writes all or, where a file is there that may not be overwritten, none.
fn write_all(folder: &Path, pieces: &[Piece], existing: Existing) -> Result<(), String> {
    let shown = |error: std::io::Error, path: &Path| format!("{}: {error}", path.display());
    std::fs::create_dir_all(folder).map_err(|error| shown(error, folder))?;
    let paths: Vec<_> = pieces.iter().map(|piece| folder.join(&piece.file)).collect();
    if let Some(there) = paths.iter().find(|path| existing == Existing::Refuse && path.exists()) {
        let there = there.display();
        return Err(format!("Refusing to overwrite existing file \"{there}\" (use --overwrite to force)."));
    }
    for (piece, path) in pieces.iter().zip(&paths) {
        let write = || -> std::io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(piece.text.as_bytes())?;
            // Such files are made for their owner alone; outputs are for everybody.
            open_to_all(file.as_file())?;
            file.persist(path)?;
            Ok(())
        };
        write().map_err(|error| shown(error, path))?;
    }
    Ok(())
}

#[cfg(unix)]
fn open_to_all(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn open_to_all(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}
