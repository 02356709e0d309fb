//! Code that reads itself: the bytes that it reads become data.
//!
//! A copy of known place and length becomes data of just these bytes, zeros past the end of the
//! code included. A copy from a table becomes one from data with the whole table. Any other copy reads from an image of all the code, its place bounded so that
//! what lies past the end reads as zero: the image is the last data of the module.
//!
//! Where bytes may follow the code (see [`cairn_bytecode::Role`]) they keep their distance from its
//! end: what the original reads from its end on, the new code reads from its own end on, and its
//! `CODESIZE` counts as what the original's would be. What follows the original follows the image.

use crate::constants::constant;
use cairn_bytecode::Role;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Cursor, DataSegment, FuncBuilder, Function, Inst, Op, Payload, SymbolTable, Type, Value};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// Longest copy that becomes data of its own.
const MAX_COPY: usize = 1 << 17;

/// Name of the image of all the code.
const IMAGE: &str = "image";

/// How the program reads its own code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnCodeUses {
    pub(crate) copies: bool,
    pub(crate) image: bool,
    pub(crate) size: bool,
    pub(crate) place: bool,
    pub(crate) tail: bool,
}

/// A piece of the code that is data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Name of the data.
    pub(crate) name: String,
    /// Offset of its first byte.
    pub(crate) start: usize,
    /// Number of bytes.
    pub(crate) length: usize,
}

pub(crate) struct OwnCode<'a> {
    code: &'a [u8],
    /// Name of the module.
    module: String,
    /// Bytes may follow the code, by its role.
    role: Role,
    pieces: Vec<Piece>,
    /// Copies from tables of the function that is being lifted, with the place of the table.
    tables: FxHashMap<Inst, Range<u32>>,
    uses: OwnCodeUses,
}

impl<'a> OwnCode<'a> {
    pub(crate) fn new(code: &'a [u8], module: &str, role: Role) -> OwnCode<'a> {
        OwnCode {
            code,
            module: module.to_owned(),
            role,
            pieces: Vec::new(),
            tables: FxHashMap::default(),
            uses: OwnCodeUses::default(),
        }
    }

    pub(crate) fn uses(&self) -> OwnCodeUses {
        self.uses
    }

    /// The pieces that are data.
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The data of the module; the image stands last.
    pub(crate) fn into_data(self) -> Vec<DataSegment> {
        let bytes = |piece: Piece| {
            let end = (piece.start + piece.length).min(self.code.len());
            let mut bytes = self.code.get(piece.start..end).unwrap_or_default().to_vec();
            bytes.resize(piece.length, 0);
            DataSegment { name: piece.name, bytes }
        };
        let mut data: Vec<DataSegment> = self.pieces.into_iter().map(bytes).collect();
        if self.uses.image {
            data.push(DataSegment { name: IMAGE.to_owned(), bytes: self.code.to_vec() });
        }
        data
    }

    /// `CODESIZE`
    pub(crate) fn size(&mut self, b: &mut FuncBuilder<'_>, symbols: &mut SymbolTable) -> Value {
        let length = b.constant(Word::from(self.code.len()));
        if !self.role.is_open() {
            self.uses.size = true;
            return length;
        }
        self.uses.tail = true;
        let all = b.evm_value(Opcode::CODESIZE, &[]);
        let own = b.named(Op::DataSize, &[], symbols.intern(&self.module));
        let behind = b.evm_value(Opcode::SUB, &[all, own.expect("invariant: a size is a value")]);
        b.evm_value(Opcode::ADD, &[behind, length])
    }

    /// `PC`
    pub(crate) fn place(&mut self, b: &mut FuncBuilder<'_>, pc: u32) -> Value {
        self.uses.place = true;
        b.constant(Word::from(pc))
    }

    /// Says that a `CODECOPY` of the function that is being lifted reads this part of the code only.
    pub(crate) fn add_table(&mut self, copy: Inst, range: Range<u32>) {
        self.tables.insert(copy, range);
    }

    /// Turns each `CODECOPY` of a function into copies of data and of what follows the code. Needs
    /// the whole function: a place that several ways agree on is known.
    pub(crate) fn rewrite_copies(&mut self, func: &mut Function, symbols: &mut SymbolTable) {
        let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
        let is_copy = |inst: &Inst| func.dfg.op(*inst) == Op::Evm(Opcode::CODECOPY);
        for inst in insts.filter(is_copy).collect::<Vec<_>>() {
            if let &[to, from, length] = func.dfg.args(inst) {
                let table = self.tables.remove(&inst);
                self.copy(&mut Cursor::before(func, inst), symbols, [to, from, length], table);
                func.layout.remove_inst(inst);
            }
        }
        self.tables.clear();
    }

    fn copy(
        &mut self,
        at: &mut Cursor<'_>,
        symbols: &mut SymbolTable,
        args: [Value; 3],
        table: Option<Range<u32>>,
    ) {
        let [to, from, length] = args;
        let known = |value: Value| constant(at.func, value);
        let end = Word::from(self.code.len());
        match (known(from), known(length)) {
            (Some(from), _) if from >= end => self.copy_behind(at, symbols, to, from - end, length),
            (Some(from), Some(bytes)) if bytes <= Word::from(MAX_COPY) => {
                self.copy_piece(at, symbols, [to, length], from.to::<usize>(), bytes.to::<usize>());
            }
            _ if is_code_size(at.func, from) => copy_zeros(at, to, length),
            _ => match table {
                Some(table) => self.copy_of_table(at, symbols, args, table),
                None => self.copy_of_image(at, symbols, args),
            },
        }
    }

    /// A copy from `distance` bytes behind the end on.
    fn copy_behind(
        &mut self,
        at: &mut Cursor<'_>,
        symbols: &mut SymbolTable,
        to: Value,
        distance: Word,
        length: Value,
    ) {
        // No code is as long as this.
        if !self.role.is_open() || distance > Word::from(u32::MAX) {
            return copy_zeros(at, to, length);
        }
        self.uses.tail = true;
        let mut from = named(at, Op::DataSize, symbols, &self.module);
        if !distance.is_zero() {
            let distance = at.constant(distance, Type::U256);
            from = at.evm(Opcode::ADD, &[from, distance], Type::U256);
        }
        at.insert(Op::Evm(Opcode::CODECOPY), &[to, from, length], Payload::None, &[]);
    }

    /// A copy that begins inside of the code, of a length that is known.
    fn copy_piece(
        &mut self,
        at: &mut Cursor<'_>,
        symbols: &mut SymbolTable,
        [to, length]: [Value; 2],
        from: usize,
        bytes: usize,
    ) {
        let inside = if self.role.is_open() { bytes.min(self.code.len() - from) } else { bytes };
        self.uses.copies = true;
        let name = self.piece(from, inside);
        let offset = named(at, Op::DataOffset, symbols, &name);
        if inside == bytes {
            at.insert(Op::DataCopy, &[to, offset, length], Payload::None, &[]);
            return;
        }
        let first = at.constant(Word::from(inside), Type::U256);
        at.insert(Op::DataCopy, &[to, offset, first], Payload::None, &[]);
        let to = at.evm(Opcode::ADD, &[to, first], Type::U256);
        let rest = at.constant(Word::from(bytes - inside), Type::U256);
        self.copy_behind(at, symbols, to, Word::ZERO, rest);
    }

    /// A copy of an entry of a table.
    fn copy_of_table(
        &mut self,
        at: &mut Cursor<'_>,
        symbols: &mut SymbolTable,
        [to, from, length]: [Value; 3],
        table: Range<u32>,
    ) {
        self.uses.copies = true;
        let name = self.piece(table.start as usize, table.len());
        let start = at.constant(Word::from(table.start), Type::U256);
        let distance = at.evm(Opcode::SUB, &[from, start], Type::U256);
        let offset = named(at, Op::DataOffset, symbols, &name);
        let from = at.evm(Opcode::ADD, &[offset, distance], Type::U256);
        at.insert(Op::DataCopy, &[to, from, length], Payload::None, &[]);
    }

    /// Any copy.
    fn copy_of_image(
        &mut self,
        at: &mut Cursor<'_>,
        symbols: &mut SymbolTable,
        [to, from, length]: [Value; 3],
    ) {
        self.uses.image = true;
        let mut end = at.constant(Word::from(self.code.len()), Type::U256);
        if self.role.is_open() {
            self.uses.tail = true;
            let all = at.evm(Opcode::CODESIZE, &[], Type::U256);
            let own = named(at, Op::DataSize, symbols, &self.module);
            let behind = at.evm(Opcode::SUB, &[all, own], Type::U256);
            end = at.evm(Opcode::ADD, &[behind, end], Type::U256);
        }
        let from = at.value(Op::Min, &[from, end], Type::U256);
        let start = named(at, Op::DataOffset, symbols, IMAGE);
        let offset = at.evm(Opcode::ADD, &[start, from], Type::U256);
        let op = if self.role.is_open() { Op::Evm(Opcode::CODECOPY) } else { Op::DataCopy };
        at.insert(op, &[to, offset, length], Payload::None, &[]);
    }

    /// The name of data with so many bytes of the code from `start` on.
    fn piece(&mut self, start: usize, length: usize) -> String {
        if start == 0 && length == self.code.len() {
            // Equal content is laid out once, and the image has to be last.
            self.uses.image = true;
            return IMAGE.to_owned();
        }
        let name = format!("code_{start:x}_{length:x}");
        if !self.pieces.iter().any(|piece| piece.name == name) {
            self.pieces.push(Piece { name: name.clone(), start, length });
        }
        name
    }
}

/// `DataOffset` or `DataSize` of something.
fn named(at: &mut Cursor<'_>, op: Op, symbols: &mut SymbolTable, name: &str) -> Value {
    let inst = at.insert(op, &[], Payload::Symbol(symbols.intern(name)), &[Type::U256]);
    at.func.dfg.result(inst)
}

/// Zeros, as calldata past its end.
fn copy_zeros(at: &mut Cursor<'_>, to: Value, length: Value) {
    let past = at.evm(Opcode::CALLDATASIZE, &[], Type::U256);
    at.insert(Op::Evm(Opcode::CALLDATACOPY), &[to, past, length], Payload::None, &[]);
}

/// True for what [`OwnCode::size`] makes where bytes may follow.
fn is_code_size(func: &Function, value: Value) -> bool {
    let args_of = |value: Value, opcode: Opcode| {
        let inst = func.dfg.def_inst(value)?;
        (func.dfg.op(inst) == Op::Evm(opcode)).then(|| func.dfg.args(inst))
    };
    let behind = args_of(value, Opcode::ADD).and_then(|args| args_of(args[0], Opcode::SUB));
    behind.is_some_and(|args| args_of(args[0], Opcode::CODESIZE).is_some())
}
