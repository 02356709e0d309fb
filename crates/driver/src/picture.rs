//! The control flow of bytecode as text, data or a picture.
//!
//! A picture of creation code has what it deploys beside it, as far as that is known: runtime code, with
//! offsets of its own and a title that says where it begins and ends in the creation code. Text and data
//! are about the code that is given alone. A container (EOF) has those of the contracts that it creates beside
//! it, not those within these. Cost: codes that are drawn do not overlap, so the picture stays
//! linear in the code.

use crate::embedded::{Embedded, embedded};
use cairn_bytecode::container::{Container, Eof};
use cairn_bytecode::{Analysis, Given, Role, analyze_given, draw, report};
use std::ops::Range;

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
    match form {
        CfgForm::Text => report::text(name, &analysis),
        CfgForm::Json => report::full(name, &analysis, 0.0).to_string(),
        CfgForm::Dot => draw::dot(&Codes::of(analysis).picture()),
        CfgForm::Mermaid => draw::mermaid(&Codes::of(analysis).picture()),
        CfgForm::Svg => draw::svg(&Codes::of(analysis).picture()),
        CfgForm::Html => {
            let codes = Codes::of(analysis);
            draw::html(name, &codes.analyses, &codes.picture())
        }
    }
}

/// A code and what it deploys.
struct Codes<'c> {
    titles: Vec<String>,
    analyses: Vec<Analysis<'c>>,
}

impl<'c> Codes<'c> {
    fn of(analysis: Analysis<'c>) -> Codes<'c> {
        match Container::of(analysis.code) {
            Container::Plain => Codes::of_plain(analysis),
            Container::Delegation(_) => Codes { titles: vec![String::new()], analyses: vec![analysis] },
            Container::Eof(eof) => Codes::of_container(analysis, &eof),
        }
    }

    /// A container and those of the contracts that it creates, beside each other.
    fn of_container(analysis: Analysis<'c>, container: &Eof) -> Codes<'c> {
        let (mut titles, mut analyses) = (vec!["container".to_owned()], Vec::new());
        for Range { start, end } in container.containers.iter().filter(|inner| !inner.is_empty()).cloned() {
            titles.push(format!("container of a contract that it creates, bytes {start:#x} to {end:#x}"));
            analyses.push(analyze_given(&analysis.code[start..end], Given::default()));
        }
        analyses.insert(0, analysis);
        Codes { titles, analyses }
    }

    fn of_plain(analysis: Analysis<'c>) -> Codes<'c> {
        let (mut titles, mut analyses) = (vec!["creation code".to_owned()], Vec::new());
        for inner in deployed(&analysis) {
            let Range { start, end } = inner.range;
            titles.push(format!("runtime code, bytes {start:#x} to {end:#x}"));
            analyses.push(analyze_given(&analysis.code[start..end], inner.given(&analysis)));
        }
        analyses.insert(0, analysis);
        Codes { titles, analyses }
    }

    fn picture(&self) -> draw::Picture {
        draw::Picture::beside(self.titles.iter().map(String::as_str).zip(&self.analyses))
    }
}

/// What creation code deploys, without overlaps.
fn deployed(analysis: &Analysis<'_>) -> Vec<Embedded> {
    // Only creation code is lifted for that; where it cannot be lifted nothing is known.
    let lifted = (analysis.role == Role::Creation).then(|| cairn_lift::lift_outside(analysis).ok()).flatten();
    let mut all = lifted.map_or_else(Vec::new, |lifted| embedded(analysis, &lifted));
    // What is proven stays where two begin at one place: the order is stable.
    all.sort_by_key(|inner| inner.range.start);
    let mut drawn: Vec<Embedded> = Vec::new();
    for inner in all.into_iter().filter(|inner| !inner.range.is_empty()) {
        if drawn.last().is_none_or(|last| last.range.end <= inner.range.start) {
            drawn.push(inner);
        }
    }
    drawn
}
