//! FunctionSpecializer: copies functions for calls with literals as arguments.
//!
//! ```text
//! f(x, 5) function f(a, b) { sstore(a, b) }
//!     →   f_1(x) function f_1(a_3) { let b_2 := 5 sstore(a_3, b_2) } function f(a, b) { … }
//! ```
//! Recursive functions stay. Needs unique names and hoisted functions; best after the
//! LiteralRematerialiser. Linear in the size of the result.

use cairn_yul::{Arguments, Block, Callee, Expression, FunctionDefinition, Identifier, Statement, YulName};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::context::StepContext;
use crate::tools::builder::{self, Place};
use crate::tools::call_graph::CallGraph;
use crate::tools::substitution::Renaming;
use crate::tools::walk::{VisitorMut, rewrite_statements, walk_expression_mut};

pub(crate) fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let functions = code.statements.iter().filter_map(|statement| match statement {
        Statement::Function(function) => Some(function.name.name),
        _ => None,
    });
    let functions: FxHashSet<YulName> = functions.collect();
    if functions.is_empty() {
        return;
    }
    let recursive = CallGraph::recursive(code);
    let mut calls = Calls { cx, functions, recursive, versions: FxHashMap::default() };
    calls.block(code);
    let versions = calls.versions;
    if versions.is_empty() {
        return;
    }
    rewrite_statements(code, |statement, new| {
        if let Statement::Function(function) = &statement
            && let Some(versions) = versions.get(&function.name.name)
        {
            for version in versions {
                new.push(Statement::Function(Box::new(specialize(cx, function, version))));
            }
        }
        new.push(statement);
    });
}

/// A copy of a function that is to be made.
struct Version {
    name: YulName,
    /// The literal for each parameter that has one.
    arguments: Vec<Option<Expression>>,
}

struct Calls<'a, 'c> {
    cx: &'a mut StepContext<'c>,
    functions: FxHashSet<YulName>,
    recursive: FxHashSet<YulName>,
    versions: FxHashMap<YulName, Vec<Version>>,
}

impl VisitorMut for Calls<'_, '_> {
    fn expression(&mut self, expression: &mut Expression) {
        walk_expression_mut(self, expression);
        let Expression::Call(call) = expression else {
            return;
        };
        let Callee::User(function) = call.callee else {
            return;
        };
        let is_literal = |argument: &Expression| matches!(argument, Expression::Literal(_));
        let is_fit = self.functions.contains(&function) && !self.recursive.contains(&function);
        if !is_fit || !call.args.iter().any(is_literal) {
            return;
        }
        let name = self.cx.new_name_like(function);
        let (mut arguments, mut others) = (Vec::new(), Arguments::new());
        for argument in std::mem::take(&mut call.args) {
            if is_literal(&argument) {
                arguments.push(Some(argument));
            } else {
                arguments.push(None);
                others.push(argument);
            }
        }
        call.args = others;
        call.callee = Callee::User(name);
        self.versions.entry(function).or_default().push(Version { name, arguments });
    }
}

fn specialize(
    cx: &mut StepContext<'_>,
    function: &FunctionDefinition,
    version: &Version,
) -> FunctionDefinition {
    let place = Place { span: function.span, src: function.src };
    let mut variables = FxHashMap::default();
    let (mut parameters, mut declarations) = (Vec::new(), Vec::new());
    for (parameter, argument) in function.parameters.iter().zip(&version.arguments).rev() {
        let name = cx.new_name_like(parameter.name);
        variables.insert(parameter.name, name);
        match argument {
            Some(value) => declarations.push(builder::declare(name, Some(value.clone()), place)),
            None => parameters.push(builder::identifier(name, place)),
        }
    }
    parameters.reverse();
    declarations.reverse();
    let mut returns: Vec<Identifier> = Vec::new();
    for variable in &function.returns {
        let name = cx.new_name_like(variable.name);
        variables.insert(variable.name, name);
        returns.push(builder::identifier(name, place));
    }
    let mut body = function.body.clone();
    Renaming { variables, new_name: &mut |name| cx.new_name_like(name) }.block(&mut body);
    declarations.append(&mut body.statements);
    body.statements = declarations;
    FunctionDefinition {
        name: builder::identifier(version.name, place),
        parameters,
        returns,
        body,
        span: place.span,
        src: place.src,
    }
}
