//! The rule that a front end may ask for: `memory-pointer`.

use super::Form;
use super::report::{Cx, Place};
use crate::module::Module;
use crate::op::Op;
use crate::types::{AddressSpace, Type};
use cairn_diag::{Diagnostics, FileId};
use cairn_evm::memory::{memory_read, memory_write};

/// Every place in memory that is not a `ptr<0>`, in a module that is in free form and the modules in it.
/// Front ends that make pointers of all addresses, by `evm.inttoptr` where they begin, find with this
/// rule the address that they computed as a number and forgot.
pub fn verify_strict_pointers(module: &Module, file: Option<FileId>) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let mut modules = vec![module];
    while let Some(module) = modules.pop() {
        for id in module.funcs.keys() {
            verify_func(&mut Cx::new(module, id, Form::Free, file, &mut diagnostics));
        }
        modules.extend(module.modules.iter().rev());
    }
    diagnostics
}

fn verify_func(cx: &mut Cx<'_>) {
    let func = cx.func;
    for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
        let args = func.dfg.args(inst);
        for value in places(func.dfg.op(inst)).into_iter().filter_map(|index| args.get(index)) {
            let ty = cx.ty(*value);
            if matches!(ty, Type::Ptr(AddressSpace::Memory, _)) {
                continue;
            }
            let name = cx.value_name(*value);
            let message = format!(
                "`{name}` of type `{ty}` is an address in memory: make it a `ptr<0>` by `evm.inttoptr`"
            );
            cx.report("memory-pointer", Place::Inst(inst), message);
        }
    }
}

/// The operands that are places in memory.
fn places(op: Op) -> Vec<usize> {
    match op {
        Op::Evm(opcode) => {
            let regions = [memory_read(opcode), memory_write(opcode)];
            let mut places: Vec<usize> =
                regions.into_iter().flatten().map(|region| usize::from(region.start)).collect();
            places.dedup();
            places
        }
        Op::Mload8 | Op::DataCopy | Op::SetImmutable => vec![0],
        _ => Vec::new(),
    }
}
