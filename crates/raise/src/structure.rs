//! The nodes of a graph as nested statements.
//!
//! Yul has `break`, `continue` and `leave`, for the innermost loop and the function alone. Where the
//! text would go on at the right node anyway, a way there is nothing at all. Else it is `break` or
//! `continue` of the innermost loop, where that leads there. A node that is to be reached past others
//! gets a region before it, a `for` that runs once and that `break` leaves. Where several loops or
//! regions are to be left, a variable says for which node, and behind each of them an `if` goes on.
//!
//! Which nodes need a region shows when the text is written; it is written again then.

use crate::fault::{Fault, Reason};
use crate::fold::{in_order, text};
use crate::graph::{End, Graph, NodeId};
use crate::needed::Needed;
use crate::shape::Shape;
use crate::tree::{At, Expr, Repeats, Stmt, Var};
use cairn_evm::{Opcode, Word};
use cairn_ir::SymbolTable;
use rustc_hash::FxHashSet;

/// Levels of statements; what is written is read again with a limit.
const MAX_DEPTH: usize = 150;

/// What raising a function took that its code does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Detours {
    /// States of cycles with several entries.
    pub states: usize,
    /// Regions: loops that run once.
    pub regions: usize,
    /// Ways out of several loops at once.
    pub far_exits: usize,
}

/// A function's statements.
pub(crate) fn structure(
    graph: &Graph<'_>,
    needed: &Needed,
    symbols: &SymbolTable,
) -> Result<(Vec<Stmt>, Detours), Fault> {
    let shape = Shape::of(graph);
    let mut regions: FxHashSet<NodeId> = FxHashSet::default();
    loop {
        let mut writer = Writer {
            graph,
            symbols,
            needed,
            shape: &shape,
            regions: &regions,
            frames: Vec::new(),
            missing: Vec::new(),
            exits: Vec::new(),
            depth: 0,
            spares: 0,
            far_exits: 0,
        };
        let mut stmts = Vec::new();
        writer.sequence(0, None, &mut stmts)?;
        if writer.missing.is_empty() {
            let states = graph.states as usize;
            let detours = Detours { states, regions: regions.len(), far_exits: writer.far_exits };
            return Ok((stmts, detours));
        }
        let missing = writer.missing;
        regions.extend(missing);
    }
}

/// A `for` around what is being written.
struct Frame {
    /// Where `break` leads.
    breaks_to: Option<NodeId>,
    /// Where `continue` leads.
    continues_to: Option<NodeId>,
    /// Nodes behind other loops that it is left for.
    pending: Vec<NodeId>,
    is_left: bool,
}

/// A way from a node: what is moved, and where to.
struct Way {
    to: NodeId,
    moves: Vec<(Var, Expr)>,
}

/// What became of a part.
enum Flow {
    /// The text ends; control may go on behind it, or not.
    Done(bool),
    /// The text goes on with this node.
    Next(NodeId),
}

/// What is written alone, without what stands behind it.
#[derive(Clone, Copy)]
enum Part {
    /// A node, with its loop if it has one.
    Whole(NodeId),
    /// A node in its loop.
    Body(NodeId),
}

struct Writer<'g, 'f> {
    graph: &'g Graph<'f>,
    symbols: &'g SymbolTable,
    needed: &'g Needed,
    shape: &'g Shape,
    /// Nodes that have a region before them.
    regions: &'g FxHashSet<NodeId>,
    frames: Vec<Frame>,
    /// Nodes that need a region.
    missing: Vec<NodeId>,
    /// Nodes for which loops are left several at a time; the exit variable counts them from 1.
    exits: Vec<NodeId>,
    depth: usize,
    spares: u32,
    far_exits: usize,
}

impl<'g> Writer<'g, '_> {
    /// Writes a node and what stands behind it; `follow` is the node that control comes to at the end of
    /// the text. True when control may get there.
    fn sequence(
        &mut self,
        first: NodeId,
        follow: Option<NodeId>,
        out: &mut Vec<Stmt>,
    ) -> Result<bool, Fault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let func = self.graph.func;
            return Err(Fault { function: func.name.clone(), place: func.span, reason: Reason::TooDeep });
        }
        let mut current = first;
        let completes = loop {
            let shape: &'g Shape = self.shape;
            let behind = match shape.is_header[current] {
                true => &shape.behind_loop[current],
                false => &shape.behind[current],
            };
            match self.with_behind(Part::Whole(current), behind, follow, out)? {
                Flow::Done(completes) => break completes,
                Flow::Next(next) => current = next,
            }
        };
        self.depth -= 1;
        Ok(completes)
    }

    /// Writes a part and the nodes behind it, but the last one, which is next.
    fn with_behind(
        &mut self,
        part: Part,
        behind: &[NodeId],
        follow: Option<NodeId>,
        out: &mut Vec<Stmt>,
    ) -> Result<Flow, Fault> {
        let Some(last) = behind.last().copied() else { return self.alone(part, follow, out) };
        let mut outer = Vec::new();
        for next in behind.iter().rev().filter(|next| self.regions.contains(next)) {
            self.enter(Some(*next), None);
            outer.push(std::mem::take(out));
        }
        let first = behind.first().copied();
        let flow = self.alone(part, first, out)?;
        let mut completes = self.finish(flow, first, out)?;
        for (place, next) in behind.iter().copied().enumerate() {
            if self.regions.contains(&next) {
                if completes {
                    out.push(Stmt::Break);
                }
                let body = std::mem::replace(out, outer.pop().unwrap_or_default());
                self.leave(Repeats::Once, body, out);
            }
            if next != last {
                completes = self.sequence(next, behind.get(place + 1).copied(), out)?;
            }
        }
        Ok(Flow::Next(last))
    }

    /// Writes a node, or its loop.
    fn alone(&mut self, part: Part, follow: Option<NodeId>, out: &mut Vec<Stmt>) -> Result<Flow, Fault> {
        let header = match part {
            Part::Whole(node) if self.shape.is_header[node] => node,
            Part::Whole(node) | Part::Body(node) => return self.node(node, follow, out),
        };
        self.enter(follow, Some(header));
        let mut body = Vec::new();
        let behind = &self.shape.behind[header];
        let flow = self.with_behind(Part::Body(header), behind, Some(header), &mut body)?;
        self.finish(flow, Some(header), &mut body)?;
        let repeats = match self.graph.nodes[header].end {
            End::States(..) => Repeats::States,
            _ => Repeats::Loop,
        };
        Ok(Flow::Done(self.leave(repeats, body, out)))
    }

    fn finish(&mut self, flow: Flow, follow: Option<NodeId>, out: &mut Vec<Stmt>) -> Result<bool, Fault> {
        match flow {
            Flow::Done(completes) => Ok(completes),
            Flow::Next(node) => self.sequence(node, follow, out),
        }
    }

    /// Writes the instructions of a node and its end.
    fn node(&mut self, node: NodeId, follow: Option<NodeId>, out: &mut Vec<Stmt>) -> Result<Flow, Fault> {
        let text = text(self.graph, self.needed, self.symbols, node);
        out.extend(text.stmts);
        let mut targets = self.graph.targets(node).into_iter();
        let mut ways = text.moves.into_iter().map(|moves| Way { to: targets.next().unwrap_or(0), moves });
        let condition = text.condition.unwrap_or(Expr::Number(Word::ZERO));
        match (&self.graph.nodes[node].end, ways.next()) {
            (End::Go(_), Some(way)) => Ok(self.go(way, follow, out)),
            (End::Branch(..), Some(yes)) => {
                let no = ways.next().unwrap_or(Way { to: 0, moves: Vec::new() });
                self.branch((condition, text.at), [yes, no], follow, out)
            }
            (End::Switch(_, cases, _), Some(first)) => {
                let numbers: Vec<Word> = cases.iter().map(|(word, _)| *word).collect();
                let ways = [first].into_iter().chain(ways).collect();
                self.switch((condition, text.at), numbers, ways, follow, out)
            }
            (End::States(..), Some(first)) => {
                let ways: Vec<Way> = [first].into_iter().chain(ways).collect();
                let numbers = (0..ways.len() - 1).map(Word::from).collect();
                self.switch((condition, text.at), numbers, ways, follow, out)
            }
            (End::Elsewhere(to), _) => {
                out.push(Stmt::Go(*to));
                Ok(Flow::Done(false))
            }
            (End::Exit, _) | (_, None) => Ok(Flow::Done(false)),
        }
    }

    /// Writes a way as the end of a text.
    fn go(&mut self, way: Way, follow: Option<NodeId>, out: &mut Vec<Stmt>) -> Flow {
        out.extend(in_order(way.moves, &mut self.spares));
        if follow == Some(way.to) {
            return Flow::Done(true);
        }
        if self.is_here(way.to) {
            return Flow::Next(way.to);
        }
        self.leave_for(way.to, out);
        Flow::Done(false)
    }

    fn jump(&mut self, way: Way, follow: Option<NodeId>, out: &mut Vec<Stmt>) -> Result<bool, Fault> {
        let flow = self.go(way, follow, out);
        self.finish(flow, follow, out)
    }

    /// True for a node that stands at the only way to it.
    fn is_here(&self, node: NodeId) -> bool {
        !self.shape.is_behind[node] && !self.frames.iter().any(|frame| frame.continues_to == Some(node))
    }

    /// Nodes that are written at a way.
    fn size(&self, way: &Way) -> usize {
        if self.is_here(way.to) { self.shape.sizes[way.to] } else { 0 }
    }

    fn branch(
        &mut self,
        (condition, at): (Expr, At),
        [yes, no]: [Way; 2],
        follow: Option<NodeId>,
        out: &mut Vec<Stmt>,
    ) -> Result<Flow, Fault> {
        let (is_yes, is_no) = (truth(condition.clone()), negation(condition.clone()));
        let yes_is_first = self.size(&yes) <= self.size(&no);
        let (first, if_first, then, if_then) = match yes_is_first {
            true => (yes, is_yes, no, is_no),
            false => (no, is_no, yes, is_yes),
        };
        let (mut short, mut long) = (Vec::new(), Vec::new());
        let short_completes = self.jump(first, follow, &mut short)?;
        if !short_completes {
            out.push(Stmt::If(if_first, short, at));
            return Ok(self.go(then, follow, out));
        }
        let long_completes = self.jump(then, follow, &mut long)?;
        match (short.is_empty(), long.is_empty()) {
            (true, true) => out.push(Stmt::Do(Expr::evm(Opcode::POP, vec![condition]))),
            (true, false) => out.push(Stmt::If(if_then, long, at)),
            (false, true) => out.push(Stmt::If(if_first, short, at)),
            (false, false) if !long_completes => {
                out.push(Stmt::If(if_then, long, at));
                out.extend(short);
            }
            (false, false) if yes_is_first => {
                out.push(Stmt::Switch(condition, vec![(Word::ZERO, long)], short, at))
            }
            (false, false) => out.push(Stmt::Switch(condition, vec![(Word::ZERO, short)], long, at)),
        }
        Ok(Flow::Done(true))
    }

    /// The last way is the default's.
    fn switch(
        &mut self,
        (condition, at): (Expr, At),
        numbers: Vec<Word>,
        mut ways: Vec<Way>,
        follow: Option<NodeId>,
        out: &mut Vec<Stmt>,
    ) -> Result<Flow, Fault> {
        let Some(default) = ways.pop() else { return Ok(Flow::Done(false)) };
        let (mut cases, mut completes) = (Vec::new(), false);
        for (number, way) in numbers.into_iter().zip(ways) {
            let mut body = Vec::new();
            completes |= self.jump(way, follow, &mut body)?;
            cases.push((number, body));
        }
        if !completes && !cases.is_empty() {
            out.push(Stmt::Switch(condition, cases, Vec::new(), at));
            return Ok(self.go(default, follow, out));
        }
        let mut body = Vec::new();
        completes |= self.jump(default, follow, &mut body)?;
        out.push(Stmt::Switch(condition, cases, body, at));
        Ok(Flow::Done(completes))
    }

    fn enter(&mut self, breaks_to: Option<NodeId>, continues_to: Option<NodeId>) {
        self.frames.push(Frame { breaks_to, continues_to, pending: Vec::new(), is_left: false });
    }

    /// Ends the innermost loop or region; true when `break` leads out of it.
    fn leave(&mut self, repeats: Repeats, body: Vec<Stmt>, out: &mut Vec<Stmt>) -> bool {
        let Some(frame) = self.frames.pop() else { return false };
        out.push(Stmt::endless(repeats, body));
        for node in frame.pending {
            let number = Expr::Number(self.exit_number(node));
            let mut body = Vec::new();
            if self.arrives(node) && self.frames.iter().any(|frame| frame.continues_to.is_some()) {
                // The loop around may come here again, by another way.
                body.push(Stmt::assign(Var::Exit, Expr::Number(Word::ZERO)));
            }
            self.leave_for(node, &mut body);
            out.push(Stmt::If(Expr::evm(Opcode::EQ, vec![Expr::Var(Var::Exit), number]), body, At(None)));
        }
        frame.is_left
    }

    /// True when leaving the innermost loop or region leads to the node.
    fn arrives(&self, node: NodeId) -> bool {
        self.frames.last().is_some_and(|frame| leads(frame, node))
    }

    fn exit_number(&mut self, node: NodeId) -> Word {
        let known = self.exits.iter().position(|known| *known == node);
        let place = known.unwrap_or_else(|| {
            self.exits.push(node);
            self.exits.len() - 1
        });
        Word::from(place + 1)
    }

    /// Writes what leads to a node that stands elsewhere.
    fn leave_for(&mut self, node: NodeId, out: &mut Vec<Stmt>) {
        if !self.frames.iter().any(|frame| leads(frame, node)) {
            self.missing.push(node);
            return;
        }
        let is_far = !self.arrives(node);
        if is_far {
            self.far_exits += 1;
            let number = self.exit_number(node);
            out.push(Stmt::assign(Var::Exit, Expr::Number(number)));
        }
        let Some(frame) = self.frames.last_mut() else { return };
        if frame.continues_to == Some(node) {
            out.push(Stmt::Continue);
            return;
        }
        out.push(Stmt::Break);
        if is_far && !frame.pending.contains(&node) {
            frame.pending.push(node);
        }
        frame.is_left |= !is_far;
    }
}

/// True when `break` or `continue` leads to the node.
fn leads(frame: &Frame, node: NodeId) -> bool {
    frame.breaks_to == Some(node) || frame.continues_to == Some(node)
}

/// A condition that holds when the value is not zero.
fn truth(condition: Expr) -> Expr {
    if let Some([inner]) = condition.args_of(Opcode::ISZERO)
        && let Some([value]) = inner.args_of(Opcode::ISZERO)
    {
        return truth(value.clone());
    }
    match difference(&condition) {
        Some(args) => Expr::evm(Opcode::ISZERO, vec![Expr::evm(Opcode::EQ, args)]),
        None => condition,
    }
}

/// A condition that holds when the value is zero.
pub(crate) fn negation(condition: Expr) -> Expr {
    if let Some([value]) = condition.args_of(Opcode::ISZERO) {
        return truth(value.clone());
    }
    match difference(&condition) {
        Some(args) => Expr::evm(Opcode::EQ, args),
        None => Expr::evm(Opcode::ISZERO, vec![condition]),
    }
}

/// The operands of a difference, which is zero where they are equal.
fn difference(condition: &Expr) -> Option<Vec<Expr>> {
    let args = condition.args_of(Opcode::SUB).or_else(|| condition.args_of(Opcode::XOR))?;
    Some(args.to_vec())
}
