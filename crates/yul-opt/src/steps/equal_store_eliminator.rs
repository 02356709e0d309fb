//! EqualStoreEliminator: removes stores of what is known to be there already.
//!
//! ```text
//! let y := sload(x) sstore(x, y)   →   let y := sload(x)
//! ```
//! Needs unique names and no declarations in loop inits; works on split code in SSA form. Linear.

use cairn_evm::Opcode;
use cairn_yul::{Block, Expression, Statement};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::data_flow_analyzer::{Flow, Hooks, analyze, simple_store};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "EqualStoreEliminator",
    letter: Some('E'),
    summary: "remove stores of what is there already",
    needs: Form::UNIQUE_NAMES.union(Form::NO_LOOP_INITS),
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let effects = cx.effects(code);
    analyze(code, &effects, cx.names.len(), &mut cx.scratch, &mut Eliminator);
}

struct Eliminator;

impl Hooks for Eliminator {
    const FOLLOWS_STATE: bool = true;

    fn keeps(&self, _value: &Expression) -> bool {
        false
    }

    fn drops(&mut self, flow: &mut Flow<'_>, statement: &Statement) -> bool {
        let Statement::Expression(expression, ..) = statement else {
            return false;
        };
        match simple_store(expression) {
            Some((Opcode::SSTORE, key, value)) => flow.storage_value(key) == Some(value),
            Some((_, key, value)) => flow.memory_value(key) == Some(value),
            None => false,
        }
    }
}
