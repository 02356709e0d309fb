//! `cairn build` of several Solidity files, as a shell makes them of `*.sol`.

use crate::fake::{self, text, yul};
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

/// A folder with two sources and a front end that knows them and keeps what it is asked.
fn folder() -> tempfile::TempDir {
    let contract = |name: &str| json!({ "ir": yul(name, ""), "metadata": "{}" });
    let answer = json!({
        "contracts": { "a.sol": { "A": contract("A_1") }, "b/b.sol": { "B": contract("B_2") } },
        "sources": { "a.sol": { "id": 0 }, "b/b.sol": { "id": 1 } },
    });
    let folder = fake::folder(&answer);
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    std::fs::create_dir_all(folder.path().join("b/lib")).expect("created");
    std::fs::create_dir_all(folder.path().join("none")).expect("created");
    for name in ["a.sol", "b/b.sol", "b/lib/foreign.sol", "c.yul"] {
        write(name, "{ }");
    }
    let program = std::fs::read_to_string(folder.path().join("solc")).expect("text");
    write("solc", &program.replace("/dev/null", "asked.json"));
    folder
}

fn build(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.arg("build").args(args).current_dir(folder).env_clear().env("HOME", folder);
    command.env("CAIRN_SOLC", folder.join("solc")).output().expect("it runs")
}

#[test]
fn files_and_folders_are_one_project() {
    let folder = folder();
    let output = build(folder.path(), &["a.sol", "b", "b/b.sol"]);
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{err}");
    assert!(
        out.starts_with("======= a.sol:A =======\n") && out.contains("\n======= b/b.sol:B =======\n"),
        "{out}"
    );
    let asked = std::fs::read_to_string(folder.path().join("asked.json")).expect("it was asked");
    let asked: Value = serde_json::from_str(&asked).expect("JSON");
    let names: Vec<&String> = asked["sources"].as_object().expect("sources").keys().collect();
    assert_eq!(names, ["a.sol", "b/b.sol"], "each once, and none of the folder `lib`");
    let output = build(folder.path(), &["--contract", "B", "a.sol", "b/b.sol"]);
    assert!(!text(&output.stdout).contains('='), "{}", text(&output.stdout));
}

#[test]
fn only_solidity_comes_in_several_files() {
    let folder = folder();
    let cases = [
        (["a.sol", "c.yul"], 2, "`c.yul` is no Solidity, as the first input is"),
        (["c.yul", "a.sol"], 2, "`a.sol`: several inputs are for Solidity"),
        (["a.sol", "no.sol"], 1, "no.sol: "),
        (["a.sol", "none"], 1, "none: the folder has no `.sol` files"),
    ];
    for (args, code, said) in cases {
        let output = build(folder.path(), &args);
        let err = text(&output.stderr);
        assert!(output.status.code() == Some(code) && err.contains(said), "{args:?}: {err}");
        assert!(output.stdout.is_empty(), "{args:?}");
    }
}
