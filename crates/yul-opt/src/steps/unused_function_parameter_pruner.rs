//! UnusedFunctionParameterPruner: removes parameters and return variables that the function does not
//! use.
//!
//! ```text
//! function f(a, b) -> x, y { x := a … }
//!     →   function f(a) -> x { x := a … }   function f_1(a_2, b_3) -> x_4, y_5 { x_4 := f(a_2) }
//! ```
//! Calls go to the new function, which the FullInliner inlines. Functions of one statement or none
//! stay as they are, so that these new functions are not taken apart again. Needs unique names and
//! hoisted functions; best after the LiteralRematerialiser. Linear.

use cairn_yul::{
    Assignment, Block, Callee, Expression, FunctionDefinition, Identifier, Identifiers, Statement, YulName,
};
use rustc_hash::FxHashMap;

use crate::context::StepContext;
use crate::tools::builder::{self, Place};
use crate::tools::name_collector::count_references;
use crate::tools::walk::{VisitorMut, rewrite_statements, walk_expression_mut};

pub(crate) fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let n_references = count_references(code, cx.names.len());
    let mut linking: FxHashMap<YulName, YulName> = FxHashMap::default();
    for statement in &code.statements {
        if let Statement::Function(function) = statement
            && is_prunable(function, &n_references)
        {
            let name = cx.new_name_like(function.name.name);
            linking.insert(function.name.name, name);
        }
    }
    if linking.is_empty() {
        return;
    }
    Redirect { linking: &linking }.block(code);
    rewrite_statements(code, |statement, new| match statement {
        Statement::Function(mut function) if linking.contains_key(&function.name.name) => {
            let name = linking[&function.name.name];
            let link = link_function(cx, &mut function, name, &n_references);
            new.push(Statement::Function(function));
            new.push(Statement::Function(Box::new(link)));
        }
        other => new.push(other),
    });
}

fn is_used(variable: &Identifier, n_references: &[u32]) -> bool {
    n_references[variable.name.0 as usize] > 0
}

fn is_prunable(function: &FunctionDefinition, n_references: &[u32]) -> bool {
    let mut variables = function.parameters.iter().chain(&function.returns);
    function.body.statements.len() > 1 && variables.any(|variable| !is_used(variable, n_references))
}

/// Removes unused variables from a function, and makes the function that takes all of them.
fn link_function(
    cx: &mut StepContext<'_>,
    function: &mut FunctionDefinition,
    name: YulName,
    n_references: &[u32],
) -> FunctionDefinition {
    let place = Place { span: function.span, src: function.src };
    let mut rename = |variables: &[Identifier]| -> Vec<Identifier> {
        variables.iter().map(|variable| builder::identifier(cx.new_name_like(variable.name), place)).collect()
    };
    let parameters = rename(&function.parameters);
    let returns = rename(&function.returns);
    let used = |old: &[Identifier], renamed: &[Identifier]| -> Vec<Identifier> {
        let pairs = old.iter().zip(renamed);
        pairs.filter(|(old, _)| is_used(old, n_references)).map(|(_, renamed)| *renamed).collect()
    };
    let args = used(&function.parameters, &parameters);
    let args = args.into_iter().map(Expression::Identifier).collect();
    let targets = Identifiers::from_vec(used(&function.returns, &returns));
    function.parameters.retain(|variable| is_used(variable, n_references));
    function.returns.retain(|variable| is_used(variable, n_references));
    let value = builder::call_of(Callee::User(function.name.name), args, place);
    let statement = if targets.is_empty() {
        Statement::Expression(value, place.span, place.src)
    } else {
        Statement::Assign(Assignment { targets, value, span: place.span, src: place.src })
    };
    FunctionDefinition {
        name: builder::identifier(name, place),
        parameters,
        returns,
        body: builder::block(vec![statement], place),
        span: place.span,
        src: place.src,
    }
}

struct Redirect<'a> {
    linking: &'a FxHashMap<YulName, YulName>,
}

impl VisitorMut for Redirect<'_> {
    fn expression(&mut self, expression: &mut Expression) {
        if let Expression::Call(call) = expression
            && let Callee::User(name) = &mut call.callee
            && let Some(link) = self.linking.get(name)
        {
            *name = *link;
        }
        walk_expression_mut(self, expression);
    }
}
