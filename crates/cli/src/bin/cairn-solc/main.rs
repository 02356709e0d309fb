//! The program `cairn-solc`: solc's command line and standard JSON, with Cairn's code.
//!
//! Exit codes are solc's: 0, also for faulty sources in standard JSON, where the answer says so;
//! 1 for everything that ends without an answer.

mod args;
mod environment;
mod help;
mod kinds;
mod libraries;
mod measured;
mod objects;
mod outputs;
mod progress;
mod request;
mod show;
mod signatures;
mod version;

use args::{Args, Language, Mode};
use clap::Parser;
use std::io::{Read, Write};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Stack of the thread that works: sources nest deeply.
const STACK_BYTES: usize = 256 << 20;

fn main() -> ExitCode {
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(end) if end.use_stderr() => return fail(&help::fault(&end)),
        Err(_) => {
            // A closed stream leaves nothing to say.
            _ = print(&help::text());
            return ExitCode::SUCCESS;
        }
    };
    if let Err(error) = cairn_solidity::frontend::end_with_this_program() {
        return fail(&format!("cannot wait for signals: {error}"));
    }
    // Panics are caught where they happen and told in the answer.
    std::panic::set_hook(Box::new(|_| {}));
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || run(&args));
    match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(Ok(code))) => code,
        Ok(Ok(Err(message))) => fail(&message),
        Ok(Err(_)) => fail("internal error of Cairn"),
        Err(error) => fail(&format!("cannot start a thread: {error}")),
    }
}

fn fail(message: &str) -> ExitCode {
    _ = writeln!(std::io::stderr(), "Error: {message}");
    ExitCode::FAILURE
}

fn run(args: &Args) -> Result<ExitCode, String> {
    let done = match args.mode() {
        Mode::Version => print(&version::text(&environment::of(args)?)?),
        Mode::StandardJson(file) => {
            let request = read(file)?;
            let answer = answer(&request, environment::of(args)?)?;
            print(&if args.outputs.pretty_json { pretty(&answer) } else { answer + "\n" })
        }
        Mode::Link => link(args),
        Mode::Compile(language) => return compile(args, language),
    };
    done.map(|()| ExitCode::SUCCESS)
}

/// Compiles sources and shows what was asked for.
fn compile(args: &Args, language: Language) -> Result<ExitCode, String> {
    objects::check(args, language)?;
    let request = request::of(args, language)?;
    let environment = environment::of(args)?;
    let answer = answer(&request.to_string(), environment.clone())?;
    let answer: serde_json::Value =
        serde_json::from_str(&answer).map_err(|fault| format!("the answer is no JSON: {fault}"))?;
    let (messages, has_errors) = show::messages(args, &answer);
    warn(&messages);
    if has_errors {
        return Ok(ExitCode::FAILURE);
    }
    let version =
        if args.outputs.combined_json.is_empty() { String::new() } else { version::number(&environment)? };
    let shown = show::show(args, language, &answer, &version);
    match &args.outputs.output_dir {
        Some(folder) => {
            let existing =
                if args.outputs.overwrite { show::Existing::Overwrite } else { show::Existing::Refuse };
            shown.write(folder, existing)?;
            let folder = folder.display();
            warn(&format!("Compiler run successful. Artifact(s) can be found in directory \"{folder}\".\n"));
        }
        None if shown.printed.is_empty() => warn("Compiler run successful, no output requested.\n"),
        None => print(&shown.printed)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes addresses of libraries into code: files in place, standard input to standard output.
fn link(args: &Args) -> Result<(), String> {
    let known = libraries::parse(&args.code.libraries)?;
    for input in args.inputs() {
        let code = read(Some(std::path::Path::new(input)))?;
        let (linked, left) = libraries::link(&code, &known);
        for placeholder in left {
            warn(&format!("Reference \"{placeholder}\" in file \"{input}\" still unresolved.\n"));
        }
        match input.as_str() {
            "-" => print(&linked)?,
            path => std::fs::write(path, linked).map_err(|error| format!("{path}: {error}"))?,
        }
    }
    if args.inputs().any(|input| input != "-") {
        warn("Linking completed.\n");
    }
    Ok(())
}

fn warn(text: &str) {
    // Where standard error is closed, nobody listens.
    _ = std::io::stderr().write_all(text.as_bytes());
}

/// The answer to a request, with a bar on a terminal while it is made.
///
/// # Errors
/// What it took cannot be told.
fn answer(request: &str, environment: cairn_solidity::Environment) -> Result<String, String> {
    let bar = progress::Bar::new();
    let environment = cairn_solidity::Environment { progress: bar.progress(), ..environment };
    let (answer, stats) = cairn_solidity::answer_measured(request, &environment);
    drop(bar);
    measured::tell(&stats)?;
    Ok(answer)
}

/// A text from a file or, without one, from standard input. Bytes that are no UTF-8 are replaced:
/// the answer will say what it thinks of them.
fn read(file: Option<&std::path::Path>) -> Result<String, String> {
    let mut bytes = Vec::new();
    match file.filter(|file| file.as_os_str() != "-") {
        Some(file) => bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?,
        None => {
            _ = std::io::stdin()
                .lock()
                .read_to_end(&mut bytes)
                .map_err(|error| format!("standard input: {error}"))?
        }
    }
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

fn print(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| format!("standard output: {error}"))
}

fn pretty(json: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(json).unwrap_or_default();
    format!("{value:#}\n")
}
