//! Turns diagnostics into text: rustc-like snippets for people, one JSON object a line for tools.
//!
//! Only the lines around a place are given to the snippet library, and long lines are cut to a
//! window, so that rendering costs the same for a source of any size.

use crate::diagnostic::{Diagnostic, Label, Severity};
use crate::source::{SourceFile, Sources};
use crate::span::Span;
use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::Serialize;

/// Bytes shown on each side of a place in a line that is too long to show whole.
const WINDOW: usize = 120;

/// Whether to use terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// ANSI escapes.
    Styled,
    /// Plain text.
    Plain,
}

/// The text of a diagnostic, for people.
pub fn render_text(diagnostic: &Diagnostic, sources: &Sources, color: Color) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut title = level.primary_title(diagnostic.message.as_str());
    if !diagnostic.code.is_empty() {
        title = title.id(diagnostic.code);
    }
    let windows = windows_of(diagnostic, sources);
    let snippets = windows.iter().map(Window::snippet);
    let mut group = Group::with_title(title).elements(snippets);
    if let Some(cut) = windows.first().and_then(|window| window.cut.as_deref()) {
        group = group.element(Level::NOTE.message(cut));
    }
    group = group.elements(diagnostic.notes.iter().map(|note| Level::NOTE.message(note.as_str())));
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = match color {
        Color::Styled => Renderer::styled(),
        Color::Plain => Renderer::plain(),
    };
    let text = renderer.decor_style(DecorStyle::Ascii).render(&[group]);
    // Without a snippet there is nothing for the rule above the notes to close.
    if windows.is_empty() && color == Color::Plain { text.replacen("\n |\n", "\n", 1) } else { text }
}

/// A part of a source that holds some places.
struct Window<'a> {
    path: &'a str,
    text: &'a str,
    first_line: usize,
    /// Where the place really is, when the line does not start at the window's start.
    cut: Option<String>,
    marks: Vec<(std::ops::Range<usize>, AnnotationKind, &'a str)>,
}

impl<'a> Window<'a> {
    fn snippet(&self) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
        let marks = self.marks.iter().map(|(range, kind, label)| {
            let mark = kind.span(range.clone());
            if label.is_empty() { mark } else { mark.label(*label) }
        });
        Snippet::source(self.text).path(self.path).line_start(self.first_line).annotations(marks)
    }

    fn around(file: &'a SourceFile, span: Span, kind: AnnotationKind, label: &'a str) -> Window<'a> {
        let text = file.text.as_str();
        let start = floor_boundary(text, span.start as usize);
        let end = floor_boundary(text, (span.end as usize).max(start));
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let from = floor_boundary(text, line_start.max(start.saturating_sub(WINDOW)));
        let to = floor_boundary(text, line_end.min(start + WINDOW));
        let range = start - from..end.min(to) - from;
        let (first_line, column) = file.line_column(span.start.min(text.len() as u32));
        let cut = (from > line_start).then(|| format!("the line is cut; the place is column {column}"));
        Window { path: &file.name, text: &text[from..to], first_line, cut, marks: vec![(range, kind, label)] }
    }
}

fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn windows_of<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> Vec<Window<'a>> {
    let (Some(file), Some(span)) = (diagnostic.file, diagnostic.span) else { return Vec::new() };
    let file = sources.get(file);
    let mut windows = vec![Window::around(file, span, AnnotationKind::Primary, "")];
    for label in &diagnostic.labels {
        windows.push(Window::around(file, label.span, AnnotationKind::Context, &label.message));
    }
    windows
}

#[derive(Serialize)]
struct JsonPlace<'a> {
    file: &'a str,
    start: u32,
    end: u32,
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct JsonLabel<'a> {
    message: &'a str,
    place: JsonPlace<'a>,
}

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    severity: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<JsonPlace<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<JsonLabel<'a>>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

/// A diagnostic as one line of JSON, for tools.
pub fn render_json<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> String {
    let file = diagnostic.file.map(|file| sources.get(file));
    let place = file.zip(diagnostic.span).map(|(file, span)| place_of(file, span));
    let label = |label: &'a Label| {
        file.map(|file| JsonLabel { message: &label.message, place: place_of(file, label.span) })
    };
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let json = JsonDiagnostic {
        severity,
        code: diagnostic.code,
        message: &diagnostic.message,
        place,
        labels: diagnostic.labels.iter().filter_map(label).collect(),
        notes: &diagnostic.notes,
        help: diagnostic.help.as_deref(),
    };
    serde_json::to_string(&json).expect("invariant: strings and numbers serialize")
}

fn place_of(file: &SourceFile, span: Span) -> JsonPlace<'_> {
    let (line, column) = file.line_column(span.start);
    JsonPlace { file: &file.name, start: span.start, end: span.end, line, column }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::FileId;

    fn sources(text: &str) -> Sources {
        let mut sources = Sources::default();
        sources.add(SourceFile::new("a.yul", text));
        sources
    }

    #[test]
    fn shows_the_line_and_marks_the_place() {
        let diagnostic = Diagnostic::error("unknown name `y`")
            .with_code("E0001")
            .at(FileId(0), Span::new(13, 14))
            .with_help("declare it with `let`");
        let text = render_text(&diagnostic, &sources("{ let x }\n{ x:=y }\n"), Color::Plain);
        let expected = "error[E0001]: unknown name `y`\n --> a.yul:2:4\n  |\n2 | { x:=y }\n  |    ^\n  |\n  = help: declare it with `let`";
        assert_eq!(text, expected);
    }

    #[test]
    fn without_a_place_the_help_follows_at_once() {
        let found = Diagnostic::error("e").with_help("h");
        assert_eq!(render_text(&found, &Sources::default(), Color::Plain), "error: e\n = help: h");
    }

    #[test]
    fn json_has_every_place() {
        let found = Diagnostic::error("e").at(FileId(0), Span::new(8, 9)).with_label(Span::new(2, 3), "here");
        let text = render_json(&found, &sources("{ x }\n{ y }"));
        let label =
            r#""labels":[{"message":"here","place":{"file":"a.yul","start":2,"end":3,"line":1,"column":3}}]"#;
        assert!(text.contains(label) && text.contains(r#""line":2,"column":3}"#), "{text}");
    }

    #[test]
    fn a_long_line_is_cut() {
        let text = format!("{}y{}", "x".repeat(1 << 20), "z".repeat(1 << 20));
        let diagnostic = Diagnostic::error("e").at(FileId(0), Span::new(1 << 20, (1 << 20) + 1));
        let rendered = render_text(&diagnostic, &sources(&text), Color::Plain);
        assert!(rendered.len() < 2_000, "{} bytes", rendered.len());
        assert!(rendered.contains("column 1048577"), "{rendered}");
    }

    #[test]
    fn places_outside_the_text_do_no_harm() {
        let diagnostic =
            Diagnostic::error("e").at(FileId(0), Span::new(90, 99)).with_label(Span::new(7, 3), "l");
        assert!(render_text(&diagnostic, &sources("äö"), Color::Plain).starts_with("error: e"));
        assert!(render_json(&diagnostic, &sources("äö")).contains("\"line\":1"));
    }
}
