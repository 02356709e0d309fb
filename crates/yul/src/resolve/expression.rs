//! Checks of expressions.

use cairn_diag::{Diagnostic, Span};
use cairn_evm::{Fork, Opcode};

use super::Resolver;
use super::scope::{Arity, Binding, Use};
use crate::ast::{Callee, Expression, FunctionCall, Literal, LiteralKind, YulName};
use crate::dialect::{Argument, Builtin};
use crate::error::Fault;

/// The longest string that is a value.
const WORD_BYTES: usize = 32;

/// How many values an expression has.
#[derive(Clone, Copy)]
pub(super) enum Values {
    Known(usize),
    /// An unknown function is called.
    Unknown,
}

impl Resolver<'_> {
    pub(super) fn single_value(&mut self, expression: &Expression) {
        let Values::Known(n_values) = self.expression(expression) else {
            return;
        };
        if n_values != 1 {
            let message =
                format!("expected expression to evaluate to one value, but got {n_values} values instead");
            self.report(Fault::ValueCount, span_of(expression), message);
        }
    }

    pub(super) fn expression(&mut self, expression: &Expression) -> Values {
        match expression {
            Expression::Literal(literal) => {
                self.literal_fits(literal);
                Values::Known(1)
            }
            Expression::Identifier(identifier) => {
                self.use_variable(*identifier, Use::Read);
                Values::Known(1)
            }
            Expression::Call(call) => self.call(call),
        }
    }

    /// Reports a string over 32 bytes where a value is needed.
    pub(super) fn literal_fits(&mut self, literal: &Literal) -> bool {
        let length = match (literal.kind, &literal.text) {
            (LiteralKind::String, Some(bytes)) => bytes.len(),
            (LiteralKind::String | LiteralKind::Number | LiteralKind::Bool, _) => 0,
        };
        if length > WORD_BYTES {
            let message = format!("string literal too long ({length} > {WORD_BYTES})");
            self.report(Fault::StringTooLong, literal.span, message);
        }
        length <= WORD_BYTES
    }

    fn call(&mut self, call: &FunctionCall) -> Values {
        match call.callee {
            Callee::Builtin(builtin) => self.builtin_call(builtin, call),
            Callee::User(name) => self.user_call(name, call),
        }
    }

    fn user_call(&mut self, name: YulName, call: &FunctionCall) -> Values {
        let span = name_span(call, self.text(name).len());
        let arity = match self.bindings[name.0 as usize] {
            Binding::Function(arity) => Some(arity),
            Binding::Variable { function } if function == self.function => {
                let message = "attempt to call variable instead of function";
                self.report(Fault::VariableCalled, span, message.into());
                None
            }
            Binding::Variable { .. } | Binding::Nothing => {
                self.unknown_function(name, span);
                None
            }
        };
        if let Some(arity) = arity {
            self.check_argument_count(self.text(name), span, call.args.len(), arity);
        }
        call.args.iter().for_each(|argument| self.single_value(argument));
        arity.map_or(Values::Unknown, |arity| Values::Known(arity.n_results))
    }

    fn unknown_function(&mut self, name: YulName, span: Span) {
        let text = self.text(name);
        let Some(opcode) = self.dialect.later_builtin(text) else {
            let fault = Fault::FunctionNotFound.at(self.file, span, format!("function `{text}` not found"));
            let help = self.similar_function(text).map(|name| format!("did you mean `{name}`?"));
            let kind = Fault::FunctionNotFound.kind();
            self.report_diagnostic(Diagnostic { help, ..fault }, kind);
            return;
        };
        let message = format!(
            "the `{text}` instruction is only available for {}-compatible VMs (you are currently compiling \
             for `{}`)",
            capitalized(opcode.known().since),
            self.dialect.fork
        );
        self.report(later_instruction(opcode), span, message);
    }

    fn builtin_call(&mut self, builtin: Builtin, call: &FunctionCall) -> Values {
        let name = builtin.name(self.dialect.fork);
        let span = name_span(call, name.len());
        let arity = Arity { n_arguments: builtin.n_arguments(), n_results: builtin.n_results() };
        self.check_argument_count(&name, span, call.args.len(), arity);
        for (index, argument) in call.args.iter().enumerate() {
            match builtin.argument(index) {
                Argument::Value => self.single_value(argument),
                wanted => self.literal_argument(wanted, argument, span),
            }
        }
        self.check_special(builtin, call, span);
        Values::Known(arity.n_results)
    }

    fn check_argument_count(&mut self, name: &str, span: Span, n_arguments: usize, arity: Arity) {
        if n_arguments != arity.n_arguments {
            let message =
                format!("function `{name}` expects {} arguments but got {n_arguments}", arity.n_arguments);
            self.report(Fault::ArgumentCount, span, message);
        }
    }

    fn literal_argument(&mut self, wanted: Argument, argument: &Expression, callee: Span) {
        let Expression::Literal(literal) = argument else {
            let message = "function expects direct literals as arguments";
            self.report(Fault::DirectLiteralExpected, callee, message.into());
            return;
        };
        let (kind, kind_name) = match wanted {
            Argument::NumberLiteral => (LiteralKind::Number, "number"),
            Argument::StringLiteral | Argument::DataName | Argument::Value => (LiteralKind::String, "string"),
        };
        if literal.kind != kind {
            let message = format!("function expects {kind_name} literal");
            self.report(Fault::LiteralKindMismatch, literal.span, message);
            return;
        }
        if wanted == Argument::DataName {
            let name = String::from_utf8_lossy(literal.text.as_deref().unwrap_or_default());
            if !self.data_names.contains(self.object, &name) {
                let message = format!("unknown data object `{name}`");
                self.report(Fault::UnknownDataObject, literal.span, message);
            }
        }
    }

    /// Checks that concern single builtins.
    fn check_special(&mut self, builtin: Builtin, call: &FunctionCall, span: Span) {
        if let (Builtin::Verbatim { .. }, Some(Expression::Literal(literal))) = (builtin, call.args.first())
            && literal.kind == LiteralKind::String
            && literal.text.as_ref().is_none_or(|bytes| bytes.is_empty())
        {
            let message = "the `verbatim_*` builtins cannot be used with empty bytecode";
            self.report(Fault::EmptyVerbatim, literal.span, message.into());
        }
        if builtin == Builtin::Evm(Opcode::TSTORE) && !self.has_transient_storage {
            self.has_transient_storage = true;
            let message = "transient storage as defined by EIP-1153 can break the composability of smart \
                           contracts: it is cleared only at the end of the transaction and not at the end \
                           of the outermost call frame to the contract";
            self.report(Fault::TransientStorage, span, message.into());
        }
    }
}

/// Place of the name in a call.
fn name_span(call: &FunctionCall, length: usize) -> Span {
    Span::new(call.span.start, (call.span.start + length as u32).min(call.span.end))
}

fn span_of(expression: &Expression) -> Span {
    match expression {
        Expression::Literal(literal) => literal.span,
        Expression::Identifier(identifier) => identifier.span,
        Expression::Call(call) => call.span,
    }
}

fn later_instruction(opcode: Opcode) -> Fault {
    match opcode {
        Opcode::SHL | Opcode::SHR | Opcode::SAR => Fault::LaterBitOperation,
        Opcode::RETURNDATASIZE => Fault::LaterReturndataSize,
        Opcode::RETURNDATACOPY => Fault::LaterReturndataCopy,
        Opcode::STATICCALL => Fault::LaterStaticCall,
        Opcode::EXTCODEHASH => Fault::LaterExtcodehash,
        Opcode::CREATE2 => Fault::LaterCreate2,
        Opcode::CHAINID => Fault::LaterChainId,
        Opcode::SELFBALANCE => Fault::LaterSelfBalance,
        Opcode::BASEFEE => Fault::LaterBasefee,
        Opcode::BLOBHASH => Fault::LaterBlobhash,
        Opcode::BLOBBASEFEE => Fault::LaterBlobBasefee,
        Opcode::MCOPY => Fault::LaterMcopy,
        Opcode::TLOAD | Opcode::TSTORE => Fault::LaterTransient,
        Opcode::CLZ => Fault::LaterClz,
        _ => Fault::LaterInstruction,
    }
}

fn capitalized(fork: Fork) -> String {
    let name = fork.name();
    name[..1].to_uppercase() + &name[1..]
}
