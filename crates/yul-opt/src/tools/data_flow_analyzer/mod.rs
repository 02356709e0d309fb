//! Tracks the values of variables, storage and memory through a program while a step changes it.
//!
//! A variable has a *value* as long as a movable expression is known that gives the same word here.
//! Assignments clear the values that mention the assigned variable. Where control flow joins, what
//! was assigned in a branch is unknown, and of storage and memory only what holds on each way stays; of
//! what the cases of a switch write nothing, neither behind it nor in the cases that follow, as in solc.
//!
//! Needs unique names and loops without init statements that declare (see `ForLoopInitRewriter`).
//! Linear: which values mention a variable is indexed, branches share what is known of the state
//! until one of them changes it, and at most [`MAX_KNOWN`](environment::MAX_KNOWN) slots of each kind are known at a time.

mod environment;
mod shapes;
mod slot;

pub(crate) use shapes::simple_store;
pub(crate) use slot::Scratch;

use std::rc::Rc;

use cairn_evm::{Opcode, Word};
use cairn_yul::{
    Assignment, Block, Expression, For, FunctionDefinition, Identifier, Statement, Switch, YulName,
};
use smallvec::SmallVec;

use crate::tools::builder::{self, Place as SourcePlace};
use crate::tools::expressions::{Class, Classes, takes_literal};
use crate::tools::knowledge_base::{self, Place};
use crate::tools::name_collector::{for_each_assigned, for_each_reference_in};
use crate::tools::semantics::Effects;
use environment::{Environment, insert, lookup};
use shapes::{assigned_after_continue, mentions};
use slot::{Held, Slot, Value};

/// What a step does during the walk.
pub(crate) trait Hooks {
    /// Equal expressions have equal numbers. Otherwise every number is the same.
    const NUMBERS_EXPRESSIONS: bool = false;

    /// What lies in storage and memory is followed.
    const FOLLOWS_STATE: bool = false;

    /// False for values that the step never asks for: they are not kept.
    fn keeps(&self, _value: &Expression) -> bool {
        true
    }

    /// May replace an expression; its parts have been visited. The class is that of `expression`;
    /// a changed one must return its own.
    fn expression(&mut self, _flow: &mut Flow<'_>, _expression: &mut Expression, class: Class) -> Class {
        class
    }

    /// True when a statement is to be removed; asked before it is visited.
    fn drops(&mut self, _flow: &mut Flow<'_>, _statement: &Statement) -> bool {
        false
    }

    /// A variable was assigned an expression with this number.
    fn assigned(&mut self, _name: YulName, _class: Class) {}

    /// No number that was given so far is given again.
    fn numbers_forgotten(&mut self) {}

    /// A function is entered.
    fn enter_function(&mut self, _function: &FunctionDefinition) {}
}

/// The state of the walk.
#[derive(Debug)]
pub(crate) struct Flow<'a> {
    pub(crate) effects: &'a Effects,
    classes: Classes,
    slots: &'a mut Vec<Slot>,
    environment: Environment,
    scopes: Vec<Vec<YulName>>,
    function: u32,
    n_functions: u32,
    pub(crate) loop_depth: u32,
    zero: Expression,
}

/// Walks over `code`, which uses the first `n_names` names.
pub(crate) fn analyze(
    code: &mut Block,
    effects: &Effects,
    n_names: usize,
    scratch: &mut Scratch,
    hooks: &mut impl Hooks,
) {
    if scratch.slots.len() < n_names {
        scratch.slots.resize_with(n_names, Slot::default);
    }
    let mut flow = Flow {
        effects,
        classes: Classes::default(),
        slots: &mut scratch.slots,
        environment: Environment::default(),
        scopes: Vec::new(),
        function: 1,
        n_functions: 1,
        loop_depth: 0,
        zero: builder::decimal(Word::ZERO, SourcePlace::default()),
    };
    flow.block(hooks, code);
}

impl Flow<'_> {
    /// The current value of a variable.
    pub(crate) fn value_of(&self, name: YulName) -> Option<&Expression> {
        match &self.slots[name.0 as usize].value.as_ref()?.expression {
            Held::Zero => Some(&self.zero),
            Held::Expression(expression) => Some(expression),
            Held::NotKept => None,
        }
    }

    /// How many loops were open where the variable got its value.
    pub(crate) fn loop_depth_of(&self, name: YulName) -> Option<u32> {
        self.slots[name.0 as usize].value.as_ref().map(|value| value.loop_depth)
    }

    /// The number of the current value.
    pub(crate) fn class_of_value(&self, name: YulName) -> Option<Class> {
        self.slots[name.0 as usize].value.as_ref().map(|value| value.class)
    }

    /// True when the current value is the constant zero.
    pub(crate) fn is_zero(&self, name: YulName) -> bool {
        self.constant_of(name).is_some_and(|value| value.is_zero())
    }

    /// The current value, if it is a literal.
    pub(crate) fn constant_of(&self, name: YulName) -> Option<Word> {
        match self.value_of(name)? {
            Expression::Literal(literal) => Some(literal.value),
            Expression::Identifier(_) | Expression::Call(_) => None,
        }
    }

    /// The value of an expression that is a constant or a variable with a constant value.
    pub(crate) fn constant(&self, expression: &Expression) -> Option<Word> {
        match expression {
            Expression::Literal(literal) => Some(literal.value),
            Expression::Identifier(identifier) => self.constant_of(identifier.name),
            Expression::Call(_) => None,
        }
    }

    pub(crate) fn is_in_scope(&self, name: YulName) -> bool {
        self.slots[name.0 as usize].function == self.function
    }

    /// The number of an expression, for hooks that change one.
    pub(crate) fn class<H: Hooks>(&mut self, _hooks: &H, expression: &Expression) -> Class {
        if H::NUMBERS_EXPRESSIONS { self.classes.of(expression) } else { Class::NONE }
    }

    /// The variable whose value lies in a storage slot.
    pub(crate) fn storage_value(&self, key: YulName) -> Option<YulName> {
        lookup(&self.environment.storage, key)
    }

    /// The variable whose value lies in a memory slot.
    pub(crate) fn memory_value(&self, key: YulName) -> Option<YulName> {
        lookup(&self.environment.memory, key)
    }

    /// The variable that holds the hash of a region of memory.
    pub(crate) fn keccak_value(&self, start: YulName, length: YulName) -> Option<YulName> {
        lookup(&self.environment.keccak, (start, length))
    }

    /// The values with the same number as `key` in memory: a known slot with a key of equal value.
    fn place(&self, name: YulName) -> Place {
        let slot = &self.slots[name.0 as usize];
        slot.place.unwrap_or(Place::of_variable(name, slot.version))
    }

    fn block(&mut self, hooks: &mut impl Hooks, block: &mut Block) {
        self.scopes.push(Vec::new());
        self.statements(hooks, block);
        self.leave_scope();
    }

    fn statements(&mut self, hooks: &mut impl Hooks, block: &mut Block) {
        let mut has_dropped = false;
        for statement in &mut block.statements {
            if hooks.drops(self, statement) {
                has_dropped = true;
                *statement = Statement::Block(Block::default());
                continue;
            }
            self.statement(hooks, statement);
        }
        if has_dropped {
            block.statements.retain(
                |statement| !matches!(statement, Statement::Block(inner) if inner.statements.is_empty()),
            );
        }
    }

    fn leave_scope(&mut self) {
        let names = self.scopes.pop().expect("invariant: scopes are opened and closed in pairs");
        if names.is_empty() {
            return;
        }
        self.clear_values(&names);
        for name in names {
            self.slots[name.0 as usize].function = 0;
        }
    }

    fn declare(&mut self, name: YulName) {
        let function = self.function;
        let slot = self.slot_mut(name);
        slot.function = function;
        slot.forget();
        slot.readers.clear();
        if let Some(scope) = self.scopes.last_mut() {
            scope.push(name);
        }
    }

    fn slot_mut(&mut self, name: YulName) -> &mut Slot {
        &mut self.slots[name.0 as usize]
    }

    fn statement(&mut self, hooks: &mut impl Hooks, statement: &mut Statement) {
        match statement {
            Statement::Expression(expression, ..) => self.expression_statement(hooks, expression),
            Statement::Let(declaration) => {
                if let Some(value) = &mut declaration.value {
                    self.clear_knowledge_of(hooks, value);
                    self.expression(hooks, value);
                }
                declaration.variables.iter().for_each(|variable| self.declare(variable.name));
                self.assigned(hooks, &declaration.variables, declaration.value.as_ref(), IsNew::Yes);
            }
            Statement::Assign(assignment) => self.assignment(hooks, assignment),
            Statement::If(branch) => {
                self.clear_knowledge_of(hooks, &branch.condition);
                self.expression(hooks, &mut branch.condition);
                let before = self.environment.clone();
                self.block(hooks, &mut branch.body);
                self.environment.join(&before);
                self.clear_assigned(&[&branch.body]);
            }
            Statement::Switch(switch) => self.switch(hooks, switch),
            Statement::For(the_loop) => self.for_loop(hooks, the_loop),
            Statement::Function(function) => self.function(hooks, function),
            Statement::Break(..) | Statement::Continue(..) | Statement::Leave(..) => {}
            Statement::Block(block) => self.block(hooks, block),
        }
    }

    fn assignment(&mut self, hooks: &mut impl Hooks, assignment: &mut Assignment) {
        self.clear_knowledge_of(hooks, &assignment.value);
        self.expression(hooks, &mut assignment.value);
        self.assigned(hooks, &assignment.targets, Some(&assignment.value), IsNew::No);
    }

    fn expression_statement<H: Hooks>(&mut self, hooks: &mut H, expression: &mut Expression) {
        if !H::FOLLOWS_STATE {
            self.expression(hooks, expression);
            return;
        }
        let store = simple_store(expression);
        if store.is_none() {
            self.clear_knowledge_of(hooks, expression);
        }
        self.expression(hooks, expression);
        // The hook may have changed which variables are stored.
        match (store, simple_store(expression)) {
            (Some(_), Some((Opcode::SSTORE, key, value))) => self.store_to_storage(key, value),
            (Some(_), Some((_, key, value))) => self.store_to_memory(key, value),
            (Some(_), None) => self.clear_knowledge_of(hooks, expression),
            (None, _) => {}
        }
    }

    fn store_to_storage(&mut self, key: YulName, value: YulName) {
        let place = self.place(key);
        let mut storage = std::mem::take(&mut self.environment.storage);
        let entries = Rc::make_mut(&mut storage);
        entries.retain(|(other, known)| *known == value || self.place(*other).is_different(place));
        insert(entries, key, value);
        self.environment.storage = storage;
    }

    fn store_to_memory(&mut self, key: YulName, value: YulName) {
        let place = self.place(key);
        let mut memory = std::mem::take(&mut self.environment.memory);
        let entries = Rc::make_mut(&mut memory);
        entries.retain(|(other, _)| self.place(*other).is_different_by_a_word(place));
        insert(entries, key, value);
        self.environment.memory = memory;
        self.environment.keccak = Rc::default();
    }

    fn switch(&mut self, hooks: &mut impl Hooks, switch: &mut Switch) {
        self.clear_knowledge_of(hooks, &switch.expression);
        self.expression(hooks, &mut switch.expression);
        for case in &mut switch.cases {
            let before = self.environment.clone();
            self.block(hooks, &mut case.body);
            self.environment.join(&before);
            self.clear_assigned(&[&case.body]);
            if !self.environment.is_empty() {
                self.environment.forget_written(self.effects.of_block(&case.body));
            }
        }
    }

    fn for_loop(&mut self, hooks: &mut impl Hooks, the_loop: &mut For) {
        self.scopes.push(Vec::new());
        self.statements(hooks, &mut the_loop.init);
        self.loop_depth += 1;
        self.clear_assigned(&[&the_loop.body, &the_loop.post]);
        self.clear_knowledge_of_loop(the_loop);
        self.expression(hooks, &mut the_loop.condition);
        let after_condition = self.environment.clone();
        self.block(hooks, &mut the_loop.body);
        let skipped = assigned_after_continue(&the_loop.body);
        self.clear_values(&skipped);
        self.environment.join(&after_condition);
        self.block(hooks, &mut the_loop.post);
        self.clear_assigned(&[&the_loop.body, &the_loop.post]);
        self.clear_knowledge_of_loop(the_loop);
        self.environment.join(&after_condition);
        self.loop_depth -= 1;
        self.leave_scope();
    }

    fn function<H: Hooks>(&mut self, hooks: &mut H, function: &mut FunctionDefinition) {
        let environment = std::mem::take(&mut self.environment);
        let loop_depth = std::mem::take(&mut self.loop_depth);
        let outer = self.function;
        self.n_functions += 1;
        self.function = self.n_functions;
        if self.scopes.iter().all(Vec::is_empty) {
            // No variable is in scope, so no number is of use any more.
            self.classes.forget();
            hooks.numbers_forgotten();
        }
        hooks.enter_function(function);
        self.scopes.push(Vec::new());
        function.parameters.iter().for_each(|parameter| self.declare(parameter.name));
        for variable in &function.returns {
            self.declare(variable.name);
            self.set_zero::<H>(variable.name);
        }
        self.block(hooks, &mut function.body);
        self.leave_scope();
        self.function = outer;
        self.loop_depth = loop_depth;
        self.environment = environment;
    }

    fn expression<H: Hooks>(&mut self, hooks: &mut H, expression: &mut Expression) -> Class {
        if H::NUMBERS_EXPRESSIONS {
            let class = self.numbered_parts(hooks, expression);
            return hooks.expression(self, expression, class);
        }
        self.parts(hooks, expression);
        hooks.expression(self, expression, Class::NONE)
    }

    fn numbered_parts<H: Hooks>(&mut self, hooks: &mut H, expression: &mut Expression) -> Class {
        match expression {
            Expression::Literal(literal) => self.classes.literal(literal),
            Expression::Identifier(identifier) => self.classes.variable(identifier.name),
            Expression::Call(call) => {
                let callee = call.callee;
                let mut classes: SmallVec<[Class; 4]> = SmallVec::new();
                for (index, argument) in call.args.iter_mut().enumerate().rev() {
                    classes.push(match argument {
                        Expression::Literal(literal) if takes_literal(callee, index) => {
                            self.classes.text(literal)
                        }
                        _ => self.expression(hooks, argument),
                    });
                }
                classes.reverse();
                self.classes.call(callee, classes)
            }
        }
    }

    fn parts<H: Hooks>(&mut self, hooks: &mut H, expression: &mut Expression) {
        if let Expression::Call(call) = expression {
            let callee = call.callee;
            for (index, argument) in call.args.iter_mut().enumerate().rev() {
                if !takes_literal(callee, index) {
                    self.expression(hooks, argument);
                }
            }
        }
    }

    /// Visits the parts of an expression that a hook put in place of another.
    pub(crate) fn visit_parts<H: Hooks>(&mut self, hooks: &mut H, expression: &mut Expression) -> Class {
        self.parts(hooks, expression);
        self.class(hooks, expression)
    }

    fn assigned<H: Hooks>(
        &mut self,
        hooks: &mut H,
        variables: &[Identifier],
        value: Option<&Expression>,
        is_new: IsNew,
    ) {
        if is_new == IsNew::No {
            let names: SmallVec<[YulName; 4]> = variables.iter().map(|variable| variable.name).collect();
            self.clear_values(&names);
        }
        match (variables, value) {
            (_, None) => {
                for variable in variables {
                    let class = self.set_zero::<H>(variable.name);
                    hooks.assigned(variable.name, class);
                }
            }
            ([variable], Some(value)) => {
                let is_of_use = H::NUMBERS_EXPRESSIONS || H::FOLLOWS_STATE || hooks.keeps(value);
                if is_of_use && self.effects.is_movable(value) && !mentions(value, variable.name) {
                    self.set_value(hooks, variable.name, value);
                }
                if H::FOLLOWS_STATE {
                    self.environment.remember_load(variable.name, value);
                }
            }
            (_, Some(_)) => {}
        }
    }

    fn set_zero<H: Hooks>(&mut self, name: YulName) -> Class {
        let class = if H::NUMBERS_EXPRESSIONS { self.classes.word(Word::ZERO) } else { Class::NONE };
        let loop_depth = self.loop_depth;
        let slot = self.slot_mut(name);
        slot.value = Some(Value { expression: Held::Zero, class, loop_depth });
        slot.place = Some(Place::constant(Word::ZERO));
        class
    }

    fn set_value<H: Hooks>(&mut self, hooks: &mut H, name: YulName, value: &Expression) {
        let class = self.class(hooks, value);
        let place = match H::FOLLOWS_STATE {
            true => knowledge_base::place_of(value, &|operand| self.place(operand)),
            false => None,
        };
        let is_kept = hooks.keeps(value);
        if is_kept || H::NUMBERS_EXPRESSIONS || place.is_some() {
            let expression = if is_kept { Held::Expression(value.clone()) } else { Held::NotKept };
            let loop_depth = self.loop_depth;
            let slot = self.slot_mut(name);
            slot.value = Some(Value { expression, class, loop_depth });
            slot.place = place;
            let version = slot.version;
            for_each_reference_in(value, &mut |operand| {
                if operand != name {
                    self.slots[operand.0 as usize].readers.push((name, version));
                }
            });
        }
        hooks.assigned(name, class);
    }

    /// Forgets the values of variables and all values that mention them.
    fn clear_values(&mut self, names: &[YulName]) {
        for name in names {
            let mut readers = std::mem::take(&mut self.slot_mut(*name).readers);
            for (reader, version) in readers.drain(..) {
                let slot = self.slot_mut(reader);
                if slot.version == version {
                    slot.forget();
                }
            }
            let slot = self.slot_mut(*name);
            slot.readers = readers;
            slot.forget();
        }
        self.environment.forget_names(names);
    }

    fn clear_assigned(&mut self, blocks: &[&Block]) {
        let mut names = Vec::new();
        for block in blocks {
            for_each_assigned(block, &mut |name| names.push(name));
        }
        if names.is_empty() {
            return;
        }
        names.sort_unstable();
        names.dedup();
        self.clear_values(&names);
    }

    fn clear_knowledge_of<H: Hooks>(&mut self, _hooks: &H, expression: &Expression) {
        if !H::FOLLOWS_STATE || !matches!(expression, Expression::Call(_)) {
            return;
        }
        self.environment.forget_written(self.effects.of(expression));
    }

    fn clear_knowledge_of_loop(&mut self, the_loop: &For) {
        if self.environment.is_empty() {
            return;
        }
        let effects = self.effects.of(&the_loop.condition);
        let effects = effects.and(self.effects.of_block(&the_loop.body));
        self.environment.forget_written(effects.and(self.effects.of_block(&the_loop.post)));
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum IsNew {
    Yes,
    No,
}
