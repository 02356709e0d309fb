//! Binding of names and look-up.

use cairn_diag::Span;

use super::Resolver;
use crate::ast::{FunctionDefinition, Identifier, Statement, YulName};
use crate::dialect::NameClass;
use crate::error::Fault;

/// What a name is bound to.
#[derive(Clone, Copy)]
pub(super) enum Binding {
    Nothing,
    Variable { function: u32 },
    Function(Arity),
}

/// Numbers of values of a function.
#[derive(Clone, Copy)]
pub(super) struct Arity {
    pub(super) n_arguments: usize,
    pub(super) n_results: usize,
}

/// An open block.
pub(super) struct Scope {
    first_bound: usize,
    sequence: u32,
}

/// A use of a name that was not bound, and the message about it.
pub(super) struct PendingUse {
    sequence: u32,
    function: u32,
    diagnostic: usize,
}

/// How a variable is used.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    Write,
}

impl Resolver<'_> {
    /// Opens a block and binds its functions.
    pub(super) fn open_scope(&mut self, statements: &[Statement]) {
        self.sequence += 1;
        self.scopes.push(Scope { first_bound: self.bound.len(), sequence: self.sequence });
        for statement in statements {
            if let Statement::Function(function) = statement {
                self.bind_function(function);
            }
        }
    }

    pub(super) fn close_scope(&mut self) {
        let scope = self.scopes.pop().expect("invariant: every block closes the scope that it opened");
        for name in self.bound.drain(scope.first_bound..) {
            self.bindings[name.0 as usize] = Binding::Nothing;
        }
    }

    fn bind_function(&mut self, function: &FunctionDefinition) {
        let name = function.name.name;
        self.check_name(name, function.span);
        if !matches!(self.bindings[name.0 as usize], Binding::Nothing) {
            let message = format!("function name `{}` already taken in this scope", self.text(name));
            self.report(Fault::FunctionNameTaken, function.span, message);
            return;
        }
        let arity = Arity { n_arguments: function.parameters.len(), n_results: function.returns.len() };
        self.bind(name, Binding::Function(arity));
    }

    /// Binds a variable; a clash is reported at `statement`.
    pub(super) fn bind_variable(&mut self, variable: Identifier, statement: Span) {
        let name = variable.name;
        self.check_name(name, variable.span);
        if !matches!(self.bindings[name.0 as usize], Binding::Nothing) {
            let message = format!("variable name `{}` already taken in this scope", self.text(name));
            self.report(Fault::VariableNameTaken, statement, message);
            return;
        }
        self.bind(name, Binding::Variable { function: self.function });
        if !self.pending.is_empty() {
            self.explain_pending_uses(name);
        }
    }

    fn bind(&mut self, name: YulName, binding: Binding) {
        self.bindings[name.0 as usize] = binding;
        self.bound.push(name);
    }

    /// Turns 'not found' into 'used before' for the uses inside the innermost open block.
    fn explain_pending_uses(&mut self, name: YulName) {
        let Some(uses) = self.pending.get_mut(&name) else {
            return;
        };
        let scope = self.scopes.last().expect("invariant: variables are declared in a block");
        let text = self.names.text(name);
        uses.retain(|pending| {
            let is_visible = pending.sequence > scope.sequence && pending.function == self.function;
            if is_visible {
                let diagnostic = &mut self.diagnostics[pending.diagnostic];
                let is_read = diagnostic.code == Fault::IdentifierNotFound.code();
                let fault =
                    if is_read { Fault::ReadBeforeDeclaration } else { Fault::WrittenBeforeDeclaration };
                diagnostic.code = fault.code();
                diagnostic.help = None;
                diagnostic.message = format!("variable `{text}` used before it was declared");
            }
            !is_visible
        });
    }

    /// Checks that `name` may be declared.
    fn check_name(&mut self, name: YulName, span: Span) {
        if self.is_faultless[name.0 as usize] {
            return;
        }
        let text = self.text(name);
        let (ends_with_dot, has_two_dots) = (text.ends_with('.'), text.contains(".."));
        let is_reserved = self.dialect.classify(text) == NameClass::Reserved;
        self.is_faultless[name.0 as usize] = !(ends_with_dot || has_two_dots || is_reserved);
        if ends_with_dot {
            let message = format!("`{text}` is not a valid identifier (ends with a dot)");
            self.report(Fault::NameEndsWithDot, span, message);
        }
        if has_two_dots {
            let message = format!("`{text}` is not a valid identifier (contains consecutive dots)");
            self.report(Fault::NameWithDots, span, message);
        }
        if is_reserved {
            let message = format!("the identifier `{text}` is reserved and can not be used");
            self.report(Fault::ReservedName, span, message);
        }
    }

    /// Checks the use of a variable.
    pub(super) fn use_variable(&mut self, identifier: Identifier, how: Use) {
        let text = self.text(identifier.name);
        match self.bindings[identifier.name.0 as usize] {
            Binding::Variable { function } if function == self.function => {}
            Binding::Function(_) if how == Use::Read => {
                let message = format!("function `{text}` used without being called");
                self.report(Fault::FunctionNotCalled, identifier.span, message);
            }
            Binding::Function(_) => {
                self.report(
                    Fault::AssignmentToFunction,
                    identifier.span,
                    "assignment requires variable".into(),
                );
            }
            Binding::Variable { .. } => {
                self.not_found(
                    identifier,
                    how,
                    Some("variables of the code around a function cannot be used in it"),
                );
            }
            Binding::Nothing => self.not_found(identifier, how, None),
        }
    }

    fn not_found(&mut self, identifier: Identifier, how: Use, note: Option<&str>) {
        if self.is_full() {
            self.n_errors += 1;
            return;
        }
        let text = self.text(identifier.name);
        let (fault, message) = match how {
            Use::Read => (Fault::IdentifierNotFound, format!("identifier `{text}` not found")),
            Use::Write => (Fault::VariableNotFound, format!("variable `{text}` not found or not assignable")),
        };
        self.sequence += 1;
        let pending = PendingUse {
            sequence: self.sequence,
            function: self.function,
            diagnostic: self.diagnostics.len(),
        };
        self.pending.entry(identifier.name).or_default().push(pending);
        let mut diagnostic = fault.at(self.file, identifier.span, message);
        diagnostic.notes.extend(note.map(str::to_owned));
        let similar = if note.is_none() { self.similar_variable(text) } else { None };
        diagnostic.help = similar.map(|name| format!("did you mean `{name}`?"));
        self.report_diagnostic(diagnostic, fault.kind());
    }

    /// The first name that occurs a second time.
    pub(super) fn duplicates(&mut self, identifiers: &[Identifier]) -> Vec<YulName> {
        let (once, twice) = (self.stamp + 1, self.stamp + 2);
        self.stamp += 2;
        let mut duplicates = Vec::new();
        for identifier in identifiers {
            let stamp = &mut self.stamps[identifier.name.0 as usize];
            if *stamp == once {
                duplicates.push(identifier.name);
                *stamp = twice;
            } else if *stamp != twice {
                *stamp = once;
            }
        }
        duplicates
    }
}
