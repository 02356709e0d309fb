//! The extension module `cairn._cairn`: what the Python sources of `cairn` call.
//!
//! Work runs without Python's lock, on threads with deep stacks; faults of inputs become
//! `cairn.CairnError`. What users see, with its documentation, is in `python/cairn`.

#![forbid(unsafe_code)]

mod batch;
mod code;
mod compile;
mod dataset;
mod deep;
mod error;
mod json;
mod lane;
mod single;
mod table;

/// Analyses are many small allocations.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The extension module.
#[pyo3::pymodule]
mod _cairn {
    #[pymodule_export]
    use crate::batch::analyze_batch;
    #[pymodule_export]
    use crate::compile::{compile, disassemble, lift, placeholder, recompile, yul_optimize};
    #[pymodule_export]
    use crate::dataset::{run_dataset, work};
    #[pymodule_export]
    use crate::lane::Lane;
    #[pymodule_export]
    use crate::single::{draw, facts_json};
    #[pymodule_export]
    use crate::table::Table;

    /// The version of the package.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "so Python calls it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
