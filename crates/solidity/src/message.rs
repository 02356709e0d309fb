//! Errors and warnings as standard JSON has them, laid out as solc lays them out.

use cairn_diag::Diagnostic;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Texts of source units by name.
pub type Texts = BTreeMap<String, String>;

/// A range of bytes in a source unit; −1 where it is not known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SourceLocation {
    /// Name of the source unit.
    pub file: String,
    /// First byte.
    pub start: i64,
    /// One past the last byte.
    pub end: i64,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// There is no code.
    Error,
    /// There is code.
    Warning,
}

/// An entry of `errors`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// Always `general`.
    pub component: &'static str,
    /// A number, as clients read it; solc's where it has the same meaning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_code: Option<&'static str>,
    /// The message with its place and the source line.
    pub formatted_message: String,
    /// The message.
    pub message: String,
    /// How bad it is.
    pub severity: Severity,
    /// The place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_location: Option<Box<SourceLocation>>,
    /// The class of the message, in solc's words: `JSONError`, `Warning`, `CodeGenerationError` …
    #[serde(rename = "type")]
    pub kind: &'static str,
}

impl Message {
    /// An error without a place.
    pub fn error(kind: &'static str, message: impl Into<String>) -> Message {
        let message = message.into();
        Message {
            component: "general",
            error_code: None,
            formatted_message: format!("{kind}: {message}\n\n"),
            message,
            severity: Severity::Error,
            source_location: None,
            kind,
        }
    }

    /// A warning without a place.
    pub fn warning(message: impl Into<String>) -> Message {
        Message { severity: Severity::Warning, ..Message::error("Warning", message) }
    }

    /// A fault of the request itself, as solc words it: without the class before the message.
    pub fn of_request(message: impl Into<String>) -> Message {
        let plain = Message::error("JSONError", message);
        Message { formatted_message: plain.message.clone(), ..plain }
    }

    /// Sets solc's number for the same message.
    #[must_use]
    pub fn with_code(self, code: &'static str) -> Message {
        Message { error_code: Some(code), ..self }
    }

    /// Sets the place, and shows it.
    #[must_use]
    pub fn at(self, location: SourceLocation, texts: &Texts) -> Message {
        let text = texts.get(&location.file).map(String::as_str);
        let formatted_message = format!("{}: {}\n{}", self.kind, self.message, snippet(&location, text));
        Message { formatted_message, source_location: Some(Box::new(location)), ..self }
    }

    /// The entry as JSON.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// What a diagnostic says, with what to do.
pub(crate) fn wording(found: &Diagnostic) -> String {
    match &found.help {
        Some(help) => format!("{}. {help}", found.message),
        None => found.message.clone(),
    }
}

/// What is said of a fault of Cairn's own.
pub(crate) fn wording_of_bug(message: &str) -> String {
    format!("internal error of Cairn: {message}")
}

/// The place of a message and the line there.
fn snippet(location: &SourceLocation, text: Option<&str>) -> String {
    let lines = || {
        let text = text?;
        let start = usize::try_from(location.start).ok()?;
        let end = usize::try_from(location.end).ok()?;
        let (before, at) = text.split_at_checked(start)?;
        let number = before.matches('\n').count() + 1;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text[line_start..].lines().next().unwrap_or("");
        let column = before[line_start..].chars().count();
        let part = at.get(..end.checked_sub(start)?)?;
        Some((number, line, column, part))
    };
    let Some((number, line, column, part)) = lines() else { return format!("--> {}\n\n", location.file) };
    let gutter = " ".repeat(number.to_string().len());
    let indent: String = line.chars().take(column).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
    let marks = match part.contains('\n') {
        false => "^".repeat(part.chars().count().max(1)),
        true => "^ (Relevant source part starts here and spans across multiple lines).".to_owned(),
    };
    let file = &location.file;
    let column = column + 1;
    format!(
        "{gutter}--> {file}:{number}:{column}:\n{gutter} |\n{number} | {line}\n{gutter} | {indent}{marks}\n\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, start: i64, end: i64) -> String {
        let texts = Texts::from([("a.sol".to_owned(), text.to_owned())]);
        let location = SourceLocation { file: "a.sol".into(), start, end };
        Message::error("ParserError", "Expected type name").at(location, &texts).formatted_message
    }

    #[test]
    fn a_place_is_shown_as_solc_shows_it() {
        let text = "contract A { function f( }";
        let expected = "ParserError: Expected type name\n --> a.sol:1:26:\n  |\n1 | contract A { function f( }\n  \
                        |                          ^\n\n";
        assert_eq!(shown(text, 25, 26), expected);
        let lines = "\n".repeat(9) + "\tab\nc";
        let expected = "ParserError: Expected type name\n  --> a.sol:10:2:\n   |\n10 | \tab\n   | \t^ (Relevant \
                        source part starts here and spans across multiple lines).\n\n";
        assert_eq!(shown(&lines, 10, 14), expected);
    }

    #[test]
    fn places_outside_of_the_text_name_the_file() {
        for (start, end) in [(-1, -1), (5, 4), (100, 101)] {
            assert_eq!(shown("abcdef", start, end), "ParserError: Expected type name\n--> a.sol\n\n");
        }
    }
}
