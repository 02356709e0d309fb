//! The opcode table: one row an opcode.
//!
//! Byte, name, stack words in and out, immediate bytes, first fork, gas class and effects of every
//! opcode from Frontier to Osaka and of the Amsterdam drafts (EIP-7843 `SLOTNUM`, EIP-8024 `DUPN`,
//! `SWAPN`, `EXCHANGE`). Yul builtins, EVM-IR operations, assembler and disassembler are derived
//! from it.

use crate::effects::Effects;
use crate::fork::Fork;

/// An opcode byte. Every byte is a value; bytes without a row are undefined and act as `INVALID`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Opcode(pub u8);

/// The rule by which an opcode is priced; the prices stand in the `gas` module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants are the Yellow Paper's own names")]
pub enum GasClass {
    Zero,
    JumpDest,
    Base,
    VeryLow,
    Low,
    Mid,
    High,
    Exp,
    Keccak,
    Copy,
    Memory,
    Account,
    BlockHash,
    Sload,
    Sstore,
    Transient,
    Log,
    Create,
    Call,
    SelfDestruct,
}

/// One row of the opcode table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// Mnemonic in upper case.
    pub name: &'static str,
    /// Mnemonic in lower case, as in Yul and EVM-IR.
    pub lower: &'static str,
    /// Stack words consumed.
    pub inputs: u8,
    /// Stack words produced.
    pub outputs: u8,
    /// Bytes of immediate data that follow the opcode.
    pub immediate: u8,
    /// First fork that has it.
    pub since: Fork,
    /// Pricing rule.
    pub gas: GasClass,
    /// How its result comes about.
    pub class: OpClass,
    /// Reads and writes besides the stack.
    pub effects: Effects,
}

/// How the result of an opcode comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpClass {
    /// Computed from the operands alone ([`word::eval`](crate::word::eval)).
    Arithmetic,
    /// As [`Arithmetic`](OpClass::Arithmetic), and no wider than what it is computed from.
    Narrowing,
    /// What was stored, as narrow as that was.
    Load,
    /// In another way, or there is none.
    Other,
}

macro_rules! opcodes {
    ($($byte:literal $name:ident $lower:literal $inputs:literal $outputs:literal $imm:literal $fork:ident $gas:ident $class:ident $effects:expr;)*) => {
        #[allow(missing_docs, reason = "the names are the EVM's mnemonics")]
        impl Opcode {
            $(pub const $name: Opcode = Opcode($byte);)*
        }

        static TABLE: [Option<OpInfo>; 256] = {
            let mut table = [None; 256];
            $(table[$byte] = Some(OpInfo {
                name: stringify!($name),
                lower: $lower,
                inputs: $inputs,
                outputs: $outputs,
                immediate: $imm,
                since: Fork::$fork,
                gas: GasClass::$gas,
                class: OpClass::$class,
                effects: $effects,
            });)*
            table
        };
    };
}

opcodes! {
    0x00 STOP "stop" 0 0 0 Frontier Zero Other Effects::HALT;
    0x01 ADD "add" 2 1 0 Frontier VeryLow Arithmetic Effects::empty();
    0x02 MUL "mul" 2 1 0 Frontier Low Arithmetic Effects::empty();
    0x03 SUB "sub" 2 1 0 Frontier VeryLow Arithmetic Effects::empty();
    0x04 DIV "div" 2 1 0 Frontier Low Narrowing Effects::empty();
    0x05 SDIV "sdiv" 2 1 0 Frontier Low Arithmetic Effects::empty();
    0x06 MOD "mod" 2 1 0 Frontier Low Narrowing Effects::empty();
    0x07 SMOD "smod" 2 1 0 Frontier Low Arithmetic Effects::empty();
    0x08 ADDMOD "addmod" 3 1 0 Frontier Mid Arithmetic Effects::empty();
    0x09 MULMOD "mulmod" 3 1 0 Frontier Mid Arithmetic Effects::empty();
    0x0a EXP "exp" 2 1 0 Frontier Exp Arithmetic Effects::empty();
    0x0b SIGNEXTEND "signextend" 2 1 0 Frontier Low Arithmetic Effects::empty();
    0x10 LT "lt" 2 1 0 Frontier VeryLow Arithmetic Effects::empty();
    0x11 GT "gt" 2 1 0 Frontier VeryLow Arithmetic Effects::empty();
    0x12 SLT "slt" 2 1 0 Frontier VeryLow Arithmetic Effects::empty();
    0x13 SGT "sgt" 2 1 0 Frontier VeryLow Arithmetic Effects::empty();
    0x14 EQ "eq" 2 1 0 Frontier VeryLow Arithmetic Effects::empty();
    0x15 ISZERO "iszero" 1 1 0 Frontier VeryLow Arithmetic Effects::empty();
    0x16 AND "and" 2 1 0 Frontier VeryLow Narrowing Effects::empty();
    0x17 OR "or" 2 1 0 Frontier VeryLow Narrowing Effects::empty();
    0x18 XOR "xor" 2 1 0 Frontier VeryLow Narrowing Effects::empty();
    0x19 NOT "not" 1 1 0 Frontier VeryLow Arithmetic Effects::empty();
    0x1a BYTE "byte" 2 1 0 Frontier VeryLow Narrowing Effects::empty();
    0x1b SHL "shl" 2 1 0 Constantinople VeryLow Arithmetic Effects::empty();
    0x1c SHR "shr" 2 1 0 Constantinople VeryLow Narrowing Effects::empty();
    0x1d SAR "sar" 2 1 0 Constantinople VeryLow Arithmetic Effects::empty();
    0x1e CLZ "clz" 1 1 0 Osaka Low Narrowing Effects::empty();
    0x20 KECCAK256 "keccak256" 2 1 0 Frontier Keccak Other Effects::READ_MEMORY.union(Effects::GROW_MEMORY);
    0x30 ADDRESS "address" 0 1 0 Frontier Base Other Effects::empty();
    0x31 BALANCE "balance" 1 1 0 Frontier Account Other Effects::READ_ACCOUNTS.union(Effects::READ_ENVIRONMENT);
    0x32 ORIGIN "origin" 0 1 0 Frontier Base Other Effects::READ_ENVIRONMENT;
    0x33 CALLER "caller" 0 1 0 Frontier Base Other Effects::empty();
    0x34 CALLVALUE "callvalue" 0 1 0 Frontier Base Other Effects::empty();
    0x35 CALLDATALOAD "calldataload" 1 1 0 Frontier VeryLow Other Effects::empty();
    0x36 CALLDATASIZE "calldatasize" 0 1 0 Frontier Base Other Effects::empty();
    0x37 CALLDATACOPY "calldatacopy" 3 0 0 Frontier Copy Other Effects::WRITE_MEMORY.union(Effects::GROW_MEMORY);
    0x38 CODESIZE "codesize" 0 1 0 Frontier Base Other Effects::READ_LAYOUT;
    0x39 CODECOPY "codecopy" 3 0 0 Frontier Copy Other Effects::WRITE_MEMORY.union(Effects::GROW_MEMORY).union(Effects::READ_LAYOUT);
    0x3a GASPRICE "gasprice" 0 1 0 Frontier Base Other Effects::READ_ENVIRONMENT;
    0x3b EXTCODESIZE "extcodesize" 1 1 0 Frontier Account Other Effects::READ_ACCOUNTS.union(Effects::READ_ENVIRONMENT);
    0x3c EXTCODECOPY "extcodecopy" 4 0 0 Frontier Account Other Effects::READ_ACCOUNTS.union(Effects::READ_ENVIRONMENT).union(Effects::WRITE_MEMORY).union(Effects::GROW_MEMORY);
    0x3d RETURNDATASIZE "returndatasize" 0 1 0 Byzantium Base Other Effects::READ_RETURNDATA;
    0x3e RETURNDATACOPY "returndatacopy" 3 0 0 Byzantium Copy Other Effects::READ_RETURNDATA.union(Effects::WRITE_MEMORY).union(Effects::GROW_MEMORY).union(Effects::MAY_FAIL);
    0x3f EXTCODEHASH "extcodehash" 1 1 0 Constantinople Account Other Effects::READ_ACCOUNTS.union(Effects::READ_ENVIRONMENT);
    0x40 BLOCKHASH "blockhash" 1 1 0 Frontier BlockHash Other Effects::READ_ENVIRONMENT;
    0x41 COINBASE "coinbase" 0 1 0 Frontier Base Other Effects::READ_ENVIRONMENT;
    0x42 TIMESTAMP "timestamp" 0 1 0 Frontier Base Other Effects::READ_ENVIRONMENT;
    0x43 NUMBER "number" 0 1 0 Frontier Base Other Effects::READ_ENVIRONMENT;
    0x44 PREVRANDAO "prevrandao" 0 1 0 Frontier Base Other Effects::READ_ENVIRONMENT;
    0x45 GASLIMIT "gaslimit" 0 1 0 Frontier Base Other Effects::READ_ENVIRONMENT;
    0x46 CHAINID "chainid" 0 1 0 Istanbul Base Other Effects::READ_ENVIRONMENT;
    0x47 SELFBALANCE "selfbalance" 0 1 0 Istanbul Low Other Effects::READ_ACCOUNTS.union(Effects::READ_ENVIRONMENT);
    0x48 BASEFEE "basefee" 0 1 0 London Base Other Effects::READ_ENVIRONMENT;
    0x49 BLOBHASH "blobhash" 1 1 0 Cancun VeryLow Other Effects::READ_ENVIRONMENT;
    0x4a BLOBBASEFEE "blobbasefee" 0 1 0 Cancun Base Other Effects::READ_ENVIRONMENT;
    0x4b SLOTNUM "slotnum" 0 1 0 Amsterdam Base Other Effects::READ_ENVIRONMENT;
    0x50 POP "pop" 1 0 0 Frontier Base Other Effects::empty();
    0x51 MLOAD "mload" 1 1 0 Frontier Memory Load Effects::READ_MEMORY.union(Effects::GROW_MEMORY);
    0x52 MSTORE "mstore" 2 0 0 Frontier Memory Other Effects::WRITE_MEMORY.union(Effects::GROW_MEMORY);
    0x53 MSTORE8 "mstore8" 2 0 0 Frontier Memory Other Effects::WRITE_MEMORY.union(Effects::GROW_MEMORY);
    0x54 SLOAD "sload" 1 1 0 Frontier Sload Other Effects::READ_STORAGE;
    0x55 SSTORE "sstore" 2 0 0 Frontier Sstore Other Effects::READ_STORAGE.union(Effects::WRITE_STORAGE);
    0x56 JUMP "jump" 1 0 0 Frontier Mid Other Effects::HALT;
    0x57 JUMPI "jumpi" 2 0 0 Frontier High Other Effects::empty();
    0x58 PC "pc" 0 1 0 Frontier Base Other Effects::READ_LAYOUT;
    0x59 MSIZE "msize" 0 1 0 Frontier Base Other Effects::READ_MSIZE;
    0x5a GAS "gas" 0 1 0 Frontier Base Other Effects::READ_GAS;
    0x5b JUMPDEST "jumpdest" 0 0 0 Frontier JumpDest Other Effects::empty();
    0x5c TLOAD "tload" 1 1 0 Cancun Transient Other Effects::READ_TRANSIENT;
    0x5d TSTORE "tstore" 2 0 0 Cancun Transient Other Effects::WRITE_TRANSIENT;
    0x5e MCOPY "mcopy" 3 0 0 Cancun Copy Other Effects::READ_MEMORY.union(Effects::WRITE_MEMORY).union(Effects::GROW_MEMORY);
    0x5f PUSH0 "push0" 0 1 0 Shanghai Base Other Effects::empty();
    0x60 PUSH1 "push1" 0 1 1 Frontier VeryLow Other Effects::empty();
    0x61 PUSH2 "push2" 0 1 2 Frontier VeryLow Other Effects::empty();
    0x62 PUSH3 "push3" 0 1 3 Frontier VeryLow Other Effects::empty();
    0x63 PUSH4 "push4" 0 1 4 Frontier VeryLow Other Effects::empty();
    0x64 PUSH5 "push5" 0 1 5 Frontier VeryLow Other Effects::empty();
    0x65 PUSH6 "push6" 0 1 6 Frontier VeryLow Other Effects::empty();
    0x66 PUSH7 "push7" 0 1 7 Frontier VeryLow Other Effects::empty();
    0x67 PUSH8 "push8" 0 1 8 Frontier VeryLow Other Effects::empty();
    0x68 PUSH9 "push9" 0 1 9 Frontier VeryLow Other Effects::empty();
    0x69 PUSH10 "push10" 0 1 10 Frontier VeryLow Other Effects::empty();
    0x6a PUSH11 "push11" 0 1 11 Frontier VeryLow Other Effects::empty();
    0x6b PUSH12 "push12" 0 1 12 Frontier VeryLow Other Effects::empty();
    0x6c PUSH13 "push13" 0 1 13 Frontier VeryLow Other Effects::empty();
    0x6d PUSH14 "push14" 0 1 14 Frontier VeryLow Other Effects::empty();
    0x6e PUSH15 "push15" 0 1 15 Frontier VeryLow Other Effects::empty();
    0x6f PUSH16 "push16" 0 1 16 Frontier VeryLow Other Effects::empty();
    0x70 PUSH17 "push17" 0 1 17 Frontier VeryLow Other Effects::empty();
    0x71 PUSH18 "push18" 0 1 18 Frontier VeryLow Other Effects::empty();
    0x72 PUSH19 "push19" 0 1 19 Frontier VeryLow Other Effects::empty();
    0x73 PUSH20 "push20" 0 1 20 Frontier VeryLow Other Effects::empty();
    0x74 PUSH21 "push21" 0 1 21 Frontier VeryLow Other Effects::empty();
    0x75 PUSH22 "push22" 0 1 22 Frontier VeryLow Other Effects::empty();
    0x76 PUSH23 "push23" 0 1 23 Frontier VeryLow Other Effects::empty();
    0x77 PUSH24 "push24" 0 1 24 Frontier VeryLow Other Effects::empty();
    0x78 PUSH25 "push25" 0 1 25 Frontier VeryLow Other Effects::empty();
    0x79 PUSH26 "push26" 0 1 26 Frontier VeryLow Other Effects::empty();
    0x7a PUSH27 "push27" 0 1 27 Frontier VeryLow Other Effects::empty();
    0x7b PUSH28 "push28" 0 1 28 Frontier VeryLow Other Effects::empty();
    0x7c PUSH29 "push29" 0 1 29 Frontier VeryLow Other Effects::empty();
    0x7d PUSH30 "push30" 0 1 30 Frontier VeryLow Other Effects::empty();
    0x7e PUSH31 "push31" 0 1 31 Frontier VeryLow Other Effects::empty();
    0x7f PUSH32 "push32" 0 1 32 Frontier VeryLow Other Effects::empty();
    0x80 DUP1 "dup1" 1 2 0 Frontier VeryLow Other Effects::empty();
    0x81 DUP2 "dup2" 2 3 0 Frontier VeryLow Other Effects::empty();
    0x82 DUP3 "dup3" 3 4 0 Frontier VeryLow Other Effects::empty();
    0x83 DUP4 "dup4" 4 5 0 Frontier VeryLow Other Effects::empty();
    0x84 DUP5 "dup5" 5 6 0 Frontier VeryLow Other Effects::empty();
    0x85 DUP6 "dup6" 6 7 0 Frontier VeryLow Other Effects::empty();
    0x86 DUP7 "dup7" 7 8 0 Frontier VeryLow Other Effects::empty();
    0x87 DUP8 "dup8" 8 9 0 Frontier VeryLow Other Effects::empty();
    0x88 DUP9 "dup9" 9 10 0 Frontier VeryLow Other Effects::empty();
    0x89 DUP10 "dup10" 10 11 0 Frontier VeryLow Other Effects::empty();
    0x8a DUP11 "dup11" 11 12 0 Frontier VeryLow Other Effects::empty();
    0x8b DUP12 "dup12" 12 13 0 Frontier VeryLow Other Effects::empty();
    0x8c DUP13 "dup13" 13 14 0 Frontier VeryLow Other Effects::empty();
    0x8d DUP14 "dup14" 14 15 0 Frontier VeryLow Other Effects::empty();
    0x8e DUP15 "dup15" 15 16 0 Frontier VeryLow Other Effects::empty();
    0x8f DUP16 "dup16" 16 17 0 Frontier VeryLow Other Effects::empty();
    0x90 SWAP1 "swap1" 2 2 0 Frontier VeryLow Other Effects::empty();
    0x91 SWAP2 "swap2" 3 3 0 Frontier VeryLow Other Effects::empty();
    0x92 SWAP3 "swap3" 4 4 0 Frontier VeryLow Other Effects::empty();
    0x93 SWAP4 "swap4" 5 5 0 Frontier VeryLow Other Effects::empty();
    0x94 SWAP5 "swap5" 6 6 0 Frontier VeryLow Other Effects::empty();
    0x95 SWAP6 "swap6" 7 7 0 Frontier VeryLow Other Effects::empty();
    0x96 SWAP7 "swap7" 8 8 0 Frontier VeryLow Other Effects::empty();
    0x97 SWAP8 "swap8" 9 9 0 Frontier VeryLow Other Effects::empty();
    0x98 SWAP9 "swap9" 10 10 0 Frontier VeryLow Other Effects::empty();
    0x99 SWAP10 "swap10" 11 11 0 Frontier VeryLow Other Effects::empty();
    0x9a SWAP11 "swap11" 12 12 0 Frontier VeryLow Other Effects::empty();
    0x9b SWAP12 "swap12" 13 13 0 Frontier VeryLow Other Effects::empty();
    0x9c SWAP13 "swap13" 14 14 0 Frontier VeryLow Other Effects::empty();
    0x9d SWAP14 "swap14" 15 15 0 Frontier VeryLow Other Effects::empty();
    0x9e SWAP15 "swap15" 16 16 0 Frontier VeryLow Other Effects::empty();
    0x9f SWAP16 "swap16" 17 17 0 Frontier VeryLow Other Effects::empty();
    0xa0 LOG0 "log0" 2 0 0 Frontier Log Other Effects::READ_MEMORY.union(Effects::GROW_MEMORY).union(Effects::WRITE_LOG);
    0xa1 LOG1 "log1" 3 0 0 Frontier Log Other Effects::READ_MEMORY.union(Effects::GROW_MEMORY).union(Effects::WRITE_LOG);
    0xa2 LOG2 "log2" 4 0 0 Frontier Log Other Effects::READ_MEMORY.union(Effects::GROW_MEMORY).union(Effects::WRITE_LOG);
    0xa3 LOG3 "log3" 5 0 0 Frontier Log Other Effects::READ_MEMORY.union(Effects::GROW_MEMORY).union(Effects::WRITE_LOG);
    0xa4 LOG4 "log4" 6 0 0 Frontier Log Other Effects::READ_MEMORY.union(Effects::GROW_MEMORY).union(Effects::WRITE_LOG);
    0xe6 DUPN "dupn" 0 1 1 Amsterdam VeryLow Other Effects::empty();
    0xe7 SWAPN "swapn" 0 0 1 Amsterdam VeryLow Other Effects::empty();
    0xe8 EXCHANGE "exchange" 0 0 1 Amsterdam VeryLow Other Effects::empty();
    0xf0 CREATE "create" 3 1 0 Frontier Create Other Effects::CALL;
    0xf1 CALL "call" 7 1 0 Frontier Call Other Effects::CALL;
    0xf2 CALLCODE "callcode" 7 1 0 Frontier Call Other Effects::CALL;
    0xf3 RETURN "return" 2 0 0 Frontier Zero Other Effects::READ_MEMORY.union(Effects::GROW_MEMORY).union(Effects::HALT);
    0xf4 DELEGATECALL "delegatecall" 6 1 0 Homestead Call Other Effects::CALL;
    0xf5 CREATE2 "create2" 4 1 0 Constantinople Create Other Effects::CALL;
    0xfa STATICCALL "staticcall" 6 1 0 Byzantium Call Other Effects::STATIC_CALL;
    0xfd REVERT "revert" 2 0 0 Byzantium Zero Other Effects::READ_MEMORY.union(Effects::GROW_MEMORY).union(Effects::HALT);
    0xfe INVALID "invalid" 0 0 0 Frontier Zero Other Effects::HALT;
    0xff SELFDESTRUCT "selfdestruct" 1 0 0 Frontier SelfDestruct Other Effects::READ_ACCOUNTS.union(Effects::WRITE_ACCOUNTS).union(Effects::HALT);
}

impl Opcode {
    /// Every defined opcode, by byte.
    pub fn all() -> impl Iterator<Item = Opcode> {
        (0..=255).map(Opcode).filter(|op| op.info().is_some())
    }

    /// The row of the table; `None` for an undefined byte.
    #[inline]
    pub fn info(self) -> Option<&'static OpInfo> {
        TABLE[self.0 as usize].as_ref()
    }

    /// The row of the table for an opcode that is known to be defined.
    ///
    /// # Panics
    /// If the byte is undefined.
    #[inline]
    pub fn known(self) -> &'static OpInfo {
        self.info().expect("invariant: the opcode is defined")
    }

    /// True when `fork` has the opcode.
    #[inline]
    pub fn exists_in(self, fork: Fork) -> bool {
        self.info().is_some_and(|info| info.since <= fork)
    }

    /// The mnemonic in upper case: `DIFFICULTY` before Paris, `UNDEFINED` for an undefined byte.
    pub fn name(self, fork: Fork) -> &'static str {
        if self == Opcode::PREVRANDAO && fork < Fork::Paris {
            return "DIFFICULTY";
        }
        self.info().map_or("UNDEFINED", |info| info.name)
    }

    /// The mnemonic in lower case; see [`Opcode::name`].
    pub fn lower_name(self, fork: Fork) -> &'static str {
        if self == Opcode::PREVRANDAO && fork < Fork::Paris {
            return "difficulty";
        }
        self.info().map_or("undefined", |info| info.lower)
    }

    /// The opcode with this mnemonic, in either case. Old names (`SHA3`, `DIFFICULTY`, `SUICIDE`)
    /// are accepted.
    pub fn from_name(name: &str) -> Option<Opcode> {
        let is = |other: &str| other.eq_ignore_ascii_case(name);
        let aliases = [
            ("SHA3", Opcode::KECCAK256),
            ("DIFFICULTY", Opcode::PREVRANDAO),
            ("SUICIDE", Opcode::SELFDESTRUCT),
        ];
        let alias = aliases.into_iter().find(|(alias, _)| is(alias)).map(|(_, opcode)| opcode);
        alias.or_else(|| Opcode::all().find(|op| is(op.known().name)))
    }

    /// `PUSHn` for `n` in 0..=32.
    pub fn push(n: u8) -> Opcode {
        assert!(n <= 32, "PUSH{n} does not exist");
        Opcode(Opcode::PUSH0.0 + n)
    }

    /// `DUPn` for `n` in 1..=16.
    pub fn dup(n: u8) -> Opcode {
        assert!((1..=16).contains(&n), "DUP{n} does not exist");
        Opcode(Opcode::DUP1.0 + n - 1)
    }

    /// `SWAPn` for `n` in 1..=16.
    pub fn swap(n: u8) -> Opcode {
        assert!((1..=16).contains(&n), "SWAP{n} does not exist");
        Opcode(Opcode::SWAP1.0 + n - 1)
    }

    /// The number of immediate bytes of a push, `Some(0)` for `PUSH0`; `None` if not a push.
    #[inline]
    pub fn push_width(self) -> Option<u8> {
        (Opcode::PUSH0.0..=Opcode::PUSH32.0).contains(&self.0).then(|| self.0 - Opcode::PUSH0.0)
    }

    /// `n` of `DUPn`; `None` if not one of `DUP1` to `DUP16`.
    #[inline]
    pub fn dup_depth(self) -> Option<u8> {
        (Opcode::DUP1.0..=Opcode::DUP16.0).contains(&self.0).then(|| self.0 - Opcode::DUP1.0 + 1)
    }

    /// `n` of `SWAPn`; `None` if not one of `SWAP1` to `SWAP16`.
    #[inline]
    pub fn swap_depth(self) -> Option<u8> {
        (Opcode::SWAP1.0..=Opcode::SWAP16.0).contains(&self.0).then(|| self.0 - Opcode::SWAP1.0 + 1)
    }

    /// True for pushes, dups, swaps and `pop`: opcodes that only arrange the stack.
    pub fn is_stack_manipulation(self) -> bool {
        let eip8024 = [Opcode::DUPN, Opcode::SWAPN, Opcode::EXCHANGE, Opcode::POP];
        self.push_width().or(self.dup_depth()).or(self.swap_depth()).is_some() || eip8024.contains(&self)
    }

    /// True for `JUMP`, `JUMPI`, `JUMPDEST` and `PC`.
    pub fn is_jump_related(self) -> bool {
        [Opcode::JUMP, Opcode::JUMPI, Opcode::JUMPDEST, Opcode::PC].contains(&self)
    }

    /// True when execution of the frame ends here: undefined bytes, `STOP`, `RETURN`, `REVERT`,
    /// `INVALID`, `SELFDESTRUCT`.
    #[inline]
    pub fn halts(self) -> bool {
        self != Opcode::JUMP && self.info().is_none_or(|info| info.effects.contains(Effects::HALT))
    }

    /// True when the result is computed from the operands alone, so that the opcode can be applied to
    /// operands of any width.
    #[inline]
    pub fn is_arithmetic(self) -> bool {
        self.info().is_some_and(|info| matches!(info.class, OpClass::Arithmetic | OpClass::Narrowing))
    }

    /// True when the result is no wider than what is read, so that its type may be narrower than a
    /// word.
    #[inline]
    pub fn is_narrowing(self) -> bool {
        self.info().is_some_and(|info| matches!(info.class, OpClass::Narrowing | OpClass::Load))
    }

    /// True when the operands may be exchanged.
    #[inline]
    pub fn is_commutative(self) -> bool {
        [Opcode::ADD, Opcode::MUL, Opcode::EQ, Opcode::AND, Opcode::OR, Opcode::XOR].contains(&self)
    }

    /// The opcode with the same meaning on exchanged operands (`LT` for `GT`), if there is one.
    pub fn with_swapped_operands(self) -> Option<Opcode> {
        match self {
            Opcode::LT => Some(Opcode::GT),
            Opcode::GT => Some(Opcode::LT),
            Opcode::SLT => Some(Opcode::SGT),
            Opcode::SGT => Some(Opcode::SLT),
            op if op.is_commutative() => Some(op),
            _ => None,
        }
    }
}

impl std::fmt::Debug for Opcode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.info() {
            Some(info) => f.write_str(info.name),
            None => write!(f, "0x{:02x}", self.0),
        }
    }
}
