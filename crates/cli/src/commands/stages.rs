//! `cairn legalize`, `opt`, `stackify`: each stage alone, in text.

use super::common::{CommandResult, codegen_options, finish, line, print, read};
use crate::args::{Cli, CodegenArgs, OptArgs, StageArgs};
use crate::report;
use cairn_driver::{Emit, Failure, Session};

/// Brings a program into canonical form and prints it.
pub(crate) fn legalize(cli: &Cli, args: &StageArgs) -> CommandResult {
    let mut session = session(&args.codegen)?;
    session.options.explain = args.explain;
    let input = read(&args.codegen.input.file)?;
    let result = session.canonical(&input);
    let (module, legalized) = end(cli, &session, &args.codegen, result)?;
    for change in &legalized.changes {
        let file = session.sources.get(session.sources.last());
        let place = change.span.map_or_else(String::new, |span| {
            let (line, column) = file.line_column(span.start);
            format!("{}:{line}:{column}: ", file.name)
        });
        report::information(&format!("{place}{change}\n"));
    }
    print(&line(&cairn_driver::print_module(&module)))
}

/// Optimizes a program and prints it in canonical form.
pub(crate) fn opt(cli: &Cli, args: &OptArgs) -> CommandResult {
    let mut session = session(&args.codegen)?;
    session.options.passes = args.passes.clone();
    let input = read(&args.codegen.input.file)?;
    let result = session.canonical(&input).and_then(|(mut module, _)| {
        session.optimize(&mut module)?;
        Ok(module)
    });
    let module = end(cli, &session, &args.codegen, result)?;
    print(&line(&cairn_driver::print_module(&module)))
}

/// Turns a program into stack code and prints it.
pub(crate) fn stackify(cli: &Cli, args: &StageArgs) -> CommandResult {
    let mut session = session(&args.codegen)?;
    session.options.level = cairn_driver::Level::O0;
    session.options.explain = args.explain;
    let input = read(&args.codegen.input.file)?;
    let result = session.build(&input, &[Emit::StackIr]);
    let artifacts = end(cli, &session, &args.codegen, result)?;
    report::information(&session.explanation);
    print(&line(artifacts.get(Emit::StackIr).unwrap_or("")))
}

fn session(args: &CodegenArgs) -> Result<Session, crate::Outcome> {
    Ok(Session::new(codegen_options(args)?))
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
