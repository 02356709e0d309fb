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
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

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

/// Stack of the thread that compiles: enough for the deepest nesting that the parsers accept.
const STACK_BYTES: usize = 256 << 20;

fn main() {
    let worker = std::thread::Builder::new().name("compile".into()).stack_size(STACK_BYTES);
    // The thread that works ends the program, too: memory that the compiler holds until then need not be
    // freed piece by piece.
    if let Err(error) = worker.spawn(|| end(run())).map(JoinHandle::join) {
        report::plain_error(&format!("cannot start a thread: {error}"));
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
    let place = Arc::new(Mutex::new(String::new()));
    install_hook(Arc::clone(&place));
    panic::catch_unwind(AssertUnwindSafe(|| commands::run(&cli))).unwrap_or_else(|_| {
        let message = place.lock().map(|message| message.clone()).unwrap_or_default();
        report::bug(&message);
        Outcome::Bug
    })
}

/// Keeps the message and place of a panic instead of printing it at once.
fn install_hook(place: Arc<Mutex<String>>) {
    panic::set_hook(Box::new(move |info| {
        if let Ok(mut message) = place.lock() {
            *message = info.to_string();
        }
    }));
}
