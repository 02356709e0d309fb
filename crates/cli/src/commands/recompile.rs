//! `cairn recompile`: bytecode in, better bytecode out.

use super::cfg::read_code;
use super::common::{CommandResult, codegen_options, finish, line, print};
use super::dataset;
use crate::args::{Cli, RecompileArgs};
use crate::report::note;
use alloy_primitives::hex;
use cairn_driver::Session;

/// Recompiles a file; prints the result, or the original with the reason on standard error.
pub(crate) fn recompile(cli: &Cli, args: &RecompileArgs) -> CommandResult {
    if let Some(folder) = &args.dataset.folder {
        return dataset::recompile(cli, args, folder);
    }
    let (name, code) = read_code(cli, &args.codegen.input)?;
    let options = codegen_options(&args.codegen)?;
    let mut session = Session::default();
    let result = cairn_driver::recompile(&code, args.role.role(), &options, &mut session);
    session.diagnostics = Default::default();
    let recompiled = finish(cli, &session, result)?;
    for remark in &recompiled.notes {
        note(cli, &format!("{name}: {remark}"));
    }
    match &recompiled.kept {
        Some(reason) => note(cli, &format!("{name}: left as it is: {reason}")),
        None => note(cli, &format!("{name}: {} bytes instead of {}", recompiled.code.len(), code.len())),
    }
    print(&line(&hex::encode(&recompiled.code)))
}
