//! Data sets: a Parquet file of codes in, a folder of tables out, in worker processes.
//!
//! Workers are this program with the hidden command `dataset-worker`.

#[cfg(feature = "parquet")]
use super::common::fail;
use super::common::{CommandResult, usage};
use crate::Outcome;
use crate::args::{AnalyzeArgs, Cli, LiftArgs, RecompileArgs};
use std::path::Path;

#[cfg(feature = "parquet")]
mod tables {
    use super::*;
    use crate::args::DatasetArgs;
    use crate::report::note;
    use cairn_dataset::{DatasetError, Job, Limits, Phase, Progress, Task, Workers};
    use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
    use std::ops::ControlFlow;
    use std::sync::Mutex;
    use std::time::Duration;

    /// Runs a job; codes that fail are rows that say so and no failure of the command.
    pub(super) fn run(cli: &Cli, args: &DatasetArgs, mut job: Job) -> CommandResult {
        if cli.output.is_some() {
            return Err(usage("`--output` and the folder of a data set name two places"));
        }
        let this = std::env::current_exe().map_err(|error| fail(&error.to_string()))?;
        job.workers = Workers::Processes(vec![this.into(), "dataset-worker".into()]);
        job.column.clone_from(&args.column);
        job.keep.clone_from(&args.keep);
        job.limits = Limits {
            time: Duration::from_secs(args.row_time),
            memory: args.row_memory.saturating_mul(1 << 20),
        };
        let bar = Bar::new(cli);
        let summary = cairn_dataset::run(&job, &|progress| bar.set(progress));
        bar.finish();
        let summary = summary.map_err(|error| match error {
            DatasetError::Column(..) | DatasetError::NoColumn(..) | DatasetError::OtherJob(..) => {
                usage(&error.to_string())
            }
            _ => fail(&error.to_string()),
        })?;
        let text = format!("{} rows, {} distinct codes", summary.rows, summary.distinct);
        let failed = match summary.failed {
            0 => String::new(),
            count => format!("; {count} codes failed, and their rows say why"),
        };
        let is_old = if summary.was_complete { " (it was complete)" } else { "" };
        note(cli, &format!("{}: {text}{failed}{is_old}", job.output.display()));
        Ok(Outcome::Success)
    }

    pub(super) fn job(input: &Path, folder: &Path, task: Task) -> Job {
        Job::new(input.to_owned(), folder.to_owned(), task)
    }

    /// A bar for each phase.
    struct Bar {
        bar: ProgressBar,
        phase: Mutex<Option<Phase>>,
    }

    impl Bar {
        fn new(cli: &Cli) -> Bar {
            let target = if cli.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
            let bar = ProgressBar::with_draw_target(None, target);
            let style =
                ProgressStyle::with_template("{msg} {bar:30} {percent:>3}%  {pos}  {elapsed}, {eta} left");
            bar.set_style(style.expect("invariant: the template is valid"));
            Bar { bar, phase: Mutex::new(None) }
        }

        fn set(&self, progress: Progress) -> ControlFlow<()> {
            if let Ok(mut phase) = self.phase.lock()
                && *phase != Some(progress.phase)
            {
                *phase = Some(progress.phase);
                self.bar.set_message(match progress.phase {
                    Phase::Reading => "rows ",
                    Phase::Working => "codes",
                });
                self.bar.set_position(progress.done);
                self.bar.reset_eta();
            }
            self.bar.set_length(progress.total);
            self.bar.set_position(progress.done);
            ControlFlow::Continue(())
        }

        fn finish(&self) {
            self.bar.finish_and_clear();
        }
    }
}

/// Facts of each distinct code.
#[cfg(feature = "parquet")]
pub(super) fn analyze(cli: &Cli, args: &AnalyzeArgs, folder: &Path) -> CommandResult {
    if args.format.is_some() || args.output.is_some() {
        return Err(usage("a data set is a folder of tables: it takes neither `--format` nor `--output`"));
    }
    let facts = facts(args)?;
    let mut job = tables::job(&args.file, folder, cairn_dataset::Task::Analyze(facts));
    (job.fork, job.role, job.threads) = (args.evm_version, args.role.role(), args.threads);
    tables::run(cli, &args.dataset, job)
}

/// The facts that a command line asks for.
#[cfg(feature = "parquet")]
pub(super) fn facts(args: &AnalyzeArgs) -> Result<cairn_columns::Facts, Outcome> {
    let named = args.facts.as_deref().unwrap_or("all").parse();
    named.map_err(|error: cairn_columns::UnknownFact| usage(&error.to_string()))
}

/// The EVM-IR of each distinct code.
#[cfg(feature = "parquet")]
pub(super) fn lift(cli: &Cli, args: &LiftArgs, folder: &Path) -> CommandResult {
    let mut job = tables::job(&args.input.file, folder, cairn_dataset::Task::Lift);
    (job.fork, job.role, job.threads) = (args.input.evm_version, args.role.role(), args.threads);
    tables::run(cli, &args.dataset, job)
}

/// Each distinct code, compiled anew.
#[cfg(feature = "parquet")]
pub(super) fn recompile(cli: &Cli, args: &RecompileArgs, folder: &Path) -> CommandResult {
    let codegen = &args.codegen;
    let task = cairn_dataset::Task::Recompile(codegen.level, codegen.runs);
    let mut job = tables::job(&codegen.input.file, folder, task);
    (job.fork, job.role, job.threads) = (codegen.input.evm_version, args.role.role(), codegen.threads);
    tables::run(cli, &args.dataset, job)
}

/// Works on the codes of a data set, as a worker.
#[cfg(feature = "parquet")]
pub(super) fn work() -> CommandResult {
    cairn_dataset::work().map(|()| Outcome::Success).map_err(|error| fail(&error.to_string()))
}

#[cfg(not(feature = "parquet"))]
fn not_built<T>() -> Result<T, Outcome> {
    Err(usage("this `cairn` was built without the feature `parquet`"))
}

#[cfg(not(feature = "parquet"))]
pub(super) fn analyze(_: &Cli, _: &AnalyzeArgs, _: &Path) -> CommandResult {
    not_built()
}

#[cfg(not(feature = "parquet"))]
pub(super) fn lift(_: &Cli, _: &LiftArgs, _: &Path) -> CommandResult {
    not_built()
}

#[cfg(not(feature = "parquet"))]
pub(super) fn recompile(_: &Cli, _: &RecompileArgs, _: &Path) -> CommandResult {
    not_built()
}

#[cfg(not(feature = "parquet"))]
pub(super) fn work() -> CommandResult {
    not_built()
}
