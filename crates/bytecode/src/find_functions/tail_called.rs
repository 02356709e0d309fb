//! Functions that are only called where the address to return to was pushed long before.
//!
//! `f(g(x))` pushes where `f` returns to, then what `g` needs. Where `g` was inlined, or returns to a place that
//! does nothing but jump to `f`, that jump leaves no address: within the procedure that begins behind `g` the
//! address is an input. The code of `f` counts as a part of that procedure, and returns by its exit.
//!
//! What tells `f` from a place where the ways of that procedure join: control gets there by jumps alone, each
//! written as a call, and the procedure is no function, or the entry of another function lies between.

use super::{Entered, Jumps};
use crate::absint::store::NONE;
use crate::absint::{AddressPlace, Procedure};
use crate::analysis::Analysis;
use crate::blocks::{BlockId, NO_BLOCK};
use crate::cfg::EdgeKind;
use crate::function::Function;
use std::collections::BTreeMap;

/// Steps over blocks, by block of the code, after which no more functions are looked for.
const MAX_STEPS_A_BLOCK: usize = 64;

/// Functions beside the `known` ones. `entered` and `jumps_into` tell by block how control gets there.
pub(super) fn tail_called(
    analysis: &Analysis<'_>,
    entered: &[Entered],
    jumps_into: &[Jumps],
    known: &BTreeMap<BlockId, Function>,
) -> Vec<Function> {
    let mut search = Search {
        analysis,
        inside: vec![NONE; analysis.blocks.len()],
        seen: vec![NO_BLOCK; analysis.blocks.len()],
        left: MAX_STEPS_A_BLOCK * analysis.blocks.len(),
    };
    let mut found = Vec::new();
    for (number, procedure) in analysis.outcome.procedures.iter().enumerate() {
        let is_function = known.contains_key(&procedure.entry);
        for (block, address) in procedure.blocks.iter().copied().zip(&procedure.addresses) {
            let (Some(address), jumps) = (address, jumps_into[block as usize]) else { continue };
            let is_called = entered[block as usize] == Entered::ByJumps && jumps.are_all_calls();
            if is_called
                && block != procedure.entry
                && !known.contains_key(&block)
                && (!is_function || is_apart(block, jumps, known))
            {
                found.extend(search.function_within(number as u32, procedure, block, *address));
            }
        }
    }
    found
}

/// True when a function begins between a block and each jump to it. Compilers write functions one after
/// the other.
fn is_apart(block: BlockId, jumps: Jumps, known: &BTreeMap<BlockId, Function>) -> bool {
    let before = jumps.last_before.map(|from| from + 1..=block);
    let behind = jumps.first_behind.map(|from| block + 1..=from);
    before.into_iter().chain(behind).all(|range| !range.is_empty() && known.range(range).next().is_some())
}

struct Search<'s, 'a> {
    analysis: &'s Analysis<'a>,
    /// By block: the procedure whose blocks were marked last.
    inside: Vec<u32>,
    /// By block: the entry of the function that was found to hold it last.
    seen: Vec<BlockId>,
    /// Steps that are left.
    left: usize,
}

impl Search<'_, '_> {
    /// The function that begins at a block of a procedure, if that returns.
    fn function_within(
        &mut self,
        number: u32,
        procedure: &Procedure,
        entry: BlockId,
        address: AddressPlace,
    ) -> Option<Function> {
        let exit = procedure.exits.first().filter(|exit| exit.is_return)?;
        if self.inside[entry as usize] != number {
            self.left = self.left.checked_sub(procedure.blocks.len())?;
            procedure.blocks.iter().for_each(|block| self.inside[*block as usize] = number);
        }
        self.seen[entry as usize] = entry;
        let (mut blocks, mut next, mut returns) = (vec![entry], 0, false);
        while let Some(block) = blocks.get(next).copied() {
            next += 1;
            let edges = self.analysis.cfg.out_edges(block);
            let sites = self.analysis.outcome.calls_of(block);
            self.left = self.left.checked_sub(1 + edges.len() + sites.len())?;
            let is_tail_call = sites.is_empty() && edges.iter().any(|edge| edge.kind == EdgeKind::Call);
            returns |= is_tail_call || edges.iter().any(|edge| edge.kind == EdgeKind::Return);
            for to in edges.iter().map(|edge| edge.to).chain(sites.iter().map(|site| site.return_to)) {
                let is_new = self.seen[to as usize] != entry && self.inside[to as usize] == number;
                if is_new {
                    self.seen[to as usize] = entry;
                    blocks.push(to);
                }
            }
        }
        blocks.sort_unstable();
        let rets = u32::try_from(exit.rets - address.moved).ok();
        // What never returns needs no address; then it is not known how many of the words above one it takes.
        let (params, rets) = if returns { (address.above, rets) } else { (0, None) };
        Some(Function { entry, params, rets, blocks })
    }
}
