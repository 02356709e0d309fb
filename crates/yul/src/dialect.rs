//! Builtins of the EVM dialect, by fork.
//!
//! Which opcodes exist, with how many words, is asked of `cairn_evm`; this file knows what Yul adds
//! to them and which of them Yul hides.

use std::borrow::Cow;
use std::sync::LazyLock;

use cairn_evm::{Fork, Opcode};
use rustc_hash::FxHashMap;

/// A builtin function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Builtin {
    /// An opcode.
    Evm(Opcode),
    /// `datasize("x")`
    DataSize,
    /// `dataoffset("x")`
    DataOffset,
    /// `datacopy(t, f, l)`
    DataCopy,
    /// `setimmutable(offset, "name", value)`
    SetImmutable,
    /// `loadimmutable("name")`
    LoadImmutable,
    /// `linkersymbol("name")`
    LinkerSymbol,
    /// `memoryguard(size)`
    MemoryGuard,
    /// `verbatim_<i>i_<o>o("bytes", …)`
    Verbatim {
        /// Words taken.
        inputs: u8,
        /// Words left.
        outputs: u8,
    },
}

/// What an argument of a builtin must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Any expression.
    Value,
    /// A string literal of any length.
    StringLiteral,
    /// A number literal.
    NumberLiteral,
    /// A string literal that names an object or data.
    DataName,
}

/// What a name means before any declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameClass {
    /// Nothing: it may be declared.
    Plain,
    /// A builtin.
    Builtin(Builtin),
    /// It may not be declared.
    Reserved,
}

impl Builtin {
    /// Number of arguments as written, literal ones included.
    pub fn n_arguments(self) -> usize {
        match self {
            Builtin::Evm(opcode) => opcode.known().inputs.into(),
            Builtin::DataSize | Builtin::DataOffset | Builtin::LoadImmutable => 1,
            Builtin::LinkerSymbol | Builtin::MemoryGuard => 1,
            Builtin::DataCopy | Builtin::SetImmutable => 3,
            Builtin::Verbatim { inputs, .. } => 1 + usize::from(inputs),
        }
    }

    /// Number of results.
    pub fn n_results(self) -> usize {
        match self {
            Builtin::Evm(opcode) => opcode.known().outputs.into(),
            Builtin::DataSize | Builtin::DataOffset | Builtin::LoadImmutable => 1,
            Builtin::LinkerSymbol | Builtin::MemoryGuard => 1,
            Builtin::DataCopy | Builtin::SetImmutable => 0,
            Builtin::Verbatim { outputs, .. } => outputs.into(),
        }
    }

    /// What argument number `index` must be.
    pub fn argument(self, index: usize) -> Argument {
        match (self, index) {
            (Builtin::DataSize | Builtin::DataOffset, 0) => Argument::DataName,
            (Builtin::LoadImmutable | Builtin::LinkerSymbol, 0) => Argument::StringLiteral,
            (Builtin::SetImmutable, 1) | (Builtin::Verbatim { .. }, 0) => Argument::StringLiteral,
            (Builtin::MemoryGuard, 0) => Argument::NumberLiteral,
            _ => Argument::Value,
        }
    }

    /// The name in programs for `fork`.
    pub fn name(self, fork: Fork) -> Cow<'static, str> {
        match self {
            Builtin::Evm(opcode) => opcode.lower_name(fork).into(),
            Builtin::DataSize => "datasize".into(),
            Builtin::DataOffset => "dataoffset".into(),
            Builtin::DataCopy => "datacopy".into(),
            Builtin::SetImmutable => "setimmutable".into(),
            Builtin::LoadImmutable => "loadimmutable".into(),
            Builtin::LinkerSymbol => "linkersymbol".into(),
            Builtin::MemoryGuard => "memoryguard".into(),
            Builtin::Verbatim { inputs, outputs } => format!("verbatim_{inputs}i_{outputs}o").into(),
        }
    }
}

/// The EVM dialect of a fork.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The fork that decides which opcodes exist.
    pub fork: Fork,
    /// False for code outside objects: no `datasize` and the like.
    pub objects: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Dialect::new(Fork::default())
    }
}

impl Dialect {
    /// The dialect of objects for `fork`.
    pub fn new(fork: Fork) -> Self {
        Dialect { fork, objects: true }
    }

    /// What `name` means before any declaration.
    pub fn classify(&self, name: &str) -> NameClass {
        if let Some(builtin) = self.builtin(name) {
            return NameClass::Builtin(builtin);
        }
        if self.is_reserved(name) { NameClass::Reserved } else { NameClass::Plain }
    }

    /// The builtin with this name.
    pub fn builtin(&self, name: &str) -> Option<Builtin> {
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            return None;
        }
        let opcode = instruction(name, self.fork).filter(|op| !is_hidden(*op) && self.has_opcode(*op));
        opcode.map(Builtin::Evm).or_else(|| if self.objects { object_builtin(name) } else { None })
    }

    /// The names of all builtins but `verbatim`, in no order that means anything.
    pub fn builtin_names(&self) -> impl Iterator<Item = &'static str> {
        let (dialect, n_objects) = (*self, if self.objects { OBJECT_BUILTINS.len() } else { 0 });
        let opcodes = Opcode::all().map(move |opcode| opcode.lower_name(dialect.fork));
        let builtins = opcodes.filter(move |name| dialect.builtin(name).is_some());
        builtins.chain(OBJECT_BUILTINS.into_iter().take(n_objects).map(|(name, _)| name))
    }

    /// True when there is a builtin for the opcode. `revert` is one in every fork: where the EVM
    /// lacks it, it fails like any other undefined byte.
    fn has_opcode(&self, opcode: Opcode) -> bool {
        opcode == Opcode::REVERT || opcode.exists_in(self.fork)
    }

    /// The opcode that a builtin of this name stands for in a later fork.
    pub fn later_builtin(&self, name: &str) -> Option<Opcode> {
        instruction(name, NEWEST_FORK).filter(|op| !is_hidden(*op) && !self.has_opcode(*op))
    }

    /// True for names that may not be declared though they are no builtins: instructions of the
    /// assembly language and everything that starts with `verbatim`.
    fn is_reserved(&self, name: &str) -> bool {
        if self.objects && name.starts_with("verbatim") {
            return true;
        }
        // Instructions younger than the rule, of which programs may have used the names.
        let is_free = |op: Opcode| op.known().since >= Fork::London && op != Opcode::PUSH0;
        instruction(name, NEWEST_FORK).is_some_and(|op| !is_free(op) && op != Opcode::PREVRANDAO)
    }
}

/// Every instruction under every name it ever had in Yul.
static INSTRUCTIONS: LazyLock<FxHashMap<&'static str, Opcode>> = LazyLock::new(|| {
    let old_names = Opcode::all().map(|opcode| (opcode.lower_name(Fork::Frontier), opcode));
    let names = Opcode::all().map(|opcode| (opcode.lower_name(NEWEST_FORK), opcode));
    old_names.chain(names).collect()
});

const NEWEST_FORK: Fork = Fork::ALL[Fork::ALL.len() - 1];

/// The instruction that is called `name` in `fork`, whether the fork has it or not.
fn instruction(name: &str, fork: Fork) -> Option<Opcode> {
    let opcode = *INSTRUCTIONS.get(name)?;
    (opcode.lower_name(fork) == name).then_some(opcode)
}

/// True for the instructions that Yul gives no builtin to: control flow and stack layout.
fn is_hidden(opcode: Opcode) -> bool {
    opcode.is_jump_related() || opcode.is_stack_manipulation() && opcode != Opcode::POP
}

/// Builtins of code in objects, but `verbatim`.
const OBJECT_BUILTINS: [(&str, Builtin); 7] = [
    ("datasize", Builtin::DataSize),
    ("dataoffset", Builtin::DataOffset),
    ("datacopy", Builtin::DataCopy),
    ("setimmutable", Builtin::SetImmutable),
    ("loadimmutable", Builtin::LoadImmutable),
    ("linkersymbol", Builtin::LinkerSymbol),
    ("memoryguard", Builtin::MemoryGuard),
];

fn object_builtin(name: &str) -> Option<Builtin> {
    let found = OBJECT_BUILTINS.iter().find(|(known, _)| *known == name);
    found.map(|(_, builtin)| *builtin).or_else(|| verbatim(name))
}

/// `verbatim_<i>i_<o>o` with numbers from 0 to 99 without leading zeros.
fn verbatim(name: &str) -> Option<Builtin> {
    let (inputs, outputs) = name.strip_prefix("verbatim_")?.strip_suffix('o')?.split_once("i_")?;
    Some(Builtin::Verbatim { inputs: small_number(inputs)?, outputs: small_number(outputs)? })
}

fn small_number(text: &str) -> Option<u8> {
    let is_canonical = text == "0" || !text.starts_with('0');
    let is_short = (1..=2).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_canonical && is_short { text.parse().ok() } else { None }
}
