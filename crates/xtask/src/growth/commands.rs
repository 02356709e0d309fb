//! Which commands are measured on which shapes.

use super::Size;
use super::shapes::{self, Language, Shape};

/// A command on a shape.
#[derive(Clone, Debug)]
pub(super) struct Invocation {
    pub(super) shape: &'static Shape,
    pub(super) arguments: Vec<String>,
}

impl Invocation {
    /// `build -O2: nested-loops.yul`.
    pub(super) fn name(&self) -> String {
        format!("{}: {}.{}", self.arguments.join(" "), self.shape.name, self.shape.language)
    }
}

const YUL: &[&str] = &[
    "build -O0",
    "build -O1",
    "build -O2",
    "build -O3",
    "build -Os",
    "build -O0 --spec",
    "verify",
    "fmt",
    "yul-opt",
];
const IR: &[&str] = &["build -O0", "build -O2", "verify", "fmt", "legalize", "opt", "stackify"];
const ASM: &[&str] = &["asm", "fmt", "verify"];
const HEX: &[&str] = &[
    "disasm",
    "analyze",
    "analyze --json",
    "cfg --format text",
    "cfg --format dot",
    "cfg --format mermaid",
    "cfg --format svg",
    "cfg --format html",
    "lift",
    "lift --emit yul",
    "recompile",
];

/// One command for each part of the compiler.
const QUICK: &[&str] = &[
    "build -O2",
    "build -O0 --spec",
    "verify",
    "yul-opt",
    "legalize",
    "asm",
    "analyze",
    "cfg --format svg",
    "lift",
];

/// Rows that grow faster than their input, how fast they may, and why.
pub(super) const STEEP: &[(&str, f64, &str)] = &[
    (
        "build -O0 --spec: nested-loops.yul",
        4.0,
        "the literal scheduler's checker compares all that is live at each block, and in a loop that is \
         the counters of all loops around it",
    ),
    (
        "build -O2: functions.yul",
        3.6,
        "a chain of calls becomes one function, in which words are out of reach from some 150 calls on and the search \
         for stack code looks ahead: a step, before and behind which work grows as the input does",
    ),
    ("verify: cases.eir", 3.0, LEVELS_OF_TABLES),
    ("legalize: cases.eir", 3.0, LEVELS_OF_TABLES),
];

const LEVELS_OF_TABLES: &str = "each case is looked at once a level of tables, and sixteen times the cases \
     need a level more: n log n, in steps";

/// The commands that take files with this extension.
pub(crate) fn commands_of(extension: &str) -> &'static [&'static str] {
    match extension {
        "yul" => YUL,
        "eir" => IR,
        "asm" => ASM,
        _ => HEX,
    }
}

/// All rows.
pub(super) fn all(size: Size) -> Vec<Invocation> {
    let mut rows = Vec::new();
    for shape in shapes::ALL {
        let commands = commands_of(&shape.language.to_string());
        let words = |command: &str| command.split(' ').map(str::to_owned).collect();
        let commands = commands.iter().filter(|command| size != Size::Quick || QUICK.contains(command));
        rows.extend(commands.map(|command| Invocation { shape, arguments: words(command) }));
        if shape.language == Language::Yul && size == Size::Full {
            let steps = cairn_yul_opt::STEPS.iter();
            rows.extend(steps.map(|step| Invocation { shape, arguments: step_alone(step.name) }));
        }
    }
    rows
}

/// One step of the Yul optimizer, after those that it needs.
fn step_alone(step: &str) -> Vec<String> {
    vec!["yul-opt".to_owned(), "--steps".to_owned(), format!("{{{step}}}")]
}
