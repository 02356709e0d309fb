//! Writes rules and groups as initial values of statics.

use crate::groups::{Group, Takers};
use crate::term::{Rule, Term};
use std::collections::BTreeMap;

/// The source text of the tables: `FAMILY_0` and so on with the rules of each family, `FAMILIES`, and `BY_ROOT`.
pub(crate) fn tables(names: &[&str], families: &[Vec<Rule>], groups: &BTreeMap<u8, Vec<Group>>) -> String {
    let mut text = String::new();
    for (number, rules) in families.iter().enumerate() {
        let rules = list(rules, rule);
        text += &format!("static FAMILY_{number}: &[Rule] = &{rules};\n");
    }
    let rows: Vec<String> =
        names.iter().enumerate().map(|(number, name)| format!("({name:?}, FAMILY_{number})")).collect();
    text +=
        &format!("pub(crate) static FAMILIES: [(&str, &[Rule]); {}] = [{}];\n", rows.len(), rows.join(","));
    let no_group = Vec::new();
    let roots: Vec<String> = (0..=u8::MAX)
        .map(|root| format!("&{}", list(groups.get(&root).unwrap_or(&no_group), group)))
        .collect();
    text += &format!("pub(crate) static BY_ROOT: [&[Group]; 256] = [{}];\n", roots.join(","));
    text
}

fn list<T>(items: &[T], write: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(write).collect::<Vec<_>>().join(","))
}

fn rule(rule: &Rule) -> String {
    let Rule { name, users, operands, from, to, when, because, by_definition, text } = rule;
    format!(
        "Rule {{ name: {name:?}, users: Users::{users:?}, operands: Operands::{operands:?}, from: {}, to: {}, \
         when: Cow::Borrowed(&{}), because: {because:?}, by_definition: {by_definition:?}, text: {text:?} }}\n",
        term(from),
        term(to),
        list(when, term)
    )
}

fn term(from: &Term) -> String {
    match from {
        Term::Value(name) => format!("Term::Value({name})"),
        Term::Const(name) => format!("Term::Const({name})"),
        Term::Fact(fact, name) => format!("Term::Fact(Fact::{fact:?}, {name})"),
        Term::Width => "Term::Width".to_owned(),
        Term::Word(word) => format!("Term::Word(Word::from_limbs({:?}))", word.as_limbs()),
        Term::Op(op, args) => format!("Term::Op(Opcode({}), Cow::Borrowed(&{}))", op.0, list(args, term)),
    }
}

fn group(group: &Group) -> String {
    let rules = list(&group.rules, |(family, place, operands)| {
        format!("Oriented {{ rule: &FAMILY_{family}[{place}], operands: &{} }}", list(operands, term))
    });
    format!(
        "Group {{ rules: &{rules}, takers: &{}, in_fork: {:?}, of_ir: {}, of_yul: {}, of_late: {} }}\n",
        list(&group.takers, takers),
        group.in_fork,
        group.of_ir,
        group.of_yul,
        group.of_late
    )
}

fn takers(takers: &Takers) -> String {
    let of_op = list(&takers.of_op, |(op, bits)| format!("(Opcode({}), {bits})", op.0));
    format!("Takers {{ of_any: {}, of_const: {}, of_op: &{of_op} }}", takers.of_any, takers.of_const)
}
