//! The numbering that assembly text gives.
//!
//! Text has no numbers for labels, names, blobs and locations: parsing numbers them in the order
//! of their first appearance. [`normalize`] does the same to a program and leaves out what no item
//! uses, so that `parse(print(program)) == normalize(program)`.

use crate::program::{Item, ItemKind, Label, NameId, Program, TableId};
use cairn_diag::SourceLoc;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// The same program, numbered in order of first appearance.
pub fn normalize(program: &Program) -> Program {
    let mut numberings = Numberings::default();
    let items = program.items.iter().map(|item| numberings.item(program, item)).collect();
    Program {
        name: program.name.clone(),
        items,
        num_labels: numberings.labels.len() as u32,
        names: numberings.names.into_values(),
        tables: numberings.tables.into_values(),
        blobs: numberings.blobs.into_values(),
        locs: numberings.locs.into_values(),
        // Text does not show them.
        variables: std::collections::BTreeMap::new(),
        data: program.data.clone(),
        subs: program.subs.iter().map(normalize).collect(),
    }
}

/// Numbers values in order of first appearance.
#[derive(Debug)]
pub(crate) struct Numbering<T> {
    index: FxHashMap<T, u32>,
    values: Vec<T>,
}

impl<T> Default for Numbering<T> {
    fn default() -> Self {
        Numbering { index: FxHashMap::default(), values: Vec::new() }
    }
}

impl<T: Clone + Eq + Hash> Numbering<T> {
    /// The number of a value, a new one if it is new.
    pub(crate) fn number(&mut self, value: &T) -> u32 {
        if let Some(number) = self.index.get(value) {
            return *number;
        }
        let number = self.values.len() as u32;
        self.index.insert(value.clone(), number);
        self.values.push(value.clone());
        number
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    pub(crate) fn into_values(self) -> Vec<T> {
        self.values
    }
}

#[derive(Default)]
struct Numberings {
    labels: Numbering<Label>,
    names: Numbering<String>,
    blobs: Numbering<Vec<u8>>,
    locs: Numbering<SourceLoc>,
    tables: Numbering<Vec<Label>>,
}

impl Numberings {
    fn item(&mut self, program: &Program, item: &Item) -> Item {
        let loc = item.loc.and_then(|loc| program.locs.get(loc as usize)).map(|loc| self.locs.number(loc));
        Item { kind: self.kind(program, item.kind), loc, jump: item.jump }
    }

    fn kind(&mut self, program: &Program, kind: ItemKind) -> ItemKind {
        let mut name = |id: NameId| NameId(self.names.number(&program.name_text(id).to_owned()));
        match kind {
            ItemKind::PushLabel(label) => ItemKind::PushLabel(Label(self.labels.number(&label))),
            ItemKind::PushTable(_) => {
                let labels = program.pushed_labels(&kind).iter();
                let labels = labels.map(|label| Label(self.labels.number(label))).collect();
                ItemKind::PushTable(TableId(self.tables.number(&labels)))
            }
            ItemKind::Label(label) => ItemKind::Label(Label(self.labels.number(&label))),
            ItemKind::PushDataOffset(id) => ItemKind::PushDataOffset(name(id)),
            ItemKind::PushDataSize(id) => ItemKind::PushDataSize(name(id)),
            ItemKind::PushImmutable(id, width) => ItemKind::PushImmutable(name(id), width),
            ItemKind::AssignImmutable(id) => ItemKind::AssignImmutable(name(id)),
            ItemKind::PushLibrary(id) => ItemKind::PushLibrary(name(id)),
            ItemKind::Verbatim { blob, inputs, outputs } => {
                let bytes = program.blobs.get(blob as usize).cloned().unwrap_or_default();
                ItemKind::Verbatim { blob: self.blobs.number(&bytes), inputs, outputs }
            }
            ItemKind::Op(_) | ItemKind::OpImmediate(..) | ItemKind::Push(_) | ItemKind::PushSized(..) => kind,
        }
    }
}
