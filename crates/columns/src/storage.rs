//! The lists about storage: accesses, and variables.

use crate::list::{Items, bytes, int32, signed, texts};
use crate::lists::{optional, push_selector, required};
use arrow_array::ArrayRef;
use arrow_array::builder::{BinaryBuilder, ListBuilder, StringBuilder};
use arrow_schema::{DataType, Field};
use cairn_bytecode::{StorageAccess, Variable};
use std::fmt::Write;
use std::sync::Arc;

#[derive(Default)]
pub(crate) struct Storage {
    pc: Vec<i32>,
    access: StringBuilder,
    slot: BinaryBuilder,
    path: StringBuilder,
    offset: Vec<i32>,
    types: StringBuilder,
}

impl Storage {
    pub(crate) fn add(&mut self, accesses: &[StorageAccess]) {
        for access in accesses {
            self.pc.push(signed(access.pc));
            self.access.append_value(access.access.name());
            self.slot.append_option(access.slot.map(|slot| slot.to_be_bytes::<32>()));
            for step in &access.steps {
                _ = write!(self.path, "{step}");
            }
            self.path.append_value("");
            self.offset.push(i32::from(access.offset));
            _ = write!(self.types, "{}", access.kind);
            self.types.append_value("");
        }
    }
}

impl Items for Storage {
    fn fields() -> Vec<Field> {
        vec![
            required("pc", DataType::Int32),
            required("access", DataType::Utf8),
            optional("slot", DataType::Binary),
            required("path", DataType::Utf8),
            required("offset", DataType::Int32),
            required("type", DataType::Utf8),
        ]
    }

    fn len(&self) -> usize {
        self.pc.len()
    }

    fn finish(self) -> Vec<ArrayRef> {
        let (path, types) = (texts(self.path), texts(self.types));
        vec![int32(self.pc), texts(self.access), bytes(self.slot), path, int32(self.offset), types]
    }
}

pub(crate) struct Variables {
    slot: BinaryBuilder,
    offset: Vec<i32>,
    types: StringBuilder,
    readers: ListBuilder<StringBuilder>,
    writers: ListBuilder<StringBuilder>,
}

/// The field of the items of `readers` and `writers`.
fn selector_field() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Utf8, false))
}

impl Default for Variables {
    fn default() -> Variables {
        let list = || ListBuilder::new(StringBuilder::new()).with_field(selector_field());
        Variables {
            slot: BinaryBuilder::new(),
            offset: Vec::new(),
            types: StringBuilder::new(),
            readers: list(),
            writers: list(),
        }
    }
}

impl Variables {
    pub(crate) fn add(&mut self, variables: &[Variable]) {
        for variable in variables {
            self.slot.append_value(variable.slot.to_be_bytes::<32>());
            self.offset.push(i32::from(variable.offset));
            self.types.append_value(&variable.kind);
            let lists = [(&mut self.readers, &variable.readers), (&mut self.writers, &variable.writers)];
            for (list, selectors) in lists {
                selectors.iter().for_each(|selector| push_selector(list.values(), *selector));
                list.append(true);
            }
        }
    }
}

impl Items for Variables {
    fn fields() -> Vec<Field> {
        vec![
            required("slot", DataType::Binary),
            required("offset", DataType::Int32),
            required("type", DataType::Utf8),
            required("readers", DataType::List(selector_field())),
            required("writers", DataType::List(selector_field())),
        ]
    }

    fn len(&self) -> usize {
        self.offset.len()
    }

    fn finish(mut self) -> Vec<ArrayRef> {
        let (readers, writers) = (self.readers.finish(), self.writers.finish());
        vec![bytes(self.slot), int32(self.offset), texts(self.types), Arc::new(readers), Arc::new(writers)]
    }
}
