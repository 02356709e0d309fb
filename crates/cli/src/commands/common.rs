//! What commands share: reading inputs, options, and the end of a session.

use super::hints;
use crate::Outcome;
use crate::args::{Cli, CodegenArgs, Command, FileArgs, InputLanguage, StackifyMode, SwitchShape};
use crate::output::{self, Sink};
use crate::report;
use cairn_diag::Diagnostic;
use cairn_driver::{Artifacts, Failure, Input, Language, Options, Session, is_about_options};
use std::io::Read;
use std::path::Path;
use std::sync::OnceLock;

/// A command's result: how it ended; `Err` where it ended early.
pub(crate) type CommandResult = Result<Outcome, Outcome>;

/// Largest input accepted, in bytes: spans are 32 bits wide.
const MAX_INPUT: u64 = 1 << 30;

/// Reads a file or standard input (`-`).
pub(crate) fn read(path: &Path) -> Result<Input, Outcome> {
    let is_stdin = path.as_os_str() == "-";
    let name = if is_stdin { "<stdin>".to_owned() } else { path.display().to_string() };
    let bytes = if is_stdin { read_stdin() } else { read_file(path) };
    let bytes = bytes.map_err(|error| fail(&format!("{name}: {error}")))?;
    output::remember_input(path);
    if bytes.len() as u64 > MAX_INPUT {
        return Err(fail(&format!("{name}: the input is larger than {MAX_INPUT} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        fail(&format!("{name}: not UTF-8 text: byte {} is invalid", error.utf8_error().valid_up_to()))
    })?;
    if text.starts_with('\u{feff}') {
        let message = format!("{name}: the text begins with a byte-order mark");
        return Err(fail_with(&Diagnostic::error(message).with_help("save it as UTF-8 without one")));
    }
    if text.trim().is_empty() {
        return Err(fail(&format!("{name}: the input is empty")));
    }
    let chosen = LANGUAGE.get().copied();
    if let (None, Some(hint)) = (chosen, hints::foreign(path, &text)) {
        return Err(fail_with(&Diagnostic::error(format!("{name}: {}", hint.what)).with_help(hint.help)));
    }
    let language = chosen.or_else(|| Language::of_path(path)).unwrap_or_else(|| Language::guess(&text));
    Ok(Input { name, text, language })
}

/// The language that the command line names.
static LANGUAGE: OnceLock<Language> = OnceLock::new();

/// Sets what all commands share: where results go, and the language of inputs.
pub(crate) fn prepare(cli: &Cli) -> Result<(), Outcome> {
    if let Some(language) = cli.input_language {
        _ = LANGUAGE.set(match language {
            InputLanguage::Yul => Language::Yul,
            InputLanguage::EvmIr => Language::EvmIr,
            InputLanguage::Asm => Language::Asm,
            InputLanguage::Hex => Language::Hex,
        });
    }
    let Some(path) = &cli.output else { return Ok(()) };
    match &cli.command {
        // Rows are appended, which is that command's own affair.
        Command::Analyze(_) => return Ok(()),
        Command::Verify(_) => return Err(usage("`verify` has no result that `--output` could write")),
        Command::Fmt(args) if args.in_place => {
            return Err(usage("`--in-place` and `--output` name two places for one text"));
        }
        _ => {}
    }
    output::set_result(Sink::of_path(path));
    written(output::check(path)).map(drop)
}

fn read_stdin() -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().take(MAX_INPUT + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = std::fs::File::open(path)?;
    let size = file.metadata().map_or(0, |meta| meta.len().min(MAX_INPUT));
    // One byte more shows the end of the file without growing.
    let mut bytes = Vec::with_capacity(size as usize + 1);
    file.take(MAX_INPUT + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reports an error without a place; the command fails.
pub(crate) fn fail(message: &str) -> Outcome {
    report::plain_error(message);
    Outcome::Failure
}

/// Reports an error without a place in a source; the command fails.
pub(crate) fn fail_with(diagnostic: &Diagnostic) -> Outcome {
    report::message(diagnostic);
    Outcome::Failure
}

/// Reports wrong usage.
pub(crate) fn usage(message: &str) -> Outcome {
    report::plain_error(message);
    Outcome::Usage
}

/// The driver's options for code generation.
pub(crate) fn codegen_options(args: &CodegenArgs) -> Result<Options, Outcome> {
    Ok(Options {
        level: args.level,
        runs: args.runs,
        fork: args.input.evm_version,
        object: args.object.clone(),
        verify: args.verify || cfg!(debug_assertions),
        spec: args.spec || args.stackify == StackifyMode::Spec,
        strict_stack: args.strict_stack,
        recover: args.recover,
        switch: match args.switch {
            SwitchShape::Cost => cairn_driver::SwitchShape::Cost,
            SwitchShape::Tree => cairn_driver::SwitchShape::Tree,
            SwitchShape::Cascade => cairn_driver::SwitchShape::Cascade,
        },
        libraries: libraries(&args.libraries)?,
        allow_oversized: args.allow_oversized,
        skipped_passes: args.skip_pass.clone(),
        fuel: args.fuel,
        threads: args.threads,
        ..Options::default()
    })
}

/// The driver's options where only the fork matters.
pub(crate) fn plain_options(args: &FileArgs) -> Options {
    Options { fork: args.evm_version, ..Options::default() }
}

/// Reads `NAME=ADDRESS` pairs.
pub(crate) fn libraries(pairs: &[String]) -> Result<Vec<(String, [u8; 20])>, Outcome> {
    let parse = |pair: &String| {
        let (name, address) = pair.rsplit_once('=')?;
        let address = address.trim().parse::<alloy_primitives::Address>().ok()?;
        Some((name.trim().to_owned(), address.into_array()))
    };
    let pairs = pairs.iter().map(|pair| {
        parse(pair).ok_or_else(|| {
            usage(&format!("`--libraries {pair}`: expected NAME=ADDRESS with a 20-byte address"))
        })
    });
    pairs.collect()
}

/// Prints a session's diagnostics and, when asked, its times; maps a failure to an outcome.
pub(crate) fn finish<T>(cli: &Cli, session: &Session, result: Result<T, Failure>) -> Result<T, Outcome> {
    report::diagnostics(cli, &session.sources, &session.diagnostics);
    result.map_err(|failure| match failure {
        Failure::Input if session.diagnostics.iter().any(is_about_options) => Outcome::Usage,
        Failure::Input => Outcome::Failure,
        Failure::Bug(message) => {
            report::bug(&message);
            Outcome::Bug
        }
    })
}

/// Refuses to deploy code that is too large for the chain.
pub(crate) fn refuse_excess(artifacts: &Artifacts) -> Result<(), Outcome> {
    artifacts.excess.first().map_or(Ok(()), |excess| {
        let fault = Diagnostic::error(format!("not deployed: {excess}"));
        Err(fail_with(&fault.with_help("`--allow-oversized` deploys it all the same")))
    })
}

/// Writes a result to standard output.
pub(crate) fn print(text: &str) -> CommandResult {
    written(output::write(&Sink::Stdout, text))
}

/// The end of a command that wrote its results, or could not.
pub(crate) fn written(result: Result<(), output::Fault>) -> CommandResult {
    result.map(|()| Outcome::Success).map_err(|fault| fail_with(&fault))
}

/// A text that ends in exactly one line break.
pub(crate) fn line(text: &str) -> String {
    format!("{}\n", text.trim_end_matches('\n'))
}
