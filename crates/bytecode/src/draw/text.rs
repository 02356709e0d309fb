//! The picture as DOT and as Mermaid. Titled parts are clusters around their clusters.

use super::part::{Part, Picture};
use super::picture::{Cluster, Line, Node};
use crate::cfg::EdgeKind;
use std::fmt::Write;

/// What a viewer takes.
struct Limits {
    nodes: usize,
    lines: usize,
    bytes: usize,
}

/// Graphviz lays out so many nodes in seconds.
const DOT: Limits = Limits { nodes: 2_000, lines: 6_000, bytes: usize::MAX };
/// Mermaid refuses more lines, and more text, by its default settings.
const MERMAID: Limits = Limits { nodes: usize::MAX, lines: 500, bytes: 49_000 };

/// A drawing that grows up to its limits.
struct Drawing {
    out: String,
    limits: Limits,
    num_nodes: usize,
    num_lines: usize,
    left_out: usize,
}

impl Drawing {
    fn new(head: &str, limits: Limits) -> Self {
        Drawing { out: head.to_owned(), limits, num_nodes: 0, num_lines: 0, left_out: 0 }
    }

    /// Adds the nodes and lines of a cluster that have room.
    fn cluster(&mut self, cluster: &Cluster, node: impl Fn(&Node) -> String, line: impl Fn(&Line) -> String) {
        let mut is_shown = vec![false; cluster.nodes.len()];
        for (index, shown) in is_shown.iter_mut().enumerate() {
            let text = node(&cluster.nodes[index]);
            *shown = self.num_nodes < self.limits.nodes && self.has_room(&text);
            if *shown {
                self.num_nodes += 1;
                self.out.push_str(&text);
            } else {
                self.left_out += 1;
            }
        }
        for found in cluster.lines.iter().filter(|line| is_shown[line.from] && is_shown[line.to]) {
            let text = line(found);
            if self.num_lines < self.limits.lines && self.has_room(&text) {
                self.num_lines += 1;
                self.out.push_str(&text);
            }
        }
    }

    fn has_room(&self, text: &str) -> bool {
        self.out.len() + text.len() <= self.limits.bytes
    }
}

/// A graph for Graphviz, cut where it would take too long to lay out.
pub fn dot(picture: &Picture) -> String {
    let head = "digraph code {\n  node [shape=box, fontname=monospace];\n";
    let mut drawing = Drawing::new(head, DOT);
    for part in &picture.parts {
        let is_titled = !part.title.is_empty();
        if is_titled {
            let head = format!("  subgraph cluster_{}all {{\n    label=\"{}\";\n", part.name, part.title);
            drawing.out.push_str(&head);
        }
        draw_dot_part(&mut drawing, part);
        if is_titled {
            drawing.out.push_str("  }\n");
        }
    }
    if drawing.left_out > 0 {
        let _ = writeln!(drawing.out, "  more [label=\"{} nodes more\", shape=plaintext];", drawing.left_out);
    }
    drawing.out.push_str("}\n");
    drawing.out
}

fn draw_dot_part(drawing: &mut Drawing, part: &Part) {
    for (number, cluster) in part.clusters.iter().enumerate() {
        let id = format!("{}{number}", part.name);
        let _ = writeln!(drawing.out, "  subgraph cluster_{id} {{\n    label=\"{}\";", cluster.title);
        let node = |node: &Node| {
            let label: String = node.label.iter().map(|line| format!("{}\\l", quoted(line))).collect();
            format!("    {} [label=\"{label}\"{}];\n", name(part, number, node), fill(node))
        };
        let line = |line: &Line| {
            let style = match (line.is_back, line.kind) {
                (true, _) => ", style=dashed, color=\"#e65100\", constraint=false",
                (false, EdgeKind::True) => ", color=\"#1a7f37\"",
                (false, EdgeKind::False) => ", color=\"#cf222e\"",
                (false, EdgeKind::Fallthrough | EdgeKind::Jump | EdgeKind::Call | EdgeKind::Return) => "",
            };
            let (from, to) = ends(part, number, cluster, line);
            format!("    {from} -> {to} [label=\"{}\"{style}];\n", line.kind.name())
        };
        drawing.cluster(cluster, node, line);
        drawing.out.push_str("  }\n");
    }
}

/// A flow chart for Mermaid, cut to what it takes by default.
pub fn mermaid(picture: &Picture) -> String {
    let mut drawing = Drawing::new("graph TD\n", MERMAID);
    for part in &picture.parts {
        let head = format!("  subgraph {}all[\"{}\"]\n", part.name, part.title);
        let is_titled = !part.title.is_empty();
        if is_titled && !drawing.has_room(&head) {
            drawing.left_out += part.clusters.iter().map(|cluster| cluster.nodes.len()).sum::<usize>();
            continue;
        }
        if is_titled {
            drawing.out.push_str(&head);
        }
        draw_mermaid_part(&mut drawing, part);
        if is_titled {
            drawing.out.push_str("  end\n");
        }
    }
    if drawing.left_out > 0 {
        let _ = writeln!(drawing.out, "  more[\"{} nodes more\"]", drawing.left_out);
    }
    drawing.out
}

fn draw_mermaid_part(drawing: &mut Drawing, part: &Part) {
    for (number, cluster) in part.clusters.iter().enumerate() {
        let head = format!("  subgraph {}c{number}[\"{}\"]\n", part.name, cluster.title);
        if !drawing.has_room(&head) {
            drawing.left_out += cluster.nodes.len();
            continue;
        }
        drawing.out.push_str(&head);
        let node = |node: &Node| {
            let label =
                node.label.iter().map(|line| super::svg::escape(line)).collect::<Vec<_>>().join("<br/>");
            format!("    {}[\"{label}\"]\n", name(part, number, node))
        };
        let line = |line: &Line| {
            let (from, to) = ends(part, number, cluster, line);
            let arrow = if line.is_back { "-.->" } else { "-->" };
            format!("    {from} {arrow}|{}| {to}\n", line.kind.name())
        };
        drawing.cluster(cluster, node, line);
        drawing.out.push_str("  end\n");
    }
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

fn name(part: &Part, cluster: usize, node: &Node) -> String {
    format!("{}n{cluster}_{:x}", part.name, node.start)
}

fn ends(part: &Part, number: usize, cluster: &Cluster, line: &Line) -> (String, String) {
    (name(part, number, &cluster.nodes[line.from]), name(part, number, &cluster.nodes[line.to]))
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze;

    #[test]
    fn large_graphs_are_cut_to_what_viewers_take() {
        // CALLDATASIZE, PUSH2 the JUMPDEST after the next, JUMPI, JUMPDEST, three thousand times.
        let code: Vec<u8> = (0..3_000_u16)
            .flat_map(|index| {
                let [high, low] = (index * 6 + 11).to_be_bytes();
                [0x36, 0x61, high, low, 0x57, 0x5b]
            })
            .collect();
        let picture = Picture::of(&analyze(&code));
        let (flow, graph) = (mermaid(&picture), dot(&picture));
        assert!(flow.len() < 50_000 && flow.matches("--").count() <= 500, "{} bytes", flow.len());
        assert!(flow.contains("nodes more") && graph.contains("nodes more"));
        assert!(graph.matches("[label=").count() <= 8_001);
        let analysis = analyze(&code);
        let both = Picture::beside([("a", &analysis), ("b", &analysis)]);
        let (flow, graph) = (mermaid(&both), dot(&both));
        assert!(flow.len() < 50_000 && flow.matches("--").count() <= 500, "{} bytes", flow.len());
        assert!(graph.matches("[label=").count() <= 8_001);
        let small = Picture::of(&analyze(&code[..60]));
        assert!(!mermaid(&small).contains("nodes more") && !dot(&small).contains("nodes more"));
    }
}
