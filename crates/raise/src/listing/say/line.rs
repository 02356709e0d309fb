//! Lines of a function.

use super::{Name, Say};
use crate::tree::{At, Elsewhere};
use cairn_evm::Word;

/// A line of a function.
#[derive(Clone, Debug)]
pub(in crate::listing) struct Line {
    /// How deep it stands.
    pub(in crate::listing) depth: u32,
    pub(in crate::listing) what: What,
}

/// What a line says.
#[derive(Clone, Debug)]
pub(in crate::listing) enum What {
    /// Variables get values, several those of a call.
    Let(Vec<Name>, Say),
    Do(Say),
    /// A store of a word into memory, with its number: where to and what.
    Write(u32, At, Say, Say),
    /// Something else that fills memory, with its number.
    Fill(u32, Say),
    /// A branch, with the offset of its jump.
    If(Say, At),
    Else,
    Switch(Say, At),
    Case(Word),
    Default,
    While(Say, At),
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
    pub(in crate::listing) fn says(&self) -> Vec<&Say> {
        match self {
            What::Let(_, say) | What::Do(say) | What::Fill(_, say) => vec![say],
            What::If(say, _) | What::Switch(say, _) | What::While(say, _) => vec![say],
            What::Write(_, _, to, value) => vec![to, value],
            What::Leave(values) | What::Stack(values) | What::Jump(values, _) => values.iter().collect(),
            What::Else | What::Case(_) | What::Default | What::Part | What::Close => Vec::new(),
            What::Break | What::Continue | What::Go(_) | What::Label(_) => Vec::new(),
        }
    }

    /// The same, to be changed.
    pub(in crate::listing) fn says_mut(&mut self) -> Vec<&mut Say> {
        match self {
            What::Let(_, say) | What::Do(say) | What::Fill(_, say) => vec![say],
            What::If(say, _) | What::Switch(say, _) | What::While(say, _) => vec![say],
            What::Write(_, _, to, value) => vec![to, value],
            What::Leave(values) | What::Stack(values) | What::Jump(values, _) => values.iter_mut().collect(),
            What::Else | What::Case(_) | What::Default | What::Part | What::Close => Vec::new(),
            What::Break | What::Continue | What::Go(_) | What::Label(_) => Vec::new(),
        }
    }
}
