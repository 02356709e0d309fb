//! Names of new values and blocks.
//!
//! Only functions whose input gave names get them; the others print ids. A name is made once and
//! never clashes: the names in use are collected when the first new one is asked for.

use cairn_ir::{Block, Function, Value, ValueDef};
use rustc_hash::{FxHashMap, FxHashSet};

/// How a value is called in explanations: its name in the text, or what defines it.
pub(crate) fn shown(func: &Function, value: Value) -> String {
    match (func.value_names.get(&value), func.dfg.def(value)) {
        (Some(name), _) => format!("`%{name}`"),
        (None, ValueDef::Param(_, index)) => format!("parameter {index}"),
        (None, ValueDef::Result(inst, _)) => format!("the result of `evm.{}`", func.dfg.op(inst).name()),
    }
}

/// How a block is called in explanations.
pub(crate) fn shown_block(func: &Function, block: Block) -> String {
    match func.block_names.get(&block) {
        Some(name) => format!("`^{name}`"),
        None if func.layout.first_block() == Some(block) => "the entry block".to_owned(),
        None => "a block without a name".to_owned(),
    }
}

/// Names in use in one function.
#[derive(Default)]
pub(crate) struct Names {
    values: Option<Pool>,
    blocks: Option<Pool>,
}

#[derive(Default)]
struct Pool {
    used: FxHashSet<Box<str>>,
    next: FxHashMap<Box<str>, u32>,
}

impl Pool {
    fn of<'a>(names: impl Iterator<Item = &'a Box<str>>) -> Self {
        Pool { used: names.cloned().collect(), next: FxHashMap::default() }
    }

    /// `role`, or `role` with the first number that makes it new.
    fn fresh(&mut self, role: &str) -> Box<str> {
        if !self.next.contains_key(role) {
            self.next.insert(role.into(), 1);
            if self.used.insert(role.into()) {
                return role.into();
            }
        }
        loop {
            let number = self.next.get_mut(role).expect("invariant: every role has a counter");
            let name: Box<str> = format!("{role}{number}").into();
            *number += 1;
            if self.used.insert(name.clone()) {
                return name;
            }
        }
    }
}

impl Names {
    /// Names a value if the function has names of values.
    pub(crate) fn name_value(&mut self, func: &mut Function, value: Value, role: &str) {
        if func.value_names.is_empty() {
            return;
        }
        let pool = self.values.get_or_insert_with(|| Pool::of(func.value_names.values()));
        func.value_names.insert(value, pool.fresh(role));
    }

    /// Names a block if the function has names of blocks.
    pub(crate) fn name_block(&mut self, func: &mut Function, block: Block, role: &str) {
        if func.block_names.is_empty() {
            return;
        }
        let pool = self.blocks.get_or_insert_with(|| Pool::of(func.block_names.values()));
        func.block_names.insert(block, pool.fresh(role));
    }
}
