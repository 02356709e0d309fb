//! Text in, text out, for tests of passes.

use crate::memory::Heap;
use crate::options::Options;
use crate::pass::{Changed, PassContext};
use crate::rules::RuleSet;
use crate::runner::compute_summaries;
use cairn_diag::{SourceFile, Sources};
use cairn_ir::{Func, Function, Module};

/// The start of an entry that sets the pointer to free memory: `%x` is any word, `%p` the pointer as it is
/// loaded then, `%at` its address.
pub(crate) const POINTER_SET: &str = "^e:
    %at = evm.constant 64 : u256
    %zero = evm.constant 0 : u256
    %word = evm.constant 32 : u256
    %x = evm.calldataload %zero : u256
    %heap = evm.heap_base 128 : ptr<0>
    %free = evm.ptrtoint %heap : u256
    evm.mstore %at, %free
    %p = evm.mload %at : u256";

/// Parses a module.
pub(crate) fn parse(text: &str) -> Module {
    let file = Sources::default().add(SourceFile::new("test", text));
    cairn_ir::text::parse(text, file).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"))
}

/// The instructions of a function as printed, one a line, without indentation.
pub(crate) fn body(module: &Module, func: Func) -> String {
    let text = cairn_ir::text::print_function(module, func);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[1..lines.len() - 1].join("\n")
}

/// Runs function passes on the first function of a module that has this body.
pub(crate) fn run_on_body(
    header: &str,
    text: &str,
    passes: &[fn(&mut Function, &mut PassContext<'_>) -> Changed],
) -> (Changed, String) {
    let mut module = parse(&format!("module @m {{ func @f{header} {{\n{text}\n}} }}"));
    let changed = run_on_module(&mut module, passes);
    (changed, body(&module, Func::from_u32(0)))
}

/// Runs function passes on every function of a module.
pub(crate) fn run_on_module(
    module: &mut Module,
    passes: &[fn(&mut Function, &mut PassContext<'_>) -> Changed],
) -> Changed {
    module.record_reserved();
    let options = Options::default();
    let rules = &RuleSet::all(options.fork);
    let mut changed = false;
    for pass in passes {
        let summaries = compute_summaries(module, Heap::default());
        let mut cx = PassContext { options: &options, rules, summaries: &summaries, remarks: None };
        for func in module.funcs.values_mut() {
            changed |= pass(func, &mut cx) == Changed::Yes;
        }
    }
    Changed::from(changed)
}

/// Lines without indentation and empty lines.
pub(crate) fn lines(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Runs a module pass.
pub(crate) fn run_module_pass(
    module: &mut Module,
    pass: fn(&mut Module, &mut PassContext<'_>) -> Changed,
) -> Changed {
    let options = Options::default();
    let rules = &RuleSet::all(options.fork);
    let summaries = compute_summaries(module, Heap::default());
    pass(module, &mut PassContext { options: &options, rules, summaries: &summaries, remarks: None })
}
