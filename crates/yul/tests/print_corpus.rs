//! Printing against texts that solc printed, and round trips of every program of the corpus.

#[allow(dead_code, reason = "shared by several test binaries")]
mod common;

use cairn_diag::FileId;
use cairn_yul::{DebugComments, Dialect, parse, print_object};
use common::{cases, corpus, json_lines};

/// Parses and prints.
fn reprint(text: &str, dialect: &Dialect) -> Result<String, String> {
    let parsed = parse(text, FileId(0), dialect);
    if let Some(error) = parsed.diagnostics.iter().next().filter(|_| parsed.diagnostics.has_errors()) {
        return Err(format!("{error:?}"));
    }
    let object = parsed.object.ok_or("no tree")?;
    Ok(print_object(&object, &parsed.names, dialect, DebugComments::Print))
}

/// What is wrong with printing `text`, whose canonical form is `expected` (any, if `None`).
fn fault(text: &str, expected: Option<&str>, dialect: &Dialect) -> Option<String> {
    let printed = match reprint(text, dialect) {
        Ok(printed) => printed,
        Err(error) => return Some(error),
    };
    let expected = expected.unwrap_or(&printed);
    if printed != expected {
        return Some(first_difference(expected, &printed));
    }
    match reprint(&printed, dialect) {
        Ok(again) if again == printed => None,
        Ok(again) => Some(format!("not stable: {}", first_difference(&printed, &again))),
        Err(error) => Some(format!("printed text is rejected: {error}")),
    }
}

fn first_difference(expected: &str, printed: &str) -> String {
    let lines = expected.lines().zip(printed.lines()).enumerate();
    let differing = lines.into_iter().find(|(_, (left, right))| left != right);
    match differing {
        Some((line, (left, right))) => {
            format!("line {}:\n    expected {left}\n    printed  {right}", line + 1)
        }
        None => format!("{} lines expected, {} printed", expected.lines().count(), printed.lines().count()),
    }
}

fn assert_none(faults: &[String], n_cases: usize) {
    let shown = faults.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
    assert!(faults.is_empty(), "{} of {n_cases} differ:\n{shown}", faults.len());
}

/// The expectations of the optimiser tests are printed by solc.
#[test]
fn optimizer_expectations_are_reproduced() {
    let Some(corpus) = corpus() else { return };
    let cases = cases(&corpus, "yul/yulOptimizerTests");
    let mut faults = Vec::new();
    for case in &cases {
        let text = case.expectation.iter().skip_while(|line| !line.starts_with("step:")).skip(1);
        let text = text.cloned().collect::<Vec<_>>().join("\n");
        let text = text.trim();
        let fault = fault(text, Some(text), &case.dialect());
        faults.extend(fault.map(|fault| format!("{}: {fault}", case.name)));
    }
    assert_none(&faults, cases.len());
}

#[test]
fn programs_of_every_directory_are_stable() {
    let Some(corpus) = corpus() else { return };
    let mut faults = Vec::new();
    let mut n_cases = 0;
    for directory in ["yulOptimizerTests", "yulInterpreterTests", "objectCompiler", "evmCodeTransform"] {
        for case in cases(&corpus, &format!("yul/{directory}")) {
            if case.setting("bytecodeFormat").is_some_and(|format| format.contains("EOF")) {
                continue;
            }
            n_cases += 1;
            let fault = fault(&case.source, None, &case.dialect());
            faults.extend(fault.map(|fault| format!("{}: {fault}", case.name)));
        }
    }
    assert_none(&faults, n_cases);
}

/// Removes what the tree does not keep: the numbers of nodes of solc's own tree, and the quotations
/// of source code in `@src` comments.
fn without_quotations(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("@src ") {
        let (before, comment) = rest.split_at(at + "@src ".len());
        result.push_str(before);
        let location = comment.find(|c: char| c.is_ascii_whitespace()).unwrap_or(comment.len());
        result.push_str(&comment[..location]);
        rest = &comment[location..];
        if let Some(quotation) = rest.strip_prefix("  \"") {
            let mut escaped = false;
            let end = quotation.bytes().position(|byte| {
                let is_end = byte == b'"' && !escaped;
                escaped = byte == b'\\' && !escaped;
                is_end
            });
            rest = &quotation[end.expect("a closed quotation") + 1..];
        }
    }
    result + rest
}

/// Removes `@ast-id` tags, and comments that hold nothing else.
fn without_ast_ids(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("@ast-id ") {
        let (before, tag) = rest.split_at(at);
        let after = tag["@ast-id ".len()..].trim_start_matches(|c: char| c.is_ascii_digit());
        let is_line = before.ends_with("/// ") && after.starts_with('\n');
        if is_line && before.ends_with("let /// ") {
            result.push_str(&before[..before.len() - "/// ".len()]);
            rest = after.trim_start();
        } else if is_line {
            result.push_str(before[..before.len() - "/// ".len()].trim_end());
            rest = after;
        } else if let Some(after) = after.strip_prefix(" */ ") {
            result.push_str(before.strip_suffix("/** ").expect("an inline comment"));
            rest = after;
        } else {
            result.push_str(before);
            rest = after.trim_start_matches(' ');
        }
    }
    result + rest
}

/// solc's own output for contracts: the optimised texts are canonical.
#[test]
fn contracts_are_reproduced() {
    let Some(corpus) = corpus() else { return };
    let dialect = Dialect::default();
    let mut faults = Vec::new();
    let mut n_cases = 0;
    for file in ["semantic/semantic-dev", "semantic/semantic-extra-dev", "real/real-dev"] {
        for value in json_lines(&corpus.join(format!("{file}.jsonl.gz"))) {
            let name = &value["name"];
            for field in ["yul", "yul_optimized"] {
                let Some(text) = value[field].as_str().filter(|text| !text.is_empty()) else { continue };
                n_cases += 1;
                let canonical = without_ast_ids(&without_quotations(text.trim()));
                let expected = (field == "yul_optimized").then_some(canonical.as_str());
                let fault = fault(text, expected, &dialect);
                faults.extend(fault.map(|fault| format!("{name} {field}: {fault}")));
            }
        }
    }
    assert_none(&faults, n_cases);
}
