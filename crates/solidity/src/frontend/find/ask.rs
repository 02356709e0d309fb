//! Asking a front end for its version, and keeping what it said.
//!
//! The answer is kept by the path, size and time of the file. A file that cannot be kept or read
//! again only costs time.

use super::places::{Cached, Places};
use crate::frontend::access::FileAccess;
use crate::frontend::fault::Fault;
use crate::frontend::installed::Kind;
use crate::frontend::process::Stop;
use crate::frontend::soljson::Soljson;
use crate::frontend::{native, version};
use semver::Version;
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// How long the answer may take: a program that is asked only this has little to do.
const PATIENCE: Duration = Duration::from_secs(120);

/// The complete version.
pub(super) fn version(places: &Places, kind: Kind, path: &Path) -> Result<Version, Fault> {
    let kept = Kept::of(places, kind, path);
    if let Some(version) = kept.as_ref().and_then(Kept::load) {
        return Ok(version);
    }
    let version = match kind {
        Kind::Native => native_version(places, path)?,
        Kind::Soljson => soljson_version(places, path)?,
    };
    if let Some(kept) = kept {
        let _ = kept.store(&version);
    }
    Ok(version)
}

/// What the program says now.
pub(super) fn native_version(places: &Places, path: &Path) -> Result<Version, Fault> {
    native::ask_version(path, patience(places))
}

fn soljson_version(places: &Places, path: &Path) -> Result<Version, Fault> {
    let node = places.find_node().ok_or_else(|| Fault::NoNode { soljson: path.to_path_buf() })?;
    let running = Soljson::start(&node, path, &FileAccess::default(), patience(places), &Stop::default())?;
    Ok(running.version().clone())
}

fn patience(places: &Places) -> Option<Duration> {
    places.patience.map(|limit| limit.min(PATIENCE))
}

/// The file that keeps an answer.
struct Kept {
    file: PathBuf,
    /// What the answer holds for.
    key: String,
}

impl Kept {
    /// Scripts are not kept: what they run may change without them.
    fn of(places: &Places, kind: Kind, path: &Path) -> Option<Kept> {
        if kind == Kind::Native && is_script(path) {
            return None;
        }
        let real = path.canonicalize().ok()?;
        let metadata = real.metadata().ok()?;
        let time = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        let key = format!("{}\n{} bytes, modified {time}", real.to_str()?, metadata.len());
        let hash: String = Sha256::digest(&key).iter().take(12).map(|byte| format!("{byte:02x}")).collect();
        Some(Kept { file: places.cached(Cached::FrontEnds)?.join(hash), key })
    }

    fn load(&self) -> Option<Version> {
        let text = std::fs::read_to_string(&self.file).ok()?;
        let version = text.strip_prefix(&self.key)?.strip_prefix('\n')?;
        version::parse(version).filter(|version| !version.build.is_empty())
    }

    fn store(&self, version: &Version) -> std::io::Result<()> {
        let folder = self.file.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        write!(file, "{}\n{version}\n", self.key)?;
        file.persist(&self.file)?;
        Ok(())
    }
}

fn is_script(path: &Path) -> bool {
    use std::io::Read;
    let mut start = [0; 2];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    read.is_err() || start == *b"#!"
}
