//! EVM-IR: a typed SSA intermediate representation for the EVM.
//!
//! A [`Module`] is one piece of code with its data, functions and nested modules. A [`Function`]
//! owns its instructions ([`Dfg`]) and their order ([`Layout`]). Ids are dense `u32`s; entity maps
//! give every side table an array. The language is described in docs/ir.md.

pub mod builder;
mod compact;
pub mod cursor;
pub mod debug;
pub mod describe;
pub mod dfg;
pub mod dominators;
pub mod function;
pub mod ids;
pub mod infer;
pub mod interp;
pub mod layout;
pub mod module;
pub mod op;
pub mod operand;
pub mod promote;
pub mod reference;
pub mod ssa_builder;
pub mod symbol;
pub mod table;
pub mod text;
pub mod types;
pub mod verify;

pub use builder::FuncBuilder;
pub use cranelift_entity::{EntityList, EntityRef, EntitySet, ListPool, PrimaryMap, SecondaryMap};
pub use cursor::Cursor;
pub use debug::{DebugInfo, LocData, ScopeData, ScopeKind, VarData};
pub use dfg::{BlockCall, Dfg, InstData, Payload, SwitchData, ValueDef};
pub use function::{FuncAttrs, Function, Signature};
pub use ids::{Block, Const, Func, Inst, Loc, Scope, SwitchId, Value, Var, sized};
pub use layout::Layout;
pub use module::{DataSegment, MemoryModel, Module};
pub use op::{Family, Op};
pub use promote::promote_slots;
pub use ssa_builder::{SsaBuilder, Variable};
pub use symbol::{Symbol, SymbolTable};
pub use types::composite::{Composite, Shape};
pub use types::{AddressSpace, Type};
pub use verify::{Form, verify};
