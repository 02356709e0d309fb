//! Rematerialiser: puts the values of variables in place of the variables, where that is cheap.
//!
//! ```text
//! let a := caller() mstore(a, a)   →   let a := caller() mstore(caller(), caller())
//! ```
//! A value is cheap when evaluating it costs nothing (opcodes that push a word, and zero where there
//! is `PUSH0`); when it costs very little, the variable is mentioned at most five times (an assignment
//! to it is a mention) and the use is in no loop; or when the variable is mentioned once, in no deeper
//! loop. What the value mentions must be in scope. Needs unique
//! names and no declarations in loop inits. Destroys split form. Linear in the size of the result.

use cairn_yul::{Block, Dialect, Expression, YulName};
use rustc_hash::FxHashSet;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::data_flow_analyzer::{Flow, Hooks, analyze};
use crate::tools::expressions::Class;
use crate::tools::metrics::evaluation_cost;
use crate::tools::name_collector::{count_references, for_each_reference_in};

/// Mentions beyond which only free values are evaluated again.
const MAX_MENTIONS: u32 = 5;

/// Larger expressions are never made.
const MAX_COST: usize = 4096;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "Rematerialiser",
    letter: Some('m'),
    summary: "evaluate cheap values again",
    needs: Form::UNIQUE_NAMES.union(Form::NO_LOOP_INITS),
    preserves: Form::all().difference(Form::SPLIT),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    rematerialise(cx, code, &FxHashSet::default(), Extent::Cheap);
}

/// Which variables are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Cheap ones and those asked for.
    Cheap,
    /// Only those asked for.
    Selected,
}

/// Replaces the variables in `selected` at any price.
pub(crate) fn rematerialise(
    cx: &mut StepContext<'_>,
    code: &mut Block,
    selected: &FxHashSet<YulName>,
    extent: Extent,
) {
    let effects = cx.effects_without_functions(code);
    let n_mentions = count_references(code, cx.names.len());
    let mut rematerialiser = Rematerialiser { dialect: cx.dialect, n_mentions, selected, extent };
    analyze(code, &effects, cx.names.len(), &mut cx.scratch, &mut rematerialiser);
}

struct Rematerialiser<'a> {
    dialect: Dialect,
    n_mentions: Vec<u32>,
    selected: &'a FxHashSet<YulName>,
    extent: Extent,
}

impl Rematerialiser<'_> {
    fn value(&self, flow: &Flow<'_>, name: YulName) -> Option<Expression> {
        let value = flow.value_of(name)?;
        let cost = evaluation_cost(value, &self.dialect);
        if cost > MAX_COST || !self.is_wanted(flow, name, cost) {
            return None;
        }
        let mut is_in_scope = true;
        for_each_variable(value, &mut |operand| is_in_scope &= flow.is_in_scope(operand));
        is_in_scope.then(|| value.clone())
    }

    fn is_wanted(&self, flow: &Flow<'_>, name: YulName, cost: usize) -> bool {
        if self.selected.contains(&name) {
            return true;
        }
        let n_mentions = self.n_mentions[name.0 as usize];
        let is_same_loop = flow.loop_depth_of(name) == Some(flow.loop_depth);
        let is_cheap = cost == 0
            || is_same_loop && n_mentions <= 1
            || flow.loop_depth == 0 && cost <= 1 && n_mentions <= MAX_MENTIONS;
        self.extent == Extent::Cheap && is_cheap
    }
}

impl Hooks for Rematerialiser<'_> {
    fn expression(&mut self, flow: &mut Flow<'_>, expression: &mut Expression, class: Class) -> Class {
        let Expression::Identifier(identifier) = expression else {
            return class;
        };
        let name = identifier.name;
        let Some(value) = self.value(flow, name) else {
            return class;
        };
        self.n_mentions[name.0 as usize] -= 1;
        for_each_reference_in(&value, &mut |operand| self.n_mentions[operand.0 as usize] += 1);
        *expression = value;
        flow.visit_parts(self, expression)
    }
}

fn for_each_variable(expression: &Expression, visit: &mut dyn FnMut(YulName)) {
    match expression {
        Expression::Literal(_) => {}
        Expression::Identifier(identifier) => visit(identifier.name),
        Expression::Call(call) => call.args.iter().for_each(|argument| for_each_variable(argument, visit)),
    }
}
