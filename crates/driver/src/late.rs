//! Places for faults that only a late stage finds, such as a stack that is too deep.
//!
//! What is lowered from Yul keeps no places and no names: they cost time, and hardly any program
//! needs them. When a stage fails without a place, the program is compiled once more with both.
//! They change no code, so the same fault comes up again and is shown where it is: at the line of
//! the Yul text, with the names of the source, and at the line of the Solidity file that `@src`
//! comments name.

use crate::input::Input;
use crate::options::Options;
use crate::place::{Place, place};
use crate::session::{Failure, Session, Stage};
use crate::stages::{Free, Parsed, Places, lower, lower_yul};
use cairn_diag::{Diagnostic, Diagnostics, Severity, SourceFile};
use std::path::{Path, PathBuf};

/// Lowers a program and goes on with it as `rest` does; again with names and places if that fails
/// without a place.
pub(crate) fn with_places<T>(
    parsed: Parsed,
    input: &Input,
    options: &Options,
    session: &mut Session,
    rest: impl Fn(Free, &mut Session) -> Stage<T>,
) -> Stage<T> {
    let yul = match parsed {
        Parsed::Yul(yul) => yul,
        other => return rest(lower(other, options, session)?, session),
    };
    let run = |places, session: &mut Session| rest(lower_yul(&yul, places, options, session)?, session);
    let before = session.diagnostics.clone();
    let result = run(Places::Omitted, session);
    let lacks_place = |one: &Diagnostic| one.severity == Severity::Error && one.span.is_none();
    let is_late = matches!(result, Err(Failure::Input)) && session.diagnostics.iter().any(lacks_place);
    if !is_late {
        return result;
    }
    session.diagnostics = before;
    let result = run(Places::Kept, session);
    let found = std::mem::take(&mut session.diagnostics);
    session.diagnostics = point_to_solidity(found, input);
    result
}

/// Adds the place in the Solidity source to each error that has a place in the Yul text.
fn point_to_solidity(found: Diagnostics, input: &Input) -> Diagnostics {
    let is_solidity = input.text.contains("@use-src");
    let mut pointed = Diagnostics::default();
    for mut one in found {
        if let (Severity::Error, Some(span)) = (one.severity, one.span) {
            one.notes.extend(origin(input, span.start as usize));
        }
        if is_solidity && one.code == cairn_stackify::STACK_TOO_DEEP {
            let advice = "mark inline assembly that keeps to Solidity's memory model as \
                          `assembly (\"memory-safe\")`: then values may be kept in memory; or split the function";
            one.help = Some(advice.to_owned());
        }
        pointed.push(one);
    }
    pointed
}

/// Where the code at a byte of a Yul text comes from, if the last `@src` before it says.
fn origin(input: &Input, at: usize) -> Option<String> {
    let Place { file: name, start, end } = place(&input.text, at)?;
    let found = find_file(input, &name).and_then(|path| std::fs::read_to_string(path).ok());
    Some(match found.filter(|text| text.len() >= end as usize) {
        Some(text) => {
            let (line, column) = SourceFile::new(name.as_str(), text).line_column(start);
            format!("compiled from {name}:{line}:{column}")
        }
        None => format!("compiled from {name}, bytes {start} to {end}"),
    })
}

/// The file of a source unit, from here or from the folder of the Yul text.
fn find_file(input: &Input, name: &str) -> Option<PathBuf> {
    let beside = Path::new(&input.name).parent().map(|folder| folder.join(name));
    [Some(PathBuf::from(name)), beside].into_iter().flatten().find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Language;

    #[test]
    fn the_last_comment_says_where_code_comes_from() {
        let text = "/// @use-src 0:\"no such.sol\", 3:\"b.sol\"\nobject \"a\" { code {\n/// @src 3:5:6\nf()\n\
                    /// @src 0:10:20  \"x\"\nx } }";
        let input = Input { name: "a.yul".into(), text: text.into(), language: Language::Yul };
        let at = |word: &str| origin(&input, text.rfind(word).unwrap());
        assert_eq!(at("x }").unwrap(), "compiled from no such.sol, bytes 10 to 20");
        assert_eq!(at("f()").unwrap(), "compiled from b.sol, bytes 5 to 6");
        assert_eq!(origin(&input, 0), None);
    }
}
