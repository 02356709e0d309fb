//! The tree of a function as Yul, with names, literals and comments.

use crate::literal::spell;
use crate::names::{FunctionNames, VarNames};
use crate::notes::Notes;
use crate::tree::{Callee, Expr, For, Stmt, Var};
use cairn_evm::{Opcode, Word};
use cairn_yul::Builtin;
use cairn_yul::ast::{
    Assignment, Block, Case, Expression, FunctionCall, Identifier, If, Literal, LiteralKind, NameTable, Span,
    SrcRef, Statement, Switch, VariableDeclaration,
};

/// No place in a text.
const NOWHERE: Span = Span { start: 0, end: 0 };

/// Writes the parts of one function.
pub(crate) struct YulWriter<'a> {
    pub(crate) table: &'a mut NameTable,
    pub(crate) functions: &'a FunctionNames,
    pub(crate) vars: VarNames<'a>,
    pub(crate) notes: &'a Notes,
    /// Comments of the object.
    pub(crate) comments: &'a mut Vec<Box<str>>,
    /// The helper that gives the smaller of two words is called.
    pub(crate) needs_min: bool,
}

impl YulWriter<'_> {
    pub(crate) fn identifier(&mut self, var: Var) -> Identifier {
        let name = self.vars.get(var, self.table);
        Identifier { name, span: NOWHERE, src: SrcRef::NONE }
    }

    fn comment(&mut self, text: &str) -> SrcRef {
        self.comments.push(text.into());
        SrcRef(self.comments.len() as u32 - 1)
    }

    pub(crate) fn block(&mut self, stmts: &[Stmt]) -> Block {
        let statements = stmts.iter().map(|stmt| self.statement(stmt)).collect();
        Block { statements, span: NOWHERE, src: SrcRef::NONE }
    }

    fn statement(&mut self, stmt: &Stmt) -> Statement {
        let (span, src) = (NOWHERE, SrcRef::NONE);
        match stmt {
            Stmt::Declare(vars) => self.declaration(vars, None),
            Stmt::Assign { vars, value, is_declaration: true } => self.declaration(vars, Some(value)),
            Stmt::Assign { vars, value, is_declaration: false } => {
                let value = self.expression(value);
                let targets = vars.iter().map(|var| self.identifier(*var)).collect();
                Statement::Assign(Assignment { targets, value, span, src })
            }
            Stmt::Do(value) => Statement::Expression(self.expression(value), span, src),
            Stmt::If(condition, body, _) => {
                let condition = self.expression(condition);
                Statement::If(If { condition, body: self.block(body), span, src })
            }
            Stmt::Switch(value, cases, default, _) => self.switch(value, cases, default),
            Stmt::For(of) => self.for_loop(of),
            Stmt::Break => Statement::Break(span, src),
            Stmt::Continue => Statement::Continue(span, src),
            Stmt::Leave | Stmt::Go(_) => Statement::Leave(span, src),
        }
    }

    fn declaration(&mut self, vars: &[Var], value: Option<&Expr>) -> Statement {
        let value = value.map(|value| self.expression(value));
        let variables = vars.iter().map(|var| self.identifier(*var)).collect();
        Statement::Let(VariableDeclaration { variables, value, span: NOWHERE, src: SrcRef::NONE })
    }

    fn switch(&mut self, value: &Expr, cases: &[(Word, Vec<Stmt>)], default: &[Stmt]) -> Statement {
        let (span, src) = (NOWHERE, SrcRef::NONE);
        let expression = self.expression(value);
        let mut list = Vec::with_capacity(cases.len() + 1);
        for (word, body) in cases {
            let value = Some(self.number(*word));
            list.push(Case { value, body: self.block(body), span, src });
        }
        if !default.is_empty() || cases.is_empty() {
            list.push(Case { value: None, body: self.block(default), span, src });
        }
        Statement::Switch(Switch { expression, cases: list, span, src })
    }

    fn for_loop(&mut self, of: &For) -> Statement {
        let init = self.block(&of.init);
        let condition = self.expression(&of.condition);
        let (body, post) = (self.block(&of.body), self.block(&of.post));
        let (span, src) = (NOWHERE, SrcRef::NONE);
        Statement::For(Box::new(cairn_yul::For { init, condition, post, body, span, src }))
    }

    fn number(&mut self, word: Word) -> Literal {
        let (kind, text) = spell(word);
        let src = match self.notes.of_number(word) {
            Some(note) if kind == LiteralKind::Number => self.comment(note),
            _ => SrcRef::NONE,
        };
        Literal { kind, value: word, text: Some(text.into()), span: NOWHERE, src }
    }

    fn expression(&mut self, expr: &Expr) -> Expression {
        match expr {
            Expr::Number(word) if *word == Word::MAX => {
                let zero = Expr::Number(Word::ZERO);
                self.expression(&Expr::evm(Opcode::NOT, vec![zero]))
            }
            Expr::Number(word) => Expression::Literal(Box::new(self.number(*word))),
            Expr::Text(text) => {
                let (kind, text) = (LiteralKind::String, Some(text.as_bytes().into()));
                let (value, span, src) = (Word::ZERO, NOWHERE, SrcRef::NONE);
                Expression::Literal(Box::new(Literal { kind, value, text, span, src }))
            }
            Expr::Var(var) => Expression::Identifier(self.identifier(*var)),
            Expr::Call(callee, args, _) => self.call(*callee, args),
        }
    }

    fn call(&mut self, callee: Callee, args: &[Expr]) -> Expression {
        let src = self.slot_note(callee, args);
        let args = args.iter().map(|arg| self.expression(arg)).collect();
        let callee = match callee {
            Callee::Builtin(builtin) => cairn_yul::Callee::Builtin(builtin),
            Callee::Func(func) => cairn_yul::Callee::User(self.functions.get(func)),
            Callee::Min => {
                self.needs_min = true;
                cairn_yul::Callee::User(self.functions.min)
            }
        };
        Expression::Call(Box::new(FunctionCall { callee, args, span: NOWHERE, src }))
    }

    /// What is known of the slot that is loaded or stored.
    fn slot_note(&mut self, callee: Callee, args: &[Expr]) -> SrcRef {
        let is_access = matches!(callee, Callee::Builtin(Builtin::Evm(Opcode::SLOAD | Opcode::SSTORE)));
        let Some(Expr::Number(slot)) = args.first().filter(|_| is_access) else { return SrcRef::NONE };
        match self.notes.slots.get(slot) {
            Some(note) => self.comment(note),
            None => SrcRef::NONE,
        }
    }
}
