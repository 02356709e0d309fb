//! One walk over the code of a function.

use crate::ast::{Block, Expression, For, FunctionCall, FunctionDefinition, Statement};

/// What the walk comes by.
#[derive(Clone, Copy, Debug)]
pub enum Visit<'a> {
    /// A call, after its arguments.
    Call(&'a FunctionCall),
    /// A loop, before its parts.
    Loop(&'a For),
    /// A function definition; its body is not entered.
    Function(&'a FunctionDefinition),
}

/// Walks over a block in the order of the text, without the bodies of functions in it.
pub fn visit_block<'a>(block: &'a Block, visit: &mut impl FnMut(Visit<'a>)) {
    for statement in &block.statements {
        visit_statement(statement, visit);
    }
}

fn visit_statement<'a>(statement: &'a Statement, visit: &mut impl FnMut(Visit<'a>)) {
    match statement {
        Statement::Expression(expression, ..) => visit_expression(expression, visit),
        Statement::Let(declaration) => {
            declaration.value.iter().for_each(|value| visit_expression(value, visit));
        }
        Statement::Assign(assignment) => visit_expression(&assignment.value, visit),
        Statement::If(branch) => {
            visit_expression(&branch.condition, visit);
            visit_block(&branch.body, visit);
        }
        Statement::Switch(switch) => {
            visit_expression(&switch.expression, visit);
            switch.cases.iter().for_each(|case| visit_block(&case.body, visit));
        }
        Statement::For(the_loop) => {
            visit(Visit::Loop(the_loop));
            visit_block(&the_loop.init, visit);
            visit_expression(&the_loop.condition, visit);
            visit_block(&the_loop.post, visit);
            visit_block(&the_loop.body, visit);
        }
        Statement::Function(function) => visit(Visit::Function(function)),
        Statement::Break(..) | Statement::Continue(..) | Statement::Leave(..) => {}
        Statement::Block(block) => visit_block(block, visit),
    }
}

/// Walks over the calls of an expression, in the order of evaluation.
pub fn visit_expression<'a>(expression: &'a Expression, visit: &mut impl FnMut(Visit<'a>)) {
    if let Expression::Call(call) = expression {
        call.args.iter().rev().for_each(|argument| visit_expression(argument, visit));
        visit(Visit::Call(call));
    }
}
