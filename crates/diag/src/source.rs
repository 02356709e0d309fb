//! Source files by id, with line and column look-up.

use std::sync::OnceLock;

/// A file in [`Sources`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A named text.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Name shown to the user.
    pub name: String,
    /// The text.
    pub text: String,
    /// Where lines begin, found when somebody asks first: most inputs have no faults to show.
    line_starts: OnceLock<Vec<u32>>,
}

impl SourceFile {
    /// A file with the given name and text.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        SourceFile { name: name.into(), text: text.into(), line_starts: OnceLock::new() }
    }

    /// Line and column (in bytes) of a byte offset, both counted from 1.
    pub fn line_column(&self, offset: u32) -> (usize, usize) {
        let line_starts = self.line_starts.get_or_init(|| line_starts(&self.text));
        let line = line_starts.partition_point(|start| *start <= offset);
        (line, (offset - line_starts[line - 1]) as usize + 1)
    }
}

fn line_starts(text: &str) -> Vec<u32> {
    let newlines = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0).chain(newlines.map(|(at, _)| at as u32 + 1)).collect()
}

/// All source files of one compilation.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// Adds a file.
    pub fn add(&mut self, file: SourceFile) -> FileId {
        self.files.push(file);
        FileId(self.files.len() as u32 - 1)
    }

    /// True when no file was added.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The file added last.
    ///
    /// # Panics
    /// If there is none.
    pub fn last(&self) -> FileId {
        assert!(!self.files.is_empty(), "no file was added");
        FileId(self.files.len() as u32 - 1)
    }

    /// The file with this id.
    ///
    /// # Panics
    /// If the id is of other [`Sources`].
    pub fn get(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }
}
