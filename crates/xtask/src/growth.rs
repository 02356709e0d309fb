//! `cargo xtask growth`: how compile time and memory grow with the size of a program.
//!
//! Time is the best of three runs of the binary. The growth factor compares time per size of one
//! row with that of the row before: 1.0 is linear.

use crate::generate::Shape;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Runs of each program.
const RUNS: usize = 3;

/// Measures every shape with `target/release/cairn` and prints a table.
///
/// # Errors
/// The binary is missing or a program does not compile.
#[allow(clippy::print_stdout, reason = "the table is the result")]
pub(crate) fn run(args: &[String]) -> Result<(), String> {
    let binary = std::env::current_dir().map_err(|error| error.to_string())?.join("target/release/cairn");
    let binary = args.iter().find_map(|arg| arg.strip_prefix("--cairn=")).map_or(binary, Into::into);
    let options: Vec<&String> = args.iter().filter(|arg| !arg.starts_with("--cairn=")).collect();
    println!("| shape | size | Yul bytes | seconds | growth | peak MB |\n|---|---|---|---|---|---|");
    for shape in Shape::ALL {
        let mut before: Option<f64> = None;
        for size in shape.sizes() {
            let program = shape.program(*size);
            let (seconds, peak) = measure(&binary, &options, &program)
                .map_err(|error| format!("{shape:?} of size {size}: {error}"))?;
            let per_size = seconds / *size as f64;
            let growth = before.map_or_else(|| "–".into(), |before| format!("{:.2}", per_size / before));
            let name = format!("{shape:?}").to_lowercase();
            println!("| {name} | {size} | {} | {seconds:.3} | {growth} | {peak} |", program.len());
            before = Some(per_size);
        }
    }
    Ok(())
}

/// Best time in seconds, and peak memory in MB as the binary reports it.
fn measure(binary: &Path, options: &[&String], program: &str) -> Result<(f64, String), String> {
    let path = std::env::temp_dir().join(format!("cairn-growth-{}.yul", std::process::id()));
    std::fs::write(&path, program).map_err(|error| error.to_string())?;
    let mut best = f64::INFINITY;
    let mut peak = String::from("?");
    for _ in 0..RUNS {
        let start = Instant::now();
        let mut command = Command::new(binary);
        command.args(["build", "--time-passes"]).args(options).arg(&path);
        let output = command.output().map_err(|error| format!("{}: {error}", binary.display()))?;
        best = best.min(start.elapsed().as_secs_f64());
        let stderr = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(stderr.chars().take(500).collect());
        }
        let row = stderr.lines().find_map(|line| line.strip_prefix("peak memory"));
        peak = row.map_or(peak, |row| row.trim().trim_end_matches(" MB").to_owned());
    }
    std::fs::remove_file(&path).map_err(|error| error.to_string())?;
    Ok((best, peak))
}
