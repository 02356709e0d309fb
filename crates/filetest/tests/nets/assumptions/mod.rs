//! A net for each assumption of docs/assumptions.md: programs that keep it, by a hair.
//!
//! Where an assumption says that something is not observable, the programs come as near to observing
//! it as they may; where it says what a program does not do, they do what lies next to it.

pub(crate) mod a01_gas;
pub(crate) mod a02_msize;
pub(crate) mod a03_frames;
pub(crate) mod a04_no_frames;
pub(crate) mod a05_code;
pub(crate) mod a06_reentrancy;
pub(crate) mod a07_verbatim;
pub(crate) mod a08_reverted;
pub(crate) mod a09_immutables;
pub(crate) mod a10_recursion;
pub(crate) mod a11_keys;
pub(crate) mod a12_bounds;
pub(crate) mod a13_huge;
pub(crate) mod a14_end;
pub(crate) mod a15_words;
pub(crate) mod a16_lifted;
pub(crate) mod a17_pointer;
pub(crate) mod a18_answers;
pub(crate) mod a19_allocations;

use crate::harness::{Case, Role};
use crate::random::Random;
use crate::skeleton::{Picture, Skeleton, program};
use crate::world;

/// A program that is called as it is.
pub(crate) fn runtime(seed: u64, picture: &Picture) -> Case {
    let mut random = Random::new(seed);
    let text = program(&mut random, picture);
    Case { text, role: Role::Runtime, to: world::CONTRACT, calls: world::calls(&mut random) }
}

/// The start of a program that calls itself with at most two words: then it does one of these.
fn with_leaf(skeleton: &mut Skeleton<'_>, leaves: &[&str]) -> String {
    let leaf = *skeleton.random.pick(leaves);
    let guard = crate::skeleton::maybe_guard(skeleton);
    format!("{guard}\nif lt(calldatasize(), 0x41) {{ {leaf} }}")
}
