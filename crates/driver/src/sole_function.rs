//! Modules of one function without an entry function.
//!
//! A function that never gives back is a whole program: it ends by `return`, `revert` or the like. If it is
//! all that a module has, and its parameters are at most a word each, code begins with it. Its parameters
//! are the words of call data, the first at byte 0:
//!
//! ```text
//! func @add(%a : u256, %b : u256) { … }     func @__entry() {
//!                                             %0 = evm.constant 0 : u256
//!                                             %1 = evm.calldataload %0 : u256
//!                                             %2 = evm.constant 32 : u256
//!                                             %3 = evm.calldataload %2 : u256
//!                                             evm.icall @add(%1, %3)
//!                                             evm.unreachable
//!                                           }
//! ```

use cairn_evm::{Opcode, Word};
use cairn_ir::module::ENTRY_NAME;
use cairn_ir::{Func, FuncBuilder, Function, Module, Op, Payload, Signature, Type, Value};

/// Adds an entry function to modules of one function that never gives back, nested ones, too.
pub(crate) fn add_entries(module: &mut Module) {
    module.modules.iter_mut().for_each(add_entries);
    if let Some(func) = sole_function(module) {
        add_entry(module, func);
    }
}

fn sole_function(module: &Module) -> Option<Func> {
    let mut funcs = module.funcs.iter();
    let (func, body) = funcs.next().filter(|_| module.entry.is_none())?;
    let is_whole = funcs.next().is_none() && is_program(body);
    is_whole.then_some(func)
}

/// True for a function that can be run by itself.
fn is_program(func: &Function) -> bool {
    let fits = |ty: &Type| matches!(ty, Type::Int(..=256) | Type::Bool);
    let gives_back = func
        .layout
        .blocks()
        .any(|block| func.terminator(block).is_some_and(|terminator| func.dfg.op(terminator) == Op::Iret));
    func.signature.params.iter().all(fits) && !gives_back
}

fn add_entry(module: &mut Module, callee: Func) {
    let Signature { params, results } = module.funcs[callee].signature.clone();
    let entry = module.declare(ENTRY_NAME, Signature::default());
    module.entry = Some(entry);
    module.define(entry, |b, _| {
        let args: Vec<Value> =
            params.iter().enumerate().map(|(index, ty)| word_of_calldata(b, index, *ty)).collect();
        b.push(Op::Icall, &args, Payload::Func(callee), &results);
        b.push(Op::Unreachable, &[], Payload::None, &[]);
    });
}

fn word_of_calldata(b: &mut FuncBuilder<'_>, index: usize, ty: Type) -> Value {
    let offset = b.constant(Word::from(32 * index));
    b.value(Op::Evm(Opcode::CALLDATALOAD), &[offset], ty)
}
