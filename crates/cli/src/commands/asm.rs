//! `cairn asm`: assembles assembly text.

use super::common::{CommandResult, finish, libraries, line, plain_options, print, read};
use crate::args::{AsmArgs, Cli};
use cairn_driver::{Emit, Language, Session};

/// Assembles a file and prints the bytes in hex.
pub(crate) fn asm(cli: &Cli, args: &AsmArgs) -> CommandResult {
    let mut options = plain_options(&args.input);
    options.libraries = libraries(&args.libraries)?;
    // Assembly text is what its author wants: no pass may change it.
    options.level = cairn_driver::Level::O0;
    let mut input = read(&args.input.file)?;
    input.language = Language::Asm;
    let mut session = Session::new(options);
    let result = session.build(&input, &[Emit::Bin]);
    let artifacts = finish(cli, &session, result)?;
    print(&line(artifacts.get(Emit::Bin).unwrap_or("")))
}
