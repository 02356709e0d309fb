//! Walks over the tree.
//!
//! [`Visitor`] looks, [`VisitorMut`] changes. The default methods go on into the parts: expressions
//! in the order of evaluation (arguments right to left), statements in the order of the text. A
//! visitor that overrides a method calls the `walk_…` function to go on.

use cairn_yul::{Block, Expression, FunctionDefinition, Identifier, Span, SrcRef, Statement};

/// Looks at a tree.
pub(crate) trait Visitor {
    /// A block.
    fn block(&mut self, block: &Block) {
        walk_block(self, block);
    }
    /// A statement.
    fn statement(&mut self, statement: &Statement) {
        walk_statement(self, statement);
    }
    /// An expression that is evaluated.
    fn expression(&mut self, expression: &Expression) {
        walk_expression(self, expression);
    }
    /// A variable that is assigned to (not declared).
    fn target(&mut self, _target: &Identifier) {}
    /// A function.
    fn function(&mut self, function: &FunctionDefinition) {
        self.block(&function.body);
    }
}

pub(crate) fn walk_block<V: Visitor + ?Sized>(visitor: &mut V, block: &Block) {
    for statement in &block.statements {
        visitor.statement(statement);
    }
}

pub(crate) fn walk_statement<V: Visitor + ?Sized>(visitor: &mut V, statement: &Statement) {
    match statement {
        Statement::Expression(expression, ..) => visitor.expression(expression),
        Statement::Let(declaration) => {
            if let Some(value) = &declaration.value {
                visitor.expression(value);
            }
        }
        Statement::Assign(assignment) => {
            visitor.expression(&assignment.value);
            assignment.targets.iter().for_each(|target| visitor.target(target));
        }
        Statement::If(branch) => {
            visitor.expression(&branch.condition);
            visitor.block(&branch.body);
        }
        Statement::Switch(switch) => {
            visitor.expression(&switch.expression);
            switch.cases.iter().for_each(|case| visitor.block(&case.body));
        }
        Statement::For(the_loop) => {
            visitor.block(&the_loop.init);
            visitor.expression(&the_loop.condition);
            visitor.block(&the_loop.post);
            visitor.block(&the_loop.body);
        }
        Statement::Function(function) => visitor.function(function),
        Statement::Break(..) | Statement::Continue(..) | Statement::Leave(..) => {}
        Statement::Block(block) => visitor.block(block),
    }
}

pub(crate) fn walk_expression<V: Visitor + ?Sized>(visitor: &mut V, expression: &Expression) {
    if let Expression::Call(call) = expression {
        call.args.iter().rev().for_each(|argument| visitor.expression(argument));
    }
}

/// Changes a tree.
pub(crate) trait VisitorMut {
    /// A block.
    fn block(&mut self, block: &mut Block) {
        walk_block_mut(self, block);
    }
    /// A statement.
    fn statement(&mut self, statement: &mut Statement) {
        walk_statement_mut(self, statement);
    }
    /// An expression that is evaluated.
    fn expression(&mut self, expression: &mut Expression) {
        walk_expression_mut(self, expression);
    }
    /// A function.
    fn function(&mut self, function: &mut FunctionDefinition) {
        self.block(&mut function.body);
    }
}

pub(crate) fn walk_block_mut<V: VisitorMut + ?Sized>(visitor: &mut V, block: &mut Block) {
    for statement in &mut block.statements {
        visitor.statement(statement);
    }
}

pub(crate) fn walk_statement_mut<V: VisitorMut + ?Sized>(visitor: &mut V, statement: &mut Statement) {
    match statement {
        Statement::Expression(expression, ..) => visitor.expression(expression),
        Statement::Let(declaration) => {
            if let Some(value) = &mut declaration.value {
                visitor.expression(value);
            }
        }
        Statement::Assign(assignment) => visitor.expression(&mut assignment.value),
        Statement::If(branch) => {
            visitor.expression(&mut branch.condition);
            visitor.block(&mut branch.body);
        }
        Statement::Switch(switch) => {
            visitor.expression(&mut switch.expression);
            switch.cases.iter_mut().for_each(|case| visitor.block(&mut case.body));
        }
        Statement::For(the_loop) => {
            visitor.block(&mut the_loop.init);
            visitor.expression(&mut the_loop.condition);
            visitor.block(&mut the_loop.post);
            visitor.block(&mut the_loop.body);
        }
        Statement::Function(function) => visitor.function(function),
        Statement::Break(..) | Statement::Continue(..) | Statement::Leave(..) => {}
        Statement::Block(block) => visitor.block(block),
    }
}

pub(crate) fn walk_expression_mut<V: VisitorMut + ?Sized>(visitor: &mut V, expression: &mut Expression) {
    if let Expression::Call(call) = expression {
        call.args.iter_mut().rev().for_each(|argument| visitor.expression(argument));
    }
}

/// Replaces statements: `change` gets each statement and pushes what takes its place. As long as there
/// are no more of them than before, they stay in the memory that they have. What has been pushed for
/// other statements may or may not be in the vector.
pub(crate) fn rewrite_statements(block: &mut Block, mut change: impl FnMut(Statement, &mut Vec<Statement>)) {
    let mut statements = std::mem::take(&mut block.statements);
    let mut made = Vec::new();
    let mut n_written = 0;
    for index in 0..statements.len() {
        change(std::mem::replace(&mut statements[index], placeholder()), &mut made);
        if made.len() > index + 1 - n_written {
            block.statements = rewrite_rest(statements, n_written, index + 1, made, change);
            return;
        }
        for statement in made.drain(..) {
            statements[n_written] = statement;
            n_written += 1;
        }
    }
    statements.truncate(n_written);
    block.statements = statements;
}

/// Goes on in new memory: the first `n_written` statements are done, those before `n_read` are taken,
/// and `made` is what is to be written next.
fn rewrite_rest(
    statements: Vec<Statement>,
    n_written: usize,
    n_read: usize,
    made: Vec<Statement>,
    mut change: impl FnMut(Statement, &mut Vec<Statement>),
) -> Vec<Statement> {
    let mut new = Vec::with_capacity(statements.len() + made.len());
    let mut old = statements.into_iter();
    new.extend(old.by_ref().take(n_written));
    new.extend(made);
    let n_all = old.len() + n_written;
    for (n_read, statement) in (n_read..).zip(old.skip(n_read - n_written)) {
        make_room(&mut new, n_read, n_all - n_read);
        change(statement, &mut new);
    }
    new
}

/// Makes room in a nearly full vector for what the statements that are left will add at the rate so
/// far, and for a quarter more than there is, so that large vectors seldom move.
pub(crate) fn make_room(new: &mut Vec<Statement>, n_read: usize, n_left: usize) {
    const NEARLY: usize = 16;
    if new.len() < NEARLY || new.capacity() - new.len() >= NEARLY {
        return;
    }
    let expected = new.len().saturating_mul(n_left) / n_read.max(1);
    new.reserve_exact((expected + expected / 16).max(new.len() / 4) + NEARLY);
}

/// Stands where a statement was taken.
fn placeholder() -> Statement {
    Statement::Break(Span::default(), SrcRef::NONE)
}

/// The blocks directly in a statement.
pub(crate) fn child_blocks_mut<'a>(statement: &'a mut Statement, visit: &mut dyn FnMut(&'a mut Block)) {
    match statement {
        Statement::If(branch) => visit(&mut branch.body),
        Statement::Switch(switch) => switch.cases.iter_mut().for_each(|case| visit(&mut case.body)),
        Statement::For(the_loop) => {
            let the_loop = &mut **the_loop;
            visit(&mut the_loop.init);
            visit(&mut the_loop.post);
            visit(&mut the_loop.body);
        }
        Statement::Function(function) => visit(&mut function.body),
        Statement::Block(block) => visit(block),
        Statement::Expression(..)
        | Statement::Let(_)
        | Statement::Assign(_)
        | Statement::Break(..)
        | Statement::Continue(..)
        | Statement::Leave(..) => {}
    }
}

/// The same to look at.
pub(crate) fn child_blocks<'a>(statement: &'a Statement, visit: &mut dyn FnMut(&'a Block)) {
    match statement {
        Statement::If(branch) => visit(&branch.body),
        Statement::Switch(switch) => switch.cases.iter().for_each(|case| visit(&case.body)),
        Statement::For(the_loop) => {
            [&the_loop.init, &the_loop.post, &the_loop.body].into_iter().for_each(visit)
        }
        Statement::Function(function) => visit(&function.body),
        Statement::Block(block) => visit(block),
        Statement::Expression(..)
        | Statement::Let(_)
        | Statement::Assign(_)
        | Statement::Break(..)
        | Statement::Continue(..)
        | Statement::Leave(..) => {}
    }
}
