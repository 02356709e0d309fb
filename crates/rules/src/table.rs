//! The rules as the program holds them. The build script writes the tables from the texts: what is known of a
//! rule before any value is seen is worked out there (see `build/groups.rs`).

use crate::term::{Fact, Operands, Rule, Term, Users};
use cairn_evm::{Fork, Opcode, Word};
use std::borrow::Cow;

/// A rule with one order of operands.
#[derive(Debug)]
pub(crate) struct Oriented {
    pub(crate) rule: &'static Rule,
    pub(crate) operands: &'static [Term],
}

/// Up to 64 rules with the same root, in the order in which they are tried. In a set of rules, bit `n` stands for
/// the rule with index `n`.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) rules: &'static [Oriented],
    /// For each operand the rules that it can match.
    pub(crate) takers: &'static [Takers],
    /// The rules whose results each fork has the opcodes for.
    pub(crate) in_fork: [u64; Fork::ALL.len()],
    /// The rules that the EVM-IR optimizer applies.
    pub(crate) of_ir: u64,
    /// The rules that the Yul optimiser applies.
    pub(crate) of_yul: u64,
    /// The rules that the EVM-IR optimizer applies last.
    pub(crate) of_late: u64,
}

/// The rules that an operand can match by what it is at its root.
#[derive(Debug)]
pub(crate) struct Takers {
    of_any: u64,
    of_const: u64,
    of_op: &'static [(Opcode, u64)],
}

impl Takers {
    /// Those for a value that is a constant or not, and the result of an operation or not.
    pub(crate) fn of(&self, (is_const, op): (bool, Option<Opcode>)) -> u64 {
        let of_const = if is_const { self.of_const } else { 0 };
        let of_op = op.and_then(|op| self.of_op.iter().find(|(of, _)| *of == op));
        self.of_any | of_const | of_op.map_or(0, |(_, bits)| *bits)
    }
}

include!(concat!(env!("OUT_DIR"), "/table.rs"));
