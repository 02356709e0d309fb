//! The passes, one file each.

pub mod dce;
pub mod localize;
pub mod simplify_cfg;
