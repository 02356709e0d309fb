//! Variables: what accesses to storage together say.
//!
//! Contract: each slot that an access is found to touch, or that a mapping or an array has, is there with
//! its fields, each once; but for slots that only accesses of any of several places, and of others that are not
//! known, are found to touch. Types are what the code looks like, external functions those from which control
//! gets to an access.

use super::place::{FieldType, KeyType, PathStep};
use super::touched::{Access, StorageAccess};
use crate::analysis::Analysis;
use crate::blocks::Blocks;
use crate::reach::Reach;
use crate::selectors::Selector;
use cairn_evm::Word;
use smallvec::SmallVec;

/// A variable in storage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its slot.
    pub slot: Word,
    /// Bytes of the slot below it.
    pub offset: u8,
    /// Its type, such as `mapping(address => uint256)`.
    pub kind: String,
    /// Selectors of functions that read it, sorted.
    pub readers: Vec<u32>,
    /// Selectors of functions that write it, sorted.
    pub writers: Vec<u32>,
}

/// How deep types are nested in what is written.
const MAX_DEPTH: usize = 8;

/// The variables of a program, by slot and offset. `storage` is what [`super::find_touched`] finds, in the
/// order of the instructions.
pub fn find_variables(analysis: &Analysis<'_>, storage: &[StorageAccess]) -> Vec<Variable> {
    let vague = vague(storage);
    let lasting = |access: &&StorageAccess| {
        access.slot.is_some()
            && matches!(access.access, Access::Load | Access::Store)
            && vague.binary_search(&access.pc).is_err()
    };
    let mut accesses: Vec<&StorageAccess> = storage.iter().filter(lasting).collect();
    accesses.sort_by(|a, b| a.slot.cmp(&b.slot).then(a.pc.cmp(&b.pc)));
    let users = Users::new(analysis);
    let mut found = Vec::new();
    for of_slot in accesses.chunk_by(|a, b| a.slot == b.slot) {
        let Some(slot) = of_slot[0].slot else { continue };
        let ways: Vec<Way<'_>> = of_slot.iter().map(|access| Way::of(access, &access.steps)).collect();
        if ways.iter().any(|way| !way.steps.is_empty()) {
            found.push(users.variable(slot, 0, type_of(&ways, 0), of_slot));
            continue;
        }
        for (offset, kind, count) in fields(&ways) {
            let of_field: Vec<&StorageAccess> =
                of_slot.iter().copied().filter(|access| overlaps(access, offset, count)).collect();
            found.push(users.variable(slot, offset, kind, &of_field));
        }
    }
    found
}

/// Offsets of the instructions that are found to touch several slots, and can touch others: those of functions that
/// are given a place, where not all is found that they are given. What they touch is mostly no variable, and no other
/// instruction says so either. Accesses stand in the order of the instructions.
fn vague(storage: &[StorageAccess]) -> Vec<u32> {
    let of_instructions = storage.chunk_by(|a, b| a.pc == b.pc);
    let is_vague = |accesses: &&[StorageAccess]| {
        accesses.iter().any(|access| access.slot.is_none()) && {
            let mut slots: SmallVec<[Option<Word>; 4]> = accesses.iter().map(|access| access.slot).collect();
            slots.sort_unstable();
            slots.dedup();
            slots.len() > 2
        }
    };
    of_instructions.filter(is_vague).map(|accesses| accesses[0].pc).collect()
}

fn overlaps(access: &StorageAccess, offset: u8, size: u8) -> bool {
    access.offset < offset + size && offset < access.offset + access.size
}

/// An access, from some step on.
#[derive(Clone, Copy)]
struct Way<'a> {
    steps: &'a [PathStep],
    offset: u8,
    size: u8,
    kind: FieldType,
}

impl<'a> Way<'a> {
    fn of(access: &StorageAccess, steps: &'a [PathStep]) -> Way<'a> {
        Way { steps, offset: access.offset, size: access.size, kind: access.kind }
    }

    /// The way from an item of an array on, from where the items begin.
    fn at_item(&self) -> Way<'a> {
        match self.steps.first() {
            Some(PathStep::Index | PathStep::Member(_)) => Way { steps: &self.steps[1..], ..*self },
            _ => *self,
        }
    }
}

/// The fields of a slot: offset, type and bytes. A word that is used as a whole is one where no
/// parts of it are.
fn fields(ways: &[Way<'_>]) -> Vec<(u8, String, u8)> {
    let bytes = ways.iter().any(|way| way.kind == FieldType::Bytes);
    let mut parts: Vec<(u8, u8, FieldType)> =
        ways.iter().filter(|way| way.size < 32).map(|way| (way.offset, way.size, way.kind)).collect();
    if bytes || parts.is_empty() {
        let kind = if bytes { FieldType::Bytes } else { FieldType::Uint(256) };
        return vec![(0, kind.name().to_owned(), 32)];
    }
    // Where parts overlap, the smaller ones are meant; of one part, what tells most.
    let rank = |kind: FieldType| match kind {
        FieldType::Byte => 0,
        FieldType::Bool => 1,
        FieldType::Int(_) | FieldType::FixedBytes(_) => 2,
        FieldType::Uint(_) | FieldType::Bytes => 3,
    };
    parts.sort_by_key(|(offset, size, kind)| (*size, rank(*kind), *offset));
    let mut chosen: Vec<(u8, u8, FieldType)> = Vec::new();
    for (offset, size, kind) in parts {
        if chosen.iter().all(|(start, length, _)| offset + size <= *start || start + length <= offset) {
            chosen.push((offset, size, kind));
        }
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|(offset, size, kind)| (offset, kind.name().to_owned(), size)).collect()
}

/// The type of what lies at a place, by the ways from there.
fn type_of(ways: &[Way<'_>], depth: usize) -> String {
    let first =
        |step: fn(&PathStep) -> bool| ways.iter().filter(move |way| way.steps.first().is_some_and(step));
    if depth > MAX_DEPTH {
        return FieldType::Uint(256).name().to_owned();
    }
    let members = first(|step| matches!(step, PathStep::Member(_))).count();
    if members > 0 {
        return "struct".to_owned();
    }
    let keyed: Vec<&Way<'_>> = first(|step| matches!(step, PathStep::Key(_))).collect();
    if !keyed.is_empty() {
        let keys = keyed.iter().filter_map(|way| match way.steps.first() {
            Some(PathStep::Key(key)) => Some(*key),
            _ => None,
        });
        let key = keys.min().map_or("", KeyType::name);
        return format!("mapping({key} => {})", type_of(&rest(&keyed), depth + 1));
    }
    let items: Vec<&Way<'_>> = first(|step| *step == PathStep::Items).collect();
    if !items.is_empty() {
        if ways.iter().any(|way| way.steps.is_empty() && way.kind == FieldType::Bytes) {
            return FieldType::Bytes.name().to_owned();
        }
        let items: Vec<Way<'_>> = rest(&items).iter().map(Way::at_item).collect();
        return format!("{}[]", type_of(&items, depth + 1));
    }
    let indexed: Vec<&Way<'_>> = first(|step| *step == PathStep::Index).collect();
    if !indexed.is_empty() {
        return format!("{}[?]", type_of(&rest(&indexed), depth + 1));
    }
    match &fields(ways)[..] {
        [(0, kind, _)] => kind.clone(),
        _ => "struct".to_owned(),
    }
}

/// Ways without their first step.
fn rest<'a>(ways: &[&Way<'a>]) -> Vec<Way<'a>> {
    ways.iter().map(|way| Way { steps: &way.steps[1..], ..**way }).collect()
}

/// Which external functions get to which accesses.
struct Users<'a> {
    /// Sorted.
    functions: &'a [Selector],
    blocks: &'a Blocks,
    reach: &'a Reach,
}

impl<'a> Users<'a> {
    fn new(analysis: &'a Analysis<'_>) -> Users<'a> {
        Users { functions: &analysis.selectors, blocks: &analysis.blocks, reach: analysis.reach() }
    }

    fn variable(&self, slot: Word, offset: u8, kind: String, accesses: &[&StorageAccess]) -> Variable {
        let of = |wanted: Access| {
            let of_kind = accesses.iter().filter(|access| access.access == wanted && !access.is_update);
            self.selectors(of_kind.map(|access| access.pc))
        };
        Variable { slot, offset, kind, readers: of(Access::Load), writers: of(Access::Store) }
    }

    /// The selectors of functions that get to some of these offsets, sorted.
    fn selectors(&self, pcs: impl Iterator<Item = u32>) -> Vec<u32> {
        let users = self.reach.of_all(pcs.filter_map(|pc| self.blocks.containing(pc)));
        let mut list: Vec<u32> = users.numbers().map(|number| self.functions[number].selector).collect();
        list.dedup();
        list
    }
}
