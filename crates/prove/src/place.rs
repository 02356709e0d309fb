//! Places of programs: where a path is, and how it goes on from there.

use crate::machine::{EndKind, Machine, Region, State, Step};
use crate::term::Term;
use cairn_evm::{Effects, Opcode};

/// A place of a program at which a path can be continued.
pub(crate) trait Place: Clone {
    /// Goes on until the path ends or divides. What is undecided at a division is a condition, 0 or 1;
    /// the place goes on where it holds, [`Turn::Divided`] says where it does not.
    fn advance(&mut self, machine: &mut Machine, state: &mut State) -> Step<Turn<Self>>;

    /// How often the division here was taken both ways in this activation.
    fn rounds(&self) -> u32;

    /// Counts one more.
    fn count_round(&mut self);

    /// Where a way that was just taken leads.
    fn heading(&self, machine: &mut Machine) -> Heading;

    /// True if the division is in a loop whose test was taken both ways: rounds make words of words that earlier ones
    /// made.
    fn is_in_open_loop(&self, machine: &mut Machine) -> bool;

    /// A path is not followed any more because its rounds are too many.
    fn note_cut(&self, machine: &mut Machine);

    /// The same place of a path that comes so to the beginnings of blocks.
    fn with_pace(self, pace: Pace) -> Self;

    /// The block before which it stands.
    type Landing: PartialEq;

    /// Before which block it stands still; `None` if it does not.
    fn landing(&self, machine: &Machine) -> Option<Self::Landing>;

    /// A number for the division that was met last, whatever was done before.
    fn site(&self) -> u64;

    /// The place of both: words are this one's where the condition, 0 or 1, holds, else the other's, which stands before
    /// the same block. `None` if there is no such place.
    fn joined(&self, other: &Self, condition: Term, machine: &mut Machine) -> Option<Self>;
}

/// Why a path stands still.
pub(crate) enum Turn<P> {
    /// It ended.
    Ended(EndKind, Option<Region>),
    /// It goes on here where the condition holds, and at the other place where it does not.
    Divided(Term, P),
    /// It is where it was to be stopped; from here it can be continued.
    Stopped,
}

/// Where a way leads, as to the loop with the division.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heading {
    /// Out of it.
    Out,
    /// On in it.
    On,
    /// Nobody knows.
    Unknown,
}

/// How a path comes to the beginnings of blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Pace {
    /// It passes them.
    #[default]
    Runs,
    /// It stands still before the next one, and wherever it would do what others see.
    Walks,
    /// It stands before one.
    Stands,
}

/// True of what no way does that is joined with another. A jump is where it goes.
pub(crate) fn is_loud(opcode: Opcode) -> bool {
    let jumps = opcode == Opcode::JUMP || opcode == Opcode::JUMPI;
    !jumps && opcode.info().is_none_or(|info| info.effects.intersects(Effects::WRITES | Effects::READ_GAS))
}
