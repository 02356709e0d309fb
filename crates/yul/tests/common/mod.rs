//! Access to the corpus of test programs, which is no part of the repository.
//!
//! It is looked for at `CAIRN_CORPUS`, then beside the workspace; tests pass without it and say so.

use std::io::Read;
use std::path::{Path, PathBuf};

use cairn_evm::Fork;
use cairn_yul::Dialect;

/// The corpus, if there is one.
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn corpus() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let path = std::env::var_os("CAIRN_CORPUS").map_or(default, PathBuf::from);
    if path.is_dir() {
        return Some(path);
    }
    eprintln!("skipped: no corpus at {}", path.display());
    None
}

/// One file of a test directory.
pub(crate) struct Case {
    /// Path inside the corpus.
    pub name: String,
    /// The program.
    pub source: String,
    /// Lines of the `====` section.
    pub settings: Vec<String>,
    /// Lines of the `----` section, without the comment signs.
    pub expectation: Vec<String>,
}

impl Case {
    /// The value of a setting.
    pub(crate) fn setting(&self, key: &str) -> Option<&str> {
        let mut values = self.settings.iter().filter_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
        values.next().map(str::trim)
    }

    /// The dialect of the newest final fork that the settings allow.
    pub(crate) fn dialect(&self) -> Dialect {
        let allowed = |fork: &Fork| self.setting("EVMVersion").is_none_or(|setting| matches(setting, *fork));
        let final_forks = Fork::ALL.into_iter().rev().filter(|fork| *fork <= Fork::default());
        Dialect::new(final_forks.into_iter().find(allowed).expect("a fork that the settings allow"))
    }
}

fn matches(setting: &str, fork: Fork) -> bool {
    let split = setting.find(|c: char| c.is_ascii_alphabetic()).expect("a fork name");
    let named: Fork = setting[split..].parse().expect("a known fork");
    match setting[..split].trim() {
        "=" | "" => fork == named,
        ">=" => fork >= named,
        "<=" => fork <= named,
        ">" => fork > named,
        "<" => fork < named,
        other => panic!("unknown comparison {other}"),
    }
}

/// Every test file under a directory of the corpus, sorted by path.
pub(crate) fn cases(corpus: &Path, directory: &str) -> Vec<Case> {
    let mut paths = Vec::new();
    collect(&corpus.join(directory), &mut paths);
    paths.sort();
    paths.iter().map(|path| read_case(corpus, path)).collect()
}

fn collect(directory: &Path, paths: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(directory).expect("a readable directory") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            collect(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "yul") {
            paths.push(path);
        }
    }
}

fn read_case(corpus: &Path, path: &Path) -> Case {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let name = path.strip_prefix(corpus).expect("a path in the corpus").display().to_string();
    let (head, expectation) = split_at_line(&text, "// ----");
    let (source, settings) = split_at_line(head, "// ====");
    Case { name, source: source.to_owned(), settings: comments(settings), expectation: comments(expectation) }
}

/// The text before a line, and the text after it.
fn split_at_line<'a>(text: &'a str, line: &str) -> (&'a str, &'a str) {
    let mut start = 0;
    for found in text.split_inclusive('\n') {
        if found.trim_end() == line {
            return (&text[..start], &text[start + found.len()..]);
        }
        start += found.len();
    }
    (text, "")
}

fn comments(text: &str) -> Vec<String> {
    let content = |line: &str| line.strip_prefix("// ").or(line.strip_prefix("//")).map(str::to_owned);
    text.lines().filter_map(content).collect()
}

/// The objects of a compressed file of JSON lines.
pub(crate) fn json_lines(path: &Path) -> Vec<serde_json::Value> {
    let file = std::fs::File::open(path).expect("a readable file");
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("a valid gzip file");
    text.lines().map(|line| serde_json::from_str(line).expect("valid JSON")).collect()
}
