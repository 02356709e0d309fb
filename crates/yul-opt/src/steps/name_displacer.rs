//! NameDisplacer: renames what has one of the given names.
//!
//! Needs unique names; the names stay reserved for the steps that follow. Linear.

use cairn_yul::{Block, YulName};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::renamer::rename_all;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "NameDisplacer",
    letter: None,
    summary: "rename what has one of the given names",
    needs: Form::UNIQUE_NAMES,
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::OnNames(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block, displaced: &[YulName]) {
    for name in displaced {
        cx.dispenser.mark(*name);
        cx.reserved.push(*name);
    }
    let displaced: FxHashSet<YulName> = displaced.iter().copied().collect();
    let mut renamed: FxHashMap<YulName, YulName> = FxHashMap::default();
    rename_all(code, |name| {
        if displaced.contains(name) {
            *name = *renamed.entry(*name).or_insert_with(|| cx.new_name_like(*name));
        }
    });
}
