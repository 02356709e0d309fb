//! `cairn explain`: what the codes of messages mean.

use super::common::{CommandResult, print, usage};
use crate::args::ExplainArgs;
use cairn_driver::faults;

/// Explains one code, or lists all.
pub(crate) fn explain(args: &ExplainArgs) -> CommandResult {
    let Some(code) = &args.code else {
        let lines = faults::all().into_iter();
        return print(
            &lines.map(|fault| format!("{}  {}\n", fault.code, fault.summary.trim())).collect::<String>(),
        );
    };
    match faults::find(code) {
        Some(fault) => print(&format!("{}: {}\n", fault.code, fault.summary.trim())),
        None => Err(usage(&format!("no message has the code `{code}`; `cairn explain` lists all codes"))),
    }
}
