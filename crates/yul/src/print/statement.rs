//! Printing of blocks and statements.

use super::Printer;
use crate::ast::{
    Assignment, Block, Case, For, FunctionDefinition, If, SrcRef, Statement, Switch, VariableDeclaration,
};

/// A block whose content is shorter stands on one line.
const SHORT_BLOCK: usize = 30;

/// The head of a loop that is shorter, without the word and spaces, stands on one line.
const SHORT_LOOP_HEAD: usize = 60;

impl Printer<'_> {
    pub(super) fn block(&mut self, block: &Block) {
        if self.is_hopeless() {
            return;
        }
        self.debug_line(block.src);
        match block.statements.as_slice() {
            [] => self.push("{ }"),
            [only] if self.try_short_block(only) => {}
            statements => self.broken_block(statements),
        }
    }

    fn try_short_block(&mut self, statement: &Statement) -> bool {
        let start = self.out.len();
        self.push("{ ");
        let fits = self.try_write(SHORT_BLOCK, |printer| printer.statement(statement)).is_ok();
        if fits {
            self.push(" }");
        } else {
            self.out.truncate(start);
        }
        fits
    }

    fn broken_block(&mut self, statements: &[Statement]) {
        self.push("{");
        self.indent += 1;
        for statement in statements {
            if self.is_hopeless() {
                break;
            }
            self.line_break();
            self.statement(statement);
        }
        self.indent -= 1;
        self.line_break();
        self.push("}");
    }

    pub(super) fn statement(&mut self, statement: &Statement) {
        if self.is_hopeless() {
            return;
        }
        match statement {
            Statement::Expression(expression, _, src) => {
                self.debug_line(*src);
                self.expression(expression);
            }
            Statement::Let(declaration) => self.declaration(declaration),
            Statement::Assign(assignment) => self.assignment(assignment),
            Statement::If(branch) => self.branch(branch),
            Statement::Switch(switch) => self.switch(switch),
            Statement::For(the_loop) => self.for_loop(the_loop),
            Statement::Function(function) => self.function(function),
            Statement::Break(_, src) => self.jump("break", *src),
            Statement::Continue(_, src) => self.jump("continue", *src),
            Statement::Leave(_, src) => self.jump("leave", *src),
            Statement::Block(block) => self.block(block),
        }
    }

    fn jump(&mut self, keyword: &str, src: SrcRef) {
        self.debug_line(src);
        self.push(keyword);
    }

    fn declaration(&mut self, declaration: &VariableDeclaration) {
        self.debug_line(declaration.src);
        self.push("let ");
        self.name_list(&declaration.variables);
        if let Some(value) = &declaration.value {
            self.push(" := ");
            self.expression(value);
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        self.debug_line(assignment.src);
        self.name_list(&assignment.targets);
        self.push(" := ");
        self.expression(&assignment.value);
    }

    fn branch(&mut self, branch: &If) {
        self.debug_line(branch.src);
        self.push("if ");
        self.expression(&branch.condition);
        let is_short = self.try_write(usize::MAX / 2, |printer| {
            printer.push(" ");
            printer.block(&branch.body);
        });
        if is_short.is_err() {
            self.line_break();
            self.block(&branch.body);
        }
    }

    fn switch(&mut self, switch: &Switch) {
        self.debug_line(switch.src);
        self.push("switch ");
        self.expression(&switch.expression);
        for case in &switch.cases {
            if self.is_hopeless() {
                return;
            }
            self.line_break();
            self.case(case);
        }
    }

    fn case(&mut self, case: &Case) {
        self.debug_line(case.src);
        match &case.value {
            Some(value) => {
                self.push("case ");
                self.debug_inline(value.src);
                self.push(&super::literal_text(value));
                self.comment(value.src);
                self.push(" ");
            }
            None => self.push("default "),
        }
        self.block(&case.body);
    }

    fn for_loop(&mut self, the_loop: &For) {
        self.debug_line(the_loop.src);
        self.push("for ");
        // The limit counts the two spaces between the parts.
        let is_short = self.try_write(SHORT_LOOP_HEAD + 2, |printer| {
            printer.block(&the_loop.init);
            printer.push(" ");
            printer.expression(&the_loop.condition);
            printer.push(" ");
            printer.block(&the_loop.post);
        });
        if is_short.is_err() {
            self.block(&the_loop.init);
            self.line_break();
            self.expression(&the_loop.condition);
            self.line_break();
            self.block(&the_loop.post);
        }
        self.line_break();
        self.block(&the_loop.body);
    }

    fn function(&mut self, function: &FunctionDefinition) {
        self.debug_line(function.src);
        self.push("function ");
        self.name(&function.name);
        self.push("(");
        self.name_list(&function.parameters);
        self.push(")");
        if !function.returns.is_empty() {
            self.push(" -> ");
            self.name_list(&function.returns);
        }
        self.line_break();
        self.block(&function.body);
    }
}
