//! Functions that are written out where they are called: a few statements without ways of their own.

use super::memory::FREE_POINTER;
use crate::tree::{Callee, Expr, Stmt, Var};
use cairn_evm::Opcode;
use cairn_ir::{Func, Module, Op, Payload};
use cairn_yul::Builtin;
use rustc_hash::{FxHashMap, FxHashSet};

/// Statements of a function that is written out, with those of the functions that it calls.
const MAX_STATEMENTS: usize = 24;

/// Functions within functions.
const MAX_DEPTH: usize = 4;

/// A function, as its statements say it.
pub(super) struct Told {
    /// Its statements; of what has no structure those of each node, with labels.
    pub(super) texts: Vec<(Option<u32>, Vec<Stmt>)>,
    /// Parameters that are passed.
    pub(super) params: Vec<Var>,
    pub(super) results: u32,
}

impl Told {
    /// Its statements, if they have structure.
    fn stmts(&self) -> Option<&[Stmt]> {
        match self.texts.as_slice() {
            [(None, stmts)] => Some(stmts),
            _ => None,
        }
    }
}

/// What is known of the functions of a module.
pub(super) struct ShortFunctions<'a> {
    module: &'a Module,
    all: &'a FxHashMap<Func, Told>,
    /// Statements of each short one.
    short: FxHashMap<Func, usize>,
    /// Functions that read or write memory, or call one that does.
    touching: FxHashSet<Func>,
    /// Functions that do not come back.
    endless: FxHashSet<Func>,
}

impl<'a> ShortFunctions<'a> {
    /// Looks at all functions of a module.
    pub(super) fn of(module: &'a Module, all: &'a FxHashMap<Func, Told>) -> ShortFunctions<'a> {
        let mut functions = ShortFunctions {
            module,
            all,
            short: FxHashMap::default(),
            touching: touching(module),
            endless: endless(module),
        };
        // Those that call none, then those that call these, and so on: one that calls itself is not short.
        for _ in 0..=MAX_DEPTH {
            let others = module.funcs.keys().filter(|func| !functions.short.contains_key(func));
            let found: Vec<(Func, usize)> =
                others.filter_map(|func| Some((func, functions.size(func)?))).collect();
            functions.short.extend(found);
        }
        functions
    }

    /// The statements of a short function.
    pub(super) fn get(&self, func: Func) -> Option<&'a [Stmt]> {
        self.short.get(&func)?;
        self.all.get(&func).and_then(Told::stmts)
    }

    /// The bytes of a piece of the code; none if there is no such piece.
    pub(super) fn data(&self, name: &str) -> &'a [u8] {
        let found = self.module.data.iter().find(|data| data.name == name);
        found.map_or(&[], |data| data.bytes.as_slice())
    }

    pub(super) fn params(&self, func: Func) -> Vec<Var> {
        self.all.get(&func).map(|told| told.params.clone()).unwrap_or_default()
    }

    pub(super) fn results(&self, func: Func) -> u32 {
        self.all.get(&func).map_or(0, |told| told.results)
    }

    pub(super) fn touches_memory(&self, func: Func) -> bool {
        self.touching.contains(&func)
    }

    pub(super) fn never_returns(&self, func: Func) -> bool {
        self.endless.contains(&func)
    }

    /// True for statements without ways of their own that end in a failure.
    pub(super) fn fails(&self, stmts: &[Stmt]) -> bool {
        ends_in_failure(stmts, &self.endless)
    }

    /// Statements of a function when it is written out, if it is short and calls only what is known to be.
    fn size(&self, func: Func) -> Option<usize> {
        let stmts = self.all.get(&func)?.stmts()?;
        if stmts.len() > MAX_STATEMENTS {
            return None;
        }
        let (mut size, mut given) = (0, FxHashSet::default());
        for (place, stmt) in stmts.iter().enumerate() {
            let value = match stmt {
                Stmt::Assign { vars, value, .. } if vars.iter().all(|var| given.insert(*var)) => value,
                Stmt::Do(value) => value,
                Stmt::If(condition, body, _) if ends_in_failure(body, &self.endless) => {
                    size += body.len();
                    for stmt in body {
                        size += self.size_of_calls(stmt)?;
                    }
                    condition
                }
                Stmt::Leave if place + 1 == stmts.len() => continue,
                _ => return None,
            };
            size += 1;
            size += self.size_of_callees(value)?;
            if size > MAX_STATEMENTS {
                return None;
            }
        }
        Some(size)
    }

    fn size_of_calls(&self, stmt: &Stmt) -> Option<usize> {
        match stmt {
            Stmt::Do(value) | Stmt::Assign { value, .. } => self.size_of_callees(value),
            _ => None,
        }
    }

    fn size_of_callees(&self, value: &Expr) -> Option<usize> {
        let mut called = Vec::new();
        callees(value, &mut called);
        called.iter().map(|callee| self.short.get(callee).copied()).sum()
    }
}

/// True for statements without ways of their own that end in a failure.
pub(super) fn ends_in_failure(stmts: &[Stmt], failing: &FxHashSet<Func>) -> bool {
    let is_plain = |stmt: &Stmt| matches!(stmt, Stmt::Do(_) | Stmt::Assign { .. });
    let is_failure = |value: &Expr| match value {
        Expr::Call(Callee::Builtin(Builtin::Evm(opcode)), ..) => {
            matches!(*opcode, Opcode::REVERT | Opcode::INVALID)
        }
        Expr::Call(Callee::Func(func), ..) => failing.contains(func),
        _ => false,
    };
    stmts.iter().all(is_plain) && matches!(stmts.last(), Some(Stmt::Do(value)) if is_failure(value))
}

/// True when the last statement ends the program, or does not come back.
pub(super) fn ends(stmts: &[Stmt], failing: &FxHashSet<Func>) -> bool {
    match stmts.last() {
        Some(Stmt::Do(Expr::Call(Callee::Builtin(Builtin::Evm(opcode)), ..))) => opcode.halts(),
        Some(Stmt::Do(Expr::Call(Callee::Func(func), ..))) => failing.contains(func),
        _ => false,
    }
}

/// Functions that do not come back.
pub(super) fn endless(module: &Module) -> FxHashSet<Func> {
    module.funcs.keys().filter(|func| !returns(module, *func)).collect()
}

fn callees(expr: &Expr, found: &mut Vec<Func>) {
    if let Expr::Call(callee, args, _) = expr {
        if let Callee::Func(func) = callee {
            found.push(*func);
        }
        args.iter().for_each(|arg| callees(arg, found));
    }
}

/// True when some block gives results back.
fn returns(module: &Module, func: Func) -> bool {
    let func = &module.funcs[func];
    let mut ends = func.layout.blocks().filter_map(|block| func.layout.last_inst(block));
    ends.any(|inst| func.dfg.op(inst) == Op::Iret)
}

/// Functions that touch memory, and those that call them.
fn touching(module: &Module) -> FxHashSet<Func> {
    let (mut touching, mut work) = (FxHashSet::default(), Vec::new());
    let mut callers: FxHashMap<Func, Vec<Func>> = FxHashMap::default();
    for (id, func) in &module.funcs {
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            let effects = func.dfg.op(inst).effects();
            let is_end = matches!(func.dfg.op(inst), Op::Evm(Opcode::REVERT | Opcode::RETURN));
            if let Payload::Func(callee) = func.dfg.inst(inst).payload {
                callers.entry(callee).or_default().push(id);
            } else if !is_end
                && effects.intersects(cairn_evm::Effects::READ_MEMORY | cairn_evm::Effects::WRITE_MEMORY)
            {
                work.push(id);
            }
        }
    }
    while let Some(func) = work.pop() {
        if touching.insert(func) {
            work.extend(callers.get(&func).into_iter().flatten());
        }
    }
    touching
}

/// True where the program begins by setting the free pointer, as Solidity's do.
pub(super) fn sets_free_pointer(stmts: &[Stmt]) -> bool {
    let is_set = |stmt: &Stmt| match stmt {
        Stmt::Do(value) => value.args_of(Opcode::MSTORE).is_some_and(|args| {
            let place = args[0].as_number().and_then(|word| u64::try_from(word).ok());
            let first = args[1].as_number().and_then(|word| u64::try_from(word).ok());
            place == Some(FREE_POINTER) && first.is_some_and(|first| first >= 0x60)
        }),
        _ => false,
    };
    let is_call = |stmt: &&Stmt| !matches!(stmt, Stmt::Do(Expr::Call(Callee::Builtin(Builtin::Evm(_)), ..)));
    stmts.iter().take_while(|stmt| !is_call(stmt)).take(4).any(is_set)
}
