//! The passes, one file each, with their contracts and constants `PASS`; and what several of them need.

pub(crate) mod copies;
pub(crate) mod eliminate_phis;
pub(crate) mod enforce_pointers;
pub(crate) mod hoist_slots;
pub(crate) mod index_parts;
pub(crate) mod legalize_operations;
pub(crate) mod legalize_types;
pub(crate) mod lower_composites;
pub(crate) mod normalize_edges;
pub(crate) mod normalize_switches;
pub(crate) mod order_blocks;
pub(crate) mod remove_dead;
pub(crate) mod remove_unreachable;
pub(crate) mod repair_terminators;
