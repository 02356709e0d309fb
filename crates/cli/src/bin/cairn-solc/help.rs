//! What is said to a command line that asks for help, or that makes no sense: in solc's layout and
//! words, since wrappers of solc read both.

use crate::args::Args;
use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Arg, Command, CommandFactory};

/// Columns of a description.
const WIDTH: usize = 80;

/// Column at which a description begins.
const INDENT: usize = 4;

/// The help: an option with its value a line, `  --name VALUE`, and below it what it does.
pub(crate) fn text() -> String {
    let command = Args::command();
    let version = env!("CARGO_PKG_VERSION");
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let mut text = format!(
        "cairn-solc {version}\n\n{about}\n\nUsage: cairn-solc [options] [input_file...]\n\nGeneral:\n  \
         --help\n    Print this and end.\n"
    );
    for heading in headings(&command) {
        text += &format!("\n{heading}:\n");
        let options = command.get_arguments().filter(|arg| arg.get_help_heading() == Some(heading));
        options.filter(|arg| !arg.is_hide_set()).for_each(|arg| text += &option(arg));
    }
    text
}

fn headings(command: &Command) -> Vec<&str> {
    let mut headings: Vec<&str> = command.get_arguments().filter_map(Arg::get_help_heading).collect();
    headings.dedup();
    headings
}

fn option(arg: &Arg) -> String {
    let Some(long) = arg.get_long() else { return String::new() };
    let mut line = match arg.get_short() {
        Some(short) => format!("  -{short} [ --{long} ]"),
        None => format!("  --{long}"),
    };
    if arg.get_action().takes_values() {
        line += &format!(" {}", arg.get_value_names().and_then(|names| names.first()).map_or("VALUE", |n| n));
    }
    let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
    format!("{line}\n{}", wrapped(&format!("{}.", about.trim_end_matches('.'))))
}

/// Lines of at most [`WIDTH`] columns, unless a word is longer.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let is_full = lines.last().is_some_and(|line| INDENT + line.len() + 1 + word.len() > WIDTH);
        if is_full {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines.iter().map(|line| format!("{:INDENT$}{line}\n", "")).collect()
}

/// What is wrong with a command line, in solc's words where it has words for that.
pub(crate) fn fault(end: &Error) -> String {
    let context = |kind| match end.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    // `--name <VALUE>` as `--name`.
    let option = context(ContextKind::InvalidArg).split_whitespace().next().unwrap_or_default();
    let value = context(ContextKind::InvalidValue);
    match end.kind() {
        ErrorKind::UnknownArgument => format!("unrecognised option '{option}'"),
        ErrorKind::InvalidValue | ErrorKind::ValueValidation if !value.is_empty() => {
            format!("Invalid option for {option}: {value}")
        }
        ErrorKind::InvalidValue => format!("the required argument for option '{option}' is missing"),
        ErrorKind::ArgumentConflict => match end.get(ContextKind::PriorArg) {
            Some(ContextValue::String(other)) if other != option => {
                format!("Options {option} and {other} cannot be given together.")
            }
            _ => format!("option '{option}' cannot be specified more than once"),
        },
        _ => end.to_string().trim_start_matches("error: ").trim_end().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn each_option_begins_a_line() {
        let text = text();
        let line = text.lines().find(|line| line.starts_with("  --combined-json ")).unwrap();
        assert!(line.rsplit(' ').next().unwrap().starts_with("abi,asm,ast,bin,"), "{line}");
        assert!(text.contains("\n  -o [ --output-dir ] PATH\n    "), "{text}");
        assert!(text.contains("\n  --bin\n    Creation code in hex.\n"), "{text}");
        assert!(!text.contains("--no-color"), "{text}");
        assert!(text.lines().filter(|line| line.starts_with("    ")).all(|line| line.len() <= WIDTH));
    }

    #[test]
    fn faults_are_in_the_words_of_solc() {
        for (args, expected) in [
            (&["--no-such"][..], "unrecognised option '--no-such'"),
            (&["--combined-json", "abi,foo"], "Invalid option for --combined-json: foo"),
            (&["--evm-version", "mars"], "Invalid option for --evm-version: mars"),
            (&["--optimize-runs"], "the required argument for option '--optimize-runs' is missing"),
            (
                &["--metadata-hash", "none", "--no-cbor-metadata"],
                "Options --metadata-hash and --no-cbor-metadata cannot be given together.",
            ),
            (&["--bin", "--bin"], "option '--bin' cannot be specified more than once"),
        ] {
            let end = Args::try_parse_from(std::iter::once("cairn-solc").chain(args.iter().copied()));
            assert_eq!(fault(&end.unwrap_err()), expected);
        }
    }
}
