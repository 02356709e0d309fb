//! `cairn yul-opt`: the Yul optimizer.

mod watch;

use super::common::{CommandResult, line, print, read, usage, written};
use crate::Outcome;
use crate::args::{Cli, YulOptArgs};
use crate::report;
use cairn_diag::{SourceFile, Sources};
use cairn_yul::{DebugComments, Dialect, parse, print_object};
use cairn_yul_opt::{Form, Options, Plan, STEPS, Sequence, SequenceError, Step, Strictness, Suite, optimize};
use std::path::Path;
use watch::Watcher;

/// Optimizes a file.
pub(crate) fn yul_opt(cli: &Cli, args: &YulOptArgs) -> CommandResult {
    if args.list_steps {
        return print(&list_of_steps());
    }
    let options = options(args)?;
    let file = args.file.as_deref().unwrap_or(Path::new("-"));
    let input = read(file)?;
    let mut sources = Sources::default();
    let id = sources.add(SourceFile::new(input.name, input.text.clone()));
    let dialect = Dialect::new(args.evm_version);
    let parsed = parse(&input.text, id, &dialect);
    report::diagnostics(cli, &sources, &parsed.diagnostics);
    let (Some(mut object), false) = (parsed.object, parsed.diagnostics.has_errors()) else {
        return Err(Outcome::Failure);
    };
    let mut names = parsed.names;
    let mut watcher = Watcher::new(args, dialect);
    optimize(&mut object, &mut names, &dialect, &options, &mut watcher)
        .map_err(|fault| usage(&fault.to_string()))?;
    written(watcher.finish())?;
    let debug = if args.no_debug_comments { DebugComments::Omit } else { DebugComments::Print };
    print(&line(&print_object(&object, &names, &dialect, debug)))
}

fn options(args: &YulOptArgs) -> Result<Options, Outcome> {
    let strictness = if args.strict_sequence { Strictness::Reject } else { Strictness::Insert };
    Ok(Options { plan: plan(args)?, disambiguates: !args.no_disambiguate, strictness, runs: args.runs })
}

fn plan(args: &YulOptArgs) -> Result<Plan, Outcome> {
    let parse = |text: &str| text.parse().map_err(|error: SequenceError| usage(&error.to_string()));
    if let Some(steps) = &args.steps {
        return Ok(Plan::Steps(parse(steps)?));
    }
    if let Some(name) = &args.step {
        let step = Step::from_name(name).ok_or_else(|| {
            usage(&format!("`{name}` is no step; `cairn yul-opt --list-steps` prints the steps"))
        })?;
        return Ok(Plan::Steps(Sequence::from(step)));
    }
    let suite = args.suite.as_deref().map(str::parse).transpose();
    let suite: Option<Suite> = suite.map_err(|error: SequenceError| usage(&error.to_string()))?;
    Ok(Plan::Suite(suite.unwrap_or_default()))
}

fn list_of_steps() -> String {
    let mut text = format!(
        "{:6} {:31} {:42} {:40} {:14} destroys\n",
        "letter", "name", "what it does", "needs", "gives"
    );
    for row in STEPS {
        let letter = row.letter.map_or(String::new(), String::from);
        let columns = [row.needs, row.gives, Form::all() - row.preserves].map(|form| form.to_string());
        let [needs, gives, destroys] = columns;
        let row = format!("{letter:6} {:31} {:42} {needs:40} {gives:14} {destroys}", row.name, row.summary);
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}
