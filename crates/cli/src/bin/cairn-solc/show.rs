//! The answer as solc's command line prints it, or writes it to files.

use crate::args::{Args, Language};
use crate::kinds::KINDS;
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::Path;

/// The messages of an answer, for standard error, and whether an error is among them.
pub(crate) fn messages(answer: &Value) -> (String, bool) {
    let messages = answer["errors"].as_array().into_iter().flatten();
    let text = messages.clone().filter_map(|one| one["formattedMessage"].as_str());
    let text: String = text.map(|one| format!("{}\n", one.trim_end_matches('\n'))).collect();
    (text, messages.into_iter().any(|one| one["severity"] == "error"))
}

/// A text that is printed or written to a file of this name.
struct Piece {
    file: String,
    text: String,
}

/// Shows an answer without errors; what is to be printed.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn show(args: &Args, language: Language, answer: &Value, version: &str) -> Result<String, String> {
    let mut printed = String::new();
    let mut pieces: Vec<Piece> = Vec::new();
    if !args.outputs.combined_json.is_empty() {
        let text = combined(args, answer, version);
        let text = if args.outputs.pretty_json { format!("{text:#}\n") } else { format!("{text}\n") };
        if args.outputs.output_dir.is_none() {
            printed += &text;
        }
        pieces.push(Piece { file: "combined.json".into(), text });
    }
    for (file, tree) in answer["sources"].as_object().into_iter().flatten() {
        if args.outputs.ast_compact_json {
            printed += &format!("JSON AST (compact format):\n\n\n======= {file} =======\n{}\n", tree["ast"]);
            pieces
                .push(Piece { file: format!("{}_json.ast", flat(file)), text: format!("{}\n", tree["ast"]) });
        }
    }
    for (file, contracts) in answer["contracts"].as_object().into_iter().flatten() {
        for (name, contract) in contracts.as_object().into_iter().flatten() {
            printed += &match language {
                Language::Solidity => contract_text(args, file, name, contract, &mut pieces),
                Language::Yul => object_text(file, contract),
            };
        }
    }
    let Some(folder) = &args.outputs.output_dir else { return Ok(printed) };
    write_all(folder, &pieces, args.outputs.overwrite)?;
    Ok(format!("Compiler run successful. Artifact(s) can be found in directory \"{}\".\n", folder.display()))
}

fn contract_text(args: &Args, file: &str, name: &str, contract: &Value, pieces: &mut Vec<Piece>) -> String {
    let mut text = String::new();
    for kind in KINDS.iter().filter(|kind| kind.is_shown(args)) {
        let shown = kind.text(contract, args.outputs.pretty_json);
        text += &format!("{}\n{shown}", kind.heading);
        // Files hold the digits alone.
        let content = if kind.suffix.starts_with(".bin") { shown.trim_end().to_owned() } else { shown };
        pieces.push(Piece { file: format!("{name}{}", kind.suffix), text: content });
    }
    if text.is_empty() { text } else { format!("\n======= {file}:{name} =======\n{text}") }
}

/// What `--strict-assembly` prints.
fn object_text(file: &str, contract: &Value) -> String {
    let text =
        |path: &[&str]| path.iter().fold(contract, |value, part| &value[part]).as_str().unwrap_or_default();
    format!(
        "\n======= {file} (EVM) =======\n\nPretty printed source:\n{}\n\n\nBinary representation:\n{}\n\nText \
         representation:\n{}\n",
        text(&["ir"]).trim_end(),
        text(&["evm", "bytecode", "object"]),
        text(&["evm", "assembly"]).trim_end()
    )
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
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

/// Writes all or, where a file is there that may not be overwritten, none.
fn write_all(folder: &Path, pieces: &[Piece], overwrite: bool) -> Result<(), String> {
    let shown = |error: std::io::Error, path: &Path| format!("{}: {error}", path.display());
    std::fs::create_dir_all(folder).map_err(|error| shown(error, folder))?;
    let paths: Vec<_> = pieces.iter().map(|piece| folder.join(&piece.file)).collect();
    if let Some(there) = paths.iter().find(|path| !overwrite && path.exists()) {
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
