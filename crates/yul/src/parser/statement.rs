//! Blocks and statements.
//!
//! The parsers of the kinds of statements are kept out of line: a nested statement then costs the stack
//! of its own kind and not of all kinds together.

use cairn_diag::Span;
use smallvec::smallvec;

use super::expression::Elementary;
use super::{Parse, Parser, Reported};
use crate::ast::{
    Assignment, Block, Case, Expression, For, FunctionDefinition, Identifier, Identifiers, If, SrcRef,
    Statement, Switch, VariableDeclaration,
};
use crate::error::Fault;
use crate::lexer::{Keyword, TokenKind};

impl Parser<'_> {
    pub(super) fn parse_block(&mut self) -> Parse<Block> {
        let open = self.token.span;
        let src = self.src();
        if self.at(TokenKind::LeftBrace) {
            self.enter_level()?;
        }
        self.expect(TokenKind::LeftBrace)?;
        let statements = self.parse_statements();
        self.leave_level();
        if !self.at(TokenKind::RightBrace) {
            return Err(self.unclosed(open));
        }
        self.advance();
        Ok(Block { statements, span: self.span_from(open.start), src })
    }

    fn unclosed(&mut self, open: Span) -> Reported {
        let found = self.token;
        let message = format!("expected `}}` but got {}", self.found());
        if !self.is_aborted {
            let fault = Fault::UnexpectedToken.at(self.file, found.span, message);
            self.diagnostics.push(fault.with_label(open, "this block is not closed"));
            self.n_errors += 1;
            self.abort();
        }
        Reported
    }

    /// Statements up to the closing brace or the end of the text; faulty ones are left out.
    #[inline(never)]
    fn parse_statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        while !self.at(TokenKind::RightBrace) && !self.at(TokenKind::EndOfSource) {
            let start = self.token.span.start;
            if self.parse_statement(&mut statements).is_err() {
                self.skip_statement(start);
            }
        }
        statements
    }

    /// Skips to where the next statement probably starts: a keyword that starts statements, a name
    /// or block at the start of a line, or the end of the block. Braces are skipped in pairs.
    fn skip_statement(&mut self, start: u32) {
        let mut open = 0_usize;
        let mut must_advance = self.token.span.start == start;
        loop {
            let is_start = open == 0 && !must_advance && self.at_statement_start();
            match self.token.kind {
                TokenKind::EndOfSource => return,
                TokenKind::RightBrace if open == 0 => return,
                _ if is_start => return,
                TokenKind::LeftBrace => open += 1,
                TokenKind::RightBrace => open -= 1,
                _ => {}
            }
            must_advance = false;
            self.advance();
        }
    }

    fn at_statement_start(&self) -> bool {
        match self.token.kind {
            TokenKind::Keyword(keyword) => match keyword {
                Keyword::Let | Keyword::If | Keyword::Switch | Keyword::For | Keyword::Function => true,
                Keyword::Break | Keyword::Continue | Keyword::Leave => true,
                Keyword::Case | Keyword::Default | Keyword::True | Keyword::False => false,
            },
            TokenKind::Identifier | TokenKind::LeftBrace => {
                let gap = self.previous_end as usize..self.token.span.start as usize;
                self.text.as_bytes()[gap].contains(&b'\n')
            }
            _ => false,
        }
    }

    fn parse_statement(&mut self, statements: &mut Vec<Statement>) -> Parse<()> {
        let TokenKind::Keyword(keyword) = self.token.kind else {
            if self.at(TokenKind::LeftBrace) {
                return self.parse_inner_block(statements);
            }
            return self.parse_call_or_assignment(statements);
        };
        match keyword {
            Keyword::Let => self.parse_let(statements),
            Keyword::If => self.parse_if(statements),
            Keyword::Switch => self.parse_switch(statements),
            Keyword::For => self.parse_for(statements),
            Keyword::Function => self.parse_function(statements),
            Keyword::Break => self.parse_jump(Statement::Break, statements),
            Keyword::Continue => self.parse_jump(Statement::Continue, statements),
            Keyword::Leave => self.parse_jump(Statement::Leave, statements),
            Keyword::Case | Keyword::Default | Keyword::True | Keyword::False => {
                self.parse_call_or_assignment(statements)
            }
        }
    }

    #[inline(never)]
    fn parse_inner_block(&mut self, statements: &mut Vec<Statement>) -> Parse<()> {
        let block = self.parse_block()?;
        statements.push(Statement::Block(block));
        Ok(())
    }

    fn parse_jump(
        &mut self,
        make: fn(Span, SrcRef) -> Statement,
        statements: &mut Vec<Statement>,
    ) -> Parse<()> {
        statements.push(make(self.token.span, self.src()));
        self.advance();
        Ok(())
    }

    #[inline(never)]
    fn parse_let(&mut self, statements: &mut Vec<Statement>) -> Parse<()> {
        let (start, src) = (self.token.span.start, self.src());
        self.advance();
        let variables = self.parse_declared_names()?;
        let mut value = None;
        if self.at(TokenKind::Assign) {
            self.advance();
            value = Some(self.parse_expression()?);
        }
        let declaration = VariableDeclaration { variables, value, span: self.span_from(start), src };
        statements.push(Statement::Let(declaration));
        Ok(())
    }

    #[inline(never)]
    fn parse_if(&mut self, statements: &mut Vec<Statement>) -> Parse<()> {
        let (start, src) = (self.token.span.start, self.src());
        self.advance();
        let condition = self.parse_expression()?;
        let body = self.parse_block()?;
        statements.push(Statement::If(If { condition, body, span: self.span_from(start), src }));
        Ok(())
    }

    #[inline(never)]
    fn parse_switch(&mut self, statements: &mut Vec<Statement>) -> Parse<()> {
        let (start, src) = (self.token.span.start, self.src());
        self.advance();
        let expression = self.parse_expression()?;
        let mut cases: Vec<Case> = Vec::new();
        let mut has_default = false;
        while self.at_keyword(Keyword::Case) || self.at_keyword(Keyword::Default) {
            let is_default = self.at_keyword(Keyword::Default);
            let span = self.token.span;
            if has_default && is_default {
                self.report(Fault::SecondDefault, span, "only one default case allowed");
            } else if has_default {
                self.report(Fault::CaseAfterDefault, span, "case not allowed after default case");
            }
            has_default |= is_default;
            self.parse_case(&mut cases)?;
        }
        if cases.is_empty() {
            let message = "switch statement without any cases";
            return Err(self.report(Fault::SwitchWithoutCases, self.token.span, message));
        }
        statements.push(Statement::Switch(Switch { expression, cases, span: self.span_from(start), src }));
        Ok(())
    }

    #[inline(never)]
    fn parse_case(&mut self, cases: &mut Vec<Case>) -> Parse<()> {
        let (start, src) = (self.token.span.start, self.src());
        let is_default = self.at_keyword(Keyword::Default);
        self.advance();
        let mut value = None;
        if !is_default {
            if self.at(TokenKind::Identifier) {
                self.advance();
                return Err(self.report(Fault::LiteralExpected, self.token.span, "literal expected"));
            }
            value = Some(self.parse_literal()?);
        }
        let body = self.parse_block()?;
        cases.push(Case { value, body, span: self.span_from(start), src });
        Ok(())
    }

    #[inline(never)]
    fn parse_for(&mut self, statements: &mut Vec<Statement>) -> Parse<()> {
        let (start, src) = (self.token.span.start, self.src());
        self.advance();
        let init = self.parse_block()?;
        let condition = self.parse_expression()?;
        let post = self.parse_block()?;
        let body = self.parse_block()?;
        let the_loop = For { init, condition, post, body, span: self.span_from(start), src };
        statements.push(Statement::For(Box::new(the_loop)));
        Ok(())
    }

    #[inline(never)]
    fn parse_function(&mut self, statements: &mut Vec<Statement>) -> Parse<()> {
        let (start, src) = (self.token.span.start, self.src());
        self.advance();
        let name = self.parse_declared_name()?;
        self.expect(TokenKind::LeftParen)?;
        let mut parameters = Vec::new();
        // A comma after the last parameter is allowed; solc itself writes such functions.
        while !self.at(TokenKind::RightParen) {
            parameters.push(self.parse_declared_name()?);
            if !self.at(TokenKind::RightParen) {
                self.expect(TokenKind::Comma)?;
            }
        }
        self.expect(TokenKind::RightParen)?;
        let mut returns = Vec::new();
        if self.at(TokenKind::Arrow) {
            self.advance();
            returns = self.parse_declared_names()?.into_vec();
        }
        let body = self.parse_block()?;
        let span = self.span_from(start);
        let function = FunctionDefinition { name, parameters, returns, body, span, src };
        statements.push(Statement::Function(Box::new(function)));
        Ok(())
    }

    /// A statement that starts with a name or literal.
    #[inline(never)]
    fn parse_call_or_assignment(&mut self, statements: &mut Vec<Statement>) -> Parse<()> {
        let (start, src) = (self.token.span.start, self.src());
        let head = self.parse_elementary()?;
        match self.token.kind {
            TokenKind::LeftParen => {
                let call = self.parse_call(head)?;
                let span = call.span;
                statements.push(Statement::Expression(Expression::Call(Box::new(call)), span, src));
                Ok(())
            }
            TokenKind::Comma | TokenKind::Assign => {
                let targets = self.parse_targets(head)?;
                let value = self.parse_expression()?;
                let span = self.span_from(start);
                statements.push(Statement::Assign(Assignment { targets, value, span, src }));
                Ok(())
            }
            _ => {
                let message = "call or assignment expected";
                Err(self.report(Fault::CallOrAssignmentExpected, self.token.span, message))
            }
        }
    }

    /// The names left of `:=`, which is taken as well.
    fn parse_targets(&mut self, head: Elementary) -> Parse<Identifiers> {
        let mut targets: Identifiers = smallvec![self.target(head)?];
        while self.at(TokenKind::Comma) {
            self.advance();
            let next = self.parse_elementary()?;
            targets.push(self.target(next)?);
        }
        self.expect(TokenKind::Assign)?;
        Ok(targets)
    }

    fn target(&mut self, head: Elementary) -> Parse<Identifier> {
        let span = self.token.span;
        match head {
            Elementary::Identifier(identifier) => Ok(identifier),
            Elementary::Builtin(builtin, ..) => {
                let name = builtin.name(self.dialect.fork);
                let message = format!("cannot assign to builtin function `{name}`");
                Err(self.report(Fault::AssignmentToBuiltin, span, message))
            }
            Elementary::Literal(_) => {
                let next = self.token.kind.describe();
                let message = format!("variable name must precede {next} in multiple assignment");
                Err(self.report(Fault::VariableBeforeComma, span, message))
            }
        }
    }
}
