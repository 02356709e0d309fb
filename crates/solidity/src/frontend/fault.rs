//! What goes wrong with a front end, as one sentence each and with what helps.

use crate::frontend::installed::{FrontEnd, OLDEST};
use semver::Version;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How many characters of an answer a message quotes.
const QUOTED: usize = 200;

/// Why there is no front end, or no answer of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No solc is installed in any of the places.
    NotFound,
    /// What is there cannot serve as a front end.
    NotUsable {
        /// The program, file or folder.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// No installed version satisfies the pragmas.
    Unsatisfied {
        /// What the sources ask for: the pragma that nothing satisfies, or all that conflict.
        pragmas: Vec<String>,
        /// The versions that are installed, the newest first.
        installed: Vec<Version>,
        /// Whether a version with usable Yul output could satisfy the pragmas.
        cure: Cure,
    },
    /// The pragmas choose a version without usable Yul output.
    TooOld {
        /// That version.
        version: Version,
        /// The first pragma that asks for it, where there is one.
        pragma: Option<String>,
        /// Whether a version with usable Yul output could satisfy the pragmas.
        cure: Cure,
    },
    /// `soljson.js` needs `node`, which is absent.
    NoNode {
        /// The `soljson.js`.
        soljson: PathBuf,
    },
    /// The program does not start.
    CannotStart {
        /// The program.
        program: PathBuf,
        /// What the system says.
        why: String,
    },
    /// The program ended without an answer.
    Crashed {
        /// The program.
        program: PathBuf,
        /// How it ended, as `exited with status 3`.
        how: String,
        /// The last lines that it wrote to standard error.
        stderr: String,
    },
    /// The program answered that it had not enough memory, even for one file.
    OutOfMemory {
        /// The program.
        program: PathBuf,
        /// What it said.
        said: String,
    },
    /// Its answer was wanted no more.
    Stopped,
    /// The program did not answer in time.
    Hung {
        /// The program.
        program: PathBuf,
        /// How long it was given.
        after: Duration,
    },
    /// The answer is not a JSON object.
    Garbage {
        /// The program.
        program: PathBuf,
        /// The first characters of the answer.
        start: String,
    },
    /// The program is another version than its place tells.
    WrongVersion {
        /// The program or `soljson.js`.
        path: PathBuf,
        /// What its name or package tells.
        told: Version,
        /// What it says.
        found: Version,
    },
    /// This program was started as its own front end.
    Recursive {
        /// The front end that started it.
        caller: PathBuf,
    },
}

/// Whether installing another version would help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cure {
    /// A version of solc with usable Yul output could satisfy the pragmas.
    Install,
    /// Only versions that are too old could.
    Modernize,
    /// None could: the pragmas contradict each other.
    Contradiction,
}

impl Cure {
    fn help(self) -> String {
        match self {
            Cure::Install => get_one("solc@VERSION"),
            Cure::Modernize => {
                format!("widen the pragma to accept {OLDEST} or later, or use solc's own code")
            }
            Cure::Contradiction => {
                "no version of solc satisfies all of them: compile these sources apart".to_owned()
            }
        }
    }
}

impl Fault {
    /// The fault of an answer that is not what was asked for, quoting its start.
    pub fn garbage(front_end: &FrontEnd, answer: &str) -> Fault {
        Fault::garbage_of(&front_end.path, answer.as_bytes())
    }

    pub(super) fn garbage_of(program: &Path, answer: &[u8]) -> Fault {
        let start = &answer[..answer.len().min(QUOTED * 4)];
        let start = String::from_utf8_lossy(start).chars().take(QUOTED).collect();
        Fault::Garbage { program: program.to_path_buf(), start }
    }

    /// What the user can do about it, in a sentence; it may have several lines.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Fault::NotFound | Fault::NotUsable { .. } | Fault::Recursive { .. } => get_one("solc"),
            Fault::Unsatisfied { cure, .. } | Fault::TooOld { cure, .. } => cure.help(),
            Fault::NoNode { .. } => {
                "install Node.js, or set `CAIRN_NODE` to the program `node`, or use a native solc".to_owned()
            }
            Fault::Stopped => return None,
            Fault::Hung { .. } => "`CAIRN_SOLC_TIMEOUT` sets the limit in seconds; 0 is no limit".to_owned(),
            Fault::OutOfMemory { said, .. } => {
                format!("use a native solc, which has all memory of the machine; it said: {said}")
            }
            Fault::Crashed { stderr, .. } if !stderr.is_empty() => format!("its last words: {stderr}"),
            Fault::WrongVersion { .. } => "install it again, or set `CAIRN_SOLC` to another".to_owned(),
            Fault::CannotStart { .. } | Fault::Garbage { .. } | Fault::Crashed { .. } => {
                "set `CAIRN_SOLC` to use another solc".to_owned()
            }
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NotFound => write!(f, "no solc found to read Solidity with"),
            Fault::NotUsable { path, why } => write!(f, "{} is no usable solc: {why}", quoted(path)),
            Fault::Unsatisfied { pragmas, installed, .. } => {
                write!(f, "no installed solc satisfies {}; ", list(pragmas))?;
                match installed.as_slice() {
                    [] => write!(f, "none is installed"),
                    versions => write!(f, "installed: {}", list(versions)),
                }
            }
            Fault::TooOld { version, pragma, .. } => {
                write!(f, "solc {version} gives no usable Yul: the oldest that does is ")?;
                write!(f, "{}", OLDEST)?;
                pragma.iter().try_for_each(|pragma| write!(f, " (`{pragma}` asks for it)"))
            }
            Fault::NoNode { soljson } => write!(f, "no `node` found to run {} with", quoted(soljson)),
            Fault::CannotStart { program, why } => write!(f, "cannot start {}: {why}", quoted(program)),
            Fault::Crashed { program, how, .. } => write!(f, "{} {how}", quoted(program)),
            Fault::OutOfMemory { program, .. } => write!(f, "{} ran out of memory", quoted(program)),
            Fault::Stopped => write!(f, "the answer was wanted no more"),
            Fault::Hung { program, after } => {
                write!(f, "{} gave no answer within {} s", quoted(program), after.as_secs_f64())
            }
            Fault::Garbage { program, start } if start.is_empty() => {
                write!(f, "{} gave an empty answer", quoted(program))
            }
            Fault::Garbage { program, start } => {
                write!(f, "{} gave an answer that is no standard JSON: {start:?}", quoted(program))
            }
            Fault::WrongVersion { path, told, found } => {
                write!(f, "{} should be solc {told} by its place, but says it is {found}", quoted(path))
            }
            Fault::Recursive { caller } => {
                write!(f, "the front end {} calls this program itself", quoted(caller))
            }
        }
    }
}

impl std::error::Error for Fault {}

fn get_one(package: &str) -> String {
    format!(
        "install one with `npm install {package}`, svm or solc-select, or set `CAIRN_SOLC` to a solc \
         program, a `soljson.js` or a folder of npm's `solc`"
    )
}

fn quoted(path: &Path) -> String {
    format!("`{}`", path.display())
}

/// The first few of a list, each in backticks.
fn list<T: fmt::Display>(items: &[T]) -> String {
    const SHOWN: usize = 8;
    let mut text: Vec<String> = items.iter().take(SHOWN).map(|item| format!("`{item}`")).collect();
    if items.len() > SHOWN {
        text.push(format!("{} more", items.len() - SHOWN));
    }
    text.join(", ")
}
