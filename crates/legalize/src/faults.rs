//! What no rewrite repairs in an instruction: an error where it stays, a warning where it is removed.
//!
//! What nothing needs, or nothing leads to, is removed before it is looked at, and builds. Whoever wrote it learns
//! of its fault all the same, for it is one as soon as the code is needed.

use crate::context::PassContext;
use crate::passes::legalize_operations::table::missing;
use crate::passes::legalize_types::action::{TypeAction, type_action};
use cairn_diag::{Diagnostic, Severity};
use cairn_ir::{Function, Inst, Type};

/// A struct or an array.
pub(crate) fn composite(ty: Type) -> Option<Diagnostic> {
    let help = "keep it in memory (`evm.alloca` reserves it, `evm.ptr_add` addresses its parts), or let \
                `--recover` take it apart";
    let message = format!("composite type `{ty}`: the EVM has numbers only");
    (type_action(ty) == TypeAction::Lower).then(|| Diagnostic::error(message).with_help(help))
}

/// Warns of the faults of an instruction that is removed.
pub(crate) fn warn_of_removed(func: &Function, inst: Inst, cx: &mut PassContext<'_>) {
    let opcode = missing(func, inst, cx.options);
    let mut types = func.dfg.results(inst).iter().map(|value| func.dfg.ty(*value));
    let ty = if cx.options.recover { None } else { types.find_map(composite) };
    for fault in opcode.into_iter().chain(ty) {
        let fault = fault.with_note("it never runs, or nothing needs it: it is left out");
        cx.warn(func, inst, Diagnostic { severity: Severity::Warning, ..fault });
    }
}
