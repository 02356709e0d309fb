//! What the checker knows about a stack word.

use crate::code::{FrameObject, StackWord};
use cairn_evm::Word;
use cairn_ir::{Function, Inst, Value};

/// Index of a 32-byte word in a function's frame.
pub(super) type FrameWord = u64;

/// What a stack word holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Sym {
    /// An SSA value that is not a constant.
    Value(Value),
    /// A known word.
    Const(Word),
    /// Where the function returns to.
    ReturnAddress,
    /// Where a call's callee returns to.
    CallReturn(Inst),
    /// The address of frame memory, to be used by the next step.
    Address(FrameObject, u64),
    /// What this word of the frame held when the block was entered.
    AtEntry(FrameWord),
    /// A word of an `alloca`, saved when the memory had been written this many times.
    Saved(FrameObject, u64, u32),
    /// Anything.
    Junk,
}

impl Sym {
    /// What a value is: constants are equal by what they are.
    pub(super) fn of(func: &Function, value: Value) -> Sym {
        func.dfg.as_const(value).map_or(Sym::Value(value), Sym::Const)
    }

    /// What a word of a layout is.
    pub(super) fn of_layout(func: &Function, word: StackWord) -> Sym {
        match word {
            StackWord::Value(value) => Sym::of(func, value),
            StackWord::Const(word) => Sym::Const(word),
            StackWord::ReturnAddress => Sym::ReturnAddress,
            StackWord::CallReturn(call) => Sym::CallReturn(call),
            StackWord::Junk => Sym::Junk,
        }
    }
}
