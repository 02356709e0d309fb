//! Internal functions: entries, words taken, words given back.
//!
//! Definitions. A *function* is a block that is entered by jumps, one of which is written as a call and
//! leaves an address of the code on the stack, and that leaves by jumping to that address. `params` counts
//! the words above the address at the entry, `rets` the words in the place of all of these
//! afterwards. Code that never returns is a function when it is called like one: by a jump that
//! leaves the address after itself. Compilers that know that a function never returns leave no
//! address; those are found by what they do: what a case of the dispatcher only jumps to, and in
//! such programs blocks without operands that write an error and revert.

use crate::absint::{FoundEdge, Outcome, Procedure};
use crate::analysis::Analysis;
use crate::blocks::{Block, BlockEnd, BlockId, Blocks};
use crate::cfg::{Cfg, EdgeKind};
use crate::decode::{instructions, short_word};
use crate::function::Function;
use cairn_evm::Opcode;
use std::collections::BTreeMap;
use tail_called::tail_called;

mod tail_called;

pub(crate) fn find_functions(analysis: &Analysis<'_>) -> Vec<Function> {
    let Analysis { blocks, cfg, outcome, .. } = analysis;
    let entered = entered(blocks, cfg);
    let jumps_into = jumps_into(analysis);
    let external: Vec<BlockId> = external_functions(analysis).collect();
    let mut list = BTreeMap::new();
    let of_reached = |procedure: &&Procedure| outcome.reached.get(procedure.entry as usize) == Some(&true);
    for procedure in outcome.procedures.iter().filter(of_reached) {
        let entry = procedure.entry;
        if jumps_into[entry as usize].are_calls(entered[entry as usize])
            && let Some(function) = returning(procedure)
        {
            list.insert(entry, function);
        }
    }
    for (entry, params) in called_without_return(blocks, outcome) {
        if entered[entry as usize] == Entered::ByJumps {
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
    for function in tail_called(analysis, &entered, &jumps_into, &list) {
        list.entry(function.entry).or_insert(function);
    }
    list.into_values().collect()
}

/// How control gets into a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Entered {
    /// By jumps to it alone.
    ByJumps,
    /// By returns to it besides: some caller returns to the function instead of calling it.
    ByReturns,
    /// By falling through or by a branch: of its own function, or of one whose end it is.
    FromWithin,
}

fn entered(blocks: &Blocks, cfg: &Cfg) -> Vec<Entered> {
    let mut entered = vec![Entered::ByJumps; blocks.len()];
    for edge in cfg.edges() {
        let way = match edge.kind {
            EdgeKind::Jump | EdgeKind::Call => Entered::ByJumps,
            EdgeKind::Return => Entered::ByReturns,
            EdgeKind::Fallthrough | EdgeKind::True | EdgeKind::False => Entered::FromWithin,
        };
        let known = &mut entered[edge.to as usize];
        *known = way.max(*known);
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

/// The jumps to a block.
#[derive(Clone, Copy, Default)]
struct Jumps {
    count: u32,
    /// Those that are written as calls are.
    calls: u32,
    /// The nearest block before the target that jumps there.
    last_before: Option<BlockId>,
    /// The nearest one behind, the target included.
    first_behind: Option<BlockId>,
}

impl Jumps {
    /// True when there are jumps, and each is written as a call is.
    fn are_all_calls(self) -> bool {
        self.calls > 0 && self.calls == self.count
    }

    /// True when they are calls of a function. What control gets into in another way as well is called at
    /// least twice: otherwise it is where a call continues, or a loop.
    fn are_calls(self, entered: Entered) -> bool {
        match entered {
            // Without any it is what only open jumps may call.
            Entered::ByJumps => self.calls > 0 || self.count == 0,
            Entered::ByReturns | Entered::FromWithin => self.calls > 1,
        }
    }
}

fn jumps_into(analysis: &Analysis<'_>) -> Vec<Jumps> {
    let Analysis { blocks, outcome, .. } = analysis;
    let mut into = vec![Jumps::default(); blocks.len()];
    // Edges stand in the order of their blocks.
    for edges in outcome.edges.chunk_by(|a, b| a.from == b.from) {
        let manner = manner(analysis, edges[0].from);
        for edge in edges {
            let jumps = &mut into[edge.to as usize];
            jumps.count += 1;
            // In the order of the blocks that jump, which is that of the edges.
            if edge.from < edge.to {
                jumps.last_before = Some(edge.from);
            } else {
                jumps.first_behind.get_or_insert(edge.from);
            }
            let is_call = match manner {
                Manner::Call => true,
                Manner::CallOf(target) => target == blocks.get(edge.to).start,
                Manner::Other => false,
            };
            jumps.calls += u32::from(is_call);
        }
    }
    into
}

/// How a block jumps.
#[derive(Clone, Copy)]
enum Manner {
    /// As functions are called, whatever the target: it is not known, or masked as a pointer to a function is.
    Call,
    /// As this place is called: it is pushed, nothing but the order of the stack changes, and the jump follows.
    CallOf(u32),
    /// In another way. Where a function was inlined, its end jumps to what was pushed before its body.
    Other,
}

fn manner(analysis: &Analysis<'_>, block: BlockId) -> Manner {
    if analysis.outcome.jumps[block as usize].is_unresolved {
        return Manner::Call;
    }
    let block = analysis.blocks.get(block);
    let before = offset_before_moves(analysis, block).filter(|pc| *pc < block.last_pc);
    let Some(inst) = before.and_then(|pc| instructions(analysis.code, pc, block.last_pc).next()) else {
        return Manner::Other;
    };
    match inst.opcode.push_width() {
        Some(width) => short_word(inst.data, width).map_or(Manner::Other, Manner::CallOf),
        None if inst.opcode == Opcode::AND && inst.pc == block.before_last => Manner::Call,
        None => Manner::Other,
    }
}

/// The last instruction of a block before the jump that does more than change the order of the stack.
fn offset_before_moves(analysis: &Analysis<'_>, block: &Block) -> Option<u32> {
    let is_move = |opcode: Opcode| opcode == Opcode::POP || opcode.swap_depth().is_some();
    if !is_move(Opcode(analysis.code[block.before_last as usize])) {
        return Some(block.before_last);
    }
    let before = analysis.instructions(block).take_while(|inst| inst.pc < block.last_pc);
    before.filter(|inst| !is_move(inst.opcode)).map(|inst| inst.pc).last()
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

/// Blocks that are called with the address after the jump and never go there. Where the jump is to that address,
/// it is the end of code that was inlined.
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
    let is_next = |edge: &&FoundEdge| edge.to != edge.from + 1;
    let called =
        outcome.edges.iter().filter(is_next).filter_map(|edge| Some((edge.to, edge.words_above_next?)));
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
