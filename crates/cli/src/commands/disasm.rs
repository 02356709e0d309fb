//! `cairn disasm`: bytecode to assembly text that assembles to the same bytes.

use super::common::{CommandResult, finish, line, plain_options, print, read};
use crate::args::{Cli, FileArgs};
use cairn_driver::{Language, Session, disassemble};

/// Disassembles a file and prints it.
pub(crate) fn disasm(cli: &Cli, args: &FileArgs) -> CommandResult {
    let mut input = read(&args.file)?;
    input.language = Language::Hex;
    let options = plain_options(args);
    let mut session = Session::default();
    let result = disassemble(&input, &options, &mut session);
    let text = finish(cli, &session, result)?;
    print(&line(&text))
}
