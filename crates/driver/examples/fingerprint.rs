//! Prints a line for each of the files named, with a number for the code that Cairn makes of it in each way: at every
//! level, and by the literal stackifier. Two builds of Cairn that print the same make the same code. An input that
//! makes one panic counts, too.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for terminals")]

use cairn_driver::{Emit, Input, Language, Level, Options, Session, build};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|_| {}));
    for name in std::env::args().skip(1) {
        let text = match std::fs::read_to_string(&name) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{name}: {error}");
                return ExitCode::FAILURE;
            }
        };
        let Some(language) = Language::of_path(Path::new(&name)) else { continue };
        let input = Input { name, text, language };
        let numbers: Vec<String> =
            ways().into_iter().map(|(way, options)| number(&input, way, options)).collect();
        println!("{}", numbers.join(" "));
    }
    ExitCode::SUCCESS
}

/// Every level, and the literal stackifier, by name.
fn ways() -> Vec<(&'static str, Options)> {
    let plain = Options { verify: false, ..Options::default() };
    let spec = ("spec", Options { spec: true, level: Level::O0, ..plain.clone() });
    let levels = Level::ALL.into_iter().map(|level| (level.name(), Options { level, ..plain.clone() }));
    levels.chain([spec]).collect()
}

fn number(input: &Input, way: &str, options: Options) -> String {
    let mut hasher = DefaultHasher::new();
    code(input, options).hash(&mut hasher);
    format!("{way}:{:016x}", hasher.finish())
}

/// The code in hex, or how there came to be none.
fn code(input: &Input, options: Options) -> String {
    let mut session = Session::default();
    match catch_unwind(AssertUnwindSafe(|| build(input, &[Emit::Bin], &options, &mut session))) {
        Ok(Ok(artifacts)) => artifacts.get(Emit::Bin).unwrap_or("").to_owned(),
        Ok(Err(failure)) => failure.to_string(),
        Err(_) => "panic".to_owned(),
    }
}
