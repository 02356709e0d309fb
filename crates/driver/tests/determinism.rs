//! The same program gives the same code, whatever its identifiers are called and in whatever order
//! its functions stand; at `-Os` it is never more than at `-O2`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests say what they skip")]

use cairn_diag::FileId;
use cairn_driver::{Emit, Input, Language, Level, Options, Session};
use cairn_yul::{DebugComments, Dialect, NameClass, Object, Statement, parse, print_object};
use std::collections::HashMap;
use std::path::PathBuf;

/// Stack of the compiling thread.
const STACK_BYTES: usize = 256 << 20;

/// The example programs, and a sample of the corpus where there is one.
fn programs() -> Vec<(String, String)> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut programs = Vec::new();
    for name in ["erc20.yul", "loop.yul"] {
        let path = root.join("examples").join(name);
        programs.push((name.to_owned(), std::fs::read_to_string(path).expect("the example is there")));
    }
    let beside = root.join("../shared/corpus");
    let folder = std::env::var_os("CAIRN_CORPUS").map_or(beside, PathBuf::from);
    if folder.is_dir() {
        programs.extend(sample(&folder.join("semantic/semantic-dev.jsonl.gz")));
    } else {
        eprintln!("skipped the corpus: there is none (set CAIRN_CORPUS)");
    }
    programs
}

fn sample(path: &std::path::Path) -> Vec<(String, String)> {
    use std::io::BufRead;
    let file = std::fs::File::open(path).expect("the corpus file is there");
    let lines = std::io::BufReader::new(flate2::read::MultiGzDecoder::new(file)).lines();
    let step = if cfg!(debug_assertions) { 25 } else { 5 };
    let read = |line: std::io::Result<String>| {
        let row: serde_json::Value = serde_json::from_str(&line.expect("readable")).expect("a JSON row");
        let text = |key: &str| row[key].as_str().expect("a string").to_owned();
        (text("name"), text("yul"))
    };
    lines.step_by(step).map(read).collect()
}

fn build(name: &str, text: String, level: Level) -> String {
    build_on(1, name, text, level)
}

fn build_on(threads: usize, name: &str, text: String, level: Level) -> String {
    let input = Input { name: name.to_owned(), text, language: Language::Yul };
    let options = Options { level, threads, ..Options::default() };
    let mut session = Session::default();
    let artifacts = cairn_driver::build(&input, &[Emit::Bin], &options, &mut session);
    let artifacts =
        artifacts.unwrap_or_else(|failure| panic!("{name}: {failure:?} {:?}", session.diagnostics));
    artifacts.get(Emit::Bin).expect("bytecode").to_owned()
}

/// The text with each identifier of the program replaced by a new one.
fn rename(text: &str) -> String {
    let dialect = Dialect::default();
    let mut names: HashMap<&str, String> = HashMap::new();
    let mut renamed = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = token_length(rest, c);
        let (token, after) = rest.split_at(length);
        let is_name = (c.is_ascii_alphabetic() || c == '_' || c == '$') && !is_fixed(token, after, &dialect);
        if is_name {
            let next = names.len();
            renamed += names.entry(token).or_insert_with(|| format!("n{}_{next}", next % 7));
        } else {
            renamed += token;
        }
        rest = after;
    }
    renamed
}

/// Length of the string, comment, word or character at the start of `rest`.
fn token_length(rest: &str, c: char) -> usize {
    if rest.starts_with("/*") {
        return rest.find("*/").map_or(rest.len(), |at| at + 2);
    }
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if c == '"' {
        let mut escaped = false;
        let end = rest[1..].find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        return end.map_or(rest.len(), |at| at + 2);
    }
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.');
    if is_word(c) { rest.find(|c| !is_word(c)).unwrap_or(rest.len()) } else { c.len_utf8() }
}

fn is_fixed(token: &str, after: &str, dialect: &Dialect) -> bool {
    const KEYWORDS: [&str; 17] = [
        "object",
        "code",
        "data",
        "let",
        "if",
        "switch",
        "case",
        "default",
        "for",
        "function",
        "break",
        "continue",
        "leave",
        "true",
        "false",
        "hex",
        "memoryguard",
    ];
    let is_string_prefix = token == "hex" && after.starts_with('"');
    let is_builtin = !matches!(dialect.classify(token), NameClass::Plain);
    is_string_prefix || is_builtin || KEYWORDS.contains(&token)
}

/// The program with the functions of each object's code in reverse order.
fn reverse_functions(text: &str) -> String {
    fn reverse(object: &mut Object) {
        let statements = std::mem::take(&mut object.code.statements);
        let is_function = |statement: &Statement| matches!(statement, Statement::Function(_));
        let (functions, others): (Vec<_>, Vec<_>) = statements.into_iter().partition(is_function);
        object.code.statements = others.into_iter().chain(functions.into_iter().rev()).collect();
        object.objects.iter_mut().for_each(reverse);
    }
    let dialect = Dialect::default();
    let parsed = parse(text, FileId(0), &dialect);
    let mut object = parsed.object.expect("a valid program");
    reverse(&mut object);
    print_object(&object, &parsed.names, &dialect, DebugComments::Omit)
}

fn on_a_big_stack(work: fn()) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    thread.expect("a thread starts").join().expect("the property holds");
}

// Shows S000-76, S001-19.
#[test]
fn renaming_identifiers_changes_no_byte() {
    on_a_big_stack(|| {
        for (name, text) in programs() {
            let renamed = rename(&text);
            assert_ne!(renamed, text, "{name}: nothing was renamed");
            for level in [Level::O0, Level::O2] {
                assert_eq!(build(&name, text.clone(), level), build(&name, renamed.clone(), level), "{name}");
            }
        }
    });
}

#[test]
fn the_order_of_functions_changes_no_byte() {
    on_a_big_stack(|| {
        for (name, text) in programs() {
            let reversed = reverse_functions(&text);
            assert_eq!(build(&name, text, Level::O2), build(&name, reversed, Level::O2), "{name}");
        }
    });
}

#[test]
fn a_second_build_on_two_threads_gives_the_same_bytes() {
    on_a_big_stack(|| {
        for (name, text) in programs() {
            let again = build_on(2, &name, text.clone(), Level::O2);
            assert_eq!(build(&name, text, Level::O2), again, "{name}");
        }
    });
}

#[test]
fn the_level_for_size_never_gives_more_code() {
    on_a_big_stack(|| {
        for (name, text) in programs() {
            let digits = |level| build(&name, text.clone(), level).len();
            assert!(digits(Level::Os) <= digits(Level::O2), "{name}");
        }
    });
}
