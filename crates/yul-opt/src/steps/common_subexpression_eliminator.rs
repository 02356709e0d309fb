//! CommonSubexpressionEliminator: uses a variable in place of an expression that it is known to be
//! equal to, and the older of two equal variables.
//!
//! ```text
//! let a := mul(x, 2) let b := mul(x, 2) mstore(b, 1)   →   let a := mul(x, 2) let b := a mstore(a, 1)
//! ```
//! Needs unique names and no declarations in loop inits; best after the expression splitter.
//! Never uses a return variable that happens to be zero in place of a zero. Linear: variables are
//! indexed by the number of their value's expression.

use cairn_yul::{Block, Expression, FunctionDefinition, NameTable, YulName};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{Place, variable};
use crate::tools::data_flow_analyzer::{Flow, Hooks, analyze};
use crate::tools::expressions::{Class, empty};
use crate::tools::name_collector::set_order;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "CommonSubexpressionEliminator",
    letter: Some('c'),
    summary: "reuse equal values",
    needs: Form::UNIQUE_NAMES.union(Form::NO_LOOP_INITS),
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let effects = cx.effects(code);
    let mut eliminator =
        Eliminator { names: cx.names, holders: FxHashMap::default(), returns: FxHashSet::default() };
    analyze(code, &effects, eliminator.names.len(), &mut cx.scratch, &mut eliminator);
}

struct Eliminator<'a> {
    names: &'a NameTable,
    /// Variables whose value had this number, in the order of sets; outdated ones are dropped when met.
    holders: FxHashMap<Class, SmallVec<[YulName; 2]>>,
    returns: FxHashSet<YulName>,
}

impl Eliminator<'_> {
    fn holder(&mut self, flow: &Flow<'_>, class: Class) -> Option<YulName> {
        let holders = self.holders.get_mut(&class)?;
        holders.retain(|name| flow.is_in_scope(*name) && flow.class_of_value(*name) == Some(class));
        let is_zero_return = |name: &YulName| self.returns.contains(name) && flow.is_zero(*name);
        holders.iter().copied().find(|name| !is_zero_return(name))
    }
}

impl Hooks for Eliminator<'_> {
    const NUMBERS_EXPRESSIONS: bool = true;

    fn keeps(&self, value: &Expression) -> bool {
        !matches!(value, Expression::Call(_))
    }

    fn numbers_forgotten(&mut self) {
        empty(&mut self.holders);
    }

    fn expression(&mut self, flow: &mut Flow<'_>, expression: &mut Expression, class: Class) -> Class {
        let place = Place::of(expression);
        let replacement = match expression {
            Expression::Identifier(identifier) => match flow.value_of(identifier.name) {
                Some(Expression::Identifier(value)) if flow.is_in_scope(value.name) => Some(value.name),
                _ => None,
            },
            Expression::Literal(_) | Expression::Call(_) => self.holder(flow, class),
        };
        let Some(name) = replacement else {
            return class;
        };
        *expression = variable(name, place);
        flow.class(self, expression)
    }

    fn assigned(&mut self, name: YulName, class: Class) {
        let holders = self.holders.entry(class).or_default();
        let at = if holders.is_empty() {
            0
        } else {
            let order = |name: YulName| set_order(self.names.text(name));
            let own = order(name);
            holders.partition_point(|holder| order(*holder) < own)
        };
        holders.insert(at, name);
    }

    fn enter_function(&mut self, function: &FunctionDefinition) {
        self.returns = function.returns.iter().map(|variable| variable.name).collect();
    }
}
