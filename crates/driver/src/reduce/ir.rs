//! Makes EVM-IR smaller, edit by edit on the lines of its text.
//!
//! An *edit* removes a module, a function, a block or a line, ends a block early, puts the constant
//! 0 in the place of an operation's result, or decides a branch. The text has one instruction a
//! line, as the printer writes it.

use cairn_diag::FileId;
use cairn_ir::verify::{Form, verify};
use std::ops::Range;

/// `text` after the edit with this number; `None` if it has fewer.
pub(super) fn edited(text: &str, edit: usize) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let ranges: Vec<Range<usize>> = ranges(&lines);
    if let Some(range) = ranges.get(edit) {
        return Some(joined(
            lines.iter().enumerate().filter(|(at, _)| !range.contains(at)).map(|(_, line)| *line),
        ));
    }
    let mut left = edit - ranges.len();
    for (at, line) in lines.iter().enumerate() {
        let shorter = rewritten(line);
        if left < shorter.len() {
            let new = &shorter[left];
            return Some(joined(
                lines.iter().enumerate().map(|(other, old)| if other == at { new } else { *old }),
            ));
        }
        left -= shorter.len();
    }
    None
}

/// True for a program without faults.
pub(super) fn is_valid(text: &str) -> bool {
    cairn_ir::text::parse(text, FileId(0))
        .is_ok_and(|module| verify(&module, Form::Free).iter().next().is_none())
}

/// A program as the printer writes it.
pub(super) fn printed(text: &str) -> Option<String> {
    cairn_ir::text::parse(text, FileId(0)).ok().map(|module| cairn_ir::text::print(&module))
}

fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Lines that may go together, large pieces first: functions and modules, blocks, single lines.
fn ranges(lines: &[&str]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let line = line.trim_start();
        if at > 0
            && line.ends_with('{')
            && ["func ", "module ", "data "].iter().any(|head| line.starts_with(head))
        {
            found.push(at..end_of_braces(lines, at));
        }
    }
    for (at, line) in lines.iter().enumerate() {
        if line.trim_start().starts_with('^') {
            let is_end = |line: &&str| line.trim_start().starts_with(['^', '}']);
            let length = lines[at + 1..].iter().position(is_end).unwrap_or(0);
            found.push(at..at + 1 + length);
        }
    }
    found.extend((0..lines.len()).rev().map(|at| at..at + 1));
    found
}

fn end_of_braces(lines: &[&str], start: usize) -> usize {
    let mut depth = 0;
    for (at, line) in lines.iter().enumerate().skip(start) {
        depth += line.matches('{').count() as i64 - line.matches('}').count() as i64;
        if depth <= 0 {
            return at + 1;
        }
    }
    lines.len()
}

/// Shorter lines that may stand in the place of one.
fn rewritten(line: &str) -> Vec<String> {
    let indent = &line[..line.len() - line.trim_start().len()];
    let trimmed = line.trim_start();
    let mut found = Vec::new();
    if let Some((result, operation)) = trimmed.split_once(" = ")
        && !operation.starts_with("evm.constant")
        && !result.contains(',')
    {
        found.push(format!("{indent}{result} = evm.constant 0 : u256"));
    }
    if let Some(targets) = trimmed.strip_prefix("evm.condbr ") {
        let targets: Vec<&str> = targets.split(", ^").skip(1).collect();
        found.extend(targets.iter().map(|target| format!("{indent}evm.br ^{target}")));
    }
    if ["evm.br ", "evm.condbr ", "evm.iret ", "evm.return ", "evm.revert "]
        .iter()
        .any(|head| trimmed.starts_with(head))
    {
        found.push(format!("{indent}evm.unreachable"));
    }
    found
}
