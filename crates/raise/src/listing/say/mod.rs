//! What a reader is told: expressions with words for what opcodes do, and lines of them.

mod effect;
mod line;

pub(in crate::listing) use effect::{Data, Effect, Piece};
pub(in crate::listing) use line::{Line, What};

use crate::tree::{At, Callee, Var};
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
pub(in crate::listing) struct Name {
    /// 0 for the function itself; every call that is written out has a number of its own.
    pub(in crate::listing) frame: u32,
    pub(in crate::listing) id: Id,
}

/// Which variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::listing) enum Id {
    Var(Var),
    /// What a store into memory stores, or what else needs a name.
    Kept(u32),
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::listing) enum Say {
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
    /// Bytes as they lie in memory (`MLOAD`), calldata (`CALLDATALOAD`) or what a call gave back
    /// (`RETURNDATACOPY`): from where, how many.
    Bytes(Opcode, Vec<Say>),
    Effect(Box<Effect>, At),
}

impl Say {
    pub(in crate::listing) fn evm(opcode: Opcode, args: Vec<Say>) -> Say {
        Say::Call(Callee::Builtin(Builtin::Evm(opcode)), args, At(None))
    }

    /// The opcode and operands.
    pub(in crate::listing) fn as_evm(&self) -> Option<(Opcode, &[Say])> {
        match self {
            Say::Call(Callee::Builtin(Builtin::Evm(opcode)), args, _) => Some((*opcode, args)),
            _ => None,
        }
    }

    pub(in crate::listing) fn args_of(&self, opcode: Opcode) -> Option<&[Say]> {
        self.as_evm().filter(|(own, _)| *own == opcode).map(|(_, args)| args)
    }

    pub(in crate::listing) fn as_number(&self) -> Option<Word> {
        match self {
            Say::Number(word) => Some(*word),
            _ => None,
        }
    }

    /// The offsets in the code of what happens in it, the outermost first; if nothing does, of the first
    /// thing in it.
    pub(in crate::listing) fn places(&self, found: &mut Vec<u32>) {
        let first = found.len();
        self.places_of_effects(found);
        if found.len() == first {
            found.extend(self.at_any());
        }
    }

    /// The same, nothing if nothing happens.
    pub(in crate::listing) fn places_of_effects(&self, found: &mut Vec<u32>) {
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
    pub(in crate::listing) fn parts(&self) -> Vec<&Say> {
        match self {
            Say::Number(_) | Say::Text(_) | Say::Name(_) | Say::Free(_) | Say::Returned(..) => Vec::new(),
            Say::Call(_, args, _) | Say::Hash(args) | Say::Bytes(_, args) => args.iter().collect(),
            Say::Effect(effect, _) => effect.parts(),
        }
    }

    /// The same, to be changed.
    pub(in crate::listing) fn parts_mut(&mut self) -> Vec<&mut Say> {
        match self {
            Say::Number(_) | Say::Text(_) | Say::Name(_) | Say::Free(_) | Say::Returned(..) => Vec::new(),
            Say::Call(_, args, _) | Say::Hash(args) | Say::Bytes(_, args) => args.iter_mut().collect(),
            Say::Effect(effect, _) => effect.parts_mut(),
        }
    }

    /// Calls `f` on each variable in it.
    pub(in crate::listing) fn for_each_name(&self, f: &mut impl FnMut(Name)) {
        match self {
            Say::Name(name) => f(*name),
            _ => self.parts().into_iter().for_each(|part| part.for_each_name(f)),
        }
    }

    /// Number of parts, counted up to a limit.
    pub(in crate::listing) fn size(&self, limit: usize) -> usize {
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
    pub(in crate::listing) fn is_argument(&self) -> bool {
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
    pub(in crate::listing) fn is_pure(&self) -> bool {
        let own = match self {
            Say::Number(_)
            | Say::Text(_)
            | Say::Name(_)
            | Say::Free(_)
            | Say::Hash(_)
            | Say::Returned(..) => true,
            Say::Effect(..) => false,
            Say::Bytes(opcode, _) => *opcode == Opcode::CALLDATALOAD,
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
    pub(in crate::listing) fn is_removable(&self) -> bool {
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
