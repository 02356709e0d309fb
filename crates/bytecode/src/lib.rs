//! From EVM bytecode back to structure: blocks, control flow, stack heights, functions, pictures.
//!
//! [`analyze`] takes any bytes and never fails: what is not known is said so. A jump is *resolved*
//! when its targets are proven complete, *imprecise* when they are more than can execute, *invalid*
//! when it always fails; a program is *closed* when no jump is imprecise. No edge that can execute
//! is ever missing.

mod absint;
pub mod analysis;
pub mod blocks;
pub mod cfg;
pub mod contexts;
pub mod decode;
pub mod draw;
pub mod functions;
pub mod liveness;
pub mod metadata;
pub mod optable;
pub mod report;
pub mod selectors;
pub mod structure;

pub use analysis::{Analysis, analyze, analyze_for};
pub use blocks::{Block, BlockEnd, BlockId, Blocks};
pub use cfg::{Cfg, Edge, EdgeKind, Imprecision, Jump, JumpStatus};
pub use contexts::{Context, ContextId, ContextProcedure, Contexts, Step, Target, Unresolved, find_contexts};
pub use decode::{Instruction, instructions};
pub use functions::Function;
pub use liveness::Liveness;
pub use metadata::{Metadata, find_metadata};
pub use selectors::Selector;
pub use structure::Structure;
