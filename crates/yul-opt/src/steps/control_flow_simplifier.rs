//! ControlFlowSimplifier: simpler control flow, from its shape alone.
//!
//! * `if c { }` → `pop(c)`
//! * empty `default` goes; without `default`, empty cases go
//! * `switch e` without cases → `pop(e)`; with one case → `if eq(v, e) { … }`; with `default` alone →
//!   `pop(e) { … }`
//! * a loop whose body ends in `break`, `leave` or the end of execution, and jumps nowhere else →
//!   `if c { … }`
//! * `leave` at the end of a function goes
//!
//! Needs unique names and no declarations in loop inits. Linear.

use cairn_evm::Opcode;
use cairn_yul::{Block, Expression, For, Statement, Switch};
use smallvec::smallvec;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::builder::{self, Place, place_of};
use crate::tools::semantics::{Exit, Terminations};
use crate::tools::walk::rewrite_statements;

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "ControlFlowSimplifier",
    letter: Some('n'),
    summary: "simplify control flow by its shape",
    needs: Form::UNIQUE_NAMES.union(Form::NO_LOOP_INITS),
    preserves: Form::all().difference(Form::SPLIT),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(_cx: &mut StepContext<'_>, code: &mut Block) {
    // Functions that never come back do not count here.
    let terminations = Terminations::of_builtins();
    let mut simplifier = Simplifier { terminations, jumps: Jumps::default() };
    simplifier.block(code);
}

/// Jumps of the innermost loop.
#[derive(Clone, Copy, Default)]
struct Jumps {
    n_breaks: usize,
    n_continues: usize,
}

struct Simplifier {
    terminations: Terminations,
    jumps: Jumps,
}

impl Simplifier {
    fn block(&mut self, block: &mut Block) {
        rewrite_statements(block, |statement, new| self.statement(statement, new));
    }

    fn statement(&mut self, statement: Statement, new: &mut Vec<Statement>) {
        let place = place_of(&statement);
        match statement {
            Statement::If(mut branch) => {
                self.block(&mut branch.body);
                if branch.body.statements.is_empty() {
                    new.push(builder::pop(branch.condition, place));
                } else {
                    new.push(Statement::If(branch));
                }
            }
            Statement::Switch(mut switch) => {
                switch.cases.iter_mut().for_each(|case| self.block(&mut case.body));
                simplify_switch(switch, place, new);
            }
            Statement::For(the_loop) => self.for_loop(the_loop, new),
            Statement::Function(mut function) => {
                let outer = std::mem::take(&mut self.jumps);
                self.block(&mut function.body);
                self.jumps = outer;
                if matches!(function.body.statements.last(), Some(Statement::Leave(..))) {
                    function.body.statements.pop();
                }
                new.push(Statement::Function(function));
            }
            Statement::Break(..) => {
                self.jumps.n_breaks += 1;
                new.push(statement);
            }
            Statement::Continue(..) => {
                self.jumps.n_continues += 1;
                new.push(statement);
            }
            Statement::Block(mut block) => {
                self.block(&mut block);
                new.push(Statement::Block(block));
            }
            Statement::Expression(..) | Statement::Let(_) | Statement::Assign(_) | Statement::Leave(..) => {
                new.push(statement);
            }
        }
    }

    fn for_loop(&mut self, mut the_loop: Box<For>, new: &mut Vec<Statement>) {
        let outer = std::mem::take(&mut self.jumps);
        self.block(&mut the_loop.init);
        self.block(&mut the_loop.post);
        self.block(&mut the_loop.body);
        let jumps = std::mem::replace(&mut self.jumps, outer);
        let exit =
            the_loop.body.statements.last().map_or(Exit::FlowOut, |last| self.terminations.exit_of(last));
        let n_other_breaks = match exit {
            Exit::Break => jumps.n_breaks - 1,
            Exit::Leave | Exit::Terminate => jumps.n_breaks,
            Exit::FlowOut | Exit::Continue => {
                new.push(Statement::For(the_loop));
                return;
            }
        };
        if n_other_breaks > 0 || jumps.n_continues > 0 {
            new.push(Statement::For(the_loop));
            return;
        }
        let For { init, condition, mut body, span, src, .. } = *the_loop;
        if exit == Exit::Break {
            body.statements.pop();
        }
        new.extend(init.statements);
        new.push(builder::if_then(condition, body.statements, Place { span, src }));
    }
}

fn simplify_switch(mut switch: Switch, place: Place, new: &mut Vec<Statement>) {
    let is_empty_default =
        switch.cases.last().is_some_and(|case| case.value.is_none() && case.body.statements.is_empty());
    if is_empty_default {
        switch.cases.pop();
    }
    if switch.cases.iter().all(|case| case.value.is_some()) {
        switch.cases.retain(|case| !case.body.statements.is_empty());
    }
    if switch.cases.len() > 1 {
        new.push(Statement::Switch(switch));
        return;
    }
    let Some(case) = switch.cases.pop() else {
        new.push(builder::pop(switch.expression, place));
        return;
    };
    match case.value {
        Some(value) => {
            let args = smallvec![Expression::Literal(Box::new(value)), switch.expression];
            let condition = builder::call(Opcode::EQ, args, place);
            new.push(builder::if_then(condition, case.body.statements, place));
        }
        None => {
            new.push(builder::pop(switch.expression, place));
            new.push(Statement::Block(case.body));
        }
    }
}
