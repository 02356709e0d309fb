//! Compiled objects, kept between runs.
//!
//! An object's code is a function of its own text, the options and the compiler, so that is what
//! an entry is named after: a SHA-256 over all three, the metadata left out of the text. Entries are
//! assembly text, each a file; they are written beside their place and renamed, so that concurrent
//! runs see whole entries or none. A cache that cannot be read or written is no cache: nothing fails.
//! When it has grown beyond [`MAX_BYTES`], the entries that were written longest ago go.

use crate::metadata::SEGMENT;
use cairn_asm::Program;
use cairn_diag::FileId;
use cairn_driver::Options;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Size of a cache, in bytes, beyond which it is halved.
pub const MAX_BYTES: u64 = 512 << 20;

/// A folder of compiled objects.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

/// Name of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(String);

impl Cache {
    /// The cache in this folder, which is made when something is kept.
    pub fn new(folder: PathBuf) -> Cache {
        Cache { folder }
    }

    /// The name of the entry for an object's own text. solc's metadata is no part of it: a comment
    /// that changes in the source changes the metadata, not the code.
    pub fn key(options: &Options, own_text: &str) -> Key {
        let mut hasher = Sha256::new();
        let Options { level, runs, fork, .. } = options;
        hasher.update(format!("cairn {} -O{level} --runs {runs} {fork}\n", env!("CARGO_PKG_VERSION")));
        hasher.update(compiler_stamp());
        for part in without_metadata(own_text) {
            hasher.update(part);
        }
        Key(cairn_evm::hex::encode(hasher.finalize()))
    }

    fn path(&self, Key(name): &Key) -> PathBuf {
        self.folder.join(&name[..2]).join(&name[2..])
    }

    /// The entry, if it is there and whole.
    pub fn get(&self, key: &Key) -> Option<Program> {
        let text = std::fs::read_to_string(self.path(key)).ok()?;
        let body = text.strip_suffix(END)?;
        cairn_asm::parse(body, FileId(0)).ok()
    }

    /// Keeps an entry, if that is possible.
    pub fn put(&self, key: &Key, program: &Program) {
        let path = self.path(key);
        let write = |folder: &Path| -> std::io::Result<()> {
            std::fs::create_dir_all(folder)?;
            let mut file = tempfile::NamedTempFile::new_in(folder)?;
            file.write_all(cairn_asm::print(program).as_bytes())?;
            file.write_all(END.as_bytes())?;
            file.persist(&path)?;
            Ok(())
        };
        _ = path.parent().map(write);
    }

    /// Halves a cache that has grown beyond [`MAX_BYTES`].
    pub fn tidy(&self) {
        let mut entries = self.entries();
        let mut total: u64 = entries.iter().map(|(_, size, _)| size).sum();
        if total <= MAX_BYTES {
            return;
        }
        entries.sort();
        for (_, size, path) in entries {
            if total <= MAX_BYTES / 2 {
                break;
            }
            if std::fs::remove_file(path).is_ok() {
                total -= size;
            }
        }
    }

    /// Every entry with the time when it was written and its size.
    fn entries(&self) -> Vec<(SystemTime, u64, PathBuf)> {
        let folders = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let files =
            folders.flat_map(|folder| std::fs::read_dir(folder.path()).into_iter().flatten().flatten());
        let known = files.filter_map(|file| {
            let meta = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some((meta.modified().ok()?, meta.len(), file.path()))
        });
        known.collect()
    }
}

/// The last line of a whole entry.
const END: &str = "; end\n";

/// What tells builds of the compiler of one version apart: the program's size and age.
fn compiler_stamp() -> String {
    let meta = std::env::current_exe().and_then(std::fs::metadata);
    let stamp = meta.and_then(|meta| {
        let age = meta.modified()?.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Ok(format!("{} {}\n", meta.len(), age.as_nanos()))
    });
    stamp.unwrap_or_default()
}

/// The text without the digits of the metadata.
fn without_metadata(text: &str) -> [&str; 2] {
    let head = format!("data \"{SEGMENT}\" hex\"");
    let found = text.rfind(&head).and_then(|at| {
        let start = at + head.len();
        Some((start, start + text[start..].find('"')?))
    });
    found.map_or([text, ""], |(start, end)| [&text[..start], &text[end..]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("objects"));
        let key = Cache::key(&Options::default(), "object \"a\" { }");
        assert_eq!(cache.get(&key), None);
        let program = cairn_asm::parse("object \"a\" {\n .loc 0 1 2\n PUSH 1\n POP\n}\n", FileId(0)).unwrap();
        cache.put(&key, &program);
        assert_eq!(cache.get(&key), Some(cairn_asm::normalize(&program)));
        std::fs::write(cache.path(&key), "object \"a\" { }").unwrap();
        assert_eq!(cache.get(&key), None, "the end is missing");
    }

    #[test]
    fn names_tell_what_matters() {
        let text = |hash: &str| format!("object \"a\" {{ data \".metadata\" hex\"{hash}\" }}");
        let key = |options: &Options, hash: &str| Cache::key(options, &text(hash));
        let options = Options::default();
        assert_eq!(key(&options, "a264"), key(&options, "b364"));
        let other = Options { runs: 1, ..Options::default() };
        assert_ne!(key(&options, ""), key(&other, ""));
        assert_ne!(Cache::key(&options, "a"), Cache::key(&options, "b"));
    }
}
