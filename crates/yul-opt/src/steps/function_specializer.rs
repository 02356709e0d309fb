//! FunctionSpecializer: copies functions for calls with literals as arguments.
//!
//! ```text
//! f(x, 5) function f(a, b) { sstore(a, b) }
//!     →   f_1(x) function f_1(a_3) { let b_2 := 5 sstore(a_3, b_2) } function f(a, b) { … }
//! ```
//! Recursive functions stay. Needs unique names and hoisted functions; best after the
//! LiteralRematerialiser. Linear in the size of the result.

use cairn_yul::{Arguments, Block, Callee, Expression, FunctionDefinition, Identifier, Statement, YulName};
use rustc_hash::FxHashMap;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place};
use crate::tools::call_graph::CallGraph;
use crate::tools::substitution::Renaming;
use crate::tools::walk::{VisitorMut, rewrite_statements, walk_expression_mut};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "FunctionSpecializer",
    letter: Some('F'),
    summary: "copy functions for literal arguments",
    needs: Form::UNIQUE_NAMES.union(Form::HOISTED),
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let recursive = CallGraph::recursive(code);
    let mut versions = Versions { numbers: vec![0; cx.names.len()], of_function: Vec::new() };
    for statement in &code.statements {
        if let Statement::Function(function) = statement
            && !recursive.contains(&function.name.name)
        {
            versions.of_function.push(Vec::new());
            versions.numbers[function.name.name.0 as usize] = versions.of_function.len() as u32;
        }
    }
    if versions.of_function.is_empty() {
        return;
    }
    let mut calls = Calls { cx, versions, n_versions: 0 };
    calls.block(code);
    let mut versions = calls.versions;
    if calls.n_versions == 0 {
        return;
    }
    rewrite_statements(code, |statement, new| {
        if let Statement::Function(function) = &statement
            && let Some(versions) = versions.of(function.name.name)
        {
            for version in versions {
                new.push(Statement::Function(Box::new(specialize(cx, function, version))));
            }
        }
        new.push(statement);
    });
}

/// The copies of each function that is not recursive.
struct Versions {
    /// By name, from 1; zero for what is no such function.
    numbers: Vec<u32>,
    of_function: Vec<Vec<Version>>,
}

impl Versions {
    fn of(&mut self, function: YulName) -> Option<&mut Vec<Version>> {
        let index = (self.numbers[function.0 as usize] as usize).checked_sub(1)?;
        Some(&mut self.of_function[index])
    }
}

/// A copy of a function that is to be made.
struct Version {
    name: YulName,
    /// The literal for each parameter that has one.
    arguments: Vec<Option<Expression>>,
}

struct Calls<'a, 'c> {
    cx: &'a mut StepContext<'c>,
    versions: Versions,
    n_versions: usize,
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
        if !call.args.iter().any(is_literal) {
            return;
        }
        let Some(versions) = self.versions.of(function) else {
            return;
        };
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
        versions.push(Version { name, arguments });
        self.n_versions += 1;
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
