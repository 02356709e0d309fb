//! `docs`: tables in docs/ that are generated from the code.
//!
//! A table stands between `<!-- generated: NAME -->` and `<!-- end -->`; the rest of the file is
//! left alone. Checking compares, writing rewrites.

mod library;
mod opt;

use crate::project::{Outcome, files, read, root, shown, write};
use cairn_diag::FaultCode;
use cairn_evm::{Fork, Opcode, gas};
use std::fmt::Write;

/// Whether files are rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Rewrite them.
    Write,
    /// Fail if one is not current.
    Check,
}

impl Mode {
    /// `--check` checks.
    pub(crate) fn of(argument: Option<&str>) -> Mode {
        if argument == Some("--check") { Mode::Check } else { Mode::Write }
    }
}

const BEGIN: &str = "<!-- generated: ";
const END: &str = "<!-- end -->";

/// Updates or checks all tables.
pub(crate) fn run(mode: Mode) -> Outcome {
    let mut stale = Vec::new();
    for path in files(&root().join("docs"), &["md"])? {
        let text = read(&path)?;
        let current = update(&text).map_err(|message| format!("{}: {message}", shown(&path)))?;
        if current == text {
            continue;
        }
        match mode {
            Mode::Write => write(&path, &current)?,
            Mode::Check => stale.push(shown(&path)),
        }
    }
    if stale.is_empty() {
        Ok(())
    } else {
        Err(format!("not current, run `cargo xtask docs`: {}", stale.join(" ")))
    }
}

/// The text with all its tables generated anew.
fn update(text: &str) -> Outcome<String> {
    let mut updated = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        let (name, after) = after.split_once(" -->").ok_or("a marker without its end")?;
        let (_, after) = after.split_once(END).ok_or_else(|| format!("table `{name}` has no `{END}`"))?;
        // Writing to a string can't fail.
        _ = write!(updated, "{before}{BEGIN}{name} -->\n{}{END}", table(name)?);
        rest = after;
    }
    Ok(updated + rest)
}

fn table(name: &str) -> Outcome<String> {
    match name {
        "opcodes" => Ok(opcodes()),
        "asm-passes" => Ok(asm_passes()),
        "faults-ir" => Ok(faults_table(cairn_ir::text::fault::ALL)),
        "faults-asm" => Ok(faults_table(cairn_asm::fault::ALL)),
        "faults-yul" => {
            let code = |fault: &cairn_yul::Fault| FaultCode { code: fault.code(), summary: fault.summary() };
            let mut faults: Vec<FaultCode> = cairn_yul::Fault::ALL.iter().map(code).collect();
            faults.sort_by_key(|fault| fault.code);
            Ok(faults_table(&faults))
        }
        "legalize-operations" => Ok(legalize_operations()),
        "legalize-passes" => Ok(legalize_passes()),
        "library" => library::surface(),
        "opt-passes" => Ok(opt::table_of_passes()),
        "opt-levels" => Ok(opt::levels()),
        "opt-order" => Ok(opt::order()),
        "opt-contracts" => opt::contracts(),
        _ => {
            let table = cairn_ir::reference::TABLES.iter().find(|(known, _)| *known == name);
            let (_, table) = table.ok_or_else(|| format!("nothing generates a table `{name}`"))?;
            Ok(table())
        }
    }
}

fn faults_table(faults: &[FaultCode]) -> String {
    let mut text = "| code | what it means |\n|---|---|\n".to_owned();
    for fault in faults {
        _ = writeln!(text, "| `{}` | {} |", fault.code, fault.summary.trim().replace('|', "\\|"));
    }
    text
}

fn opcodes() -> String {
    let mut text = "| byte | opcode | takes | leaves | immediate | since | gas | effects |\n|---|---|---|---|---|---|---|---|\n".to_owned();
    for opcode in Opcode::all() {
        let info = opcode.known();
        let effects: Vec<String> =
            info.effects.iter_names().map(|(name, _)| name.to_ascii_lowercase().replace('_', " ")).collect();
        _ = writeln!(
            text,
            "| `0x{:02x}` | `{}` | {} | {} | {} | {} | {} | {} |",
            opcode.0,
            info.name,
            info.inputs,
            info.outputs,
            info.immediate,
            info.since,
            gas::static_gas(opcode, Fork::Osaka.max(info.since)),
            effects.join(", "),
        );
    }
    text
}

fn asm_passes() -> String {
    let mut text = "| pass | from level | what it does |\n|---|---|---|\n".to_owned();
    for pass in cairn_asm::pipeline::all() {
        _ = writeln!(text, "| `{}` | {:?} | {} |", pass.name, pass.level, pass.summary);
    }
    text
}

/// What each pass of the legalizer gives.
fn legalize_passes() -> String {
    let mut text = "| pass | gives | needs |\n|---|---|---|\n".to_owned();
    for pass in cairn_legalize::PASSES {
        let giver = |need: &cairn_legalize::Property| {
            let giver = cairn_legalize::PASSES.iter().find(|pass| pass.gives == *need);
            giver.map_or(String::new(), |pass| format!("`{}`", pass.name))
        };
        let givers: Vec<String> = pass.needs.iter().map(giver).collect();
        _ = writeln!(text, "| `{}` | {} | {} |", pass.name, pass.summary, givers.join(", "));
    }
    text
}

/// Every operation on every fork, by a letter for what the legalizer does.
fn legalize_operations() -> String {
    let letter = |action: &str| match action {
        "legal" => "✓",
        "expand" => "E",
        "libcall" => "R",
        "custom" => "C",
        "error" => "–",
        _ => "T",
    };
    let mut text = "| operation |".to_owned();
    Fork::ALL.iter().for_each(|fork| _ = write!(text, " {fork} |"));
    _ = writeln!(text, "\n|---{}|", "|---".repeat(Fork::ALL.len()));
    for row in cairn_legalize::operation_rows() {
        let cells: Vec<&str> = row.actions.iter().map(|action| letter(action)).collect();
        _ = writeln!(text, "| `{}` | {} |", row.name, cells.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So that a pass whose contract changed is not found by continuous integration alone.
    #[test]
    fn the_tables_of_this_project_are_current() {
        assert_eq!(run(Mode::Check), Ok(()));
    }

    #[test]
    fn tables_are_replaced_and_the_rest_stays() {
        let text = format!("before\n{BEGIN}asm-passes -->\nsuperseded\n{END}\nafter {BEGIN}opcodes -->{END}");
        let updated = update(&text).expect("the tables exist");
        assert!(updated.starts_with(&format!("before\n{BEGIN}asm-passes -->\n| pass |")));
        assert!(updated.contains("| `0x01` | `ADD` | 2 | 1 | 0 | frontier | 3 |  |\n"));
        assert!(!updated.contains("superseded"));
        assert_eq!(update(&updated), Ok(updated.clone()));
        assert_eq!(update("no tables"), Ok("no tables".to_owned()));
    }

    #[test]
    fn faulty_markers() {
        assert_eq!(update(&format!("{BEGIN}x -->{END}")), Err("nothing generates a table `x`".to_owned()));
        assert_eq!(update(&format!("{BEGIN}opcodes -->")), Err(format!("table `opcodes` has no `{END}`")));
    }
}
