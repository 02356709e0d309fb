//! Checks of names, arities and places: what makes a program of the grammar a valid program.
//!
//! Definitions. A name is *bound* from its declaration (functions: from the start of their block)
//! to the end of the block. While it is bound, nobody may bind it again, not even where the binding
//! cannot be used. A variable can be *used* only in the function that declares it; functions can
//! be used in nested functions too.
//!
//! Since a name has at most one binding at a time, the bindings are an array by name, and each
//! block takes back what it bound. A use that finds nothing is remembered, because a declaration
//! that comes later in a block around it turns 'not found' into 'used before it was declared'.
//!
//! Linear in the size of the tree. Faults that follow from an unknown function, such as a wrong
//! number of values, are not reported.

mod data_names;
mod expression;
mod scope;
mod similar;
mod statement;

use cairn_diag::{Diagnostic, Diagnostics, FileId, Span};
use rustc_hash::FxHashMap;

use crate::ast::{NameTable, Object, YulName};
use crate::dialect::Dialect;
use crate::error::{ErrorKind, Fault};
use crate::parser::{MAX_ERRORS, too_many_errors};
use data_names::DataNames;
use scope::{Binding, PendingUse, Scope};

/// Which part of a loop a statement stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LoopPart {
    Outside,
    Init,
    Post,
    Body,
}

/// Checks the code of an object and of all objects in it.
pub fn resolve(object: &Object, file: FileId, names: &NameTable, dialect: &Dialect) -> Diagnostics {
    let mut resolver = Resolver::new(object, file, names, dialect);
    resolver.resolve_object(object);
    resolver.into_diagnostics()
}

struct Resolver<'a> {
    file: FileId,
    names: &'a NameTable,
    dialect: &'a Dialect,
    diagnostics: Vec<Diagnostic>,
    n_errors: usize,
    /// Binding of each name.
    bindings: Vec<Binding>,
    /// Names that were declared before without a fault of their own.
    is_faultless: Vec<bool>,
    /// Names bound by the open scopes, in order.
    bound: Vec<YulName>,
    scopes: Vec<Scope>,
    /// Order of scopes and faulty uses.
    sequence: u32,
    /// Uses of names that are not bound.
    pending: FxHashMap<YulName, Vec<PendingUse>>,
    /// The function that is being checked; zero for the code of the object.
    function: u32,
    n_functions: u32,
    loop_part: LoopPart,
    /// What `datasize` can ask for.
    data_names: DataNames<'a>,
    /// The object whose code is checked.
    object: &'a Object,
    /// When each name was last seen by `first_duplicate`.
    stamps: Vec<u32>,
    stamp: u32,
    has_transient_storage: bool,
}

impl<'a> Resolver<'a> {
    fn new(object: &'a Object, file: FileId, names: &'a NameTable, dialect: &'a Dialect) -> Self {
        Resolver {
            file,
            names,
            dialect,
            diagnostics: Vec::new(),
            n_errors: 0,
            bindings: vec![Binding::Nothing; names.len()],
            is_faultless: vec![false; names.len()],
            bound: Vec::new(),
            scopes: Vec::new(),
            sequence: 0,
            pending: FxHashMap::default(),
            function: 0,
            n_functions: 0,
            loop_part: LoopPart::Outside,
            data_names: DataNames::default(),
            object,
            stamps: vec![0; names.len()],
            stamp: 0,
            has_transient_storage: false,
        }
    }

    /// Faults that solc finds in an earlier stage come first, so that the first one is the same.
    fn into_diagnostics(mut self) -> Diagnostics {
        self.diagnostics.sort_by_key(|found| Fault::from_code(found.code).map_or(0, Fault::stage));
        let mut diagnostics = Diagnostics::default();
        self.diagnostics.into_iter().for_each(|diagnostic| diagnostics.push(diagnostic));
        let n_left_out = self.n_errors.saturating_sub(MAX_ERRORS);
        if n_left_out > 0 {
            diagnostics.leave_out(n_left_out);
            let end = Span::new(self.object.span.end, self.object.span.end);
            diagnostics.push(too_many_errors(self.file, end, n_left_out));
        }
        diagnostics
    }

    fn resolve_object(&mut self, object: &'a Object) {
        self.object = object;
        self.block(&object.code);
        self.pending.clear();
        for nested in &object.objects {
            self.resolve_object(nested);
        }
    }

    /// True when enough has been reported: more is only counted.
    fn is_full(&self) -> bool {
        self.n_errors >= MAX_ERRORS
    }

    fn report(&mut self, fault: Fault, span: Span, message: String) {
        self.report_diagnostic(fault.at(self.file, span, message), fault.kind());
    }

    fn report_diagnostic(&mut self, diagnostic: Diagnostic, kind: ErrorKind) {
        if !self.is_full() {
            self.diagnostics.push(diagnostic);
        }
        self.n_errors += usize::from(kind != ErrorKind::Warning);
    }

    fn text(&self, name: YulName) -> &'a str {
        self.names.text(name)
    }
}

#[cfg(test)]
mod tests;
