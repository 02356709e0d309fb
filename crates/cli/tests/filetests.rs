//! One test a file of `tests/filetests`; `CAIRN_BLESS=1` rewrites expected outputs.

use cairn_filetest::{Cairn, Mode, trials};
use libtest_mimic::Arguments;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/filetests"));
    let cairn = Cairn { binary: env!("CARGO_BIN_EXE_cairn").into() };
    let mode = if std::env::var_os("CAIRN_BLESS").is_some() { Mode::Bless } else { Mode::Check };
    let trials = trials(root, &cairn, mode).expect("the folder of file tests is readable");
    assert!(!trials.is_empty(), "no file tests in {}", root.display());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
