//! Facts of bytecode as Arrow tables, built straight from analyses.
//!
//! A [`BatchBuilder`] takes codes one after the other and gives [`Tables`]: one row a code, with a
//! list for each kind of fact, or one flat table for each kind. [`Facts`] says which are wanted, and
//! what nobody asked for is not computed: selectors alone need a walk of the dispatcher and no graph.
//! Numbers are signed; lengths and offsets are `Int32`. The schema is documented in docs/columns.md,
//! and its version stands in the metadata of every schema under [`VERSION_KEY`].
//!
//! ```
//! use cairn_columns::{BatchBuilder, Facts, Options};
//!
//! let facts: Facts = "codes, selectors".parse()?;
//! let mut batch = BatchBuilder::new(Options { facts, ..Options::default() });
//! batch.push(&[0x5f, 0x5f, 0xfd]);
//! batch.push_error("no hexadecimal digits");
//! let tables = batch.finish()?;
//! assert_eq!(tables.nested()?.num_rows(), 2);
//! assert_eq!(tables.table(Facts::SELECTORS, 0)?.num_rows(), 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod codes;
mod facts;
mod list;
mod lists;
mod signatures;
mod storage;
mod tables;
mod texts;

pub use batch::{BatchBuilder, MAX_BYTES, Options};
pub use facts::{Facts, UnknownFact};
pub use list::TooLarge;
pub use tables::{SCHEMA_VERSION, Tables, VERSION_KEY};
