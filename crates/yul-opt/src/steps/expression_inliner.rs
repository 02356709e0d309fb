//! ExpressionInliner: puts the expression of a function `function f(…) -> r { r := E }` in place of
//! its calls.
//!
//! ```text
//! function f(a) -> x { x := add(a, a) } let y := f(calldatasize())
//!                                     →   let y := add(calldatasize(), calldatasize())
//! ```
//! Needs unique names. Arguments must be movable (calls of functions never
//! are, here), and cheap when they are used more than once; `E`
//! mentions neither `r` nor `f`. `E` is taken as it is by then: calls in it are gone where the function
//! stands before its caller. Linear in the size of the result.

use cairn_yul::{Block, Callee, Expression, FunctionDefinition, Statement, YulName};
use rustc_hash::FxHashMap;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::metrics::{evaluation_cost, expression_size};
use crate::tools::name_collector::for_each_reference_in;
use crate::tools::semantics::Effects;
use crate::tools::substitution::substitute;
use crate::tools::walk::{Visitor, VisitorMut, walk_expression_mut};

/// Larger results are not made, so that repeated runs do not multiply code without end.
const MAX_SIZE: usize = 512;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "ExpressionInliner",
    letter: Some('e'),
    summary: "inline functions that are one expression",
    needs: Form::UNIQUE_NAMES,
    preserves: Form::all().difference(Form::SPLIT),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let mut finder = Finder::default();
    finder.block(code);
    if finder.inlinable.is_empty() {
        return;
    }
    let effects = cx.effects_without_functions(code);
    Inliner { inlinable: finder.inlinable, effects, dialect: cx.dialect }.block(code);
}

struct Inlinable {
    parameters: Vec<YulName>,
    /// How often each parameter is used.
    n_uses: Vec<usize>,
    value: Expression,
}

#[derive(Default)]
struct Finder {
    inlinable: FxHashMap<YulName, Inlinable>,
}

impl Visitor for Finder {
    fn expression(&mut self, _expression: &Expression) {}

    fn function(&mut self, function: &FunctionDefinition) {
        if let Some(inlinable) = inlinable(function) {
            self.inlinable.insert(function.name.name, inlinable);
        }
        self.block(&function.body);
    }
}

fn inlinable(function: &FunctionDefinition) -> Option<Inlinable> {
    let ([result], [Statement::Assign(assignment)]) =
        (function.returns.as_slice(), function.body.statements.as_slice())
    else {
        return None;
    };
    if !matches!(assignment.targets.as_slice(), [target] if target.name == result.name) {
        return None;
    }
    let parameters: Vec<YulName> = function.parameters.iter().map(|parameter| parameter.name).collect();
    let mut n_uses = vec![0; parameters.len()];
    let mut is_fit = true;
    for_each_reference_in(&assignment.value, &mut |name| {
        is_fit &= name != result.name && name != function.name.name;
        if let Some(index) = parameters.iter().position(|parameter| *parameter == name) {
            n_uses[index] += 1;
        }
    });
    is_fit.then(|| Inlinable { parameters, n_uses, value: assignment.value.clone() })
}

struct Inliner {
    inlinable: FxHashMap<YulName, Inlinable>,
    effects: Effects,
    dialect: cairn_yul::Dialect,
}

impl Inliner {
    fn result(&self, expression: &Expression) -> Option<Expression> {
        let Expression::Call(call) = expression else {
            return None;
        };
        let Callee::User(name) = call.callee else {
            return None;
        };
        let inlinable = self.inlinable.get(&name)?;
        let mut size = expression_size(&inlinable.value);
        for (argument, n_uses) in call.args.iter().zip(&inlinable.n_uses) {
            let is_duplicable = *n_uses <= 1 || evaluation_cost(argument, &self.dialect) <= 1;
            if !is_duplicable || !self.effects.is_movable(argument) {
                return None;
            }
            size += n_uses * expression_size(argument);
        }
        if size > MAX_SIZE {
            return None;
        }
        let values = inlinable.parameters.iter().copied().zip(call.args.iter().cloned()).collect();
        let mut value = inlinable.value.clone();
        substitute(&mut value, &values);
        Some(value)
    }
}

impl VisitorMut for Inliner {
    fn expression(&mut self, expression: &mut Expression) {
        walk_expression_mut(self, expression);
        if let Some(result) = self.result(expression) {
            *expression = result;
        }
    }

    fn function(&mut self, function: &mut FunctionDefinition) {
        self.block(&mut function.body);
        if self.inlinable.contains_key(&function.name.name)
            && let Some(inlinable) = inlinable(function)
        {
            self.inlinable.insert(function.name.name, inlinable);
        }
    }
}
