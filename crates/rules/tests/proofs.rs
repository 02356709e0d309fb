//! Every rule is proven.
//!
//! With z3 on the machine: at 256 bits, or at 8 bits if the rule says why it then holds at 256.
//! Always: by evaluation, at 256 bits on edge operands and random ones, and at 8 bits on all
//! operands where there are at most two of them, and on random ones where there are more. A wrong
//! rule is refuted by both.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tests say what they skip")]

mod common;

use cairn_rules::{Rule, parse_rules};
use common::smt::{Verdict, has_prover, prove};
use common::{refutation, small_refutation};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Width of the proofs of rules that argue for wider words.
const SMALL: u32 = 8;
const FULL: u32 = 256;

fn provable() -> Vec<&'static Rule> {
    cairn_rules::all().filter(|rule| rule.by_definition.is_none()).collect()
}

#[test]
fn the_prover_proves_every_rule() {
    if !has_prover() {
        eprintln!("skipped: no z3; rules are only evaluated");
        return;
    }
    let (rules, next, faults) = (provable(), AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(rule) = rules.get(next.fetch_add(1, Ordering::Relaxed)) {
            let width = if rule.because.is_some() { SMALL } else { FULL };
            let start = std::time::Instant::now();
            let verdict = prove(rule, width);
            if std::env::var_os("CAIRN_PROOF_TIMES").is_some() {
                println!("{:>8} ms {}", start.elapsed().as_millis(), rule.name);
            }
            if verdict != Verdict::Proven {
                faults.lock().expect("no panic").push(format!("{verdict:?} at {width} bits: {}", rule.text));
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let faults = faults.into_inner().expect("no panic");
    assert!(faults.is_empty(), "{} of {} not proven\n{}", faults.len(), rules.len(), faults.join("\n"));
}

// Shows S002-35, S002-111.
#[test]
fn evaluation_refutes_no_rule() {
    let mut faults: Vec<String> = Vec::new();
    for rule in provable() {
        faults.extend(refutation(rule).map(|found| format!("{found}: {}", rule.text)));
        if rule.because.is_some() {
            faults.extend(small_refutation(rule, SMALL).map(|found| format!("{found}: {}", rule.text)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Each was believed by somebody once, or is one step from a rule that we have.
const WRONG: &str = "\
double-shift-overflow: shl(A, shl(B, x)) => shl(A + B, x)
byte-of-31: byte(A, x) => and(x, 255) if A >= 31
sdiv-by-itself: sdiv(x, x) => 1 because it divides
shr-of-shl: shr(A, shl(A, x)) => x if A < W
sar-by-width: sar(A, x) => 0 if A >= W
signextend-of-narrow-mask: signextend(A, and(x, B)) => x if A < 31, B == mask(8 * A + 8)
sum-is-not-less: lt(add(x, y), x) => 0
sum-of-bounded: lt(add(x, y), x) => 0 if hi(x) < MAX
div-of-mul: div(mul(x, y), y) => x because it cancels
";

#[test]
fn wrong_rules_are_refuted() {
    let rules = parse_rules(WRONG);
    assert_eq!(rules.len(), 9);
    for rule in &rules {
        let width = if rule.because.is_some() { SMALL } else { FULL };
        let is_refuted = match width {
            SMALL => small_refutation(rule, SMALL).is_some(),
            _ => refutation(rule).is_some(),
        };
        assert!(is_refuted, "evaluation believes {}", rule.text);
        if has_prover() {
            assert_eq!(prove(rule, width), Verdict::Refuted, "{}", rule.text);
        }
    }
}

#[test]
fn definitions_are_few_and_known() {
    let names: Vec<&str> =
        cairn_rules::all().filter(|rule| rule.by_definition.is_some()).map(|rule| rule.name).collect();
    let expected = [
        "balance-of-self",
        "address-is-an-address",
        "caller-is-an-address",
        "origin-is-an-address",
        "coinbase-is-an-address",
    ];
    assert_eq!(names, expected);
}
