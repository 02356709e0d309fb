//! Watches the steps for `--trace` and `--explain`.

use crate::args::YulOptArgs;
use crate::output::{self, Fault, Sink};
use crate::report;
use cairn_diag::Diagnostic;
use cairn_yul::{Block, Dialect, NameTable, Statement, print_block};
use cairn_yul_opt::{Cause, Observer, Step, code_size};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

/// Keeps the program before each step and compares it with the program after.
pub(super) struct Watcher {
    trace: Option<PathBuf>,
    explains: bool,
    dialect: Dialect,
    before: Snapshot,
    n_steps: usize,
    index: String,
    error: Option<Fault>,
}

#[derive(Default)]
struct Snapshot {
    text: String,
    size: usize,
    functions: BTreeSet<String>,
    variables: BTreeSet<String>,
}

impl Watcher {
    pub(super) fn new(args: &YulOptArgs, dialect: Dialect) -> Self {
        Watcher {
            trace: args.trace.clone(),
            explains: args.explain,
            dialect,
            before: Snapshot::default(),
            n_steps: 0,
            index: "step size change object\n".to_owned(),
            error: None,
        }
    }

    /// Writes the table of steps; the first thing that went wrong, if anything did.
    pub(super) fn finish(mut self) -> Result<(), Fault> {
        if let Some(directory) = self.trace.clone() {
            let index = std::mem::take(&mut self.index);
            self.write(&directory.join("index.txt"), &index);
        }
        self.error.map_or(Ok(()), Err)
    }

    fn write(&mut self, path: &std::path::Path, text: &str) {
        let parent = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let parent = parent.map_err(|error| Diagnostic::error(format!("{}: {error}", path.display())).into());
        if let Err(fault) = parent.and_then(|()| output::write(&Sink::File(path.to_owned()), text)) {
            self.error.get_or_insert(fault);
        }
    }

    fn snapshot(&self, code: &Block, names: &NameTable) -> Snapshot {
        let mut snapshot = Snapshot {
            text: print_block(code, names, &self.dialect),
            size: code_size(code),
            ..Snapshot::default()
        };
        let mut pending = vec![code];
        while let Some(block) = pending.pop() {
            for statement in &block.statements {
                snapshot.collect(statement, names, &mut pending);
            }
        }
        snapshot
    }

    fn explain(&self, name: &str, object: &str, after: &Snapshot) -> String {
        let mut text = format!("{:3} {name}", self.n_steps);
        if !object.is_empty() {
            write!(text, " in `{object}`").expect("invariant: writing to a string succeeds");
        }
        write!(text, ": size {} -> {}", self.before.size, after.size)
            .expect("invariant: writing to a string succeeds");
        let parts = [
            ("removed functions", self.before.functions.difference(&after.functions)),
            ("new functions", after.functions.difference(&self.before.functions)),
            ("removed variables", self.before.variables.difference(&after.variables)),
            ("new variables", after.variables.difference(&self.before.variables)),
        ];
        for (title, names) in parts {
            let names: Vec<&str> = names.map(String::as_str).collect();
            if !names.is_empty() {
                write!(text, "\n      {title}: {}", names.join(", "))
                    .expect("invariant: writing to a string succeeds");
            }
        }
        text.push('\n');
        text
    }
}

impl Snapshot {
    fn collect<'a>(&mut self, statement: &'a Statement, names: &NameTable, pending: &mut Vec<&'a Block>) {
        let text = |name| names.text(name).to_owned();
        match statement {
            Statement::Let(declaration) => {
                self.variables.extend(declaration.variables.iter().map(|variable| text(variable.name)));
            }
            Statement::Function(function) => {
                self.functions.insert(text(function.name.name));
                let variables = function.parameters.iter().chain(&function.returns);
                self.variables.extend(variables.map(|variable| text(variable.name)));
                pending.push(&function.body);
            }
            Statement::If(branch) => pending.push(&branch.body),
            Statement::Switch(switch) => pending.extend(switch.cases.iter().map(|case| &case.body)),
            Statement::For(the_loop) => pending.extend([&the_loop.init, &the_loop.post, &the_loop.body]),
            Statement::Block(block) => pending.push(block),
            Statement::Expression(..)
            | Statement::Assign(_)
            | Statement::Break(..)
            | Statement::Continue(..)
            | Statement::Leave(..) => {}
        }
    }
}

impl Observer for Watcher {
    fn enter_object(&mut self, _object: &str, code: &Block, names: &NameTable) {
        if self.trace.is_some() || self.explains {
            self.before = self.snapshot(code, names);
        }
    }

    fn after_step(&mut self, object: &str, step: Step, cause: Cause, code: &Block, names: &NameTable) {
        if self.trace.is_none() && !self.explains {
            return;
        }
        let after = self.snapshot(code, names);
        self.n_steps += 1;
        let name = step.name;
        if self.explains && after.text != self.before.text {
            let note = match cause {
                Cause::Planned => name.to_owned(),
                Cause::Needed => format!("{name} (inserted)"),
            };
            report::information(&self.explain(&note, object, &after));
        }
        if let Some(directory) = self.trace.clone() {
            let stem = format!("{:03}-{name}", self.n_steps);
            let change = after.size as i64 - self.before.size as i64;
            writeln!(self.index, "{stem} {} {change:+} {object}", after.size)
                .expect("invariant: writing to a string succeeds");
            self.write(&directory.join(format!("{stem}.yul")), &format!("{}\n", after.text));
            if after.text != self.before.text {
                let changes = line_changes(&self.before.text, &after.text);
                self.write(&directory.join(format!("{stem}.diff")), &changes);
            }
        }
        self.before = after;
    }
}

/// Lines that differ, with what both texts begin and end with left out.
fn line_changes(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let n_same_start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - n_same_start;
    let n_same_end = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (old, new) = (&old[n_same_start..old.len() - n_same_end], &new[n_same_start..new.len() - n_same_end]);
    let mut text = format!("@@ line {} @@\n", n_same_start + 1);
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            text.push_str(&format!("  {}\n", old[i]));
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let (skip_old, skip_new) = next_match(&old[i..], &new[j..]);
        old[i..i + skip_old].iter().for_each(|line| text.push_str(&format!("- {line}\n")));
        new[j..j + skip_new].iter().for_each(|line| text.push_str(&format!("+ {line}\n")));
        (i, j) = (i + skip_old, j + skip_new);
    }
    text
}

/// How far the texts are looked ahead into.
const WINDOW: usize = 64;

/// The nearest lines that are equal again.
fn next_match(old: &[&str], new: &[&str]) -> (usize, usize) {
    for distance in 1..WINDOW {
        for skip_old in 0..=distance {
            let skip_new = distance - skip_old;
            if skip_old < old.len() && skip_new < new.len() && old[skip_old] == new[skip_new] {
                return (skip_old, skip_new);
            }
        }
    }
    (old.len().min(WINDOW), new.len().min(WINDOW))
}
