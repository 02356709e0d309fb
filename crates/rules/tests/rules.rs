//! Every rule holds on edge operands, is named once, and makes only what it matched.

mod common;

use cairn_evm::Word;
use cairn_rules::{Fact, Rule, Term, Users};
use common::{edge_words, evaluate, names, tuples};
use std::collections::BTreeSet;

#[test]
fn both_sides_are_equal_on_edge_operands() {
    for rule in cairn_rules::all().filter(|rule| rule.by_definition.is_none()) {
        if let Err(message) = check_on(rule, &edge_words()) {
            panic!("{}: {message}", rule.name);
        }
    }
}

/// Evaluates both sides on all operands from `words` that meet the conditions, as if nothing but
/// the values themselves were known.
fn check_on(rule: &Rule, words: &[Word]) -> Result<(), String> {
    let (n_values, n_consts) = names(&rule.from);
    let mut n_checked = 0;
    for consts in tuples(words, n_consts) {
        for values in tuples(words, n_values) {
            let value = |term: &Term| evaluate(term, &values, &consts);
            if rule.when.iter().any(|condition| value(condition).is_zero()) {
                continue;
            }
            let (from, to) = (value(&rule.from), value(&rule.to));
            if from != to {
                return Err(format!("{from:x} is not {to:x} at {values:x?} {consts:x?}"));
            }
            n_checked += 1;
        }
    }
    if n_checked > 0 { Ok(()) } else { Err("no edge operands meet the conditions".to_owned()) }
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
