//! A program to be read: what it does, in order, with what is known of it said beside it.
//!
//! [`list`] takes a module that was lifted with places, [`list_blocks`] the blocks of a program that cannot be
//! lifted. Contract: every instruction with an effect that others can see has its line, with its offset in
//! the code in front; no module is refused. A listing is for readers: nothing reads it back.
//!
//! 1. `split`: each external function has a text of its own.
//! 2. Control flow gets structure as for Yul; what has more levels than text can show is written as nodes
//!    with labels (`labels`). Failures stand first (`checks`), loops that copy are copies (`copies`).
//! 3. `walk`, `operations`, `fills`, `memory`: statements are told in order. What memory holds is known as far as it
//!    certainly is, so that hashes, events, failures, results and calls are told by values. Short functions
//!    are written out where they are called (`short`).
//! 4. `tidy`: stores that only such values needed, moves of Solidity's free pointer and variables that
//!    nobody reads any more are left out.
//! 5. `words`, `place`, `fields`, `effects`, `lines`: operators, variables in storage, names.
//!
//! Cost: linear in the code. A function is told once, and once more at each call if it is short; what several
//! external functions share is written at most as often as `split` says.

mod bits;
mod checks;
mod copies;
mod effects;
mod facts;
mod fields;
mod fills;
mod labels;
mod lines;
mod loose;
mod memory;
mod operations;
mod place;
mod plain;
mod say;
mod short;
mod split;
mod tidy;
mod walk;
mod words;

pub use facts::{External, Facts, panic_meaning};
pub use loose::{LooseBlock, LooseEnd, list_blocks};

use crate::declare::declare;
use crate::fault::Fault;
use crate::graph::Graph;
use crate::needed::{Needed, needed_by_all};
use crate::object::called;
use crate::polish::polish;
use crate::simplify::simplify;
use crate::states::make_reducible;
use crate::structure::structure;
use crate::tree::{Stmt, Var};
use cairn_evm::Fork;
use cairn_ir::{Func, Module};
use checks::checks_first;
use copies::copies;
use labels::labelled;
use memory::Layout;
use rustc_hash::{FxHashMap, FxHashSet};
use short::{ShortFunctions, Told, endless, sets_free_pointer};
use split::split;
use std::fmt::Write;
use tidy::tidy;
use walk::Walk;
use words::Words;

/// A text of a module: a function, or a part of the entry's.
struct Part {
    func: Func,
    /// Index of the external function that it is.
    external: Option<u32>,
    params: Vec<Var>,
    texts: Vec<(Option<u32>, Vec<Stmt>)>,
}

/// Lists a module that was lifted with places.
///
/// # Errors
/// The module has what is no word, or no entry: it was not lifted.
pub fn list(module: &Module, facts: &Facts, fork: Fork) -> Result<String, Fault> {
    let parts = parts(module, facts)?;
    let (parts, all) = tell_apart(parts, module);
    let short = ShortFunctions::of(module, &all);
    let entry = parts.iter().find(|part| part.external.is_none()).map(|part| part.texts.as_slice());
    let is_solidity =
        entry.is_some_and(|texts| texts.iter().take(1).any(|(_, stmts)| sets_free_pointer(stmts)));
    let layout = if is_solidity { Layout::Solidity } else { Layout::Unknown };
    let failing: FxHashSet<Func> = module.funcs.keys().filter(|func| short.never_returns(*func)).collect();
    let printer = Printer { module, facts, fork, short: &short, layout, failing: &failing };
    let mut out = String::new();
    for part in &parts {
        let function = part.external.and_then(|index| facts.functions.get(index as usize));
        out.push_str(&match function {
            Some(function) => {
                format!("\nfunction {}  ; 0x{:08x}\n", function.head(), function.selector)
            }
            None => "\nbegin\n".to_owned(),
        });
        let types = function.map_or(&[][..], |function| function.types.as_slice());
        printer.print((&part.params, types), 0, &part.texts, &mut out);
    }
    for (id, told) in in_order(&all) {
        if short.get(id).is_none() {
            printer.function(id, told, &mut out);
        }
    }
    Ok(out)
}

struct Printer<'a> {
    module: &'a Module,
    facts: &'a Facts,
    fork: Fork,
    short: &'a ShortFunctions<'a>,
    layout: Layout,
    failing: &'a FxHashSet<Func>,
}

impl Printer<'_> {
    fn print(
        &self,
        (params, types): (&[Var], &[String]),
        results: u32,
        texts: &[(Option<u32>, Vec<Stmt>)],
        out: &mut String,
    ) -> Vec<String> {
        // Ways between nodes with labels are not followed: of memory nothing is known there.
        let layout = if texts.len() == 1 { self.layout } else { Layout::Unknown };
        let mut walk = Walk::tell(self.short, layout, results, texts);
        let lines = tidy(&mut walk);
        let program = (self.facts, self.fork, self.module);
        let mut words = Words::new(program, &walk, params, self.failing);
        words.types = types;
        let names = params.iter().map(|param| words.param(*param)).collect();
        words.write_lines(&lines, out);
        names
    }

    fn function(&self, id: Func, told: &Told, out: &mut String) {
        let mut body = String::new();
        let names = self.print((&told.params, &[]), told.results, &told.texts, &mut body);
        let results = match (self.short.never_returns(id), told.results) {
            (true, _) => "  ; never returns".to_owned(),
            (false, 0) => String::new(),
            (false, count) => format!(" -> {count}"),
        };
        let _ = writeln!(out, "\ninternal {}({}){results}", self.module.funcs[id].name, names.join(", "));
        out.push_str(&body);
    }
}

/// The functions in the module's order.
fn in_order(all: &FxHashMap<Func, Told>) -> Vec<(Func, &Told)> {
    let mut list: Vec<(Func, &Told)> = Vec::with_capacity(all.len());
    let mut ids: Vec<Func> = Vec::with_capacity(all.len());
    ids.extend(all.keys());
    ids.sort_unstable();
    list.extend(ids.into_iter().filter_map(|id| Some((id, all.get(&id)?))));
    list
}

/// The parts of the entry, and the other functions.
fn tell_apart(parts: Vec<Part>, module: &Module) -> (Vec<Part>, FxHashMap<Func, Told>) {
    let (entry, others): (Vec<Part>, Vec<Part>) =
        parts.into_iter().partition(|part| Some(part.func) == module.entry);
    let told = others.into_iter().map(|part| {
        let results = module.funcs[part.func].signature.results.len() as u32;
        (part.func, Told { texts: part.texts, params: part.params, results })
    });
    (entry, told.collect())
}

/// All texts of a module: the entry's first.
fn parts(module: &Module, facts: &Facts) -> Result<Vec<Part>, Fault> {
    let entry = module.entry.ok_or_else(|| Fault {
        function: module.name.clone(),
        place: module.span,
        reason: crate::fault::Reason::NoEntry,
    })?;
    let mut graphs: Vec<(Func, Graph<'_>)> = Vec::new();
    let mut externals = vec![None];
    for id in called(module, entry) {
        let mut graph = Graph::of(&module.funcs[id])?;
        graph.places = Some(&module.debug);
        simplify(&mut graph);
        let found = if id == entry { split(&mut graph, &facts.functions) } else { Vec::new() };
        graphs.push((id, graph));
        for (index, part) in found {
            graphs.push((id, part));
            externals.push(Some(index));
        }
    }
    externals.resize(graphs.len(), None);
    graphs.iter_mut().for_each(|(_, graph)| make_reducible(graph));
    let needed = needed_by_all(&graphs);
    let failing = endless(module);
    let mut parts = Vec::with_capacity(graphs.len());
    for (((func, graph), needed), external) in graphs.iter().zip(&needed).zip(externals) {
        let mut part = part(module, (*func, external), graph, needed);
        part.texts.iter_mut().for_each(|(_, stmts)| checks_first(stmts, &failing));
        parts.push(part);
    }
    Ok(parts)
}

fn part(module: &Module, (func, external): (Func, Option<u32>), graph: &Graph<'_>, needed: &Needed) -> Part {
    let is_needed = |value: &&cairn_ir::Value| needed.reads(**value) > 0;
    let params: Vec<Var> =
        graph.func.params().iter().filter(is_needed).map(|value| Var::Value(*value)).collect();
    let results: Vec<Var> =
        (0..graph.func.signature.results.len()).map(|index| Var::Result(index as u32)).collect();
    let texts = match structure(graph, needed, &module.symbols) {
        Ok((mut stmts, _)) => {
            polish(&mut stmts);
            copies(&mut stmts);
            declare(&mut stmts, &[params.as_slice(), &results].concat());
            vec![(None, stmts)]
        }
        Err(_) => labelled(graph, needed, &module.symbols),
    };
    Part { func, external, params, texts }
}
