//! `cairn build`: the whole way to bytecode.

use super::common::{CommandResult, codegen_options, fail, finish, line, read, written};
use crate::args::values::Wanted;
use crate::args::{BuildArgs, Cli};
use crate::output::{self, Sink};
use crate::report;
use cairn_driver::{Artifacts, Emit, Session};

/// Compiles a file and writes the artifacts that were asked for.
pub(crate) fn build(cli: &Cli, args: &BuildArgs) -> CommandResult {
    let options = codegen_options(&args.codegen)?;
    let input = read(&args.codegen.input.file)?;
    let kinds: Vec<Emit> = args.emit.iter().map(|(kind, _)| *kind).collect();
    let mut session = Session::new(options);
    session.options.remarks = args.remarks || args.codegen.fuel.is_some();
    let result = session.build(&input, &kinds);
    if args.codegen.time_passes {
        report::timings(&session.timings);
    }
    for remark in &session.remarks {
        report::information(&format!("remark: {remark}\n"));
    }
    let artifacts = finish(cli, &session, result)?;
    write_all(&artifacts, &args.emit)
}

/// Writes files first, so that standard output stays empty when one of them cannot be written.
fn write_all(artifacts: &Artifacts, wanted: &[Wanted]) -> CommandResult {
    let to_stdout = wanted.iter().filter(|(_, sink)| *sink == Sink::Stdout).count();
    let mut printed = String::new();
    let mut texts = Vec::new();
    for (kind, sink) in wanted {
        let text =
            artifacts.get(*kind).ok_or_else(|| fail(&format!("the input has no artifact `{kind}`")))?;
        if *sink != Sink::Stdout {
            texts.push((sink.clone(), line(text)));
            continue;
        }
        if to_stdout > 1 {
            printed += &format!("======= {kind} =======\n");
        }
        printed += &line(text);
    }
    if to_stdout > 0 {
        texts.push((Sink::Stdout, printed));
    }
    written(output::write_all(&texts))
}
