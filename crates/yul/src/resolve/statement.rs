//! Checks of statements.

use cairn_diag::Span;
use rustc_hash::FxHashSet;

use super::expression::Values;
use super::scope::Use;
use super::{LoopPart, Resolver};
use crate::ast::{
    Assignment, Block, Case, For, FunctionDefinition, Identifier, Statement, Switch, VariableDeclaration,
};
use crate::error::Fault;

impl Resolver<'_> {
    pub(super) fn block(&mut self, block: &Block) {
        self.open_scope(&block.statements);
        self.statements(&block.statements);
        self.close_scope();
    }

    fn statements(&mut self, statements: &[Statement]) {
        statements.iter().for_each(|statement| self.statement(statement));
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Expression(expression, span, _) => {
                if let Values::Known(n @ 1..) = self.expression(expression) {
                    let plural = if n == 1 { "" } else { "s" };
                    let message = format!(
                        "top-level expressions are not supposed to return values (this expression returns \
                         {n} value{plural}); use `pop()` or assign them"
                    );
                    self.report(Fault::UnusedValues, *span, message);
                }
            }
            Statement::Let(declaration) => self.declaration(declaration),
            Statement::Assign(assignment) => self.assignment(assignment),
            Statement::If(branch) => {
                self.single_value(&branch.condition);
                self.block(&branch.body);
            }
            Statement::Switch(switch) => self.switch(switch),
            Statement::For(the_loop) => self.for_loop(the_loop),
            Statement::Function(function) => self.function(function),
            Statement::Break(span, _) => self.loop_jump("break", *span),
            Statement::Continue(span, _) => self.loop_jump("continue", *span),
            Statement::Leave(span, _) => {
                if self.function == 0 {
                    let message = "keyword `leave` can only be used inside a function";
                    self.report(Fault::LeaveOutsideFunction, *span, message.into());
                }
            }
            Statement::Block(block) => self.block(block),
        }
    }

    fn declaration(&mut self, declaration: &VariableDeclaration) {
        if let Some(value) = &declaration.value {
            let n_variables = declaration.variables.len();
            if let Values::Known(n_values) = self.expression(value)
                && n_values != n_variables
            {
                let message = format!(
                    "variable count mismatch for declaration of `{}`: {n_variables} variables and {n_values} \
                     values",
                    self.name_list(&declaration.variables)
                );
                self.report(Fault::DeclarationCount, declaration.span, message);
            }
        }
        for variable in &declaration.variables {
            self.bind_variable(*variable, declaration.span);
        }
    }

    fn assignment(&mut self, assignment: &Assignment) {
        for target in &assignment.targets {
            self.use_variable(*target, Use::Write);
        }
        for name in self.duplicates(&assignment.targets) {
            let message = format!(
                "variable `{}` occurs multiple times on the left-hand side of the assignment",
                self.text(name)
            );
            self.report(Fault::DuplicateTarget, assignment.span, message);
        }
        let n_variables = assignment.targets.len();
        if let Values::Known(n_values) = self.expression(&assignment.value)
            && n_values != n_variables
        {
            let message = format!(
                "variable count for assignment to `{}` does not match number of values ({n_variables} vs. \
                 {n_values})",
                self.name_list(&assignment.targets)
            );
            self.report(Fault::AssignmentCount, assignment.span, message);
        }
    }

    fn name_list(&self, identifiers: &[Identifier]) -> String {
        let texts: Vec<&str> = identifiers.iter().map(|identifier| self.text(identifier.name)).collect();
        texts.join(", ")
    }

    fn switch(&mut self, switch: &Switch) {
        self.single_value(&switch.expression);
        if let [Case { value: None, .. }] = switch.cases.as_slice() {
            let message = "`switch` statement with only a default case";
            self.report(Fault::OnlyDefault, switch.span, message.into());
        }
        let mut values = FxHashSet::default();
        for case in &switch.cases {
            if let Some(literal) = &case.value
                && self.literal_fits(literal)
                && !values.insert(literal.value)
            {
                let message = format!("duplicate case `{}` defined", crate::print::literal_text(literal));
                self.report(Fault::DuplicateCase, case.span, message);
            }
            self.block(&case.body);
        }
    }

    fn for_loop(&mut self, the_loop: &For) {
        let outer = self.loop_part;
        self.open_scope(&the_loop.init.statements);
        self.loop_part = LoopPart::Init;
        self.statements(&the_loop.init.statements);
        self.loop_part = outer;
        self.single_value(&the_loop.condition);
        self.loop_part = LoopPart::Post;
        self.block(&the_loop.post);
        self.loop_part = LoopPart::Body;
        self.block(&the_loop.body);
        self.loop_part = outer;
        self.close_scope();
    }

    fn function(&mut self, function: &FunctionDefinition) {
        if self.loop_part == LoopPart::Init {
            let start = function.span.start;
            let keyword = Span::new(start, start + "function".len() as u32);
            let message = "functions cannot be defined inside a for-loop init block";
            self.report(Fault::FunctionInInit, keyword, message.into());
        }
        let outer = (self.function, self.loop_part);
        self.n_functions += 1;
        self.function = self.n_functions;
        self.loop_part = LoopPart::Outside;
        self.open_scope(&[]);
        for variable in function.parameters.iter().chain(&function.returns) {
            self.bind_variable(*variable, variable.span);
        }
        self.block(&function.body);
        self.close_scope();
        (self.function, self.loop_part) = outer;
    }

    fn loop_jump(&mut self, keyword: &str, span: Span) {
        let (fault, place) = match self.loop_part {
            LoopPart::Body => return,
            LoopPart::Outside => (Fault::OutsideLoop, "needs to be inside a for-loop body"),
            LoopPart::Init => (Fault::InsideInit, "in for-loop init block is not allowed"),
            LoopPart::Post => (Fault::InsidePost, "in for-loop post block is not allowed"),
        };
        self.report(fault, span, format!("keyword `{keyword}` {place}"));
    }
}
