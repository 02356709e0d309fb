//! Data sets of bytecode: a Parquet file of codes in, a folder of tables out.
//!
//! [`run`] first reads all rows and keeps each distinct code once, by keccak-256; then it works on
//! these, shard by shard, in worker processes. Invariants: a file of the result appears whole or not
//! at all; whatever moment a run is killed at, the next one goes on, and the files are those of a run
//! that nobody disturbed; a code at which a worker dies, hangs or takes too much memory costs its own
//! row and no other. Memory is that of some rows for each thread, a cache of codes, and 36 bytes or
//! so for each distinct code. The files are described in docs/datasets.md.
//!
//! This crate reads and writes files, but prints nothing: what there is to tell goes to a function.

mod cut;
mod distinct;
mod error;
mod files;
mod frame;
mod input;
mod job;
mod lane;
mod on_demand;
mod progress;
mod rows;
mod run;
mod scan;
mod shards;
mod spool;
mod supervisor;
mod table;
mod task;
mod work;
mod worker;

pub use distinct::DistinctLane;
pub use error::DatasetError;
pub use job::Job;
pub use lane::Lane;
pub use progress::{Phase, Progress};
pub use run::{Summary, run};
pub use table::TableFile;
pub use work::{Limits, Task, Work, Workers};
pub use worker::work;
