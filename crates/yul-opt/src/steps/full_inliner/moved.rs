//! Large functions that are called once: their bodies move to the call.
//!
//! Copies of them would cost the square of a chain's length, and so would moving a body once for each
//! function of the chain. So the call stays, without its arguments, until all is inlined; then each
//! body is put in place of its call, at once.

use cairn_yul::{Block, Callee, Expression, FunctionCall, Statement, YulName};
use rustc_hash::FxHashMap;

use crate::tools::builder::Place;
use crate::tools::walk::child_blocks_mut;

/// Larger functions are copied as long as there is room, and then moved if they are called once.
pub(super) const LARGE: usize = 64;

/// Bodies that wait for their place, by the function's name.
#[derive(Default)]
pub(super) struct Moved(FxHashMap<YulName, Block>);

impl Moved {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, function: YulName) -> bool {
        self.0.contains_key(&function)
    }

    /// Keeps the body; returns the statement in whose place it goes.
    pub(super) fn insert(&mut self, function: YulName, body: Block, place: Place) -> Statement {
        self.0.insert(function, body);
        let call = FunctionCall {
            callee: Callee::User(function),
            args: smallvec::smallvec![],
            span: place.span,
            src: place.src,
        };
        Statement::Expression(Expression::Call(Box::new(call)), place.span, place.src)
    }

    /// Puts all bodies in their places in a block.
    pub(super) fn put_into(&mut self, block: &mut Block) {
        let mut new = Vec::with_capacity(block.statements.len());
        let mut open = vec![std::mem::take(&mut block.statements).into_iter()];
        while let Some(statements) = open.last_mut() {
            let Some(mut statement) = statements.next() else {
                open.pop();
                continue;
            };
            match called(&statement).and_then(|function| self.0.get_mut(&function)) {
                Some(body) => open.push(std::mem::take(&mut body.statements).into_iter()),
                None => {
                    child_blocks_mut(&mut statement, &mut |child| self.put_into(child));
                    new.push(statement);
                }
            }
        }
        block.statements = new;
    }
}

fn called(statement: &Statement) -> Option<YulName> {
    match statement {
        Statement::Expression(Expression::Call(call), ..) => match call.callee {
            Callee::User(name) => Some(name),
            Callee::Builtin(_) => None,
        },
        _ => None,
    }
}
