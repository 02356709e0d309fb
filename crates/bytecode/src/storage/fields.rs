//! Fields of packed slots: the parts that are cut out of what was loaded, and those that a store changes.
//!
//! A loaded word is followed forwards for some blocks, into functions that it is handed to, until a part
//! of it is taken.

use super::chains::EMPTY;
use super::place::{Field, FieldType};
use super::search::Searcher;
use super::summary::{Taken, Usage};
use super::symbol::{Link, Part, Root, Symbol};
use crate::blocks::BlockId;
use crate::cfg::EdgeKind;
use smallvec::SmallVec;

/// Blocks that a loaded word is followed into.
const MAX_BLOCKS: usize = 24;

/// Places that are looked at for the word that a store changes.
const MAX_STEPS: usize = 64;

/// Bits in which short bytes say how many they are.
const BYTES_TEST: Part = Part::new(0, 1);

/// The fields that an instruction reads or writes.
#[derive(Default)]
pub(super) struct Fields {
    pub(super) list: SmallVec<[Field; 4]>,
    /// A load of which nothing is read: the fields are those that change.
    pub(super) is_update: bool,
}

impl Fields {
    /// The whole word.
    pub(super) fn word() -> Fields {
        Fields { list: SmallVec::from_slice(&[Field::WORD]), is_update: false }
    }

    fn of(mut list: SmallVec<[Field; 4]>) -> Fields {
        list.sort_unstable();
        list.dedup();
        if list.is_empty() { Fields::word() } else { Fields { list, is_update: false } }
    }
}

impl Searcher<'_> {
    /// The fields that are taken of what the load at an offset of a block gives; the whole word if none.
    pub(super) fn fields_of_load(&mut self, block: BlockId, pc: u32) -> Fields {
        let (mut fields, mut changed) = (SmallVec::new(), SmallVec::new());
        let root = Root::Load(pc);
        self.add_taken(block, root, &mut fields, &mut changed);
        let mut takers: SmallVec<[(BlockId, Root); 8]> = SmallVec::from_slice(&[(block, root)]);
        let mut work: SmallVec<[(BlockId, u32); 8]> = SmallVec::new();
        self.add_places(block, root, &mut work);
        let mut next = 0;
        while next < work.len() && next < MAX_BLOCKS {
            let (block, depth) = work[next];
            next += 1;
            let known = (fields.len(), changed.len());
            self.add_taken(block, Root::Entry(depth), &mut fields, &mut changed);
            takers.push((block, Root::Entry(depth)));
            if (fields.len(), changed.len()) == known {
                self.add_places(block, Root::Entry(depth), &mut work);
            }
        }
        for field in fields.iter_mut().filter(|field| field.kind == FieldType::Uint(8)) {
            let part = Part::new(u16::from(field.offset) * 8, 8);
            if takers.iter().any(|(block, root)| self.is_truth(*block, *root, part)) {
                field.kind = FieldType::Bool;
            }
        }
        match fields.is_empty() && !changed.is_empty() {
            true => Fields { is_update: true, ..Fields::of(changed) },
            false => Fields::of(fields),
        }
    }

    fn add_taken(
        &mut self,
        block: BlockId,
        root: Root,
        fields: &mut SmallVec<[Field; 4]>,
        changed: &mut SmallVec<[Field; 4]>,
    ) {
        for taken in self.summaries.taken(block).iter().filter(|taken| taken.root == root) {
            match (taken.usage, taken.part) {
                (Usage::Truth, _) => {}
                (Usage::Cleared | Usage::Flag, part) => changed.extend(Field::of(part, taken.usage)),
                (_, BYTES_TEST) => fields.push(Field::BYTES),
                (_, part) => fields.extend(Field::of(part, taken.usage)),
            }
        }
    }

    /// True when a byte that a block cuts out of a word is cleaned as a truth value further on.
    fn is_truth(&mut self, block: BlockId, root: Root, part: Part) -> bool {
        let cut = self.summaries.symbols.push(Symbol::of(root), Link::Part(part));
        let mut work: SmallVec<[(BlockId, u32); 8]> = SmallVec::new();
        self.add_places_of(block, cut, &mut work);
        self.add_callers(block, cut, &mut work);
        let mut next = 0;
        while next < work.len() && next < MAX_BLOCKS {
            let (block, depth) = work[next];
            next += 1;
            let entry = Root::Entry(depth);
            let is_cleaned = |taken: &Taken| taken.root == entry && taken.usage == Usage::Truth;
            if self.summaries.taken(block).iter().any(is_cleaned) {
                return true;
            }
            self.add_places(block, entry, &mut work);
            self.add_callers(block, Symbol::of(entry), &mut work);
        }
        false
    }

    /// Adds where a block returns to with a symbol as the topmost word: it is the function's own for every caller.
    fn add_callers(&mut self, block: BlockId, symbol: Symbol, work: &mut SmallVec<[(BlockId, u32); 8]>) {
        if self.summaries.exit(block).last() != Some(&symbol) {
            return;
        }
        let edges = self.summaries.analysis.cfg.out_edges(block).iter();
        for edge in edges.filter(|edge| edge.kind == EdgeKind::Return).take(MAX_BLOCKS) {
            if !work.contains(&(edge.to, 0)) {
                work.push((edge.to, 0));
            }
        }
    }

    /// Adds the places behind a block where the word lies that it has under a root.
    fn add_places(&mut self, block: BlockId, root: Root, work: &mut SmallVec<[(BlockId, u32); 8]>) {
        self.add_places_of(block, Symbol::of(root), work);
    }

    /// The same for what a block makes of a word.
    fn add_places_of(&mut self, block: BlockId, symbol: Symbol, work: &mut SmallVec<[(BlockId, u32); 8]>) {
        let root = symbol.root();
        let exit = self.summaries.exit(block);
        let height = exit.len() as u32;
        let mut depths: SmallVec<[u32; 4]> = SmallVec::new();
        for (place, word) in (0..).zip(exit) {
            if *word == symbol {
                depths.push(height - 1 - place);
            }
        }
        if let (Root::Entry(depth), EMPTY) = (root, symbol.chain) {
            let needs = self.summaries.analysis.blocks.get(block).needs;
            depths.extend((depth >= needs).then(|| depth - needs + height));
        }
        for depth in depths {
            for place in self.after(block, depth) {
                // More are not looked at.
                if work.len() < MAX_BLOCKS && !work.contains(&place) {
                    work.push(place);
                }
            }
        }
    }

    /// The fields that a store of a value changes; the whole word if it is no loaded one with others.
    pub(super) fn fields_of_store(&mut self, block: BlockId, value: Symbol) -> Fields {
        let origins = match value.root() {
            Root::Entry(_) => self.origins_within(block, value, MAX_STEPS).symbols,
            _ => SmallVec::from_slice(&[value]),
        };
        let mut fields = SmallVec::new();
        for symbol in origins.iter().filter(|symbol| matches!(symbol.root(), Root::Load(_))) {
            for link in self.summaries.symbols.links(symbol.chain) {
                if let Link::Clear(part) = link {
                    let flag = Taken { root: symbol.root(), part, usage: Usage::Flag };
                    let is_flag = self.summaries.taken(block).contains(&flag);
                    fields.extend(Field::of(part, if is_flag { Usage::Flag } else { Usage::Cleared }));
                }
            }
        }
        Fields::of(fields)
    }
}
