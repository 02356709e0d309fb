//! The default scheduler: keeps values on the stack by layouts chosen for the whole function, and
//! spills only what is out of reach.
//!
//! *Slot*: a stack word. *Item*: one thing a block does in order (fetch an operand early, carry
//! out an instruction). *State*: a possible stack at one point of a block with the steps that led
//! there. Blocks are taken in reverse postorder; each is searched with a few states side by side;
//! the entry stack of a merge is chosen among what its predecessors leave.

//!
//! A function goes one way through the rooms: [`facts`] says what is known of it, [`plan`] chooses
//! the stacks at the borders of blocks, [`search`] finds what happens in a block, both move words of
//! a [`stack`], and [`write`] makes stack code of the plan.

mod context;
mod error;
mod facts;
mod module;
mod plan;
mod schedule;
mod search;
pub(crate) mod stack;
mod write;

pub use error::STACK_TOO_DEEP;
pub use module::{Limits, Scheduled, schedule_module, schedule_module_within};
