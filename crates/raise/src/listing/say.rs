//! What a reader is told: expressions with words for what opcodes do, and lines of them.

use crate::tree::{At, Callee, Elsewhere, Var};
use cairn_evm::{Effects, Opcode, Word};
use cairn_ir::Op;
use cairn_yul::Builtin;

/// What others can see of what happens.
const SEEN_BY_OTHERS: Effects = Effects::WRITE_STORAGE
    .union(Effects::WRITE_TRANSIENT)
    .union(Effects::WRITE_LOG)
    .union(Effects::WRITE_ACCOUNTS)
    .union(Effects::HALT);

/// A variable of a function, or of one that stands in it where it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Name {
    /// 0 for the function itself; every call that is written out has a number of its own.
    pub(super) frame: u32,
    pub(super) id: Id,
}

/// Which variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Id {
    Var(Var),
    /// What a store into memory stores, or what else needs a name.
    Kept(u32),
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Say {
    Number(Word),
    /// A name in quotes.
    Text(String),
    Name(Name),
    Call(Callee, Vec<Say>, At),
    /// The hash of words in a row.
    Hash(Vec<Say>),
    /// The first free byte of memory, as it was at some time.
    Free(u32),
    /// A word of what a call gave back: the number of the call, and of the word.
    Returned(u32, u64),
    Effect(Box<Effect>, At),
}

/// What happens, with the memory that it reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    Emit {
        topics: Vec<Say>,
        data: Data,
    },
    Revert(Data),
    Return(Data),
    /// A call, with its number.
    Message {
        number: u32,
        opcode: Opcode,
        gas: Say,
        to: Say,
        value: Option<Say>,
        data: Data,
    },
    Hash(Data),
}

/// Bytes of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Data {
    /// Values that were stored there, without gaps.
    Known(Vec<Piece>),
    /// A copy of calldata, code or what a call gave back: what is copied, from where, how much.
    Copied(Opcode, Say, Say),
    /// From where, how many.
    Memory(Say, Say),
}

/// The first bytes of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) bytes: u64,
    pub(super) value: Say,
}

impl Say {
    pub(super) fn evm(opcode: Opcode, args: Vec<Say>) -> Say {
        Say::Call(Callee::Builtin(Builtin::Evm(opcode)), args, At(None))
    }

    /// The opcode and operands.
    pub(super) fn as_evm(&self) -> Option<(Opcode, &[Say])> {
        match self {
            Say::Call(Callee::Builtin(Builtin::Evm(opcode)), args, _) => Some((*opcode, args)),
            _ => None,
        }
    }

    pub(super) fn args_of(&self, opcode: Opcode) -> Option<&[Say]> {
        self.as_evm().filter(|(own, _)| *own == opcode).map(|(_, args)| args)
    }

    pub(super) fn as_number(&self) -> Option<Word> {
        match self {
            Say::Number(word) => Some(*word),
            _ => None,
        }
    }

    /// The offsets in the code of what happens in it, the outermost first; if nothing does, of the first
    /// thing in it.
    pub(super) fn places(&self, found: &mut Vec<u32>) {
        let first = found.len();
        self.places_of_effects(found);
        if found.len() == first {
            found.extend(self.at_any());
        }
    }

    /// The same, nothing if nothing happens.
    pub(super) fn places_of_effects(&self, found: &mut Vec<u32>) {
        let happens = match self {
            Say::Effect(effect, _) => !matches!(**effect, Effect::Hash(_)),
            Say::Call(Callee::Builtin(Builtin::Evm(opcode)), ..) => {
                Op::Evm(*opcode).effects().intersects(SEEN_BY_OTHERS)
            }
            Say::Call(Callee::Func(_), ..) => true,
            _ => false,
        };
        if let Say::Call(_, _, At(Some(pc))) | Say::Effect(_, At(Some(pc))) = self
            && happens
        {
            found.push(*pc);
        }
        self.parts().into_iter().for_each(|part| part.places_of_effects(found));
    }

    fn at_any(&self) -> Option<u32> {
        match self {
            Say::Call(_, _, At(Some(pc))) | Say::Effect(_, At(Some(pc))) => Some(*pc),
            _ => self.parts().into_iter().find_map(Say::at_any),
        }
    }

    /// The expressions in it.
    pub(super) fn parts(&self) -> Vec<&Say> {
        match self {
            Say::Number(_) | Say::Text(_) | Say::Name(_) | Say::Free(_) | Say::Returned(..) => Vec::new(),
            Say::Call(_, args, _) | Say::Hash(args) => args.iter().collect(),
            Say::Effect(effect, _) => effect.parts(),
        }
    }

    /// The same, to be changed.
    pub(super) fn parts_mut(&mut self) -> Vec<&mut Say> {
        match self {
            Say::Number(_) | Say::Text(_) | Say::Name(_) | Say::Free(_) | Say::Returned(..) => Vec::new(),
            Say::Call(_, args, _) | Say::Hash(args) => args.iter_mut().collect(),
            Say::Effect(effect, _) => effect.parts_mut(),
        }
    }

    /// Calls `f` on each variable in it.
    pub(super) fn for_each_name(&self, f: &mut impl FnMut(Name)) {
        match self {
            Say::Name(name) => f(*name),
            _ => self.parts().into_iter().for_each(|part| part.for_each_name(f)),
        }
    }

    /// Number of parts, counted up to a limit.
    pub(super) fn size(&self, limit: usize) -> usize {
        let mut size = 1;
        for part in self.parts() {
            if size >= limit {
                break;
            }
            size += part.size(limit - size);
        }
        size
    }

    /// True for a word of calldata at a known place, whole or cut.
    pub(super) fn is_argument(&self) -> bool {
        let is_word =
            |say: &Say| say.args_of(Opcode::CALLDATALOAD).is_some_and(|args| args[0].as_number().is_some());
        match self.args_of(Opcode::AND) {
            Some([a, b]) => {
                (a.as_number().is_some() && is_word(b)) || (b.as_number().is_some() && is_word(a))
            }
            _ => is_word(self),
        }
    }

    /// True when it is the same wherever it stands, as far as its variables are.
    pub(super) fn is_pure(&self) -> bool {
        let own = match self {
            Say::Number(_)
            | Say::Text(_)
            | Say::Name(_)
            | Say::Free(_)
            | Say::Hash(_)
            | Say::Returned(..) => true,
            Say::Effect(..) => false,
            Say::Call(Callee::Builtin(Builtin::Evm(opcode)), ..) => {
                *opcode == Opcode::CALLDATALOAD || Op::Evm(*opcode).effects().is_pure()
            }
            Say::Call(Callee::Builtin(builtin), ..) => {
                matches!(builtin, Builtin::DataOffset | Builtin::DataSize | Builtin::LoadImmutable)
            }
            Say::Call(Callee::Func(_), ..) => false,
            Say::Call(Callee::Min, ..) => true,
        };
        own && self.parts().into_iter().all(Say::is_pure)
    }

    /// True when nothing is lost where nobody reads it.
    pub(super) fn is_removable(&self) -> bool {
        let own = match self {
            // That memory grows nobody sees.
            Say::Call(Callee::Builtin(Builtin::Evm(Opcode::MLOAD | Opcode::KECCAK256)), ..) => true,
            Say::Call(Callee::Builtin(Builtin::Evm(opcode)), ..) => Op::Evm(*opcode).effects().is_removable(),
            Say::Call(Callee::Func(_), ..) => false,
            Say::Effect(effect, _) => matches!(**effect, Effect::Hash(_)),
            _ => true,
        };
        own && self.parts().into_iter().all(Say::is_removable)
    }
}

impl Effect {
    fn parts(&self) -> Vec<&Say> {
        let (mut parts, data): (Vec<&Say>, _) = match self {
            Effect::Emit { topics, data } => (topics.iter().collect(), data),
            Effect::Revert(data) | Effect::Return(data) | Effect::Hash(data) => (Vec::new(), data),
            Effect::Message { gas, to, value, data, .. } => {
                ([gas, to].into_iter().chain(value).collect(), data)
            }
        };
        match data {
            Data::Known(pieces) => parts.extend(pieces.iter().map(|piece| &piece.value)),
            Data::Copied(_, a, b) | Data::Memory(a, b) => parts.extend([a, b]),
        }
        parts
    }

    fn parts_mut(&mut self) -> Vec<&mut Say> {
        let (mut parts, data): (Vec<&mut Say>, _) = match self {
            Effect::Emit { topics, data } => (topics.iter_mut().collect(), data),
            Effect::Revert(data) | Effect::Return(data) | Effect::Hash(data) => (Vec::new(), data),
            Effect::Message { gas, to, value, data, .. } => {
                ([gas, to].into_iter().chain(value).collect(), data)
            }
        };
        match data {
            Data::Known(pieces) => parts.extend(pieces.iter_mut().map(|piece| &mut piece.value)),
            Data::Copied(_, a, b) | Data::Memory(a, b) => parts.extend([a, b]),
        }
        parts
    }

    /// True when nothing comes behind it.
    pub(super) fn ends(&self) -> bool {
        matches!(self, Effect::Revert(_) | Effect::Return(_))
    }
}

/// A line of a function.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// How deep it stands.
    pub(super) depth: u32,
    pub(super) what: What,
}

/// What a line says.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// Variables get values, several those of a call.
    Let(Vec<Name>, Say),
    Do(Say),
    /// A store of a word into memory, with its number: where to and what.
    Write(u32, At, Say, Say),
    /// Something else that fills memory, with its number.
    Fill(u32, Say),
    If(Say),
    Else,
    Switch(Say),
    Case(Word),
    Default,
    While(Say),
    /// A part that `break` leaves.
    Part,
    Close,
    Break,
    Continue,
    /// Out of an internal function, with its results.
    Leave(Vec<Say>),
    /// To a text that stands elsewhere.
    Go(Elsewhere),
    Label(u32),
    /// The words that a block leaves on the stack, the lowest first.
    Stack(Vec<Say>),
    /// Where it goes then, in words; first what it jumps to if that is not known.
    Jump(Vec<Say>, String),
}

impl What {
    /// The expressions in it.
    pub(super) fn says(&self) -> Vec<&Say> {
        match self {
            What::Let(_, say) | What::Do(say) | What::Fill(_, say) => vec![say],
            What::If(say) | What::Switch(say) | What::While(say) => vec![say],
            What::Write(_, _, to, value) => vec![to, value],
            What::Leave(values) | What::Stack(values) | What::Jump(values, _) => values.iter().collect(),
            What::Else | What::Case(_) | What::Default | What::Part | What::Close => Vec::new(),
            What::Break | What::Continue | What::Go(_) | What::Label(_) => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub(super) fn says_mut(&mut self) -> Vec<&mut Say> {
        match self {
            What::Let(_, say) | What::Do(say) | What::Fill(_, say) => vec![say],
            What::If(say) | What::Switch(say) | What::While(say) => vec![say],
            What::Write(_, _, to, value) => vec![to, value],
            What::Leave(values) | What::Stack(values) | What::Jump(values, _) => values.iter_mut().collect(),
            What::Else | What::Case(_) | What::Default | What::Part | What::Close => Vec::new(),
            What::Break | What::Continue | What::Go(_) | What::Label(_) => Vec::new(),
        }
    }
}
