//! docs/ir.md says what the code says. `CAIRN_BLESS=1` rewrites its generated tables.

use cairn_diag::FileId;
use cairn_evm::{Opcode, Word};
use cairn_ir::interp::{Env, Outcome, interpret};
use cairn_ir::reference::TABLES;
use cairn_ir::text::{parse, print};
use cairn_ir::verify::{Form, verify};
use std::path::PathBuf;

fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/ir.md")
}

/// The text with the generated tables put in.
fn generated(text: &str) -> String {
    let mut text = text.to_owned();
    for (name, table) in TABLES {
        let start_mark = format!("<!-- generated: {name} -->\n");
        let start = text.find(&start_mark).expect("docs/ir.md has the mark") + start_mark.len();
        let end = start + text[start..].find("<!-- end -->").expect("the table ends");
        text.replace_range(start..end, &table());
    }
    text
}

#[test]
fn the_tables_are_those_of_the_code() {
    let text = std::fs::read_to_string(path()).expect("docs/ir.md exists");
    let generated = generated(&text);
    if std::env::var_os("CAIRN_BLESS").is_some() {
        std::fs::write(path(), &generated).expect("docs/ir.md can be written");
        return;
    }
    assert!(text == generated, "docs/ir.md is out of date: run the test with CAIRN_BLESS=1");
}

/// The examples marked as `eir`.
fn examples() -> Vec<String> {
    let text = std::fs::read_to_string(path()).expect("docs/ir.md exists");
    text.split("```eir\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn the_examples_are_printed_as_they_stand() {
    let examples = examples();
    assert_eq!(examples.len(), 5);
    for example in examples {
        let module = parse(&example, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?} in\n{example}"));
        assert_eq!(print(&module), example);
        assert!(verify(&module, Form::Free).is_empty(), "{:?}", verify(&module, Form::Free));
    }
}

#[test]
fn the_two_loops_are_the_same() {
    let examples = examples();
    let outcomes = examples[3..].iter().map(|example| {
        let module = parse(example, FileId(0)).expect("checked above");
        let mut env = Env::default();
        env.words.insert(Opcode::CALLVALUE, Word::from(10));
        interpret(&module, &mut env).expect("checked above").outcome
    });
    let expected = Outcome::Return(Word::from(55).to_be_bytes_vec());
    assert_eq!(outcomes.collect::<Vec<_>>(), [expected.clone(), expected]);
    let canonical = parse(&examples[4], FileId(0)).expect("checked above");
    assert!(verify(&canonical, Form::Canonical).is_empty());
}
