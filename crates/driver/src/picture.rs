//! The control flow of bytecode as text, data or a picture.

use cairn_bytecode::{analyze_for, draw, report};
use cairn_evm::Fork;

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

/// The control flow of `code` as `fork` runs it.
pub fn draw_cfg(name: &str, code: &[u8], fork: Fork, form: CfgForm) -> String {
    let analysis = analyze_for(code, fork);
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
