//! The program `cairn-solc`, where no front end is installed: Yul, linking, and what it says.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const YUL: &str = "object \"A\" { code { sstore(0, 1) } }";

struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

/// Runs the program in a folder in which nothing is installed.
fn run(folder: &Path, args: &[&str], input: &str) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn-solc"));
    command.args(args).current_dir(folder).env_clear().env("HOME", folder).env("PATH", folder);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // It may end without reading.
    _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Ended { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn yul_needs_no_front_end() {
    let folder = folder();
    std::fs::write(folder.path().join("a.yul"), YUL).unwrap();
    let ended = run(folder.path(), &["--strict-assembly", "a.yul"], "");
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(
        ended.out.starts_with("\n======= a.yul (EVM) =======\n\nPretty printed source:\n"),
        "{}",
        ended.out
    );
    assert!(ended.out.contains("\nBinary representation:\n60015f5500\n"), "{}", ended.out);
    let request = format!(
        "{{\"language\":\"Yul\",\"sources\":{{\"a\":{{\"content\":{YUL:?}}}}},\
         \"settings\":{{\"outputSelection\":{{\"*\":{{\"*\":[\"evm.bytecode.object\"]}}}}}}}}"
    );
    let ended = run(folder.path(), &["--standard-json", "-"], &request);
    assert_eq!(
        ended.out,
        "{\"contracts\":{\"a\":{\"A\":{\"evm\":{\"bytecode\":{\"object\":\"60015f5500\"}}}}},\"sources\":{\"a\":{\"id\":0}}}\n"
    );
}

#[test]
fn objects_are_shown_as_far_as_asked_for() {
    let folder = folder();
    let headings = |args: &[&str]| {
        let args: Vec<&str> = ["--strict-assembly", "-"].iter().chain(args).copied().collect();
        let ended = run(folder.path(), &args, "{ sstore(0, add(1, 2)) }");
        assert_eq!(ended.code, Some(0), "{}", ended.err);
        let is_heading = |line: &&str| line.ends_with(':') && line.starts_with(char::is_uppercase);
        (ended.out.lines().filter(is_heading).map(str::to_owned).collect::<Vec<_>>(), ended.out)
    };
    assert_eq!(headings(&["--bin"]).0, ["Binary representation:"]);
    assert_eq!(headings(&["--asm"]).0, ["Text representation:"]);
    let (shown, text) = headings(&["--ir-optimized", "--optimize"]);
    assert_eq!(shown, ["Pretty printed source:"]);
    assert!(text.contains("sstore(0, 3)"), "{text}");
    assert!(headings(&["--asm-json"]).1.starts_with("\n======= <stdin> (EVM) =======\n{\".code\":[{"));
}

#[test]
fn a_front_end_that_is_missing_is_said() {
    let folder = folder();
    let ended = run(folder.path(), &["--version"], "");
    assert_eq!(ended.code, Some(1));
    assert!(ended.err.contains("no solc found") && ended.err.contains("npm install solc"), "{}", ended.err);
    let request = r#"{"language":"Solidity","sources":{"a.sol":{"content":"contract A { }"}},"settings":{}}"#;
    let ended = run(folder.path(), &["--standard-json"], request);
    assert_eq!(ended.code, Some(0), "the answer says what is wrong");
    assert!(ended.out.starts_with("{\"errors\":[{\"component\":\"general\""), "{}", ended.out);
    std::fs::write(folder.path().join("a.sol"), "contract A { }").unwrap();
    let ended = run(folder.path(), &["--bin", "a.sol"], "");
    assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""));
    assert!(ended.err.contains("no solc found"), "{}", ended.err);
}

#[test]
fn addresses_are_linked_in_place() {
    let folder = folder();
    let placeholder = cairn_asm::placeholder("a.sol:L");
    std::fs::write(folder.path().join("a.bin"), format!("73{placeholder}")).unwrap();
    let address = format!("a.sol:L=0x{}", "ab".repeat(20));
    let ended = run(folder.path(), &["--link", "--libraries", &address, "a.bin"], "");
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert_eq!(
        std::fs::read_to_string(folder.path().join("a.bin")).unwrap(),
        format!("73{}", "ab".repeat(20))
    );
    let ended = run(folder.path(), &["--link", "--libraries", "a.sol:M=0x12", "-"], "00");
    assert_eq!(ended.code, Some(1));
    let ended = run(folder.path(), &["--link", "-"], &placeholder);
    assert_eq!((ended.out, ended.code), (placeholder, Some(0)));
    assert!(ended.err.contains("still unresolved"), "{}", ended.err);
}

#[test]
fn wrong_usage_is_said() {
    let folder = folder();
    for (args, part) in [
        (&["--strict-assembly", "--bin"][..], "No input files given"),
        (&["--strict-assembly", "missing.yul"], "Error: \"missing.yul\" is not found.\n"),
        (&["--no-such-option"], "Error: unrecognised option '--no-such-option'\n"),
        (&["--evm-version", "mars", "a.sol"], "Error: Invalid option for --evm-version: mars\n"),
        (&["--strict-assembly", "--abi", "--ir", "-"], "in assembler mode: --abi, --ir.\n"),
        (&["--strict-assembly", "--bin", "-o", "out", "-"], "--output-dir is not supported"),
    ] {
        let ended = run(folder.path(), args, "");
        assert!(
            ended.code == Some(1) && ended.err.contains(part),
            "{args:?}: {:?} {}",
            ended.code,
            ended.err
        );
    }
    let ended = run(folder.path(), &["--strict-assembly", "--bin", "-"], "object \"A\" { code { f() } }");
    assert_eq!((ended.code, ended.out.as_str()), (Some(1), ""));
    assert!(ended.err.contains(" --> <stdin>:1:21:"), "{}", ended.err);
}
