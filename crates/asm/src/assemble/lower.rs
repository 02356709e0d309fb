//! Items to pieces with known sizes, apart from pushes of positions.

use super::immutables::store_everywhere;
use super::push::{least_push_width, push_width};
use super::region::{Meaning, Region};
use super::{AssembleOptions, Assembled, MAX_CODE_SIZE, Separator, shown_name};
use crate::fault;
use crate::program::{ENTRY_BYTES, ItemKind, Label, MAX_ENTRIES, NameId, Program, TableId, WORD_WIDTH};
use crate::relax::{Mark, MarkKind, Target, Widths, compute_widths};
use cairn_diag::{Diagnostic, Diagnostics};
use cairn_evm::{Fork, Opcode, Word};

/// What one item becomes.
#[derive(Clone, Debug)]
pub(crate) enum Piece {
    /// One byte.
    Byte(u8),
    /// Two bytes.
    Pair(u8, u8),
    /// A push with this many immediate bytes.
    Push(Word, u8),
    /// A push of a position.
    Position(Target),
    /// A push of two bytes for each entry of a table.
    Table(TableId),
    /// `JUMPDEST`.
    Label,
    /// A push of zero of this width; the position is recorded.
    Immutable(NameId, u8),
    /// `PUSH20` of zero; the position is recorded.
    Library(NameId),
    /// Code that stores the value of an immutable.
    Stores(Vec<u8>),
    /// The bytes of a blob.
    Blob(u32),
}

/// The pieces of an object, one an item, and the widths of their position pushes.
pub(crate) struct Code {
    pub(crate) pieces: Vec<Piece>,
    pub(crate) widths: Widths,
    /// What follows the last piece.
    pub(crate) ending: &'static [Opcode],
}

/// Lowers all items and computes the layout of the code; `None` after errors.
pub(crate) fn lower(
    program: &Program,
    subs: &[Assembled],
    region: &Region<'_>,
    options: AssembleOptions,
    diagnostics: &mut Diagnostics,
) -> Option<Code> {
    let fork = options.fork;
    let mut lowering = Lowering { program, subs, region, fork, diagnostics };
    lowering.check_labels();
    let pieces: Vec<Piece> = program.items.iter().map(|item| lowering.piece(item.kind)).collect();
    if diagnostics.has_errors() {
        return None;
    }
    let ending = if region.size > 0 { ending(program, options.separator) } else { &[] };
    let (marks, mut tail) = marks(program, &pieces);
    tail += ending.len();
    let widths = compute_widths(&marks, tail, program.num_labels as usize, least_push_width(fork));
    if has_far_entry(program, &widths) {
        let message = format!("a table in {} has a position beyond 64 KiB", shown_name(program));
        diagnostics.push(Diagnostic::error(message).with_code(fault::TABLE_TOO_FAR.code));
    }
    if widths.code_size + region.size > MAX_CODE_SIZE {
        let message = format!("code of {} is larger than {MAX_CODE_SIZE} bytes", shown_name(program));
        diagnostics.push(Diagnostic::error(message));
    }
    Some(Code { pieces, widths, ending })
}

/// True when a position in a table needs more bytes than an entry has.
fn has_far_entry(program: &Program, widths: &Widths) -> bool {
    let pushed = program.items.iter().filter(|item| matches!(item.kind, ItemKind::PushTable(_)));
    let mut labels = pushed.flat_map(|item| program.pushed_labels(&item.kind));
    labels
        .any(|label| widths.labels[label.0 as usize].is_some_and(|position| position > usize::from(u16::MAX)))
}

/// What goes between code and what lies behind it.
fn ending(program: &Program, separator: Separator) -> &'static [Opcode] {
    let falls_off = program.items.last().is_none_or(|item| !item.kind.is_terminator());
    match (falls_off, separator) {
        (false, Separator::Stop) => &[],
        (true, Separator::Stop) => &[Opcode::STOP],
        (false, Separator::Invalid) => &[Opcode::INVALID],
        (true, Separator::Invalid) => &[Opcode::STOP, Opcode::INVALID],
    }
}

/// The size of a piece without position pushes and labels.
fn fixed_size(piece: &Piece, program: &Program) -> usize {
    match piece {
        Piece::Byte(_) => 1,
        Piece::Pair(..) => 2,
        Piece::Push(_, width) => 1 + usize::from(*width),
        Piece::Position(_) | Piece::Label => 0,
        Piece::Table(table) => 1 + ENTRY_BYTES * program.tables[table.0 as usize].len(),
        Piece::Immutable(_, width) => 1 + usize::from(*width),
        Piece::Library(_) => 21,
        Piece::Stores(code) => code.len(),
        Piece::Blob(blob) => program.blobs[*blob as usize].len(),
    }
}

fn marks(program: &Program, pieces: &[Piece]) -> (Vec<Mark>, usize) {
    let mut marks = Vec::new();
    let mut gap = 0;
    for (piece, item) in pieces.iter().zip(&program.items) {
        let kind = match (piece, item.kind) {
            (Piece::Position(target), _) => Some(MarkKind::Push(*target)),
            (Piece::Label, ItemKind::Label(label)) => Some(MarkKind::Label(label)),
            _ => None,
        };
        match kind {
            Some(kind) => marks.push(Mark { gap: std::mem::take(&mut gap), kind }),
            None => gap += fixed_size(piece, program),
        }
    }
    (marks, gap)
}

struct Lowering<'a, 'd> {
    program: &'a Program,
    subs: &'a [Assembled],
    region: &'a Region<'a>,
    fork: Fork,
    diagnostics: &'d mut Diagnostics,
}

impl Lowering<'_, '_> {
    fn error(&mut self, message: String) -> Piece {
        self.diagnostics.push(Diagnostic::error(format!("in {}: {message}", shown_name(self.program))));
        Piece::Byte(Opcode::INVALID.0)
    }

    /// Reports labels that are defined twice, used without definition, or out of range.
    fn check_labels(&mut self) {
        let mut defined = vec![false; self.program.num_labels as usize];
        for item in &self.program.items {
            let ItemKind::Label(Label(index)) = item.kind else { continue };
            match defined.get_mut(index as usize) {
                Some(seen) if *seen => _ = self.error(format!("label {index} is defined twice")),
                Some(seen) => *seen = true,
                None => _ = self.error(format!("label {index} is out of range")),
            }
        }
        for item in &self.program.items {
            for Label(index) in self.program.pushed_labels(&item.kind) {
                if !defined.get(*index as usize).copied().unwrap_or(false) {
                    self.error(format!("label {index} is not defined"));
                }
            }
        }
    }

    fn piece(&mut self, kind: ItemKind) -> Piece {
        match kind {
            ItemKind::Op(opcode) if opcode.push_width().is_some_and(|width| width > 0) => {
                self.error(format!("`{opcode:?}` without immediate bytes"))
            }
            ItemKind::Op(opcode) => Piece::Byte(opcode.0),
            ItemKind::OpImmediate(opcode, byte)
                if [Opcode::DUPN, Opcode::SWAPN, Opcode::EXCHANGE].contains(&opcode) =>
            {
                Piece::Pair(opcode.0, byte)
            }
            ItemKind::OpImmediate(opcode, _) => self.error(format!("`{opcode:?}` has no immediate byte")),
            ItemKind::Push(word) => self.push(word),
            ItemKind::PushSized(word, width) if width > 32 || word.byte_len() > usize::from(width) => {
                self.error(format!("`{word:#x}` does not fit in {width} bytes"))
            }
            ItemKind::PushSized(word, width) => Piece::Push(word, width),
            ItemKind::PushLabel(label) => Piece::Position(Target::Label(label)),
            ItemKind::PushTable(table) => self.table(table),
            ItemKind::Label(_) => Piece::Label,
            ItemKind::PushDataOffset(name) => self.data_offset(name),
            ItemKind::PushDataSize(name) => self.data_size(name),
            ItemKind::PushImmutable(_, width) if !(1..=WORD_WIDTH).contains(&width) => {
                self.error(format!("an immutable of {width} bytes"))
            }
            ItemKind::PushImmutable(name, width) => self.named(name, Piece::Immutable(name, width)),
            ItemKind::PushLibrary(name) => self.named(name, Piece::Library(name)),
            ItemKind::AssignImmutable(name) => self.assign_immutable(name),
            ItemKind::Verbatim { blob, .. } if (blob as usize) < self.program.blobs.len() => {
                Piece::Blob(blob)
            }
            ItemKind::Verbatim { blob, .. } => self.error(format!("verbatim bytes {blob} don't exist")),
        }
    }

    fn table(&mut self, table: TableId) -> Piece {
        match self.program.tables.get(table.0 as usize).map(Vec::len) {
            Some(1..=MAX_ENTRIES) => Piece::Table(table),
            Some(n_entries) => self.error(format!("a table of {n_entries} entries")),
            None => self.error(format!("table {} does not exist", table.0)),
        }
    }

    fn push(&self, word: Word) -> Piece {
        Piece::Push(word, push_width(word, self.fork))
    }

    fn named(&mut self, name: NameId, piece: Piece) -> Piece {
        let exists = (name.0 as usize) < self.program.names.len();
        if exists { piece } else { self.error(format!("name {} does not exist", name.0)) }
    }

    /// `None` was reported when the region was collected, unless the id is out of range.
    fn meaning(&self, name: NameId) -> Option<Meaning> {
        self.region.meanings.get(name.0 as usize).copied().flatten()
    }

    fn data_offset(&mut self, name: NameId) -> Piece {
        match self.meaning(name) {
            Some(Meaning::Own) => self.push(Word::ZERO),
            Some(Meaning::Behind { offset: Some(offset), .. }) => Piece::Position(Target::End(offset)),
            Some(Meaning::Behind { offset: None, .. }) | None => self.named(name, Piece::Byte(0)),
        }
    }

    fn data_size(&mut self, name: NameId) -> Piece {
        match self.meaning(name) {
            Some(Meaning::Own) => Piece::Position(Target::End(self.region.size)),
            Some(Meaning::Behind { size, .. }) => self.push(Word::from(size)),
            None => self.named(name, Piece::Byte(0)),
        }
    }

    /// The placeholders of the one sub-object that reads the immutable.
    fn assign_immutable(&mut self, name: NameId) -> Piece {
        let text = self.program.name_text(name);
        let reads = |sub: &&Assembled| sub.immutables.iter().any(|reference| reference.name == text);
        let readers: Vec<&Assembled> = self.subs.iter().filter(reads).collect();
        if let [first, second, ..] = readers[..] {
            let message =
                format!("immutable `{text}` is read in both `{}` and `{}`", first.name, second.name);
            return self.error(message);
        }
        let references = readers.iter().flat_map(|sub| &sub.immutables);
        let references: Vec<_> = references.filter(|reference| reference.name == text).collect();
        self.named(name, Piece::Stores(store_everywhere(&references, self.fork)))
    }
}
