//! Blocks of a program that was not lifted as a whole: each with its label, what it does, and what it leaves.

use super::facts::Facts;
use super::labels::labelled;
use super::memory::Layout;
use super::say::What;
use super::short::ShortFunctions;
use super::tidy::tidy;
use super::walk::Walk;
use super::words::Words;
use crate::fault::Fault;
use crate::graph::Graph;
use crate::needed::needed_by_all;
use crate::tree::{At, Var};
use cairn_evm::Fork;
use cairn_ir::{Func, Module};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// A block.
#[derive(Clone, Debug)]
pub struct LooseBlock {
    /// Its function: takes words of the stack, the topmost first, and gives the words that it leaves, the
    /// lowest first; those that a jump takes are the last.
    pub func: Func,
    /// Its label.
    pub label: String,
    /// What follows.
    pub end: LooseEnd,
}

/// How a block ends.
#[derive(Clone, Debug)]
pub enum LooseEnd {
    /// It halts.
    Halts,
    /// It falls into what has this label.
    Falls(String),
    /// It jumps: to these labels, or to a word that is not known.
    Jumps(Vec<String>),
    /// It jumps if its condition holds, or falls.
    Branches(Vec<String>, String),
}

/// Lists blocks in their order.
///
/// # Errors
/// The module has what is no word: it was not lifted.
pub fn list_blocks(
    module: &Module,
    blocks: &[LooseBlock],
    facts: &Facts,
    fork: Fork,
) -> Result<String, Fault> {
    let all = FxHashMap::default();
    let short = ShortFunctions::of(module, &all);
    let failing = FxHashSet::default();
    let mut out = String::new();
    for block in blocks {
        let mut graph = Graph::of(&module.funcs[block.func])?;
        graph.places = Some(&module.debug);
        let graphs = [(block.func, graph)];
        let needed = needed_by_all(&graphs);
        let [(_, graph)] = &graphs;
        let Some(needed) = needed.first() else { continue };
        let params: Vec<Var> = graph.func.params().iter().map(|value| Var::Value(*value)).collect();
        let mut texts = labelled(graph, needed, &module.symbols);
        texts.iter_mut().for_each(|(label, _)| *label = None);
        let results = graph.func.signature.results.len() as u32;
        let mut walk = Walk::tell(&short, Layout::Unknown, results, &texts);
        end(&mut walk, &block.end);
        let lines = tidy(&mut walk);
        let mut words = Words::new((facts, fork, module), &walk, &params, &failing);
        let names: Vec<String> = params.iter().map(|param| words.param(*param)).collect();
        let _ = writeln!(out, "\n{}({})", block.label, names.join(", "));
        words.write_lines(&lines, &mut out);
    }
    Ok(out)
}

/// Says what a block leaves, and where control goes.
fn end(walk: &mut Walk<'_>, end: &LooseEnd) {
    let Some(What::Leave(_)) = walk.lines.last().map(|line| &line.what) else { return };
    let Some(What::Leave(mut words)) = walk.lines.pop().map(|line| line.what) else { return };
    let jump = |to: &[String], word| match to {
        [] => What::Jump(vec![word], String::new()),
        to => What::Jump(Vec::new(), to.join(" or ")),
    };
    let target = matches!(end, LooseEnd::Jumps(_) | LooseEnd::Branches(..)).then(|| words.pop()).flatten();
    let condition = matches!(end, LooseEnd::Branches(..)).then(|| words.pop()).flatten();
    if !words.is_empty() {
        walk.line(What::Stack(words));
    }
    let go = |label: &String| What::Jump(Vec::new(), label.clone());
    match (end, target, condition) {
        (LooseEnd::Jumps(to), Some(word), _) => walk.line(jump(to, word)),
        (LooseEnd::Branches(to, next), Some(word), Some(condition)) => {
            walk.line(What::If(condition, At(None)));
            walk.line_within(jump(to, word));
            walk.line(What::Close);
            walk.line(go(next));
        }
        (LooseEnd::Falls(next), ..) => walk.line(go(next)),
        _ => {}
    }
}
