//! Makes a failing program small: leaves out lines and blocks as long as it fails in the same way.

use std::ops::Range;

/// The smallest text found on which `fails` holds.
pub(crate) fn reduce(text: &str, fails: &mut dyn FnMut(&str) -> bool, max_tries: usize) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut tries = 0;
    loop {
        let before = lines.len();
        let mut pieces = pieces(&lines);
        // Whole functions first.
        pieces.sort_by_key(|piece| std::cmp::Reverse(piece.len()));
        let mut gone: Vec<Range<usize>> = Vec::new();
        for piece in pieces {
            let is_gone = gone.iter().any(|range| range.start < piece.end && piece.start < range.end);
            if is_gone || tries == max_tries {
                continue;
            }
            tries += 1;
            let with = [gone.as_slice(), &[piece]].concat();
            if fails(&without(&lines, &with)) {
                gone = with;
            }
        }
        lines = without(&lines, &gone).lines().map(str::to_owned).collect();
        if lines.len() == before || tries == max_tries {
            return lines.join("\n");
        }
    }
}

fn without(lines: &[String], gone: &[Range<usize>]) -> String {
    let kept = lines.iter().enumerate().filter(|(at, _)| !gone.iter().any(|range| range.contains(at)));
    kept.map(|(_, line)| format!("{line}\n")).collect()
}

/// Lines and blocks that can be left out: their braces are in balance.
fn pieces(lines: &[String]) -> Vec<Range<usize>> {
    let change = |line: &String| line.matches('{').count() as i64 - line.matches('}').count() as i64;
    let mut pieces = Vec::new();
    for start in 0..lines.len() {
        let mut depth = 0;
        for (end, line) in lines.iter().enumerate().skip(start) {
            // What begins with a brace that closes goes with what opened it.
            if depth == 0 && line.trim_start().starts_with('}') {
                break;
            }
            depth += change(line);
            if depth == 0
                && !line.trim_start().starts_with("} else")
                && !line.trim_start().starts_with("} catch")
            {
                pieces.push(start..end + 1);
                break;
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_needed_goes() {
        let text = "contract A {\n  function f() {\n    if (x) {\n      a;\n    } else {\n      b;\n    }\n    c;\n  }\n  function g() {\n    d;\n  }\n}\n";
        let small = reduce(text, &mut |text| text.contains("b;"), 1000);
        assert_eq!(
            small.lines().map(str::trim).collect::<Vec<_>>(),
            ["contract A {", "function f() {", "if (x) {", "} else {", "b;", "}", "}", "}"]
        );
    }
}
