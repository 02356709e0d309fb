//! The passes, one file each.

pub mod dce;
pub mod forward;
pub mod inline;
pub mod localize;
pub mod promote;
pub mod prune;
pub mod rematerialize;
pub mod simplify_cfg;
