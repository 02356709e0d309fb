//! Which outer variables a loop assigns to: those that need a parameter at its header.

use cairn_yul::{Block, For, Statement, YulName};
use rustc_hash::FxHashSet;

/// The variables declared outside of `loop_` (or in its init block) that its post block and body
/// assign to, in source order. Function definitions inside belong to other functions.
pub(crate) fn assigned_in_loop(loop_: &For) -> Vec<YulName> {
    let mut found = Assigned::default();
    found.visit(&loop_.body);
    found.visit(&loop_.post);
    found.names
}

#[derive(Default)]
struct Assigned {
    names: Vec<YulName>,
    /// Declared inside, or in `names` already.
    seen: FxHashSet<YulName>,
}

impl Assigned {
    fn visit(&mut self, block: &Block) {
        for statement in &block.statements {
            match statement {
                Statement::Let(let_) => self.seen.extend(let_.variables.iter().map(|id| id.name)),
                Statement::Assign(assign) => assign.targets.iter().for_each(|id| self.assign(id.name)),
                Statement::If(if_) => self.visit(&if_.body),
                Statement::Switch(switch) => switch.cases.iter().for_each(|case| self.visit(&case.body)),
                Statement::For(inner) => {
                    self.visit(&inner.init);
                    self.visit(&inner.body);
                    self.visit(&inner.post);
                }
                Statement::Block(inner) => self.visit(inner),
                Statement::Expression(..)
                | Statement::Function(_)
                | Statement::Break(..)
                | Statement::Continue(..)
                | Statement::Leave(..) => {}
            }
        }
    }

    fn assign(&mut self, name: YulName) {
        if self.seen.insert(name) {
            self.names.push(name);
        }
    }
}
