//! `cairn prove` shows smaller programs beside a difference. Differences are found by runs here, without a solver;
//! what is made smaller, and what must not be, is the subject of the tests of `cairn-certify`.

use std::process::Command;

const FIRST: &str = "{
    if calldataload(32) { log1(0, 0, 5) }
    sstore(3, 4)
    mstore(0, sar(1, calldataload(0)))
    return(0, 32)
}";

/// What the command prints of two programs.
fn printed(options: &[&str], first: &str, second: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = [("a", first), ("b", second)].map(|(name, text)| {
        let path = folder.path().join(format!("{name}.yul"));
        std::fs::write(&path, text).expect("written");
        path
    });
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.args(["prove", "--quiet", "--no-solver"]).args(options).args(&paths);
    let output = command.output().expect("it starts");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn reduced_programs_are_printed() {
    let second = FIRST.replace("sar(1", "shr(1");
    let text = printed(&["--reduce", "60"], FIRST, &second);
    let (_, reduced) = text.split_once("  reduced ").expect("there is one");
    assert!(reduced.contains("sar(1") && reduced.contains("shr(1") && !reduced.contains("log1"), "{text}");
    let json = printed(&["--reduce", "60", "--format", "json"], FIRST, &second);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let reduced = &json["functions"][0]["reduced"];
    assert_eq!(reduced["language"], "yul");
    let program = |side: &str| reduced[side]["program"].as_str().unwrap_or_default().to_owned();
    assert!(program("reference").contains("sar(1") && !program("reference").contains("sstore"), "{json}");
    assert!(program("tested").contains("shr(1") && !program("tested").contains("log1"), "{json}");
    assert_ne!(reduced["reference"]["run"]["data"], reduced["tested"]["run"]["data"]);
}

#[test]
fn nobody_has_to_wait_for_them() {
    let text = printed(&["--reduce", "0"], FIRST, &FIRST.replace("sar(1", "shr(1"));
    assert!(!text.contains("reduced"), "{text}");
}
