//! What code can do: movability, `msize`, ends of control flow.

use cairn_evm::Opcode;
use cairn_yul::facts::{ControlFlow, PerFunction, SideEffects};
use cairn_yul::{Block, Builtin, Callee, Expression, Statement};

use super::walk::{Visitor, walk_expression};

/// Facts about the functions of a program, for judging expressions.
#[derive(Debug)]
pub(crate) struct Effects {
    pub(crate) functions: PerFunction<SideEffects>,
    /// The program observes the size of memory (or may, in `verbatim`).
    pub(crate) has_msize: bool,
}

impl Effects {
    /// The effects of evaluating an expression.
    pub(crate) fn of(&self, expression: &Expression) -> SideEffects {
        match expression {
            Expression::Literal(_) | Expression::Identifier(_) => SideEffects::PURE,
            Expression::Call(call) => {
                let own = self.of_callee(call.callee);
                call.args.iter().fold(own, |effects, argument| effects.and(self.of(argument)))
            }
        }
    }

    pub(crate) fn of_callee(&self, callee: Callee) -> SideEffects {
        match callee {
            Callee::Builtin(builtin) => SideEffects::of_builtin(builtin),
            Callee::User(name) => self.functions.get(name).copied().unwrap_or(SideEffects::WORST),
        }
    }

    pub(crate) fn is_movable(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Literal(_) | Expression::Identifier(_) => true,
            Expression::Call(call) => {
                self.of_callee(call.callee).movable
                    && call.args.iter().all(|argument| self.is_movable(argument))
            }
        }
    }

    /// True when the value of the expression not being used means that it can go.
    pub(crate) fn is_removable(&self, expression: &Expression) -> bool {
        let effects = self.of(expression);
        if self.has_msize { effects.can_be_removed } else { effects.can_be_removed_if_no_msize }
    }

    /// The effects of everything in a block.
    pub(crate) fn of_block(&self, block: &Block) -> SideEffects {
        let mut collect = Collect { effects: self, found: SideEffects::PURE };
        collect.block(block);
        collect.found
    }
}

struct Collect<'a> {
    effects: &'a Effects,
    found: SideEffects,
}

impl Visitor for Collect<'_> {
    fn expression(&mut self, expression: &Expression) {
        self.found = self.found.and(self.effects.of(expression));
    }
}

/// True when the code contains `msize`, or `verbatim`, which may hide one.
pub(crate) fn observes_memory_size(code: &Block) -> bool {
    struct Finder(bool);
    impl Visitor for Finder {
        fn expression(&mut self, expression: &Expression) {
            if let Expression::Call(call) = expression
                && let Callee::Builtin(builtin) = call.callee
            {
                self.0 |= matches!(builtin, Builtin::Evm(Opcode::MSIZE) | Builtin::Verbatim { .. });
            }
            walk_expression(self, expression);
        }
    }
    let mut finder = Finder(false);
    finder.block(code);
    finder.0
}

/// How control leaves a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The next statement can be reached.
    FlowOut,
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `leave`
    Leave,
    /// The execution ends or never comes back.
    Terminate,
}

/// Finds statements after which nothing is executed.
#[derive(Debug)]
pub(crate) struct Terminations {
    pub(crate) functions: PerFunction<ControlFlow>,
}

impl Terminations {
    pub(crate) fn new(code: &Block) -> Self {
        Terminations { functions: cairn_yul::facts::compute_control_flow(code) }
    }

    /// Takes every function for one that may come back.
    pub(crate) fn of_builtins() -> Self {
        Terminations::new(&Block::default())
    }

    pub(crate) fn flow_of(&self, callee: Callee) -> ControlFlow {
        match callee {
            Callee::Builtin(builtin) => ControlFlow::of_builtin(builtin),
            Callee::User(name) => self.functions.get(name).copied().unwrap_or(ControlFlow {
                can_terminate: true,
                can_revert: true,
                can_continue: true,
            }),
        }
    }

    /// How control leaves a statement, if in one way only.
    pub(crate) fn exit_of(&self, statement: &Statement) -> Exit {
        match statement {
            Statement::Break(..) => Exit::Break,
            Statement::Continue(..) => Exit::Continue,
            Statement::Leave(..) => Exit::Leave,
            Statement::Expression(expression, ..) => self.exit_of_expression(expression),
            Statement::Let(declaration) => {
                declaration.value.as_ref().map_or(Exit::FlowOut, |value| self.exit_of_expression(value))
            }
            Statement::Assign(assignment) => self.exit_of_expression(&assignment.value),
            Statement::If(_)
            | Statement::Switch(_)
            | Statement::For(_)
            | Statement::Function(_)
            | Statement::Block(_) => Exit::FlowOut,
        }
    }

    fn exit_of_expression(&self, expression: &Expression) -> Exit {
        if self.never_continues(expression) { Exit::Terminate } else { Exit::FlowOut }
    }

    fn never_continues(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Literal(_) | Expression::Identifier(_) => false,
            Expression::Call(call) => {
                !self.flow_of(call.callee).can_continue
                    || call.args.iter().any(|argument| self.never_continues(argument))
            }
        }
    }

    /// The first statement after which nothing is reached, and how control leaves there.
    pub(crate) fn first_exit(&self, statements: &[Statement]) -> Option<(usize, Exit)> {
        statements.iter().enumerate().find_map(|(index, statement)| {
            let exit = self.exit_of(statement);
            (exit != Exit::FlowOut).then_some((index, exit))
        })
    }
}
