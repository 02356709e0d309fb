//! Prints a number for all the code that Cairn makes of each of the files named, at every level: two
//! builds of Cairn that print the same make the same code of them. An input that makes one panic
//! counts, too.
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
        let mut hasher = DefaultHasher::new();
        ways().into_iter().for_each(|options| code(&input, options).hash(&mut hasher));
        println!("{:016x}", hasher.finish());
    }
    ExitCode::SUCCESS
}

/// Every level, and the literal stackifier.
fn ways() -> Vec<Options> {
    let spec = Options { spec: true, level: Level::O0, ..Options::default() };
    let levels = Level::ALL.into_iter().map(|level| Options { level, ..Options::default() });
    levels.chain([spec]).map(|options| Options { verify: false, ..options }).collect()
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
