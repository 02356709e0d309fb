//! Makes Yul smaller, edit by edit on its syntax tree.
//!
//! An *edit* removes a statement, a case or half a block, puts the body of a compound statement in
//! its place, or puts a number in the place of a call or variable. Edits are numbered in the order
//! of the tree. What sets up the program's memory stays: without it, addresses mean something else.

use cairn_evm::{Opcode, Word};
use cairn_yul::{
    Block, Builtin, Callee, DebugComments, Dialect, Expression, FunctionCall, Literal, LiteralKind,
    NameTable, Object, SrcRef, Statement,
};
use std::ops::Range;

/// `text` after the edit with this number; `None` if it has fewer.
pub(super) fn edited(text: &str, edit: usize) -> Option<String> {
    let parsed = cairn_yul::parse(text, cairn_diag::FileId(0), &Dialect::default());
    let mut object = parsed.object?;
    let mut editor = Editor { left: edit };
    editor.object(&mut object).then(|| print(&object, &parsed.names))
}

/// True for a program without faults.
pub(super) fn is_valid(text: &str) -> bool {
    printed(text).is_some()
}

/// A program without faults as edits write it.
pub(super) fn printed(text: &str) -> Option<String> {
    let parsed = cairn_yul::parse(text, cairn_diag::FileId(0), &Dialect::default());
    let object = parsed.object.filter(|_| !parsed.diagnostics.has_errors())?;
    Some(print(&object, &parsed.names))
}

fn print(object: &Object, names: &NameTable) -> String {
    cairn_yul::print_object(object, names, &Dialect::default(), DebugComments::Omit)
}

/// Counts down to the edit to make; each method says whether it was made.
struct Editor {
    left: usize,
}

impl Editor {
    /// True when the current place is the one to edit.
    fn is_here(&mut self) -> bool {
        let is_here = self.left == 0;
        self.left = self.left.wrapping_sub(1);
        is_here
    }

    fn object(&mut self, object: &mut Object) -> bool {
        self.block(&mut object.code) || object.objects.iter_mut().any(|inner| self.object(inner))
    }

    fn block(&mut self, block: &mut Block) -> bool {
        // Halves first: most of a program has nothing to do with its fault.
        let length = block.statements.len();
        let is_fixed = |range: Range<usize>| block.statements[range].iter().any(sets_up_memory);
        let fixed_halves = [is_fixed(length / 2..length), is_fixed(0..length / 2)];
        if length >= 4 {
            if !fixed_halves[0] && self.is_here() {
                block.statements.truncate(length / 2);
                return true;
            }
            if !fixed_halves[1] && self.is_here() {
                block.statements.drain(..length / 2);
                return true;
            }
        }
        for index in (0..length).rev() {
            if sets_up_memory(&block.statements[index]) {
                continue;
            }
            if self.is_here() {
                block.statements.remove(index);
                return true;
            }
            if let Some(body) = body_of(&block.statements[index])
                && self.is_here()
            {
                block.statements.splice(index..=index, body.statements);
                return true;
            }
            if self.statement(&mut block.statements[index]) {
                return true;
            }
        }
        false
    }

    fn statement(&mut self, statement: &mut Statement) -> bool {
        match statement {
            Statement::Expression(value, ..) => self.arguments(value),
            Statement::Let(let_) => {
                if let_.value.is_some() && self.is_here() {
                    let_.value = None;
                    return true;
                }
                let_.value.as_mut().is_some_and(|value| self.expression(value))
            }
            Statement::Assign(assign) => self.expression(&mut assign.value),
            Statement::If(if_) => self.expression(&mut if_.condition) || self.block(&mut if_.body),
            Statement::Switch(switch) => {
                for index in 0..switch.cases.len() {
                    if self.is_here() {
                        switch.cases.remove(index);
                        return true;
                    }
                }
                self.expression(&mut switch.expression)
                    || switch.cases.iter_mut().any(|case| self.block(&mut case.body))
            }
            Statement::For(for_) => self.expression(&mut for_.condition) || self.block(&mut for_.body),
            Statement::Function(func) => self.block(&mut func.body),
            Statement::Block(block) => self.block(block),
            Statement::Break(..) | Statement::Continue(..) | Statement::Leave(..) => false,
        }
    }

    /// Replaces a call or variable, or something in it.
    fn expression(&mut self, expression: &mut Expression) -> bool {
        let (span, src) = match expression {
            Expression::Literal(_) => return false,
            Expression::Identifier(variable) => (variable.span, SrcRef::NONE),
            Expression::Call(call) if keeps_its_meaning(call) => return self.arguments(expression),
            Expression::Call(call) => (call.span, call.src),
        };
        for value in [0_u8, 1] {
            if self.is_here() {
                let value = Word::from(value);
                let literal = Literal { kind: LiteralKind::Number, value, text: None, span, src };
                *expression = Expression::Literal(Box::new(literal));
                return true;
            }
        }
        self.arguments(expression)
    }

    fn arguments(&mut self, expression: &mut Expression) -> bool {
        let Expression::Call(call) = expression else { return false };
        let FunctionCall { args, .. } = &mut **call;
        args.iter_mut().any(|arg| self.expression(arg))
    }
}

/// True for calls whose value a program may use as an address only, and which a number therefore
/// cannot stand for: the pointer that `memoryguard` returned, and places in the code.
fn keeps_its_meaning(call: &FunctionCall) -> bool {
    match call.callee {
        Callee::Builtin(Builtin::DataOffset | Builtin::DataSize | Builtin::MemoryGuard) => true,
        Callee::Builtin(Builtin::Evm(Opcode::MLOAD)) => {
            matches!(&call.args[..], [Expression::Literal(address)] if address.value == Word::from(0x40))
        }
        Callee::Builtin(_) | Callee::User(_) => false,
    }
}

/// True for the statement that stores the start of the program's memory, which addresses rely on.
fn sets_up_memory(statement: &Statement) -> bool {
    let is_guard = |arg: &Expression| matches!(arg, Expression::Call(call) if call.callee == Callee::Builtin(Builtin::MemoryGuard));
    matches!(statement, Statement::Expression(Expression::Call(call), ..) if call.args.iter().any(is_guard))
}

/// The body of a compound statement with one body.
fn body_of(statement: &Statement) -> Option<Block> {
    match statement {
        Statement::If(if_) => Some(if_.body.clone()),
        Statement::For(for_) => Some(for_.body.clone()),
        Statement::Switch(switch) => switch.cases.last().map(|case| case.body.clone()),
        Statement::Block(block) => Some(block.clone()),
        _ => None,
    }
}
