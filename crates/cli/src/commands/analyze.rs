//! `cairn analyze`: facts of one program, or of a batch on all cores.
//!
//! Rows of a batch are printed in the order of the input, whatever the number of threads. With
//! `--output` rows are appended as they are done, and a second run goes on where the first ended.

use super::cfg::read_code;
use super::common::{CommandResult, fail, line, print, usage};
use crate::Outcome;
use crate::args::{AnalyzeArgs, AnalyzeFormat, Cli, FileArgs};
use cairn_bytecode::{analyze_for, report};
use cairn_evm::Fork;
use rayon::prelude::*;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::time::Instant;

/// Rows that are read, analysed and written together.
const CHUNK: usize = 512;

/// Analyses a file.
pub(crate) fn analyze(cli: &Cli, args: &AnalyzeArgs) -> CommandResult {
    let is_batch = args.file.extension().is_some_and(|extension| extension == "jsonl" || extension == "json")
        || (args.file.as_os_str() == "-" && args.format == Some(AnalyzeFormat::Jsonl));
    if is_batch {
        return analyze_batch(cli, args);
    }
    let input = FileArgs { file: args.file.clone(), evm_version: args.evm_version };
    let (name, code) = read_code(cli, &input)?;
    let start = Instant::now();
    let analysis = analyze_for(&code, args.evm_version);
    let seconds = start.elapsed().as_secs_f64();
    let text = match args.format.unwrap_or(AnalyzeFormat::Text) {
        AnalyzeFormat::Text => report::text(&name, &analysis),
        AnalyzeFormat::Json => report::full(&name, &analysis, seconds).to_string(),
        AnalyzeFormat::Jsonl => report::row(&name, &analysis, seconds).to_string(),
    };
    match &args.output {
        Some(path) => append(path, &line(&text)).map(|()| Outcome::Success),
        None => print(&line(&text)),
    }
}

fn analyze_batch(cli: &Cli, args: &AnalyzeArgs) -> CommandResult {
    if args.format == Some(AnalyzeFormat::Text) {
        return Err(usage("a batch is printed as `json` or `jsonl`"));
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.threads).build();
    let pool = pool.map_err(|error| fail(&error.to_string()))?;
    let mut lines = open(&args.file)?.lines();
    let done = args.output.as_deref().map_or(Ok(0), drop_partial_row)?;
    let mut count = 0usize;
    for _ in 0..done {
        if lines.next().is_none() {
            break;
        }
        count += 1;
    }
    let start = Instant::now();
    loop {
        let chunk: Result<Vec<String>, _> = lines.by_ref().take(CHUNK).collect();
        let chunk = chunk.map_err(|error| fail(&format!("{}: {error}", args.file.display())))?;
        if chunk.is_empty() {
            break;
        }
        let row = |(index, text): (usize, &String)| {
            row_of(text, args)
                .map_err(|error| format!("{}:{}: {error}", args.file.display(), count + index + 1))
        };
        let rows: Result<Vec<String>, String> =
            pool.install(|| chunk.par_iter().enumerate().map(row).collect());
        let text = rows.map_err(|error| fail(&error))?.concat();
        match &args.output {
            Some(path) => append(path, &text)?,
            None => print(&text).map(drop)?,
        }
        count += chunk.len();
        crate::report::progress(cli, &format!("{count} programs, {:.0} s", start.elapsed().as_secs_f64()));
    }
    crate::report::end_progress(cli);
    Ok(Outcome::Success)
}

/// The row of one program of a batch; empty for an empty line.
fn row_of(text: &str, args: &AnalyzeArgs) -> Result<String, String> {
    if text.trim().is_empty() {
        return Ok("\n".to_owned());
    }
    let row: serde_json::Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let digits = row["runtime"].as_str().ok_or("no field `runtime` with hexadecimal digits")?;
    let code = cairn_evm::hex::decode(digits).map_err(|error| error.to_string())?;
    let name = row["name"].as_str().unwrap_or_default();
    Ok(format!("{}\n", json_row(name, &code, args.evm_version, args.format)))
}

fn json_row(name: &str, code: &[u8], fork: Fork, format: Option<AnalyzeFormat>) -> serde_json::Value {
    let start = Instant::now();
    let analysis = analyze_for(code, fork);
    let seconds = start.elapsed().as_secs_f64();
    match format {
        Some(AnalyzeFormat::Json) => report::full(name, &analysis, seconds),
        _ => report::row(name, &analysis, seconds),
    }
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Outcome> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(BufReader::new(std::io::stdin())));
    }
    let file = File::open(path).map_err(|error| fail(&format!("{}: {error}", path.display())))?;
    Ok(Box::new(BufReader::new(file)))
}

/// The number of whole rows in an output; what a stopped run left of another is cut off.
fn drop_partial_row(path: &Path) -> Result<usize, Outcome> {
    let problem = |error: std::io::Error| fail(&format!("{}: {error}", path.display()));
    let Ok(mut file) = OpenOptions::new().read(true).write(true).open(path) else { return Ok(0) };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(problem)?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |place| place + 1);
    file.set_len(end as u64).map_err(problem)?;
    Ok(bytes[..end].iter().filter(|byte| **byte == b'\n').count())
}

fn append(path: &Path, text: &str) -> Result<(), Outcome> {
    let file = OpenOptions::new().create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| fail(&format!("{}: {error}", path.display())))
}
