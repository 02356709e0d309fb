//! Developer tasks: `cargo xtask TASK`.

mod generate;
mod growth;

use std::process::ExitCode;

/// One task.
struct Task {
    name: &'static str,
    summary: &'static str,
    run: fn(&[String]) -> Result<(), String>,
}

const TASKS: &[Task] = &[Task {
    name: "growth",
    summary: "compile time and memory of generated programs by size",
    run: growth::run,
}];

#[allow(clippy::print_stderr, reason = "a command line tool")]
fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let wanted = args.first().map_or("", String::as_str);
    let Some(task) = TASKS.iter().find(|task| task.name == wanted) else {
        eprintln!("usage: cargo xtask TASK");
        TASKS.iter().for_each(|task| eprintln!("  {:<10} {}", task.name, task.summary));
        return ExitCode::from(2);
    };
    match (task.run)(&args[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
