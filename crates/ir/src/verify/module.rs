//! Rules about a module as a whole: `entry`, `unique-names`, `known-names`, `one-immutable-type`.

use crate::dfg::Payload;
use crate::module::Module;
use crate::op::Op;
use crate::types::Type;
use cairn_diag::{Diagnostic, Diagnostics, FileId, Span};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) fn verify_module(module: &Module, file: Option<FileId>, diagnostics: &mut Diagnostics) {
    let mut report = |rule, place: Option<Span>, message| {
        let note = format!("in module `@{}`", module.name);
        let mut fault = Diagnostic::error(message).with_code(rule).with_note(note);
        (fault.span, fault.file) = (place.or(module.span), file);
        diagnostics.push(fault);
    };
    match module.entry.map(|entry| module.funcs.get(entry)) {
        None => {}
        Some(Some(entry)) if entry.signature.params.is_empty() && entry.signature.results.is_empty() => {}
        Some(Some(entry)) => {
            let message = format!("the entry function `@{}` has parameters or results", entry.name);
            report("entry", entry.span, message);
        }
        Some(None) => report("entry", None, "the entry function is not in the module".to_owned()),
    }
    let mut names = FxHashSet::default();
    for func in module.funcs.values().filter(|func| !names.insert(func.name.as_str())) {
        report("unique-names", func.span, format!("function `@{}` is defined twice", func.name));
    }
    let mut names = FxHashSet::default();
    let data = module.data.iter().map(|data| (&data.name, None));
    for (name, place) in data.chain(module.modules.iter().map(|module| (&module.name, module.span))) {
        if !names.insert(name.as_str()) {
            report("unique-names", place, format!("data or module `@{name}` is defined twice"));
        }
    }
    verify_names(module, file, diagnostics);
    verify_immutables(module, file, diagnostics);
}

/// `dataoffset` and `datasize` name something that exists.
fn verify_names(module: &Module, file: Option<FileId>, diagnostics: &mut Diagnostics) {
    let mut known = FxHashSet::default();
    for func in module.funcs.values() {
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            let data = func.dfg.inst(inst);
            let (Op::DataOffset | Op::DataSize, Payload::Symbol(symbol)) = (data.op, data.payload) else {
                continue;
            };
            let Some(name) = module.symbols.try_text(symbol) else { continue };
            if known.contains(name) {
                continue;
            }
            if resolves(module, name) {
                known.insert(name);
                continue;
            }
            let message = format!("there is no data or module `@{name}`");
            let note = format!("in function `@{}`", func.name);
            let mut fault = Diagnostic::error(message).with_code("known-names").with_note(note);
            (fault.span, fault.file) = (func.inst_place(inst), file);
            diagnostics.push(fault);
        }
    }
}

/// The loads of an immutable have the type of the first.
fn verify_immutables(module: &Module, file: Option<FileId>, diagnostics: &mut Diagnostics) {
    let mut types: FxHashMap<&str, Type> = FxHashMap::default();
    for func in module.funcs.values() {
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            let data = func.dfg.inst(inst);
            let (Op::LoadImmutable, Payload::Symbol(symbol)) = (data.op, data.payload) else { continue };
            let result = func.dfg.results(inst).first().and_then(|value| func.dfg.try_ty(*value));
            let (Some(name), Some(ty)) = (module.symbols.try_text(symbol), result) else { continue };
            let first = *types.entry(name).or_insert(ty);
            if first == ty {
                continue;
            }
            let message = format!("immutable \"{name}\" is a `{ty}` here and a `{first}` before");
            let note = format!("in function `@{}`", func.name);
            let mut fault = Diagnostic::error(message).with_code("one-immutable-type").with_note(note);
            (fault.span, fault.file) = (func.inst_place(inst), file);
            diagnostics.push(fault);
        }
    }
}

/// True when `path` is the module itself, or data or a module below it. Names may contain dots.
fn resolves(module: &Module, path: &str) -> bool {
    let mut open = vec![(module, path)];
    if let Some(rest) = path.strip_prefix(module.name.as_str()) {
        match rest.strip_prefix('.') {
            Some(rest) => open.push((module, rest)),
            None if rest.is_empty() => return true,
            None => {}
        }
    }
    while let Some((module, path)) = open.pop() {
        if module.data.iter().any(|data| data.name == path) {
            return true;
        }
        for nested in &module.modules {
            match path.strip_prefix(nested.name.as_str()) {
                Some("") => return true,
                Some(rest) => open.extend(rest.strip_prefix('.').map(|rest| (nested, rest))),
                None => {}
            }
        }
    }
    false
}
