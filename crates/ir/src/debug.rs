//! What debuggers are told: source units, locations of instructions, functions, scopes and
//! variables of the source.
//!
//! An instruction has a location. `dbg.trace` says that a variable of the source has this value
//! from here on; it is no use of the value: passes treat the value as if the trace were not there,
//! and a trace whose value is gone goes too ([`drop_dead_traces`]).

use crate::dfg::ValueDef;
use crate::function::Function;
use crate::ids::{Inst, Loc, Scope, Value, Var};
use crate::op::Op;
use cairn_diag::SourceLoc;
use cranelift_entity::PrimaryMap;
use rustc_hash::FxHashMap;

/// A byte range of a source unit, as in solc's `@src` comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocData {
    /// Index of the source unit; −1 for generated code.
    pub source: i32,
    /// First byte; −1 if unknown.
    pub start: i32,
    /// One past the last byte; −1 if unknown.
    pub end: i32,
    /// The innermost scope around it.
    pub scope: Option<Scope>,
}

impl LocData {
    /// Where it is, whatever the scope.
    pub fn range(&self) -> SourceLoc {
        SourceLoc { source: self.source, start: self.start, end: self.end }
    }
}

/// A function or a block of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeData {
    /// What it is.
    pub kind: ScopeKind,
    /// Index of the source unit; −1 for generated code.
    pub source: i32,
    /// First byte; −1 if unknown.
    pub start: i32,
    /// One past the last byte; −1 if unknown.
    pub end: i32,
}

/// What a scope is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScopeKind {
    /// A function with this name.
    Function(String),
    /// A block inside another scope.
    Block(Scope),
}

/// A variable of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VarData {
    /// Its name.
    pub name: String,
    /// Its type, as the source spells it.
    pub ty: String,
    /// Where it is declared.
    pub scope: Option<Scope>,
}

/// The debug tables of a module.
#[derive(Clone, Debug, Default)]
pub struct DebugInfo {
    /// Names of source units, by index.
    pub sources: Vec<(i32, String)>,
    /// Functions and blocks; a block comes behind what it is in.
    pub scopes: PrimaryMap<Scope, ScopeData>,
    /// Variables.
    pub vars: PrimaryMap<Var, VarData>,
    locs: PrimaryMap<Loc, LocData>,
    index: FxHashMap<LocData, Loc>,
}

impl DebugInfo {
    /// The id of a location, made if it is new.
    pub fn intern(&mut self, data: LocData) -> Loc {
        let locs = &mut self.locs;
        *self.index.entry(data).or_insert_with(|| locs.push(data))
    }

    /// The location with this id.
    #[inline]
    pub fn loc(&self, loc: Loc) -> LocData {
        self.locs[loc]
    }

    /// All locations in order of first use.
    pub fn locs(&self) -> impl Iterator<Item = (Loc, &LocData)> {
        self.locs.iter()
    }
}

/// The traces of a function in the order of its layout.
pub fn traces(func: &Function) -> Vec<Inst> {
    if !func.dfg.may_have_trace() {
        return Vec::new();
    }
    let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
    insts.filter(|inst| func.dfg.op(*inst) == Op::DbgTrace).collect()
}

/// Removes the traces whose value nothing defines any more. Linear.
pub fn drop_dead_traces(func: &mut Function) {
    for inst in traces(func) {
        let is_alive = func.dfg.args(inst).iter().all(|value| is_defined(func, *value));
        if !is_alive {
            func.layout.remove_inst(inst);
        }
    }
}

/// True when an instruction or block of the layout gives this value.
fn is_defined(func: &Function, value: Value) -> bool {
    match func.dfg.def(value) {
        ValueDef::Result(inst, index) => {
            let is_result = func.dfg.results(inst).get(usize::from(index)) == Some(&value);
            is_result && func.layout.inst_block(inst).is_some()
        }
        ValueDef::Param(block, index) => {
            let is_param = func.dfg.params(block).get(usize::from(index)) == Some(&value);
            is_param && func.layout.is_block_inserted(block)
        }
    }
}
