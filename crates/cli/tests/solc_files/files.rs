//! Headings and files where two files have contracts of one name.

use crate::fake::{self, names, text, yul};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;

fn contract(name: &str, embedded: &str) -> Value {
    let number = json!({ "name": "", "type": "uint256", "internalType": "uint256" });
    json!({
        "abi": [{ "type": "error", "name": "E", "inputs": [number] }],
        "evm": { "methodIdentifiers": { "f()": "26121ff0" } },
        "ir": yul(name, embedded),
        "metadata": "{}",
    })
}

/// A folder with a front end that knows two files, of which both have a contract `C`.
fn folder() -> tempfile::TempDir {
    let library = "sstore(0, linkersymbol(\"a.sol:L\"))";
    let answer = json!({
        "contracts": {
            "a.sol": { "C": contract("C_1", library), "D": contract("D_2", "") },
            "b/a.sol": { "C": contract("C_3", "") },
        },
        "sources": { "a.sol": { "id": 0, "ast": {} }, "b/a.sol": { "id": 1, "ast": {} } },
        "errors": [{ "severity": "warning", "type": "Warning", "component": "general", "message": "new",
                     "formattedMessage": "Warning: new\n\n" }],
    });
    let folder = fake::folder(&answer);
    std::fs::write(folder.path().join("a.sol"), "contract C { }").expect("written");
    folder
}

fn run(folder: &Path, args: &[&str]) -> Output {
    fake::run(folder, &folder.join("solc"), args, "")
}

#[test]
fn contracts_are_printed_below_headings() {
    let folder = folder();
    let output = run(folder.path(), &["--bin", "--hashes", "a.sol"]);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{err}");
    assert!(out.starts_with("\n======= a.sol:C =======\nBinary:\n"), "{out}");
    let placeholder = cairn_asm::placeholder("a.sol:L");
    let hint = format!("\n// {} -> a.sol:L\nFunction signatures:\n", placeholder.trim_matches('_'));
    assert!(out.contains(&placeholder) && out.contains(&hint), "{out}");
    assert!(out.contains("\n26121ff0: f()\n\nError signatures:\n002ff067: E(uint256)\n"), "{out}");
    assert_eq!(err, "Warning: new\n\n");
}

#[test]
fn files_have_names_of_their_own() {
    let folder = folder();
    let output = run(folder.path(), &["--bin", "--abi", "--ast-compact-json", "-o", "out", "a.sol"]);
    assert_eq!(text(&output.stdout), "", "what is said of files goes to standard error");
    assert!(text(&output.stderr).ends_with("Artifact(s) can be found in directory \"out\".\n"));
    let expected = [
        "D.abi",
        "D.bin",
        "a.sol_json.ast",
        "a_sol_C.abi",
        "a_sol_C.bin",
        "b_a_sol_C.abi",
        "b_a_sol_C.bin",
        "b_a_sol_json.ast",
    ];
    assert_eq!(names(&folder.path().join("out")), expected);
    let output = run(folder.path(), &["--bin", "-o", "out", "a.sol"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("Refusing to overwrite"));
}

#[test]
fn what_is_written_can_be_linked() {
    let folder = folder();
    run(folder.path(), &["--bin", "-o", "out", "a.sol"]);
    let address = format!("a.sol:L:0x{}", "12".repeat(20));
    let output = run(folder.path(), &["--link", "--libraries", &address, "out/a_sol_C.bin"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let code = std::fs::read_to_string(folder.path().join("out/a_sol_C.bin")).expect("text");
    assert!(code.contains(&"12".repeat(20)), "{code}");
    assert!(code.trim_end().bytes().all(|byte| byte.is_ascii_hexdigit()), "{code}");
}

#[test]
fn combined_outputs_are_alone_on_standard_output() {
    let folder = folder();
    let output = run(folder.path(), &["--combined-json", "abi,asm,ast,bin,hashes,srcmap-runtime", "a.sol"]);
    let shown: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let contract = &shown["contracts"]["a.sol:C"];
    assert!(contract["asm"][".code"].is_array() && contract["abi"].is_array(), "{shown}");
    assert_eq!(contract["hashes"], json!({ "f()": "26121ff0" }));
    assert_eq!(shown["sourceList"], json!(["a.sol", "b/a.sol"]));
    assert_eq!(shown["version"], "0.8.37+commit.f401782d");
    let version = run(folder.path(), &["--version"]);
    let said = text(&version.stdout);
    let lines: Vec<&str> = said.lines().filter(|line| line.contains(|c: char| c.is_ascii_digit())).collect();
    assert_eq!(lines, ["Version: 0.8.37+commit.f401782d"], "tools read the first number or the last line");
}

#[test]
fn proofs_are_files_beside_the_code() {
    let folder = folder();
    let output = run(folder.path(), &["--bin", "--prove=require", "--optimize", "-o", "out", "a.sol"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let report = std::fs::read_to_string(folder.path().join("out/D.proof.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["functions"][0]["verdict"], "proven", "{report}");
    let output = run(folder.path(), &["--prove=all", "a.sol"]);
    assert!(!output.status.success());
}
