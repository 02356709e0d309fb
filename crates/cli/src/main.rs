//! The program `cairn`.
//!
//! Exit codes: 0 success, 1 the input is faulty (diagnostics on standard error), 2 wrong usage,
//! 70 a fault of Cairn's own, with what to report.

mod abi;
mod args;
mod commands;
mod interface;
mod output;
mod report;
mod usage;

use args::Cli;
use clap::Parser;
use std::io::{self, Write};
use std::panic;
use std::sync::{Arc, Mutex};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everything asked for was done.
    Success,
    /// The input is faulty, or a comparison failed.
    Failure,
    /// The command line is faulty.
    Usage,
    /// Not everything was proven, and nothing is known to be wrong.
    NotProven,
    /// A fault of Cairn's own.
    Bug,
}

impl Outcome {
    /// What the program says to who started it.
    fn exit_code(self) -> i32 {
        match self {
            Outcome::Success => 0,
            Outcome::Failure => 1,
            Outcome::Usage | Outcome::NotProven => 2,
            Outcome::Bug => 70,
        }
    }
}

/// Stack of what compiles: enough for the deepest nesting that the parsers accept.
const STACK_BYTES: usize = 256 << 20;

fn main() {
    let message = Arc::new(Mutex::new(String::new()));
    keep_panics_in(Arc::clone(&message));
    // A stack for the thread that there is: a second thread would have a heap of its own, whose pages are cleared for
    // each of the many runs that a build of many files is.
    // What works ends the program, too: memory that the compiler holds until then need not be freed piece by piece.
    if panic::catch_unwind(|| stacker::grow(STACK_BYTES, || end(run()))).is_err() {
        report::bug(&message.lock().map(|message| message.clone()).unwrap_or_default());
    }
    end(Outcome::Bug);
}

/// Ends the program at once. The way of the standard library has the allocator look through all that it
/// holds: a twentieth of the time that `-O1` takes.
fn end(outcome: Outcome) {
    // Nobody reads what cannot be written; the commands have said so where it matters.
    _ = io::stdout().flush();
    signal_hook::low_level::exit(outcome.exit_code());
}

/// Does what the command line says.
fn run() -> Outcome {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(end) => return usage::end_of_parsing(&end),
    };
    report::set_style(report::style_of(&cli));
    commands::run(&cli)
}

/// Keeps the message and place of a panic instead of printing it at once.
fn keep_panics_in(place: Arc<Mutex<String>>) {
    panic::set_hook(Box::new(move |info| {
        if let Ok(mut message) = place.lock() {
            *message = info.to_string();
        }
    }));
}
