//! Names in trees: declared, assigned, referenced.

use cairn_yul::{Block, Callee, Expression, FunctionDefinition, Identifier, Statement, YulName};

use super::walk::{Visitor, child_blocks, walk_expression, walk_statement};

struct AllNames<'a>(&'a mut dyn FnMut(YulName));

impl Visitor for AllNames<'_> {
    fn statement(&mut self, statement: &Statement) {
        if let Statement::Let(declaration) = statement {
            declaration.variables.iter().for_each(|variable| (self.0)(variable.name));
        }
        walk_statement(self, statement);
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Identifier(identifier) => (self.0)(identifier.name),
            Expression::Call(call) => {
                if let Callee::User(name) = call.callee {
                    (self.0)(name);
                }
            }
            Expression::Literal(_) => {}
        }
        walk_expression(self, expression);
    }

    fn target(&mut self, target: &Identifier) {
        (self.0)(target.name);
    }

    fn function(&mut self, function: &FunctionDefinition) {
        (self.0)(function.name.name);
        function.parameters.iter().chain(&function.returns).for_each(|variable| (self.0)(variable.name));
        self.block(&function.body);
    }
}

/// Every name in a block, declared or used, as often as it stands there.
pub(crate) fn collect_all_names(block: &Block, visit: &mut dyn FnMut(YulName)) {
    AllNames(visit).block(block);
}

struct Declarations<'a>(&'a mut dyn FnMut(YulName));

impl Visitor for Declarations<'_> {
    fn statement(&mut self, statement: &Statement) {
        if let Statement::Let(declaration) = statement {
            declaration.variables.iter().for_each(|variable| (self.0)(variable.name));
        }
        walk_statement(self, statement);
    }

    fn expression(&mut self, _expression: &Expression) {}

    fn function(&mut self, function: &FunctionDefinition) {
        (self.0)(function.name.name);
        function.parameters.iter().chain(&function.returns).for_each(|variable| (self.0)(variable.name));
        self.block(&function.body);
    }
}

/// Each declaration: variables, functions, their parameters and what they return, functions in the block included.
pub(crate) fn for_each_declaration(block: &Block, visit: &mut dyn FnMut(YulName)) {
    Declarations(visit).block(block);
}

struct References<'a>(&'a mut dyn FnMut(YulName));

impl Visitor for References<'_> {
    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Identifier(identifier) => (self.0)(identifier.name),
            Expression::Call(call) => {
                if let Callee::User(name) = call.callee {
                    (self.0)(name);
                }
            }
            Expression::Literal(_) => {}
        }
        walk_expression(self, expression);
    }

    fn target(&mut self, target: &Identifier) {
        (self.0)(target.name);
    }
}

/// Each use of a name: reads of and assignments to variables, calls of functions.
pub(crate) fn for_each_reference(block: &Block, visit: &mut dyn FnMut(YulName)) {
    References(visit).block(block);
}

/// The same for one expression.
pub(crate) fn for_each_reference_in(expression: &Expression, visit: &mut dyn FnMut(YulName)) {
    References(visit).expression(expression);
}

/// How often each name is used, by name.
pub(crate) fn count_references(block: &Block, n_names: usize) -> Vec<u32> {
    let mut counts = vec![0; n_names];
    for_each_reference(block, &mut |name| counts[name.0 as usize] += 1);
    counts
}

struct Assigned<'a>(&'a mut dyn FnMut(YulName));

impl Visitor for Assigned<'_> {
    fn expression(&mut self, _expression: &Expression) {}

    fn target(&mut self, target: &Identifier) {
        (self.0)(target.name);
    }
}

/// Each assignment (declarations do not count), functions in the block included.
pub(crate) fn for_each_assigned(block: &Block, visit: &mut dyn FnMut(YulName)) {
    Assigned(visit).block(block);
}

/// Calls `visit` with the variables that a block declares, outside of functions.
pub(crate) fn for_each_declared(block: &Block, visit: &mut dyn FnMut(YulName)) {
    for statement in &block.statements {
        match statement {
            Statement::Let(declaration) => {
                declaration.variables.iter().for_each(|variable| visit(variable.name))
            }
            Statement::Function(_) => {}
            _ => child_blocks(statement, &mut |child| for_each_declared(child, visit)),
        }
    }
}

/// The names that are assigned to in a block, each once, in order of the text.
pub(crate) fn assigned_names(block: &Block) -> Vec<YulName> {
    let mut names = Vec::new();
    let mut seen = rustc_hash::FxHashSet::default();
    for_each_assigned(block, &mut |name| {
        if seen.insert(name) {
            names.push(name);
        }
    });
    names
}

/// An order of sets of names that does not depend on where names first occur: by a hash of the text
/// (FNV-1, 64 bits). With it the printed results of the published cases agree with solc's.
pub(crate) fn set_order(text: &str) -> u64 {
    const BASIS: u64 = 14_695_981_039_346_656_037;
    const PRIME: u64 = 1_099_511_628_211;
    text.bytes().fold(BASIS, |hash, byte| hash.wrapping_mul(PRIME) ^ u64::from(byte))
}
