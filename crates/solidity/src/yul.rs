//! Standard JSON whose language is Yul: no front end takes part.

use crate::callables::Callables;
use crate::code::{self, Shown, Units};
use crate::compile::Code;
use crate::environment::Environment;
use crate::message::{Message, SourceLocation, Texts, wording, wording_of_bug};
use crate::optimized::optimized;
use crate::proof::Proving;
use crate::request::unknown_keys;
use crate::selection::Selection;
use crate::settings::Settings;
use cairn_diag::{Diagnostic, Severity};
use cairn_driver::{
    Failure, Input, Language, Options, Session, SourceFrames, compile_object, stages::assemble,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The answer to a request whose sources are Yul.
///
/// # Errors
/// The request is faulty as a whole.
pub(crate) fn answer(request: &Value, environment: &Environment) -> Result<String, Message> {
    let settings = Settings::of(&request["settings"], &environment.overrides)?;
    let selection = Selection::of(request["settings"].get("outputSelection"));
    let mut contracts: BTreeMap<String, Value> = BTreeMap::new();
    let mut sources: BTreeMap<String, Value> = BTreeMap::new();
    let unknown = unknown_keys(request).into_iter();
    let mut messages: Vec<Value> = unknown
        .map(|key| Message::warning(format!("Unknown key \"{key}\" is ignored.")).to_value())
        .collect();
    for (id, (file, source)) in request["sources"].as_object().into_iter().flatten().enumerate() {
        let Some(text) = source["content"].as_str() else {
            let text = format!("The source \"{file}\" has no content, which Yul needs.");
            return Err(Message::of_request(text));
        };
        sources.insert(file.clone(), json!({ "id": id }));
        let (code, found) = compile(&settings, file, text);
        messages.extend(found.iter().map(Message::to_value));
        let Some(code) = code else { continue };
        let proven = settings.prove.map(|demand| {
            let options = options(&settings);
            let threads = environment.overrides.threads;
            Proving { demand, options: &options, threads }.prove(&code.program.name, text, &code)
        });
        let code = Arc::new(code).linked(&settings.libraries);
        let mut shown = outputs(&selection, &settings, file, text, &code);
        if let Some(proven) = proven {
            messages.extend(proven.message.iter().map(Message::to_value));
            if let Some(output) = proven.output {
                shown[code.program.name.as_str()]["cairn"] = output;
            }
        }
        contracts.insert(file.clone(), shown);
    }
    let mut fields = Map::new();
    if !contracts.is_empty() {
        fields.insert("contracts".to_owned(), json!(contracts));
    }
    if !messages.is_empty() {
        fields.insert("errors".to_owned(), json!(messages));
    }
    fields.insert("sources".to_owned(), json!(sources));
    Ok(Value::Object(fields).to_string())
}

fn outputs(selection: &Selection, settings: &Settings, file: &str, text: &str, code: &Code) -> Value {
    let name = &code.program.name;
    let units = Units::from([(0, file.to_owned())]);
    let fork = settings.fork.unwrap_or_default();
    let calls = settings.options(fork).calls;
    let shown = Shown {
        code: Some(code),
        fork,
        callables: &Callables::default(),
        contract: name,
        units: &units,
        file,
        yul: None,
        calls,
    };
    let mut outputs = Map::new();
    for output in code::OUTPUTS {
        if let (true, Some(value)) = (selection.wants(file, name, output), shown.output(output)) {
            code::insert(&mut outputs, output, value);
        }
    }
    if selection.wants(file, name, "ir") {
        outputs.insert("ir".to_owned(), Value::from(text));
    }
    if selection.wants(file, name, "irOptimized") {
        let fork = settings.fork.unwrap_or_default();
        let text = optimized(text, fork, settings.level, settings.runs);
        outputs.insert("irOptimized".to_owned(), Value::from(text.unwrap_or_default()));
    }
    json!({ (name.as_str()): outputs })
}

fn options(settings: &Settings) -> Options {
    // The names are the author's, not solc's.
    Options { source_frames: SourceFrames::All, ..settings.options(settings.fork.unwrap_or_default()) }
}

/// Compiles one file; its diagnostics as messages.
fn compile(settings: &Settings, file: &str, text: &str) -> (Option<Code>, Vec<Message>) {
    let options = options(settings);
    let mut session = Session::default();
    let input = Input { name: file.to_owned(), text: text.to_owned(), language: Language::Yul };
    let result = compile_object(&input, &options, &mut session).and_then(|program| {
        let assembled = assemble(&program, &options, &mut session)?;
        Ok(tree(program, assembled))
    });
    let texts = Texts::from([(file.to_owned(), text.to_owned())]);
    let mut messages: Vec<Message> =
        session.diagnostics.iter().filter_map(|one| message(one, file, &texts)).collect();
    if let Err(Failure::Bug(fault)) = &result {
        messages.push(Message::error("InternalCompilerError", wording_of_bug(fault)));
    }
    (result.ok(), messages)
}

/// The code of an object and of those in it.
fn tree(mut program: cairn_asm::Program, mut assembled: cairn_asm::Assembled) -> Code {
    let programs = std::mem::take(&mut program.subs);
    let subs = programs.into_iter().zip(std::mem::take(&mut assembled.subs));
    let subs = subs.map(|(program, assembled)| Arc::new(tree(program, assembled))).collect();
    Code { program: Arc::new(program), assembled, subs }
}

fn message(found: &Diagnostic, file: &str, texts: &Texts) -> Option<Message> {
    let text = wording(found);
    let message = match found.severity {
        Severity::Error => Message::error("YulException", text),
        Severity::Warning => Message::warning(text),
        Severity::Note => return None,
    };
    Some(match found.span {
        Some(span) => {
            let (start, end) = (span.start.into(), span.end.into());
            message.at(SourceLocation { file: file.to_owned(), start, end }, texts)
        }
        None => message,
    })
}
