//! The picture as DOT and as Mermaid.

use super::picture::{Cluster, Line, Node, Picture};
use std::fmt::Write;

/// A graph for Graphviz.
pub fn dot(picture: &Picture) -> String {
    let mut out = String::from("digraph code {\n  node [shape=box, fontname=monospace];\n");
    for (number, cluster) in picture.clusters.iter().enumerate() {
        let _ = writeln!(out, "  subgraph cluster_{number} {{\n    label=\"{}\";", cluster.title);
        for node in &cluster.nodes {
            let label: String = node.label.iter().map(|line| format!("{}\\l", quoted(line))).collect();
            let _ = writeln!(out, "    {} [label=\"{label}\"];", name(number, node));
        }
        for line in &cluster.lines {
            let style = if line.is_back { ", style=dashed, constraint=false" } else { "" };
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

fn name(cluster: usize, node: &Node) -> String {
    format!("n{cluster}_{:x}", node.start)
}

fn ends(number: usize, cluster: &Cluster, line: &Line) -> (String, String) {
    (name(number, &cluster.nodes[line.from]), name(number, &cluster.nodes[line.to]))
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
