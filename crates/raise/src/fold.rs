//! The instructions of a node as statements with expressions in them.
//!
//! A value that is read once, in the node that defines it, is computed where it is read, unless
//! something between the two must keep its order with it. Operands are evaluated from the last to the
//! first, so what stands in one expression has an order, too. Constants, and what the frame says
//! throughout (`caller()`), stand wherever they are read.

use crate::graph::{Edge, End, Graph, NodeId, Source};
use crate::needed::Needed;
use crate::tree::{At, Callee, Expr, Stmt, Var};
use cairn_evm::word::{self, eval};
use cairn_evm::{Effects, Opcode, Word};
use cairn_ir::{Function, Inst, Op, Payload, SymbolTable, Type, Value};
use cairn_yul::Builtin;
use rustc_hash::FxHashMap;

/// Calls in an expression, so that it can be read.
const MAX_CALLS: usize = 16;

/// Calls within calls.
const MAX_DEPTH: usize = 9;

/// Operations with effects that a value is moved past.
const MAX_PASSED: usize = 64;

/// A node as text.
pub(crate) struct Text {
    pub(crate) stmts: Vec<Stmt>,
    /// What decides where control goes.
    pub(crate) condition: Option<Expr>,
    /// Where the jump stands.
    pub(crate) at: At,
    /// What is moved along each edge, in the order of edges; all at once.
    pub(crate) moves: Vec<Vec<(Var, Expr)>>,
}

/// Which moves of values are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Allowed {
    Any,
    /// Without effects, as nothing says whether or when they are evaluated.
    Pure,
}

struct Folder<'g, 'f> {
    graph: &'g Graph<'f>,
    needed: &'g Needed,
    symbols: &'g SymbolTable,
    node: NodeId,
    /// What has to stand in the text, in order.
    insts: Vec<Inst>,
    index: FxHashMap<Inst, usize>,
    /// By index: it stands where its result is read.
    is_folded: Vec<bool>,
    /// Indices of what has effects.
    effects: Vec<usize>,
}

/// One expression as it grows.
struct Growing {
    root: usize,
    placed: Vec<usize>,
    allowed: Allowed,
}

/// The text of a node.
pub(crate) fn text(graph: &Graph<'_>, needed: &Needed, symbols: &SymbolTable, node: NodeId) -> Text {
    let func = graph.func;
    let stands = |inst: &&Inst| needed.has(graph, **inst) && !is_free(func, **inst);
    let insts: Vec<Inst> = graph.nodes[node].insts.iter().filter(stands).copied().collect();
    let index = insts.iter().enumerate().map(|(index, inst)| (*inst, index)).collect();
    let has_effects = |index: &usize| !func.dfg.op(insts[*index]).effects().is_empty();
    let effects = (0..insts.len()).filter(has_effects).collect();
    let is_folded = vec![false; insts.len()];
    let mut folder = Folder { graph, needed, symbols, node, insts, index, is_folded, effects };
    folder.decide();
    folder.write()
}

impl Folder<'_, '_> {
    fn func(&self) -> &Function {
        self.graph.func
    }

    /// Operands that stand in the text.
    fn args(&self, inst: Inst) -> Vec<Value> {
        self.needed.args(self.graph, inst).collect()
    }

    /// Finds what is folded: what is read last looks for its operands first.
    fn decide(&mut self) {
        let graph = self.graph;
        let node = &graph.nodes[self.node];
        if let End::Go(edge) = &node.end {
            let sources: Vec<Value> = self.sources(edge).collect();
            self.fold_row(self.insts.len(), &sources);
        } else {
            node.for_each_edge(|edge| {
                for source in self.sources(edge).collect::<Vec<_>>() {
                    self.grow(self.insts.len(), &[source], Allowed::Pure);
                }
            });
            let condition: Vec<Value> = node.decides().into_iter().collect();
            self.grow(self.insts.len(), &condition, Allowed::Any);
        }
        for index in (0..self.insts.len()).rev() {
            if self.is_folded[index] {
                continue;
            }
            let args = self.args(self.insts[index]);
            if self.func().dfg.op(self.insts[index]) == Op::Iret {
                self.fold_row(index, &args);
            } else {
                self.grow(index, &args, Allowed::Any);
            }
        }
    }

    /// Values that are moved along an edge and read later.
    fn sources<'e>(&self, edge: &'e Edge) -> impl Iterator<Item = Value> + use<'e, '_> {
        let needed = self.needed;
        edge.moves.iter().filter_map(move |(var, source)| match (var, source) {
            (Var::Value(param), Source::Value(value)) if needed.reads(*param) > 0 => Some(*value),
            _ => None,
        })
    }

    /// Values that are read in no order: one of them at most may have effects.
    fn fold_row(&mut self, root: usize, values: &[Value]) {
        let mut allowed = Allowed::Any;
        for value in values {
            let placed = self.grow(root, &[*value], allowed);
            if placed.iter().any(|index| self.effects.binary_search(index).is_ok()) {
                allowed = Allowed::Pure;
            }
        }
    }

    /// Folds what can be into an expression or statement that reads these values.
    fn grow(&mut self, root: usize, values: &[Value], allowed: Allowed) -> Vec<usize> {
        let mut growing = Growing { root, placed: Vec::new(), allowed };
        values.iter().for_each(|value| self.try_fold(*value, &mut growing, 0));
        growing.placed
    }

    fn try_fold(&mut self, value: Value, growing: &mut Growing, depth: usize) {
        let value = self.graph.resolve_in(self.node, value);
        let Some(inst) = self.func().dfg.def_inst(value) else { return };
        let Some(index) = self.index.get(&inst).copied() else { return };
        let is_single = self.func().dfg.results(inst).len() == 1
            && self.needed.reads(value) == self.needed.copies(inst)
            && !self.is_folded[index]
            && index < growing.root;
        let fits = growing.placed.len() < MAX_CALLS && depth < MAX_DEPTH;
        if !is_single || !fits || !self.may_move(index, growing) {
            return;
        }
        self.is_folded[index] = true;
        growing.placed.push(index);
        let args = self.args(inst);
        args.into_iter().for_each(|arg| self.try_fold(arg, growing, depth + 1));
    }

    /// True when an instruction may run just before what was placed so far.
    fn may_move(&self, index: usize, growing: &Growing) -> bool {
        let own = self.effects_of(index);
        if own.is_empty() {
            return true;
        }
        if growing.allowed == Allowed::Pure {
            return false;
        }
        let first = self.effects.partition_point(|other| *other <= index);
        let last = self.effects.partition_point(|other| *other < growing.root);
        if last - first.min(last) > MAX_PASSED {
            return false;
        }
        let passed = self.effects[first..last.max(first)].iter();
        let mut passed = passed.filter(|other| !growing.placed.contains(other));
        let mut before = growing.placed.iter().filter(|other| **other < index);
        let conflicts = |other: &usize| own.conflicts_with(self.effects_of(*other));
        !passed.any(conflicts) && !before.any(conflicts)
    }

    fn effects_of(&self, index: usize) -> Effects {
        self.func().dfg.op(self.insts[index]).effects()
    }

    fn write(&self) -> Text {
        let mut stmts = Vec::new();
        for index in (0..self.insts.len()).filter(|index| !self.is_folded[*index]) {
            self.statement(index, &mut stmts);
        }
        let node = &self.graph.nodes[self.node];
        let condition = match &node.end {
            End::States(state, _) => Some(Expr::Var(Var::State(*state))),
            _ => node.decides().map(|value| self.expr(value)),
        };
        let at = node.jump.map_or(At(None), |jump| self.graph.place_of(jump));
        let mut moves = Vec::new();
        node.for_each_edge(|edge| {
            let of_edge = edge.moves.iter().filter_map(|(var, source)| match (var, source) {
                (Var::Value(param), _) if self.needed.reads(*param) == 0 => None,
                (_, Source::Value(value)) => Some((*var, self.expr(*value))),
                (_, Source::Number(number)) => Some((*var, Expr::Number(Word::from(*number)))),
            });
            moves.push(of_edge.collect());
        });
        Text { stmts, condition, at, moves }
    }

    fn statement(&self, index: usize, out: &mut Vec<Stmt>) {
        let inst = self.insts[index];
        let args = self.func().dfg.args(inst);
        match self.func().dfg.op(inst) {
            Op::Iret => {
                let values = args.iter().enumerate();
                out.extend(
                    values.map(|(index, arg)| Stmt::assign(Var::Result(index as u32), self.expr(*arg))),
                );
                out.push(Stmt::Leave);
            }
            Op::Unreachable if self.follows_call(index) => {}
            Op::Unreachable => out.push(Stmt::Do(Expr::evm(Opcode::INVALID, Vec::new()))),
            _ => {
                let results = self.func().dfg.results(inst);
                let is_read = results.iter().any(|value| self.needed.reads(*value) > 0);
                let value = self.computation(inst);
                out.push(match results {
                    [] => Stmt::Do(value),
                    [_] if !is_read => Stmt::Do(Expr::evm(Opcode::POP, vec![value])),
                    _ => {
                        let vars = results.iter().map(|value| self.var(*value, inst)).collect();
                        Stmt::Assign { vars, value, is_declaration: false }
                    }
                });
            }
        }
    }

    /// True when the statement before is a call: one that does not come back.
    fn follows_call(&self, index: usize) -> bool {
        index > 0 && self.func().dfg.op(self.insts[index - 1]) == Op::Icall
    }

    fn expr(&self, value: Value) -> Expr {
        let value = self.graph.resolve_in(self.node, value);
        if let Some(word) = self.graph.number(value) {
            return Expr::Number(word);
        }
        let Some(inst) = self.func().dfg.def_inst(value) else { return Expr::Var(Var::Value(value)) };
        let is_folded = self.index.get(&inst).is_some_and(|index| self.is_folded[*index]);
        if is_folded || is_free(self.func(), inst) {
            return self.computation(inst);
        }
        Expr::Var(self.var(value, inst))
    }

    /// The variable of an instruction's result. Copies stand in ends: nothing else reads their values.
    fn var(&self, value: Value, inst: Inst) -> Var {
        match self.needed.copies(inst) {
            1 => Var::Value(value),
            _ => Var::Copy(value, self.node as u32),
        }
    }

    /// What an instruction computes.
    fn computation(&self, inst: Inst) -> Expr {
        let data = self.func().dfg.inst(inst);
        let mut args: Vec<Expr> = self.args(inst).into_iter().map(|arg| self.expr(arg)).collect();
        if let Payload::Symbol(name) = data.payload {
            let place = usize::from(data.op() == Op::SetImmutable);
            args.insert(place, Expr::Text(self.symbols.text(name).to_owned()));
        }
        let callee = match (data.op(), data.payload) {
            (Op::Icall, Payload::Func(func)) => Callee::Func(func),
            (op, _) => builtin(op).map_or(Callee::Min, Callee::Builtin),
        };
        let at = self.graph.place_of(inst);
        let value = known(data.op(), &args).map_or(Expr::Call(callee, args, at), Expr::Number);
        match (data.op(), self.func().dfg.results(inst)) {
            (Op::LoadImmutable, [result]) => cut(value, self.func().dfg.ty(*result)),
            _ => value,
        }
    }
}

/// A word of which only the bits of a type are meant: Yul's immutables have all.
fn cut(value: Expr, ty: Type) -> Expr {
    match ty.bits() {
        Some(bits @ 0..256) => {
            Expr::evm(Opcode::AND, vec![value, Expr::Number(word::low_mask(usize::from(bits)))])
        }
        _ => value,
    }
}

/// The word that an opcode computes of constants.
fn known(op: Op, args: &[Expr]) -> Option<Word> {
    let Op::Evm(opcode) = op else { return None };
    let words: Option<Vec<Word>> = args.iter().map(Expr::as_number).collect();
    eval(opcode, &words.filter(|words| !words.is_empty())?)
}

/// The builtin of an operation.
fn builtin(op: Op) -> Option<Builtin> {
    match op {
        Op::Evm(opcode) => Some(Builtin::Evm(opcode)),
        Op::DataOffset => Some(Builtin::DataOffset),
        Op::DataSize => Some(Builtin::DataSize),
        Op::DataCopy => Some(Builtin::DataCopy),
        Op::LoadImmutable => Some(Builtin::LoadImmutable),
        Op::SetImmutable => Some(Builtin::SetImmutable),
        Op::LinkerSymbol => Some(Builtin::LinkerSymbol),
        _ => None,
    }
}

/// True for what gives the same wherever it stands and is short: it has no variable.
fn is_free(func: &Function, inst: Inst) -> bool {
    let op = func.dfg.op(inst);
    match op {
        Op::Constant | Op::DbgTrace | Op::DbgLabel => true,
        Op::Evm(opcode) => {
            func.dfg.args(inst).is_empty()
                && op.effects().is_pure()
                && func.dfg.results(inst).len() == 1
                && !opcode.halts()
        }
        Op::DataOffset | Op::DataSize | Op::LoadImmutable | Op::LinkerSymbol => true,
        _ => false,
    }
}

/// Moves that are made at once, one after the other.
pub(crate) fn in_order(mut moves: Vec<(Var, Expr)>, spares: &mut u32) -> Vec<Stmt> {
    moves.retain(|(var, value)| *value != Expr::Var(*var));
    let mut stmts = Vec::new();
    while !moves.is_empty() {
        let is_free = |place: &usize| {
            let var = moves[*place].0;
            moves.iter().enumerate().all(|(other, (_, value))| other == *place || !value.reads(var))
        };
        if let Some(place) = (0..moves.len()).find(is_free) {
            let (var, value) = moves.remove(place);
            stmts.push(Stmt::assign(var, value));
            continue;
        }
        let (spare, var) = (Var::Spare(*spares), moves[0].0);
        *spares += 1;
        stmts.push(Stmt::assign(spare, Expr::Var(var)));
        moves.iter_mut().for_each(|(_, value)| value.replace(var, spare));
    }
    stmts
}
