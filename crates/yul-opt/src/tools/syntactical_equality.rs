//! Functions that are the same apart from the names of their variables.
//!
//! Each function is written as a list of numbers in which variables are numbered in order of their
//! declaration; two functions are equal exactly when their lists are. Literals count by value,
//! however they are written; the bytes of strings that builtins take count as they are.

use cairn_evm::Word;
use cairn_yul::{Block, Callee, Expression, FunctionDefinition, Identifier, Literal, Statement, YulName};
use rustc_hash::FxHashMap;

use super::expressions::{takes_literal, text_of};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Token {
    Open(u8),
    Close,
    Count(usize),
    Variable(usize),
    Other(YulName),
    Call(Callee),
    Number(Word),
    Text(Box<[u8]>),
}

/// The shape of a function.
pub(crate) fn shape(function: &FunctionDefinition) -> Vec<Token> {
    let mut writer = Writer { tokens: Vec::new(), numbers: FxHashMap::default() };
    writer.declare(&function.parameters);
    writer.declare(&function.returns);
    writer.block(&function.body);
    writer.tokens
}

struct Writer {
    tokens: Vec<Token>,
    numbers: FxHashMap<YulName, usize>,
}

impl Writer {
    fn declare(&mut self, variables: &[Identifier]) {
        self.tokens.push(Token::Count(variables.len()));
        for variable in variables {
            let next = self.numbers.len();
            self.numbers.insert(variable.name, next);
        }
    }

    fn variable(&mut self, name: YulName) {
        let number = self.numbers.get(&name).copied();
        self.tokens.push(number.map_or(Token::Other(name), Token::Variable));
    }

    fn block(&mut self, block: &Block) {
        self.tokens.push(Token::Open(0));
        block.statements.iter().for_each(|statement| self.statement(statement));
        self.tokens.push(Token::Close);
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Expression(expression, ..) => {
                self.tokens.push(Token::Open(1));
                self.expression(expression);
            }
            Statement::Let(declaration) => {
                self.tokens.push(Token::Open(2));
                match &declaration.value {
                    Some(value) => self.expression(value),
                    None => self.tokens.push(Token::Close),
                }
                self.declare(&declaration.variables);
            }
            Statement::Assign(assignment) => {
                self.tokens.push(Token::Open(3));
                self.tokens.push(Token::Count(assignment.targets.len()));
                assignment.targets.iter().for_each(|target| self.variable(target.name));
                self.expression(&assignment.value);
            }
            Statement::If(branch) => {
                self.tokens.push(Token::Open(4));
                self.expression(&branch.condition);
                self.block(&branch.body);
            }
            Statement::Switch(switch) => self.switch(switch),
            Statement::For(the_loop) => {
                self.tokens.push(Token::Open(6));
                self.block(&the_loop.init);
                self.expression(&the_loop.condition);
                self.block(&the_loop.body);
                self.block(&the_loop.post);
            }
            Statement::Function(function) => {
                self.tokens.push(Token::Open(7));
                self.tokens.push(Token::Other(function.name.name));
                self.declare(&function.parameters);
                self.declare(&function.returns);
                self.block(&function.body);
            }
            Statement::Break(..) => self.tokens.push(Token::Open(8)),
            Statement::Continue(..) => self.tokens.push(Token::Open(9)),
            Statement::Leave(..) => self.tokens.push(Token::Open(10)),
            Statement::Block(block) => self.block(block),
        }
    }

    /// The order of cases does not matter: they are written by value.
    fn switch(&mut self, switch: &cairn_yul::Switch) {
        self.tokens.push(Token::Open(5));
        self.expression(&switch.expression);
        let mut cases: Vec<&cairn_yul::Case> = switch.cases.iter().collect();
        cases
            .sort_by_key(|case| case.value.as_ref().map_or((true, Word::ZERO), |value| (false, value.value)));
        for case in cases {
            match &case.value {
                Some(value) => self.literal(value),
                None => self.tokens.push(Token::Close),
            }
            self.block(&case.body);
        }
        self.tokens.push(Token::Close);
    }

    fn literal(&mut self, literal: &Literal) {
        self.tokens.push(Token::Number(literal.value));
    }

    fn expression(&mut self, expression: &Expression) {
        match expression {
            Expression::Literal(literal) => self.literal(literal),
            Expression::Identifier(identifier) => self.variable(identifier.name),
            Expression::Call(call) => {
                self.tokens.push(Token::Call(call.callee));
                for (index, argument) in call.args.iter().enumerate() {
                    match argument {
                        Expression::Literal(literal) if takes_literal(call.callee, index) => {
                            self.tokens.push(Token::Text(text_of(literal)));
                        }
                        _ => self.expression(argument),
                    }
                }
            }
        }
    }
}
