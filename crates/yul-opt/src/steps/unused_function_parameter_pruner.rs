//! UnusedFunctionParameterPruner: removes parameters and return variables that the function does not
//! use.
//!
//! ```text
//! function f(a, b) -> x, y { x := a … }
//!     →   function f(a) -> x { x := a … }   function f_1(a_2, b_3) -> x_4, y_5 { x_4 := f(a_2) }
//! ```
//! Calls go to the new function, which the FullInliner inlines. Functions of at most one
//! statement with one operation stay as they are, so that these new functions are not taken apart again. Needs unique names and
//! hoisted functions; best after the LiteralRematerialiser. Linear.

use cairn_yul::{
    Assignment, Block, Callee, Expression, FunctionDefinition, Identifier, Identifiers, Statement, YulName,
};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place};
use crate::tools::metrics::code_size;
use crate::tools::name_collector::count_references;
use crate::tools::walk::{VisitorMut, rewrite_statements, walk_expression_mut};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "UnusedFunctionParameterPruner",
    letter: Some('p'),
    summary: "remove unused parameters",
    needs: Form::UNIQUE_NAMES.union(Form::HOISTED),
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let n_references = count_references(code, cx.names.len());
    let mut linking = Linking { names: vec![None; cx.names.len()], n_names: 0 };
    for statement in &code.statements {
        if let Statement::Function(function) = statement
            && is_prunable(function, &n_references)
        {
            let name = cx.new_name_like(function.name.name);
            linking.names[function.name.name.0 as usize] = Some(name);
            linking.n_names += 1;
        }
    }
    if linking.n_names == 0 {
        return;
    }
    Redirect { linking: &linking }.block(code);
    rewrite_statements(code, |mut statement, new| {
        let link = match &mut statement {
            Statement::Function(function) => linking
                .of(function.name.name)
                .map(|name| Box::new(link_function(cx, function, name, &n_references))),
            _ => None,
        };
        new.push(statement);
        new.extend(link.map(Statement::Function));
    });
}

/// The functions that take all variables of others.
struct Linking {
    /// By the name of the other.
    names: Vec<Option<YulName>>,
    n_names: usize,
}

impl Linking {
    fn of(&self, function: YulName) -> Option<YulName> {
        self.names[function.0 as usize]
    }
}

fn is_used(variable: &Identifier, n_references: &[u32]) -> bool {
    n_references[variable.name.0 as usize] > 0
}

fn is_prunable(function: &FunctionDefinition, n_references: &[u32]) -> bool {
    let mut variables = function.parameters.iter().chain(&function.returns);
    let is_small = function.body.statements.len() <= 1 && code_size(&function.body) <= 1;
    !is_small && variables.any(|variable| !is_used(variable, n_references))
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
    linking: &'a Linking,
}

impl VisitorMut for Redirect<'_> {
    fn expression(&mut self, expression: &mut Expression) {
        if let Expression::Call(call) = expression
            && let Callee::User(name) = &mut call.callee
            && let Some(link) = self.linking.of(*name)
        {
            *name = link;
        }
        walk_expression_mut(self, expression);
    }
}
