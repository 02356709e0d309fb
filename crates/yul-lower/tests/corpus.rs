//! Lowers every program of the semantic corpus.
//!
//! The corpus is found by `CAIRN_CORPUS` or beside the repository; without it the test says so and
//! passes.

use cairn_diag::FileId;
use cairn_ir::Module;
use cairn_ir::verify::Form;
use cairn_yul::Dialect;
use cairn_yul_lower::{LowerOptions, lower_object, remove_unreachable_functions};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn corpus() -> Option<PathBuf> {
    let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus"));
    let path = std::env::var_os("CAIRN_CORPUS").map_or_else(beside, PathBuf::from);
    path.is_dir().then_some(path)
}

#[test]
fn every_program_of_the_semantic_corpus() {
    let Some(corpus) = corpus() else {
        println!("skipped: no corpus; set CAIRN_CORPUS");
        return;
    };
    let mut programs = 0;
    let mut slowest = (Duration::ZERO, String::new());
    let mut total = Duration::ZERO;
    for file in ["semantic-dev.jsonl.gz", "semantic-extra-dev.jsonl.gz"] {
        let file = std::fs::File::open(corpus.join("semantic").join(file)).expect("the corpus is complete");
        for line in BufReader::new(flate2::read::GzDecoder::new(file)).lines() {
            let case: serde_json::Value = serde_json::from_str(&line.expect("text")).expect("JSON");
            for input in ["yul", "yul_optimized"] {
                let name = format!("{} ({input})", case["name"]);
                let time = lower(&name, case[input].as_str().expect("a string"));
                total += time;
                slowest = slowest.max((time, name));
                programs += 1;
            }
        }
    }
    println!("{programs} programs in {total:?}; slowest {slowest:?}");
    assert!(programs > 2000);
}

fn lower(name: &str, text: &str) -> Duration {
    let parsed = cairn_yul::parse(text, FileId(0), &Dialect { fork: Default::default(), objects: true });
    assert!(!parsed.diagnostics.has_errors(), "{name}: {:?}", parsed.diagnostics);
    let object = parsed.object.expect("no errors");
    let start = Instant::now();
    let mut module = lower_object(&object, &parsed.names, LowerOptions::default());
    let time = start.elapsed();
    verify(name, &module);
    remove_unreachable_functions(&mut module);
    verify(name, &module);
    time
}

fn verify(name: &str, module: &Module) {
    let faults = cairn_ir::verify::verify(module, Form::Free);
    assert!(!faults.has_errors(), "{name}: {faults:?}");
}
