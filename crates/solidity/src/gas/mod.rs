//! How much gas code takes at most.
//!
//! All ways through the code are walked with what is known of the words on the stack and in memory; the dearest
//! one counts. A way that fails takes all gas there is and does not count. The bound holds for every state and
//! every argument: accesses are cold, stores fill an empty slot. There is none where a way calls or creates,
//! repeats itself as often as an argument says, or touches memory at a place that is not known.

mod memory;
mod price;
mod value;
mod walk;

pub(crate) use walk::{Code, Entry, most};
