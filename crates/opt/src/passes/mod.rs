//! The passes, one file each.

pub mod copy_loops;
pub mod dce;
pub mod dead_args;
pub mod dead_storage;
pub mod dead_stores;
pub mod forward;
pub mod hoist_guards;
pub mod inline;
pub mod localize;
pub mod merge_functions;
pub mod merge_guards;
pub mod promote;
pub mod prune;
pub mod relocate_output;
pub mod rematerialize;
pub mod simplify_cfg;
