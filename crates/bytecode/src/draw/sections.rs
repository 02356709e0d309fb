//! What is drawn of codes that are not instructions from the first byte on: the sections of a container, and
//! the address of a delegation.
//!
//! Contract: a cluster is a section and a node one block of it, each in the order of the code; a line leads to
//! a block of its own section, and none to where no block begins, which is a fault of the code. Near-linear.

use super::picture::{Cluster, Line, Node, shown_lines};
use crate::blocks::BlockId;
use crate::cfg::EdgeKind;
use crate::container::{CodeSection, Eof};
use crate::dominators::{dominators, spans};
use crate::eof::{self, EofBlock};
use std::collections::BTreeMap;

/// A cluster for each section of code.
pub(super) fn clusters_of_sections(code: &[u8], container: &Eof) -> Vec<Cluster> {
    container.code.iter().enumerate().map(|(number, section)| cluster(code, number, section)).collect()
}

/// A delegation: one node, which says where the code is.
pub(super) fn delegation(to: [u8; 20]) -> Cluster {
    let label = vec![format!("calls run the code at 0x{}", cairn_evm::hex::encode(to))];
    Cluster {
        title: "delegation (EIP-7702)".to_owned(),
        nodes: vec![Node {
            start: 0,
            blocks: Vec::new(),
            folded: Vec::new(),
            label,
            is_header: false,
            is_end: true,
            is_cold: false,
        }],
        lines: Vec::new(),
    }
}

fn cluster(code: &[u8], number: usize, section: &CodeSection) -> Cluster {
    let blocks = eof::blocks(code, section.bytes.clone());
    let mut lines = lines(&blocks);
    mark_back_edges(&mut lines, blocks.len());
    let mut nodes: Vec<Node> = blocks.iter().map(node).collect();
    lines.iter().filter(|line| line.is_back).for_each(|line| nodes[line.to].is_header = true);
    let start = section.bytes.start;
    Cluster { title: format!("section {number} at {start:#x}: {}", section.signature()), nodes, lines }
}

fn node(block: &EofBlock) -> Node {
    let marks = block.calls.iter().map(|section| format!("  ⇒ calls section {section}")).collect();
    let mut label = vec![format!("{:#x}", block.bytes.start)];
    label.extend(shown_lines(block.lines.clone(), marks));
    Node {
        start: block.bytes.start as u32,
        blocks: Vec::new(),
        folded: Vec::new(),
        label,
        is_header: false,
        is_end: block.edges.is_empty(),
        is_cold: false,
    }
}

/// Edges between blocks, each once.
fn lines(blocks: &[EofBlock]) -> Vec<Line> {
    let at: BTreeMap<usize, usize> =
        blocks.iter().enumerate().map(|(index, block)| (block.bytes.start, index)).collect();
    let mut lines: Vec<Line> = Vec::new();
    for (from, block) in blocks.iter().enumerate() {
        let mut edges: Vec<(usize, EdgeKind)> =
            block.edges.iter().filter_map(|(kind, to)| Some((*at.get(to)?, kind_of(kind)))).collect();
        edges.sort_unstable();
        edges.dedup();
        lines.extend(edges.into_iter().map(|(to, kind)| Line { from, to, kind, is_back: false }));
    }
    lines
}

/// The kind by its name in reports. The cases of a table are jumps.
fn kind_of(name: &str) -> EdgeKind {
    match name {
        "true" => EdgeKind::True,
        "false" => EdgeKind::False,
        "fallthrough" | "default" => EdgeKind::Fallthrough,
        _ => EdgeKind::Jump,
    }
}

/// Lines to a block that every way from the section's beginning to theirs passes.
fn mark_back_edges(lines: &mut [Line], count: usize) {
    let (mut graph, mut preds) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for line in lines.iter() {
        graph[line.from].push(line.to as BlockId);
        preds[line.to].push(line.from as BlockId);
    }
    let roots: &[BlockId] = if count == 0 { &[] } else { &[0] };
    let spans = spans(&dominators(&graph, &preds, roots));
    for line in lines {
        line.is_back = (spans[line.to].0..spans[line.to].1).contains(&spans[line.from].0);
    }
}
