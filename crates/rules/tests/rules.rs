//! Every rule is named once, and makes only what it matched.

mod common;

use cairn_rules::{Fact, Term, Users};
use common::names;
use std::collections::BTreeSet;

#[test]
fn names_are_unique() {
    let names: BTreeSet<&str> = cairn_rules::all().map(|rule| rule.name).collect();
    assert_eq!(names.len(), cairn_rules::all().count());
}

#[test]
fn right_sides_use_only_what_left_sides_bind() {
    for rule in cairn_rules::all() {
        let bound = names(&rule.from);
        for term in [&rule.to].into_iter().chain(&rule.when) {
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
    for rule in cairn_rules::all().filter(|rule| rule.users != Users::Ir) {
        let mut facts: Vec<Fact> = Vec::new();
        for term in [&rule.from, &rule.to].into_iter().chain(&rule.when) {
            term.for_each(&mut |term| {
                if let Term::Fact(fact, _) = term {
                    facts.push(*fact);
                }
            });
        }
        assert_eq!(facts, [], "{}", rule.text);
    }
}
