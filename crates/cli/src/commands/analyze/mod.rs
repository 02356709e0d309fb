//! `cairn analyze`: facts of one program, or of a batch on all cores.
//!
//! A batch is a file with one JSON object a line (`.jsonl`, also `.jsonl.gz`) or a Parquet file.
//! Rows are written in the order of the input, whatever the number of threads. With `--output`
//! lines are appended as they are done, and a second run goes on where the first ended. A table
//! cannot grow: it appears at the end. A data set (an input and a folder) is the affair of
//! [`super::dataset`].

mod input;
#[cfg(feature = "parquet")]
mod parquet_file;
mod program;
mod progress;
#[cfg(feature = "parquet")]
mod table;
#[cfg(not(feature = "parquet"))]
mod table {
    //! Without the feature `parquet` there are no tables.

    pub(super) fn write(_: &crate::args::Cli, _: &crate::args::AnalyzeArgs) -> super::CommandResult {
        Err(super::usage("this `cairn` was built without the feature `parquet`"))
    }
}

use super::cfg::read_code;
use super::common::{CommandResult, fail, line, print, usage, written};
use super::dataset;
use crate::Outcome;
use crate::args::{AnalyzeArgs, AnalyzeFormat, Cli, FileArgs};
use crate::interface::Interface;
use crate::output;
use cairn_bytecode::report::ReportOptions;
use cairn_bytecode::{Analysis, Given, analyze_given, report};
use input::Batch;
use program::Program;
use progress::Progress;
use rayon::prelude::*;
use std::fs::OpenOptions;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

/// Rows that are read, analysed and written together.
const CHUNK: usize = 512;

/// Analyses a file.
pub(crate) fn analyze(cli: &Cli, args: &AnalyzeArgs) -> CommandResult {
    if let Some(folder) = &args.dataset.folder {
        refuse_for_many(args)?;
        return dataset::analyze(cli, args, folder);
    }
    if args.facts.is_some() && args.format != Some(AnalyzeFormat::Parquet) {
        return Err(usage("`--facts` chooses columns: it goes with a folder or with `--format parquet`"));
    }
    let is_piped = args.file.as_os_str() == "-" && input::is_batch_piped();
    if is_piped || input::is_batch(&args.file) {
        refuse_for_many(args)?;
        return analyze_batch(cli, args);
    }
    let input = FileArgs { file: args.file.clone(), evm_version: args.evm_version };
    let (name, code) = read_code(cli, &input)?;
    let start = Instant::now();
    let analysis = analysis_of(&code, args);
    let seconds = start.elapsed().as_secs_f64();
    let text = match args.format.unwrap_or(AnalyzeFormat::Text) {
        AnalyzeFormat::Text => report::text_with(&name, &analysis, &text_options(args)?),
        _ if args.dominators => return Err(usage("`--dominators` is for the text")),
        AnalyzeFormat::Json => report::full_with(&name, &analysis, seconds, &text_options(args)?).to_string(),
        _ if args.signatures.is_some() => {
            return Err(usage("`--signatures` is for text and `--format json`"));
        }
        AnalyzeFormat::Jsonl => report::row(&name, &analysis, seconds).to_string(),
        AnalyzeFormat::Parquet => return Err(usage("`parquet` is a form of batches")),
    };
    match &args.output {
        Some(path) => append(path, &line(&text))?,
        None => print(&line(&text)).map(drop)?,
    }
    if args.strict { demand_stacks(&name, &analysis) } else { Ok(Outcome::Success) }
}

/// Refuses what is said about one program where there are many.
fn refuse_for_many(args: &AnalyzeArgs) -> Result<(), Outcome> {
    let asked = [
        ("--strict", args.strict),
        ("--dominators", args.dominators),
        ("--signatures", args.signatures.is_some()),
    ];
    match asked.iter().find(|(_, is_asked)| *is_asked) {
        Some((name, _)) => Err(usage(&format!("`{name}` is for one program, not for a batch"))),
        None => Ok(()),
    }
}

fn text_options(args: &AnalyzeArgs) -> Result<ReportOptions, Outcome> {
    let signatures = Interface::signatures(args.signatures.as_deref()).map_err(|error| fail(&error))?;
    let topics = Interface::topics(args.signatures.as_deref()).map_err(|error| fail(&error))?;
    Ok(ReportOptions { dominators: args.dominators, signatures, topics })
}

/// Fails if the stack can run out or grow too high, or the heights of ways into a block differ.
fn demand_stacks(name: &str, analysis: &Analysis<'_>) -> CommandResult {
    let kinds = [
        ("blocks that can find too few words", analysis.underflows()),
        ("blocks that can grow the stack past 1024 words", analysis.overflows()),
        ("blocks that are entered with different heights", analysis.disagreeing_joins()),
    ];
    let found = kinds.iter().filter(|(_, blocks)| !blocks.is_empty());
    let found: Vec<String> = found.map(|(what, blocks)| format!("{what}: {}", blocks.len())).collect();
    if found.is_empty() { Ok(Outcome::Success) } else { Err(fail(&format!("{name}: {}", found.join(", ")))) }
}

fn analyze_batch(cli: &Cli, args: &AnalyzeArgs) -> CommandResult {
    let format = match args.format.unwrap_or(AnalyzeFormat::Jsonl) {
        AnalyzeFormat::Text => return Err(usage("a batch is printed as `json`, `jsonl` or `parquet`")),
        AnalyzeFormat::Parquet => return table::write(cli, args),
        format @ (AnalyzeFormat::Json | AnalyzeFormat::Jsonl) => format,
    };
    if let Some(path) = &args.output {
        output::remember_input(&args.file);
        written(output::check(path))?;
    }
    let done = args.output.as_deref().map_or(Ok(0), drop_partial_row)?;
    let unreadable = each_chunk(cli, args, done, |chunk| {
        let rows: Vec<String> = chunk.par_iter().map(|program| row_of(program, args, format)).collect();
        match &args.output {
            Some(path) => append(path, &rows.concat()),
            None => print(&rows.concat()).map(drop),
        }
    })?;
    ended(unreadable)
}

/// Hands the programs of a batch over but for the first `done`, so many at a time, to what may use all
/// threads; gives the number of those that could not be read.
fn each_chunk(
    cli: &Cli,
    args: &AnalyzeArgs,
    done: usize,
    mut work: impl FnMut(&[Program]) -> Result<(), Outcome> + Send,
) -> Result<usize, Outcome> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build();
    let pool = pool.map_err(|error| fail(&error.to_string()))?;
    let mut batch = Batch::open(&args.file)?;
    let progress = Progress::new(cli, batch.size());
    let mut count = batch.skip(done)?;
    let mut unreadable = 0;
    loop {
        let chunk = batch.next(CHUNK)?;
        if chunk.is_empty() {
            break;
        }
        pool.install(|| work(&chunk))?;
        count += chunk.len();
        unreadable += chunk.iter().filter(|program| program.code.is_err()).count();
        progress.set(batch.position(), count);
    }
    progress.finish();
    Ok(unreadable)
}

fn ended(unreadable: usize) -> CommandResult {
    match unreadable {
        0 => Ok(Outcome::Success),
        count => Err(fail(&format!("{count} programs could not be read: their rows say why"))),
    }
}

/// The row of one program of a batch. A row that cannot be read is a row that says so: one bad
/// program does not end a batch.
fn row_of(program: &Program, args: &AnalyzeArgs, format: AnalyzeFormat) -> String {
    let value = match &program.code {
        Ok(code) => json_row(&program.name, code, args, format),
        Err(error) => serde_json::json!({ "name": program.name, "error": error }),
    };
    format!("{value}\n")
}

fn analysis_of<'c>(code: &'c [u8], args: &AnalyzeArgs) -> Analysis<'c> {
    analyze_given(code, Given { fork: args.evm_version, role: args.role.role(), ..Given::default() })
}

fn json_row(name: &str, code: &[u8], args: &AnalyzeArgs, format: AnalyzeFormat) -> serde_json::Value {
    let start = Instant::now();
    let analysis = analysis_of(code, args);
    let seconds = start.elapsed().as_secs_f64();
    match format {
        AnalyzeFormat::Json => report::full(name, &analysis, seconds),
        AnalyzeFormat::Text | AnalyzeFormat::Jsonl | AnalyzeFormat::Parquet => {
            report::row(name, &analysis, seconds)
        }
    }
}

/// The number of whole rows in an output; what a stopped run left of another is cut off.
fn drop_partial_row(path: &Path) -> Result<usize, Outcome> {
    let problem = |error: std::io::Error| fail(&format!("{}: {error}", path.display()));
    // What is no regular file holds nothing, or has no end.
    if !std::fs::metadata(path).is_ok_and(|data| data.is_file()) {
        return Ok(0);
    }
    let Ok(mut file) = OpenOptions::new().read(true).write(true).open(path) else { return Ok(0) };
    let (mut rows, mut end, mut at) = (0, 0, 0u64);
    let mut bytes = vec![0; 1 << 20];
    loop {
        let count = file.read(&mut bytes).map_err(problem)?;
        if count == 0 {
            break;
        }
        for (offset, _) in bytes[..count].iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
            (rows, end) = (rows + 1, at + offset as u64 + 1);
        }
        at += count as u64;
    }
    file.set_len(end).map_err(problem)?;
    Ok(rows)
}

fn append(path: &Path, text: &str) -> Result<(), Outcome> {
    written(output::append(path, text)).map(drop)
}
