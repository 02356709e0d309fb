//! What is known of a function before it is planned: its graph, what is live, where values live, the
//! order of what its blocks do, and what gas and bytes weigh in them.

pub(crate) mod edges;
pub(crate) mod func;
pub(crate) mod graph;
pub(crate) mod homes;
pub(crate) mod live;
pub(crate) mod order;
pub(crate) mod prices;
mod shared;
pub(crate) mod spill;
mod tail_calls;
