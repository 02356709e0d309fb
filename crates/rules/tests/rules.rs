//! Every rule is named once, and makes only what it matched.

mod common;

use cairn_rules::{Fact, Rule, Term, Users, parse_rules};
use common::names;
use std::collections::BTreeSet;
use std::fs;

#[test]
fn the_tables_say_what_the_texts_say() {
    let mut n_texts = 0;
    for file in fs::read_dir("rules").expect("the texts") {
        let path = file.expect("a file").path();
        let text = fs::read_to_string(&path).expect("a text");
        let name = path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let (_, rules) = cairn_rules::families()
            .iter()
            .find(|(family, _)| *family == name)
            .unwrap_or_else(|| panic!("`{name}` is not in the tables"));
        let shown = |rules: &[Rule]| rules.iter().map(|rule| format!("{rule:?}")).collect::<Vec<_>>();
        assert_eq!(shown(rules), shown(&parse_rules(text.leak())), "{name}");
        n_texts += 1;
    }
    assert_eq!(n_texts, cairn_rules::families().len());
}

#[test]
fn names_are_unique() {
    let names: BTreeSet<&str> = cairn_rules::all().map(|rule| rule.name).collect();
    assert_eq!(names.len(), cairn_rules::all().count());
}

#[test]
fn right_sides_use_only_what_left_sides_bind() {
    for rule in cairn_rules::all() {
        let bound = names(&rule.from);
        for term in [&rule.to].into_iter().chain(rule.when.iter()) {
            let used = names(term);
            assert!(used.0 <= bound.0 && used.1 <= bound.1, "{}", rule.text);
        }
    }
}

#[test]
fn conditions_are_over_constants_and_facts() {
    for rule in cairn_rules::all() {
        assert!(rule.when.iter().all(Term::is_constant), "{}", rule.text);
    }
}

#[test]
fn rules_for_yul_know_no_facts() {
    for rule in cairn_rules::all().filter(|rule| [Users::All, Users::Yul].contains(&rule.users)) {
        let mut facts: Vec<Fact> = Vec::new();
        for term in [&rule.from, &rule.to].into_iter().chain(rule.when.iter()) {
            term.for_each(&mut |term| {
                if let Term::Fact(fact, _) = term {
                    facts.push(*fact);
                }
            });
        }
        assert_eq!(facts, [], "{}", rule.text);
    }
}
