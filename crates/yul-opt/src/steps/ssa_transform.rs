//! SSATransform: gives each value of a variable a variable of its own.
//!
//! ```text
//! let a := 1 mstore(a, 2) a := 3   →   let a_1 := 1 let a := a_1 mstore(a_1, 2) let a_2 := 3 a := a_2
//! ```
//! Where control flow joins, `let a_3 := a` gives the value that the variable has there a name; so do
//! the starts of loop bodies, post blocks and functions (for parameters). Uses then refer to the
//! newest name; the assignments to `a` are left to the UnusedAssignEliminator.
//!
//! Needs unique names and no declarations in loop inits. Gives SSA form. Linear in code and in the
//! number of joined variables.

use cairn_yul::{Block, Expression, FunctionDefinition, Identifier, Identifiers, Statement, YulName};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::smallvec;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place, place_of};
use crate::tools::name_collector::{for_each_assigned, set_order};
use crate::tools::walk::{VisitorMut, child_blocks_mut, make_room, rewrite_statements, walk_expression_mut};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "SSATransform",
    letter: Some('a'),
    summary: "one variable for each value",
    needs: Form::UNIQUE_NAMES.union(Form::NO_LOOP_INITS),
    preserves: Form::all(),
    gives: Form::SSA,
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let mut is_assigned = vec![false; cx.names.len()];
    for_each_assigned(code, &mut |name| is_assigned[name.0 as usize] = true);
    if !is_assigned.contains(&true) {
        return;
    }
    introduce(cx, code, &is_assigned);
    Joins {
        cx,
        is_assigned: &is_assigned,
        in_scope: Vec::new(),
        scope_position: FxHashMap::default(),
        pending: Vec::new(),
    }
    .outermost(code);
    Propagation { is_assigned, current: FxHashMap::default(), to_clear: Vec::new() }.block(code);
}

fn is_replaced(is_assigned: &[bool], name: YulName) -> bool {
    is_assigned.get(name.0 as usize).copied().unwrap_or(false)
}

/// Replaces `let a := v` and `a := v` by `let a_1 := v` and a copy.
fn introduce(cx: &mut StepContext<'_>, block: &mut Block, is_assigned: &[bool]) {
    rewrite_statements(block, |mut statement, new| {
        let place = place_of(&statement);
        let mut rename = |variables: &[Identifier]| -> Identifiers {
            let renamed = variables.iter().map(|variable| {
                let name = cx.new_name_like(variable.name);
                builder::identifier(name, Place::of_identifier(variable))
            });
            renamed.collect()
        };
        match statement {
            Statement::Let(mut declaration)
                if declaration.variables.iter().any(|variable| is_replaced(is_assigned, variable.name)) =>
            {
                let renamed = rename(&declaration.variables);
                let old = std::mem::replace(&mut declaration.variables, renamed.clone());
                new.push(Statement::Let(declaration));
                for (old, renamed) in old.into_iter().zip(renamed) {
                    let value = builder::variable(renamed.name, place);
                    new.push(builder::declare_all(smallvec![old], Some(value), place));
                }
            }
            Statement::Assign(assignment) => {
                let renamed = rename(&assignment.targets);
                new.push(builder::declare_all(renamed.clone(), Some(assignment.value), place));
                for (target, renamed) in assignment.targets.into_iter().zip(renamed) {
                    new.push(builder::assign(target.name, builder::variable(renamed.name, place), place));
                }
            }
            _ => {
                child_blocks_mut(&mut statement, &mut |child| introduce(cx, child, is_assigned));
                new.push(statement);
            }
        }
    });
}

/// Declares names for the values that variables have where control flow joins.
struct Joins<'a, 'c> {
    cx: &'a mut StepContext<'c>,
    is_assigned: &'a [bool],
    /// Replaced variables that are in scope, in order of declaration, without return variables.
    in_scope: Vec<YulName>,
    scope_position: FxHashMap<YulName, usize>,
    /// Variables that need a new name before the next statement.
    pending: Vec<YulName>,
}

impl Joins<'_, '_> {
    fn outermost(&mut self, code: &mut Block) {
        self.block(code);
    }

    fn declare(&mut self, name: YulName) {
        if is_replaced(self.is_assigned, name) {
            self.scope_position.insert(name, self.in_scope.len());
            self.in_scope.push(name);
        }
    }

    fn leave_scope(&mut self, mark: usize) {
        for name in self.in_scope.split_off(mark) {
            self.scope_position.remove(&name);
        }
    }

    /// The replaced variables assigned in a loop and declared outside of it, in the order of sets.
    fn assigned_in(&self, blocks: &[&Block]) -> Vec<YulName> {
        let mut names = Vec::new();
        for block in blocks {
            for_each_assigned(block, &mut |name| names.push(name));
        }
        names.sort_unstable();
        names.dedup();
        names.retain(|name| self.scope_position.contains_key(name));
        names.sort_by_cached_key(|name| {
            let text = self.cx.names.text(*name);
            (set_order(text), text.to_owned())
        });
        names
    }

    /// Adds names that are not pending yet.
    fn add_pending(&mut self, names: &[YulName]) {
        let mut known: FxHashSet<YulName> = self.pending.iter().copied().collect();
        self.pending.extend(names.iter().copied().filter(|name| known.insert(*name)));
    }

    /// Statements that give the pending variables new names.
    fn flush(&mut self, place: Place, new: &mut Vec<Statement>, assigned: &mut Vec<YulName>) {
        for name in std::mem::take(&mut self.pending) {
            let renamed = self.cx.new_name_like(name);
            new.push(builder::declare(renamed, Some(builder::variable(name, place)), place));
            assigned.push(name);
        }
    }

    /// Afterwards, pending are what the end of the block left and what it assigns to outside of it.
    fn block(&mut self, block: &mut Block) {
        let mark = self.in_scope.len();
        let assigned = self.statements(block);
        let declared: FxHashSet<YulName> = self.in_scope[mark..].iter().copied().collect();
        let is_outer = |name: &YulName| !declared.contains(name);
        self.pending.retain(is_outer);
        let assigned: Vec<YulName> = assigned.into_iter().filter(is_outer).collect();
        self.add_pending(&assigned);
        self.leave_scope(mark);
    }

    /// Returns the variables that the statements assign to, in the order of the text.
    fn statements(&mut self, block: &mut Block) -> Vec<YulName> {
        let old = std::mem::take(&mut block.statements);
        let mut new = Vec::with_capacity(old.len());
        let mut assigned = Vec::new();
        let n_old = old.len();
        for (index, mut statement) in old.into_iter().enumerate() {
            make_room(&mut new, index, n_old - index);
            self.flush(place_of(&statement), &mut new, &mut assigned);
            self.statement(&mut statement);
            if let Statement::Assign(assignment) = &statement {
                assigned.extend(assignment.targets.iter().map(|target| target.name));
            }
            new.push(statement);
        }
        block.statements = new;
        assigned
    }

    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Let(declaration) => {
                declaration.variables.iter().for_each(|variable| self.declare(variable.name));
            }
            Statement::If(branch) => self.block(&mut branch.body),
            Statement::Switch(switch) => {
                // As in solc, what one case assigns to is renamed at the start of the next.
                switch.cases.iter_mut().for_each(|case| self.block(&mut case.body));
            }
            Statement::For(the_loop) => {
                let assigned = self.assigned_in(&[&the_loop.body, &the_loop.post]);
                self.pending.clone_from(&assigned);
                self.block(&mut the_loop.body);
                self.add_pending(&assigned);
                self.block(&mut the_loop.post);
                self.add_pending(&assigned);
            }
            Statement::Function(function) => self.function(function),
            Statement::Block(block) => self.block(block),
            Statement::Expression(..)
            | Statement::Assign(_)
            | Statement::Break(..)
            | Statement::Continue(..)
            | Statement::Leave(..) => {}
        }
    }

    fn function(&mut self, function: &mut FunctionDefinition) {
        let outer_scope = std::mem::take(&mut self.in_scope);
        let outer_positions = std::mem::take(&mut self.scope_position);
        let outer_pending = std::mem::take(&mut self.pending);
        for parameter in &function.parameters {
            self.declare(parameter.name);
            if is_replaced(self.is_assigned, parameter.name) {
                self.pending.push(parameter.name);
            }
        }
        // As in solc, return variables get names after blocks that assign to them, not in loops.
        self.block(&mut function.body);
        self.in_scope = outer_scope;
        self.scope_position = outer_positions;
        self.pending = outer_pending;
    }
}

/// Uses the newest name of each variable.
struct Propagation {
    is_assigned: Vec<bool>,
    current: FxHashMap<YulName, YulName>,
    /// Variables that got a name in the open blocks.
    to_clear: Vec<YulName>,
}

impl Propagation {
    fn set(&mut self, variable: YulName, name: YulName) {
        self.current.insert(variable, name);
        self.to_clear.push(variable);
    }

    fn forget(&mut self, block: &Block) {
        for_each_assigned(block, &mut |name| {
            self.current.remove(&name);
        });
    }
}

impl VisitorMut for Propagation {
    fn block(&mut self, block: &mut Block) {
        let mark = self.to_clear.len();
        block.statements.iter_mut().for_each(|statement| self.statement(statement));
        for name in self.to_clear.split_off(mark) {
            self.current.remove(&name);
        }
    }

    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Let(declaration) => {
                let copy = match (declaration.variables.as_slice(), &declaration.value) {
                    ([variable], Some(Expression::Identifier(value))) => Some((variable.name, value.name)),
                    _ => None,
                };
                match copy {
                    // `let a := a_1`
                    Some((variable, value)) if is_replaced(&self.is_assigned, variable) => {
                        self.set(variable, value)
                    }
                    // `let a_1 := a` at a join: the current name of `a` is outdated
                    Some((variable, value))
                        if is_replaced(&self.is_assigned, value) && !self.current.contains_key(&value) =>
                    {
                        self.set(value, variable);
                    }
                    _ => declaration.value.iter_mut().for_each(|value| self.expression(value)),
                }
            }
            Statement::Assign(assignment) => match (assignment.targets.as_slice(), &assignment.value) {
                ([target], Expression::Identifier(value)) => self.set(target.name, value.name),
                _ => self.expression(&mut assignment.value),
            },
            Statement::For(the_loop) => {
                self.block(&mut the_loop.init);
                self.forget(&the_loop.body);
                self.forget(&the_loop.post);
                self.expression(&mut the_loop.condition);
                self.block(&mut the_loop.body);
                self.block(&mut the_loop.post);
            }
            Statement::Function(function) => {
                let outer = std::mem::take(&mut self.current);
                let outer_to_clear = std::mem::take(&mut self.to_clear);
                self.block(&mut function.body);
                self.current = outer;
                self.to_clear = outer_to_clear;
            }
            Statement::Expression(expression, ..) => self.expression(expression),
            Statement::If(branch) => {
                self.expression(&mut branch.condition);
                self.block(&mut branch.body);
            }
            Statement::Switch(switch) => {
                self.expression(&mut switch.expression);
                switch.cases.iter_mut().for_each(|case| self.block(&mut case.body));
            }
            Statement::Block(block) => self.block(block),
            Statement::Break(..) | Statement::Continue(..) | Statement::Leave(..) => {}
        }
    }

    fn expression(&mut self, expression: &mut Expression) {
        if let Expression::Identifier(identifier) = expression
            && let Some(name) = self.current.get(&identifier.name)
        {
            identifier.name = *name;
        }
        walk_expression_mut(self, expression);
    }
}
