//! solc itself: npm's packages in the folders of `CAIRN_TEST_SOLC` (separated as in PATH; each a
//! package `solc`), run by `node`. Without them these tests say so and pass.

use crate::fakes::Folder;
use cairn_solidity::frontend::find::installed;
use cairn_solidity::frontend::{Fault, FileAccess, FrontEnd, Imports, Places, Requirement, Running};
use serde_json::{Value, json};
use std::path::PathBuf;

/// The packages that there are.
fn solcs(test: &str) -> Vec<(Places, FrontEnd)> {
    let folders = std::env::var_os("CAIRN_TEST_SOLC").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&folders).filter(|folder| folder.is_dir()).collect();
    if folders.is_empty() {
        #[expect(clippy::print_stderr, reason = "a test says what it skips")]
        {
            eprintln!("{test} is skipped: `CAIRN_TEST_SOLC` names no folder of npm's solc");
        }
    }
    let complete = |folder: PathBuf| {
        let places = Places { chosen: Some(folder), cache: None, ..Places::of_environment() };
        let front_end = installed(&places).expect("it is usable").remove(0);
        let front_end = front_end.complete(&places).expect("it runs");
        (places, front_end)
    };
    folders.into_iter().map(complete).collect()
}

fn request(sources: &Value) -> String {
    let settings = json!({"outputSelection": {"*": {"*": ["ir", "abi"]}}});
    json!({"language": "Solidity", "sources": sources, "settings": settings}).to_string()
}

fn compile(running: &mut Running, sources: &Value) -> Value {
    let answer = running.compile(&request(sources)).expect("an answer");
    serde_json::from_str(&answer).expect("JSON")
}

/// The errors of an answer, without warnings.
fn errors(answer: &Value) -> Vec<String> {
    let errors = answer["errors"].as_array().cloned().unwrap_or_default();
    let errors = errors.iter().filter(|error| error["severity"] == "error");
    errors.map(|error| error["message"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn versions_have_their_commit() {
    for (_, front_end) in solcs("versions_have_their_commit") {
        let version = front_end.version.to_string();
        assert!(
            version.starts_with("0.8.") && version.contains("+commit.") && version.len() < 24,
            "{version}"
        );
    }
}

#[test]
fn one_process_serves_many_requests() {
    for (places, front_end) in solcs("one_process_serves_many_requests") {
        let mut running = front_end.start(&places, &FileAccess::default()).expect("it starts");
        for round in 0..3 {
            let source = format!("contract C{round} {{ string s = unicode\"ü\"; }}");
            let answer = compile(&mut running, &json!({"ä.sol": {"content": source}}));
            assert_eq!(errors(&answer), [""; 0], "{}", front_end.version);
            let ir = answer["contracts"]["ä.sol"][format!("C{round}")]["ir"].as_str().expect("Yul");
            assert!(ir.contains("object \"C"), "{ir}");
        }
        let answer: Value =
            serde_json::from_str(&running.compile("no JSON").expect("an answer")).expect("JSON");
        assert_eq!(answer["errors"][0]["type"], "JSONError");
    }
}

#[test]
fn files_are_imported_as_the_documentation_says() {
    let folder = Folder::new();
    folder.file("base/lib/A.sol", "import \"./B.sol\"; import \"inc.sol\"; contract A is B {}");
    folder.file("base/lib/B.sol", "contract B { function ü() public {} }".replace('ü', "u").as_str());
    folder.file("include/inc.sol", "contract Inc {}");
    folder.file("outside/S.sol", "contract S {}");
    let mut access = FileAccess {
        base_path: Some(folder.path("base")),
        include_paths: vec![folder.path("include")],
        ..FileAccess::default()
    };
    for (places, front_end) in solcs("files_are_imported_as_the_documentation_says") {
        access.imports = Imports::FromFiles;
        let mut running = front_end.start(&places, &access).expect("it starts");
        let good = json!({"C.sol": {"content": "import \"lib/A.sol\"; contract C is A {}"}});
        let answer = compile(&mut running, &good);
        assert_eq!(errors(&answer), [""; 0]);
        assert!(answer["contracts"]["lib/B.sol"]["B"]["ir"].is_string());
        let answer = compile(&mut running, &json!({"lib/A.sol": {"urls": ["absent.sol", "lib/A.sol"]}}));
        assert!(answer["contracts"]["lib/A.sol"]["A"]["ir"].is_string(), "{answer}");
        let bad = json!({"C.sol": {"content": "import \"x.sol\"; import \"../outside/S.sol\"; import \"/../outside/S.sol\";"}});
        let errors_of_bad = errors(&compile(&mut running, &bad));
        assert!(
            errors_of_bad[0].starts_with("Source \"x.sol\" not found: File not found. Searched"),
            "{errors_of_bad:?}"
        );
        assert!(
            errors_of_bad.iter().any(|error| error.contains("File outside of allowed")),
            "{errors_of_bad:?}"
        );
        access.imports = Imports::Given;
        let mut running = front_end.start(&places, &access).expect("it starts");
        let errors_of_given = errors(&compile(&mut running, &good));
        assert!(errors_of_given[0].starts_with("Source \"lib/A.sol\" not found: "), "{errors_of_given:?}");
    }
}

#[test]
fn deep_expressions_have_room() {
    for (places, front_end) in solcs("deep_expressions_have_room") {
        let mut running = front_end.start(&places, &FileAccess::default()).expect("it starts");
        // Without Yul: some versions make code of it at once, with limits of their own.
        let sum = "a+".repeat(20_000);
        let source =
            format!("contract C {{ function f(uint a) public pure returns (uint) {{ return {sum}a; }} }}");
        let sources = json!({"a": {"content": source}});
        let settings = json!({"outputSelection": {"*": {"*": ["abi"]}}});
        let request = json!({"language": "Solidity", "sources": sources, "settings": settings}).to_string();
        let answer = running.compile(&request).expect("an answer");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(errors(&answer), [""; 0]);
    }
}

#[test]
fn large_requests_fit() {
    for (places, front_end) in solcs("large_requests_fit") {
        let mut running = front_end.start(&places, &FileAccess::default()).expect("it starts");
        // solc reads as much Solidity for a minute; spaces it skips sooner.
        let request = request(&json!({"a": {"content": "contract C {}"}}));
        let request = format!("{{{}{}", " ".repeat(30 << 20), &request[1..]);
        let answer = running.compile(&request).expect("an answer");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert!(answer["contracts"]["a"]["C"]["ir"].is_string());
        assert_eq!(errors(&answer), [""; 0], "{}", front_end.version);
    }
}

#[test]
fn a_file_that_is_no_compiler_is_a_fault() {
    for (places, front_end) in solcs("a_file_that_is_no_compiler_is_a_fault") {
        let folder = Folder::new();
        for text in ["syntax error(", "throw new Error('oops')", "", "while (true);", "process.exit(0)"] {
            let path = folder.file("soljson.js", text);
            let places = Places { patience: Some(std::time::Duration::from_secs(10)), ..places.clone() };
            let front_end = FrontEnd { path, ..front_end.clone() };
            let Err(fault) = front_end.start(&places, &FileAccess::default()) else {
                panic!("`{text}` starts")
            };
            assert!(matches!(fault, Fault::Crashed { .. } | Fault::Hung { .. }), "{fault:?}");
        }
    }
}

#[test]
fn pragmas_mean_what_they_mean_to_solc() {
    let pragmas = [
        "^0.8.0",
        "0.8",
        "0",
        "^0",
        "^0.8",
        "~0.8",
        "~0.8.4",
        "~0",
        "0.8.x",
        "0.8.*",
        "*",
        "x",
        "0.x",
        ">=0.8.0<0.9.0",
        ">= 0.8.0 < 0.9.0",
        "0.8.0 - 0.8.20",
        "0.8.0-0.8.40",
        "0.8.0 - 0.8",
        "0.7 - 0.8",
        "0.8.20||0.8.37",
        "\"0.8.37\"",
        "0.8.20 || ^0.8.30",
        ">0.8",
        ">0.8.19",
        "<=0.8",
        "<0.8",
        ">=0.8",
        "<=0.8.24",
        "0. 8.37",
        "^ 0.8.0",
        "^0.0",
        "~0.0",
        "^1",
        ">=0.*",
        ">0.*",
        ">*",
        "<*",
        "^*",
        "=*",
        "*.8.37",
        "*.9.0",
        "0.*.37",
        "0.*.24",
        ">=0.8.x",
        "0.8.0 - *",
        "* - 0.8.20",
        "0./**/8.37",
        "<0.8.37 || >0.8.37",
        "^0.9.0 || >=0.8.0 <0.8.24",
        "0.8.15",
        "=0.8.16",
        "0.8.26",
        "^0.8.20 <0.8.30",
        "0.8.0 - 0.8.x",
        "~*",
        "^0.8.x",
        "~0.8.x",
        "^0.x.20",
        "~0.x.20",
        ">0.x.20",
        "<0.x.20",
    ];
    for (places, front_end) in solcs("pragmas_mean_what_they_mean_to_solc") {
        let mut running = front_end.start(&places, &FileAccess::default()).expect("it starts");
        for pragma in pragmas {
            let answer =
                compile(&mut running, &json!({"a": {"content": format!("pragma solidity {pragma};")}}));
            let refused =
                errors(&answer).iter().any(|error| error.starts_with("Source file requires different"));
            let text = pragma.replace("/**/", "");
            let accepted =
                Requirement::parse(&text).is_some_and(|required| required.accepts(&front_end.version));
            assert_eq!(accepted, !refused, "`{pragma}` with {}", front_end.version);
        }
    }
}
