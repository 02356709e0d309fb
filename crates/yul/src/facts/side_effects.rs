//! What an expression or function reads and writes, and what may therefore be done with it.
//!
//! The facts of opcodes come from `cairn_evm`; calls of functions have the effects of everything
//! that the function can execute.

use std::sync::LazyLock;

use cairn_evm::{Effects, Opcode};

use super::functions::{FunctionGraph, PerFunction};
use super::visit::{Visit, visit_expression};
use crate::ast::{Block, Callee, Expression};
use crate::dialect::Builtin;

/// How a part of the state is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Not at all.
    #[default]
    None,
    /// Its value matters.
    Read,
    /// Its value may change.
    Write,
}

/// The effects of a piece of code, besides its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SideEffects {
    /// It has the same value everywhere.
    pub movable: bool,
    /// It may be moved over code that does not write what it reads or access what it writes.
    pub movable_apart_from_effects: bool,
    /// It may be left out when its values are not used.
    pub can_be_removed: bool,
    /// The same, if the program does not contain `msize`.
    pub can_be_removed_if_no_msize: bool,
    /// It always comes to an end.
    pub cannot_loop: bool,
    /// Accounts, logs, returndata and everything else.
    pub other_state: Access,
    /// Storage.
    pub storage: Access,
    /// Memory.
    pub memory: Access,
    /// Transient storage.
    pub transient_storage: Access,
}

impl SideEffects {
    /// The effects of a pure expression.
    pub const PURE: SideEffects = SideEffects {
        movable: true,
        movable_apart_from_effects: true,
        can_be_removed: true,
        can_be_removed_if_no_msize: true,
        cannot_loop: true,
        other_state: Access::None,
        storage: Access::None,
        memory: Access::None,
        transient_storage: Access::None,
    };

    /// Everything that code can do.
    pub const WORST: SideEffects = SideEffects {
        movable: false,
        movable_apart_from_effects: false,
        can_be_removed: false,
        can_be_removed_if_no_msize: false,
        cannot_loop: false,
        other_state: Access::Write,
        storage: Access::Write,
        memory: Access::Write,
        transient_storage: Access::Write,
    };

    /// What follows from being a loop or recursive alone.
    pub const LOOP: SideEffects = SideEffects {
        movable: false,
        can_be_removed: false,
        can_be_removed_if_no_msize: false,
        cannot_loop: false,
        ..SideEffects::PURE
    };

    /// The effects of both.
    #[must_use]
    pub fn and(self, other: SideEffects) -> SideEffects {
        SideEffects {
            movable: self.movable && other.movable,
            movable_apart_from_effects: self.movable_apart_from_effects && other.movable_apart_from_effects,
            can_be_removed: self.can_be_removed && other.can_be_removed,
            can_be_removed_if_no_msize: self.can_be_removed_if_no_msize && other.can_be_removed_if_no_msize,
            cannot_loop: self.cannot_loop && other.cannot_loop,
            other_state: self.other_state.max(other.other_state),
            storage: self.storage.max(other.storage),
            memory: self.memory.max(other.memory),
            transient_storage: self.transient_storage.max(other.transient_storage),
        }
    }

    /// The effects of a builtin, without those of its arguments.
    pub fn of_builtin(builtin: Builtin) -> SideEffects {
        match builtin {
            Builtin::Evm(opcode) => OF_OPCODES[usize::from(opcode.0)],
            Builtin::DataSize | Builtin::DataOffset | Builtin::LinkerSymbol => SideEffects::PURE,
            Builtin::LoadImmutable | Builtin::MemoryGuard => SideEffects::PURE,
            Builtin::DataCopy | Builtin::SetImmutable => {
                SideEffects::of_effects(Effects::WRITE_MEMORY | Effects::GROW_MEMORY)
            }
            Builtin::Verbatim { .. } => SideEffects::WORST,
        }
    }

    fn of_opcode(opcode: Opcode) -> Option<SideEffects> {
        Some(match opcode {
            // What is created can not write the memory of its creator.
            Opcode::CREATE | Opcode::CREATE2 => {
                SideEffects::of_effects(Effects::CALL - Effects::WRITE_MEMORY)
            }
            _ => SideEffects::of_effects(opcode.info()?.effects),
        })
    }

    fn of_effects(effects: Effects) -> SideEffects {
        // The layout of the code is the same all through a program; so is the environment for solc.
        let constant = Effects::READ_LAYOUT | Effects::READ_ENVIRONMENT | Effects::WRITE_ENVIRONMENT;
        let effects = effects - constant;
        let has_writes = effects.intersects(Effects::WRITES);
        let observes_run = effects.intersects(Effects::READ_GAS | Effects::READ_MSIZE);
        let access = |read: Effects, write: Effects| match () {
            () if effects.intersects(write) => Access::Write,
            () if effects.intersects(read) => Access::Read,
            () => Access::None,
        };
        // Nothing reads logs.
        let other_writes = Effects::WRITE_ACCOUNTS | Effects::WRITE_RETURNDATA;
        SideEffects {
            movable: effects.is_empty(),
            movable_apart_from_effects: !has_writes && !observes_run,
            can_be_removed: !has_writes && !effects.contains(Effects::GROW_MEMORY),
            can_be_removed_if_no_msize: !has_writes,
            cannot_loop: true,
            other_state: access(Effects::READ_ACCOUNTS | Effects::READ_RETURNDATA, other_writes),
            storage: access(Effects::READ_STORAGE, Effects::WRITE_STORAGE),
            memory: access(Effects::READ_MEMORY | Effects::READ_MSIZE, Effects::WRITE_MEMORY),
            transient_storage: access(Effects::READ_TRANSIENT, Effects::WRITE_TRANSIENT),
        }
    }
}

/// By opcode; nothing is known of bytes that are no opcode.
static OF_OPCODES: LazyLock<[SideEffects; 256]> = LazyLock::new(|| {
    std::array::from_fn(|byte| SideEffects::of_opcode(Opcode(byte as u8)).unwrap_or(SideEffects::WORST))
});

/// The effects of every function of `code`.
pub fn compute_side_effects(code: &Block) -> PerFunction<SideEffects> {
    let mut own: Vec<SideEffects> = Vec::new();
    let graph = FunctionGraph::with(code, &mut |function, visited| {
        if own.len() <= function {
            own.resize(function + 1, SideEffects::PURE);
        }
        own[function] = own[function].and(own_effects(visited));
    });
    own.resize(graph.len(), SideEffects::PURE);
    let mut effects = vec![SideEffects::PURE; graph.len()];
    for group in graph.groups() {
        let mut common = if group.is_recursive { SideEffects::LOOP } else { SideEffects::PURE };
        for function in &group.functions {
            common = common.and(own[*function]);
            graph.callees(*function).iter().for_each(|callee| common = common.and(effects[*callee]));
        }
        group.functions.iter().for_each(|function| effects[*function] = common);
    }
    graph.facts(effects)
}

/// The effects of a part of a function, without those of the functions that it calls.
fn own_effects(visited: Visit<'_>) -> SideEffects {
    match visited {
        Visit::Loop(_) => SideEffects::LOOP,
        Visit::Call(call) => match call.callee {
            Callee::Builtin(builtin) => SideEffects::of_builtin(builtin),
            Callee::User(_) => SideEffects::PURE,
        },
        Visit::Function(_) => SideEffects::PURE,
    }
}

/// The effects of an expression; functions that are not in `functions` can do anything.
pub fn expression_side_effects(expression: &Expression, functions: &PerFunction<SideEffects>) -> SideEffects {
    let mut effects = SideEffects::PURE;
    visit_expression(expression, &mut |visited| {
        if let Visit::Call(call) = visited {
            effects = effects.and(match call.callee {
                Callee::Builtin(builtin) => SideEffects::of_builtin(builtin),
                Callee::User(name) => functions.get(name).copied().unwrap_or(SideEffects::WORST),
            });
        }
    });
    effects
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(opcode: Opcode) -> SideEffects {
        SideEffects::of_builtin(Builtin::Evm(opcode))
    }

    #[test]
    fn pure_opcodes_are_movable() {
        for opcode in [Opcode::ADD, Opcode::CALLER, Opcode::CALLDATALOAD, Opcode::CODESIZE, Opcode::BLOCKHASH]
        {
            assert_eq!(of(opcode), SideEffects::PURE, "{opcode:?}");
        }
    }

    #[test]
    fn gas_and_msize_stay_but_can_be_removed() {
        for opcode in [Opcode::GAS, Opcode::MSIZE] {
            let effects = of(opcode);
            assert!(!effects.movable_apart_from_effects && effects.can_be_removed, "{opcode:?}");
        }
    }

    #[test]
    fn reads_of_memory_grow_it() {
        for opcode in [Opcode::MLOAD, Opcode::KECCAK256] {
            let effects = of(opcode);
            assert!(!effects.can_be_removed && effects.can_be_removed_if_no_msize, "{opcode:?}");
            assert_eq!(effects.memory, Access::Read);
        }
    }

    #[test]
    fn static_calls_write_memory_and_returndata_only() {
        let effects = of(Opcode::STATICCALL);
        let parts = (effects.storage, effects.memory, effects.transient_storage, effects.other_state);
        assert_eq!(parts, (Access::Read, Access::Write, Access::Read, Access::Write));
    }

    #[test]
    fn ends_of_execution_can_not_be_removed() {
        for opcode in [Opcode::STOP, Opcode::REVERT, Opcode::INVALID, Opcode::RETURNDATACOPY] {
            assert!(!of(opcode).can_be_removed_if_no_msize, "{opcode:?}");
        }
    }
}
