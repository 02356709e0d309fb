//! Diagnostics on standard error.
#![allow(clippy::print_stderr, reason = "this is the one place that prints diagnostics")]

use crate::args::{Cli, ColorChoice};
use cairn_diag::render::{Color, render_json, render_text};
use cairn_diag::{Diagnostics, Severity, Sources};
use std::io::IsTerminal;

/// Diagnostics printed one by one at most; the rest is counted.
const MOST: usize = 50;

/// Prints diagnostics as the command line asks for.
pub(crate) fn diagnostics(cli: &Cli, sources: &Sources, diagnostics: &Diagnostics) {
    let color = color(cli);
    let shown = diagnostics.iter().filter(|one| !cli.quiet || one.severity == Severity::Error);
    let mut left_out = 0;
    for (index, diagnostic) in shown.enumerate() {
        if cli.json {
            eprintln!("{}", render_json(diagnostic, sources));
        } else if index < MOST {
            eprintln!("{}\n", render_text(diagnostic, sources, color));
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        eprintln!("error: {left_out} more diagnostics are not shown");
    }
}

fn color(cli: &Cli) -> Color {
    let auto = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let styled = match cli.color {
        ColorChoice::Auto => auto,
        ColorChoice::Always => true,
        ColorChoice::Never => false,
    };
    if styled { Color::Styled } else { Color::Plain }
}

/// Prints an error that has no place in a source.
pub(crate) fn plain_error(message: &str) {
    eprintln!("error: {message}");
}

/// Prints a remark that may be of use.
pub(crate) fn note(cli: &Cli, message: &str) {
    if cli.quiet {
        return;
    }
    if cli.json {
        eprintln!("{}", serde_json::json!({ "severity": "note", "message": message }));
    } else {
        eprintln!("note: {message}");
    }
}

/// Prints information that was asked for, such as timings.
pub(crate) fn information(text: &str) {
    eprint!("{text}");
}

/// Says that Cairn itself is at fault, and how to report it.
pub(crate) fn bug(message: &str) {
    eprintln!("error: internal fault of cairn {}", env!("CARGO_PKG_VERSION"));
    eprintln!("{message}");
    eprintln!("note: no output was written; the input may be fine");
    eprintln!("help: please report this with the input, the command line and the lines above");
}

/// Prints how long each stage took and how much memory the process needed.
pub(crate) fn timings(timings: &cairn_driver::timing::Timings) {
    eprint!("{}", timings.table());
    if let Some(megabytes) = peak_memory() {
        eprintln!("peak memory {megabytes:>20.1} MB");
    }
}

/// The largest resident size of this process in megabytes, where the system tells.
fn peak_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}
