//! Rewrites code so that given variables live in memory.
//!
//! * A read becomes `mload`, an assignment of one variable `mstore`; a parameter is stored at the
//!   start of its function, a return variable is zeroed there.
//! * An assignment of several variables goes through new variables: first memory, then the others,
//!   each from right to left.
//! * A function with one return variable in memory calls a new function with its body and returns
//!   the slot; of several return variables, those in memory are not returned but read by the caller.

use cairn_evm::{Opcode, Word};
use cairn_yul::{
    Arguments, Block, Callee, Expression, FunctionDefinition, Identifier, Identifiers, Statement, YulName,
};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::context::StepContext;
use crate::tools::builder::{self, Place, hexadecimal, number_literal, place_of};
use crate::tools::walk::{Visitor, child_blocks_mut, rewrite_statements};

/// Puts the variables at these addresses.
pub(super) fn move_to_memory(
    cx: &mut StepContext<'_>,
    code: &mut Block,
    addresses: FxHashMap<YulName, Word>,
) {
    let mut returns = Returns(FxHashMap::default());
    returns.block(code);
    let mut mover = Mover { cx, addresses, returns: returns.0 };
    mover.block(code);
}

/// Return variables of functions with several.
struct Returns(FxHashMap<YulName, Vec<YulName>>);

impl Visitor for Returns {
    fn expression(&mut self, _expression: &Expression) {}

    fn function(&mut self, function: &FunctionDefinition) {
        if function.returns.len() > 1 {
            let names = function.returns.iter().map(|variable| variable.name).collect();
            self.0.insert(function.name.name, names);
        }
        self.block(&function.body);
    }
}

struct Mover<'a, 'c> {
    cx: &'a mut StepContext<'c>,
    addresses: FxHashMap<YulName, Word>,
    returns: FxHashMap<YulName, Vec<YulName>>,
}

/// An address as the step writes it.
pub(super) fn address_literal(address: Word, place: Place) -> Expression {
    let mut literal = number_literal(address, place);
    literal.text = Some(hexadecimal(address, 1).into_bytes().into());
    Expression::Literal(Box::new(literal))
}

fn load(address: Word, place: Place) -> Expression {
    builder::call(Opcode::MLOAD, smallvec![address_literal(address, place)], place)
}

fn store(address: Word, value: Expression, place: Place) -> Statement {
    builder::effect(Opcode::MSTORE, smallvec![address_literal(address, place), value], place)
}

/// Where values are assigned.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    New,
    Old,
}

impl Mover<'_, '_> {
    fn address(&self, name: YulName) -> Option<Word> {
        self.addresses.get(&name).copied()
    }

    fn block(&mut self, block: &mut Block) {
        rewrite_statements(block, |mut statement, new| {
            self.expressions(&mut statement);
            child_blocks_mut(&mut statement, &mut |child| self.block(child));
            let place = place_of(&statement);
            match statement {
                Statement::Let(declaration) => {
                    self.assign(declaration.variables, declaration.value, Target::New, place, new);
                }
                Statement::Assign(assignment) => {
                    self.assign(assignment.targets, Some(assignment.value), Target::Old, place, new);
                }
                Statement::Function(function) => self.function(function, new),
                other => new.push(other),
            }
        });
    }

    /// Reads in the expressions of a statement itself.
    fn expressions(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Expression(expression, ..) => self.expression(expression),
            Statement::Let(declaration) => {
                declaration.value.iter_mut().for_each(|value| self.expression(value))
            }
            Statement::Assign(assignment) => self.expression(&mut assignment.value),
            Statement::If(branch) => self.expression(&mut branch.condition),
            Statement::Switch(switch) => self.expression(&mut switch.expression),
            Statement::For(the_loop) => self.expression(&mut the_loop.condition),
            Statement::Function(_)
            | Statement::Break(..)
            | Statement::Continue(..)
            | Statement::Leave(..)
            | Statement::Block(_) => {}
        }
    }

    fn expression(&mut self, expression: &mut Expression) {
        match expression {
            Expression::Literal(_) => {}
            Expression::Identifier(identifier) => {
                if let Some(address) = self.address(identifier.name) {
                    *expression = load(address, Place::of(expression));
                }
            }
            Expression::Call(call) => call.args.iter_mut().for_each(|argument| self.expression(argument)),
        }
    }

    fn assign(
        &mut self,
        variables: Identifiers,
        value: Option<Expression>,
        target: Target,
        place: Place,
        new: &mut Vec<Statement>,
    ) {
        let sources = self.sources(value.as_ref(), variables.len());
        let is_moved = variables.iter().any(|variable| self.address(variable.name).is_some());
        let has_memory_source = sources.iter().any(Option::is_some);
        if !is_moved && !has_memory_source {
            new.push(statement(variables, value, target, place));
            return;
        }
        if let ([variable], false) = (variables.as_slice(), has_memory_source) {
            let address = self.address(variable.name).expect("invariant: the only variable is moved");
            let value = value.unwrap_or_else(|| builder::number(Word::ZERO, place));
            new.push(store(address, value, place));
            return;
        }
        self.assign_several(variables, value, &sources, target, place, new);
    }

    /// For each result of a call, the address if it is left in memory.
    fn sources(&self, value: Option<&Expression>, n: usize) -> Vec<Option<Word>> {
        let Some(Expression::Call(call)) = value else {
            return vec![None; n];
        };
        let Callee::User(name) = call.callee else {
            return vec![None; n];
        };
        let Some(returns) = self.returns.get(&name) else {
            return vec![None; n];
        };
        returns.iter().map(|name| self.address(*name)).collect()
    }

    fn assign_several(
        &mut self,
        variables: Identifiers,
        value: Option<Expression>,
        sources: &[Option<Word>],
        target: Target,
        place: Place,
        new: &mut Vec<Statement>,
    ) {
        let mut temporaries = Identifiers::new();
        let mut values = Vec::new();
        for (variable, source) in variables.iter().zip(sources) {
            values.push(match source {
                Some(address) => load(*address, place),
                None => {
                    let name = self.cx.new_name_like(variable.name);
                    temporaries.push(builder::identifier(name, place));
                    builder::variable(name, place)
                }
            });
        }
        match (value, temporaries.is_empty()) {
            (Some(value), true) => new.push(Statement::Expression(value, place.span, place.src)),
            (value, _) => new.push(builder::declare_all(temporaries, value, place)),
        }
        let pairs: Vec<(Identifier, Expression)> = variables.into_iter().zip(values).rev().collect();
        let mut others = Vec::new();
        for (variable, value) in pairs {
            match self.address(variable.name) {
                Some(address) => new.push(store(address, value, place)),
                None => others.push(statement(smallvec![variable], Some(value), target, place)),
            }
        }
        new.append(&mut others);
    }

    fn function(&mut self, mut function: Box<FunctionDefinition>, new: &mut Vec<Statement>) {
        let place = Place { span: function.span, src: function.src };
        let mut starts: Vec<Statement> = Vec::new();
        for parameter in &function.parameters {
            if let Some(address) = self.address(parameter.name) {
                starts.push(store(address, builder::variable(parameter.name, place), place));
            }
        }
        for variable in &function.returns {
            if let Some(address) = self.address(variable.name) {
                starts.push(store(address, builder::number(Word::ZERO, place), place));
            }
        }
        let single = match function.returns.as_slice() {
            [variable] => self.address(variable.name).map(|address| (variable.name, address)),
            _ => None,
        };
        if let Some((name, address)) = single {
            let inner = self.split(&mut function, starts, (name, address), place);
            new.push(Statement::Function(function));
            new.push(Statement::Function(Box::new(inner)));
            return;
        }
        function.returns.retain(|variable| !self.addresses.contains_key(&variable.name));
        starts.append(&mut function.body.statements);
        function.body.statements = starts;
        new.push(Statement::Function(function));
    }

    /// Takes the body out of a function whose one result lies in memory.
    fn split(
        &mut self,
        function: &mut FunctionDefinition,
        mut starts: Vec<Statement>,
        (result, address): (YulName, Word),
        place: Place,
    ) -> FunctionDefinition {
        let name = self.cx.new_name_like(function.name.name);
        let body = std::mem::take(&mut function.body);
        let is_kept = |parameter: &Identifier| !self.addresses.contains_key(&parameter.name);
        let parameters: Vec<Identifier> =
            function.parameters.iter().filter(|parameter| is_kept(parameter)).copied().collect();
        let mut args = Arguments::new();
        for parameter in &mut function.parameters {
            if self.addresses.contains_key(&parameter.name) {
                continue;
            }
            parameter.name = self.cx.new_name_like(parameter.name);
            args.push(builder::variable(parameter.name, place));
        }
        let call = builder::call_of(Callee::User(name), args, place);
        starts.push(Statement::Expression(call, place.span, place.src));
        starts.push(builder::assign(result, load(address, place), place));
        function.body = builder::block(starts, place);
        FunctionDefinition {
            name: builder::identifier(name, place),
            parameters,
            returns: Vec::new(),
            body,
            span: place.span,
            src: place.src,
        }
    }
}

fn statement(variables: Identifiers, value: Option<Expression>, target: Target, place: Place) -> Statement {
    match (target, value) {
        (Target::Old, Some(value)) => Statement::Assign(cairn_yul::Assignment {
            targets: variables,
            value,
            span: place.span,
            src: place.src,
        }),
        (Target::New | Target::Old, value) => builder::declare_all(variables, value, place),
    }
}
