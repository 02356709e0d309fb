//! Stack code of one function before addresses are known: what the two schedulers produce, the
//! checker replays and the linearizer lays out.
//!
//! Invariants (the checker proves them): each step finds its operands on top of the stack in the
//! operation's order; effects happen once, in an order their conflicts allow; on each edge the
//! stack equals the successor's entry layout, parameters standing for the arguments passed.

use crate::prepare::Trace;
use cairn_evm::{Cost, Opcode, STACK_LIMIT, Word};
use cairn_ir::{Block, Func, Function, Inst, Value};
use cranelift_entity::{PrimaryMap, SecondaryMap, entity_impl};
use smallvec::{SmallVec, smallvec};

/// What a stack word holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StackWord {
    /// An SSA value that is not a constant.
    Value(Value),
    /// A known word.
    Const(Word),
    /// Where this function returns to.
    ReturnAddress,
    /// Where the call instruction's callee returns to.
    CallReturn(Inst),
    /// Anything; never read.
    Junk,
}

/// A piece of frame memory of one function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameObject(u32);
entity_impl!(FrameObject, "frame");

/// What a [`FrameObject`] is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameUse {
    /// The memory of an `alloca` instruction.
    Alloca(Inst),
    /// Spilled values; several values may share it when they are never live together.
    Spill,
}

/// Size and use of a [`FrameObject`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameObjectData {
    /// Bytes; placed at a multiple of 32.
    pub size: u64,
    /// What it is for.
    pub usage: FrameUse,
}

/// One step of stack code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Pushes a word.
    Push(Word),
    /// Pushes the address of a frame object plus an offset in bytes.
    PushFrame(FrameObject, u64),
    /// Pushes the first address past all frames (`heap_base`).
    PushHeapBase,
    /// Pushes the return label of a call instruction.
    PushReturnLabel(Inst),
    /// Calls: pushes the function's label and jumps; operands and the return label are on the
    /// stack. Control comes back at the return label, which follows at once.
    Call(Func),
    /// `DUPn`: copies the word at depth n (1 = top). n > 16 needs EIP-8024.
    Dup(u16),
    /// `SWAPn`: exchanges the top with the word n below it.
    Swap(u16),
    /// `POP`.
    Pop,
    /// An opcode. With an origin it carries out that instruction; without one it is the `MLOAD` or
    /// `MSTORE` of a spill whose address was pushed by the step before.
    Op(Opcode),
    /// A push or action that only the assembler can resolve (`dataoffset`, `datasize`,
    /// `loadimmutable`, `setimmutable`, `linkersymbol`, `verbatim`): the origin says which.
    Symbolic,
}

/// A step with the instruction that it carries out, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What is done.
    pub kind: StepKind,
    /// The instruction whose operation this is. A pure instruction may be carried out several
    /// times (rematerialisation), any other exactly once.
    pub origin: Option<Inst>,
}

/// How a block ends, after its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// To one successor; the stack is its entry layout.
    Jump(Block),
    /// The condition is on top; below it lies the entry layout of both successors.
    Branch {
        /// Where to go when the condition is not zero.
        then: Block,
        /// Where to go when it is zero.
        otherwise: Block,
    },
    /// Through the table of the switch: its operand is on top; below it lies the entry layout of all
    /// targets.
    Table(Inst),
    /// The last step halts.
    Halt,
    /// The return address is on top, the results below it; jumps there.
    Return,
    /// Jumps to a function that returns to this function's caller: arguments on top, below them
    /// this function's return address.
    TailCall(Func),
}

impl Exit {
    /// The blocks of `func` that it goes to, each once.
    pub(crate) fn targets(self, func: &Function) -> SmallVec<[Block; 2]> {
        match self {
            Exit::Jump(target) => smallvec![target],
            Exit::Branch { then, otherwise } if then == otherwise => smallvec![then],
            Exit::Branch { then, otherwise } => smallvec![then, otherwise],
            Exit::Table(switch) => {
                let mut targets = SmallVec::new();
                func.dfg.for_each_target(switch, |call| targets.push(call.block));
                targets.sort_unstable();
                targets.dedup();
                targets
            }
            Exit::Halt | Exit::Return | Exit::TailCall(_) => SmallVec::new(),
        }
    }
}

/// The code of one block.
#[derive(Clone, Debug)]
pub struct BlockCode {
    /// The block.
    pub block: Block,
    /// The stack on entry, bottom first.
    pub entry: Vec<StackWord>,
    /// What is done.
    pub steps: Vec<Step>,
    /// How it ends.
    pub exit: Exit,
}

/// How a function is called. The return label, if any, lies below the arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Convention {
    /// Indices of the parameters that are passed, bottom of the stack first.
    pub params: Vec<u16>,
    /// Indices of the results, bottom of the stack first.
    pub results: Vec<u16>,
    /// False for functions that never return: they get no return label.
    pub returns: bool,
}

/// Where a value lives between its definition and its uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nowhere: it is made at each use, or nobody needs it.
    Nowhere,
    /// On the stack.
    Stack,
    /// In frame memory.
    Memory(FrameObject),
}

/// Why a value lives where it lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Nothing that is executed needs it.
    Unused,
    /// A constant or another known word.
    Pushed,
    /// A cheap tree of pure operations, at this cost each time.
    MadeAgain(Cost),
    /// The default scheduler finds it in reach at every use.
    InReach,
    /// The default scheduler had to make room.
    Crowded,
    /// Literal rules: used in its own block only.
    OneBlock,
    /// Literal rules: used in another block, at a merge or around a loop.
    AcrossBlocks,
    /// Literal rules: results of a call that has several or saves memory around it.
    SeveralResults,
    /// Literal rules: one of several values returned.
    ReturnedTogether,
    /// Literal rules: an earlier round could not reach it.
    OutOfReach,
}

/// The decision about one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueHome {
    /// The value.
    pub value: Value,
    /// Where it lives.
    pub place: Place,
    /// Why.
    pub why: Why,
}

/// The code of one function.
#[derive(Clone, Debug)]
pub struct FuncCode {
    /// Blocks; the first is the entry.
    pub blocks: Vec<BlockCode>,
    /// Frame memory it uses.
    pub frame: PrimaryMap<FrameObject, FrameObjectData>,
    /// How it is called.
    pub convention: Convention,
    /// Where its values live, in the order of the text, if the options ask for it.
    pub homes: Vec<ValueHome>,
}

/// A function as the scheduler saw it (prepared, in global mode with its slots promoted) and its
/// code.
#[derive(Clone, Debug)]
pub struct ScheduledFunc {
    /// The function; values, instructions and blocks of the code are its own.
    pub func: Function,
    /// The code.
    pub code: FuncCode,
    /// What debuggers are told about variables.
    pub traces: Vec<Trace>,
}

/// The code of a module's functions; `None` for functions that the entry function never reaches.
pub type ModuleCode = SecondaryMap<Func, Option<ScheduledFunc>>;

/// Words that schedulers put on the stack at once: as many as the EVM's holds, less a few for
/// addresses and for words that are made from others.
pub const MAX_HEIGHT: usize = STACK_LIMIT - 4;

/// How far stack instructions reach on a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Largest `n` of `DUPn`.
    pub dup: u16,
    /// Largest `n` of `SWAPn`.
    pub swap: u16,
}

impl Reach {
    /// `DUP1`–`DUP16` and `SWAP1`–`SWAP16`.
    pub const LEGACY: Reach = Reach { dup: 16, swap: 16 };
    /// With `DUPN` and `SWAPN` up to 235.
    pub(crate) const EIP_8024: Reach =
        Reach { dup: cairn_asm::eip8024::MAX_SINGLE, swap: cairn_asm::eip8024::MAX_SINGLE };
}
