//! The passes, one file each.

pub mod dce;
pub mod localize;
pub mod promote;
pub mod simplify_cfg;
