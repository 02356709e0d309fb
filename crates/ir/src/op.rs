//! Operations of EVM-IR.
//!
//! Every opcode that is not stack manipulation, a jump or a push is an operation of the same name
//! ([`Op::Evm`]; facts come from the opcode table). The others are listed here, one row each:
//! variant, name, operand count, result count, family, the form up to which it exists, effects; `*`
//! as a count means 'as the payload or signature says'. The comment of a row is its semantics;
//! docs/ir.md shows the same table. What treats a family alike asks for the family, so that a new
//! member is a row here, its semantics in the interpreter and its expansion in the legalizer.

use cairn_evm::{Effects, Opcode};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// What operations have in common: the types of operands and results, what they carry, where they
/// may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// The opcodes; they have classes of their own ([`cairn_evm::OpClass`]).
    Opcode,
    /// Gives a word that is known when code is laid out.
    Push,
    /// Makes, changes or reads a pointer.
    Pointer,
    /// An integer as one of another width.
    Cast,
    /// One of two operands.
    Select,
    /// Generic arithmetic at the width of the first result, to which all operands widen; the second
    /// result is a `bool`.
    Uniform,
    /// Generic arithmetic on one operand, whose type the result has.
    Unary,
    /// Generic arithmetic that moves the bits of the second operand, whose type the result has.
    Rotate,
    /// Generic arithmetic that counts bits of its operand; the result has any width.
    Count,
    /// Computes with one floating-point number, whose type the result has. It is gone with its type.
    Float,
    /// Reads or writes memory or code, as some opcodes do.
    Access,
    /// Makes, changes or takes apart a composite.
    Parts,
    /// Runs another function of the module.
    Call,
    /// Ends a block.
    Terminator,
    /// Says something to debuggers and does nothing.
    Mark,
}

impl Family {
    /// True for generic arithmetic: what no opcode computes, on integers of any width. The legalizer
    /// expands it on every fork.
    #[inline]
    pub fn is_generic_arithmetic(self) -> bool {
        matches!(self, Family::Uniform | Family::Unary | Family::Rotate | Family::Count)
    }
}

/// One row of the table of operations that are not opcodes.
struct Row {
    name: &'static str,
    inputs: Option<u8>,
    outputs: Option<u8>,
    family: Family,
    is_canonical: bool,
    effects: Effects,
    meaning: &'static str,
}

macro_rules! count {
    (*) => {
        None
    };
    ($count:literal) => {
        Some($count)
    };
}

macro_rules! is_canonical {
    (Canonical) => {
        true
    };
    (Free) => {
        false
    };
}

macro_rules! ops {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $inputs:tt $outputs:tt $family:ident $form:ident $effects:expr;)*) => {
        /// An operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Op {
            /// The opcode; operands in the EVM's order, the first on top of the stack.
            Evm(Opcode),
            $($(#[doc = $doc])+ $variant,)*
        }

        impl Op {
            /// The operations that are not opcodes, in the order of the table.
            pub const TABLE: &'static [Op] = &[$(Op::$variant),*];

            #[inline]
            fn row(self) -> Option<&'static Row> {
                match self {
                    Op::Evm(_) => None,
                    $(Op::$variant => {
                        static ROW: Row = Row {
                            name: $name,
                            inputs: count!($inputs),
                            outputs: count!($outputs),
                            family: Family::$family,
                            is_canonical: is_canonical!($form),
                            effects: $effects,
                            meaning: concat!($($doc),+),
                        };
                        Some(&ROW)
                    })*
                }
            }
        }
    };
}

const NONE: Effects = Effects::empty();
const LOAD: Effects = Effects::READ_MEMORY.union(Effects::GROW_MEMORY);
const STORE: Effects = Effects::WRITE_MEMORY.union(Effects::GROW_MEMORY);

ops! {
    /// A constant: `evm.constant 5 : u256`.
    Constant "constant" 0 1 Push Canonical NONE;
    /// Reserves frame memory of the given size in bytes, 32 when left out; gives its address.
    Alloca "alloca" 0 1 Push Canonical NONE;
    /// First byte past every frame; the immediate is the end of the front end's reserved memory,
    /// where frames begin (Yul's `memoryguard`).
    HeapBase "heap_base" 0 1 Push Canonical NONE;
    /// Start of calldata as a pointer.
    CalldataBase "calldata_base" 0 1 Push Canonical NONE;
    /// Pointer plus byte offset, modulo 2^256.
    PtrAdd "ptr_add" 2 1 Pointer Canonical NONE;
    /// Pointer to integer: the same word.
    PtrToInt "ptrtoint" 1 1 Pointer Canonical NONE;
    /// Integer to pointer: the same word.
    IntToPtr "inttoptr" 1 1 Pointer Canonical NONE;
    /// Keeps the low bits that the result type has.
    Trunc "trunc" 1 1 Cast Free NONE;
    /// Zero extension to the result type.
    Zext "zext" 1 1 Cast Canonical NONE;
    /// Sign extension from the width of the operand's type to that of the result.
    Sext "sext" 1 1 Cast Free NONE;
    /// The same number as a fixed-point number, or as one with other decimals, or as an integer:
    /// rounded towards zero, then modulo 2^width. An integer is not negative. From or to a
    /// floating-point number: the nearest number; towards zero for an integer, or the nearest there is.
    Convert "convert" 1 1 Cast Free NONE;
    /// As `evm.convert`; an integer is signed.
    Sconvert "sconvert" 1 1 Cast Free NONE;
    /// The second operand when the first is not zero, else the third.
    Select "select" 3 1 Select Free NONE;
    /// Loads one byte from memory, zero-extended.
    Mload8 "mload8" 1 1 Access Free LOAD;
    /// Offset in the code of a data segment or nested module.
    DataOffset "dataoffset" 0 1 Push Canonical NONE;
    /// Size in bytes of a data segment or nested module.
    DataSize "datasize" 0 1 Push Canonical NONE;
    /// Copies code to memory: operands destination, offset, length.
    DataCopy "datacopy" 3 0 Access Canonical STORE;
    /// The value of an immutable.
    LoadImmutable "loadimmutable" 0 1 Push Canonical NONE;
    /// Patches an immutable in code that was copied to memory: operands offset, value.
    SetImmutable "setimmutable" 2 0 Access Canonical LOAD.union(STORE);
    /// The address of a library, known at link time.
    LinkerSymbol "linkersymbol" 0 1 Push Canonical NONE;
    /// Literal code bytes with worst-case effects.
    Verbatim "verbatim" * * Access Canonical Effects::all();
    /// Unsigned minimum.
    Min "min" 2 1 Uniform Free NONE;
    /// Unsigned maximum.
    Max "max" 2 1 Uniform Free NONE;
    /// Signed minimum.
    Smin "smin" 2 1 Uniform Free NONE;
    /// Signed maximum.
    Smax "smax" 2 1 Uniform Free NONE;
    /// Absolute value of a signed operand; the most negative value stays itself. A floating-point
    /// number without its sign.
    Abs "abs" 1 1 Unary Free NONE;
    /// Square root of a floating-point number, rounded to the nearest.
    Sqrt "sqrt" 1 1 Float Free NONE;
    /// Rotate left: operands amount (modulo the width), value.
    Rotl "rotl" 2 1 Rotate Free NONE;
    /// Rotate right: operands amount (modulo the width), value.
    Rotr "rotr" 2 1 Rotate Free NONE;
    /// Reverses the bytes.
    Bswap "bswap" 1 1 Unary Free NONE;
    /// Number of set bits.
    Ctpop "ctpop" 1 1 Count Free NONE;
    /// Number of leading zeros; the width for zero.
    Ctlz "ctlz" 1 1 Count Free NONE;
    /// Number of trailing zeros; the width for zero.
    Cttz "cttz" 1 1 Count Free NONE;
    /// Sum modulo 2^width, and whether it carried.
    Addo "addo" 2 2 Uniform Free NONE;
    /// Difference modulo 2^width, and whether it borrowed.
    Subo "subo" 2 2 Uniform Free NONE;
    /// Product modulo 2^width, and whether it overflowed.
    Mulo "mulo" 2 2 Uniform Free NONE;
    /// Unsigned sum, or the greatest value when it does not fit.
    UaddSat "uadd_sat" 2 1 Uniform Free NONE;
    /// Unsigned difference, or zero when it would be negative.
    UsubSat "usub_sat" 2 1 Uniform Free NONE;
    /// Unsigned product, or the greatest value when it does not fit.
    UmulSat "umul_sat" 2 1 Uniform Free NONE;
    /// `floor(a * b / c)` of the full product; reverts without data when `c` is zero or the
    /// result does not fit.
    Muldiv "muldiv" 3 1 Uniform Free Effects::HALT;
    /// High word of the full product.
    Mulhi "mulhi" 2 1 Uniform Free NONE;
    /// Jump.
    Br "br" 0 0 Terminator Canonical NONE;
    /// Branch to the first target when the operand is not zero, else to the second.
    CondBr "condbr" 1 0 Terminator Canonical NONE;
    /// Branch to the target of the case equal to the operand, else to the default.
    Switch "switch" 1 0 Terminator Free NONE;
    /// Call of an internal function.
    Icall "icall" * * Call Canonical Effects::all();
    /// Return from an internal function.
    Iret "iret" * 0 Terminator Canonical NONE;
    /// Ends the frame successfully with one ABI word: `evm.return %v`.
    ReturnValue "return" 1 0 Terminator Free Effects::HALT;
    /// Never executed: a promise of the front end. A run that gets here has no meaning.
    Unreachable "unreachable" 0 0 Terminator Canonical NONE;
    /// Makes a composite of its parts.
    Compose "compose" * 1 Parts Free NONE;
    /// A vector with the operand in every lane.
    Splat "splat" 1 1 Parts Free NONE;
    /// The part of a composite with the given index: `evm.extract %s, 1`.
    Extract "extract" 1 1 Parts Free NONE;
    /// The part of an array or a vector with an index known at run time: `evm.extract %a, %n`; zero
    /// where there is none.
    ExtractAt "extract" 2 1 Parts Free NONE;
    /// The composite with the part of the given index exchanged: `evm.insert %s, %part, 1`.
    Insert "insert" 2 1 Parts Free NONE;
    /// The vector of the lanes of two vectors, those of the second counted after those of the first,
    /// with the given indices: `evm.shuffle %a, %b, [0, 5, 2, 7]`; zero where there is none.
    Shuffle "shuffle" * 1 Parts Free NONE;
    /// Tells debuggers that a variable of the source, if one is named, has this value from here on:
    /// `evm.dbg.trace %x, !0`. Several operands are its parts in the order of memory. No use of the
    /// values.
    DbgTrace "dbg.trace" * 0 Mark Canonical NONE;
    /// Marks a place for debuggers.
    DbgLabel "dbg.label" 0 0 Mark Canonical NONE;
}

static BY_NAME: LazyLock<FxHashMap<&'static str, Op>> = LazyLock::new(|| {
    let own = Op::TABLE.iter().copied().filter(|op| !op.is_spelled_as_another());
    let visible = |op: &Opcode| !op.is_stack_manipulation() && !op.is_jump_related();
    let opcodes = Opcode::all().filter(visible).map(Op::Evm);
    let mut names: FxHashMap<_, _> = own.chain(opcodes).map(|op| (op.name(), op)).collect();
    names.extend(
        [("sha3", Opcode::KECCAK256), ("difficulty", Opcode::PREVRANDAO)].map(|(n, o)| (n, Op::Evm(o))),
    );
    names
});

impl Op {
    /// The name without the prefix `evm.`.
    pub fn name(self) -> &'static str {
        match self {
            Op::Evm(opcode) => opcode.known().lower,
            _ => self.own_row().name,
        }
    }

    #[inline]
    fn own_row(self) -> &'static Row {
        self.row().expect("invariant: the operation is not an opcode")
    }

    /// True for an operation that its operands tell apart from another one of the same name.
    #[inline]
    fn is_spelled_as_another(self) -> bool {
        matches!(self, Op::ReturnValue | Op::ExtractAt)
    }

    /// The operation with this name (without the prefix `evm.`). `return` gives the two-operand
    /// opcode; the one-operand form is told apart by its operands. Stack manipulation, jumps and
    /// pushes have no operation. Old names (`sha3`, `difficulty`) are accepted.
    pub fn from_name(name: &str) -> Option<Op> {
        BY_NAME.get(name).copied()
    }

    /// What an operation that is not an opcode does, in a sentence.
    pub fn meaning(self) -> Option<&'static str> {
        self.row().map(|row| row.meaning.trim())
    }

    /// Operand count; `None` when the signature or payload says.
    #[inline]
    pub fn inputs(self) -> Option<usize> {
        match self {
            Op::Evm(opcode) => Some(opcode.known().inputs as usize),
            _ => self.own_row().inputs.map(usize::from),
        }
    }

    /// Result count; `None` when the signature or payload says.
    #[inline]
    pub fn outputs(self) -> Option<usize> {
        match self {
            Op::Evm(opcode) => Some(opcode.known().outputs as usize),
            _ => self.own_row().outputs.map(usize::from),
        }
    }

    /// Reads and writes; worst case for `icall` and `verbatim`.
    #[inline]
    pub fn effects(self) -> Effects {
        match self {
            Op::Evm(opcode) => opcode.known().effects,
            _ => self.own_row().effects,
        }
    }

    /// What it has in common with others.
    #[inline]
    pub fn family(self) -> Family {
        match self {
            Op::Evm(_) => Family::Opcode,
            _ => self.own_row().family,
        }
    }

    /// True for what is still there when the legalizer is done. `switch` comes back in the optimizer.
    #[inline]
    pub fn is_canonical(self) -> bool {
        matches!(self, Op::Evm(_)) || self.own_row().is_canonical
    }

    /// True for the last operation of a block.
    #[inline]
    pub fn is_terminator(self) -> bool {
        match self {
            Op::Evm(opcode) => opcode.halts(),
            op => op.own_row().family == Family::Terminator,
        }
    }

    /// True for terminators without a successor in the function.
    #[inline]
    pub fn is_exit(self) -> bool {
        self.is_terminator() && !matches!(self, Op::Br | Op::CondBr | Op::Switch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_finds_its_operation() {
        for op in Op::TABLE {
            let expected = match op {
                Op::ReturnValue => Op::Evm(Opcode::RETURN),
                Op::ExtractAt => Op::Extract,
                op => *op,
            };
            assert_eq!(Op::from_name(op.name()), Some(expected), "{}", op.name());
        }
        for opcode in Opcode::all() {
            let hidden = opcode.is_stack_manipulation() || opcode.is_jump_related();
            assert_eq!(
                Op::from_name(opcode.known().lower),
                (!hidden).then_some(Op::Evm(opcode)),
                "{opcode:?}"
            );
        }
        assert_eq!(Op::from_name("sha3"), Some(Op::Evm(Opcode::KECCAK256)));
        assert_eq!(Op::from_name("ADD"), None);
    }

    #[test]
    fn counts_and_effects_come_from_the_row() {
        assert_eq!((Op::Mulo.inputs(), Op::Mulo.outputs()), (Some(2), Some(2)));
        assert_eq!((Op::Icall.inputs(), Op::Icall.outputs()), (None, None));
        assert_eq!((Op::Iret.inputs(), Op::Iret.outputs()), (None, Some(0)));
        assert_eq!(Op::Mload8.effects(), Effects::READ_MEMORY | Effects::GROW_MEMORY);
        assert_eq!(Op::Evm(Opcode::SSTORE).inputs(), Some(2));
        assert!(Op::Evm(Opcode::REVERT).is_exit() && !Op::CondBr.is_exit());
    }
}
