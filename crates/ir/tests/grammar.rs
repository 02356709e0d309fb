//! The editors' grammar knows exactly the operations of the language, and colours each example of
//! docs/ir.md without leaving a word over. `CAIRN_BLESS=1` rewrites its lists of operations.

use cairn_evm::Opcode;
use cairn_ir::Op;
use cairn_ir::describe::describe;
use regex::Regex;
use serde_json::Value;
use std::path::PathBuf;

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../editors/evm-ir.tmLanguage.json")
}

/// What the three lists of operations must be: control, opcodes, others.
fn lists() -> [String; 3] {
    let own = Op::TABLE.iter().copied();
    let (control, others): (Vec<Op>, Vec<Op>) = own.partition(|op| op.is_terminator() || *op == Op::Icall);
    let opcodes = Opcode::all().filter(|opcode| describe(*opcode).is_some());
    let (halting, plain): (Vec<Opcode>, Vec<Opcode>) = opcodes.partition(|opcode| opcode.halts());
    let mut control: Vec<&str> = control.into_iter().map(Op::name).collect();
    control.extend(halting.iter().map(|opcode| opcode.known().lower));
    control.sort_unstable();
    control.dedup();
    let plain: Vec<&str> = plain.iter().map(|opcode| opcode.known().lower).collect();
    let mut others: Vec<&str> = others.into_iter().map(Op::name).collect();
    others.dedup();
    [control, plain, others].map(|names| names.join("|").replace('.', "\\."))
}

fn grammar() -> Value {
    let text = std::fs::read_to_string(path()).expect("the grammar exists");
    serde_json::from_str(&text).expect("the grammar is JSON")
}

#[test]
fn the_operations_are_those_of_the_language() {
    let mut grammar = grammar();
    let found = grammar.clone();
    for (index, list) in lists().iter().enumerate() {
        grammar["repository"]["operation"]["patterns"][index]["match"] =
            format!("\\bevm\\.({list})(?![A-Za-z0-9_.])").into();
    }
    if std::env::var_os("CAIRN_BLESS").is_some() {
        let text = serde_json::to_string_pretty(&grammar).expect("JSON") + "\n";
        std::fs::write(path(), text).expect("the grammar can be written");
        return;
    }
    assert!(grammar == found, "the grammar is out of date: run the test with CAIRN_BLESS=1");
}

/// The patterns in their order. The only look-ahead is the end of a word, which is checked by hand.
fn patterns() -> Vec<(String, Regex)> {
    let grammar = grammar();
    let repository = &grammar["repository"];
    let includes = grammar["patterns"].as_array().expect("a list");
    let names = includes.iter().map(|include| include["include"].as_str().expect("a name")[1..].to_owned());
    let mut patterns = Vec::new();
    for name in names {
        let rule = &repository[&name];
        let nested = rule["patterns"].as_array().filter(|_| rule["begin"].is_null());
        let rules: Vec<&Value> = nested.map_or_else(|| vec![rule], |list| list.iter().collect());
        for rule in rules {
            let text = match rule["match"].as_str() {
                Some(text) => text.replace("(?![A-Za-z0-9_.])", "\\b").replace("(?=\\()", ""),
                None => "\"([^\"\\\\]|\\\\.)*\"".to_owned(),
            };
            patterns.push((name.clone(), Regex::new(&format!("^(?:{text})")).expect("a pattern")));
        }
    }
    patterns
}

#[test]
fn every_word_of_the_examples_has_a_colour() {
    let docs = std::fs::read_to_string(path().with_file_name("../docs/ir.md")).expect("docs/ir.md exists");
    let examples: Vec<&str> =
        docs.split("```eir\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(examples.len() >= 4);
    let patterns = patterns();
    for line in examples.iter().flat_map(|example| example.lines()) {
        let mut rest = line.trim_start();
        while let Some(first) = rest.chars().next() {
            let length = match patterns.iter().find_map(|(name, regex)| Some((name, regex.find(rest)?))) {
                Some((name, found)) => {
                    assert_ne!(name, "unknown-operation", "{line}");
                    found.len()
                }
                None => {
                    assert!(" (){}[]<>,:=".contains(first), "no pattern for `{rest}` in `{line}`");
                    first.len_utf8()
                }
            };
            rest = &rest[length..];
        }
    }
}

#[test]
fn operations_that_do_not_exist_stand_out() {
    let patterns = patterns();
    let kind = |text: &str| {
        let found = patterns.iter().find(|(_, regex)| regex.is_match(text));
        found.map(|(name, _)| name.clone()).unwrap_or_default()
    };
    assert_eq!(kind("evm.addmod %a, %b, %n"), "operation");
    assert_eq!(kind("evm.frobnicate %a"), "unknown-operation");
    assert_eq!(kind("u4096"), "type");
    assert_eq!(kind("hex\"00 ff\""), "bytes");
    assert_eq!(kind("; comment"), "comment");
    assert_eq!(kind("-1"), "number");
}
