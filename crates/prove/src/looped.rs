//! Places of programs that are stopped at loops: behind the test that each round begins with.

use crate::machine::{Machine, State};
use crate::place::Place;
use crate::term::{Term, Terms};
use std::rc::Rc;

/// How things were when a path passed a place.
pub(crate) type Before<P> = Rc<(P, State)>;

/// A place of a program whose loops can be found.
pub(crate) trait Looped: Place {
    /// Where a path is stopped.
    type Location: Clone;

    /// True of the same block in the same activation, as far as is known.
    fn is_same_location(a: &Self::Location, b: &Self::Location) -> bool;

    /// The same place of a path that takes note of what is needed to find loops.
    fn surveying(&self) -> Self;

    /// The same place of a path that is stopped at the loops in which others were cut; `None` if there are none.
    fn watching(&self, machine: &Machine) -> Option<Self>;

    /// Where the path was stopped, and how things were at the head of the loop, if that is another place.
    fn stop(&self, terms: &Terms) -> Option<(Self::Location, Option<Before<Self>>)>;

    /// True if the way that was just taken in the head of a loop does not lead behind its test.
    fn strays_from(&self, stop: &Self::Location) -> bool;

    /// The same place of a path that begins here: without rounds and heads that were passed.
    fn beginning(&self, state: &State) -> Self;

    /// The words of all values that there are.
    fn words(&self) -> Vec<Term>;

    /// How many bits each of them has.
    fn widths(&self) -> Vec<u16>;

    /// The words of the values that another place has, in its order; `None` if one is missing here.
    fn words_of(&self, other: &Self) -> Option<Vec<Term>>;

    /// The same place with other words of the values that there are, in the order of [`Self::words`].
    fn with_words(&self, words: &[Term]) -> Self;
}
