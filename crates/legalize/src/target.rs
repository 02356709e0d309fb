//! Targets of users: chains that have more, or less, than the fork.
//!
//! A [`Target`] says for an operation on a type what is done about it; for everything that it does not
//! name, Cairn does what it always does. Its actions are applied in free form, before the first pass, so
//! that whatever they write is legalized like code of the program:
//!
//! * *promote*: the operation works on a wider type; operands are extended with zeros, the result is cut;
//! * *custom*: the target [writes](Target::lower) what takes its place;
//! * *libcall*: a function of the target's [library](Target::library) is called. It is copied into the
//!   module once, with what it calls; a copy gets a name that is free;
//! * *legal*: an opcode stays even if the fork lacks it;
//! * *expand*: what Cairn does on a fork that lacks the opcode is done on all.
//!
//! What `lower` writes is not asked about again, so that a custom division may divide. Functions of the
//! library are asked about like those of the program.
//!
//! Cost: one look at each instruction if there is a target.

use cairn_ir::cursor::Cursor;
use cairn_ir::{Op, Type, Value};
use std::fmt::Debug;

/// What a target does about an operation on a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetAction {
    /// The chain has the opcode, whatever its fork.
    Legal,
    /// It works on this type, which is wider.
    Promote(Type),
    /// It is written with other operations, as on forks that lack it.
    Expand,
    /// [`Target::lower`] writes what takes its place.
    Custom,
    /// The function of [`Target::library`] with this name does it.
    LibCall(&'static str),
}

/// A chain that code is legalized for.
pub trait Target: Debug + Sync {
    /// What is done about an operation on a type; `None` for what Cairn does. The type is that of the
    /// widest operand or result.
    fn action(&self, op: Op, ty: Type) -> Option<TargetAction>;

    /// Writes what takes the place of an operation with a custom action: at the cursor, on the operands,
    /// in free form. Gives the results, of the types of the old ones. `evm.alloca` may stand anywhere.
    fn lower(&self, code: &mut Cursor<'_>, op: Op, args: &[Value], results: &[Type]) -> Vec<Value>;

    /// Functions for library calls: a module in EVM-IR text, in free form, without data.
    fn library(&self) -> &'static str {
        "module @library { }"
    }
}
