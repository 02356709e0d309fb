//! EVM-IR in free form as a program: what the front end wrote, before anything of Cairn touched it.

mod arith;
mod datum;
mod inner;
mod known;
mod loops;
mod opcodes;
mod place;
mod stops;
mod wide;

pub(crate) use known::{Inner, Known};
pub(crate) use place::SourcePlace;

use cairn_ir::Module;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a module leaves to the compiler: where things lie, and the numbers of names.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// The code that was made of it: what `codecopy` reads.
    pub code: Rc<[u8]>,
    /// Offset and size of data segments and nested modules, by name.
    pub places: BTreeMap<String, (usize, usize)>,
    /// What `heap_base` gives; the end of what it reserves where this is `None`.
    pub heap_base: Option<u64>,
    /// Names of immutables by number.
    pub immutables: Vec<String>,
    /// Names of libraries by number.
    pub libraries: Vec<String>,
    /// Whether the module visibly keeps the pointer to free memory in the word at 64, as the optimizer found.
    pub keeps_pointer: bool,
}

impl Image {
    /// The first data segment whose bytes are not where the image says, if there is one.
    pub(crate) fn misplaced<'m>(&self, module: &'m Module) -> Option<&'m str> {
        let is_misplaced = |data: &&cairn_ir::DataSegment| match self.places.get(&data.name) {
            Some((offset, size)) => self.code.get(*offset..offset + size) != Some(&data.bytes[..]),
            None => false,
        };
        module.data.iter().find(is_misplaced).map(|data| data.name.as_str())
    }
}
