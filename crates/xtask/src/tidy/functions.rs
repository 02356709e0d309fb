//! Functions of formatted Rust code with their lengths.
//!
//! Relies on rustfmt: the closing brace of a function stands alone, indented as its first line.

/// A function.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FunctionSpan {
    pub(super) name: String,
    /// Counted from 1.
    pub(super) first_line: usize,
    pub(super) lines: usize,
}

/// All functions with a body of several lines, in order.
pub(super) fn functions(text: &str) -> impl Iterator<Item = FunctionSpan> {
    let lines: Vec<&str> = text.lines().collect();
    let starts: Vec<usize> =
        (0..lines.len()).filter(|index| function_name(lines[*index]).is_some()).collect();
    starts.into_iter().filter_map(move |start| {
        let name = function_name(lines[start])?.to_owned();
        let length = function_length(&lines[start..])?;
        Some(FunctionSpan { name, first_line: start + 1, lines: length })
    })
}

/// The name when a function begins on this line.
fn function_name(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    loop {
        let (word, after) = rest.split_once(' ')?;
        match word {
            "fn" => return after.split(['(', '<']).next(),
            "pub" | "pub(crate)" | "pub(super)" | "const" | "async" | "extern" | "\"C\"" => rest = after,
            _ if word.starts_with("pub(") && rest.contains(") ") => rest = rest.split_once(") ")?.1,
            _ => return None,
        }
    }
}

/// The number of lines up to the closing brace; `None` for functions on one line or without body.
fn function_length(lines: &[&str]) -> Option<usize> {
    let indent = lines[0].len() - lines[0].trim_start().len();
    if lines[0].ends_with([';', '}']) {
        return None;
    }
    let same_indent = |line: &str| {
        line.len() > indent && line[..indent].trim().is_empty() && !line[indent..].starts_with(' ')
    };
    for (index, line) in lines.iter().enumerate().skip(1) {
        if !line.is_char_boundary(indent.min(line.len())) || !same_indent(line) {
            continue;
        }
        match &line[indent..] {
            "}" => return Some(index + 1),
            rest if rest.starts_with(')') && rest.ends_with(';') => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_functions() {
        let text = "\
fn one() {}
pub(crate) fn two(
    a: u8,
) -> u8 {
    a
}
trait T {
    fn three(&self);
    fn four(
        &self,
    );
    const fn five<T>() {
        let closure = || {
            1
        };
    }
}
";
        let span = |name: &str, first_line, lines| FunctionSpan { name: name.to_owned(), first_line, lines };
        let found: Vec<FunctionSpan> = functions(text).collect();
        assert_eq!(found, [span("two", 2, 5), span("five", 12, 5)]);
    }
}
