//! What the legalizer did: counts for each step, and on request every rewrite with its reason.

use cairn_diag::{Diagnostics, Span};
use std::fmt;

/// A step of the legalizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Step {
    /// Exactly one terminator a block.
    RepairTerminators,
    /// Every block is reachable.
    RemoveUnreachable,
    /// No composite types.
    LowerComposites,
    /// Pointers change only by `evm.ptr_add`; keys are integers.
    EnforcePointers,
    /// Only legal types.
    LegalizeTypes,
    /// Only operations of the fork.
    LegalizeOperations,
    /// No `evm.switch`.
    NormalizeSwitches,
    /// No block argument.
    EliminatePhis,
    /// No critical edge; no empty block but those that split one.
    NormalizeEdges,
    /// Slots stand at the start of the entry block.
    HoistSlots,
    /// Blocks stand in reverse postorder.
    OrderBlocks,
}

impl Step {
    /// Every step.
    pub const ALL: [Step; 11] = [
        Step::RepairTerminators,
        Step::RemoveUnreachable,
        Step::LowerComposites,
        Step::EnforcePointers,
        Step::LegalizeTypes,
        Step::LegalizeOperations,
        Step::NormalizeSwitches,
        Step::EliminatePhis,
        Step::NormalizeEdges,
        Step::HoistSlots,
        Step::OrderBlocks,
    ];

    /// The name used in reports, test folders and documentation.
    pub fn name(self) -> &'static str {
        match self {
            Step::RepairTerminators => "repair-terminators",
            Step::RemoveUnreachable => "remove-unreachable",
            Step::LowerComposites => "lower-composites",
            Step::EnforcePointers => "enforce-pointers",
            Step::LegalizeTypes => "legalize-types",
            Step::LegalizeOperations => "legalize-operations",
            Step::NormalizeSwitches => "normalize-switches",
            Step::EliminatePhis => "eliminate-phis",
            Step::NormalizeEdges => "normalize-edges",
            Step::HoistSlots => "hoist-slots",
            Step::OrderBlocks => "order-blocks",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One rewrite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The step that made it.
    pub step: Step,
    /// The function it was made in, without `@`.
    pub func: String,
    /// What was rewritten and why.
    pub what: String,
    /// Its place in the input text. What the legalizer made itself has none.
    pub span: Option<Span>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: @{}: {}", self.step, self.func, self.what)
    }
}

/// What the legalizer did to a module and the modules nested in it.
#[derive(Clone, Debug, Default)]
pub struct Report {
    counts: [usize; Step::ALL.len()],
    /// Every rewrite in order; empty unless `Options::explain` is set.
    pub changes: Vec<Change>,
    /// Findings that do not stop compilation, such as code after a terminator.
    pub warnings: Diagnostics,
}

impl Report {
    /// Number of rewrites of one step.
    pub fn count(&self, step: Step) -> usize {
        self.counts[step as usize]
    }

    /// Number of rewrites of all steps.
    pub fn total(&self) -> usize {
        self.counts.iter().sum()
    }

    /// True when the input was canonical already.
    pub fn is_unchanged(&self) -> bool {
        self.total() == 0
    }

    pub(crate) fn add(&mut self, step: Step, rewrites: usize) {
        self.counts[step as usize] += rewrites;
    }

    pub(crate) fn merge(&mut self, other: Report) {
        self.counts.iter_mut().zip(other.counts).for_each(|(sum, count)| *sum += count);
        self.changes.extend(other.changes);
        self.warnings.extend(other.warnings);
    }
}
