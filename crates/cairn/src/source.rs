//! What is compiled: a named text in a language.

use cairn_driver::{Input, Language};

/// A named text. The name stands in diagnostics; nothing is read from it.
#[derive(Clone, Debug)]
pub struct Source {
    pub(crate) input: Input,
}

impl Source {
    /// Yul, as `solc --ir` prints it: an object with nested ones, or a block.
    pub fn yul(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source::of(Language::Yul, name, text)
    }

    /// EVM-IR in its text form.
    pub fn evm_ir(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source::of(Language::EvmIr, name, text)
    }

    /// Assembly: symbolic stack code.
    pub fn assembly(name: impl Into<String>, text: impl Into<String>) -> Source {
        Source::of(Language::Asm, name, text)
    }

    fn of(language: Language, name: impl Into<String>, text: impl Into<String>) -> Source {
        Source { input: Input { name: name.into(), text: text.into(), language } }
    }
}
