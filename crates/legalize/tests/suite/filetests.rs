//! Runs the file tests of the legalizer on the crate itself: exact text, and legalizing the result
//! again changes nothing. The command line runs the same files in the workspace's suite. With
//! `CAIRN_BLESS=1` the expectations are rewritten.

use cairn_diag::{FileId, Sources};
use cairn_evm::Fork;
use cairn_ir::text::{parse, print};
use cairn_ir::verify::{Form, verify};
use cairn_legalize::{Options, SwitchShape, legalize};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/filetests/legalize")
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("the folder of file tests");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "eir") {
            found.push(path);
        }
    }
}

struct Test {
    source: String,
    runs: Vec<String>,
    fork: Fork,
    sections: Vec<(String, String)>,
    errors: Vec<(usize, String)>,
}

fn read(text: &str) -> Test {
    let mut test = Test {
        source: String::new(),
        runs: Vec::new(),
        fork: Fork::default(),
        sections: Vec::new(),
        errors: Vec::new(),
    };
    for (index, line) in text.lines().enumerate() {
        if let Some(run) = line.strip_prefix("// ---- ") {
            test.sections.push((run.to_owned(), String::new()));
            continue;
        }
        if let Some((_, section)) = test.sections.last_mut() {
            let line = line.strip_prefix("//").expect("only comments after an expectation");
            section.push_str(line.strip_prefix(' ').unwrap_or(line));
            section.push('\n');
            continue;
        }
        test.source.push_str(line);
        test.source.push('\n');
        if let Some(run) = line.strip_prefix("//! run: ") {
            test.runs.push(run.to_owned());
        }
        if let Some(fork) = line.strip_prefix("//! fork: ") {
            test.fork = fork.parse().expect("a fork");
        }
        if let Some((_, message)) = line.split_once("// error: ") {
            test.errors.push((index + 1, message.to_owned()));
        }
    }
    test
}

fn options(run: &str, fork: Fork) -> Options {
    let mut words = run.split_whitespace();
    assert_eq!(words.next(), Some("legalize"));
    let mut options = Options { fork, ..Options::default() };
    for word in words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("--switch", "cascade") => options.switch = SwitchShape::Cascade,
            ("--runs", runs) => options.runs = runs.parse().expect("a number"),
            ("--recover", "") => options.recover = true,
            _ => panic!("unknown option {word}"),
        }
    }
    options
}

/// The canonical text, or the faults with their lines.
fn run(test: &Test, run: &str) -> Result<String, Vec<(usize, String)>> {
    let mut sources = Sources::default();
    let file = sources.add(cairn_diag::SourceFile::new("test", test.source.clone()));
    let faults = |diagnostics: cairn_diag::Diagnostics| {
        let line = |diagnostic: &cairn_diag::Diagnostic| {
            diagnostic.span.map_or(0, |span| sources.get(file).line_column(span.start).0)
        };
        diagnostics.iter().map(|found| (line(found), found.message.clone())).collect::<Vec<_>>()
    };
    let mut module = parse(&test.source, FileId(0)).map_err(&faults)?;
    let options = options(run, test.fork);
    legalize(&mut module, &options).map_err(&faults)?;
    let text = print(&module);
    let left: Vec<String> =
        verify(&module, Form::Canonical).iter().map(|fault| fault.message.clone()).collect();
    assert!(left.is_empty(), "not canonical: {left:?}\n{text}");
    let again = legalize(&mut module, &options).map_err(&faults)?;
    assert_eq!(print(&module), text, "legalizing twice changes the text");
    assert!(again.is_unchanged(), "legalizing twice reports changes: {again:?}");
    Ok(text)
}

fn check(path: &Path, is_blessing: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let test = read(&text);
    let mut blessed = test.source.trim_end().to_owned() + "\n";
    for command in &test.runs {
        match run(&test, command) {
            Ok(output) => {
                let _ = writeln!(blessed, "// ---- {command}");
                for line in output.lines() {
                    let _ = writeln!(blessed, "{}", format!("// {line}").trim_end());
                }
            }
            Err(faults) => {
                for (line, message) in &test.errors {
                    if !faults.iter().any(|(at, text)| at == line && text.contains(message.as_str())) {
                        return Err(format!("line {line}: no error `{message}` in {faults:?}"));
                    }
                }
                if test.errors.is_empty() || faults.len() != test.errors.len() {
                    return Err(format!("unexpected errors {faults:?}"));
                }
            }
        }
    }
    if is_blessing {
        std::fs::write(path, &blessed).expect("a writable file");
        return Ok(());
    }
    match blessed == text {
        true => Ok(()),
        false => Err(format!("expected\n{text}\nfound\n{blessed}")),
    }
}

#[test]
fn all_files() {
    let mut paths = Vec::new();
    files(&folder(), &mut paths);
    assert!(paths.len() >= 20, "only {} file tests found", paths.len());
    let is_blessing = std::env::var_os("CAIRN_BLESS").is_some();
    let failures: Vec<String> = paths
        .iter()
        .filter_map(|path| check(path, is_blessing).err().map(|error| format!("{}: {error}", path.display())))
        .collect();
    assert!(failures.is_empty(), "{} failed\n{}", failures.len(), failures.join("\n\n"));
}
