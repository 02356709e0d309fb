//! The error for a word that is out of reach.

use super::facts::func::FuncFacts;
use super::plan::planner::Stuck;
use super::stack::slot::Slot;
use cairn_diag::{Diagnostic, Span};
use cairn_ir::Inst;

/// A function that needs more words at once than stack instructions reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StackError {
    /// Name of the function.
    pub function: String,
    /// Names of the values that were in the way, deepest first.
    pub variables: Vec<String>,
    /// Name of the value that was needed, if it has one.
    pub value: Option<String>,
    /// How deep the word lies that was needed (1 = top).
    pub depth: u16,
    /// Place of what needs it, in the input text.
    pub span: Option<Span>,
}

pub(super) fn stack_error(facts: &FuncFacts<'_>, stuck: &Stuck) -> StackError {
    let name = |slot: &Slot| {
        let value = slot.as_value()?;
        let name = facts.func.value_names.get(&value);
        match facts.cx.module.options.source_names {
            true => name.map(|name| format!("`{name}`")),
            false => Some(name.map_or_else(|| value.to_string(), |name| format!("%{name}"))),
        }
    };
    let block = stuck.block;
    let needs = |inst: &Inst| {
        let mut found = false;
        facts.func.dfg.for_each_use(*inst, |value| found |= stuck.far.slot.as_value() == Some(value));
        found
    };
    let insts = || facts.func.layout.insts(block);
    let place = insts().find(needs).or_else(|| insts().last());
    StackError {
        function: facts.func.name.clone(),
        variables: stuck.above.iter().filter_map(name).collect(),
        value: name(&stuck.far.slot),
        depth: stuck.far.depth,
        span: place.map_or(facts.func.span, |inst| facts.func.inst_place(inst)),
    }
}

/// Code of the diagnostic for a value that is out of reach and has no other place.
pub const STACK_TOO_DEEP: &str = "stack-too-deep";

impl StackError {
    /// The error as a message with help.
    pub(super) fn to_diagnostic(&self) -> Diagnostic {
        let value = self.value.as_deref().unwrap_or("a value");
        let mut text =
            format!("stack too deep in function `{}`: {value} lies {} words deep", self.function, self.depth);
        if !self.variables.is_empty() {
            text.push_str(&format!(", below {}", self.variables.join(", ")));
        }
        Diagnostic::error(text).with_code(STACK_TOO_DEEP).with_span(self.span).with_help(
            "reserve memory with `memoryguard` so that values can be kept there, or split the function",
        )
    }
}
