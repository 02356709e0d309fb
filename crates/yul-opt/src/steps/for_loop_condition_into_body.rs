//! ForLoopConditionIntoBody: checks the condition of a loop in its body.
//!
//! ```text
//! for { } lt(i, n) { } { … }   →   for { } true { } { if iszero(lt(i, n)) { break } … }
//! ```
//! Conditions that are literals or variables stay. Needs unique names. Linear.

use cairn_evm::Opcode;
use cairn_yul::{Block, Expression, Statement};
use smallvec::smallvec;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place};
use crate::tools::walk::{VisitorMut, walk_statement_mut};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "ForLoopConditionIntoBody",
    letter: Some('I'),
    summary: "check loop conditions in the body",
    needs: Form::UNIQUE_NAMES,
    preserves: Form::all().difference(Form::SPLIT),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(_cx: &mut StepContext<'_>, code: &mut Block) {
    IntoBody.block(code);
}

struct IntoBody;

impl VisitorMut for IntoBody {
    fn statement(&mut self, statement: &mut Statement) {
        walk_statement_mut(self, statement);
        let Statement::For(the_loop) = statement else {
            return;
        };
        if !matches!(the_loop.condition, Expression::Call(_)) {
            return;
        }
        let place = Place::of(&the_loop.condition);
        let condition = std::mem::replace(&mut the_loop.condition, builder::truth(place));
        let is_false = builder::call(Opcode::ISZERO, smallvec![condition], place);
        let leave_loop = Statement::Break(place.span, place.src);
        the_loop.body.statements.insert(0, builder::if_then(is_false, vec![leave_loop], place));
    }
}
