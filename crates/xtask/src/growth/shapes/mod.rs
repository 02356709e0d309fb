//! Programs of any size, each large in one way.

mod code;
mod ir;
mod yul;

use std::fmt;

/// What a shape is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Yul,
    EvmIr,
    Asm,
    Hex,
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Language::Yul => "yul",
            Language::EvmIr => "eir",
            Language::Asm => "asm",
            Language::Hex => "hex",
        })
    }
}

/// A family of programs.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) name: &'static str,
    pub(super) language: Language,
    /// The smallest size that is measured.
    pub(super) size: usize,
    /// The program of a size.
    pub(super) make: fn(usize) -> String,
}

const fn shape(language: Language, name: &'static str, size: usize, make: fn(usize) -> String) -> Shape {
    Shape { name, language, size, make }
}

/// Every shape.
pub(super) const ALL: &[Shape] = &[
    shape(Language::Yul, "statements", 1000, yul::statements),
    shape(Language::Yul, "functions", 200, yul::functions),
    shape(Language::Yul, "sums", 200, yul::sums),
    shape(Language::Yul, "passed-on", 4000, yul::passed_on),
    shape(Language::Yul, "branches", 300, yul::branches),
    shape(Language::Yul, "loops", 300, yul::loops),
    shape(Language::Yul, "nested-loops", 60, yul::nested_loops),
    shape(Language::Yul, "nested-branches", 60, yul::nested_branches),
    shape(Language::Yul, "cases", 1000, yul::cases),
    shape(Language::Yul, "variables", 300, yul::variables),
    shape(Language::Yul, "expression", 100, yul::expression),
    shape(Language::Yul, "call-sites", 400, yul::call_sites),
    shape(Language::EvmIr, "checks", 1000, ir::checks),
    shape(Language::EvmIr, "blocks", 1000, ir::blocks),
    shape(Language::EvmIr, "constants", 400, ir::constants),
    shape(Language::EvmIr, "straight", 1000, ir::straight),
    shape(Language::EvmIr, "cases", 1000, ir::cases),
    shape(Language::EvmIr, "alloca", 10_000, ir::alloca),
    shape(Language::EvmIr, "call-sites", 400, ir::call_sites),
    shape(Language::EvmIr, "words", 100, ir::words),
    shape(Language::Asm, "labels", 2000, code::labels_text),
    shape(Language::Asm, "straight", 4000, code::straight_text),
    shape(Language::Hex, "jumpdests", 4000, code::jumpdests),
    shape(Language::Hex, "straight", 4000, code::straight),
    shape(Language::Hex, "jumps", 1000, code::jumps),
    shape(Language::Hex, "checks", 1000, code::checks),
    shape(Language::Hex, "dispatch", 500, code::dispatch),
    shape(Language::Hex, "call-sites", 2000, code::call_sites),
];
