//! Side effects and control flow of functions, as solc computes them.

#[allow(dead_code, reason = "shared by several test binaries")]
mod common;

use cairn_diag::FileId;
use cairn_yul::facts::control_flow::{ControlFlow, compute_control_flow};
use cairn_yul::facts::side_effects::{Access, SideEffects, compute_side_effects};
use cairn_yul::{Block, NameTable, parse};
use common::{cases, corpus};

fn side_effects_text(effects: &SideEffects) -> String {
    let mut list = Vec::new();
    let mut add = |holds: bool, text: &str| {
        if holds {
            list.push(text.to_owned());
        }
    };
    add(effects.movable, "movable");
    add(effects.movable_apart_from_effects, "movable apart from effects");
    add(effects.can_be_removed, "can be removed");
    add(effects.can_be_removed_if_no_msize, "can be removed if no msize");
    add(!effects.cannot_loop, "can loop");
    let parts =
        [("other state", effects.other_state), ("storage", effects.storage), ("memory", effects.memory)];
    for (part, access) in parts {
        add(access == Access::Write, &format!("writes {part}"));
        add(access == Access::Read, &format!("reads {part}"));
    }
    list.join(", ")
}

fn control_flow_text(flow: &ControlFlow) -> String {
    let facts = [
        (flow.can_terminate, "can terminate"),
        (flow.can_revert, "can revert"),
        (flow.can_continue, "can continue"),
    ];
    facts.iter().filter(|(holds, _)| *holds).map(|(_, text)| *text).collect::<Vec<_>>().join(", ")
}

/// Lines `name: facts`.
type Describe = fn(&Block, &NameTable) -> Vec<String>;

fn side_effect_lines(code: &Block, names: &NameTable) -> Vec<String> {
    let effects = compute_side_effects(code);
    let functions =
        effects.iter().map(|(name, fact)| format!("{}: {}", names.text(name), side_effects_text(fact)));
    std::iter::once(format!(": {}", side_effects_text(effects.main()))).chain(functions).collect()
}

fn control_flow_lines(code: &Block, names: &NameTable) -> Vec<String> {
    let flows = compute_control_flow(code);
    flows.iter().map(|(name, fact)| format!("{}: {}", names.text(name), control_flow_text(fact))).collect()
}

fn check(directory: &str, describe: Describe) {
    let Some(corpus) = corpus() else { return };
    for case in cases(&corpus, directory) {
        let parsed = parse(&case.source, FileId(0), &case.dialect());
        let object = parsed.object.unwrap_or_else(|| panic!("{}: {:?}", case.name, parsed.diagnostics));
        let mut found: Vec<String> =
            describe(&object.code, &parsed.names).iter().map(|line| line.trim_end().to_owned()).collect();
        let mut expected: Vec<String> =
            case.expectation.iter().map(|line| line.trim_end().to_owned()).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{}", case.name);
    }
}

#[test]
fn side_effects_of_functions() {
    check("yul/functionSideEffects", side_effect_lines);
}

#[test]
fn control_flow_of_functions() {
    check("yul/controlFlowSideEffects", control_flow_lines);
}
