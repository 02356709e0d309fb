//! The lists about storage: accesses, and variables.

use crate::list::{Items, int32, lists, signed};
use crate::lists::{optional, required};
use crate::texts::Texts;
use arrow_array::ArrayRef;
use arrow_schema::{DataType, Field};
use cairn_bytecode::{StorageAccess, Variable};
use std::sync::Arc;

#[derive(Default)]
pub(crate) struct Storage {
    pc: Vec<i32>,
    access: Texts,
    slot: Texts,
    path: Texts,
    offset: Vec<i32>,
    types: Texts,
}

impl Storage {
    pub(crate) fn add(&mut self, accesses: &[StorageAccess]) {
        for access in accesses {
            self.pc.push(signed(access.pc));
            self.access.push(access.access.name());
            match access.slot {
                Some(slot) => self.slot.push_bytes(&slot.to_be_bytes::<32>()),
                None => self.slot.push_null(),
            }
            // Memory takes all that is written.
            _ = access.steps.iter().try_for_each(|step| step.write_to(&mut self.path));
            self.path.end();
            self.offset.push(i32::from(access.offset));
            self.types.push(access.kind.name());
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
        let (path, types) = (self.path.into_texts(), self.types.into_texts());
        let access = self.access.into_texts();
        vec![int32(self.pc), access, self.slot.into_bytes(), path, int32(self.offset), types]
    }
}

#[derive(Default)]
pub(crate) struct Variables {
    slot: Texts,
    offset: Vec<i32>,
    types: Texts,
    readers: SelectorLists,
    writers: SelectorLists,
}

/// Lists of selectors.
struct SelectorLists {
    texts: Texts,
    ends: Vec<i32>,
}

impl Default for SelectorLists {
    fn default() -> SelectorLists {
        SelectorLists { texts: Texts::default(), ends: vec![0] }
    }
}

impl SelectorLists {
    fn add(&mut self, selectors: &[u32]) {
        selectors.iter().for_each(|selector| self.texts.push_selector(*selector));
        self.ends.push(self.texts.len() as i32);
    }

    fn finish(self) -> ArrayRef {
        lists(self.texts.into_strings(), self.ends)
    }
}

impl Variables {
    pub(crate) fn add(&mut self, variables: &[Variable]) {
        for variable in variables {
            self.slot.push_bytes(&variable.slot.to_be_bytes::<32>());
            self.offset.push(i32::from(variable.offset));
            self.types.push(&variable.kind);
            self.readers.add(&variable.readers);
            self.writers.add(&variable.writers);
        }
    }
}

impl Items for Variables {
    fn fields() -> Vec<Field> {
        let selectors = DataType::List(Arc::new(required("item", DataType::Utf8)));
        vec![
            required("slot", DataType::Binary),
            required("offset", DataType::Int32),
            required("type", DataType::Utf8),
            required("readers", selectors.clone()),
            required("writers", selectors),
        ]
    }

    fn len(&self) -> usize {
        self.offset.len()
    }

    fn finish(self) -> Vec<ArrayRef> {
        let (readers, writers) = (self.readers.finish(), self.writers.finish());
        vec![self.slot.into_bytes(), int32(self.offset), self.types.into_texts(), readers, writers]
    }
}
