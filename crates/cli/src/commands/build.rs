//! `cairn build`: the whole way to bytecode.

use super::common::{CommandResult, codegen_options, fail, finish, line, read, usage, written};
use super::solidity;
use crate::Outcome;
use crate::args::values::Wanted;
use crate::args::{BuildArgs, Cli};
use crate::output::{self, Sink};
use crate::report;
use cairn_driver::{Artifacts, Emit, Input, Options, Session};
use std::path::Path;

/// Compiles a file and writes the artifacts that were asked for; of Solidity, every contract of all files.
pub(crate) fn build(cli: &Cli, args: &BuildArgs) -> CommandResult {
    let path = &args.codegen.input.file;
    if !solidity::is_solidity(path) {
        if let Some(other) = args.others.first() {
            return Err(usage(&format!(
                "`{}`: several inputs are for Solidity; of other languages a build takes one",
                other.display()
            )));
        }
        if args.contract.is_some() {
            return Err(usage(
                "`--contract` chooses among contracts of Solidity; `--object` names a Yul object",
            ));
        }
        let input = read(path)?;
        let artifacts = build_one(cli, args, &input)?;
        write_all(&[(String::new(), artifacts)], &args.emit)?;
        return prove_all(cli, args, &[input]);
    }
    let inputs = solidity::inputs(args)?;
    let build = |input: &Input| Ok((input.name.clone(), build_one(cli, args, input)?));
    let built: Result<Vec<_>, Outcome> = inputs.iter().map(build).collect();
    write_all(&built?, &args.emit)?;
    prove_all(cli, args, &inputs)
}

/// Proves what was built, if that is asked for.
fn prove_all(cli: &Cli, args: &BuildArgs, inputs: &[Input]) -> CommandResult {
    let Some(demand) = args.prove else { return Ok(Outcome::Success) };
    let mut worst = Outcome::Success;
    for input in inputs {
        match super::prove::check_build(cli, args, input, demand)? {
            Outcome::Success => {}
            outcome if worst == Outcome::Success || outcome == Outcome::Failure => worst = outcome,
            _ => {}
        }
    }
    Ok(worst)
}

fn build_one(cli: &Cli, args: &BuildArgs, input: &Input) -> Result<Artifacts, Outcome> {
    let kinds: Vec<Emit> = args.emit.iter().map(|(kind, _)| *kind).collect();
    let remarks = args.remarks || args.codegen.fuel.is_some();
    let options = Options { remarks, ..codegen_options(&args.codegen)? };
    let mut session = Session::default();
    let result = cairn_driver::build(input, &kinds, &options, &mut session);
    if args.codegen.time_passes {
        report::timings(&session.timings);
    }
    for remark in &session.remarks {
        report::information(&format!("remark: {remark}\n"));
    }
    finish(cli, &session, result)
}

/// Writes files first, so that standard output stays empty when one of them cannot be written.
fn write_all(built: &[(String, Artifacts)], wanted: &[Wanted]) -> CommandResult {
    let to_stdout = wanted.iter().filter(|(_, sink)| *sink == Sink::Stdout).count() * built.len();
    let mut printed = String::new();
    let mut texts = Vec::new();
    for (name, artifacts) in built {
        for (kind, sink) in wanted {
            let text =
                artifacts.get(*kind).ok_or_else(|| fail(&format!("the input has no artifact `{kind}`")))?;
            if *sink != Sink::Stdout {
                texts.push((place_of(sink, name, built.len())?, line(text)));
                continue;
            }
            if to_stdout > 1 {
                printed += &title(name, *kind, wanted.len());
            }
            printed += &line(text);
        }
    }
    if to_stdout > 0 {
        texts.push((Sink::Stdout, printed));
    }
    written(output::write_all(&texts))
}

/// What stands above one of several texts.
fn title(name: &str, kind: Emit, kinds: usize) -> String {
    match (name, kinds) {
        ("", _) => format!("======= {kind} =======\n"),
        (name, 1) => format!("======= {name} =======\n"),
        (name, _) => format!("======= {name} {kind} =======\n"),
    }
}

/// Where a contract's artifact goes: `{}` in a path stands for the contract's name.
fn place_of(sink: &Sink, name: &str, contracts: usize) -> Result<Sink, Outcome> {
    let text = match sink {
        Sink::File(path) if !name.is_empty() => path.display().to_string(),
        Sink::File(_) | Sink::Stdout => return Ok(sink.clone()),
    };
    if contracts > 1 && !text.contains("{}") {
        let message = format!(
            "`{text}` would hold {contracts} contracts: write `{{}}` for the name, or choose one by `--contract`"
        );
        return Err(usage(&message));
    }
    let contract = name.rsplit(':').next().unwrap_or(name);
    Ok(Sink::of_path(Path::new(&text.replace("{}", contract))))
}
