//! The tables of the language reference, generated from what the code is made of: docs/ir.md holds
//! them between markers, and a test and `cargo xtask docs --check` compare.

use crate::builder::opcode_result_type;
use crate::describe::describe;
use crate::op::Op;
use cairn_evm::{Effects, Opcode};
use std::fmt::Write;

/// Makes a table.
pub type Table = fn() -> String;

/// The tables by the names of their markers.
pub const TABLES: [(&str, Table); 3] =
    [("ir-opcodes", opcode_table), ("ir-operations", operation_table), ("ir-rules", rule_table)];

fn effects(effects: Effects) -> String {
    for (set, name) in [
        (Effects::all(), "all"),
        (Effects::CALL, "foreign code"),
        (Effects::STATIC_CALL, "foreign code, static"),
    ] {
        if effects == set {
            return name.to_owned();
        }
    }
    let shown = effects.difference(Effects::GROW_MEMORY);
    let names: Vec<String> =
        shown.iter_names().map(|(name, _)| name.to_lowercase().replace('_', " ")).collect();
    names.join(", ")
}

/// Markdown table of the operations that are opcodes.
pub fn opcode_table() -> String {
    let mut table =
        String::from("| operation | result | since | effects | meaning |\n|---|---|---|---|---|\n");
    for opcode in Opcode::all() {
        let Some(description) = describe(opcode) else { continue };
        let info = opcode.known();
        let spelled = format!("evm.{} {}", info.lower, description.operands.join(", "));
        let result =
            if info.outputs == 0 { String::new() } else { format!("`{}`", opcode_result_type(opcode)) };
        let (fork, effects) = (info.since, effects(info.effects));
        writeln!(
            table,
            "| `{}` | {result} | {fork:?} | {effects} | {} |",
            spelled.trim(),
            description.meaning
        )
        .expect("invariant: a string takes everything");
    }
    table
}

/// Markdown table of the other operations.
pub fn operation_table() -> String {
    let mut table =
        String::from("| operation | operands | results | effects | meaning |\n|---|---|---|---|---|\n");
    let count = |count: Option<usize>| count.map_or("*".to_owned(), |count| count.to_string());
    for op in Op::TABLE {
        let (inputs, outputs) = (count(op.inputs()), count(op.outputs()));
        let meaning = op.meaning().expect("invariant: an operation of the table has a meaning");
        writeln!(
            table,
            "| `evm.{}` | {inputs} | {outputs} | {} | {meaning} |",
            op.name(),
            effects(op.effects())
        )
        .expect("invariant: a string takes everything");
    }
    table
}

/// The verifier's rules: the name of each, and what it asks for.
pub fn rules() -> impl Iterator<Item = (&'static str, &'static str)> {
    let head = include_str!("verify/mod.rs");
    let rows = head.lines().filter_map(|line| line.strip_prefix("//! |")).skip(2);
    rows.filter_map(|row| {
        let mut cells = row.split('|').map(str::trim);
        Some((cells.next()?.trim_matches('`'), cells.nth(1)?))
    })
}

/// Markdown table of the verifier's rules.
pub fn rule_table() -> String {
    let head = include_str!("verify/mod.rs");
    head.lines().filter_map(|line| line.strip_prefix("//! |")).map(|line| format!("|{line}\n")).collect()
}
