//! The names that values and blocks have in text.
//!
//! A name that the function gives is kept; if several values (or blocks) have it, the second in
//! the order of printing becomes `name_1` and so on. Everything without a name is numbered in the
//! order of printing. So names depend on names and order only, never on ids.

use crate::function::Function;
use crate::ids::{Block, Value};
use crate::text::literal;
use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, SecondaryMap};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::{self, Write};

/// A name, or a number.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Name {
    Text(Box<str>),
    Number(u32),
}

/// The names of one function's values and blocks.
#[derive(Clone, Debug, Default)]
pub struct Names {
    values: SecondaryMap<Value, PackedOption<NameId>>,
    blocks: SecondaryMap<Block, PackedOption<NameId>>,
    names: Vec<Name>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct NameId(u32);
cranelift_entity::entity_impl!(NameId, "name");

/// Gives names of one kind, each once.
struct Namer<'a> {
    used: FxHashSet<Box<str>>,
    next_suffix: FxHashMap<&'a str, u32>,
    next_number: u32,
}

impl<'a> Namer<'a> {
    fn new() -> Self {
        Namer { used: FxHashSet::default(), next_suffix: FxHashMap::default(), next_number: 0 }
    }

    fn name(&mut self, wanted: Option<&'a str>) -> Name {
        let Some(wanted) = wanted.filter(|name| !literal::is_number(name)) else {
            self.next_number += 1;
            return Name::Number(self.next_number - 1);
        };
        if self.used.insert(wanted.into()) {
            return Name::Text(wanted.into());
        }
        let suffix = self.next_suffix.entry(wanted).or_insert(1);
        loop {
            let candidate: Box<str> = format!("{wanted}_{suffix}").into();
            *suffix += 1;
            if self.used.insert(candidate.clone()) {
                return Name::Text(candidate);
            }
        }
    }
}

impl Names {
    /// Names everything in the layout of `func`. Linear.
    pub fn new(func: &Function) -> Names {
        let mut names = Names::default();
        let (mut values, mut blocks) = (Namer::new(), Namer::new());
        for block in func.layout.blocks() {
            let name = blocks.name(func.block_names.get(&block).map(AsRef::as_ref));
            names.blocks[block] = names.push(name);
            for param in func.dfg.params(block) {
                names.name_value(func, &mut values, *param);
            }
            for inst in func.layout.insts(block) {
                for result in func.dfg.results(inst) {
                    names.name_value(func, &mut values, *result);
                }
            }
        }
        names
    }

    fn push(&mut self, name: Name) -> PackedOption<NameId> {
        self.names.push(name);
        NameId::new(self.names.len() - 1).into()
    }

    fn name_value<'a>(&mut self, func: &'a Function, namer: &mut Namer<'a>, value: Value) {
        let name = namer.name(func.value_names.get(&value).map(AsRef::as_ref));
        self.values[value] = self.push(name);
    }

    /// Writes `%name`. A value that is not in the layout, which a verified function does not have,
    /// shows its id.
    pub fn write_value(&self, out: &mut impl Write, value: Value) -> fmt::Result {
        match self.values[value].expand() {
            Some(id) => self.write(out, '%', id),
            None => write!(out, "%undefined.{}", value.as_u32()),
        }
    }

    /// Writes `^name`; see [`Names::write_value`].
    pub fn write_block(&self, out: &mut impl Write, block: Block) -> fmt::Result {
        match self.blocks[block].expand() {
            Some(id) => self.write(out, '^', id),
            None => write!(out, "^undefined.{}", block.as_u32()),
        }
    }

    /// `%name`.
    pub fn value(&self, value: Value) -> String {
        let mut out = String::new();
        self.write_value(&mut out, value).expect("invariant: a string takes everything");
        out
    }

    /// `^name`.
    pub fn block(&self, block: Block) -> String {
        let mut out = String::new();
        self.write_block(&mut out, block).expect("invariant: a string takes everything");
        out
    }

    fn write(&self, out: &mut impl Write, sigil: char, id: NameId) -> fmt::Result {
        match &self.names[id.as_u32() as usize] {
            Name::Text(text) => literal::write_name(out, sigil, text),
            Name::Number(number) => write!(out, "{sigil}{number}"),
        }
    }
}
