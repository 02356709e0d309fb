//! `prune`: removes functions that nobody can call any more.
//!
//! The others keep their order and get new ids. A module without an entry function is a library of
//! functions; all of them stay. Needs nothing, preserves everything but what is known of functions by
//! their ids. Cost: linear.

use crate::edit::remove_unreachable_blocks;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_analysis::callgraph::reachable_functions;
use cairn_ir::{Func, Function, Module, PrimaryMap, SecondaryMap};
use cranelift_entity::packed_option::PackedOption;

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "prune",
    summary: "removes functions that nobody can call",
    needs: &[],
    preserves: &[Property::Promoted, Property::Blocks, Property::LocalConstants],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
pub(crate) fn run(module: &mut Module, _: &mut PassContext<'_>) -> Changed {
    let Some(entry) = module.entry else {
        return Changed::No;
    };
    let kept = reachable_functions(module, entry);
    if kept.len() == module.funcs.len() {
        return Changed::No;
    }
    let mut new_ids: SecondaryMap<Func, PackedOption<Func>> = SecondaryMap::new();
    let mut funcs: PrimaryMap<Func, Function> = PrimaryMap::new();
    for id in kept {
        new_ids[id] = funcs.push(std::mem::take(&mut module.funcs[id])).into();
    }
    for func in funcs.values_mut() {
        // Calls in unreachable blocks don't keep a function.
        remove_unreachable_blocks(func);
        func.map_callees(|callee| new_ids[callee].expect("invariant: what is called is reachable"));
    }
    module.entry = new_ids[entry].expand();
    module.funcs = funcs;
    Changed::Yes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{parse, run_module_pass};

    #[test]
    fn functions_that_nobody_calls_go() {
        let mut module = parse(
            "module @m {
               func @unused() {
               ^e:
                 evm.icall @unused()
                 evm.iret
               }
               func @__entry() {
               ^e:
                 evm.icall @used()
                 evm.stop
               }
               func @used() {
               ^e:
                 evm.iret
               }
             }",
        );
        assert_eq!(run_module_pass(&mut module, run), Changed::Yes);
        let names: Vec<&str> = module.funcs.values().map(|func| func.name.as_str()).collect();
        assert_eq!(names, ["__entry", "used"]);
        assert!(cairn_ir::text::print(&module).contains("evm.icall @used()"));
        assert_eq!(run_module_pass(&mut module, run), Changed::No);
    }

    #[test]
    fn a_library_keeps_its_functions() {
        let mut module = parse("module @m { func @f() {\n ^e:\n evm.iret\n } }");
        assert_eq!(run_module_pass(&mut module, run), Changed::No);
    }
}
