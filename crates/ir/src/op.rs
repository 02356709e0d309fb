//! Operations of EVM-IR.
//!
//! Every opcode that is not stack manipulation, a jump or a push is an operation of the same name
//! ([`Op::Evm`]; facts come from the opcode table). The others are listed here, one row each:
//! name, operand count, result count. `None` as a count means 'as the payload or signature says'.

use cairn_evm::{Effects, Opcode};

/// An operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// The opcode; operands in the EVM's order, the first on top of the stack.
    Evm(Opcode),
    /// A constant word: `evm.constant 5 : u256`.
    Constant,
    /// Reserves frame memory: `evm.alloca 64 : ptr<0>`.
    Alloca,
    /// First byte past every frame; the immediate is the end of the front end's reserved memory,
    /// where frames begin (Yul's `memoryguard`).
    HeapBase,
    /// Start of calldata as a pointer.
    CalldataBase,
    /// Pointer plus byte offset.
    PtrAdd,
    /// Pointer to integer.
    PtrToInt,
    /// Integer to pointer.
    IntToPtr,
    /// Keeps the low bits.
    Trunc,
    /// Zero extension.
    Zext,
    /// Sign extension.
    Sext,
    /// `c ? a : b`.
    Select,
    /// Loads one byte from memory.
    Mload8,
    /// Offset of a data segment or nested module in the code.
    DataOffset,
    /// Size of a data segment or nested module.
    DataSize,
    /// Copies code to memory.
    DataCopy,
    /// The value of an immutable.
    LoadImmutable,
    /// Patches an immutable in code that was copied to memory: operands offset, value.
    SetImmutable,
    /// The address of a library, known at link time.
    LinkerSymbol,
    /// Literal bytes with worst-case effects.
    Verbatim,
    /// Unsigned minimum.
    Min,
    /// Unsigned maximum.
    Max,
    /// Signed minimum.
    Smin,
    /// Signed maximum.
    Smax,
    /// Absolute value.
    Abs,
    /// Rotate left: operands amount, value.
    Rotl,
    /// Rotate right: operands amount, value.
    Rotr,
    /// Reverses the bytes.
    Bswap,
    /// Number of set bits.
    Ctpop,
    /// Number of leading zeros.
    Ctlz,
    /// Number of trailing zeros.
    Cttz,
    /// Addition with carry out.
    Addo,
    /// Subtraction with borrow out.
    Subo,
    /// Multiplication with overflow bit.
    Mulo,
    /// Unsigned saturating addition.
    UaddSat,
    /// Unsigned saturating subtraction.
    UsubSat,
    /// Unsigned saturating multiplication.
    UmulSat,
    /// `floor(a * b / c)` with a 512-bit product; reverts unless the result fits.
    Muldiv,
    /// High word of the product.
    Mulhi,
    /// Jump.
    Br,
    /// Two-way branch on zero or not.
    CondBr,
    /// Multi-way branch.
    Switch,
    /// Call of an internal function.
    Icall,
    /// Return from an internal function.
    Iret,
    /// Ends the frame successfully with one ABI word.
    ReturnValue,
    /// Never executed.
    Unreachable,
    /// Marks a value for debuggers.
    DbgTrace,
    /// Marks a place for debuggers.
    DbgLabel,
}

/// One row of the table of operations that are not opcodes.
struct Row {
    op: Op,
    name: &'static str,
    inputs: Option<u8>,
    outputs: Option<u8>,
    effects: Effects,
}

const fn row(op: Op, name: &'static str, inputs: u8, outputs: u8) -> Row {
    Row { op, name, inputs: Some(inputs), outputs: Some(outputs), effects: Effects::empty() }
}

const fn effect(row: Row, effects: Effects) -> Row {
    Row { effects, ..row }
}

const fn open(op: Op, name: &'static str, inputs: Option<u8>, outputs: Option<u8>, effects: Effects) -> Row {
    Row { op, name, inputs, outputs, effects }
}

const NONE: Effects = Effects::empty();

static ROWS: [Row; 49] = [
    row(Op::Constant, "constant", 0, 1),
    row(Op::Alloca, "alloca", 0, 1),
    row(Op::HeapBase, "heap_base", 0, 1),
    row(Op::CalldataBase, "calldata_base", 0, 1),
    row(Op::PtrAdd, "ptr_add", 2, 1),
    row(Op::PtrToInt, "ptrtoint", 1, 1),
    row(Op::IntToPtr, "inttoptr", 1, 1),
    row(Op::Trunc, "trunc", 1, 1),
    row(Op::Zext, "zext", 1, 1),
    row(Op::Sext, "sext", 1, 1),
    row(Op::Select, "select", 3, 1),
    effect(row(Op::Mload8, "mload8", 1, 1), Effects::READ_MEMORY.union(Effects::GROW_MEMORY)),
    row(Op::DataOffset, "dataoffset", 0, 1),
    row(Op::DataSize, "datasize", 0, 1),
    effect(row(Op::DataCopy, "datacopy", 3, 0), Effects::WRITE_MEMORY.union(Effects::GROW_MEMORY)),
    row(Op::LoadImmutable, "loadimmutable", 0, 1),
    effect(
        row(Op::SetImmutable, "setimmutable", 2, 0),
        Effects::READ_MEMORY.union(Effects::WRITE_MEMORY).union(Effects::GROW_MEMORY),
    ),
    row(Op::LinkerSymbol, "linkersymbol", 0, 1),
    open(Op::Verbatim, "verbatim", None, None, Effects::all()),
    row(Op::Min, "min", 2, 1),
    row(Op::Max, "max", 2, 1),
    row(Op::Smin, "smin", 2, 1),
    row(Op::Smax, "smax", 2, 1),
    row(Op::Abs, "abs", 1, 1),
    row(Op::Rotl, "rotl", 2, 1),
    row(Op::Rotr, "rotr", 2, 1),
    row(Op::Bswap, "bswap", 1, 1),
    row(Op::Ctpop, "ctpop", 1, 1),
    row(Op::Ctlz, "ctlz", 1, 1),
    row(Op::Cttz, "cttz", 1, 1),
    row(Op::Addo, "addo", 2, 2),
    row(Op::Subo, "subo", 2, 2),
    row(Op::Mulo, "mulo", 2, 2),
    row(Op::UaddSat, "uadd_sat", 2, 1),
    row(Op::UsubSat, "usub_sat", 2, 1),
    row(Op::UmulSat, "umul_sat", 2, 1),
    effect(row(Op::Muldiv, "muldiv", 3, 1), Effects::HALT),
    row(Op::Mulhi, "mulhi", 2, 1),
    row(Op::Br, "br", 0, 0),
    row(Op::CondBr, "condbr", 1, 0),
    row(Op::Switch, "switch", 1, 0),
    open(Op::Icall, "icall", None, None, Effects::all()),
    open(Op::Iret, "iret", None, Some(0), NONE),
    effect(row(Op::ReturnValue, "return", 1, 0), Effects::HALT),
    row(Op::Unreachable, "unreachable", 0, 0),
    row(Op::DbgTrace, "dbg.trace", 1, 0),
    row(Op::DbgLabel, "dbg.label", 0, 0),
    // Kept last: spellings that share an opcode's name are told apart by operand count.
    row(Op::Evm(Opcode::STOP), "stop", 0, 0),
    row(Op::Evm(Opcode::INVALID), "invalid", 0, 0),
];

impl Op {
    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.op == self).expect("invariant: every operation has a row")
    }

    /// The name without the prefix `evm.`.
    pub fn name(self) -> &'static str {
        match self {
            Op::Evm(opcode) => opcode.known().lower,
            _ => self.row().name,
        }
    }

    /// The operation with this name (without the prefix `evm.`). `return` gives the two-operand
    /// opcode; the one-operand form is told apart by its operands. Stack manipulation, jumps and
    /// pushes have no operation.
    pub fn from_name(name: &str) -> Option<Op> {
        if let Some(opcode) = Opcode::from_name(name).filter(|_| name.bytes().all(|b| !b.is_ascii_uppercase())) {
            let hidden = opcode.is_stack_manipulation() || opcode.is_jump_related();
            return (!hidden).then_some(Op::Evm(opcode));
        }
        ROWS.iter().find(|row| row.name == name).map(|row| row.op)
    }

    /// Operand count; `None` when the signature or payload says.
    pub fn inputs(self) -> Option<usize> {
        match self {
            Op::Evm(opcode) => Some(opcode.known().inputs as usize),
            _ => self.row().inputs.map(usize::from),
        }
    }

    /// Result count; `None` when the signature or payload says.
    pub fn outputs(self) -> Option<usize> {
        match self {
            Op::Evm(opcode) => Some(opcode.known().outputs as usize),
            _ => self.row().outputs.map(usize::from),
        }
    }

    /// Reads and writes; worst case for `icall` and `verbatim`.
    pub fn effects(self) -> Effects {
        match self {
            Op::Evm(opcode) => opcode.known().effects,
            _ => self.row().effects,
        }
    }

    /// True for the last operation of a block.
    pub fn is_terminator(self) -> bool {
        match self {
            Op::Evm(opcode) => opcode.halts(),
            Op::Br | Op::CondBr | Op::Switch | Op::Iret | Op::ReturnValue | Op::Unreachable => true,
            _ => false,
        }
    }

    /// True for terminators without a successor in the function.
    pub fn is_exit(self) -> bool {
        self.is_terminator() && !matches!(self, Op::Br | Op::CondBr | Op::Switch)
    }
}
