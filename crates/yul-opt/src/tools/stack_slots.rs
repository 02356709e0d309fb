//! Which variables a stack code that gives each variable a slot of its own would not reach.
//!
//! The model is that of solc's first code generator, as its documentation and its outputs show it. A
//! function starts with its return label and its parameters, the first on top. A variable gets a slot
//! when it is declared: one of its block that is not used any more, or a new one on top. Return
//! variables get theirs together, before the first statement that mentions one, declares a value or branches. A slot
//! is left when it lies on top and nothing uses it any more, which is looked at before each
//! statement. Operands are pushed as they are evaluated, right to left. Sixteen words can be reached,
//! and the end of a function must reach its return label past all that is left. Where anything is
//! out of reach, the first parameters move too, as many as parameters and results are too many. Linear.

use cairn_yul::{Block, Callee, Expression, Identifier, Statement, YulName};
use rustc_hash::FxHashSet;

use super::name_collector::for_each_reference_in;
use super::stack_tables::{Misses, REACH, Tables, Unreachable, cases_as_laid_out};

/// What cannot be reached in a function, or in code outside of functions. `tables` tell last uses.
pub(super) fn unreachable_variables(
    parameters: &[Identifier],
    returns: &[Identifier],
    body: &Block,
    tables: &mut Tables,
) -> Unreachable {
    let mut model = Model {
        tables,
        time: 0,
        slots: Vec::new(),
        block_start: 0,
        n_parameters: parameters.len(),
        n_pushed: 1,
        waiting: returns,
        misses: Misses::default(),
    };
    parameters.iter().rev().for_each(|parameter| model.push(parameter.name));
    body.statements.iter().for_each(|statement| model.statement(statement));
    model.leave_unused();
    model.place_returns();
    model.misses.add(model.slots.len().saturating_sub(REACH));
    let mut found = model.misses.into_unreachable();
    let n_too_many = (parameters.len() + returns.len()).saturating_sub(REACH);
    if found.deficit > 0 {
        let mut moved: Vec<YulName> = parameters.iter().take(n_too_many).map(|each| each.name).collect();
        let is_first: FxHashSet<YulName> = moved.iter().copied().collect();
        moved.extend(found.variables.iter().filter(|name| !is_first.contains(name)));
        found.variables = moved;
    }
    found
}

struct Model<'a> {
    tables: &'a mut Tables,
    time: u32,
    /// For each slot, when it is used for the last time; zero for never.
    slots: Vec<u32>,
    /// The height at which the innermost block started.
    block_start: usize,
    /// Slots of parameters that are still there; no other variable gets one of them.
    n_parameters: usize,
    /// Words above the slots, one more than there are.
    n_pushed: usize,
    /// Return variables that have no slots yet.
    waiting: &'a [Identifier],
    misses: Misses,
}

impl Model<'_> {
    fn push(&mut self, name: YulName) {
        self.slots.push(self.tables.last_use(name));
        self.tables.set_place(name, self.slots.len() - 1);
    }

    fn place_returns(&mut self) {
        for variable in std::mem::take(&mut self.waiting).iter().rev() {
            self.push(variable.name);
        }
    }

    /// Pops the slots of the block on top that nothing uses any more.
    fn leave_unused(&mut self) {
        while self.slots.len() > self.block_start && self.slots.last().is_some_and(|end| *end <= self.time) {
            self.slots.pop();
        }
        self.n_parameters = self.n_parameters.min(self.slots.len());
    }

    /// Gives variables whose values have been pushed slots: from the top, each one of this block that is
    /// free, as long as there are such; the others stay where they are.
    fn declare(&mut self, variables: &[Identifier]) {
        let mut n_left = variables.len();
        while let Some(variable) = variables[..n_left].last()
            && let Some(slot) = self.free_slot(n_left)
        {
            self.slots[slot] = self.tables.last_use(variable.name);
            self.tables.set_place(variable.name, slot);
            n_left -= 1;
        }
        variables[..n_left].iter().for_each(|variable| self.push(variable.name));
    }

    /// A slot of this block that nothing uses any more and that is in reach below some words.
    fn free_slot(&self, n_words: usize) -> Option<usize> {
        let first_in_reach = (self.slots.len() + n_words).saturating_sub(REACH + 1);
        let first = first_in_reach.max(self.block_start).max(self.n_parameters);
        (first..self.slots.len()).find(|slot| self.slots[*slot] <= self.time)
    }

    fn reach(&mut self, name: YulName, limit: usize) {
        let Some(place) = self.tables.place(name) else {
            return;
        };
        let depth = self.slots.len().saturating_sub(place + 1) + self.n_pushed;
        self.misses.reach(name, depth, limit);
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Literal(_) => {}
            Expression::Identifier(identifier) => {
                self.time += 1;
                self.reach(identifier.name, REACH);
            }
            Expression::Call(call) => {
                let before = self.n_pushed;
                // The return label.
                self.n_pushed += usize::from(matches!(call.callee, Callee::User(_)));
                for argument in call.args.iter().rev() {
                    self.expression(argument);
                    self.n_pushed += 1;
                }
                self.n_pushed = before;
            }
        }
    }

    fn block(&mut self, block: &Block) {
        self.scope(|model| block.statements.iter().for_each(|statement| model.statement(statement)));
    }

    /// What is declared in between is gone behind it.
    fn scope(&mut self, inside: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.block_start, self.slots.len());
        inside(self);
        self.slots.truncate(self.block_start);
        self.block_start = outer;
    }

    /// The statement mentions a return variable that has no slot yet.
    fn is_waited_for(&self, targets: &[Identifier], value: Option<&Expression>) -> bool {
        let is_waiting = |name: YulName| self.tables.is_declared(name) && self.tables.place(name).is_none();
        let mut found = targets.iter().any(|target| is_waiting(target.name));
        if let Some(value) = value {
            for_each_reference_in(value, &mut |name| found |= is_waiting(name));
        }
        found
    }

    fn needs_returns(&self, statement: &Statement) -> bool {
        match statement {
            Statement::Expression(expression, ..) => self.is_waited_for(&[], Some(expression)),
            Statement::Assign(assignment) => self.is_waited_for(&assignment.targets, Some(&assignment.value)),
            Statement::Let(declaration) => declaration.value.is_some(),
            Statement::Block(block) => block.statements.iter().any(|inner| self.needs_returns(inner)),
            Statement::If(_) | Statement::Switch(_) | Statement::For(_) | Statement::Leave(..) => true,
            Statement::Function(_) | Statement::Break(..) | Statement::Continue(..) => false,
        }
    }

    fn statement(&mut self, statement: &Statement) {
        self.leave_unused();
        if !self.waiting.is_empty() && self.needs_returns(statement) {
            self.place_returns();
        }
        match statement {
            Statement::Expression(expression, ..) => self.expression(expression),
            Statement::Let(declaration) => {
                declaration.value.iter().for_each(|value| self.expression(value));
                self.declare(&declaration.variables);
            }
            Statement::Assign(assignment) => {
                self.expression(&assignment.value);
                // The last target gets its value first, from above those of the others.
                for (n_below, target) in assignment.targets.iter().enumerate().rev() {
                    self.time += 1;
                    self.reach(target.name, REACH.saturating_sub(n_below));
                }
            }
            Statement::If(branch) => {
                self.expression(&branch.condition);
                self.block(&branch.body);
            }
            Statement::Switch(switch) => {
                self.expression(&switch.expression);
                // The value that is compared lies there while the cases run.
                self.n_pushed += 1;
                cases_as_laid_out(switch).for_each(|case| self.block(&case.body));
                self.n_pushed -= 1;
            }
            Statement::For(the_loop) => self.scope(|model| {
                the_loop.init.statements.iter().for_each(|statement| model.statement(statement));
                model.expression(&the_loop.condition);
                model.block(&the_loop.body);
                model.block(&the_loop.post);
                model.time += 1;
            }),
            Statement::Block(block) => self.block(block),
            Statement::Function(_)
            | Statement::Break(..)
            | Statement::Continue(..)
            | Statement::Leave(..) => {}
        }
    }
}
