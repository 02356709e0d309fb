//! What a run sees of the world, and what the world sees of a run.

use crate::ids::{Block, Func, Inst, Value};
use cairn_evm::{Opcode, Word};
use std::collections::BTreeMap;

/// A call or creation that leaves the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct External {
    /// `CALL`, `CREATE` and so on.
    pub opcode: Opcode,
    /// Its operands.
    pub args: Vec<Word>,
    /// The memory passed.
    pub input: Vec<u8>,
}

/// What a call gives back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalResult {
    /// What the opcode pushes: 1 for success, the address created.
    pub word: Word,
    /// The data returned.
    pub output: Vec<u8>,
    /// What opcodes without operands push from now on.
    pub words: Vec<(Opcode, Word)>,
}

/// Answers questions about other accounts.
pub type Answer<'a> = Box<dyn FnMut(&External) -> ExternalResult + 'a>;

/// A step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A function becomes active; its parameters and its first block come next.
    Call(Func),
    /// The active function gives back to its caller, which is active again and gets the results next.
    Return,
    /// A value of the active function gets this word; nothing is told of what is no word.
    Value(Value, Word),
    /// Control is in a block of the active function, whose parameters came before.
    Block(Block),
    /// An instruction of the active function runs next.
    Inst(Inst),
}

/// Hears of each step of a run, in their order.
pub type Watch<'a> = Box<dyn FnMut(Event) + 'a>;

/// The surroundings of a run.
pub struct Env<'a> {
    /// The calldata.
    pub calldata: Vec<u8>,
    /// Whether the frame is static: operations that change the state halt.
    pub is_static: bool,
    /// What opcodes without operands push; zero for those not in it.
    pub words: BTreeMap<Opcode, Word>,
    /// Storage before the run.
    pub storage: BTreeMap<Word, Word>,
    /// Values of immutables; zero for those not in it.
    pub immutables: BTreeMap<String, Word>,
    /// Addresses of libraries; zero for those not in it.
    pub libraries: BTreeMap<String, Word>,
    /// The code, with the place and size of each of its parts by its path; without one, an image of the data and
    /// nested modules of the module.
    pub image: Option<Image>,
    /// Answers calls to other accounts and opcodes that ask about accounts or blocks by operand.
    pub external: Option<Answer<'a>>,
    /// Hears what is done.
    pub watch: Option<Watch<'a>>,
    /// Instructions a run may execute.
    pub max_steps: u64,
    /// Bytes of memory a run may use.
    pub max_memory: usize,
    /// Calls of internal functions that may be active.
    pub max_depth: usize,
}

impl Default for Env<'_> {
    fn default() -> Self {
        Env {
            calldata: Vec::new(),
            is_static: false,
            words: BTreeMap::new(),
            storage: BTreeMap::new(),
            immutables: BTreeMap::new(),
            libraries: BTreeMap::new(),
            image: None,
            external: None,
            watch: None,
            max_steps: 10_000_000,
            max_memory: 1 << 24,
            max_depth: 10_000,
        }
    }
}

/// Code, and where its parts lie in it: offset and size by path.
pub type Image = (Vec<u8>, BTreeMap<String, (usize, usize)>);

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// `stop`.
    Stop,
    /// `return` with its data.
    Return(Vec<u8>),
    /// `revert` with its data.
    Revert(Vec<u8>),
    /// `invalid`, or return data read out of bounds.
    Invalid,
    /// An operation that changes the state, in a static frame.
    StaticChange,
    /// `unreachable`, or the end of a block without terminator: the program broke its promise, and
    /// the run has no meaning.
    Unreachable,
    /// `selfdestruct` with its beneficiary.
    SelfDestruct(Word),
    /// A limit of the [`Env`] was passed: its name.
    Limit(&'static str),
    /// The interpreter does not know what this means.
    Unsupported(String),
}

impl Outcome {
    /// True when the effects of the run persist.
    pub fn is_success(&self) -> bool {
        match self {
            Outcome::Stop | Outcome::Return(_) | Outcome::SelfDestruct(_) => true,
            Outcome::Revert(_) | Outcome::Invalid | Outcome::StaticChange => false,
            Outcome::Unreachable | Outcome::Limit(_) | Outcome::Unsupported(_) => false,
        }
    }
}

/// A log entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// Its topics.
    pub topics: Vec<Word>,
    /// Its data.
    pub data: Vec<u8>,
}

/// What a run did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// Storage after it, without zeros; as before it unless it succeeded.
    pub storage: BTreeMap<Word, Word>,
    /// Transient storage after it, without zeros.
    pub transient: BTreeMap<Word, Word>,
    /// Logs, unless it failed.
    pub logs: Vec<Log>,
    /// Instructions executed.
    pub steps: u64,
}
