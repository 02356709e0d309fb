//! Lifts bytecode to Yul, builds that, and compares the behaviour of the original and the result: at -O0,
//! which takes the text as it is, and at -O2.
//!
//! The samples and figures are those of the other tests here, so that the same calls judge both ways.

use crate::figures::Figures;
use crate::semantic::build_at;
use crate::{COMBINATIONS, contracts, creation, part, semantic, step};
use cairn_bytecode::Role;
use cairn_driver::{Level, Options, Recompiled, Session, lift_to_yul};
use cairn_evm::Fork;
use std::collections::BTreeMap;

fn by_yul(code: &[u8], role: Option<Role>, fork: Fork, level: Level) -> Recompiled {
    let options = Options { level, fork, ..Options::default() };
    let kept = |reason: String| Recompiled { code: code.to_vec(), kept: Some(reason), notes: Vec::new() };
    let raised = match lift_to_yul(code, role, &BTreeMap::new(), &options, &mut Session::default()) {
        Ok(raised) => raised,
        Err(reason) => return kept(reason),
    };
    if let Some(hazard) = raised.observed.hazards().first() {
        return kept((*hazard).to_owned());
    }
    match build_at("lifted", &raised.text, &options) {
        Ok(new) => Recompiled { code: new, kept: None, notes: Vec::new() },
        Err(reason) => kept(reason),
    }
}

fn at_o0(code: &[u8], role: Option<Role>, fork: Fork) -> Recompiled {
    by_yul(code, role, fork, Level::O0)
}

fn at_o2(code: &[u8], role: Option<Role>, fork: Fork) -> Recompiled {
    by_yul(code, role, fork, Level::O2)
}

/// Nothing but values that do not fit on the stack may be in the way, and that seldom.
fn demand(title: &str, figures: Option<Figures>) {
    let Some(figures) = figures else { return };
    figures.print(title);
    assert!(figures.wrong.is_empty() && figures.equal > 0);
    assert!(figures.recompiled * 2 > figures.codes);
}

#[test]
fn a_sample_of_contracts_lifts_to_yul() {
    demand("contracts -O0", contracts::compare(at_o0, contracts::Part { first: 1, step: 600 }, 2));
    demand("contracts -O2", contracts::compare(at_o2, contracts::Part { first: 2, step: 600 }, 2));
}

#[test]
fn a_sample_of_built_programs_lifts_to_yul() {
    for level in [Level::O0, Level::O2] {
        demand("semantic-dev at -O0", semantic::compare(at_o0, "semantic-dev", level, 200));
        demand("semantic-dev at -O2", semantic::compare(at_o2, "semantic-dev", level, 200));
    }
}

#[test]
fn creation_code_lifts_to_yul() {
    demand("own creation codes -O0", Some(creation::compare_own(at_o0)));
    demand("own creation codes -O2", Some(creation::compare_own(at_o2)));
    demand("scenarios", creation::compare_scenarios(at_o2, 17));
}

#[test]
#[ignore = "long; run with --release"]
fn all_contracts_lift_to_yul() {
    demand("contracts -O0", contracts::compare(at_o0, part(), COMBINATIONS / 10));
    demand("contracts -O2", contracts::compare(at_o2, part(), COMBINATIONS / 10));
}

#[test]
#[ignore = "long; run with --release"]
fn all_built_programs_lift_to_yul() {
    for level in [Level::O0, Level::O2] {
        demand("semantic-dev at -O0", semantic::compare(at_o0, "semantic-dev", level, step()));
        demand("semantic-dev at -O2", semantic::compare(at_o2, "semantic-dev", level, step()));
    }
    demand("scenarios", creation::compare_scenarios(at_o2, step()));
}
