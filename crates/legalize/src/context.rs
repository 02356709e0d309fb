//! What a pass sees besides the function it works on.

use crate::names::Names;
use crate::options::Options;
use crate::report::{Change, Report};
use crate::runtime::Calls;
use cairn_diag::{Diagnostic, Diagnostics, Span};
use cairn_ir::{Block, Func, Function, Inst, MemoryModel, PrimaryMap, Type, Value};

/// Where something was rewritten.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Function,
    Block(Block),
    Inst(Inst),
}

impl From<Block> for Place {
    fn from(block: Block) -> Self {
        Place::Block(block)
    }
}

impl From<Inst> for Place {
    fn from(inst: Inst) -> Self {
        Place::Inst(inst)
    }
}

/// The context of all passes over one function.
pub(crate) struct PassContext<'a> {
    /// Options of the run.
    pub(crate) options: &'a Options,
    /// Who owns memory in the module.
    pub(crate) memory: MemoryModel,
    /// Types of the parameters of all functions of the module as they were declared, composites as
    /// their parts; `None` from
    /// when calls pass what the legalized functions take.
    pub(crate) params: Option<&'a PrimaryMap<Func, Vec<Type>>>,
    /// Rewrites and warnings.
    pub(crate) report: Report,
    /// Faults that stop compilation.
    pub(crate) errors: Diagnostics,
    /// Calls of the runtime.
    pub(crate) runtime: Calls,
    names: Names,
    pass: &'static str,
}

impl<'a> PassContext<'a> {
    /// A context that has seen nothing yet.
    pub(crate) fn new(
        options: &'a Options,
        memory: MemoryModel,
        params: &'a PrimaryMap<Func, Vec<Type>>,
    ) -> Self {
        PassContext {
            options,
            memory,
            params: Some(params),
            report: Report::default(),
            errors: Diagnostics::default(),
            runtime: Calls::default(),
            names: Names::default(),
            pass: "",
        }
    }

    /// Rewrites are those of the pass with this name from now on.
    pub(crate) fn enter(&mut self, pass: &'static str) {
        self.pass = pass;
    }

    /// Counts a rewrite; `what` is asked for its description only if somebody wants to know.
    pub(crate) fn changed(
        &mut self,
        func: &Function,
        place: impl Into<Place>,
        what: impl FnOnce() -> String,
    ) {
        self.report.add(self.pass, 1);
        if self.options.explain {
            let span = span(func, place.into());
            let change = Change { pass: self.pass, func: func.name.clone(), what: what(), span };
            self.report.changes.push(change);
        }
    }

    /// Reports something suspicious.
    pub(crate) fn warn(&mut self, func: &Function, place: impl Into<Place>, diagnostic: Diagnostic) {
        self.report.warnings.push(placed(func, place.into(), diagnostic));
    }

    /// Reports a fault.
    pub(crate) fn error(&mut self, func: &Function, place: impl Into<Place>, diagnostic: Diagnostic) {
        self.errors.push(placed(func, place.into(), diagnostic));
    }

    /// A new block at the end of the layout, named after its role if the function uses names.
    pub(crate) fn append_block(&mut self, func: &mut Function, role: &str) -> Block {
        let block = func.make_block();
        func.layout.append_block(block);
        self.names.name_block(func, block, role);
        block
    }

    /// Names a value after its role if the function uses names.
    pub(crate) fn name_value(&mut self, func: &mut Function, value: Value, role: &str) {
        self.names.name_value(func, value, role);
    }
}

fn span(func: &Function, place: Place) -> Option<Span> {
    match place {
        Place::Function => func.span,
        Place::Block(block) => func.block_place(block),
        Place::Inst(inst) => func.inst_place(inst),
    }
}

fn placed(func: &Function, place: Place, mut diagnostic: Diagnostic) -> Diagnostic {
    diagnostic.span = span(func, place);
    diagnostic.with_note(format!("in function `@{}`", func.name))
}
