//! `cairn reduce`: makes a program smaller while a command still succeeds on it.

use super::common::{CommandResult, fail, line, print, read};
use crate::args::ReduceArgs;
use cairn_driver::{Input, Language};
use std::path::Path;
use std::process::{Command, Stdio};

/// Prints the smallest program found.
pub(crate) fn reduce(args: &ReduceArgs) -> CommandResult {
    let input = read(&args.file)?;
    let extension = match input.language {
        Language::Yul => "yul",
        Language::EvmIr => "eir",
        Language::Asm | Language::Hex => {
            return Err(fail(&format!("{}: only Yul and EVM-IR can be reduced", input.name)));
        }
    };
    let folder = tempfile::tempdir().map_err(|error| fail(&error.to_string()))?;
    let path = folder.path().join(format!("program.{extension}"));
    let mut fault = None;
    let mut has_property = |text: &str| match succeeds(&args.test, &path, text) {
        Ok(succeeded) => succeeded,
        Err(message) => {
            fault = Some(message);
            false
        }
    };
    if !has_property(&input.text) {
        let reason = fault.unwrap_or_else(|| format!("`{}` fails on the program as it is", args.test));
        return Err(fail(&reason));
    }
    let Input { text, language, .. } = &input;
    let small = cairn_driver::reduce::reduce(text, *language, &mut has_property);
    print(&line(&small))
}

/// Runs the command through the shell on a file with this text.
fn succeeds(command: &str, path: &Path, text: &str) -> Result<bool, String> {
    let explain = |error: std::io::Error| format!("`{command}`: {error}");
    std::fs::write(path, text).map_err(explain)?;
    let place = path.display().to_string();
    let words = match command.contains("{}") {
        true => command.replace("{}", &place),
        false => format!("{command} {place}"),
    };
    let mut shell = Command::new("sh");
    shell.args(["-c", &words]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.status().map(|status| status.success()).map_err(explain)
}
