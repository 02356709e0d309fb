//! `cairn cfg`: the control flow of bytecode as text, data or a picture.

use super::common::{CommandResult, finish, line, plain_options, print, read};
use crate::Outcome;
use crate::args::{CfgArgs, CfgFormat, Cli, FileArgs};
use cairn_bytecode::{analyze_for, draw, report};
use cairn_driver::{Language, Session};

/// Draws a file's control flow.
pub(crate) fn cfg(cli: &Cli, args: &CfgArgs) -> CommandResult {
    let (name, code) = read_code(cli, &args.input)?;
    let analysis = analyze_for(&code, args.input.evm_version);
    let picture = || draw::Picture::of(&analysis);
    let text = match args.format {
        CfgFormat::Text => report::text(&name, &analysis),
        CfgFormat::Json => report::full(&name, &analysis, 0.0).to_string(),
        CfgFormat::Dot => draw::dot(&picture()),
        CfgFormat::Mermaid => draw::mermaid(&picture()),
        CfgFormat::Svg => draw::svg(&picture()),
        CfgFormat::Html => draw::html(&name, &analysis, &picture()),
    };
    print(&line(&text))
}

/// The name and bytes of a file of hexadecimal digits.
pub(crate) fn read_code(cli: &Cli, args: &FileArgs) -> Result<(String, Vec<u8>), Outcome> {
    let mut input = read(&args.file)?;
    input.language = Language::Hex;
    let mut session = Session::new(plain_options(args));
    let result = session.parse_hex(&input);
    let code = finish(cli, &session, result)?;
    Ok((input.name, code))
}
