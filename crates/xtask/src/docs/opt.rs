//! The optimizer's tables and contracts, from its pipeline and the heads of its files.

use crate::project::{Outcome, files, read, root};
use cairn_opt::Level;
use cairn_opt::pass::Property;
use cairn_opt::pipeline::{ORDER, PASSES, passes};
use std::fmt::Write;
use std::path::{Path, PathBuf};

const LEVELS: [(Level, &str); 4] =
    [(Level::O1, "`-O1`"), (Level::O2, "`-O2`, `-O3`"), (Level::Os, "`-Os`"), (Level::O0, "`-O0`")];

/// What each pass needs, keeps and gives.
pub(super) fn table_of_passes() -> String {
    let mut text = "| pass | what it does | needs | keeps | gives |\n|---|---|---|---|---|\n".to_owned();
    for pass in PASSES {
        let [needs, keeps, gives] = [pass.needs, pass.preserves, pass.gives].map(words);
        // Writing to a string can't fail.
        _ = writeln!(text, "| `{}` | {} | {needs} | {keeps} | {gives} |", pass.name, pass.summary);
    }
    text
}

fn words(properties: &[Property]) -> String {
    let word = |property: &Property| match property {
        Property::Promoted => "promoted",
        Property::Blocks => "blocks",
        Property::LocalConstants => "local constants",
        Property::Calls => "calls",
    };
    properties.iter().map(word).collect::<Vec<_>>().join(", ")
}

/// The passes of each level in order.
pub(super) fn levels() -> String {
    let mut text = "| level | passes in order |\n|---|---|\n".to_owned();
    for (level, name) in LEVELS {
        let names: Vec<&str> = passes(level).iter().map(|pass| pass.name).collect();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        _ = writeln!(text, "| {name} | {names} |");
    }
    text
}

/// What has to come before what, and why.
pub(super) fn order() -> String {
    let mut text = "| before | after | because |\n|---|---|---|\n".to_owned();
    for row in ORDER {
        _ = writeln!(text, "| `{}` | `{}` | {} |", row.before, row.after, row.reason);
    }
    text
}

/// The head of each pass's file, under its name.
pub(super) fn contracts() -> Outcome<String> {
    let sources = files(&root().join("crates/opt/src"), &["rs"])?;
    let mut text = String::new();
    for pass in PASSES {
        let path = file_of(pass.name, &sources).ok_or_else(|| format!("pass `{}` has no file", pass.name))?;
        _ = write!(text, "\n### {}\n\n{}", pass.name, head(&read(path)?));
    }
    Ok(text + "\n")
}

/// The file that is named as a pass is, or lies in a folder of that name as its `mod.rs`.
fn file_of<'a>(pass: &str, sources: &'a [PathBuf]) -> Option<&'a PathBuf> {
    let stem = pass.replace('-', "_");
    let is_named = |path: &Path| path.file_stem().is_some_and(|name| *name == *stem);
    sources.iter().find(|path| match path.file_name() {
        Some(name) if name == "mod.rs" => path.parent().is_some_and(is_named),
        _ => is_named(path),
    })
}

/// The opening comment as text; names that link to code are code only.
fn head(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let mut text = String::new();
    for line in lines {
        let line = line.strip_prefix(' ').unwrap_or(line);
        _ = writeln!(text, "{}", line.replace("[`", "`").replace("`]", "`"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_become_text() {
        let source = "//! `x`: does ([`LIMIT`]).\n//!\n//! ```text\n//!  a\n//! ```\n\nuse y;\n//! no\n";
        assert_eq!(head(source), "`x`: does (`LIMIT`).\n\n```text\n a\n```\n");
    }

    #[test]
    fn each_pass_has_its_file_and_each_row_its_cells() {
        let contracts = contracts().expect("each pass has a file");
        assert!(PASSES.iter().all(|pass| contracts.contains(&format!("\n### {}\n\n", pass.name))));
        assert!(table_of_passes().lines().all(|row| row.matches('|').count() == 6));
        assert_eq!(order().lines().count(), 2 + ORDER.len());
        assert_eq!(levels().lines().count(), 2 + LEVELS.len());
    }
}
