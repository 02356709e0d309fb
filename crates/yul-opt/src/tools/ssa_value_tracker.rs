//! Variables that have one value for as long as they exist.

use cairn_evm::Word;
use cairn_yul::{Block, Expression, FunctionDefinition, Identifier, Statement, YulName};
use rustc_hash::FxHashMap;

use super::knowledge_base::{self, Place};
use super::walk::{Visitor, walk_statement};

/// The one value of a variable.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SsaValue<'a> {
    /// Zero, because nothing else was said.
    Zero,
    /// The value of a declaration.
    Expression(&'a Expression),
    /// It has no single known value.
    Unknown,
}

/// The variables of a program and their values. Parameters are not in it.
#[derive(Debug, Default)]
pub(crate) struct SsaValues<'a> {
    values: FxHashMap<YulName, SsaValue<'a>>,
}

impl<'a> SsaValues<'a> {
    pub(crate) fn new(code: &'a Block) -> Self {
        let mut values = SsaValues::default();
        values.collect(code);
        let mut assigned = Assigned { values: &mut values.values };
        assigned.block(code);
        values
    }

    fn collect(&mut self, code: &'a Block) {
        let mut pending = vec![code];
        while let Some(block) = pending.pop() {
            for statement in &block.statements {
                match statement {
                    Statement::Let(declaration) => {
                        let value = match (&declaration.value, declaration.variables.len()) {
                            (None, _) => SsaValue::Zero,
                            (Some(value), 1) => SsaValue::Expression(value),
                            (Some(_), _) => SsaValue::Unknown,
                        };
                        declaration.variables.iter().for_each(|variable| self.declare(variable.name, value));
                    }
                    Statement::Function(function) => {
                        let returns = function.returns.iter();
                        returns.for_each(|variable| self.declare(variable.name, SsaValue::Zero));
                        pending.push(&function.body);
                    }
                    Statement::If(branch) => pending.push(&branch.body),
                    Statement::Switch(switch) => pending.extend(switch.cases.iter().map(|case| &case.body)),
                    Statement::For(the_loop) => {
                        pending.extend([&the_loop.init, &the_loop.body, &the_loop.post]);
                    }
                    Statement::Block(block) => pending.push(block),
                    Statement::Expression(..)
                    | Statement::Assign(_)
                    | Statement::Break(..)
                    | Statement::Continue(..)
                    | Statement::Leave(..) => {}
                }
            }
        }
    }

    fn declare(&mut self, name: YulName, value: SsaValue<'a>) {
        if self.values.insert(name, value).is_some() {
            self.values.insert(name, SsaValue::Unknown);
        }
    }

    /// The value of a variable.
    pub(crate) fn get(&self, name: YulName) -> SsaValue<'a> {
        self.values.get(&name).copied().unwrap_or(SsaValue::Unknown)
    }

    /// True for variables whose value is known to be a constant.
    pub(crate) fn is_constant(&self, name: YulName) -> bool {
        match self.get(name) {
            SsaValue::Zero | SsaValue::Expression(Expression::Literal(_)) => true,
            SsaValue::Expression(Expression::Identifier(_) | Expression::Call(_)) | SsaValue::Unknown => {
                false
            }
        }
    }
}

struct Assigned<'v, 'a> {
    values: &'v mut FxHashMap<YulName, SsaValue<'a>>,
}

impl Visitor for Assigned<'_, '_> {
    fn expression(&mut self, _expression: &Expression) {}

    fn target(&mut self, target: &Identifier) {
        self.values.insert(target.name, SsaValue::Unknown);
    }
}

/// The variables that are declared in a block and never assigned to, return variables included.
pub(crate) fn ssa_variables(code: &Block, n_names: usize) -> Vec<bool> {
    struct Collect {
        n_definitions: Vec<u8>,
    }
    impl Collect {
        fn define(&mut self, name: YulName) {
            let count = &mut self.n_definitions[name.0 as usize];
            *count = count.saturating_add(1);
        }
    }
    impl Visitor for Collect {
        fn statement(&mut self, statement: &Statement) {
            if let Statement::Let(declaration) = statement {
                declaration.variables.iter().for_each(|variable| self.define(variable.name));
            }
            walk_statement(self, statement);
        }
        fn expression(&mut self, _expression: &Expression) {}
        fn target(&mut self, target: &Identifier) {
            self.define(target.name);
            self.define(target.name);
        }
        fn function(&mut self, function: &FunctionDefinition) {
            function.returns.iter().for_each(|variable| self.define(variable.name));
            self.block(&function.body);
        }
    }
    let mut collect = Collect { n_definitions: vec![0; n_names] };
    collect.block(code);
    collect.n_definitions.into_iter().map(|count| count == 1).collect()
}

/// Bases and distances of variables with one value.
#[derive(Debug)]
pub(crate) struct SsaPlaces<'v, 'a> {
    values: &'v SsaValues<'a>,
    known: FxHashMap<YulName, Place>,
}

impl<'v, 'a> SsaPlaces<'v, 'a> {
    pub(crate) fn new(values: &'v SsaValues<'a>) -> Self {
        SsaPlaces { values, known: FxHashMap::default() }
    }

    /// The place of a variable. What it depends on is found first, without recursion.
    pub(crate) fn of(&mut self, name: YulName) -> Place {
        let mut pending = vec![(name, false)];
        while let Some((variable, is_ready)) = pending.pop() {
            if self.known.contains_key(&variable) {
                continue;
            }
            let SsaValue::Expression(value) = self.values.get(variable) else {
                let place = match self.values.get(variable) {
                    SsaValue::Zero => Place::constant(Word::ZERO),
                    SsaValue::Expression(_) | SsaValue::Unknown => Place::of_variable(variable, 0),
                };
                self.known.insert(variable, place);
                continue;
            };
            if is_ready {
                let known = &self.known;
                let operand = |name| known.get(&name).copied().unwrap_or(Place::of_variable(name, 0));
                let place = knowledge_base::place_of(value, &operand);
                self.known.insert(variable, place.unwrap_or(Place::of_variable(variable, 0)));
                continue;
            }
            pending.push((variable, true));
            super::name_collector::for_each_reference_in(value, &mut |operand| {
                pending.push((operand, false))
            });
        }
        self.known.get(&name).copied().unwrap_or(Place::of_variable(name, 0))
    }
}
