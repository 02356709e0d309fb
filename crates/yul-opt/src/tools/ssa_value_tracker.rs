//! Variables that have one value for as long as they exist.

use cairn_evm::Word;
use cairn_yul::{Block, Expression, FunctionDefinition, Identifier, Statement, YulName};

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
    /// By name; `None` for what is not declared.
    values: Vec<Option<SsaValue<'a>>>,
}

impl<'a> SsaValues<'a> {
    pub(crate) fn new(code: &'a Block, n_names: usize) -> Self {
        let mut values = SsaValues { values: vec![None; n_names] };
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
        let slot = &mut self.values[name.0 as usize];
        *slot = Some(if slot.is_some() { SsaValue::Unknown } else { value });
    }

    /// The value of a variable.
    pub(crate) fn get(&self, name: YulName) -> SsaValue<'a> {
        self.values[name.0 as usize].unwrap_or(SsaValue::Unknown)
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
    values: &'v mut [Option<SsaValue<'a>>],
}

impl Visitor for Assigned<'_, '_> {
    fn expression(&mut self, _expression: &Expression) {}

    fn target(&mut self, target: &Identifier) {
        self.values[target.name.0 as usize] = Some(SsaValue::Unknown);
    }
}

/// The variables that are never assigned to, return variables included. Parameters and those that one
/// call gives together do not count, as in solc before 0.8.34.
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
                if declaration.value.is_some() && declaration.variables.len() > 1 {
                    declaration.variables.iter().for_each(|variable| self.define(variable.name));
                }
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

/// Bases and distances of variables with one value. A base is never assigned to where another will do:
/// what a variable had when it was read stays, whatever it is assigned later.
#[derive(Debug)]
pub(crate) struct SsaPlaces<'v, 'a> {
    values: &'v SsaValues<'a>,
    /// By name.
    is_assigned: &'v [bool],
    /// By name: one more than the position among the known places.
    known: Vec<u32>,
    places: Vec<Place>,
    pending: Vec<(YulName, bool)>,
}

impl<'v, 'a> SsaPlaces<'v, 'a> {
    /// `is_assigned` says of each name whether anything assigns to it.
    pub(crate) fn new(values: &'v SsaValues<'a>, is_assigned: &'v [bool]) -> Self {
        let known = vec![0; values.values.len()];
        SsaPlaces { values, is_assigned, known, places: Vec::new(), pending: Vec::new() }
    }

    fn known(&self, name: YulName) -> Option<Place> {
        let position = (self.known[name.0 as usize] as usize).checked_sub(1)?;
        Some(self.places[position])
    }

    fn learn(&mut self, name: YulName, place: Place) {
        self.places.push(place);
        self.known[name.0 as usize] = self.places.len() as u32;
    }

    /// The place of a variable. What it depends on is found first, without recursion.
    pub(crate) fn of(&mut self, name: YulName) -> Place {
        if let Some(place) = self.known(name) {
            return place;
        }
        self.pending.push((name, false));
        while let Some((variable, is_ready)) = self.pending.pop() {
            if self.known(variable).is_some() {
                continue;
            }
            match self.values.get(variable) {
                SsaValue::Zero => self.learn(variable, Place::constant(Word::ZERO)),
                SsaValue::Unknown => self.learn(variable, Place::of_variable(variable, 0)),
                SsaValue::Expression(value) if is_ready => {
                    let operand = |name| self.known(name).unwrap_or(Place::of_variable(name, 0));
                    let place = knowledge_base::place_of(value, &operand);
                    let is_fixed =
                        |place: &Place| place.base.is_none_or(|(base, _)| !self.is_assigned[base.0 as usize]);
                    let itself = Place::of_variable(variable, 0);
                    self.learn(variable, place.filter(is_fixed).unwrap_or(itself));
                }
                SsaValue::Expression(value) => {
                    self.pending.push((variable, true));
                    super::name_collector::for_each_reference_in(value, &mut |operand| {
                        self.pending.push((operand, false));
                    });
                }
            }
        }
        self.known(name).unwrap_or(Place::of_variable(name, 0))
    }
}
