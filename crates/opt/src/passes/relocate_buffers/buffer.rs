//! Buffers: what the stores before a reader write, where that is all the reader reads. See the head of
//! [`relocate_buffers`](super).

use super::super::relocate_output::{BEFORE_SELECTOR, SELECTOR_BYTES, Selector};
use super::SCRATCH;
use crate::edit::constant_before;
use crate::memory::{Heap, Place, Region, WORD, touches_memory};
use cairn_evm::memory::{MemoryRegion, memory_read};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Function, Inst, Op};

/// What an instruction reads, and the stores that write it.
pub(super) struct Buffer {
    pub(super) reader: Inst,
    /// With their distances from the beginning of the buffer.
    stores: Vec<(Inst, u64)>,
    /// The buffer begins with four bytes that this store writes as the top of a word.
    selector: Option<Selector>,
}

impl Buffer {
    /// The buffer that an instruction reads, if the stores before it write all of it and it can be in
    /// scratch.
    pub(super) fn of(func: &Function, reader: Inst, heap: Heap) -> Option<Buffer> {
        let region = Region::of(func, reader, read_by(func, reader)?);
        let length = u64::try_from(region.length?).ok().filter(|length| (1..=SCRATCH).contains(length))?;
        if !is_allocated(func, heap, region.place) {
            return None;
        }
        let mut buffer = Buffer { reader, stores: Vec::new(), selector: None };
        let mut is_stored = [false; SCRATCH as usize];
        let mut next = func.layout.prev_inst(reader);
        loop {
            let missing = is_stored[..length as usize].iter().filter(|is_stored| !**is_stored).count();
            if missing == 0 {
                return Some(buffer);
            }
            let inst = next?;
            next = func.layout.prev_inst(inst);
            match func.dfg.op(inst) {
                Op::Evm(Opcode::MSTORE) => {
                    let at = Place::of(func, func.dfg.args(inst)[0]);
                    let from = at.behind(region.place, SCRATCH - WORD)?;
                    let is_last = from == 0 && missing == SELECTOR_BYTES as usize;
                    buffer.selector =
                        Selector::of(func, inst).filter(|_| is_last && buffer.leaves_selector());
                    is_stored[from as usize..][..WORD as usize].fill(true);
                    buffer.stores.push((inst, from));
                }
                op if touches_memory(op) => return None,
                _ => {}
            }
        }
    }

    /// True if all that is stored so far lies behind a selector, and fits behind one that ends a word.
    fn leaves_selector(&self) -> bool {
        self.stores.iter().all(|(_, from)| *from as i64 == SELECTOR_BYTES)
    }

    /// The address where the buffer begins in scratch.
    fn start(&self) -> u64 {
        if self.selector.is_some() { BEFORE_SELECTOR as u64 } else { 0 }
    }

    /// What is written otherwise if the buffer is in scratch: where it was, and scratch.
    pub(super) fn regions<'a>(&'a self, func: &'a Function) -> impl Iterator<Item = Region> + 'a {
        self.stores.iter().flat_map(|(store, from)| {
            let places = [Place::of(func, func.dfg.args(*store)[0]), Place::at(Word::from(self.at(*from)))];
            places.map(|place| Region { place, length: Some(Word::from(WORD)) })
        })
    }

    /// Where what was stored at a distance from the beginning is stored in scratch.
    fn at(&self, from: u64) -> u64 {
        if from == 0 { 0 } else { self.start() + from }
    }

    /// Builds it in scratch.
    pub(super) fn relocate(&self, func: &mut Function) {
        for (store, from) in &self.stores {
            func.dfg.args_mut(*store)[0] = constant_before(func, *store, Word::from(self.at(*from)));
        }
        if let Some(selector) = self.selector {
            selector.put_at_zero(func);
        }
        let Some(region) = read_by(func, self.reader) else { return };
        func.dfg.args_mut(self.reader)[usize::from(region.start)] =
            constant_before(func, self.reader, Word::from(self.start()));
    }
}

/// What an instruction reads that may read it elsewhere.
fn read_by(func: &Function, reader: Inst) -> Option<MemoryRegion> {
    match func.dfg.op(reader) {
        Op::Evm(Opcode::MLOAD | Opcode::MCOPY | Opcode::RETURN | Opcode::REVERT) => None,
        Op::Evm(opcode) => memory_read(opcode),
        _ => None,
    }
}

/// True if a buffer that begins there is no memory that the program has for something else.
fn is_allocated(func: &Function, heap: Heap, start: Place) -> bool {
    match start.base.expand() {
        Some(base) => heap.least(func, base).is_some(),
        None => heap.free_from.is_some_and(|least| start.offset >= Word::from(least)),
    }
}
