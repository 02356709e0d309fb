//! Blocks and statements.

use cairn_diag::Span;

use super::expression::Elementary;
use super::{Parse, Parser, Reported};
use crate::ast::{
    Assignment, Block, Case, Expression, For, FunctionDefinition, Identifier, If, Statement, Switch,
    VariableDeclaration,
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
        let message = format!("expected `}}` but got {}", found.kind.describe());
        if !self.is_aborted {
            let fault = Fault::UnexpectedToken.at(self.file, found.span, message);
            self.diagnostics.push(fault.with_label(open, "this block is not closed"));
            self.n_errors += 1;
            self.abort();
        }
        Reported
    }

    /// Statements up to the closing brace or the end of the text; faulty ones are left out.
    fn parse_statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        while !self.at(TokenKind::RightBrace) && !self.at(TokenKind::EndOfSource) {
            let start = self.token.span.start;
            match self.parse_statement() {
                Ok(statement) => statements.push(statement),
                Err(Reported) => self.skip_statement(start),
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
                Keyword::Case | Keyword::Default | Keyword::True | Keyword::False | Keyword::Hex => false,
            },
            TokenKind::Identifier | TokenKind::LeftBrace => {
                let gap = self.previous_end as usize..self.token.span.start as usize;
                self.text.as_bytes()[gap].contains(&b'\n')
            }
            _ => false,
        }
    }

    fn parse_statement(&mut self) -> Parse<Statement> {
        let TokenKind::Keyword(keyword) = self.token.kind else {
            if self.at(TokenKind::LeftBrace) {
                return Ok(Statement::Block(self.parse_block()?));
            }
            return self.parse_call_or_assignment();
        };
        match keyword {
            Keyword::Let => Ok(Statement::Let(self.parse_let()?)),
            Keyword::If => Ok(Statement::If(self.parse_if()?)),
            Keyword::Switch => Ok(Statement::Switch(self.parse_switch()?)),
            Keyword::For => Ok(Statement::For(Box::new(self.parse_for()?))),
            Keyword::Function => Ok(Statement::Function(Box::new(self.parse_function()?))),
            Keyword::Break | Keyword::Continue | Keyword::Leave => {
                let (span, src) = (self.token.span, self.src());
                self.advance();
                Ok(match keyword {
                    Keyword::Break => Statement::Break(span, src),
                    Keyword::Continue => Statement::Continue(span, src),
                    _ => Statement::Leave(span, src),
                })
            }
            Keyword::Case | Keyword::Default | Keyword::True | Keyword::False | Keyword::Hex => {
                self.parse_call_or_assignment()
            }
        }
    }

    fn parse_let(&mut self) -> Parse<VariableDeclaration> {
        let (start, src) = (self.token.span.start, self.src());
        self.advance();
        let variables = self.parse_declared_names()?;
        let mut value = None;
        if self.at(TokenKind::Assign) {
            self.advance();
            value = Some(self.parse_expression()?);
        }
        Ok(VariableDeclaration { variables, value, span: self.span_from(start), src })
    }

    fn parse_if(&mut self) -> Parse<If> {
        let (start, src) = (self.token.span.start, self.src());
        self.advance();
        let condition = self.parse_expression()?;
        let body = self.parse_block()?;
        Ok(If { condition, body, span: self.span_from(start), src })
    }

    fn parse_switch(&mut self) -> Parse<Switch> {
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
            cases.push(self.parse_case(is_default)?);
        }
        if cases.is_empty() {
            let message = "switch statement without any cases";
            return Err(self.report(Fault::SwitchWithoutCases, self.token.span, message));
        }
        Ok(Switch { expression, cases, span: self.span_from(start), src })
    }

    fn parse_case(&mut self, is_default: bool) -> Parse<Case> {
        let (start, src) = (self.token.span.start, self.src());
        self.advance();
        let mut value = None;
        if !is_default {
            if self.at(TokenKind::Identifier) || self.at(TokenKind::LeftBrace) {
                return Err(self.report(Fault::LiteralExpected, self.token.span, "literal expected"));
            }
            value = Some(self.parse_literal()?);
        }
        let body = self.parse_block()?;
        Ok(Case { value, body, span: self.span_from(start), src })
    }

    fn parse_for(&mut self) -> Parse<For> {
        let (start, src) = (self.token.span.start, self.src());
        self.advance();
        let init = self.parse_block()?;
        let condition = self.parse_expression()?;
        let post = self.parse_block()?;
        let body = self.parse_block()?;
        Ok(For { init, condition, post, body, span: self.span_from(start), src })
    }

    fn parse_function(&mut self) -> Parse<FunctionDefinition> {
        let (start, src) = (self.token.span.start, self.src());
        self.advance();
        let name = self.parse_declared_name()?;
        self.expect(TokenKind::LeftParen)?;
        let mut parameters = Vec::new();
        // solc prints and accepts a comma after the last parameter.
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
            returns = self.parse_declared_names()?;
        }
        let body = self.parse_block()?;
        Ok(FunctionDefinition { name, parameters, returns, body, span: self.span_from(start), src })
    }

    /// A statement that starts with a name or literal.
    fn parse_call_or_assignment(&mut self) -> Parse<Statement> {
        let (start, src) = (self.token.span.start, self.src());
        let head = self.parse_elementary()?;
        match self.token.kind {
            TokenKind::LeftParen => {
                let call = self.parse_call(head)?;
                let span = call.span;
                Ok(Statement::Expression(Expression::Call(Box::new(call)), span, src))
            }
            TokenKind::Comma | TokenKind::Assign => {
                let targets = self.parse_targets(head)?;
                let value = self.parse_expression()?;
                Ok(Statement::Assign(Assignment { targets, value, span: self.span_from(start), src }))
            }
            _ => {
                let message = "call or assignment expected";
                Err(self.report(Fault::CallOrAssignmentExpected, self.token.span, message))
            }
        }
    }

    /// The names left of `:=`, which is taken as well.
    fn parse_targets(&mut self, head: Elementary) -> Parse<Vec<Identifier>> {
        let mut targets = vec![self.target(head)?];
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
