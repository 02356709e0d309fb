//! What lies behind the code of an object, and what the names in it stand for.
//!
//! Offsets here are relative to the end of the code, so that they are known before the code is.

use super::{Assembled, METADATA, shown_name};
use crate::link::LinkReference;
use crate::program::{ItemKind, NameId, Program};
use cairn_diag::{Diagnostic, Diagnostics};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// A piece of content behind the code.
pub(crate) struct Placed<'a> {
    /// Name or path.
    pub(crate) name: &'a str,
    /// Bytes from the end of the code.
    pub(crate) offset: usize,
    /// The content.
    pub(crate) content: Content<'a>,
}

/// Bytes with the library references in them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Content<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) links: &'a [LinkReference],
}

/// What a name stands for.
#[derive(Clone, Copy)]
pub(crate) enum Meaning {
    /// The object itself.
    Own,
    /// Something behind the code. `offset` (from the end of the code) is known for names whose
    /// offset some item pushes.
    Behind { offset: Option<usize>, size: usize },
}

/// What the items ask of a name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needed {
    Offset,
    SizeOnly,
}

/// The names of an object and the layout behind its code.
pub(crate) struct Region<'a> {
    /// By [`NameId`]; `None` for names that are no objects or data.
    pub(crate) meanings: Vec<Option<Meaning>>,
    /// In order of position; shared content appears once for each name.
    pub(crate) placed: Vec<Placed<'a>>,
    /// Number of bytes.
    pub(crate) size: usize,
}

impl<'a> Region<'a> {
    /// Finds what the items refer to and lays it out: sub-objects, data, what lies in
    /// sub-objects only, metadata.
    pub(crate) fn collect(
        program: &'a Program,
        subs: &'a [Assembled],
        diagnostics: &mut Diagnostics,
    ) -> Region<'a> {
        let uses = Uses::of(program);
        let mut builder = Builder::new(program, subs);
        builder.place_direct(&uses);
        let mut meanings = vec![None; program.names.len()];
        for id in &uses.any {
            let Some(name) = program.names.get(id.0 as usize) else { continue };
            let needed = if uses.offsets.contains(id) { Needed::Offset } else { Needed::SizeOnly };
            let meaning = builder.meaning(name, needed);
            if meaning.is_none() {
                let owner = shown_name(program);
                let message = format!("`{name}` is no data segment or sub-object of {owner}");
                diagnostics.push(Diagnostic::error(message));
            }
            meanings[id.0 as usize] = meaning;
        }
        builder.place_metadata(&mut meanings);
        Region { meanings, placed: builder.placed, size: builder.size }
    }
}

/// The names that items use.
#[derive(Default)]
struct Uses {
    any: BTreeSet<NameId>,
    offsets: BTreeSet<NameId>,
}

impl Uses {
    fn of(program: &Program) -> Uses {
        let mut uses = Uses::default();
        for item in &program.items {
            if let ItemKind::PushDataOffset(name) | ItemKind::PushDataSize(name) = item.kind {
                uses.any.insert(name);
            }
            if let ItemKind::PushDataOffset(name) = item.kind {
                uses.offsets.insert(name);
            }
        }
        uses
    }
}

struct Builder<'a> {
    program: &'a Program,
    subs: &'a [Assembled],
    /// Sub-objects and data segments in order.
    direct: Vec<(&'a str, Content<'a>)>,
    direct_index: FxHashMap<&'a str, usize>,
    offsets: FxHashMap<&'a str, usize>,
    shared: FxHashMap<Content<'a>, usize>,
    placed: Vec<Placed<'a>>,
    size: usize,
}

impl<'a> Builder<'a> {
    fn new(program: &'a Program, subs: &'a [Assembled]) -> Self {
        let of_subs = subs.iter().map(|sub| (sub.name.as_str(), content_of(sub)));
        let of_data = program.data.iter().map(|(name, bytes)| (name.as_str(), data_content(bytes)));
        let direct: Vec<_> = of_subs.chain(of_data).collect();
        let mut direct_index = FxHashMap::default();
        for (index, (name, _)) in direct.iter().enumerate() {
            direct_index.entry(*name).or_insert(index);
        }
        Builder {
            program,
            subs,
            direct,
            direct_index,
            offsets: FxHashMap::default(),
            shared: FxHashMap::default(),
            placed: Vec::new(),
            size: 0,
        }
    }

    /// Places the sub-objects and data segments whose offset is pushed, apart from metadata.
    fn place_direct(&mut self, uses: &Uses) {
        let wanted: FxHashSet<&str> = uses.offsets.iter().map(|id| self.program.name_text(*id)).collect();
        for index in 0..self.direct.len() {
            let (name, content) = self.direct[index];
            let first = self.direct_index[name] == index;
            if first && name != METADATA && wanted.contains(name) {
                self.place(name, content);
            }
        }
    }

    /// Places the metadata behind everything else.
    fn place_metadata(&mut self, meanings: &mut [Option<Meaning>]) {
        let Some(index) = self.direct_index.get(METADATA) else { return };
        let content = self.direct[*index].1;
        let offset = self.append(METADATA, content);
        for (meaning, name) in meanings.iter_mut().zip(&self.program.names) {
            if name == METADATA && meaning.is_some() {
                *meaning = Some(Meaning::Behind { offset: Some(offset), size: content.bytes.len() });
            }
        }
    }

    /// Gives content a place, the one it has already if it is known.
    fn place(&mut self, name: &'a str, content: Content<'a>) -> usize {
        let Some(offset) = self.shared.get(&content).copied() else {
            let offset = self.append(name, content);
            self.shared.insert(content, offset);
            return offset;
        };
        self.placed.push(Placed { name, offset, content });
        self.offsets.insert(name, offset);
        offset
    }

    fn append(&mut self, name: &'a str, content: Content<'a>) -> usize {
        let offset = self.size;
        self.placed.push(Placed { name, offset, content });
        self.offsets.insert(name, offset);
        self.size += content.bytes.len();
        offset
    }

    /// What a name or path stands for; places it if its offset is needed and it has no place yet.
    fn meaning(&mut self, name: &'a str, needed: Needed) -> Option<Meaning> {
        if name == self.program.name {
            return Some(Meaning::Own);
        }
        if let Some(index) = self.direct_index.get(name) {
            let size = self.direct[*index].1.bytes.len();
            return Some(Meaning::Behind { offset: self.offsets.get(name).copied(), size });
        }
        let content = find_nested(self.program, self.subs, name)?;
        let offset = (needed == Needed::Offset).then(|| self.place_nested(name, content));
        Some(Meaning::Behind { offset, size: content.bytes.len() })
    }

    /// The place of content of a sub-object: inside of the sub-object, if it and its content have
    /// places.
    fn place_nested(&mut self, path: &'a str, content: Content<'a>) -> usize {
        let inside = path.match_indices('.').find_map(|(dot, _)| {
            let (first, rest) = (&path[..dot], &path[dot + 1..]);
            let sub = self.subs.iter().find(|sub| sub.name == first)?;
            Some(self.offsets.get(first)? + sub.segment(rest)?.offset)
        });
        inside.unwrap_or_else(|| self.place(path, content))
    }
}

fn content_of(assembled: &Assembled) -> Content<'_> {
    Content { bytes: &assembled.bytes, links: &assembled.links }
}

fn data_content(bytes: &[u8]) -> Content<'_> {
    Content { bytes, links: &[] }
}

/// The content that a path into a sub-object leads to.
fn find_nested<'a>(program: &'a Program, subs: &'a [Assembled], path: &str) -> Option<Content<'a>> {
    path.match_indices('.').find_map(|(dot, _)| {
        let (first, rest) = (&path[..dot], &path[dot + 1..]);
        let (sub, assembled) = program.subs.iter().zip(subs).find(|(sub, _)| sub.name == first)?;
        if let Some(inner) = assembled.subs.iter().find(|inner| inner.name == rest) {
            return Some(content_of(inner));
        }
        if let Some((_, bytes)) = sub.data.iter().find(|(name, _)| name == rest) {
            return Some(data_content(bytes));
        }
        find_nested(sub, &assembled.subs, rest)
    })
}
