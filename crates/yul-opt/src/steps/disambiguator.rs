//! Disambiguator: gives every variable and function a name of its own.
//!
//! ```text
//! { { let a } { let a } }   →   { { let a } { let a_1 } }
//! ```
//! A name is kept where it is met first (used or declared); later bindings get a number. Needs
//! nothing; all other steps rely on it. Linear.

use cairn_yul::{
    Block, Callee, Dialect, Expression, FunctionDefinition, Identifier, NameTable, Statement, YulName,
};

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::dispenser::Dispenser;
use crate::tools::name_collector::for_each_declaration;
use rustc_hash::FxHashSet;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "Disambiguator",
    letter: None,
    summary: "give everything a name of its own",
    needs: Form::empty(),
    preserves: Form::all(),
    gives: Form::UNIQUE_NAMES,
    run: Run::Plain(run),
};

/// The same as a step of a sequence.
fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    disambiguate(code, cx.names, &cx.dialect, &cx.reserved);
    cx.dispenser = Dispenser::new(code, &cx.reserved, cx.names);
}

/// Renames in `code`; `reserved` names are never used.
pub(crate) fn disambiguate(code: &mut Block, names: &mut NameTable, dialect: &Dialect, reserved: &[YulName]) {
    let mut dispenser = Dispenser::default();
    reserved.iter().for_each(|name| dispenser.mark(*name));
    let mut disambiguator =
        Disambiguator { names, dialect, dispenser, bindings: Vec::new(), bound: Vec::new() };
    disambiguator.block(code);
}

/// The first name that is declared a second time, anywhere in the code.
pub(crate) fn first_repeated(code: &Block) -> Option<YulName> {
    let (mut seen, mut repeated) = (FxHashSet::default(), None);
    for_each_declaration(code, &mut |name| {
        if !seen.insert(name) && repeated.is_none() {
            repeated = Some(name);
        }
    });
    repeated
}

/// What a name is bound to in the open scopes.
#[derive(Clone, Copy, Debug)]
enum Binding {
    /// Declared, not met yet.
    Pending,
    Renamed(YulName),
}

struct Disambiguator<'a> {
    names: &'a mut NameTable,
    dialect: &'a Dialect,
    dispenser: Dispenser,
    /// By name.
    bindings: Vec<Option<Binding>>,
    /// Bindings to be taken back at the ends of scopes, with what they hid.
    bound: Vec<(YulName, Option<Binding>)>,
}

impl Disambiguator<'_> {
    fn binding_mut(&mut self, name: YulName) -> &mut Option<Binding> {
        let index = name.0 as usize;
        if index >= self.bindings.len() {
            self.bindings.resize(index + 1, None);
        }
        &mut self.bindings[index]
    }

    fn bind(&mut self, name: YulName) {
        let hidden = self.binding_mut(name).replace(Binding::Pending);
        self.bound.push((name, hidden));
    }

    fn rename(&mut self, name: &mut YulName) {
        let renamed = match *self.binding_mut(*name) {
            Some(Binding::Renamed(renamed)) => renamed,
            Some(Binding::Pending) => {
                let renamed = self.dispenser.new_name_like(*name, self.names, self.dialect);
                *self.binding_mut(*name) = Some(Binding::Renamed(renamed));
                renamed
            }
            None => return,
        };
        *name = renamed;
    }

    fn declare(&mut self, variables: &mut [Identifier]) {
        for variable in variables {
            self.bind(variable.name);
            self.rename(&mut variable.name);
        }
    }

    fn leave_scope(&mut self, mark: usize) {
        for (name, hidden) in self.bound.split_off(mark).into_iter().rev() {
            *self.binding_mut(name) = hidden;
        }
    }

    fn block(&mut self, block: &mut Block) {
        let mark = self.bound.len();
        self.statements(block);
        self.leave_scope(mark);
    }

    /// Functions are bound in the whole block, before their definitions too.
    fn statements(&mut self, block: &mut Block) {
        for statement in &block.statements {
            if let Statement::Function(function) = statement {
                self.bind(function.name.name);
            }
        }
        block.statements.iter_mut().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Expression(expression, ..) => self.expression(expression),
            Statement::Let(declaration) => {
                // The value is outside of the scope of the variables, but names are given first.
                let outer: Vec<(YulName, Option<Binding>)> = declaration
                    .variables
                    .iter()
                    .map(|variable| (variable.name, *self.binding_mut(variable.name)))
                    .collect();
                let old: Vec<YulName> = declaration.variables.iter().map(|variable| variable.name).collect();
                self.declare(&mut declaration.variables);
                if let Some(value) = &mut declaration.value {
                    let inner: Vec<Option<Binding>> =
                        old.iter().map(|name| *self.binding_mut(*name)).collect();
                    outer.into_iter().for_each(|(name, binding)| *self.binding_mut(name) = binding);
                    self.expression(value);
                    old.into_iter().zip(inner).for_each(|(name, binding)| *self.binding_mut(name) = binding);
                }
            }
            Statement::Assign(assignment) => {
                assignment.targets.iter_mut().for_each(|target| self.rename(&mut target.name));
                self.expression(&mut assignment.value);
            }
            Statement::If(branch) => {
                self.expression(&mut branch.condition);
                self.block(&mut branch.body);
            }
            Statement::Switch(switch) => {
                self.expression(&mut switch.expression);
                switch.cases.iter_mut().for_each(|case| self.block(&mut case.body));
            }
            Statement::For(the_loop) => {
                let mark = self.bound.len();
                self.statements(&mut the_loop.init);
                self.expression(&mut the_loop.condition);
                self.block(&mut the_loop.post);
                self.block(&mut the_loop.body);
                self.leave_scope(mark);
            }
            Statement::Function(function) => self.function(function),
            Statement::Break(..) | Statement::Continue(..) | Statement::Leave(..) => {}
            Statement::Block(block) => self.block(block),
        }
    }

    fn function(&mut self, function: &mut FunctionDefinition) {
        self.rename(&mut function.name.name);
        let mark = self.bound.len();
        self.declare(&mut function.parameters);
        self.declare(&mut function.returns);
        self.block(&mut function.body);
        self.leave_scope(mark);
    }

    fn expression(&mut self, expression: &mut Expression) {
        match expression {
            Expression::Literal(_) => {}
            Expression::Identifier(identifier) => self.rename(&mut identifier.name),
            Expression::Call(call) => {
                if let Callee::User(name) = &mut call.callee {
                    self.rename(name);
                }
                call.args.iter_mut().for_each(|argument| self.expression(argument));
            }
        }
    }
}
