//! The steps, one a file.

pub(crate) mod composites;
pub(crate) mod copies;
pub(crate) mod edges;
pub(crate) mod operations;
pub(crate) mod order;
pub(crate) mod phis;
pub(crate) mod pointers;
pub(crate) mod slots;
pub(crate) mod switches;
pub(crate) mod terminators;
pub(crate) mod types;
pub(crate) mod unreachable;
