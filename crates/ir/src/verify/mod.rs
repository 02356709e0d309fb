//! Checks that a module is in a form.
//!
//! [`verify`] finds every breach of every rule, each with its function, block and instruction, and
//! with the place in the source where there is one. The rule's name is the diagnostic's code. It
//! never panics, whatever the module contains, and is near-linear. F: free form, S: SSA form of
//! the optimizer, C: canonical form.
//!
//! | rule | forms | what it asks for |
//! |---|---|---|
//! | `entry` | F S C | the entry function, if there is one, is in the module, has no parameters and results, is not called, and does not `iret` |
//! | `unique-names` | F S C | functions have different names; so have data segments and nested modules |
//! | `known-names` | F S C | `dataoffset`, `datasize` name the module itself, its data, or a nested module or data by its path |
//! | `one-immutable-type` | F S C | all `loadimmutable` of a name in a module give one type |
//! | `has-block` | F S C | a function has a block |
//! | `entry-params` | F S C | the parameters of the entry block have the types of the signature |
//! | `known-target` | F S C | branches lead to blocks of the function |
//! | `edge-arguments` | F S C | an edge passes one argument for each parameter, of a type that widens to it |
//! | `defined` | F S C | every value used is defined in the function |
//! | `dominance` | F S C | a definition dominates its uses; what is defined behind a terminator is used in its block only; uses in unreachable blocks are free |
//! | `payload` | F S C | an instruction carries what its operation needs |
//! | `operand-count` | F S C | as many operands as the operation has |
//! | `result-count` | F S C | as many results as the operation has; calls of other accounts may have the length as second one in free form |
//! | `call-signature` | F S C | `icall`: operands fit the callee, results have the types it gives |
//! | `return-signature` | F S C | `iret`: operands fit the function's results |
//! | `operand-type` | F S C | operands have the types the operation takes |
//! | `result-type` | F S C | results have types the operation gives; never `void` or `unreachable` |
//! | `part-index` | F S C | `extract`, `insert` and `shuffle` name a part that the composite has, where the index is known |
//! | `known-size` | F S C | integers have at most 4096 bits, fixed-point numbers 256 and 80 decimals; `alloca` takes at most 2^32 bytes, `heap_base` 2^48 |
//! | `call-words` | F S C | a function takes at most 1000 words, and gives back as many |
//! | `slots-only` | F | in a module marked `[noframe]` or `[unguarded]` every `alloca` is a slot |
//! | `constant-fits` | F S C | a constant has no more bits than its type |
//! | `address-space` | F S C | an address is a pointer into the space accessed, or an integer; nothing writes to calldata or code |
//! | `memory-pointer` | F, on demand | a place in memory is a `ptr<0>`, not an integer |
//! | `case-values` | F S C | cases of a switch differ |
//! | `case-fits` | F | cases of a switch fit the type of its operand |
//! | `one-terminator` | S C | a block has exactly one terminator, at its end |
//! | `entry-edges` | S C | nothing leads to the entry block |
//! | `reachable` | S C | every block is reachable from the entry |
//! | `legal-type` | S C | only `u256`, `u160`, `u32`, `u8`, `bool` and pointers |
//! | `storage-pointer` | S C | no pointer into storage or transient storage: keys are `u256` |
//! | `pointer-arithmetic` | S C | pointers are changed by `ptr_add`, `ptrtoint`, `inttoptr` only |
//! | `no-wrap` | S C | arithmetic that wraps gives `u256`, so that upper bits of narrower values are zero |
//! | `canonical-op` | S C | no `return %v`, no generic arithmetic, `trunc`, `sext`, `select`, `mload8`, no call with two results; C: no `switch` |
//! | `no-block-params` | C | only the entry block has parameters, those of the function |
//! | `critical-edge` | C | no edge leads from a block with several edges out to a block with several edges in |
//! | `slots-in-entry` | C | every `alloca` is in the entry block |

mod cfg;
mod expect;
mod form;
mod generic;
mod limits;
mod module;
mod operands;
mod parts;
mod pointers;
mod report;
mod ssa;
mod types;

use crate::ids::Func;
use crate::module::Module;
use cairn_diag::{Diagnostics, FileId};
pub use limits::{MAX_ALLOCA, MAX_PASSED_WORDS, MAX_RESERVED};
pub use pointers::verify_strict_pointers;
use report::Cx;

/// How far a module has come; see docs/ir.md, section Forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// What front ends write.
    Free,
    /// Between passes of the optimizer: canonical, with block parameters, switches and critical
    /// edges.
    Ssa,
    /// What the stackifier takes.
    Canonical,
}

/// Every breach of the rules of `form` in a module and the modules in it.
pub fn verify(module: &Module, form: Form) -> Diagnostics {
    verify_text(module, form, None)
}

/// As [`verify`], for a module parsed from `file`: diagnostics point into it.
pub fn verify_text(module: &Module, form: Form, file: Option<FileId>) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    let mut modules = vec![module];
    while let Some(module) = modules.pop() {
        module::verify_module(module, file, &mut diagnostics);
        for func in module.funcs.keys() {
            verify_func(module, func, form, file, &mut diagnostics);
        }
        modules.extend(module.modules.iter().rev());
    }
    diagnostics
}

/// Every breach of the rules of `form` in one function.
pub fn verify_function(module: &Module, func: Func, form: Form) -> Diagnostics {
    let mut diagnostics = Diagnostics::default();
    verify_func(module, func, form, None, &mut diagnostics);
    diagnostics
}

fn verify_func(module: &Module, id: Func, form: Form, file: Option<FileId>, diagnostics: &mut Diagnostics) {
    let mut cx = Cx::new(module, id, form, file, diagnostics);
    let Some(graph) = cfg::verify_cfg(&mut cx) else { return };
    if !ssa::verify_ssa(&mut cx, &graph) {
        return;
    }
    limits::verify_signature(&mut cx);
    limits::verify_slots(&mut cx);
    for block in cx.func.layout.blocks() {
        form::verify_block(&mut cx, block);
        limits::verify_params(&mut cx, block);
        for inst in cx.func.layout.insts(block) {
            if operands::verify_shape(&mut cx, inst) {
                types::verify_types(&mut cx, inst);
                limits::verify_inst(&mut cx, inst);
                form::verify_inst(&mut cx, block, inst);
            }
        }
    }
}
