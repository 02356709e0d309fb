//! The assumptions of docs/assumptions.md as switches.

use std::fmt;

/// A set of the assumptions A1 to A19.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assumptions(u32);

/// An assumption by its number in docs/assumptions.md.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assumption(u8);

impl Assumption {
    /// Gas is observable only where it is asked.
    pub const GAS: Assumption = Assumption(1);
    /// The size of memory is observable only where it is asked.
    pub const MEMORY_SIZE: Assumption = Assumption(2);
    /// Frames lie between reserved memory and the heap, and are nobody else's.
    pub const FRAMES: Assumption = Assumption(3);
    /// Where code lies is observable only where it is asked.
    pub const LAYOUT: Assumption = Assumption(5);
    /// Calls change storage unless they are static, and replace return data.
    pub const CALLS: Assumption = Assumption(6);
    /// What a reverted frame wrote is not observable.
    pub const REVERTED: Assumption = Assumption(8);
    /// An immutable is the same word everywhere.
    pub const IMMUTABLES: Assumption = Assumption(9);
    /// No program puts more words on the stack than there is room for.
    pub const STACK: Assumption = Assumption(10);
    /// Hashes are far from each other and from small numbers.
    pub const HASHES: Assumption = Assumption(11);
    /// Sizes, gas and addresses are bounded.
    pub const BOUNDS: Assumption = Assumption(12);
    /// Memory from 2^64 up is never reached.
    pub const FAR_MEMORY: Assumption = Assumption(13);
    /// Memory is gone when its frame ends.
    pub const LOST_MEMORY: Assumption = Assumption(14);
    /// Nobody else changes storage while the frame runs.
    pub const OWN_STATE: Assumption = Assumption(15);
    /// Stores to computed addresses leave the pointer to free memory alone, and what it points to was paid for.
    pub const POINTER: Assumption = Assumption(17);
    /// What is said of block and transaction changes only at calls.
    pub const ENVIRONMENT: Assumption = Assumption(18);
    /// Which of two failures ends a frame that asks for more memory than there is. The rest of it is the compiler's
    /// alone: what it does by that is not taken on trust here.
    pub const ALLOCATIONS: Assumption = Assumption(19);

    /// All that there are.
    pub const COUNT: u8 = 19;

    /// The assumption with this number.
    pub fn from_number(number: u8) -> Option<Assumption> {
        (1..=Assumption::COUNT).contains(&number).then_some(Assumption(number))
    }

    /// Its number.
    pub fn number(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "A{}", self.0)
    }
}

impl Default for Assumptions {
    fn default() -> Self {
        Assumptions::ALL
    }
}

impl Assumptions {
    /// All of them.
    pub const ALL: Assumptions = Assumptions((2 << Assumption::COUNT) - 2);
    /// None.
    pub const NONE: Assumptions = Assumptions(0);

    /// True if it is in the set.
    pub fn has(self, assumption: Assumption) -> bool {
        self.0 >> assumption.0 & 1 == 1
    }

    /// Puts one into the set.
    pub fn insert(&mut self, assumption: Assumption) {
        self.0 |= 1 << assumption.0;
    }

    /// Takes one out of the set.
    pub fn remove(&mut self, assumption: Assumption) {
        self.0 &= !(1 << assumption.0);
    }

    /// Those in one of the sets.
    #[must_use]
    pub fn union(self, other: Assumptions) -> Assumptions {
        Assumptions(self.0 | other.0)
    }

    /// Those in the set, in order.
    pub fn iter(self) -> impl Iterator<Item = Assumption> {
        (1..=Assumption::COUNT).map(Assumption).filter(move |assumption| self.has(*assumption))
    }
}
