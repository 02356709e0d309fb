//! Messages on standard error: the one place that prints them, as text or as JSON.
//!
//! A standard error that is closed or full takes no message and is no fault: nobody is there to be
//! told, and the exit code says what happened.

use crate::args::{Cli, ColorChoice};
use cairn_diag::render::{Color, render_json, render_text};
use cairn_diag::{Diagnostic, Diagnostics, Severity, Sources};
use cairn_yul::Fault;
use serde_json::json;
use std::io::{IsTerminal, Write};
use std::sync::OnceLock;

/// Diagnostics printed one by one at most; the rest is counted.
const MAX_SHOWN: usize = 50;

/// How messages look; what the command line says, once it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) json: bool,
    pub(crate) color: Color,
}

static STYLE: OnceLock<Style> = OnceLock::new();

/// Sets how messages look from now on.
pub(crate) fn set_style(style: Style) {
    _ = STYLE.set(style);
}

fn style() -> Style {
    STYLE.get().copied().unwrap_or(Style { json: false, color: Color::Plain })
}

/// Whether text on a stream is coloured.
pub(crate) fn color(choice: ColorChoice, stream: &dyn IsTerminal) -> Color {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
    let styled = match choice {
        ColorChoice::Auto => stream.is_terminal() && !is_set("NO_COLOR") && !is_dumb,
        ColorChoice::Always => true,
        ColorChoice::Never => false,
    };
    if styled { Color::Styled } else { Color::Plain }
}

/// How messages of this command line look.
pub(crate) fn style_of(cli: &Cli) -> Style {
    Style { json: cli.json, color: color(cli.color, &std::io::stderr()) }
}

/// Prints diagnostics as the command line asks for.
pub(crate) fn diagnostics(cli: &Cli, sources: &Sources, diagnostics: &Diagnostics) {
    let shown = diagnostics.iter().filter(|one| !cli.quiet || one.severity == Severity::Error);
    // The number of errors that are not listed is part of the last line.
    let is_count = |one: &&Diagnostic| !style().json && one.code == Fault::TooManyErrors.code();
    let shown = shown.filter(|one| !is_count(one));
    let mut left_out = diagnostics.num_left_out();
    for (index, diagnostic) in shown.enumerate() {
        if style().json {
            say(&render_json(diagnostic, sources));
        } else if index < MAX_SHOWN {
            say(&format!("{}\n", render_text(diagnostic, sources, style().color)));
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 && !style().json {
        plain_error(&format!("{left_out} more diagnostics are not shown"));
    }
}

/// Prints a message that has no place in a source.
pub(crate) fn message(message: &Diagnostic) {
    let sources = Sources::default();
    say(&match style().json {
        true => render_json(message, &sources),
        false => render_text(message, &sources, style().color),
    });
}

/// Prints an error that has no place in a source.
pub(crate) fn plain_error(text: &str) {
    message(&Diagnostic::error(text));
}

/// Prints a remark that may be of use.
pub(crate) fn note(cli: &Cli, text: &str) {
    if !cli.quiet {
        message(&Diagnostic { severity: Severity::Note, ..Diagnostic::error(text) });
    }
}

/// Prints information that was asked for, such as timings.
pub(crate) fn information(text: &str) {
    match style().json {
        true if text.is_empty() => {}
        true => say(&json!({ "severity": "information", "message": text.trim_end() }).to_string()),
        false => raw(text),
    }
}

/// Says that Cairn itself is at fault, and how to report it.
pub(crate) fn bug(text: &str) {
    let title = format!("internal fault of cairn {}", env!("CARGO_PKG_VERSION"));
    let note = "no output was written; the input may be fine";
    let help = "please report this with the input, the command line and the lines above";
    if style().json {
        let object = json!({ "severity": "bug", "message": title, "notes": [text, note], "help": help });
        return say(&object.to_string());
    }
    say(&format!("error: {title}\n{text}\nnote: {note}\nhelp: {help}"));
}

/// Prints how long each stage took and how much memory the process needed.
pub(crate) fn timings(timings: &cairn_driver::timing::Timings) {
    let mut text = timings.table();
    if let Some(megabytes) = peak_memory() {
        text += &format!("peak memory {megabytes:>20.1} MB\n");
    }
    information(&text);
}

fn say(text: &str) {
    raw(&format!("{text}\n"));
}

/// The only write to standard error.
pub(crate) fn raw(text: &str) {
    _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// The largest resident size of this process in megabytes, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}
