//! `cairn cfg`: the control flow of bytecode as text, data or a picture.

use super::common::{CommandResult, finish, line, print, read};
use crate::Outcome;
use crate::args::{CfgArgs, CfgFormat, Cli, FileArgs};
use cairn_bytecode::Given;
use cairn_driver::{CfgForm, Language, Session, draw_cfg, read_hex};

/// Draws a file's control flow.
pub(crate) fn cfg(cli: &Cli, args: &CfgArgs) -> CommandResult {
    let (name, code) = read_code(cli, &args.input)?;
    let form = match args.format {
        CfgFormat::Text => CfgForm::Text,
        CfgFormat::Json => CfgForm::Json,
        CfgFormat::Dot => CfgForm::Dot,
        CfgFormat::Mermaid => CfgForm::Mermaid,
        CfgFormat::Svg => CfgForm::Svg,
        CfgFormat::Html => CfgForm::Html,
    };
    let given = Given { fork: args.input.evm_version, role: args.role.role(), ..Given::default() };
    print(&line(&draw_cfg(&name, &code, given, form)))
}

/// The name and bytes of a file of hexadecimal digits.
pub(crate) fn read_code(cli: &Cli, args: &FileArgs) -> Result<(String, Vec<u8>), Outcome> {
    let mut input = read(&args.file)?;
    input.language = Language::Hex;
    let mut session = Session::default();
    let result = read_hex(&input, &mut session);
    let code = finish(cli, &session, result)?;
    Ok((input.name, code))
}
