//! Internal functions: entries, words taken, words given back.
//!
//! Definitions. A *function* is a block that is entered by jumps alone, one of which leaves an
//! address of the code on the stack, and that leaves by jumping to that address. `params` counts
//! the words above the address at the entry, `rets` the words in the place of all of these
//! afterwards. Code that never returns is a function when it is called like one: by a jump that
//! leaves the address after itself. Compilers that know that a function never returns leave no
//! address; those are found by what they do: what a case of the dispatcher only jumps to, and in
//! such programs blocks without operands that write an error and revert.

use crate::absint::{Outcome, Procedure};
use crate::analysis::Analysis;
use crate::blocks::{Block, BlockEnd, BlockId, Blocks};
use crate::cfg::{Cfg, EdgeKind};
use crate::function::Function;
use cairn_evm::Opcode;
use std::collections::BTreeMap;

/// Blocks of a function that is too short to be called from one place.
const SHORT: usize = 1;

pub(crate) fn find_functions(analysis: &Analysis<'_>) -> Vec<Function> {
    let Analysis { blocks, cfg, outcome, .. } = analysis;
    let entered_otherwise = entered_otherwise(blocks, cfg);
    let jumps_into = jumps_into(blocks, outcome);
    let external: Vec<BlockId> = external_functions(analysis).collect();
    let mut list = BTreeMap::new();
    let of_reached = |procedure: &&Procedure| outcome.reached.get(procedure.entry as usize) == Some(&true);
    for procedure in outcome.procedures.iter().filter(of_reached) {
        let Some(function) = returning(procedure) else { continue };
        // Where handlers are functions themselves, all calls are written alike.
        // A short one that is entered once would have been inlined.
        let is_plain = external.is_empty()
            || function.blocks.len() > SHORT
            || is_called_plainly(analysis, function.entry, jumps_into[function.entry as usize]);
        if is_plain && !entered_otherwise[function.entry as usize] {
            list.insert(function.entry, function);
        }
    }
    for (entry, params) in called_without_return(blocks, outcome) {
        if !entered_otherwise[entry as usize] {
            list.entry(entry).or_insert_with(|| never_returning(entry, params, outcome));
        }
    }
    let mut is_jumped_to = vec![false; blocks.len()];
    let jumps = cfg.edges().iter().filter(|edge| matches!(edge.kind, EdgeKind::Jump | EdgeKind::Call));
    jumps.for_each(|edge| is_jumped_to[edge.to as usize] = true);
    let jumped_to = (0..blocks.len() as BlockId).filter(|block| is_jumped_to[*block as usize]);
    let errors = jumped_to.filter(|block| match error_of(analysis, *block) {
        Some(ErrorKind::Panic) => true,
        Some(ErrorKind::Other) => !external.is_empty(),
        None => false,
    });
    for entry in external.iter().copied().chain(errors) {
        list.entry(entry).or_insert_with(|| never_returning(entry, 0, outcome));
    }
    list.into_values().collect()
}

/// Blocks that are entered by falling through or by the branch of their own function.
fn entered_otherwise(blocks: &Blocks, cfg: &Cfg) -> Vec<bool> {
    let mut entered = vec![false; blocks.len()];
    for edge in cfg.edges() {
        let inside = !matches!(edge.kind, EdgeKind::Jump | EdgeKind::Call);
        entered[edge.to as usize] |= inside;
    }
    entered
}

fn returning(procedure: &Procedure) -> Option<Function> {
    let exit = procedure.exits.iter().find(|exit| exit.is_return)?;
    Some(Function {
        entry: procedure.entry,
        params: exit.params,
        rets: u32::try_from(exit.rets).ok(),
        blocks: sorted(&procedure.blocks),
    })
}

/// What is known of the jumps to a block.
#[derive(Clone, Copy, Default)]
struct Jumps {
    count: u32,
    /// The block before one of them.
    from: BlockId,
    /// One leaves the address after itself.
    leaves_next: bool,
}

fn jumps_into(blocks: &Blocks, outcome: &Outcome) -> Vec<Jumps> {
    let mut into = vec![Jumps::default(); blocks.len()];
    for edge in &outcome.edges {
        let jumps = &mut into[edge.to as usize];
        jumps.count += 1;
        jumps.from = edge.from;
        jumps.leaves_next |= edge.words_above_next.is_some();
    }
    into
}

/// True when the jumps to a block look like calls: one leaves the address after itself, or its
/// block pushes an address besides the target, or there are several.
fn is_called_plainly(analysis: &Analysis<'_>, entry: BlockId, jumps: Jumps) -> bool {
    let Jumps { count, from, leaves_next } = jumps;
    leaves_next || count > 1 || (count == 1 && pushes_address(analysis, from, entry))
}

fn pushes_address(analysis: &Analysis<'_>, block: BlockId, target: BlockId) -> bool {
    let addresses = analysis.instructions(analysis.blocks.get(block)).filter_map(|inst| {
        let pc = u32::try_from(inst.pushed_word()?).ok()?;
        analysis.blocks.jump_target(pc)
    });
    addresses.into_iter().any(|address| address != target)
}

fn never_returning(entry: BlockId, params: u32, outcome: &Outcome) -> Function {
    let procedure = outcome.procedures.iter().find(|procedure| procedure.entry == entry);
    let blocks = procedure.map_or_else(|| vec![entry], |procedure| sorted(&procedure.blocks));
    Function { entry, params, rets: None, blocks }
}

fn sorted(blocks: &[BlockId]) -> Vec<BlockId> {
    let mut blocks = blocks.to_vec();
    blocks.sort_unstable();
    blocks.dedup();
    blocks
}

/// Blocks that are called with the address after the jump and never go there.
fn called_without_return<'a>(
    blocks: &'a Blocks,
    outcome: &'a Outcome,
) -> impl Iterator<Item = (BlockId, u32)> + 'a {
    let mut returns: Vec<BlockId> = outcome
        .procedures
        .iter()
        .filter(|procedure| !procedure.exits.is_empty())
        .map(|procedure| procedure.entry)
        .collect();
    returns.sort_unstable();
    let called = outcome.edges.iter().filter_map(|edge| Some((edge.to, edge.words_above_next?)));
    called.filter(move |(to, _)| returns.binary_search(to).is_err() && blocks.get(*to).is_jump_target)
}

/// Functions that handle a selector: the dispatcher's case does nothing but jump there.
fn external_functions<'a>(analysis: &'a Analysis<'_>) -> impl Iterator<Item = BlockId> + 'a {
    analysis.selectors.iter().filter_map(|selector| {
        let case = analysis.blocks.get(selector.entry);
        let jumps_on = |inst: &crate::decode::Instruction<'_>| {
            inst.opcode.push_width().is_some()
                || matches!(inst.opcode, Opcode::JUMPDEST | Opcode::JUMP | Opcode::POP)
        };
        let is_trampoline =
            case.ends == BlockEnd::Jump && analysis.instructions(case).all(|inst| jumps_on(&inst));
        let [edge] = analysis.cfg.out_edges(selector.entry) else { return None };
        let entered = analysis.blocks.get(edge.to).is_jump_target;
        let returns =
            analysis.outcome.procedures.iter().any(|proc| proc.entry == edge.to && !proc.exits.is_empty());
        (is_trampoline && entered && !returns).then_some(edge.to)
    })
}

/// What a block that only fails says.
enum ErrorKind {
    /// `Panic(uint256)`.
    Panic,
    /// Anything else.
    Other,
}

/// Selector of `Panic(uint256)`.
const PANIC: u32 = 0x4e48_7b71;

/// For a block without operands that is jumped to, writes memory and reverts.
fn error_of(analysis: &Analysis<'_>, block: BlockId) -> Option<ErrorKind> {
    let data: &Block = analysis.blocks.get(block);
    if !data.is_jump_target || data.ends != BlockEnd::Halt || data.needs > 0 || !analysis.is_reached(block) {
        return None;
    }
    let mut writes = false;
    let mut reverts = false;
    let mut kind = ErrorKind::Other;
    for inst in analysis.instructions(data) {
        writes |= matches!(inst.opcode, Opcode::MSTORE | Opcode::RETURNDATACOPY);
        reverts |= inst.opcode == Opcode::REVERT;
        let start = inst.data.first_chunk::<4>();
        if matches!(inst.opcode, Opcode::PUSH4 | Opcode::PUSH32) && start == Some(&PANIC.to_be_bytes()) {
            kind = ErrorKind::Panic;
        }
    }
    (writes && reverts).then_some(kind)
}
