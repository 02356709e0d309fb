//! From EVM bytecode back to structure: blocks, control flow, stack heights, functions, pictures.
//!
//! [`analyze`] takes any bytes and never fails: what is not known is said so. A jump is *resolved*
//! when its targets are proven complete, *imprecise* when they are more than can execute, *invalid*
//! when it always fails; a program is *closed* when no jump is imprecise. No edge that can execute
//! is ever missing.
//!
//! The result borrows the code and copies none of it: instructions are decoded from it on demand,
//! and the data of a push is a slice of it.
//!
//! ```
//! use cairn_bytecode::{EdgeKind, analyze, draw};
//!
//! // A function that doubles, called with 5: PUSH1 back, PUSH1 5, PUSH1 double, JUMP, back: …
//! let code = [0x60, 0x07, 0x60, 0x05, 0x60, 0x0b, 0x56, 0x5b, 0x5f, 0x55, 0x00, 0x5b, 0x80, 0x01, 0x90, 0x56];
//! let analysis = analyze(&code);
//! assert!(analysis.is_closed());
//!
//! let double = &analysis.functions[0];
//! assert_eq!((analysis.blocks.get(double.entry).start, double.params, double.rets), (11, 1, Some(1)));
//! let kinds: Vec<EdgeKind> = analysis.cfg.edges().iter().map(|edge| edge.kind).collect();
//! assert_eq!(kinds, [EdgeKind::Call, EdgeKind::Return]);
//!
//! let first = analysis.instructions(analysis.blocks.get(0)).next().expect("a block has instructions");
//! assert!(std::ptr::eq(first.data, &code[1..2]));
//!
//! let picture = draw::Picture::of(&analysis);
//! assert!(draw::svg(&picture).starts_with("<svg"));
//! ```

mod absint;
pub mod analysis;
mod analyze;
pub mod arguments;
mod block_stack;
pub mod blocks;
mod by_block;
pub mod cfg;
pub mod container;
pub mod contexts;
pub mod decode;
mod dominators;
pub mod draw;
pub mod eof;
mod find_functions;
pub mod find_role;
pub mod function;
mod jump_targets;
pub mod liveness;
pub mod metadata;
pub mod mutability;
pub mod optable;
mod pc_set;
mod reach;
pub mod regions;
pub mod report;
pub mod role;
mod seen;
pub mod selectors;
mod standard_names;
pub mod standards;
pub mod storage;
pub mod structure;
mod tables;
pub mod traits;
mod type_names;

pub use analysis::Analysis;
pub use analyze::{Given, analyze, analyze_for, analyze_given};
pub use arguments::{Arguments, find_arguments, find_arguments_of};
pub use blocks::{Block, BlockEnd, BlockId, Blocks};
pub use cfg::{Cfg, Edge, EdgeKind, Imprecision, Jump, JumpStatus};
pub use contexts::{Context, ContextId, ContextProcedure, Contexts, Step, Target, Unresolved, find_contexts};
pub use decode::{Instruction, instructions};
pub use function::Function;
pub use liveness::Liveness;
pub use metadata::{Metadata, find_metadata};
pub use mutability::{Mutability, find_mutability};
pub use role::Role;
pub use selectors::{Case, Selector, find_cases};
pub use storage::{
    Access, Event, FieldType, KeyType, PathStep, StorageAccess, Touched, Variable, find_touched,
    find_variables, path_text,
};
pub use structure::Structure;
