//! Source locations of instructions.

use crate::ids::Loc;
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

/// A byte range of a source unit, as in solc's `@src` comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocData {
    /// Index of the source unit; −1 for generated code.
    pub source: i32,
    /// First byte; −1 if unknown.
    pub start: i32,
    /// One past the last byte; −1 if unknown.
    pub end: i32,
}

/// The debug tables of a module.
#[derive(Clone, Debug, Default)]
pub struct DebugInfo {
    /// Names of source units, by index.
    pub sources: Vec<(i32, String)>,
    locs: PrimaryMap<Loc, LocData>,
    index: FxHashMap<LocData, Loc>,
}

impl DebugInfo {
    /// The id of a location, made if it is new.
    pub fn intern(&mut self, data: LocData) -> Loc {
        let locs = &mut self.locs;
        *self.index.entry(data).or_insert_with(|| locs.push(data))
    }

    /// The location with this id.
    pub fn loc(&self, loc: Loc) -> LocData {
        self.locs[loc]
    }

    /// All locations in order of first use.
    pub fn locs(&self) -> impl Iterator<Item = (Loc, &LocData)> {
        self.locs.iter()
    }
}
