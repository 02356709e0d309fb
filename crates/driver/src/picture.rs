//! The control flow of bytecode as text, data or a picture.

use cairn_bytecode::{Given, analyze_given, draw, report};

/// A form of a control-flow graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CfgForm {
    /// Blocks with their code and edges.
    Text,
    /// One JSON object with everything.
    Json,
    /// For Graphviz.
    Dot,
    /// For Mermaid.
    Mermaid,
    /// A picture.
    Svg,
    /// A page to search, zoom and select in.
    Html,
}

/// The control flow of `code`, of which something may be known.
pub fn draw_cfg(name: &str, code: &[u8], given: Given, form: CfgForm) -> String {
    let analysis = analyze_given(code, given);
    let picture = || draw::Picture::of(&analysis);
    match form {
        CfgForm::Text => report::text(name, &analysis),
        CfgForm::Json => report::full(name, &analysis, 0.0).to_string(),
        CfgForm::Dot => draw::dot(&picture()),
        CfgForm::Mermaid => draw::mermaid(&picture()),
        CfgForm::Svg => draw::svg(&picture()),
        CfgForm::Html => draw::html(name, &analysis, &picture()),
    }
}
