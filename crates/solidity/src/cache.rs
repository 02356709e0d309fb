//! Compiled objects, kept between runs.
//!
//! An object's code is a function of its own text, the options and the compiler, so that is what
//! an entry is named after: a SHA-256 over all three, the metadata left out of the text. What comes
//! back has the metadata of the text that asks for it. Entries are assembly text, each a file; they
//! are written beside their place and renamed, so that concurrent runs see whole entries or none. A
//! cache that cannot be read or written is no cache: nothing fails. When it has grown beyond
//! [`MAX_BYTES`], the entries that were written longest ago go.

use crate::metadata::SEGMENT;
use cairn_asm::Program;
use cairn_diag::FileId;
use cairn_driver::Options;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Size of a cache, in bytes, beyond which it is halved.
pub const MAX_BYTES: u64 = 512 << 20;

/// A folder of compiled objects.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    /// What tells builds of the compiler of one version apart.
    stamp: String,
}

/// Name of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key(String);

impl Cache {
    /// The cache in this folder, which is made when something is kept.
    pub fn new(folder: PathBuf) -> Cache {
        Cache { folder, stamp: compiler_stamp() }
    }

    /// The name of the entry for an object's own text. solc's metadata is no part of it: a comment
    /// that changes in the source changes the metadata, not the code.
    pub fn key(&self, options: &Options, own_text: &str) -> Key {
        let mut hasher = Sha256::new();
        let Options { level, runs, switch, fork, .. } = options;
        let (version, switch) = (env!("CARGO_PKG_VERSION"), switch.name());
        hasher.update(format!("cairn {version} -O{level} --runs {runs} --switch {switch} {fork}\n"));
        hasher.update(&self.stamp);
        let digits = metadata_digits(own_text);
        hasher.update(&own_text[..digits.start]);
        hasher.update(&own_text[digits.end..]);
        Key(cairn_evm::hex::encode(hasher.finalize()))
    }

    fn path(&self, Key(name): &Key) -> PathBuf {
        self.folder.join(&name[..2]).join(&name[2..])
    }

    /// The entry, if it is there and whole, with the metadata of this own text.
    pub fn get(&self, key: &Key, own_text: &str) -> Option<Program> {
        let text = std::fs::read_to_string(self.path(key)).ok()?;
        let mut program = cairn_asm::parse(text.strip_suffix(END)?, FileId(0)).ok()?;
        let metadata = cairn_evm::hex::decode(&own_text[metadata_digits(own_text)]).ok()?;
        for (_, bytes) in program.data.iter_mut().filter(|(name, _)| name == SEGMENT) {
            bytes.clone_from(&metadata);
        }
        Some(program)
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

/// Where the digits of the metadata stand in a text; empty, at its end, where there are none.
fn metadata_digits(text: &str) -> Range<usize> {
    let head = format!("data \"{SEGMENT}\" hex\"");
    let found = text.rfind(&head).and_then(|at| {
        let start = at + head.len();
        Some(start..start + text[start..].find('"')?)
    });
    found.unwrap_or(text.len()..text.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_driver::SwitchShape;

    #[test]
    fn entries_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("objects"));
        let text = "object \"a\" { }";
        let key = cache.key(&Options::default(), text);
        assert_eq!(cache.get(&key, text), None);
        let program = cairn_asm::parse("object \"a\" {\n .loc 0 1 2\n PUSH 1\n POP\n}\n", FileId(0)).unwrap();
        cache.put(&key, &program);
        assert_eq!(cache.get(&key, text), Some(cairn_asm::normalize(&program)));
        std::fs::write(cache.path(&key), "object \"a\" { }").unwrap();
        assert_eq!(cache.get(&key, text), None, "the end is missing");
    }

    #[test]
    fn metadata_is_that_of_the_text() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().to_owned());
        let text = |digits: &str| format!("object \"a\" {{ data \".metadata\" hex\"{digits}\" }}");
        let (old, new) = (text("a264"), text("b36465"));
        let key = cache.key(&Options::default(), &old);
        let data = vec![(SEGMENT.to_owned(), vec![0xa2, 0x64])];
        cache.put(&key, &Program { name: "a".to_owned(), data, ..Program::default() });
        let found = cache.get(&cache.key(&Options::default(), &new), &new).unwrap();
        assert_eq!(found.data, [(SEGMENT.to_owned(), vec![0xb3, 0x64, 0x65])]);
    }

    #[test]
    fn names_tell_what_matters() {
        let text = |hash: &str| format!("object \"a\" {{ data \".metadata\" hex\"{hash}\" }}");
        let cache = Cache::new(PathBuf::new());
        let key = |options: &Options, hash: &str| cache.key(options, &text(hash));
        let options = Options::default();
        assert_eq!(key(&options, "a264"), key(&options, "b364"));
        let other = Options { runs: 1, ..Options::default() };
        assert_ne!(key(&options, ""), key(&other, ""));
        let other = Options { switch: SwitchShape::Cascade, ..options.clone() };
        assert_ne!(key(&options, ""), key(&other, ""));
        assert_ne!(cache.key(&options, "a"), cache.key(&options, "b"));
    }
}
