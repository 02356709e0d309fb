//! ForLoopConditionOutOfBody: the reverse of ForLoopConditionIntoBody.
//!
//! ```text
//! for { } 1 { } { if iszero(c) { break } … }   →   for { } c { } { … }
//! ```
//! The condition must be movable. Needs unique names. Linear.

use cairn_evm::Opcode;
use cairn_yul::{Block, Builtin, Callee, Expression, For, Statement};
use smallvec::smallvec;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place};
use crate::tools::semantics::Effects;
use crate::tools::walk::{VisitorMut, walk_statement_mut};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "ForLoopConditionOutOfBody",
    letter: Some('O'),
    summary: "undo ForLoopConditionIntoBody",
    needs: Form::UNIQUE_NAMES,
    preserves: Form::all().difference(Form::SPLIT),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let effects = cx.effects(code);
    OutOfBody { effects }.block(code);
}

struct OutOfBody {
    effects: Effects,
}

impl OutOfBody {
    fn has_condition_in_body(&self, the_loop: &For) -> bool {
        let is_endless =
            matches!(&the_loop.condition, Expression::Literal(literal) if !literal.value.is_zero());
        let Some(Statement::If(branch)) = the_loop.body.statements.first() else {
            return false;
        };
        is_endless
            && matches!(branch.body.statements.as_slice(), [Statement::Break(..), ..])
            && self.effects.is_movable(&branch.condition)
    }
}

impl VisitorMut for OutOfBody {
    fn statement(&mut self, statement: &mut Statement) {
        walk_statement_mut(self, statement);
        let Statement::For(the_loop) = statement else {
            return;
        };
        if !self.has_condition_in_body(the_loop) {
            return;
        }
        if let Statement::If(branch) = the_loop.body.statements.remove(0) {
            the_loop.condition = negation(branch.condition);
        }
    }
}

fn negation(condition: Expression) -> Expression {
    let place = Place::of(&condition);
    match condition {
        Expression::Call(mut call) if call.callee == Callee::Builtin(Builtin::Evm(Opcode::ISZERO)) => {
            call.args.pop().expect("invariant: `iszero` has one argument")
        }
        other => builder::call(Opcode::ISZERO, smallvec![other], place),
    }
}
