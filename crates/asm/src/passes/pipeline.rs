//! Which passes run, in which order.
//!
//! Order and its reasons: peepholes first, since shorter code has more equal blocks, and words left where the
//! run ends, since the ends are equal then; threading before
//! merging, since it makes targets equal; placing after merging, since a block that was merged away
//! needs no place; unreachable code is removed after everything that makes some. Rounds repeat until no
//! pass finds anything, at most [`max_rounds`] times. The [`FINAL_PASSES`] run once after them, for the
//! rounds would undo what they do.

use super::pass::{Level, Pass};
use super::{
    copy_targets, drop_pops, encode_constants, encode_tests, merge_blocks, merge_tails, near_tables, outline,
    peephole, place_near, place_segments, remove_unreachable, resolve_returns, share_ends, skip_jumps,
    thread_jumps,
};

/// Rounds at most. Those behind the second take a quarter of the time and find a thousandth of the bytes; the
/// second finds 2 % of the bytes that `-O1` makes, for 3 % of its time, and no gas.
pub fn max_rounds(level: Level) -> usize {
    match level {
        Level::None | Level::Basic | Level::Full => 8,
        Level::Quick => 1,
    }
}

/// The passes of a round, in order.
pub const PASSES: &[Pass] = &[
    peephole::PASS,
    drop_pops::PASS,
    thread_jumps::PASS,
    resolve_returns::PASS,
    skip_jumps::PASS,
    remove_unreachable::PASS,
    merge_blocks::PASS,
    merge_tails::PASS,
    share_ends::PASS,
    copy_targets::PASS,
    place_segments::PASS,
];

/// The passes after all rounds, in order.
pub const FINAL_PASSES: &[Pass] =
    &[outline::PASS, encode_tests::PASS, encode_constants::PASS, place_near::PASS, near_tables::PASS];

/// Every pass, in order.
pub fn all() -> impl Iterator<Item = &'static Pass> {
    PASSES.iter().chain(FINAL_PASSES)
}

/// The pass with this name.
pub fn pass(name: &str) -> Option<&'static Pass> {
    all().find(|pass| pass.name == name)
}
