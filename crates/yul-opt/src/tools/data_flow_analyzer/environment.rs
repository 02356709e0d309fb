//! What is known of storage and memory.

use cairn_evm::Opcode;
use cairn_yul::facts::{Access, SideEffects};
use cairn_yul::{Builtin, Callee, Expression, YulName};
use std::rc::Rc;

/// Slots of storage, memory and hashes of memory that are known at a time.
pub(super) const MAX_KNOWN: usize = 256;

/// What is known of storage and memory: names of keys and of values. Branches share it until one of
/// them changes it.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    pub(super) storage: Rc<Vec<(YulName, YulName)>>,
    pub(super) memory: Rc<Vec<(YulName, YulName)>>,
    /// Start and length, hash.
    pub(super) keccak: Rc<Vec<((YulName, YulName), YulName)>>,
}

impl Environment {
    pub(super) fn is_empty(&self) -> bool {
        self.storage.is_empty() && self.memory.is_empty() && self.keccak.is_empty()
    }

    /// `let a := sload(k)`: the slot is known to hold `a` until it is written.
    pub(super) fn remember_load(&mut self, name: YulName, value: &Expression) {
        let Expression::Call(call) = value else {
            return;
        };
        match (call.callee, call.args.as_slice()) {
            (Callee::Builtin(Builtin::Evm(Opcode::SLOAD)), [Expression::Identifier(key)])
                if key.name != name =>
            {
                insert(Rc::make_mut(&mut self.storage), key.name, name);
            }
            (Callee::Builtin(Builtin::Evm(Opcode::MLOAD)), [Expression::Identifier(key)])
                if key.name != name =>
            {
                insert(Rc::make_mut(&mut self.memory), key.name, name);
            }
            (
                Callee::Builtin(Builtin::Evm(Opcode::KECCAK256)),
                [Expression::Identifier(start), Expression::Identifier(length)],
            ) if start.name != name && length.name != name => {
                insert(Rc::make_mut(&mut self.keccak), (start.name, length.name), name);
            }
            _ => {}
        }
    }

    /// Forgets what mentions one of the names.
    pub(super) fn forget_names(&mut self, names: &[YulName]) {
        let has = |name: &YulName| names.contains(name);
        let pairs = |entries: &mut Rc<Vec<(YulName, YulName)>>| {
            if entries.iter().any(|(key, value)| has(key) || has(value)) {
                Rc::make_mut(entries).retain(|(key, value)| !has(key) && !has(value));
            }
        };
        pairs(&mut self.storage);
        pairs(&mut self.memory);
        if self.keccak.iter().any(|((start, length), value)| has(start) || has(length) || has(value)) {
            Rc::make_mut(&mut self.keccak)
                .retain(|((start, length), value)| !has(start) && !has(length) && !has(value));
        }
    }

    /// Forgets what code with these effects may write.
    pub(super) fn forget_written(&mut self, effects: SideEffects) {
        if effects.storage == Access::Write {
            self.storage = Rc::default();
        }
        if effects.memory == Access::Write {
            self.memory = Rc::default();
            self.keccak = Rc::default();
        }
    }

    /// Keeps what is known both here and in `other`.
    pub(super) fn join(&mut self, other: &Environment) {
        intersect(&mut self.storage, &other.storage);
        intersect(&mut self.memory, &other.memory);
        intersect(&mut self.keccak, &other.keccak);
    }
}

/// The value that is known last of a key.
pub(super) fn lookup<K: Copy + PartialEq>(entries: &[(K, YulName)], key: K) -> Option<YulName> {
    entries.iter().rev().find(|(known, _)| *known == key).map(|(_, value)| *value)
}

/// Adds what is known of a key; where that is too much, the oldest half goes.
pub(super) fn insert<K: Copy + PartialEq>(entries: &mut Vec<(K, YulName)>, key: K, value: YulName) {
    entries.retain(|(known, _)| *known != key);
    if entries.len() >= MAX_KNOWN {
        entries.drain(..MAX_KNOWN / 2);
    }
    entries.push((key, value));
}

fn intersect<K: Copy + PartialEq>(entries: &mut Rc<Vec<(K, YulName)>>, other: &Rc<Vec<(K, YulName)>>) {
    if !Rc::ptr_eq(entries, other) && !entries.is_empty() {
        Rc::make_mut(entries).retain(|(key, value)| lookup(other, *key) == Some(*value));
    }
}
