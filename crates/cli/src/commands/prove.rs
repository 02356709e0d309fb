//! `cairn prove`

use super::common::{CommandResult, codegen_options, finish, line, print, read, usage, written};
use crate::Outcome;
use crate::args::prove::ProveArgs;
use crate::args::{BuildArgs, Cli, ResultFormat};
use crate::output::{self, Sink};
use cairn_certify::{
    Assumption, Assumptions, Certificate, Demand, Finding, Limits, Origin, Part, Plan, Subject,
};
use cairn_certify::{find_solvers, functions};
use cairn_driver::{Input, Options, Session};
use cairn_evm::hex;
use std::time::Duration;

pub(super) fn command(cli: &Cli, args: &ProveArgs) -> CommandResult {
    let options = codegen_options(&args.codegen)?;
    let input = read(&args.codegen.input.file)?;
    let other = args.other.as_deref().map(read).transpose()?;
    let first = compile(cli, &input, &options, None)?;
    let second = match &other {
        Some(other) => Some(compile(cli, other, &options, Some(&first))?),
        None => None,
    };
    if second.is_none() && !first.has_source() {
        return Err(usage("bytecode has no source to be compared with; name a second program"));
    }
    let tested = second.as_ref().unwrap_or(&first);
    let plan = Plan {
        reference: &first,
        tested,
        assumptions: assumptions(&args.without)?,
        limits: Limits { time: Duration::from_secs(args.timeout), rounds: args.loops, ..Limits::default() },
        solvers: if args.no_solver { Vec::new() } else { find_solvers() },
    };
    let parts = match args.function.is_empty() {
        true => functions(&first, tested),
        false => named_parts(&args.function)?,
    };
    let mut certificate = plan.certify(&parts, args.jobs, &|finding| progress(cli, finding));
    // What is said of programs that nobody wrote is not shown.
    let compile = |input: &Input, like: &Subject| {
        Subject::compile(input, &options, &mut Session::default(), Some(like))
    };
    let compile = |input: &Input, like: &Subject| compile(input, like).ok();
    let origin = Origin { reference: &input, tested: other.as_ref(), compile: &compile };
    certificate.reduce(&plan, &origin, Duration::from_secs(args.reduce));
    print(&match args.format {
        ResultFormat::Text => certificate.to_text(),
        ResultFormat::Json => line(&certificate.to_json().to_string()),
    })?;
    Ok(outcome(&certificate))
}

/// Proves what `cairn build` has compiled; the report goes beside the code, if that is a file.
pub(super) fn check_build(cli: &Cli, args: &BuildArgs, input: &Input, demand: Demand) -> CommandResult {
    let subject = compile(cli, input, &codegen_options(&args.codegen)?, None)?;
    if !subject.has_source() {
        return Err(usage("bytecode and assembly have no source to be compared with"));
    }
    let parts = functions(&subject, &subject);
    let tell = |finding: &Finding| progress(cli, finding);
    let certificate = Plan::of_compile(&subject).certify(&parts, args.codegen.threads, &tell);
    let beside = args.emit.iter().find_map(|(_, sink)| match sink {
        Sink::File(path) => Some(path.with_added_extension("proof.json")),
        Sink::Stdout => None,
    });
    if let Some(path) = beside {
        let text = line(&certificate.to_json().to_string());
        written(output::write(&Sink::of_path(&path), &text))?;
    }
    Ok(match (outcome(&certificate), demand) {
        (Outcome::NotProven, Demand::Warn) => Outcome::Success,
        (outcome, _) => outcome,
    })
}

fn compile(cli: &Cli, input: &Input, options: &Options, first: Option<&Subject>) -> Result<Subject, Outcome> {
    let mut session = Session::default();
    let subject = Subject::compile(input, options, &mut session, first);
    finish(cli, &session, subject)
}

/// A line on standard error when a function is done.
fn progress(cli: &Cli, finding: &Finding) {
    if !cli.json {
        crate::report::note(cli, &format!("{} ({:.2} s)", finding.line(), finding.time().as_secs_f64()));
    }
}

fn outcome(certificate: &Certificate) -> Outcome {
    match certificate.outcome() {
        cairn_certify::Outcome::Different => Outcome::Failure,
        cairn_certify::Outcome::NotProven => Outcome::NotProven,
        cairn_certify::Outcome::Proven => Outcome::Success,
    }
}

fn assumptions(without: &[String]) -> Result<Assumptions, Outcome> {
    let mut assumptions = Assumptions::ALL;
    for name in without {
        let number = name.trim_start_matches(['A', 'a']).parse().ok().and_then(Assumption::from_number);
        let Some(assumption) = number else {
            return Err(usage(&format!("`{name}` is no assumption: there are A1 to A{}", Assumption::COUNT)));
        };
        assumptions.remove(assumption);
    }
    Ok(assumptions)
}

fn named_parts(functions: &[String]) -> Result<Vec<Part>, Outcome> {
    functions.iter().map(|text| selector(text).map(Part::Selector)).collect()
}

/// The selector that a signature or hex digits name.
fn selector(text: &str) -> Result<[u8; 4], Outcome> {
    if text.contains('(') {
        let function = crate::abi::parse_signature(text).map_err(|fault| usage(&fault))?;
        return Ok(function.selector().0);
    }
    let bytes = hex::decode(text).ok().and_then(|bytes| <[u8; 4]>::try_from(bytes).ok());
    bytes.ok_or_else(|| usage(&format!("`{text}` is neither a signature nor four bytes in hex")))
}
