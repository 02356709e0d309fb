//! The statements of a well-formed text, by its tokens. Linear.
//!
//! Printed text has one of them a line, but modules and functions, which have the line with their
//! closing brace as well.

use super::Tokens;
use crate::text::lex::Kind;
use std::ops::Range;

/// What a statement is. Statements of a class are printed in the order of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Module,
    Func,
    Data,
    Source,
    /// Functions and blocks of the source.
    Scope,
    Var,
    Loc,
    Label,
    /// Has no line of its own when printed.
    Phi,
    Inst,
    Case,
}

/// True for items that have other items or a body in braces.
fn is_braced(class: Class) -> bool {
    matches!(class, Class::Module | Class::Func)
}

/// Operations with a number of their own.
const NUMBERED: [&str; 5] = ["evm.constant", "evm.alloca", "evm.heap_base", "evm.extract", "evm.insert"];

/// A statement; what is in braces is in `inner`.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) class: Class,
    /// Its tokens, up to the opening brace.
    pub(super) tokens: Range<usize>,
    pub(super) inner: Vec<Statement>,
    /// The closing brace.
    pub(super) close: Option<usize>,
    /// Instructions that are printed in front of it: constants and sums that are operands in the text.
    pub(super) num_added: usize,
}

impl Statement {
    fn new(class: Class, tokens: Range<usize>) -> Self {
        Statement { class, tokens, inner: Vec::new(), close: None, num_added: 0 }
    }
}

/// The statements of a text. Items outside a module are those of one without tokens.
pub(super) fn outline(text: &Tokens<'_>) -> Vec<Statement> {
    let items = Outline { text, at: 0 }.items();
    if items.first().is_none_or(|item| item.class == Class::Module) {
        return items;
    }
    vec![Statement { inner: items, ..Statement::new(Class::Module, 0..0) }]
}

struct Outline<'t, 'a> {
    text: &'t Tokens<'a>,
    at: usize,
}

impl Outline<'_, '_> {
    /// Items of a module, up to its closing brace. Modules nest at most
    /// [`MAX_NESTING`](crate::text::parse::MAX_NESTING) deep in a text that was parsed.
    fn items(&mut self) -> Vec<Statement> {
        let mut items = Vec::new();
        while !matches!(self.text.kind(self.at), None | Some(Kind::CloseBrace)) {
            let start = self.at;
            let class = self.item_class(start).unwrap_or(Class::Data);
            self.at += 1;
            while !self.ends_item(class) {
                self.at += 1;
            }
            let mut item = Statement::new(class, start..self.at);
            if is_braced(class) {
                self.braces(&mut item);
            }
            items.push(item);
        }
        items
    }

    fn item_class(&self, at: usize) -> Option<Class> {
        match (self.text.kind(at)?, self.text.source(at)) {
            (Kind::Word, "module") => Some(Class::Module),
            (Kind::Word, "func") => Some(Class::Func),
            (Kind::Word, "data") => Some(Class::Data),
            (Kind::Meta, "!cu") => Some(Class::Source),
            (Kind::Meta, "!fn" | "!scope") => Some(Class::Scope),
            (Kind::Meta, "!var") => Some(Class::Var),
            (Kind::Meta, "!loc") => Some(Class::Loc),
            _ => None,
        }
    }

    fn ends_item(&self, class: Class) -> bool {
        let is_braced = is_braced(class);
        match self.text.kind(self.at) {
            None | Some(Kind::CloseBrace) => true,
            Some(Kind::OpenBrace) => is_braced,
            Some(_) => !is_braced && self.item_class(self.at).is_some(),
        }
    }

    /// The braces of an item and what is in them.
    fn braces(&mut self, item: &mut Statement) {
        if self.text.kind(self.at) != Some(Kind::OpenBrace) {
            return;
        }
        self.at += 1;
        item.tokens.end = self.at;
        item.inner = if item.class == Class::Module { self.items() } else { self.body() };
        if self.text.kind(self.at) == Some(Kind::CloseBrace) {
            item.close = Some(self.at);
            self.at += 1;
        }
    }

    /// Statements of a function.
    fn body(&mut self) -> Vec<Statement> {
        let mut statements: Vec<Statement> = Vec::new();
        while !matches!(self.text.kind(self.at), None | Some(Kind::CloseBrace)) {
            let start = self.at;
            let class = self.body_statement();
            let mut statement = Statement::new(class, start..self.at);
            statement.num_added = self.num_added(&statement);
            let switch = statements.iter_mut().rfind(|statement| statement.class == Class::Inst);
            if let (Class::Case, Some(switch)) = (class, switch) {
                switch.num_added += statement.num_added;
            }
            statements.push(statement);
        }
        statements
    }

    /// How many literals and sums are operands in a statement: numbers outside types, but for the one that
    /// some operations and each case have of their own. The constant of a pointer is a number and a cast.
    fn num_added(&self, statement: &Statement) -> usize {
        if !matches!(statement.class, Class::Inst | Class::Case) {
            return 0;
        }
        let has = |word: &str| statement.tokens.clone().any(|at| self.text.source(at) == word);
        let has_own = statement.class == Class::Case || NUMBERED.iter().any(|word| has(word));
        let num_casts = usize::from(has("evm.constant") && has("ptr"));
        (self.num_numbers(statement) + num_casts).saturating_sub(usize::from(has_own))
    }

    /// Numbers outside types, and plus signs.
    fn num_numbers(&self, statement: &Statement) -> usize {
        let (mut depth, mut count) = (0_usize, 0);
        for at in statement.tokens.clone() {
            match (self.text.kind(at), self.text.source(at)) {
                (Some(Kind::Less), _) => depth += 1,
                (Some(Kind::Greater), _) => depth = depth.saturating_sub(1),
                (Some(Kind::Number), _) if depth == 0 => count += 1,
                (Some(Kind::Plus), _) | (Some(Kind::Word), "true" | "false") => count += 1,
                _ => {}
            }
        }
        count
    }

    fn body_statement(&mut self) -> Class {
        if self.text.kind(self.at) == Some(Kind::Block) {
            self.label();
            return Class::Label;
        }
        let is_case = self.text.source(self.at) == "case";
        while matches!(self.text.kind(self.at), Some(Kind::Value | Kind::Comma | Kind::Equals)) {
            self.at += 1;
        }
        let is_phi = matches!(self.text.source(self.at), "phi" | "evm.phi");
        let operation = self.at;
        self.at += 1;
        while !self.ends_statement(operation) {
            self.at += 1;
        }
        match (is_case, is_phi) {
            (true, _) => Class::Case,
            (_, true) => Class::Phi,
            _ => Class::Inst,
        }
    }

    /// `^name(%x : u256):`.
    fn label(&mut self) {
        self.at += 1;
        if self.text.kind(self.at) == Some(Kind::OpenParen) {
            // Types have angle brackets only, so the first closing parenthesis is the one.
            while !matches!(self.text.kind(self.at), None | Some(Kind::CloseParen | Kind::CloseBrace)) {
                self.at += 1;
            }
            self.at += usize::from(self.text.kind(self.at) == Some(Kind::CloseParen));
        }
        self.at += usize::from(self.text.kind(self.at) == Some(Kind::Colon));
    }

    /// True if the statement of the operation does not go on at this token.
    fn ends_statement(&self, operation: usize) -> bool {
        let Some(kind) = self.text.kind(self.at) else { return true };
        let previous = self.at - 1;
        let is_operand = matches!(
            self.text.kind(previous),
            Some(Kind::Comma | Kind::Arrow | Kind::OpenParen | Kind::OpenBracket | Kind::Colon | Kind::Less)
        );
        match kind {
            Kind::CloseBrace => true,
            Kind::Block => {
                let is_target = previous == operation && self.text.source(previous) == "evm.br";
                !is_operand && !is_target && self.text.source(previous) != "default"
            }
            Kind::Value => !is_operand && self.are_results(),
            Kind::Word => {
                !is_operand
                    && (self.text.source(self.at).starts_with("evm.") || self.text.source(self.at) == "case")
            }
            _ => false,
        }
    }

    /// True if `%a, %b =` stands here.
    fn are_results(&self) -> bool {
        let mut at = self.at + 1;
        while self.text.kind(at) == Some(Kind::Comma) && self.text.kind(at + 1) == Some(Kind::Value) {
            at += 2;
        }
        self.text.kind(at) == Some(Kind::Equals)
    }
}
