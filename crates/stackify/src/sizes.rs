//! About how many bytes each function has, before the passes on assembly.

use crate::code::{Exit, ModuleCode, ScheduledFunc, StepKind};
use crate::context::ModuleCx;
use cairn_evm::Cost;

/// Bytes of a function, about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FuncSize {
    /// Name of its module.
    pub module: String,
    /// Its name.
    pub func: String,
    /// Bytes.
    pub bytes: usize,
}

/// Bytes of a push of a label, or of an address in a frame.
const PUSH_OF_PLACE: usize = Cost::PUSH_PLACE.bytes as usize;

/// Bytes of a jump through a table with eight entries.
const TABLE_JUMP: usize = 24;

/// The sizes of a module's functions; its nested modules are left to the caller.
pub(crate) fn func_sizes(cx: &ModuleCx<'_>, code: &ModuleCode) -> Vec<FuncSize> {
    let scheduled = cx.funcs.iter().filter_map(|id| code[*id].as_ref());
    let size = |func: &ScheduledFunc| FuncSize {
        module: cx.module.name.clone(),
        func: func.func.name.clone(),
        bytes: bytes_of(func),
    };
    scheduled.map(size).collect()
}

fn bytes_of(func: &ScheduledFunc) -> usize {
    let step = |kind: StepKind| match kind {
        StepKind::Push(word) => 1 + word.byte_len(),
        StepKind::PushFrame(..)
        | StepKind::PushHeapBase
        | StepKind::PushReturnLabel(_)
        | StepKind::Symbolic => PUSH_OF_PLACE,
        StepKind::Call(_) => PUSH_OF_PLACE + 2,
        StepKind::Dup(_) | StepKind::Swap(_) | StepKind::Pop | StepKind::Op(_) => 1,
    };
    let exit = |exit: Exit| match exit {
        Exit::Jump(_) | Exit::Branch { .. } | Exit::TailCall(_) => PUSH_OF_PLACE + 2,
        Exit::Table(_) => TABLE_JUMP,
        Exit::Return => 1,
        Exit::Halt => 0,
    };
    let blocks = func.code.blocks.iter();
    blocks.map(|block| block.steps.iter().map(|one| step(one.kind)).sum::<usize>() + exit(block.exit)).sum()
}
