//! `cairn analyze`: facts of one program, or of a batch on all cores.
//!
//! A batch is a file with one JSON object a line (`.jsonl`, also `.jsonl.gz`) or a Parquet file.
//! Rows are written in the order of the input, whatever the number of threads. With `--output`
//! rows are appended as they are done, and a second run goes on where the first ended. A Parquet
//! file cannot grow: rows go to `FILE.partial` first, which becomes the file at the end. A data set
//! (an input and a folder) is the affair of [`super::dataset`].

mod input;
#[cfg(feature = "parquet")]
mod parquet_file;
mod program;
mod progress;

use super::cfg::read_code;
use super::common::{CommandResult, fail, line, print, usage, written};
use super::dataset;
use crate::Outcome;
use crate::args::{AnalyzeArgs, AnalyzeFormat, Cli, FileArgs};
use crate::output;
use cairn_bytecode::{Analysis, Given, analyze_given, report};
use input::Batch;
use program::Program;
use progress::Progress;
use rayon::prelude::*;
use std::fs::OpenOptions;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Rows that are read, analysed and written together.
const CHUNK: usize = 512;

/// Analyses a file.
pub(crate) fn analyze(cli: &Cli, args: &AnalyzeArgs) -> CommandResult {
    if let Some(folder) = &args.dataset.folder {
        return dataset::analyze(cli, args, folder);
    }
    let is_piped = args.file.as_os_str() == "-" && input::is_batch_piped();
    if is_piped || input::is_batch(&args.file) {
        return analyze_batch(cli, args);
    }
    let input = FileArgs { file: args.file.clone(), evm_version: args.evm_version };
    let (name, code) = read_code(cli, &input)?;
    let start = Instant::now();
    let analysis = analysis_of(&code, args);
    let seconds = start.elapsed().as_secs_f64();
    let text = match args.format.unwrap_or(AnalyzeFormat::Text) {
        AnalyzeFormat::Text => report::text(&name, &analysis),
        AnalyzeFormat::Json => report::full(&name, &analysis, seconds).to_string(),
        AnalyzeFormat::Jsonl => report::row(&name, &analysis, seconds).to_string(),
        AnalyzeFormat::Parquet => return Err(usage("`parquet` is a form of batches")),
    };
    match &args.output {
        Some(path) => append(path, &line(&text)).map(|()| Outcome::Success),
        None => print(&line(&text)),
    }
}

fn analyze_batch(cli: &Cli, args: &AnalyzeArgs) -> CommandResult {
    let format = args.format.unwrap_or(AnalyzeFormat::Jsonl);
    if format == AnalyzeFormat::Text {
        return Err(usage("a batch is printed as `json`, `jsonl` or `parquet`"));
    }
    let rows_path = rows_path(args, format)?;
    if let (AnalyzeFormat::Parquet, Some(output)) = (format, &args.output)
        && output.exists()
        && !rows_path.as_ref().is_some_and(|path| path.exists())
    {
        crate::report::note(cli, &format!("{} is complete", output.display()));
        return Ok(Outcome::Success);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build();
    let pool = pool.map_err(|error| fail(&error.to_string()))?;
    let mut batch = Batch::open(&args.file)?;
    output::remember_input(&args.file);
    for path in args.output.iter().chain(&rows_path) {
        written(output::check(path))?;
    }
    let done = rows_path.as_deref().map_or(Ok(0), drop_partial_row)?;
    let progress = Progress::new(cli, batch.size());
    let mut count = batch.skip(done)?;
    let mut unreadable = 0;
    loop {
        let chunk = batch.next(CHUNK)?;
        if chunk.is_empty() {
            break;
        }
        let rows: Vec<String> =
            pool.install(|| chunk.par_iter().map(|program| row_of(program, args, format)).collect());
        let text = rows.concat();
        match &rows_path {
            Some(path) => append(path, &text)?,
            None => print(&text).map(drop)?,
        }
        count += chunk.len();
        unreadable += chunk.iter().filter(|program| program.code.is_err()).count();
        progress.set(batch.position(), count);
    }
    progress.finish();
    if let (AnalyzeFormat::Parquet, Some(output), Some(rows)) = (format, &args.output, rows_path) {
        finish_parquet(&rows, output)?;
    }
    match unreadable {
        0 => Ok(Outcome::Success),
        count => Err(fail(&format!("{count} programs could not be read: their rows say why"))),
    }
}

/// Where rows are collected; `None` is standard output.
fn rows_path(args: &AnalyzeArgs, format: AnalyzeFormat) -> Result<Option<PathBuf>, Outcome> {
    if format != AnalyzeFormat::Parquet {
        return Ok(args.output.clone());
    }
    if cfg!(not(feature = "parquet")) {
        return Err(usage("this `cairn` was built without the feature `parquet`"));
    }
    let Some(output) = &args.output else {
        return Err(usage("`--format parquet` needs `--output FILE`"));
    };
    let mut path = output.clone().into_os_string();
    path.push(".partial");
    Ok(Some(path.into()))
}

#[cfg(feature = "parquet")]
fn finish_parquet(rows: &Path, output: &Path) -> Result<(), Outcome> {
    use super::common::fail_with;
    use crate::output::Draft;
    let explain = |error: parquet::errors::ParquetError| fail(&format!("{}: {error}", output.display()));
    let mut draft = Draft::new(output).map_err(|fault| fail_with(&fault))?;
    parquet_file::write(rows, draft.file()).map_err(explain)?;
    written(draft.commit())?;
    std::fs::remove_file(rows).map_err(|error| fail(&format!("{}: {error}", rows.display())))
}

#[cfg(not(feature = "parquet"))]
fn finish_parquet(_: &Path, _: &Path) -> Result<(), Outcome> {
    Err(usage("this `cairn` was built without the feature `parquet`"))
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
