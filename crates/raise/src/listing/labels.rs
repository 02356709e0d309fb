//! The nodes of a graph one after the other, with labels: what has no structure that text can show.

use crate::fold::{in_order, text};
use crate::graph::{End, Graph, NodeId};
use crate::needed::Needed;
use crate::tree::{Elsewhere, Expr, Stmt, Var};
use cairn_evm::Word;
use cairn_ir::SymbolTable;

/// The statements of each node that control reaches.
pub(super) fn labelled(
    graph: &Graph<'_>,
    needed: &Needed,
    symbols: &SymbolTable,
) -> Vec<(Option<u32>, Vec<Stmt>)> {
    let mut spares = 0;
    let nodes = graph.order().into_iter();
    nodes.map(|node| (Some(node as u32), statements(graph, needed, symbols, (node, &mut spares)))).collect()
}

fn statements(
    graph: &Graph<'_>,
    needed: &Needed,
    symbols: &SymbolTable,
    (node, spares): (NodeId, &mut u32),
) -> Vec<Stmt> {
    let text = text(graph, needed, symbols, node);
    let mut stmts = text.stmts;
    let mut moves = text.moves.into_iter();
    let targets = graph.targets(node);
    let mut ways = targets.into_iter().map(|to| way(to, moves.next().unwrap_or_default(), spares));
    let condition = text.condition.unwrap_or(Expr::Number(Word::ZERO));
    match &graph.nodes[node].end {
        End::Exit => {}
        End::Elsewhere(to) => stmts.push(Stmt::Go(*to)),
        End::Go(_) => stmts.extend(ways.next().unwrap_or_default()),
        End::Branch(..) => {
            stmts.push(Stmt::If(condition, ways.next().unwrap_or_default(), text.at));
            stmts.extend(ways.next().unwrap_or_default());
        }
        End::Switch(_, cases, _) => {
            let cases = cases.iter().map(|(word, _)| *word);
            let cases = cases.zip(ways.by_ref()).collect();
            stmts.push(Stmt::Switch(condition, cases, ways.next().unwrap_or_default(), text.at));
        }
        End::States(_, edges) => {
            let cases = (0..edges.len()).map(Word::from).zip(ways).collect();
            stmts.push(Stmt::Switch(condition, cases, Vec::new(), text.at));
        }
    }
    stmts
}

fn way(to: NodeId, moves: Vec<(Var, Expr)>, spares: &mut u32) -> Vec<Stmt> {
    let mut stmts = in_order(moves, spares);
    stmts.push(Stmt::Go(Elsewhere::Node(to as u32)));
    stmts
}
