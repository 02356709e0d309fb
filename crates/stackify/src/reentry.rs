//! The one thing that static frames cannot do: an `alloca` whose address is known to others while
//! its function is entered again would have to be in two places at once.

use crate::allocas::{Allocas, Escape};
use crate::context::{ModuleCx, callee_of};
use crate::prepare::prepare;
use cairn_diag::{Diagnostic, Diagnostics};
use cairn_ir::{Block, Func, Function, Inst};
use cranelift_entity::EntitySet;

/// Checks a function that has calls that can come back to it.
///
/// # Errors
/// For each escaped `alloca` that may be in use when such a call is made; operations that are not
/// canonical.
pub(crate) fn check_escapes(cx: &ModuleCx<'_>, id: Func, func: &Function) -> Result<(), Diagnostics> {
    if !cx.callees(id).iter().any(|callee| cx.is_reentrant(id, *callee)) {
        return Ok(());
    }
    let func = &prepare(func)?;
    let insts = || func.layout.blocks().flat_map(|block| func.layout.insts(block));
    let is_reentrant = |inst: Inst| callee_of(func, inst).is_some_and(|callee| cx.is_reentrant(id, callee));
    let mut faults = Diagnostics::default();
    let allocas = Allocas::of(func);
    let escaped = insts().filter(|inst| allocas.escape(*inst) == Escape::Escaped);
    for alloca in escaped {
        if is_used_before(func, &allocas, alloca, is_reentrant) {
            faults.push(
                Diagnostic::error(format!(
                    "function `{}` can call itself while the address of an `alloca` of it is known to others",
                    func.name
                ))
                .with_span(func.inst_place(alloca))
                .with_help("pass the memory in as an argument, or take it from the heap"),
            );
        }
    }
    if faults.has_errors() { Err(faults) } else { Ok(()) }
}

/// True when a use of `alloca` can be executed before (or at) an instruction that `is_call` holds
/// for.
fn is_used_before(func: &Function, allocas: &Allocas, alloca: Inst, is_call: impl Fn(Inst) -> bool) -> bool {
    let uses = |inst: Inst| {
        let mut found = false;
        func.dfg.for_each_use(inst, |value| found |= allocas.points_into(value) == Some(alloca));
        found
    };
    let mut reached: EntitySet<Block> = EntitySet::new();
    let mut worklist: Vec<Block> = Vec::new();
    for block in func.layout.blocks() {
        let mut is_used = false;
        for inst in func.layout.insts(block) {
            is_used |= uses(inst);
            if is_used && is_call(inst) {
                return true;
            }
        }
        if is_used {
            worklist.push(block);
        }
    }
    while let Some(block) = worklist.pop() {
        let mut next = Vec::new();
        func.for_each_successor(block, |target| next.push(target));
        for target in next.into_iter().filter(|target| reached.insert(*target)) {
            if func.layout.insts(target).any(&is_call) {
                return true;
            }
            worklist.push(target);
        }
    }
    false
}
