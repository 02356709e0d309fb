//! What a pass is.
//!
//! Passes are stateless: what they know comes from the function and from [`PassContext`]. A pass never
//! calls a pass.

use crate::calls::CallFacts;
use crate::memory::Heap;
use crate::options::Options;
use crate::rules::RuleSet;
use cairn_analysis::{CallGraph, FuncEffects, StaticFrames};
use cairn_evm::Effects;
use cairn_ir::{Function, Module};

/// Whether a pass changed something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changed {
    /// Everything is as before.
    No,
    /// Something is different.
    Yes,
}

impl From<bool> for Changed {
    fn from(changed: bool) -> Self {
        if changed { Changed::Yes } else { Changed::No }
    }
}

/// What a pass needs to hold before it, or keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// Values are in SSA form; slots are block parameters.
    Promoted,
    /// The blocks and edges of every function stay as they are.
    Blocks,
    /// Constants stand next to their uses.
    LocalConstants,
    /// Functions keep their ids and signatures and get no calls that pass other words than those they
    /// had.
    Calls,
}

/// Facts of the module that passes on functions may ask for. They were computed before the last
/// module pass or later; passes only take effects away, so they stay true as upper bounds.
#[derive(Clone, Debug, Default)]
pub struct Summaries {
    /// Who calls whom and how calls end.
    pub graph: CallGraph,
    /// What functions read and write.
    pub effects: FuncEffects,
    /// What functions do in static frames.
    pub statics: StaticFrames,
    /// True when an operation of the module can observe the size of memory.
    pub observes_msize: bool,
    /// Memory below this is the program's own in every frame; values that found no place on the
    /// stack may live above.
    pub own_memory: u64,
    /// What is known of allocated memory.
    pub heap: Heap,
}

impl Summaries {
    /// True when something with these effects may not go though nobody uses its results.
    pub(crate) fn is_seen(&self, effects: Effects) -> bool {
        !effects.is_removable() || (self.observes_msize && effects.contains(Effects::GROW_MEMORY))
    }
}

/// What a pass did or left, and why, for people who want faster code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// The pass.
    pub pass: &'static str,
    /// The function that it looked at.
    pub func: String,
    /// What, why, and what it costs.
    pub text: String,
}

/// Collects remarks of passes.
pub type Remarks = std::cell::RefCell<Vec<Remark>>;

/// What a pass may use.
#[derive(Clone, Copy)]
pub struct PassContext<'a> {
    /// Options.
    pub options: &'a Options,
    /// Rewrite rules for the fork.
    pub rules: &'a RuleSet,
    /// Facts of the module.
    pub summaries: &'a Summaries,
    /// Where remarks go, if anybody wants them.
    pub remarks: Option<&'a Remarks>,
}

impl PassContext<'_> {
    /// Adds a remark if anybody wants it.
    pub fn remark(&self, pass: &'static str, func: &Function, text: impl FnOnce() -> String) {
        if let Some(remarks) = self.remarks {
            remarks.borrow_mut().push(Remark { pass, func: func.name.clone(), text: text() });
        }
    }
}

/// The work of a pass.
#[derive(Clone, Copy)]
pub enum Run {
    /// On one function; sees no other.
    Function(fn(&mut Function, &mut PassContext<'_>) -> Changed),
    /// On one function after the other, callers first; knows what calls pass and give back.
    CallersFirst(fn(&mut Function, &mut PassContext<'_>, &mut CallFacts) -> Changed),
    /// On the functions of one module.
    Module(fn(&mut Module, &mut PassContext<'_>) -> Changed),
    /// On a module that it leaves as it is. What it finds holds from then on: loads find what they
    /// found, however later passes make stores look.
    Heap(fn(&Module) -> Heap),
}

/// A pass. Its constant stands in the file that has its contract.
#[derive(Clone, Copy)]
pub struct Pass {
    /// Kebab-case name, the same in the command line, dumps, timing and test folders.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// What must hold before.
    pub needs: &'static [Property],
    /// What it keeps if it held before; everything else may be lost.
    pub preserves: &'static [Property],
    /// What holds after it.
    pub gives: &'static [Property],
    /// Its work.
    pub(crate) run: Run,
}
