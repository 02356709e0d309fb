//! A function as nodes of instructions and edges of moves, to be changed until it has structure.
//!
//! A node runs instructions of one or more blocks in a row. Block arguments are moves on edges. From
//! here on a value is a variable: it holds what its definition gave when it ran last, so that a node may
//! stand in several places, and control may take ways around that the function has not.

use crate::fault::{Fault, Reason};
use crate::tree::{At, Elsewhere, Var};
use cairn_evm::Word;
use cairn_evm::word::eval;
use cairn_ir::infer::infer_result_types;
use cairn_ir::{Block, BlockCall, DebugInfo, Function, Inst, Op, Payload, Type, Value};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Index in [`Graph::nodes`].
pub(crate) type NodeId = usize;

/// What is moved along an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Value(Value),
    Number(u32),
}

/// A way to a node.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) to: NodeId,
    /// Assignments, all at once.
    pub(crate) moves: Vec<(Var, Source)>,
}

/// How a node ends.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// Its last instruction ends the function or the program.
    Exit,
    /// One way on.
    Go(Edge),
    /// The first way when the value is not zero.
    Branch(Value, Edge, Edge),
    /// The way of the value, or the last.
    Switch(Value, Vec<(Word, Edge)>, Edge),
    /// The node whose number the state with this index holds.
    States(u32, Vec<Edge>),
    /// What follows is another text: a part of a listing.
    Elsewhere(Elsewhere),
}

/// Instructions in a row, and where control goes then.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) insts: Vec<Inst>,
    pub(crate) end: End,
    /// The instruction that its end was made of: where control goes otherwise, nothing.
    pub(crate) jump: Option<Inst>,
    /// Values that stand for others in this node alone.
    pub(crate) local: FxHashMap<Value, Value>,
}

impl Node {
    pub(crate) fn for_each_edge(&self, mut f: impl FnMut(&Edge)) {
        match &self.end {
            End::Exit | End::Elsewhere(_) => {}
            End::Go(edge) => f(edge),
            End::Branch(_, yes, no) => [yes, no].into_iter().for_each(f),
            End::Switch(_, cases, default) => {
                cases.iter().for_each(|(_, edge)| f(edge));
                f(default);
            }
            End::States(_, edges) => edges.iter().for_each(f),
        }
    }

    pub(crate) fn for_each_edge_mut(&mut self, mut f: impl FnMut(&mut Edge)) {
        match &mut self.end {
            End::Exit | End::Elsewhere(_) => {}
            End::Go(edge) => f(edge),
            End::Branch(_, yes, no) => [yes, no].into_iter().for_each(f),
            End::Switch(_, cases, default) => {
                cases.iter_mut().for_each(|(_, edge)| f(edge));
                f(default);
            }
            End::States(_, edges) => edges.iter_mut().for_each(f),
        }
    }

    /// The value that decides where control goes.
    pub(crate) fn decides(&self) -> Option<Value> {
        match &self.end {
            End::Branch(value, ..) | End::Switch(value, ..) => Some(*value),
            End::Exit | End::Elsewhere(_) | End::Go(_) | End::States(..) => None,
        }
    }
}

/// A function as a graph; node 0 is where it begins.
pub(crate) struct Graph<'a> {
    pub(crate) func: &'a Function,
    pub(crate) nodes: Vec<Node>,
    /// Values that are others by another name.
    pub(crate) alias: Rc<FxHashMap<Value, Value>>,
    /// Words that opcodes compute of constants.
    words: Rc<FxHashMap<Value, Word>>,
    /// Number of states.
    pub(crate) states: u32,
    /// What the locations of instructions are, where they say which bytes of a code they are.
    pub(crate) places: Option<&'a DebugInfo>,
}

impl<'a> Graph<'a> {
    /// The graph of the blocks that control reaches.
    pub(crate) fn of(func: &'a Function) -> Result<Graph<'a>, Fault> {
        let fault = |place, reason| Fault { function: func.name.clone(), place, reason };
        let Some(entry) = func.layout.first_block() else {
            return Err(fault(func.span, Reason::NoEntry));
        };
        let mut ids: FxHashMap<Block, NodeId> = FxHashMap::default();
        let mut order = vec![entry];
        ids.insert(entry, 0);
        let mut next = 0;
        while let Some(block) = order.get(next).copied() {
            next += 1;
            func.for_each_successor(block, |to| {
                ids.entry(to).or_insert_with(|| {
                    order.push(to);
                    order.len() - 1
                });
            });
        }
        let mut nodes = Vec::with_capacity(order.len());
        for block in order {
            if func.dfg.params(block).iter().any(|param| func.dfg.ty(*param) != Type::U256) {
                return Err(fault(func.block_place(block), Reason::NotAWord));
            }
            let insts: Vec<Inst> = func.layout.insts(block).collect();
            for inst in &insts {
                check(func, *inst).map_err(|reason| fault(func.inst_place(*inst), reason))?;
            }
            nodes.push(node(func, insts, &ids));
        }
        let mut graph =
            Graph { func, nodes, alias: Rc::default(), words: Rc::default(), states: 0, places: None };
        graph.find_words();
        Ok(graph)
    }

    /// Where an instruction stands in the code.
    pub(crate) fn place_of(&self, inst: Inst) -> At {
        let loc = self.func.dfg.inst(inst).loc.expand();
        At(self.places.zip(loc).and_then(|(places, loc)| u32::try_from(places.loc(loc).start).ok()))
    }

    /// The value that a value is by another name, in any node.
    pub(crate) fn resolve(&self, mut value: Value) -> Value {
        while let Some(other) = self.alias.get(&value) {
            value = *other;
        }
        value
    }

    /// The value that a value is by another name, in this node.
    pub(crate) fn resolve_in(&self, node: NodeId, value: Value) -> Value {
        let mut value = self.resolve(value);
        while let Some(other) = self.nodes[node].local.get(&value) {
            value = self.resolve(*other);
        }
        value
    }

    /// The word of a value that is a constant.
    pub(crate) fn number(&self, value: Value) -> Option<Word> {
        let value = self.resolve(value);
        self.func.dfg.as_const(value).or_else(|| self.words.get(&value).copied())
    }

    /// Computes what is known, such as masks that the code makes by shifts.
    fn find_words(&mut self) {
        let func = self.func;
        let mut words: FxHashMap<Value, Word> = FxHashMap::default();
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            let (Op::Evm(opcode), &[result]) = (func.dfg.op(inst), func.dfg.results(inst)) else { continue };
            let known = |arg: &Value| func.dfg.as_const(*arg).or_else(|| words.get(arg).copied());
            let args: Option<Vec<Word>> = func.dfg.args(inst).iter().map(known).collect();
            if let Some(word) = args.and_then(|args| eval(opcode, &args)) {
                words.insert(result, word);
            }
        }
        self.words = Rc::new(words);
    }

    /// The part of the graph that some of its nodes are, the first of them where it begins; edges lead to
    /// nodes among them.
    pub(crate) fn part(&self, nodes: &[NodeId]) -> Graph<'a> {
        let places: FxHashMap<NodeId, NodeId> = nodes.iter().copied().zip(0..).collect();
        let own = |id: &NodeId| {
            let mut node = self.nodes[*id].clone();
            node.for_each_edge_mut(|edge| edge.to = places.get(&edge.to).copied().unwrap_or(0));
            node
        };
        let Graph { func, alias, words, states, places: locations, .. } = self;
        let nodes = nodes.iter().map(own).collect();
        Graph { func, nodes, alias: alias.clone(), words: words.clone(), states: *states, places: *locations }
    }

    /// Nodes that control reaches, in reverse postorder.
    pub(crate) fn order(&self) -> Vec<NodeId> {
        let mut is_seen = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        let mut stack = vec![(0, self.targets(0))];
        is_seen[0] = true;
        while let Some((node, left)) = stack.last_mut() {
            let Some(next) = left.pop() else {
                order.push(*node);
                stack.pop();
                continue;
            };
            if !std::mem::replace(&mut is_seen[next], true) {
                stack.push((next, self.targets(next)));
            }
        }
        order.reverse();
        order
    }

    /// Where control goes from a node, once an edge.
    pub(crate) fn targets(&self, node: NodeId) -> Vec<NodeId> {
        let mut list = Vec::new();
        self.nodes[node].for_each_edge(|edge| list.push(edge.to));
        list
    }

    /// From where control comes to each node, once an edge; nodes that it does not reach have and give none.
    pub(crate) fn preds(&self) -> Vec<Vec<NodeId>> {
        let mut preds = vec![Vec::new(); self.nodes.len()];
        for node in self.order() {
            self.nodes[node].for_each_edge(|edge| preds[edge.to].push(node));
        }
        preds
    }
}

fn node(func: &Function, mut insts: Vec<Inst>, ids: &FxHashMap<Block, NodeId>) -> Node {
    let edge = |call: &BlockCall| {
        let args = func.dfg.call_args(call).iter().map(|value| Source::Value(*value));
        let params = func.dfg.params(call.block).iter().map(|value| Var::Value(*value));
        Edge { to: ids[&call.block], moves: params.zip(args).collect() }
    };
    let last = insts.last().copied();
    let end = last.map_or(End::Exit, |last| match func.dfg.inst(last).payload {
        Payload::Jump(call) => End::Go(edge(&call)),
        Payload::Branch([yes, no]) => End::Branch(func.dfg.args(last)[0], edge(&yes), edge(&no)),
        Payload::Switch(id) => {
            let data = func.dfg.switch(id);
            let cases = data.cases.iter().map(|(word, call)| (*word, edge(call))).collect();
            End::Switch(func.dfg.args(last)[0], cases, edge(&data.default))
        }
        _ => End::Exit,
    });
    let jump = last.filter(|_| !matches!(end, End::Exit));
    if jump.is_some() {
        insts.pop();
    }
    Node { insts, end, jump, local: FxHashMap::default() }
}

/// Only words, and operations that Yul has. Opcodes that give an address or a truth say so by their types;
/// it is the same word.
fn check(func: &Function, inst: Inst) -> Result<(), Reason> {
    let op = func.dfg.op(inst);
    let results = func.dfg.results(inst);
    let usual = infer_result_types(func, inst, |_| &[]).unwrap_or_default();
    let is_usual = |ty: Type| match op {
        Op::Evm(_) => usual.contains(&ty),
        op => matches!(op, Op::Constant | Op::LoadImmutable),
    };
    let is_word = |value: &Value| match func.dfg.ty(*value) {
        Type::U256 => true,
        ty => matches!(ty, Type::Bool | Type::Int(..=256)) && is_usual(ty),
    };
    let has_all = op.outputs().is_none_or(|count| count == results.len());
    if !has_all || !results.iter().all(is_word) {
        return Err(Reason::NotAWord);
    }
    match op {
        Op::Evm(_) | Op::Constant | Op::Min | Op::Icall | Op::Iret | Op::Unreachable => Ok(()),
        Op::Br | Op::CondBr | Op::Switch | Op::DbgTrace | Op::DbgLabel => Ok(()),
        Op::DataOffset | Op::DataSize | Op::DataCopy => Ok(()),
        Op::LoadImmutable | Op::SetImmutable | Op::LinkerSymbol => Ok(()),
        other => Err(Reason::Operation(other.name())),
    }
}

/// True for an instruction that does nothing but name a word.
pub(crate) fn is_constant(func: &Function, inst: Inst) -> bool {
    func.dfg.op(inst) == Op::Constant
}
