//! Damaged inputs through the whole build: no panic, no hang, and every refusal says why.
//!
//! Inputs are the examples and file tests of the repository, damaged by a few random edits. The
//! seed is fixed; `CAIRN_FUZZ_SECONDS` sets how long it runs (a fixed number of inputs otherwise),
//! `CAIRN_FUZZ_SEED` another seed.

use cairn_driver::{Emit, Failure, Input, Language, Level, Options, Session, build, format};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Inputs without a time limit.
const DEFAULT_INPUTS: u64 = 10_000;

/// The compiler recurses on nested input up to its own bounds.
const STACK_BYTES: usize = 256 << 20;

/// Larger inputs are cut: the fuzzer looks for faults in small ones.
const MAX_INPUT: usize = 8192;

/// Pieces of all languages that edits insert.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    ",",
    ":=",
    "->",
    ":",
    "=",
    "\"",
    "hex\"",
    "//",
    "/*",
    "*/",
    "0x",
    "0",
    "1",
    "-1",
    "let ",
    "if ",
    "for ",
    "switch ",
    "case ",
    "default ",
    "function ",
    "leave",
    "break",
    "continue",
    "object \"a\" ",
    "code ",
    "data \"d\" ",
    "add",
    "mload",
    "sstore",
    "revert",
    "memoryguard",
    "datasize",
    "verbatim_1i_1o",
    "setimmutable",
    "linkersymbol",
    "func @f",
    "^b:",
    "%v",
    "evm.",
    "evm.add",
    "evm.br ^b",
    "evm.condbr",
    "evm.switch",
    "evm.alloca",
    "evm.constant 5 : u256",
    ": u256",
    "phi",
    "module @m",
    "PUSH ",
    "PUSH32 ",
    "DUP1",
    "JUMP",
    "offset(\"a\")",
    ".loc",
    "115792089237316195423570985008687907853269984665640564039457584007913129639936",
    "\u{0}",
    "\u{7f}",
    "é",
    "\n",
];

/// A small generator with good bits (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        cairn_testkit::next_random(&mut self.0)
    }

    /// A number below `bound`; 0 for bound 0.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

#[test]
fn damaged_inputs() {
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
    let loud = std::panic::take_hook();
    std::panic::set_hook(Box::new(|info| {
        if let Ok(mut place) = PANIC_PLACE.lock() {
            *place = info.location().map(ToString::to_string).unwrap_or_default();
        }
    }));
    let thread = worker.spawn(fuzz).expect("a thread starts");
    let result = thread.join();
    std::panic::set_hook(loud);
    let (inputs, faults) = result.expect("the fuzzer itself does not panic");
    eprintln!("{inputs} inputs");
    let reports: Vec<String> = faults.iter().map(|(fault, case)| format!("{fault}\n{case}")).collect();
    assert!(reports.is_empty(), "{} faults:\n{}", reports.len(), reports.join("\n\n"));
}

/// Where the last panic was.
static PANIC_PLACE: Mutex<String> = Mutex::new(String::new());

/// After so many different faults there is enough to repair.
const MAX_FAULTS: usize = 10;

/// The number of inputs tried, and the smallest input found for each fault.
fn fuzz() -> (u64, BTreeMap<String, String>) {
    let variable = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let mut random = Random(variable("CAIRN_FUZZ_SEED").unwrap_or(1));
    let seconds = variable("CAIRN_FUZZ_SECONDS").map(Duration::from_secs);
    let seeds = seeds();
    assert!(!seeds.is_empty(), "the repository has examples");
    let start = Instant::now();
    let mut inputs = 0;
    let mut faults = BTreeMap::new();
    while seconds.map_or(inputs < DEFAULT_INPUTS, |limit| start.elapsed() < limit)
        && faults.len() < MAX_FAULTS
    {
        let (language, text) = &seeds[random.below(seeds.len())];
        let other = &seeds[random.below(seeds.len())].1;
        let case = Case {
            text: damage(text, other, &mut random),
            language: *language,
            level: [Level::O0, Level::O2][random.below(2)],
            spec: random.below(4) == 0,
        };
        if let Some(fault) = case.fault() {
            faults.entry(fault).or_insert_with_key(|fault| case.reduced(fault).to_string());
        }
        inputs += 1;
    }
    (inputs, faults)
}

/// The inputs of the repository.
fn seeds() -> Vec<(Language, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    let mut pending = vec![root.join("examples"), root.join("tests/filetests")];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let list: &mut Vec<PathBuf> = if path.is_dir() { &mut pending } else { &mut paths };
            list.push(path);
        }
    }
    paths.sort();
    let read = |path: PathBuf| Some((Language::of_path(&path)?, std::fs::read_to_string(&path).ok()?));
    paths.into_iter().filter_map(read).filter(|(_, text)| text.len() <= MAX_INPUT).collect()
}

/// A few edits: cut, repeat, insert a piece, splice, change a byte, nest.
fn damage(text: &str, other: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(6) {
        let start = random.below(bytes.len());
        let end = bytes.len().min(start + random.below(40));
        match random.below(7) {
            0 => drop(bytes.drain(start..end)),
            1 => {
                let repeated = bytes[start..end].repeat(1 + random.below(3));
                bytes.splice(start..start, repeated);
            }
            2 | 3 => {
                let piece = PIECES[random.below(PIECES.len())];
                bytes.splice(start..start, piece.bytes());
            }
            4 => {
                let from = random.below(other.len());
                let to = other.len().min(from + random.below(200));
                bytes.splice(start..end, other.as_bytes()[from..to].to_vec());
            }
            5 => {
                if let Some(byte) = bytes.get_mut(start) {
                    *byte = random.next() as u8;
                }
            }
            _ => {
                let depth = 1 << random.below(12);
                let piece = ["{", "(", "add(", "if 1 {", "object \"a\" {"][random.below(5)];
                bytes.splice(start..start, piece.repeat(depth).into_bytes());
            }
        }
        bytes.truncate(MAX_INPUT);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// An input and how it is built.
#[derive(Clone)]
struct Case {
    text: String,
    language: Language,
    level: Level,
    spec: bool,
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "-O{}, spec {}, {:?}:\n{}", self.level, self.spec, self.language, self.text)
    }
}

impl Case {
    /// Builds and formats; says what went wrong, the same for the same fault.
    fn fault(&self) -> Option<String> {
        let allowed = Duration::from_secs(1 + self.text.len() as u64 / 1024);
        let input = Input { name: "damaged".to_owned(), text: self.text.clone(), language: self.language };
        let options = Options { level: self.level, spec: self.spec, verify: true, ..Options::default() };
        let start = Instant::now();
        let result = catch_unwind(AssertUnwindSafe(|| {
            let mut session = Session::default();
            let built = build(&input, &[Emit::Bin], &options, &mut session).map(|_| ());
            let explained = session.diagnostics.has_errors();
            _ = format(&input, &Options::default(), &mut Session::default());
            (built, explained)
        }));
        match result {
            Ok((Err(Failure::Bug(message)), _)) => {
                // What is in parentheses differs from case to case.
                Some(format!("bug: {}", message.split('(').next().unwrap_or_default()))
            }
            Ok((Err(Failure::Input), false)) => Some("refused without a reason".to_owned()),
            Err(_) => PANIC_PLACE.lock().ok().map(|place| format!("panic at {place}")),
            Ok(_) if start.elapsed() > allowed => Some("takes more than a second a kilobyte".to_owned()),
            Ok(_) => None,
        }
    }

    /// A smaller case with the same fault: lines, then words, are left out where that is possible.
    fn reduced(&self, fault: &str) -> Case {
        let mut best = self.clone();
        for separator in ['\n', ' '] {
            let mut index = 0;
            loop {
                let mut pieces: Vec<&str> = best.text.split(separator).collect();
                if index >= pieces.len() {
                    break;
                }
                pieces.remove(index);
                let smaller = Case { text: pieces.join(&separator.to_string()), ..best.clone() };
                if smaller.fault().as_deref() == Some(fault) {
                    best = smaller;
                } else {
                    index += 1;
                }
            }
        }
        best
    }
}
