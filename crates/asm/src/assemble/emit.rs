//! Pieces to bytes.

use super::lower::{Code, Piece};
use super::region::Region;
use super::{Assembled, ImmutableReference, Segment};
use crate::link::{ADDRESS_SIZE, LinkReference};
use crate::program::{ENTRY_BYTES, Program, TableId};
use crate::relax::Target;
use cairn_evm::{Opcode, Word};

/// Writes the code and what lies behind it. The sub-objects are left for the caller to add.
pub(crate) fn emit(program: &Program, region: &Region<'_>, code: &Code) -> Assembled {
    let mut emitter = Emitter {
        program,
        code,
        bytes: Vec::with_capacity(code.widths.code_size + region.size),
        immutables: Vec::new(),
        links: Vec::new(),
        next_push: 0,
    };
    let mut item_offsets = Vec::with_capacity(code.pieces.len() + 1);
    for piece in &code.pieces {
        item_offsets.push(emitter.bytes.len());
        emitter.piece(piece);
    }
    item_offsets.push(emitter.bytes.len());
    code.ending.iter().for_each(|opcode| emitter.op(*opcode));
    debug_assert_eq!(emitter.bytes.len(), code.widths.code_size, "emitted code has the computed size");
    let segments = emitter.region(region);
    Assembled {
        name: program.name.clone(),
        bytes: emitter.bytes,
        code_size: code.widths.code_size,
        item_offsets,
        labels: code.widths.labels.clone(),
        immutables: emitter.immutables,
        links: emitter.links,
        segments,
        subs: Vec::new(),
    }
}

struct Emitter<'a> {
    program: &'a Program,
    code: &'a Code,
    bytes: Vec<u8>,
    immutables: Vec<ImmutableReference>,
    links: Vec<LinkReference>,
    next_push: usize,
}

impl Emitter<'_> {
    fn op(&mut self, opcode: Opcode) {
        self.bytes.push(opcode.0);
    }

    fn push(&mut self, word: Word, width: u8) {
        self.op(Opcode::push(width));
        self.bytes.extend_from_slice(&word.to_be_bytes::<32>()[32 - usize::from(width)..]);
    }

    fn piece(&mut self, piece: &Piece) {
        match piece {
            Piece::Byte(byte) => self.bytes.push(*byte),
            Piece::Pair(first, second) => self.bytes.extend([first, second]),
            Piece::Push(word, width) => self.push(*word, *width),
            Piece::Position(target) => self.position(*target),
            Piece::Table(table) => self.table(*table),
            Piece::Label => self.op(Opcode::JUMPDEST),
            Piece::Immutable(name, width) => {
                let name = self.program.name_text(*name).to_owned();
                let offset = self.bytes.len() + 1;
                self.immutables.push(ImmutableReference { name, offset, length: *width });
                self.push(Word::ZERO, *width);
            }
            Piece::Library(name) => {
                let library = self.program.name_text(*name).to_owned();
                self.links.push(LinkReference { library, offset: self.bytes.len() + 1 });
                self.push(Word::ZERO, ADDRESS_SIZE as u8);
            }
            Piece::Stores(code) => self.bytes.extend_from_slice(code),
            Piece::Blob(blob) => self.bytes.extend_from_slice(&self.program.blobs[*blob as usize]),
        }
    }

    fn position(&mut self, target: Target) {
        let width = self.code.widths.pushes[self.next_push];
        self.next_push += 1;
        let value = self.code.widths.value(target).expect("invariant: undefined labels were reported");
        self.push(Word::from(value), width);
    }

    /// The first entry is the lowest.
    fn table(&mut self, table: TableId) {
        let labels = &self.program.tables[table.0 as usize];
        self.op(Opcode::push((ENTRY_BYTES * labels.len()) as u8));
        for label in labels.iter().rev() {
            let position = self.code.widths.labels[label.0 as usize].unwrap_or_default();
            self.bytes.extend_from_slice(&(position as u16).to_be_bytes());
        }
    }

    /// Appends what lies behind the code, each place once.
    fn region(&mut self, region: &Region<'_>) -> Vec<Segment> {
        let start = self.code.widths.code_size;
        let mut segments = Vec::with_capacity(region.placed.len());
        for placed in &region.placed {
            let offset = start + placed.offset;
            if offset == self.bytes.len() {
                self.bytes.extend_from_slice(placed.content.bytes);
                let moved = |link: &LinkReference| LinkReference {
                    offset: link.offset + offset,
                    library: link.library.clone(),
                };
                self.links.extend(placed.content.links.iter().map(moved));
            }
            let name = placed.name.to_owned();
            segments.push(Segment { name, offset, size: placed.content.bytes.len() });
        }
        segments
    }
}
