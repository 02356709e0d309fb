//! What the parts of the verifier share: the function, the form, and how a breach is reported.

use super::Form;
use crate::function::Function;
use crate::ids::{Block, Func, Inst, Value};
use crate::module::Module;
use crate::op::Op;
use crate::text::names::Names;
use crate::text::print::print_inst;
use crate::types::Type;
use cairn_diag::{Diagnostic, Diagnostics, FileId};

/// Where a rule is broken.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Function,
    Block(Block),
    Inst(Inst),
}

/// One function being verified.
pub(super) struct Cx<'m> {
    pub(super) module: &'m Module,
    pub(super) id: Func,
    pub(super) func: &'m Function,
    pub(super) form: Form,
    file: Option<FileId>,
    /// Made for the first breach.
    names: Option<Names>,
    diagnostics: &'m mut Diagnostics,
}

impl<'m> Cx<'m> {
    pub(super) fn new(
        module: &'m Module,
        id: Func,
        form: Form,
        file: Option<FileId>,
        diagnostics: &'m mut Diagnostics,
    ) -> Self {
        Cx { module, id, func: &module.funcs[id], form, file, names: None, diagnostics }
    }

    /// True in the forms that the legalizer has made.
    pub(super) fn is_legalized(&self) -> bool {
        match self.form {
            Form::Free => false,
            Form::Ssa | Form::Canonical => true,
        }
    }

    pub(super) fn op(&self, inst: Inst) -> Op {
        self.func.dfg.op(inst)
    }

    pub(super) fn ty(&self, value: Value) -> Type {
        self.func.dfg.ty(value)
    }

    pub(super) fn value_name(&mut self, value: Value) -> String {
        self.names().value(value)
    }

    pub(super) fn block_name(&mut self, block: Block) -> String {
        self.names().block(block)
    }

    fn names(&mut self) -> &Names {
        self.names.get_or_insert_with(|| Names::new(self.func))
    }

    /// Reports that `rule` is broken.
    pub(super) fn report(&mut self, rule: &'static str, place: Place, message: String) {
        let mut note = format!("in function `@{}`", self.func.name);
        let (block, inst) = match place {
            Place::Function => (None, None),
            Place::Block(block) => (Some(block), None),
            Place::Inst(inst) => (self.func.layout.inst_block(inst), Some(inst)),
        };
        if let Some(block) = block {
            note += &format!(", block `{}`", self.block_name(block));
        }
        if let Some(inst) = inst {
            self.names();
            let names = self.names.as_ref().expect("invariant: the names were just made");
            let text = print_inst(self.module, self.func, names, inst);
            note += &format!(", instruction `{}`", text.lines().next().unwrap_or_default());
        }
        let mut diagnostic = Diagnostic::error(message).with_code(rule).with_note(note);
        diagnostic.span = match place {
            Place::Function => self.func.span,
            Place::Block(block) => self.func.block_place(block),
            Place::Inst(inst) => self.func.inst_place(inst),
        };
        diagnostic.file = self.file;
        self.diagnostics.push(diagnostic);
    }
}
