//! Command lines of scripts that call solc: what stands on which stream, under which headings, and in
//! which files.
//!
//! The table holds for the front end that gives one answer and for npm's solc, of which `CAIRN_TEST_SOLC`
//! names a folder; without one the second round says so.

use crate::fake::{folder, names, run, text, yul};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const SOURCE: &str = "// SPDX-License-Identifier: MIT
pragma solidity >=0.8.13;
library L { function g(uint256 x) external pure returns (uint256) { return x + 1; } }
contract C {
    error E(uint256);
    uint256 n;
    function f() external { n = L.g(n); if (n > 5) revert E(n); }
}
";

/// One command line.
struct Line {
    args: &'static [&'static str],
    input: &'static str,
    /// Headings on standard output, in order.
    headings: &'static [&'static str],
    /// What ends standard error.
    said: &'static str,
    /// Files in the folder `out`.
    files: &'static [&'static str],
}

const NONE: Line = Line { args: &[], input: "", headings: &[], said: "", files: &[] };
const WRITTEN: &str = "Compiler run successful. Artifact(s) can be found in directory \"out\".\n";
const C: &str = "======= a.sol:C =======";
const L: &str = "======= a.sol:L =======";
const REQUEST: &str = r#"{"language":"Solidity","sources":{"a.sol":{"urls":["a.sol"]}},
    "settings":{"outputSelection":{"*":{"C":["evm.bytecode.object"]}}}}"#;

const LINES: [Line; 18] = [
    Line { args: &["--bin", "a.sol"], headings: &[C, "Binary:", L, "Binary:"], ..NONE },
    Line {
        args: &["--optimize", "--abi", "--bin", "-o", "out", "--overwrite", "a.sol"],
        said: WRITTEN,
        files: &["C.abi", "C.bin", "L.abi", "L.bin"],
        ..NONE
    },
    Line {
        args: &["--bin-runtime", "--optimize", "--optimize-runs", "1000000", "a.sol"],
        headings: &[C, "Binary of the runtime part:", L, "Binary of the runtime part:"],
        ..NONE
    },
    Line {
        args: &[
            "--bin",
            "@lib/=node_modules/lib/",
            "--base-path",
            ".",
            "--include-path",
            "node_modules",
            "a.sol",
        ],
        headings: &[C, "Binary:", L, "Binary:"],
        ..NONE
    },
    Line {
        args: &["--via-ir", "--optimize", "--asm", "--opcodes", "a.sol"],
        headings: &[C, "EVM assembly:", "Opcodes:", L, "EVM assembly:", "Opcodes:"],
        ..NONE
    },
    Line {
        args: &["--ir", "--ir-optimized", "--optimize", "a.sol"],
        headings: &[C, "IR:", "Optimized IR:", L, "IR:", "Optimized IR:"],
        ..NONE
    },
    Line {
        args: &["--hashes", "a.sol"],
        headings: &[C, "Function signatures:", "Error signatures:", L, "Function signatures:"],
        ..NONE
    },
    Line {
        args: &["--metadata", "--metadata-hash", "none", "-o", "out", "a.sol"],
        said: WRITTEN,
        files: &["C_meta.json", "L_meta.json"],
        ..NONE
    },
    Line {
        args: &["--storage-layout", "--pretty-json", "a.sol"],
        headings: &[C, "Contract Storage Layout:", L, "Contract Storage Layout:"],
        ..NONE
    },
    Line {
        args: &["--userdoc", "--devdoc", "--abi", "a.sol"],
        headings: &[
            C,
            "Contract JSON ABI",
            "Developer Documentation",
            "User Documentation",
            L,
            "Contract JSON ABI",
            "Developer Documentation",
            "User Documentation",
        ],
        ..NONE
    },
    Line { args: &["--gas", "a.sol"], headings: &[C, "Gas estimation:", L, "Gas estimation:"], ..NONE },
    Line {
        args: &["--ast-compact-json", "a.sol"],
        headings: &["JSON AST (compact format):", "======= a.sol ======="],
        ..NONE
    },
    Line {
        args: &[
            "--combined-json",
            "abi,ast,bin,bin-runtime,srcmap,srcmap-runtime,userdoc,devdoc,hashes",
            "--allow-paths",
            "., ./, ../",
            "--",
            "a.sol",
        ],
        headings: &["combined JSON"],
        ..NONE
    },
    Line {
        args: &["--combined-json=abi,bin", "--optimize", "-o", "out", "--overwrite", "a.sol"],
        said: WRITTEN,
        files: &["combined.json"],
        ..NONE
    },
    Line {
        args: &["--standard-json", "--allow-paths", "."],
        input: REQUEST,
        headings: &["standard JSON"],
        ..NONE
    },
    Line {
        args: &["--link", "--libraries", "a.sol:L=0x1111111111111111111111111111111111111111", "C.bin"],
        said: "Linking completed.\n",
        ..NONE
    },
    Line {
        args: &["--strict-assembly", "--optimize", "--bin", "--evm-version", "cancun", "-"],
        input: "{ sstore(0, 1) }",
        headings: &["======= <stdin> (EVM) =======", "Binary representation:"],
        ..NONE
    },
    Line { args: &["a.sol"], said: "Compiler run successful, no output requested.\n", ..NONE },
];

/// All that may stand above an output.
const HEADINGS: [&str; 17] = [
    "Binary:",
    "Binary of the runtime part:",
    "Binary representation:",
    "Contract JSON ABI",
    "Contract Storage Layout:",
    "Developer Documentation",
    "EVM assembly:",
    "Error signatures:",
    "Event signatures:",
    "Function signatures:",
    "Gas estimation:",
    "IR:",
    "JSON AST (compact format):",
    "Metadata:",
    "Opcodes:",
    "Optimized IR:",
    "User Documentation",
];

fn headings(out: &str) -> Vec<String> {
    if let Ok(value) = serde_json::from_str::<Value>(out) {
        let is_combined = value["version"].is_string() && value["contracts"]["a.sol:C"].is_object();
        let is_standard = value["contracts"]["a.sol"]["C"]["evm"]["bytecode"]["object"].is_string();
        return match (is_combined, is_standard) {
            (true, false) => vec!["combined JSON".into()],
            (false, true) => vec!["standard JSON".into()],
            _ => vec![format!("other JSON: {value}")],
        };
    }
    let is_heading = |line: &&str| line.starts_with("======= ") || HEADINGS.contains(line);
    out.lines().filter(is_heading).map(str::to_owned).collect()
}

fn check(front_end: &Path, folder: &Path) {
    let placeholder = cairn_asm::placeholder("a.sol:L");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).expect("written");
    for line in &LINES {
        write("a.sol", SOURCE);
        write("C.bin", &format!("73{placeholder}"));
        std::fs::create_dir_all(folder.join("node_modules")).expect("a folder");
        let ended = run(folder, front_end, line.args, line.input);
        let (out, err) = (text(&ended.stdout), text(&ended.stderr));
        assert_eq!(ended.status.code(), Some(0), "{:?}: {out}{err}", line.args);
        assert_eq!(headings(&out), line.headings, "{:?}: {out}", line.args);
        assert_eq!(err, line.said, "{:?}", line.args);
        assert_eq!(names(&folder.join("out")), line.files, "{:?}", line.args);
        let code = std::fs::read_to_string(folder.join("C.bin")).expect("text");
        assert_eq!(code.contains(&"11".repeat(20)), line.args[0] == "--link", "{code}");
        if !line.files.is_empty() {
            assert_eq!(out, "", "{:?}: what is in files is not printed", line.args);
            std::fs::remove_dir_all(folder.join("out")).expect("removed");
        }
    }
}

fn contract(name: &str, embedded: &str, errors: &Value, functions: &Value) -> Value {
    json!({
        "abi": errors, "devdoc": {}, "userdoc": {}, "ir": yul(name, embedded), "metadata": "{}",
        "evm": { "methodIdentifiers": functions },
        "storageLayout": { "storage": [], "types": null },
    })
}

#[test]
fn scripts_find_what_they_look_for() {
    let number = json!({ "name": "", "type": "uint256", "internalType": "uint256" });
    let errors = json!([{ "type": "error", "name": "E", "inputs": [number] }]);
    let library = "sstore(0, linkersymbol(\"a.sol:L\"))";
    let answer = json!({
        "contracts": { "a.sol": {
            "C": contract("C_1", library, &errors, &json!({ "f()": "26121ff0" })),
            "L": contract("L_2", "", &json!([]), &json!({ "g(uint256)": "e420264a" })),
        } },
        "sources": { "a.sol": { "id": 0, "ast": {} } },
    });
    let folder = folder(&answer);
    check(&folder.path().join("solc"), folder.path());
}

#[test]
fn scripts_find_the_same_with_solc_behind_it() {
    let folders = std::env::var_os("CAIRN_TEST_SOLC").unwrap_or_default();
    let front_ends: Vec<PathBuf> = std::env::split_paths(&folders).filter(|folder| folder.is_dir()).collect();
    if front_ends.is_empty() {
        eprintln!("skipped: `CAIRN_TEST_SOLC` names no folder of npm's solc");
    }
    for front_end in front_ends {
        let folder = tempfile::tempdir().expect("a folder");
        check(&front_end, folder.path());
    }
}
