//! The picture as SVG.

use super::layout::{CHAR_WIDTH, LINE_HEIGHT, Place, Placed};
use super::part::{Part, Picture};
use super::picture::{Cluster, Line, Node};
use super::place_parts::{PlacedPart, place_parts};
use crate::cfg::EdgeKind;
use std::fmt::Write;

const STYLE: &str = "text{font:11px ui-monospace,Menlo,Consolas,monospace;fill:#1f2328}\
.t{font-weight:bold;font-size:12px}.g{fill:#fff}.c{fill:#f6f8fa;stroke:#afb8c1}.n{fill:#fff;stroke:#57606a}\
.h{fill:#fff8e1;stroke:#bf8700;stroke-width:2}.e{fill:#eef6ee;stroke:#1a7f37}.x{fill:#fff5f5;stroke:#cf222e}\
.l{fill:none;stroke:#57606a}.true{stroke:#1a7f37}.false{stroke:#cf222e}.call{stroke:#8250df}\
.b{fill:none;stroke:#e65100;stroke-width:2;stroke-dasharray:5 4}.m{fill:#57606a}\
.p{fill:none;stroke:#57606a}.pt{font-weight:bold;font-size:15px}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.g{fill:#0d1117}.c{fill:#161b22;stroke:#30363d}\
.n{fill:#0d1117;stroke:#8b949e}.h{fill:#2b2410;stroke:#d29922}.e{fill:#12261a;stroke:#3fb950}\
.x{fill:#2d1517;stroke:#f85149}.l{stroke:#8b949e}.true{stroke:#3fb950}.false{stroke:#f85149}\
.call{stroke:#a371f7}.b{stroke:#f0883e}.m{fill:#8b949e}.p{stroke:#8b949e}}";

/// What the colours mean: class of a rectangle, or of a line, and words.
const LEGEND: [(&str, &str); 8] = [
    ("n", "block"),
    ("h", "head of a loop"),
    ("e", "end"),
    ("x", "always fails"),
    ("l true", "if true"),
    ("l false", "if false"),
    ("l b", "back edge"),
    ("l call", "call, return"),
];
/// Height of the legend, and width of each entry of it.
const LEGEND_HEIGHT: f64 = 34.0;
const LEGEND_STEP: f64 = 128.0;

/// Draws the picture.
pub fn svg(picture: &Picture) -> String {
    let (placed, width, bottom) = place_parts(picture);
    let (width, height) = (width.max(LEGEND_STEP * LEGEND.len() as f64), bottom + LEGEND_HEIGHT);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\">"
    );
    let _ = writeln!(out, "<style>{STYLE}</style>");
    out.push_str(
        "<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" markerHeight=\"9\" orient=\"auto\"><path class=\"m\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n<rect class=\"g\" width=\"100%\" height=\"100%\"/>\n<g id=\"all\">\n",
    );
    for (part, placed) in picture.parts.iter().zip(&placed) {
        draw_part(&mut out, part, placed);
    }
    out.push_str("</g>\n");
    draw_legend(&mut out, bottom);
    out.push_str("</svg>\n");
    out
}

/// A small rectangle or line of a class, with its left end in the middle at this place.
fn draw_sample(out: &mut String, class: &str, (x, y): (f64, f64)) {
    if class.starts_with('l') {
        let _ = write!(out, "<path class=\"{class}\" d=\"M{x:.0} {y:.0}h20\"/>");
    } else {
        rectangle(out, class, Place { x, y: y - 7.0, width: 20.0, height: 14.0 }, 3);
    }
}

/// The legend as items of a list in HTML, in a page that has the picture.
pub(super) fn legend_items() -> String {
    let mut out = String::new();
    for (class, words) in LEGEND {
        out.push_str("<li><svg width=\"24\" height=\"18\">");
        draw_sample(&mut out, class, (2.0, 9.0));
        let _ = writeln!(out, "</svg> {words}");
    }
    out
}

fn draw_legend(out: &mut String, top: f64) {
    out.push_str("<g id=\"legend\">\n");
    for (index, (class, words)) in LEGEND.iter().enumerate() {
        let (x, y) = (10.0 + index as f64 * LEGEND_STEP, top + LEGEND_HEIGHT / 2.0);
        draw_sample(out, class, (x, y));
        let _ = writeln!(out, "<text x=\"{:.0}\" y=\"{:.0}\">{words}</text>", x + 26.0, y + 4.0);
    }
    out.push_str("</g>\n");
}

fn draw_part(out: &mut String, part: &Part, placed: &PlacedPart) {
    if let Some(frame) = placed.frame {
        rectangle(out, "p", frame, 8);
        let (x, y) = (frame.x + 18.0, frame.y + 22.0);
        let _ = writeln!(out, "<text class=\"pt\" x=\"{x:.0}\" y=\"{y:.0}\">{}</text>", escape(&part.title));
    }
    for (cluster, placed) in part.clusters.iter().zip(&placed.clusters) {
        draw_cluster(out, &part.name, cluster, placed);
    }
}

fn draw_cluster(out: &mut String, part: &str, cluster: &Cluster, placed: &Placed) {
    rectangle(out, "c", placed.frame, 6);
    let (x, y) = (placed.frame.x + 12.0, placed.frame.y + 17.0);
    let _ = writeln!(out, "<text class=\"t\" x=\"{x:.0}\" y=\"{y:.0}\">{}</text>", escape(&cluster.title));
    for (line, points) in cluster.lines.iter().zip(&placed.lines) {
        draw_line(out, line, points);
    }
    for (node, place) in cluster.nodes.iter().zip(&placed.nodes) {
        draw_node(out, part, node, *place);
    }
}

fn draw_node(out: &mut String, part: &str, node: &Node, place: Place) {
    let class = match () {
        () if node.is_header => "h",
        () if node.is_cold => "x",
        () if node.is_end => "e",
        () => "n",
    };
    let _ = write!(out, "<g class=\"node\" data-start=\"{part}{}\">", node.start);
    rectangle(out, class, place, 3);
    let longest = ((place.width - 14.0) / CHAR_WIDTH).round() as usize;
    for (index, line) in node.label.iter().enumerate() {
        let y = place.y + 14.0 + index as f64 * LINE_HEIGHT;
        let class = if index == 0 { " class=\"t\"" } else { "" };
        let shown: String = if line.chars().count() > longest {
            line.chars().take(longest.saturating_sub(1)).chain(['…']).collect()
        } else {
            line.clone()
        };
        let _ = write!(
            out,
            "<text{class} x=\"{:.0}\" y=\"{y:.0}\" xml:space=\"preserve\">{}</text>",
            place.x + 7.0,
            escape(&shown)
        );
    }
    out.push_str("</g>\n");
}

fn draw_line(out: &mut String, line: &Line, points: &[(f64, f64)]) {
    let class = match (line.is_back, line.kind) {
        (true, _) => "l b",
        (false, EdgeKind::True) => "l true",
        (false, EdgeKind::False) => "l false",
        (false, EdgeKind::Call | EdgeKind::Return) => "l call",
        (false, EdgeKind::Jump | EdgeKind::Fallthrough) => "l",
    };
    let _ = write!(out, "<path class=\"{class}\" marker-end=\"url(#a)\" d=\"");
    let goes_up = line.is_back || points.first().zip(points.last()).is_some_and(|(a, b)| b.1 <= a.1);
    for (index, (x, y)) in points.iter().enumerate() {
        let Some((before_x, before_y)) = index.checked_sub(1).map(|before| points[before]) else {
            let _ = write!(out, "M{x:.0} {y:.0}");
            continue;
        };
        if goes_up {
            let _ = write!(out, "L{x:.0} {y:.0}");
        } else {
            let middle = (before_y + y) / 2.0;
            let _ = write!(out, "C{before_x:.0} {middle:.0} {x:.0} {middle:.0} {x:.0} {y:.0}");
        }
    }
    out.push_str("\"/>\n");
}

fn rectangle(out: &mut String, class: &str, place: Place, radius: u32) {
    let Place { x, y, width, height } = place;
    let _ = write!(
        out,
        "<rect class=\"{class}\" x=\"{x:.0}\" y=\"{y:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" rx=\"{radius}\"/>"
    );
}

pub(super) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
