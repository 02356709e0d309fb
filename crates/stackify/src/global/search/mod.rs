//! Searches the stack actions of one block: a few states side by side, item by item.
//!
//! All states stand at the same item, so what is still needed is the same for all; they differ in
//! their stacks and costs. After each item the best few with different stacks go on, measured by
//! cost so far plus what dead and far words are going to cost. With one state this is a greedy
//! scheduler; the width shrinks as blocks grow, so time is linear in the number of items.

mod arrange;
mod exec;
pub(crate) mod forecast;
pub(crate) mod future;
mod items;
mod lift;
mod select;
mod settle;
mod setup;
pub(crate) mod state;
