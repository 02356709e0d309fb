//! Short notation for the rules' tests: mnemonics, decimal numbers, `MAX`, `L0` for a push of a
//! label.

use super::run;
use crate::passes::pass::PassContext;
use crate::program::{Item, ItemKind, Label, Program};
use cairn_evm::CostModel;
use cairn_evm::{Fork, Opcode, Word};

fn parse(text: &str) -> Vec<Item> {
    let kind = |word: &str| match word {
        "MAX" => ItemKind::Push(Word::MAX),
        "L0" => ItemKind::PushLabel(Label(0)),
        _ => match word.parse() {
            Ok(number) => ItemKind::Push(number),
            Err(_) => ItemKind::Op(Opcode::from_name(word).expect("a mnemonic")),
        },
    };
    text.split_whitespace().map(|word| kind(word).into()).collect()
}

fn rewritten(text: &str) -> Vec<Item> {
    let mut program = Program { items: parse(text), ..Program::default() };
    let cx = PassContext::new(Fork::Osaka, CostModel::deployed(200));
    run(&mut program, &cx);
    program.items
}

/// Checks that the rules make `after` of `before`.
#[track_caller]
pub(super) fn expect_rewritten(before: &str, after: &str) {
    assert_eq!(rewritten(before), parse(after), "{before}");
}

/// Checks that the rules leave `text` alone.
#[track_caller]
pub(super) fn expect_kept(text: &str) {
    expect_rewritten(text, text);
}
