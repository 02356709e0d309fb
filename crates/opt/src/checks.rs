//! Branches seen as checks: one way fails, the other goes on.

use crate::silent::reverts_without_data;
use cairn_evm::Opcode;
use cairn_ir::{Block, BlockCall, Function, Inst, Op, Payload, Value};

/// Jumps that are followed to where a check fails.
const MAX_JUMPS: usize = 8;

/// A check at the end of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Check {
    pub(crate) condition: Value,
    /// Fails if the condition is not zero.
    pub(crate) fails_if_true: bool,
    pub(crate) fail: BlockCall,
    pub(crate) rest: BlockCall,
}

/// The ways to see the branch at the end of a block as a check.
pub(crate) fn checks(func: &Function, block: Block) -> Option<[Check; 2]> {
    let last = func.terminator(block)?;
    let Payload::Branch([nonzero, zero]) = func.dfg.inst(last).payload else {
        return None;
    };
    let condition = func.dfg.args(last)[0];
    Some([
        Check { condition, fails_if_true: true, fail: nonzero, rest: zero },
        Check { condition, fails_if_true: false, fail: zero, rest: nonzero },
    ])
}

/// Where an edge leads behind blocks that only jump.
pub(crate) fn end_of(func: &Function, edge: BlockCall) -> BlockCall {
    let jump = |edge: &BlockCall| {
        let last = func.terminator(edge.block)?;
        let only_jumps =
            func.dfg.params(edge.block).is_empty() && code(func, edge.block).next() == Some(last);
        match func.dfg.inst(last).payload {
            Payload::Jump(next) if only_jumps && func.dfg.op(last) == Op::Br => Some(next),
            _ => None,
        }
    };
    std::iter::successors(Some(edge), jump).take(MAX_JUMPS).last().unwrap_or(edge)
}

/// True when an edge leads to a revert without data.
pub(crate) fn fails_silently(func: &Function, edge: BlockCall) -> bool {
    reverts_without_data(func, end_of(func, edge).block)
}

/// True for a block that ends in a failure.
pub(crate) fn goes_nowhere(func: &Function, block: Block) -> bool {
    let fails =
        |last| matches!(func.dfg.op(last), Op::Unreachable | Op::Evm(Opcode::REVERT | Opcode::INVALID));
    func.terminator(block).is_some_and(fails)
}

/// The instructions of a block that become code: marks for debuggers move with them.
pub(crate) fn code(func: &Function, block: Block) -> impl Iterator<Item = Inst> {
    func.layout.insts(block).filter(|inst| !matches!(func.dfg.op(*inst), Op::DbgTrace | Op::DbgLabel))
}
