//! Code that reads itself: the bytes that it reads become data.
//!
//! A copy of known place and length becomes data of just these bytes, zeros past the end of the
//! code included. Any other copy reads from an image of all the code, its place bounded so that
//! what lies past the end reads as zero: the image is the last data of the module.

use cairn_evm::{Opcode, Word};
use cairn_ir::SymbolTable;
use cairn_ir::{DataSegment, FuncBuilder, Op, Payload, Value};

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
}

pub(crate) struct OwnCode<'a> {
    code: &'a [u8],
    data: Vec<DataSegment>,
    uses: OwnCodeUses,
}

impl<'a> OwnCode<'a> {
    pub(crate) fn new(code: &'a [u8]) -> OwnCode<'a> {
        OwnCode { code, data: Vec::new(), uses: OwnCodeUses::default() }
    }

    pub(crate) fn uses(&self) -> OwnCodeUses {
        self.uses
    }

    /// The data of the module; the image stands last.
    pub(crate) fn into_data(mut self) -> Vec<DataSegment> {
        if self.uses.image {
            self.data.push(DataSegment { name: IMAGE.to_owned(), bytes: self.code.to_vec() });
        }
        self.data
    }

    /// `CODESIZE`
    pub(crate) fn size(&mut self, b: &mut FuncBuilder<'_>) -> Value {
        self.uses.size = true;
        b.constant(Word::from(self.code.len()))
    }

    /// `PC`
    pub(crate) fn place(&mut self, b: &mut FuncBuilder<'_>, pc: u32) -> Value {
        self.uses.place = true;
        b.constant(Word::from(pc))
    }

    /// `CODECOPY`
    pub(crate) fn copy(&mut self, b: &mut FuncBuilder<'_>, symbols: &mut SymbolTable, args: &[Value]) {
        let [to, from, length] = *args else { return };
        let known = |value: Value| b.func.dfg.as_const(value);
        let end = Word::from(self.code.len());
        match (known(from), known(length)) {
            (Some(from), _) if from >= end => {
                // Zeros, as calldata past its end.
                let past = b.evm_value(Opcode::CALLDATASIZE, &[]);
                b.evm(Opcode::CALLDATACOPY, &[to, past, length]);
            }
            (Some(from), Some(bytes)) if bytes <= Word::from(MAX_COPY) => {
                self.uses.copies = true;
                let name = self.segment(from.to::<usize>(), bytes.to::<usize>());
                let offset = b.named(Op::DataOffset, &[], symbols.intern(&name));
                let offset = offset.expect("invariant: an offset is a value");
                b.push(Op::DataCopy, &[to, offset, length], Payload::None, &[]);
            }
            _ => {
                self.uses.image = true;
                let end = b.constant(end);
                let from = b.push(Op::Min, &[from, end], Payload::None, &[cairn_ir::Type::U256]);
                let from = b.func.dfg.result(from);
                let start = b.named(Op::DataOffset, &[], symbols.intern(IMAGE));
                let start = start.expect("invariant: an offset is a value");
                let offset = b.evm_value(Opcode::ADD, &[start, from]);
                b.push(Op::DataCopy, &[to, offset, length], Payload::None, &[]);
            }
        }
    }

    /// The name of data with so many bytes of the code from `from` on.
    fn segment(&mut self, from: usize, length: usize) -> String {
        let name = format!("code_{from:x}_{length:x}");
        if !self.data.iter().any(|data| data.name == name) {
            let end = (from + length).min(self.code.len());
            let mut bytes = self.code.get(from..end).unwrap_or_default().to_vec();
            bytes.resize(length, 0);
            self.data.push(DataSegment { name: name.clone(), bytes });
        }
        name
    }
}
