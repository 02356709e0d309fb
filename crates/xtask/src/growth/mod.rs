//! `cargo xtask growth [FILTER]`: how the work of each command grows with the size of its input.
//!
//! Work is counted in instructions (callgrind): the same in each run, whatever else the machine does.
//! Each [shape](shapes) is made in three sizes, `n`, `2n` and `4n`. The growth is what the second
//! doubling costs over what the first one cost: 2 where work is linear, 4 where it is quadratic;
//! what a process costs before it reads its input cancels out. More than [`MAX_GROWTH`] fails, unless what
//! is written grows faster than the input: then as much more is allowed.
//!
//! Without valgrind nothing is counted, and the task says so.

mod commands;
mod count;
mod shapes;

use crate::project::{Outcome, build_release, is_installed};
use commands::Invocation;
pub(crate) use commands::commands_of;
use count::Count;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Growth for twice the input that passes.
const MAX_GROWTH: f64 = 2.2;

/// Instructions of the second doubling that are worth a look: some milliseconds.
const MEASURABLE: f64 = 10e6;

/// How large programs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    /// A quarter, and one command for each part of the compiler: some three minutes.
    Quick,
    /// A quarter, and the commands without each step of `yul-opt`: some twenty minutes.
    Small,
    Full,
}

/// Measures every command on every shape whose row contains the filter, two at a time.
///
/// # Errors
/// A command fails, or its work grows too fast.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !is_installed("valgrind") {
        println!("growth: valgrind not found; skipped");
        return Ok(());
    }
    let option = |name: &str| arguments.iter().find_map(|argument| argument.strip_prefix(name));
    let size = match (option("--quick"), option("--small")) {
        (Some(_), _) => Size::Quick,
        (None, Some(_)) => Size::Small,
        (None, None) => Size::Full,
    };
    let binary = match option("--cairn=") {
        Some(path) => PathBuf::from(path),
        None => build()?,
    };
    let filter = arguments.iter().find(|argument| !argument.starts_with("--")).map_or("", String::as_str);
    let rows: Vec<Invocation> =
        commands::all(size).into_iter().filter(|row| row.name().contains(filter)).collect();
    println!("| what | n | instructions at 4n, millions | growth | of the output |\n|---|---|---|---|---|");
    let (next, faults) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(fault) = measure(&binary, row, size) {
                        faults.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(fault);
                    }
                }
            });
        }
    });
    let faults = faults.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if faults.is_empty() {
        Ok(())
    } else {
        Err(format!("growth: {} rows\n{}", faults.len(), faults.join("\n")))
    }
}

fn build() -> Outcome<PathBuf> {
    Ok(build_release()?.join("cairn"))
}

/// Prints one row; fails where it grows too fast.
fn measure(binary: &Path, row: &Invocation, size: Size) -> Outcome {
    let n = match size {
        Size::Quick | Size::Small => row.shape.size / 4,
        Size::Full => row.shape.size,
    };
    let count =
        |n: usize| count::count(binary, row, n).map_err(|fault| format!("{} of {n}: {fault}", row.name()));
    let counts = [count(n)?, count(2 * n)?, count(4 * n)?];
    let work = growth(counts.map(|count: Count| count.instructions));
    let output = growth(counts.map(|count| count.output));
    let name = row.name();
    println!("| {name} | {n} | {:.0} | {work:.2} | {output:.2} |", counts[2].instructions / 1e6);
    let is_measurable = counts[2].instructions - counts[1].instructions > MEASURABLE;
    let steep = commands::STEEP.iter().find(|(steep, ..)| *steep == name);
    let allowed = steep.map_or(MAX_GROWTH * (output / 2.0).max(1.0), |(_, most, _)| *most);
    if is_measurable && work > allowed {
        return Err(format!("{name}: {work:.2} for twice the input, allowed are {allowed:.2}"));
    }
    Ok(())
}

/// What the second doubling adds over what the first one added; nothing grows by nothing.
fn growth([one, two, four]: [f64; 3]) -> f64 {
    if two <= one { 0.0 } else { (four - two) / (two - one) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_up_cancels_out() {
        assert_eq!(growth([105.0, 110.0, 120.0]), 2.0);
        assert_eq!(growth([101.0, 104.0, 116.0]), 4.0);
        assert_eq!(growth([7.0, 7.0, 7.0]), 0.0);
    }
}
