//! `cairn legalize`, `opt`, `stackify`: each stage alone, in text.

use super::common::{CommandResult, codegen_options, finish, line, print, read};
use crate::args::{Cli, CodegenArgs, OptArgs, StackifyArgs, StackifyEmit, StageArgs};
use crate::report;
use cairn_driver::stages::optimize;
use cairn_driver::{Emit, Failure, Level, Options, Session, build, canonical};

/// Brings a program into canonical form and prints it.
pub(crate) fn legalize(cli: &Cli, args: &StageArgs) -> CommandResult {
    let options = Options { explain: args.explain, ..codegen_options(&args.codegen)? };
    let mut session = Session::default();
    let input = read(&args.codegen.input.file)?;
    let result = canonical(&input, &options, &mut session);
    let legalized = end(cli, &session, &args.codegen, result)?;
    for change in &legalized.report.changes {
        let file = session.sources.get(session.sources.last());
        let place = change.span.map_or_else(String::new, |span| {
            let (line, column) = file.line_column(span.start);
            format!("{}:{line}:{column}: ", file.name)
        });
        report::information(&format!("{place}{change}\n"));
    }
    print(&line(&cairn_driver::print_module(&legalized.module)))
}

/// Optimizes a program and prints it in canonical form.
pub(crate) fn opt(cli: &Cli, args: &OptArgs) -> CommandResult {
    let options = Options { passes: args.passes.clone(), ..codegen_options(&args.codegen)? };
    let mut session = Session::default();
    let input = read(&args.codegen.input.file)?;
    let legalized = canonical(&input, &options, &mut session);
    let result = legalized.and_then(|legalized| optimize(legalized, &options, &mut session));
    let optimized = end(cli, &session, &args.codegen, result)?;
    print(&line(&cairn_driver::print_module(&optimized.module)))
}

/// Turns a program into stack code and prints it, or how it was made.
pub(crate) fn stackify(cli: &Cli, args: &StackifyArgs) -> CommandResult {
    let StageArgs { codegen, explain } = &args.stage;
    let emit = match args.emit {
        StackifyEmit::StackIr => Emit::StackIr,
        StackifyEmit::Stages => Emit::Stages,
        StackifyEmit::StagesJson => Emit::StagesJson,
    };
    let options = Options { level: Level::O0, explain: *explain, ..codegen_options(codegen)? };
    let mut session = Session::default();
    let input = read(&codegen.input.file)?;
    let result = build(&input, &[emit], &options, &mut session);
    let artifacts = end(cli, &session, codegen, result)?;
    if *explain {
        report::information(&artifacts.explanation);
    }
    print(&line(artifacts.get(emit).unwrap_or("")))
}

fn end<T>(
    cli: &Cli,
    session: &Session,
    args: &CodegenArgs,
    result: Result<T, Failure>,
) -> Result<T, crate::Outcome> {
    if args.time_passes {
        report::information(&session.timings.table());
    }
    finish(cli, session, result)
}
