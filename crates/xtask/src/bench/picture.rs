//! Bars of ratios as SVG: a group a case, a bar a compiler, a line at 1 for the base.

use std::fmt::Write;

/// Pixels of a bar's height, of the space after a group, of the names' column, of the bars' area.
const BAR: usize = 9;
const GAP: usize = 7;
const NAMES: usize = 250;
const AREA: usize = 560;
/// Space above and below the bars.
const MARGIN: usize = 58;
/// The ratio at the right border; longer bars are cut and say how long they are.
const MAX_RATIO: f64 = 1.4;
/// Colours that can be told apart by everyone, for one bar after the other.
const COLORS: [&str; 4] = ["#0072b2", "#009e73", "#e69f00", "#999999"];

/// A picture of ratios.
pub(crate) struct Picture {
    pub(crate) title: String,
    /// What the scale counts.
    pub(crate) axis: String,
    /// What a group is.
    pub(crate) rows: String,
    /// What the bars of a group are.
    pub(crate) legend: Vec<String>,
    /// A name and, where there is one, a ratio for each bar.
    pub(crate) groups: Vec<(String, Vec<Option<f64>>)>,
}

impl Picture {
    /// The picture as SVG.
    pub(crate) fn svg(&self) -> String {
        let group = self.legend.len() * BAR + GAP;
        let height = MARGIN + self.groups.len() * group + GAP + 36;
        let width = NAMES + AREA + 60;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
             <text x=\"10\" y=\"18\" font-size=\"14\" font-weight=\"bold\">{}</text>\n",
            escaped(&self.title)
        );
        self.legend_to(&mut text);
        scale_to(&mut text, MARGIN + self.groups.len() * group);
        self.axes_to(&mut text, MARGIN + self.groups.len() * group);
        for (index, (name, ratios)) in self.groups.iter().enumerate() {
            group_to(&mut text, MARGIN + index * group, name, ratios);
        }
        text + "</svg>\n"
    }

    /// What is counted from left to right, and what stands from top to bottom.
    fn axes_to(&self, text: &mut String, bottom: usize) {
        let (middle, y) = (NAMES + AREA / 2, bottom + 32);
        let (axis, rows) = (escaped(&self.axis), escaped(&self.rows));
        _ = writeln!(text, "<text x=\"{middle}\" y=\"{y}\" text-anchor=\"middle\">{axis}</text>");
        let (x, y) = (NAMES - 8, MARGIN - 8);
        _ = writeln!(
            text,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\" font-style=\"italic\">{rows}</text>"
        );
    }

    fn legend_to(&self, text: &mut String) {
        let mut x = 10;
        for (index, name) in self.legend.iter().enumerate() {
            let color = COLORS[index % COLORS.len()];
            _ = writeln!(text, "<rect x=\"{x}\" y=\"28\" width=\"10\" height=\"10\" fill=\"{color}\"/>");
            _ = writeln!(text, "<text x=\"{}\" y=\"37\">{}</text>", x + 14, escaped(name));
            x += 40 + 7 * name.len();
        }
    }
}

fn place(ratio: f64) -> usize {
    NAMES + (ratio.min(MAX_RATIO) / MAX_RATIO * AREA as f64).round() as usize
}

/// Thin lines with their ratios, and a strong one at 1.
fn scale_to(text: &mut String, bottom: usize) {
    for tenths in (2..=12).step_by(2) {
        let ratio = f64::from(tenths) / 10.0;
        let (x, color) = (place(ratio), if tenths == 10 { "#c00000" } else { "#dddddd" });
        let (y1, y2) = (MARGIN - 6, bottom);
        _ = writeln!(text, "<line x1=\"{x}\" y1=\"{y1}\" x2=\"{x}\" y2=\"{y2}\" stroke=\"{color}\"/>");
        _ = writeln!(text, "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{ratio:.1}</text>", bottom + 14);
    }
}

fn group_to(text: &mut String, top: usize, name: &str, ratios: &[Option<f64>]) {
    let middle = top + ratios.len() * BAR / 2 + 4;
    _ = writeln!(
        text,
        "<text x=\"{}\" y=\"{middle}\" text-anchor=\"end\">{}</text>",
        NAMES - 8,
        escaped(name)
    );
    for (index, ratio) in ratios.iter().enumerate() {
        let Some(ratio) = ratio else { continue };
        let (y, width) = (top + index * BAR, place(*ratio) - NAMES);
        let color = COLORS[index % COLORS.len()];
        _ = writeln!(
            text,
            "<rect x=\"{NAMES}\" y=\"{y}\" width=\"{width}\" height=\"{}\" fill=\"{color}\"/>",
            BAR - 1
        );
        let (x, y) = (NAMES + width + 4, y + BAR - 1);
        _ = writeln!(text, "<text x=\"{x}\" y=\"{y}\" font-size=\"9\">{ratio:.3}</text>");
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_for_each_ratio_and_none_where_there_is_none() {
        let picture = Picture {
            title: "a < b".into(),
            axis: "gas".into(),
            rows: "case".into(),
            legend: vec!["x".into(), "y".into()],
            groups: vec![("one".into(), vec![Some(0.7), None]), ("two".into(), vec![Some(2.0), Some(1.4)])],
        };
        let svg = picture.svg();
        assert!(svg.contains("a &lt; b"));
        let bars = |width: usize| svg.matches(&format!("width=\"{width}\" height=\"8\"")).count();
        assert_eq!((bars(AREA / 2), bars(AREA)), (1, 2), "{svg}");
        assert!(svg.contains(">2.000<"));
        assert!(svg.contains(">gas<") && svg.contains(">case<"));
    }
}
