//! The passes, one file each, with their contracts and constants `PASS`.

pub(crate) mod copy_loops;
pub(crate) mod dce;
pub(crate) mod dead_args;
pub(crate) mod dead_storage;
pub(crate) mod dead_stores;
pub(crate) mod elide_allocations;
pub(crate) mod forward;
pub(crate) mod free_pointer;
pub(crate) mod hoist_guards;
pub(crate) mod inline;
pub(crate) mod localize;
pub(crate) mod merge_failures;
pub(crate) mod merge_functions;
pub(crate) mod merge_guards;
pub(crate) mod narrow_immutables;
pub(crate) mod promote;
pub(crate) mod prune;
pub(crate) mod relative_args;
pub(crate) mod relocate_buffers;
pub(crate) mod relocate_output;
pub(crate) mod rematerialize;
pub(crate) mod short_calls;
pub(crate) mod simplify;
pub(crate) mod simplify_cfg;
pub(crate) mod split_failures;
pub(crate) mod thread_branches;
