//! The command line as a request in standard JSON.

use crate::args::{Args, Language};
use crate::environment::access;
use crate::kinds::KINDS;
use crate::objects;
use serde_json::{Map, Value, json};
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The request for what the command line asks for.
///
/// # Errors
/// A source that cannot be read, a library that is written wrong, no source at all.
pub(crate) fn of(args: &Args, language: Language) -> Result<Value, String> {
    let mut sources = Map::new();
    let mut remappings = Vec::new();
    for input in args.inputs() {
        match input.split_once('=') {
            Some(_) => remappings.push(input.clone()),
            None => add_source(args, input, &mut sources)?,
        }
    }
    if sources.is_empty() {
        return Err(
            "No input files given. If you wish to use the standard input please specify \"-\" explicitly."
                .into(),
        );
    }
    let name = match language {
        Language::Solidity => "Solidity",
        Language::Yul => "Yul",
    };
    let mut settings = settings(args, language)?;
    if !remappings.is_empty() {
        settings["remappings"] = json!(remappings);
    }
    Ok(json!({ "language": name, "sources": sources, "settings": settings }))
}

fn add_source(args: &Args, input: &str, sources: &mut Map<String, Value>) -> Result<(), String> {
    let (name, text) = match input {
        "-" => ("<stdin>".to_owned(), read_stdin()),
        path => (access(args).unit_name(Path::new(path)), std::fs::read_to_string(path)),
    };
    match text {
        Ok(content) => _ = sources.insert(name, json!({ "content": content })),
        Err(_) if args.files.ignore_missing => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(format!("\"{input}\" is not found."));
        }
        Err(error) => return Err(format!("\"{input}\" cannot be read: {error}")),
    }
    Ok(())
}

fn read_stdin() -> std::io::Result<String> {
    let mut text = String::new();
    std::io::stdin().lock().read_to_string(&mut text)?;
    Ok(text)
}

fn settings(args: &Args, language: Language) -> Result<Value, String> {
    let code = &args.code;
    let mut optimizer = json!({ "enabled": code.optimize || code.optimize_yul });
    if let Some(runs) = code.optimize_runs {
        optimizer["runs"] = json!(runs);
    }
    if let Some(steps) = &code.yul_optimizations {
        optimizer["details"] = json!({ "yul": true, "yulDetails": { "optimizerSteps": steps } });
    }
    let mut settings = json!({ "optimizer": optimizer, "outputSelection": selection(args, language) });
    let mut metadata = Map::new();
    if let Some(hash) = &code.metadata_hash {
        metadata.insert("bytecodeHash".into(), json!(if hash == "swarm" { "bzzr1" } else { hash }));
    }
    if code.no_cbor_metadata {
        metadata.insert("appendCBOR".into(), json!(false));
    }
    if code.metadata_literal {
        metadata.insert("useLiteralContent".into(), json!(true));
    }
    let mut debug = Map::new();
    if let Some(strings) = &code.revert_strings {
        debug.insert("revertStrings".into(), json!(strings));
    }
    if !code.debug_info.is_empty() {
        debug.insert("debugInfo".into(), json!(code.debug_info));
    }
    for (name, fields) in [("metadata", metadata), ("debug", debug)] {
        if !fields.is_empty() {
            settings[name] = Value::Object(fields);
        }
    }
    for (name, value) in [("evmVersion", &code.evm_version), ("stopAfter", &code.stop_after)] {
        if let Some(value) = value {
            settings[name] = json!(value);
        }
    }
    if code.experimental {
        settings["experimental"] = json!(true);
    }
    if code.via_ir {
        settings["viaIR"] = json!(true);
    }
    let libraries = crate::libraries::parse(&code.libraries)?;
    if !libraries.is_empty() {
        settings["libraries"] = by_file(&libraries);
    }
    Ok(settings)
}

/// Libraries as the request has them: by file and name.
fn by_file(libraries: &[crate::libraries::Library]) -> Value {
    let mut files = Map::new();
    for library in libraries {
        let (file, name) = library.name.rsplit_once(':').unwrap_or(("", &library.name));
        let names = files.entry(file).or_insert_with(|| json!({}));
        names[name] = json!(format!("0x{}", cairn_evm::hex::encode(library.address)));
    }
    Value::Object(files)
}

fn selection(args: &Args, language: Language) -> Value {
    let wanted = KINDS.iter().filter(|kind| kind.is_wanted(args));
    let mut names: Vec<&str> = match language {
        Language::Solidity => wanted.flat_map(|kind| kind.needs()).collect(),
        Language::Yul => objects::needs(args).collect(),
    };
    names.sort_unstable();
    names.dedup();
    // Without an output, sources are checked: that needs one that costs nothing.
    names.push("evm.methodIdentifiers");
    let wants_tree =
        args.outputs.ast_compact_json || args.outputs.combined_json.iter().any(|name| name == "ast");
    let of_file: &[&str] = if wants_tree { &["ast"] } else { &[] };
    json!({ "*": { "*": names, "": of_file } })
}
