//! Developer tasks: `cargo xtask TASK`.
//!
//! Each task prints what it does and ends with exit code 0, or 1 after saying what is wrong; wrong
//! usage ends with 2.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for terminals")]

mod bench;
mod bless;
mod ci;
mod docs;
mod growth;
mod mutants;
mod nets;
mod project;
mod projects;
mod prove;
mod python;
mod random;
mod slow;
mod solidity;
mod tidy;

use std::process::ExitCode;

/// One task.
struct Task {
    name: &'static str,
    arguments: &'static str,
    summary: &'static str,
    run: fn(&[String]) -> Result<(), String>,
}

const TASKS: &[Task] = &[
    Task {
        name: "ci",
        arguments: "[SECONDS]",
        summary: "what continuous integration runs; SECONDS of fuzzing (60)",
        run: |arguments| ci::run(arguments.first().map_or("60", String::as_str)),
    },
    Task {
        name: "tidy",
        arguments: "",
        summary: "layers, lengths, head docs, test folders, packages, licences",
        run: |_| tidy::run(),
    },
    Task {
        name: "bless",
        arguments: "[FILTER]",
        summary: "rewrite the expected outputs of file tests",
        run: |arguments| bless::run(arguments.first().map(String::as_str)),
    },
    Task {
        name: "bench",
        arguments: "[FILTER]",
        summary: "sizes and gas at each level and of peers, written to bench/; --no-peers --no-passes \
                  --cairn=PATH --peer=NAME=COMMAND",
        run: bench::run,
    },
    Task {
        name: "docs",
        arguments: "[--check]",
        summary: "rewrite the generated tables in docs/, or say whether they are current",
        run: |arguments| docs::run(docs::Mode::of(arguments.first().map(String::as_str))),
    },
    Task {
        name: "growth",
        arguments: "",
        summary: "how the work of each command grows with its input; --quick --small --cairn=PATH",
        run: growth::run,
    },
    Task {
        name: "slow",
        arguments: "[SECONDS]",
        summary: "look for small inputs that cost much time or memory; --seed=N",
        run: slow::run,
    },
    Task {
        name: "mutants",
        arguments: "[FILTER]",
        summary: "which small faults in the compiler no test sees; --sample=N --seed=N --jobs=N \
                  --longest=SECONDS --tests=NAME,… --prove=SECONDS --again --list",
        run: mutants::run,
    },
    Task {
        name: "nets",
        arguments: "",
        summary: "many random programs of each net, in release; --programs N --net NAME --seed N",
        run: nets::run,
    },
    Task {
        name: "solidity",
        arguments: "",
        summary: "many random programs in Solidity, compiled by solc and by Cairn; --programs N --seed N \
                  --solc FOLDER (of npm's package, in place of one that is installed)",
        run: solidity::run,
    },
    Task {
        name: "projects",
        arguments: "[FILTER]",
        summary: "test suites of published projects with cairn-solc; --examples --coverage --slither \
                  --levels=0,1,2,3,s --compiler=PATH --fresh --patient",
        run: projects::run,
    },
    Task {
        name: "prove",
        arguments: "",
        summary: "how many functions of a sample are proven, and why not; --suite semantic|real|chain|own|trial \
                  --count N --level O --timeout SECONDS --jobs N --floor PERCENT --filter TEXT --cairn PATH \
                  --solc FOLDER (for the trial, of npm's package); \
                  --mutants N --seed N: how many changed bytes are found",
        run: prove::run,
    },
    Task {
        name: "python",
        arguments: "[PYTEST…]",
        summary: "build the Python package into target/python and run its tests; needs Python 3.9; \
                  --engines (Spark and others too) --debug --sdist (from the source package) --peers (evmole)",
        run: python::run,
    },
];

impl Task {
    /// The first of some arguments that is an option of which nothing says that the task has it.
    fn unknown<'w>(&self, words: &'w [String]) -> Option<&'w str> {
        if self.arguments.contains("PYTEST") {
            return None;
        }
        let says = |option: &str| {
            let mut said =
                self.arguments.split([' ', '[', ']']).chain(self.summary.split([' ', ':', ';', '=']));
            said.any(|word| word == option)
        };
        let mut options = words.iter().map(String::as_str).filter(|word| word.starts_with('-'));
        options.find(|word| !says(word.split('=').next().unwrap_or_default()))
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let wanted = words.first().map_or("", String::as_str);
    let usage = |task: &Task| eprintln!("  {:6} {:10} {}", task.name, task.arguments, task.summary);
    let Some(task) = TASKS.iter().find(|task| task.name == wanted) else {
        eprintln!("usage: cargo xtask TASK");
        TASKS.iter().for_each(usage);
        return ExitCode::from(2);
    };
    if let Some(option) = task.unknown(&words[1..]) {
        eprintln!("`{}` has no option `{option}`", task.name);
        usage(task);
        return ExitCode::from(2);
    }
    match (task.run)(&words[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_that_are_said() {
        let unknown = |task: &str, word: &str| {
            let task = TASKS.iter().find(|known| known.name == task).expect("a task");
            task.unknown(&[word.to_owned()]).is_some()
        };
        for (task, word) in [
            ("bench", "--no-peers"),
            ("bench", "--cairn=target/release/cairn"),
            ("bench", "real/aave"),
            ("docs", "--check"),
            ("projects", "--levels=0,2"),
            ("prove", "--solc"),
            ("mutants", "--tests=lib"),
            ("nets", "--seed"),
            ("python", "--pdb"),
            ("growth", "--small"),
        ] {
            assert!(!unknown(task, word), "{task} {word}");
        }
        for (task, word) in [("bench", "--help"), ("bench", "--no"), ("docs", "-h"), ("tidy", "--check")] {
            assert!(unknown(task, word), "{task} {word}");
        }
    }
}
