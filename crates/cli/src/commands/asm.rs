//! `cairn asm`: assembles assembly text.

use super::common::{CommandResult, finish, libraries, line, plain_options, print, read};
use crate::args::{AsmArgs, Cli};
use cairn_driver::{Emit, Language, Level, Options, Session, build, clean_up_with};

/// Assembles a file and prints the bytes in hex; with passes, prints what these leave as text.
pub(crate) fn asm(cli: &Cli, args: &AsmArgs) -> CommandResult {
    let libraries = libraries(&args.libraries)?;
    // Assembly text is what its author wants: no pass may change it.
    let options = Options { level: Level::O0, libraries, ..plain_options(&args.input) };
    let mut input = read(&args.input.file)?;
    input.language = Language::Asm;
    let mut session = Session::default();
    if let Some(passes) = &args.passes {
        let result = clean_up_with(&input, passes, &options, &mut session);
        return print(&line(&finish(cli, &session, result)?));
    }
    let result = build(&input, &[Emit::Bin], &options, &mut session);
    let artifacts = finish(cli, &session, result)?;
    print(&line(artifacts.get(Emit::Bin).unwrap_or("")))
}
