//! The picture as DOT and as Mermaid.

use super::picture::{Cluster, Line, Node, Picture};
use crate::cfg::EdgeKind;
use std::fmt::Write;

/// A graph for Graphviz.
pub fn dot(picture: &Picture) -> String {
    let mut out = String::from("digraph code {\n  node [shape=box, fontname=monospace];\n");
    for (number, cluster) in picture.clusters.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{number} {{\n    label=\"{}\";", cluster.title);
        for node in &cluster.nodes {
            let label: String = node.label.iter().map(|line| format!("{}\\l", quoted(line))).collect();
            let _ = writeln!(out, "    {} [label=\"{label}\"{}];", name(number, node), fill(node));
        }
        for line in &cluster.lines {
            let style = match (line.is_back, line.kind) {
                (true, _) => ", style=dashed, color=\"#e65100\", constraint=false",
                (false, EdgeKind::True) => ", color=\"#1a7f37\"",
                (false, EdgeKind::False) => ", color=\"#cf222e\"",
                (false, EdgeKind::Fallthrough | EdgeKind::Jump | EdgeKind::Call | EdgeKind::Return) => "",
            };
            let (from, to) = ends(number, cluster, line);
            let _ = writeln!(out, "    {from} -> {to} [label=\"{}\"{style}];", line.kind.name());
        }
        out.push_str("  }\n");
    }
    out.push_str("}\n");
    out
}

/// A flow chart for Mermaid.
pub fn mermaid(picture: &Picture) -> String {
    let mut out = String::from("graph TD\n");
    for (number, cluster) in picture.clusters.iter().enumerate() {
        let _ = writeln!(out, "  subgraph c{number}[\"{}\"]", cluster.title);
        for node in &cluster.nodes {
            let label =
                node.label.iter().map(|line| super::svg::escape(line)).collect::<Vec<_>>().join("<br/>");
            let _ = writeln!(out, "    {}[\"{label}\"]", name(number, node));
        }
        for line in &cluster.lines {
            let (from, to) = ends(number, cluster, line);
            let arrow = if line.is_back { "-.->" } else { "-->" };
            let _ = writeln!(out, "    {from} {arrow}|{}| {to}", line.kind.name());
        }
        out.push_str("  end\n");
    }
    out
}

/// The colour of a node, as in the other pictures.
fn fill(node: &Node) -> &'static str {
    match () {
        () if node.is_header => ", style=filled, fillcolor=\"#fff8e1\"",
        () if node.is_cold => ", style=filled, fillcolor=\"#fff5f5\"",
        () if node.is_end => ", style=filled, fillcolor=\"#eef6ee\"",
        () => "",
    }
}

fn name(cluster: usize, node: &Node) -> String {
    format!("n{cluster}_{:x}", node.start)
}

fn ends(number: usize, cluster: &Cluster, line: &Line) -> (String, String) {
    (name(number, &cluster.nodes[line.from]), name(number, &cluster.nodes[line.to]))
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
