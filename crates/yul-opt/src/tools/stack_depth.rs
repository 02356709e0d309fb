//! Which variables a simple stack code would not reach.
//!
//! There are two models, which differ in when variables and literals are pushed (see [`Operands`]). That
//! of operands as they are evaluated is in [`stack_slots`]. The other: a function's stack holds the
//! return label, the parameters and the variables in order of declaration, without those that are not
//! used any more, and above them what an expression has pushed, arguments right to left, literals and
//! variables when they are needed. Sixteen words can be reached. Near linear: how many variables lie
//! above another is counted with a tree of sums.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use cairn_evm::Fork;
use cairn_yul::{Block, Callee, Expression, Identifier, Statement, YulName};

use super::stack_slots;
pub(crate) use super::stack_tables::Tables;
use super::stack_tables::{Misses, REACH, Unreachable, cases_as_laid_out};
use super::walk::{Visitor, walk_expression, walk_statement};

/// When the operands of an operation are pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operands {
    /// One after the other, as they are evaluated.
    AsEvaluated,
    /// Literals and variables when the operation runs; only results of calls wait on the stack.
    WhenUsed,
}

impl Operands {
    /// As solc's code generators have it: its second one, for forks since Tangerine Whistle, fetches late.
    pub(crate) fn of(fork: Fork) -> Operands {
        if fork >= Fork::TangerineWhistle { Operands::WhenUsed } else { Operands::AsEvaluated }
    }
}

/// What cannot be reached in a function, or in code outside of functions.
pub(crate) fn unreachable_variables(
    parameters: &[Identifier],
    returns: &[Identifier],
    body: &Block,
    operands: Operands,
    tables: &mut Tables,
) -> Unreachable {
    tables.clear();
    let mut uses = LastUses { tables, operands, time: 0, open_loops: Vec::new() };
    parameters.iter().chain(returns).for_each(|variable| uses.declare(variable.name));
    uses.block(body);
    let end = uses.time + 1;
    returns.iter().for_each(|variable| tables.last[variable.name.0 as usize] = end);
    if operands == Operands::AsEvaluated {
        return stack_slots::unreachable_variables(parameters, returns, body, tables);
    }
    let mut model = Model {
        stack: Stack::new(tables.variables.len()),
        tables,
        time: 0,
        n_pushed: 1,
        misses: Misses::default(),
    };
    model.enter(parameters);
    model.block(body);
    model.misses.into_unreachable()
}

struct LastUses<'a> {
    tables: &'a mut Tables,
    operands: Operands,
    time: u32,
    /// Times at which open loops started, and variables used in them.
    open_loops: Vec<(u32, Vec<YulName>)>,
}

impl LastUses<'_> {
    fn declare(&mut self, name: YulName) {
        self.tables.variables.push(name);
        self.tables.declared[name.0 as usize] = self.time + 1;
    }

    fn used(&mut self, name: YulName) {
        self.time += 1;
        self.tables.last[name.0 as usize] = self.time;
        if let Some((_, names)) = self.open_loops.last_mut() {
            names.push(name);
        }
    }
}

impl Visitor for LastUses<'_> {
    fn statement(&mut self, statement: &Statement) {
        if let Statement::For(the_loop) = statement {
            self.block(&the_loop.init);
            self.open_loops.push((self.time, Vec::new()));
            self.expression(&the_loop.condition);
            self.block(&the_loop.body);
            self.block(&the_loop.post);
            let Some((start, names)) = self.open_loops.pop() else {
                return;
            };
            self.time += 1;
            for name in names {
                if self.tables.declared[name.0 as usize] <= start + 1 {
                    self.tables.last[name.0 as usize] = self.time;
                    if let Some((_, outer)) = self.open_loops.last_mut() {
                        outer.push(name);
                    }
                }
            }
            return;
        }
        if let Statement::Switch(switch) = statement
            && self.operands == Operands::AsEvaluated
        {
            self.expression(&switch.expression);
            cases_as_laid_out(switch).for_each(|case| self.block(&case.body));
            return;
        }
        if let Statement::Let(declaration) = statement {
            declaration.variables.iter().for_each(|variable| self.declare(variable.name));
        }
        walk_statement(self, statement);
    }

    fn expression(&mut self, expression: &Expression) {
        if let Expression::Identifier(identifier) = expression {
            self.used(identifier.name);
        }
        walk_expression(self, expression);
    }

    fn target(&mut self, target: &Identifier) {
        self.used(target.name);
    }

    fn function(&mut self, _function: &cairn_yul::FunctionDefinition) {}
}

/// The variables on the stack. Places are given out in order and not again.
struct Stack {
    is_live: Vec<bool>,
    /// Fenwick tree of the numbers of live places.
    sums: Vec<usize>,
    n_live: usize,
    /// When live places are left, earliest first.
    ends: BinaryHeap<Reverse<(u32, usize)>>,
}

impl Stack {
    fn new(n_places: usize) -> Self {
        Stack {
            is_live: Vec::with_capacity(n_places),
            sums: vec![0; n_places + 1],
            n_live: 0,
            ends: BinaryHeap::new(),
        }
    }

    /// A variable that is used until the time `end`.
    fn push(&mut self, end: u32) {
        let place = self.is_live.len();
        self.is_live.push(true);
        self.n_live += 1;
        self.add(place, 1);
        self.ends.push(Reverse((end, place)));
    }

    fn add(&mut self, place: usize, change: isize) {
        let mut index = place + 1;
        while let Some(sum) = self.sums.get_mut(index) {
            *sum = sum.wrapping_add_signed(change);
            index += index & index.wrapping_neg();
        }
    }

    fn leave(&mut self, place: usize) {
        if std::mem::replace(&mut self.is_live[place], false) {
            self.n_live -= 1;
            self.add(place, -1);
        }
    }

    /// Leaves what is not used after a time.
    fn leave_dead(&mut self, time: u32) {
        while let Some(Reverse((end, place))) = self.ends.peek().copied()
            && end <= time
        {
            self.ends.pop();
            self.leave(place);
        }
    }

    /// How many variables lie above a place, if it is live.
    fn depth_of(&self, place: usize) -> Option<usize> {
        let (mut index, mut n_up_to) = (place + 1, 0);
        while index > 0 {
            n_up_to += self.sums[index];
            index &= index - 1;
        }
        self.is_live[place].then(|| self.n_live - n_up_to)
    }
}

struct Model<'a> {
    tables: &'a mut Tables,
    time: u32,
    stack: Stack,
    /// Words above the variables.
    n_pushed: usize,
    misses: Misses,
}

impl Model<'_> {
    /// Parameters lie on the stack with the first on top.
    fn enter(&mut self, parameters: &[Identifier]) {
        parameters.iter().rev().for_each(|parameter| self.push(parameter.name));
        self.stack.leave_dead(self.time);
    }

    fn push(&mut self, name: YulName) {
        self.tables.set_place(name, self.stack.is_live.len());
        self.stack.push(self.tables.last_use(name));
    }

    fn reach(&mut self, name: YulName, limit: usize) {
        let depth = self.tables.place(name).and_then(|place| self.stack.depth_of(place));
        if let Some(depth) = depth {
            self.misses.reach(name, depth + self.n_pushed, limit);
        }
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
                let waits = |argument: &&Expression| matches!(argument, Expression::Call(_));
                call.args.iter().rev().filter(waits).for_each(|argument| self.operand(argument));
                // The return label.
                self.n_pushed += usize::from(matches!(call.callee, Callee::User(_)));
                let rest = call.args.iter().rev().filter(|argument| !waits(argument));
                rest.for_each(|argument| self.operand(argument));
                self.n_pushed = before;
            }
        }
    }

    fn operand(&mut self, argument: &Expression) {
        self.expression(argument);
        self.n_pushed += 1;
    }

    fn block(&mut self, block: &Block) {
        let start = self.stack.is_live.len();
        block.statements.iter().for_each(|statement| self.statement(statement));
        (start..self.stack.is_live.len()).for_each(|place| self.stack.leave(place));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Expression(expression, ..) => self.expression(expression),
            Statement::Let(declaration) => {
                declaration.value.iter().for_each(|value| self.expression(value));
                declaration.variables.iter().for_each(|variable| self.push(variable.name));
            }
            Statement::Assign(assignment) => {
                self.expression(&assignment.value);
                for target in &assignment.targets {
                    self.time += 1;
                    self.reach(target.name, REACH + assignment.targets.len());
                }
            }
            Statement::If(branch) => {
                self.expression(&branch.condition);
                self.block(&branch.body);
            }
            Statement::Switch(switch) => {
                self.expression(&switch.expression);
                switch.cases.iter().for_each(|case| self.block(&case.body));
            }
            Statement::For(the_loop) => {
                self.block(&the_loop.init);
                self.expression(&the_loop.condition);
                self.block(&the_loop.body);
                self.block(&the_loop.post);
                self.time += 1;
            }
            Statement::Block(block) => self.block(block),
            Statement::Function(_)
            | Statement::Break(..)
            | Statement::Continue(..)
            | Statement::Leave(..) => {}
        }
        self.stack.leave_dead(self.time);
    }
}
