//! Command lines that ask for help, or that make no sense.
//!
//! What they say about colours and JSON holds for the answer, too, so it is looked up in the words
//! themselves: there is nothing parsed yet.

use crate::Outcome;
use crate::args::ColorChoice;
use crate::output::{self, Sink};
use crate::report::{self, Style};
use cairn_diag::Diagnostic;
use cairn_diag::render::Color;
use clap::ValueEnum;
use std::io::IsTerminal;

/// Prints what the parser of the command line has to say, and how that ends.
pub(crate) fn end_of_parsing(end: &clap::Error) -> Outcome {
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let is_error = end.use_stderr();
    let stream: &dyn IsTerminal = if is_error { &std::io::stderr() } else { &std::io::stdout() };
    let style =
        Style { json: is_error && asks_for_json(&words), color: report::color(color_of(&words), stream) };
    report::set_style(style);
    let text = match style.color {
        Color::Styled => end.render().ansi().to_string(),
        Color::Plain => end.render().to_string(),
    };
    if !is_error {
        let written = output::write(&Sink::Stdout, &text).inspect_err(|fault| report::message(fault));
        return if written.is_ok() { Outcome::Success } else { Outcome::Failure };
    }
    if style.json {
        report::message(&diagnostic_of(&end.render().to_string()));
    } else {
        report::raw(&text);
    }
    Outcome::Usage
}

/// The message of the parser by its parts: paragraphs after the first are notes.
fn diagnostic_of(text: &str) -> Diagnostic {
    let mut parts = text.split("\n\n").map(str::trim).filter(|part| !part.is_empty());
    let title = parts.next().unwrap_or_default();
    let found = Diagnostic::error(title.strip_prefix("error: ").unwrap_or(title));
    parts.fold(found, |found, part| found.with_note(part))
}

fn options(words: &[String]) -> impl Iterator<Item = (usize, &str)> {
    words.iter().map(String::as_str).enumerate().take_while(|(_, word)| *word != "--")
}

fn asks_for_json(words: &[String]) -> bool {
    options(words).any(|(_, word)| word == "--json")
}

fn color_of(words: &[String]) -> ColorChoice {
    let value = |(at, word): (usize, &str)| match word.strip_prefix("--color")? {
        "" => words.get(at + 1).cloned(),
        rest => rest.strip_prefix('=').map(str::to_owned),
    };
    let chosen = options(words).filter_map(value).last();
    chosen.and_then(|name| ColorChoice::from_str(&name, false).ok()).unwrap_or(ColorChoice::Auto)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn the_answer_looks_as_it_was_asked_for() {
        assert_eq!(color_of(&words("cairn --color never --help")), ColorChoice::Never);
        assert_eq!(color_of(&words("cairn build --color=always -x")), ColorChoice::Always);
        assert_eq!(color_of(&words("cairn build -- --color=always")), ColorChoice::Auto);
        assert!(asks_for_json(&words("cairn build --json --nothing")));
        assert!(!asks_for_json(&words("cairn run a -- --json")));
    }

    #[test]
    fn paragraphs_are_notes() {
        let found = diagnostic_of("error: no `x`\n\n  tip: y\n\nUsage: z\n");
        assert_eq!(
            (found.message.as_str(), found.notes),
            ("no `x`", vec!["tip: y".into(), "Usage: z".into()])
        );
    }
}
