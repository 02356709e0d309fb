//! Names of functions and variables: what gives a value says what it is called, and a number follows in
//! the order of the text.

use crate::tree::Var;
use cairn_evm::{Opcode, Word};
use cairn_ir::{Func, Function, Inst, Module, Op, Value, ValueDef};
use cairn_yul::dialect::NameClass;
use cairn_yul::{Dialect, NameTable, YulName};
use rustc_hash::{FxHashMap, FxHashSet};

/// Names of an object's functions.
pub(crate) struct FunctionNames {
    by_func: FxHashMap<Func, YulName>,
    /// The helper that gives the smaller of two words.
    pub(crate) min: YulName,
    taken: FxHashSet<String>,
}

impl FunctionNames {
    /// The modules' names for their functions, as far as Yul takes them.
    pub(crate) fn of(module: &Module, dialect: &Dialect, table: &mut NameTable) -> FunctionNames {
        let mut taken = FxHashSet::default();
        let mut name = |wanted: &str| {
            let name = free_name(wanted, dialect, |name| taken.contains(name));
            taken.insert(name.clone());
            table.intern(&name)
        };
        let by_func = module.funcs.iter().map(|(id, func)| (id, name(&spelled(&func.name)))).collect();
        let min = name("min");
        FunctionNames { by_func, min, taken }
    }

    /// The name of a function.
    pub(crate) fn get(&self, func: Func) -> YulName {
        self.by_func[&func]
    }
}

/// A name with the characters that Yul takes.
fn spelled(name: &str) -> String {
    let is_fine = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    let mut text: String = name.chars().map(|c| if is_fine(c) { c } else { '_' }).collect();
    if text.is_empty() || text.starts_with(|c: char| c.is_ascii_digit()) {
        text.insert(0, '_');
    }
    text
}

/// The name, or the first that is free with a number behind it.
fn free_name(wanted: &str, dialect: &Dialect, is_taken: impl Fn(&str) -> bool) -> String {
    let is_free = |name: &str| dialect.classify(name) == NameClass::Plain && !is_taken(name);
    let numbered = (1_u32..).map(|number| format!("{wanted}_{number}"));
    let mut names = [wanted.to_owned()].into_iter().chain(numbered);
    names.find(|name| is_free(name)).unwrap_or_default()
}

/// Names of a function's variables.
pub(crate) struct VarNames<'a> {
    func: &'a Function,
    functions: &'a FunctionNames,
    dialect: &'a Dialect,
    names: FxHashMap<Var, YulName>,
    /// The last number of each word.
    numbers: FxHashMap<String, u32>,
}

impl<'a> VarNames<'a> {
    pub(crate) fn new(func: &'a Function, functions: &'a FunctionNames, dialect: &'a Dialect) -> Self {
        VarNames { func, functions, dialect, names: FxHashMap::default(), numbers: FxHashMap::default() }
    }

    /// The name of a variable: a new one when it is met for the first time.
    pub(crate) fn get(&mut self, var: Var, table: &mut NameTable) -> YulName {
        if let Some(name) = self.names.get(&var) {
            return *name;
        }
        let word = self.word(var);
        let name = loop {
            let number = self.numbers.entry(word.clone()).or_insert(0);
            *number += 1;
            let is_fixed = word.ends_with(|c: char| c.is_ascii_digit());
            let name = match *number {
                1 if is_fixed => word.clone(),
                number if is_fixed => format!("{word}_{number}"),
                number => format!("{word}{number}"),
            };
            if self.dialect.classify(&name) == NameClass::Plain && !self.functions.taken.contains(&name) {
                break table.intern(&name);
            }
        };
        self.names.insert(var, name);
        name
    }

    fn word(&self, var: Var) -> String {
        match var {
            Var::Value(value) | Var::Copy(value, _) => match self.func.dfg.def(value) {
                ValueDef::Param(block, _) if Some(block) == self.func.layout.first_block() => "p".to_owned(),
                ValueDef::Param(..) => "x".to_owned(),
                ValueDef::Result(inst, _) => self.word_of(inst),
            },
            Var::Result(_) => "r".to_owned(),
            Var::State(_) => "state".to_owned(),
            Var::Exit => "exit".to_owned(),
            Var::Spare(_) => "old".to_owned(),
        }
    }

    /// What an instruction's result is called.
    fn word_of(&self, inst: Inst) -> String {
        let args = self.func.dfg.args(inst);
        let first = args.first().and_then(|arg: &Value| self.func.dfg.as_const(*arg));
        let Op::Evm(opcode) = self.func.dfg.op(inst) else { return "v".to_owned() };
        match first.filter(|_| opcode == Opcode::CALLDATALOAD).and_then(argument) {
            Some(number) => format!("arg{number}"),
            None => word_of_opcode(opcode, first).unwrap_or("v").to_owned(),
        }
    }
}

/// What an opcode's result is called, by the first operand, if that is known.
pub(crate) fn word_of_opcode(opcode: Opcode, first: Option<Word>) -> Option<&'static str> {
    Some(match opcode {
        Opcode::CALLDATALOAD => "data",
        Opcode::MLOAD if first == Some(Word::from(0x40)) => "free",
        Opcode::MLOAD => "m",
        Opcode::SLOAD => "stored",
        Opcode::TLOAD => "kept",
        Opcode::KECCAK256 => "hash",
        Opcode::CALL | Opcode::STATICCALL | Opcode::DELEGATECALL | Opcode::CALLCODE => "ok",
        Opcode::CREATE | Opcode::CREATE2 => "created",
        Opcode::RETURNDATASIZE => "returned",
        Opcode::GAS => "left",
        Opcode::EQ | Opcode::LT | Opcode::GT | Opcode::SLT | Opcode::SGT | Opcode::ISZERO => "is",
        Opcode::SHR if first == Some(Word::from(224)) => "selector",
        _ => return None,
    })
}

/// The number of an argument of a call, from where it stands in calldata.
pub(crate) fn argument(place: Word) -> Option<u64> {
    let place = u64::try_from(place).ok()?.checked_sub(4)?;
    (place % 32 == 0 && place < 32 * 64).then_some(place / 32)
}
