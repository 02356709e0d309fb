//! Inputs: a name, bytes, and the language they are in.

use std::path::Path;

/// The language of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `.yul`
    Yul,
    /// `.eir`: EVM-IR text.
    EvmIr,
    /// `.asm`: assembly text.
    Asm,
    /// `.hex`: bytecode in hexadecimal.
    Hex,
}

impl Language {
    /// The language that a file name's extension says.
    pub fn of_path(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "yul" => Some(Language::Yul),
            "eir" => Some(Language::EvmIr),
            "asm" => Some(Language::Asm),
            "hex" | "bin" => Some(Language::Hex),
            _ => None,
        }
    }

    /// A guess from the text, for standard input.
    pub fn guess(text: &str) -> Language {
        let start = text.trim_start();
        let digits = start.strip_prefix("0x").unwrap_or(start).trim_end();
        if !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace())
        {
            return Language::Hex;
        }
        let first = first_word(text);
        if matches!(first, "module" | "func" | "data") { Language::EvmIr } else { Language::Yul }
    }
}

/// The first word after white space and line comments.
fn first_word(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim_start);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with("//") && !line.starts_with(';'));
    let line = line.unwrap_or("");
    line.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("")
}

/// A named text in some language.
#[derive(Clone, Debug)]
pub struct Input {
    /// Name for diagnostics.
    pub name: String,
    /// The text.
    pub text: String,
    /// Its language.
    pub language: Language,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart() {
        assert_eq!(Language::guess("// c\n\nobject \"a\" { code {} }"), Language::Yul);
        assert_eq!(Language::guess("{ sstore(0, 1) }"), Language::Yul);
        assert_eq!(Language::guess("; c\nmodule @m {"), Language::EvmIr);
        assert_eq!(Language::guess("0x6000\n"), Language::Hex);
        assert_eq!(Language::guess(""), Language::Yul);
        assert_eq!(Language::of_path(Path::new("a/b.eir")), Some(Language::EvmIr));
        assert_eq!(Language::of_path(Path::new("a")), None);
    }
}
