//! Random modules: round trip, verification, execution before and after promotion of slots.

mod common;

use cairn_diag::FileId;
use cairn_ir::interp::{Env, Outcome, Run, interpret};
use cairn_ir::text::{parse, print};
use cairn_ir::verify::{Form, verify};
use cairn_ir::{Module, promote_slots};
use common::random_module;

const SEEDS: u64 = 3_000;

fn parsed(text: &str) -> Module {
    parse(text, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?} in\n{text}"))
}

fn execute(module: &Module) -> Run {
    let mut env = Env { max_steps: 3_000, max_depth: 50, ..Env::default() };
    interpret(module, &mut env).unwrap_or_else(|faults| panic!("{faults:?} in\n{module}"))
}

#[test]
fn printing_and_parsing_agree() {
    for seed in 0..SEEDS {
        let text = random_module(seed);
        let module = parsed(&text);
        let faults = verify(&module, Form::Free);
        assert!(faults.is_empty(), "{faults:?} in\n{text}");
        let printed = print(&module);
        let again = parsed(&printed);
        assert_eq!(print(&again), printed, "seed {seed}");
        assert_eq!(execute(&again), execute(&module), "seed {seed}");
    }
}

#[test]
fn promotion_of_slots_changes_nothing_that_can_be_seen() {
    let (mut num_promoted, mut num_finished) = (0, 0);
    for seed in 0..SEEDS {
        let text = random_module(seed);
        let before = parsed(&text);
        let mut after = before.clone();
        num_promoted += after.funcs.values_mut().map(promote_slots).sum::<usize>();
        let faults = verify(&after, Form::Free);
        assert!(faults.is_empty(), "seed {seed}: {faults:?}\n{text}\n{after}");
        let (old, new) = (execute(&before), execute(&after));
        if matches!(old.outcome, Outcome::Limit(_)) {
            continue;
        }
        num_finished += 1;
        assert_eq!(
            (&new.outcome, &new.storage),
            (&old.outcome, &old.storage),
            "seed {seed}\n{text}\n{after}"
        );
    }
    assert!(num_promoted > 1_000 && num_finished > 1_000, "{num_promoted} promoted, {num_finished} finished");
}
