//! The parts of a test file.
//!
//! ```text
//! // What it shows.
//! //! run: build --emit=asm
//! //! exec: calldata=word(5) => return word(6)
//! …input…
//! // ---- build --emit=asm
//! // …exact output…
//! ```
//! `;` stands for `//` in `.asm` and `.hex` files. An inline `// error: text` demands a diagnostic
//! with that text on its line.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A parsed test file.
#[derive(Clone, Debug)]
pub struct TestFile {
    /// Where it is.
    pub path: PathBuf,
    /// `//` or `;`.
    pub comment: &'static str,
    /// Command lines after `run:`.
    pub runs: Vec<String>,
    /// Lines after `exec:`.
    pub execs: Vec<String>,
    /// After `fork:`.
    pub fork: Option<String>,
    /// Everything before the first expectation.
    pub source: String,
    /// Expected output by command line, in order.
    pub sections: Vec<(String, String)>,
    /// Line (from 1) and text of inline error expectations.
    pub errors: Vec<(usize, String)>,
}

impl TestFile {
    /// Parses the text of a test file.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the header.
    pub fn parse(path: &Path, text: &str) -> Result<TestFile, String> {
        let is_listing = matches!(path.extension().and_then(|e| e.to_str()), Some("asm" | "hex"));
        let comment = if is_listing { ";" } else { "//" };
        let mut file = TestFile {
            path: path.to_owned(),
            comment,
            runs: Vec::new(),
            execs: Vec::new(),
            fork: None,
            source: String::new(),
            sections: Vec::new(),
            errors: Vec::new(),
        };
        let marker = format!("{comment} ---- ");
        for (index, line) in text.lines().enumerate() {
            if let Some(command) = line.strip_prefix(&marker) {
                file.sections.push((command.trim().to_owned(), String::new()));
            } else if let Some((_, section)) = file.sections.last_mut() {
                let body = line.strip_prefix(comment).ok_or("only comments may follow an expectation")?;
                section.push_str(body.strip_prefix(' ').unwrap_or(body));
                section.push('\n');
            } else {
                file.read_source_line(index + 1, line)?;
            }
        }
        if file.runs.is_empty() && file.execs.is_empty() && file.errors.is_empty() {
            return Err("no `run:`, `exec:` or inline error: the file tests nothing".into());
        }
        if !text.starts_with(&format!("{comment} ")) {
            return Err("the first line must be a sentence that says what the file shows".into());
        }
        Ok(file)
    }

    fn read_source_line(&mut self, number: usize, line: &str) -> Result<(), String> {
        self.source.push_str(line);
        self.source.push('\n');
        let error = format!("{} error: ", self.comment);
        if let Some((_, message)) = line.split_once(&error) {
            self.errors.push((number, message.trim().to_owned()));
        }
        let Some(directive) = line.strip_prefix(self.comment).and_then(|rest| rest.strip_prefix('!')) else {
            return Ok(());
        };
        let (key, value) =
            directive.split_once(':').ok_or(format!("line {number}: expected `key: value`"))?;
        let value = value.trim().to_owned();
        match key.trim() {
            "run" => self.runs.push(value),
            "exec" => self.execs.push(value),
            "fork" => self.fork = Some(value),
            other => return Err(format!("line {number}: unknown key `{other}`")),
        }
        Ok(())
    }

    /// The input alone: what follows the sentence and the directives.
    pub fn body(&self) -> String {
        let directive = format!("{}!", self.comment);
        let lines: Vec<&str> = self.source.lines().collect();
        let start = lines.iter().rposition(|line| line.starts_with(&directive)).map_or(0, |last| last + 1);
        lines[start..].iter().flat_map(|line| [line, "\n"]).collect()
    }

    /// The file's text with its expectations replaced by `sections`.
    pub fn with_sections(&self, sections: &[(String, String)]) -> String {
        let mut text = self.source.trim_end().to_owned();
        text.push('\n');
        for (command, output) in sections {
            let _ = writeln!(text, "{} ---- {command}", self.comment);
            for line in output.lines() {
                let _ = writeln!(text, "{}", format!("{} {line}", self.comment).trim_end());
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "// Shows it.\n//! run: build --emit=asm\n//! fork: cancun\n{ stop() } // error: no\n// ---- build --emit=asm\n// STOP\n//\n// X\n";

    #[test]
    fn parts_are_found_and_written_back() {
        let file = TestFile::parse(Path::new("a.yul"), TEXT).unwrap();
        assert_eq!(file.runs, ["build --emit=asm"]);
        assert_eq!(file.fork.as_deref(), Some("cancun"));
        assert_eq!(file.errors, [(4, "no".to_owned())]);
        assert_eq!(file.sections, [("build --emit=asm".to_owned(), "STOP\n\nX\n".to_owned())]);
        assert_eq!(file.with_sections(&file.sections), TEXT);
        assert_eq!(file.body(), "{ stop() } // error: no\n");
    }

    #[test]
    fn a_file_that_tests_nothing_is_refused() {
        assert!(TestFile::parse(Path::new("a.yul"), "// Shows nothing.\n{ }\n").is_err());
        assert!(TestFile::parse(Path::new("a.yul"), "//! run: build\n{ }\n").is_err());
        assert!(TestFile::parse(Path::new("a.asm"), "; x\n;! rnu: asm\n").is_err());
    }
}
