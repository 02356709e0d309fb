//! Which file a path is, whatever it is called: the device and the number of its inode, or its
//! full path where there is none.

use super::Fault;
use super::target::folder_of;
use cairn_diag::Diagnostic;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A file, by whatever name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Identity {
    /// Device and inode.
    #[cfg(unix)]
    Inode(u64, u64),
    /// The path without links.
    Path(PathBuf),
}

impl Identity {
    /// The identity of a regular file, or of one that is not there yet.
    pub(super) fn of(path: &Path) -> Option<Identity> {
        match path.metadata() {
            Ok(data) => data.is_file().then(|| Identity::of_existing(path, &data)).flatten(),
            Err(_) => Some(Identity::Path(folder_of(path).canonicalize().ok()?.join(path.file_name()?))),
        }
    }

    /// The file that standard output is redirected to.
    pub(super) fn of_stdout() -> Option<Identity> {
        Path::new("/dev/stdout").exists().then(|| Identity::of(Path::new("/dev/stdout"))).flatten()
    }

    #[cfg(unix)]
    fn of_existing(_: &Path, data: &std::fs::Metadata) -> Option<Identity> {
        use std::os::unix::fs::MetadataExt;
        Some(Identity::Inode(data.dev(), data.ino()))
    }

    #[cfg(not(unix))]
    fn of_existing(path: &Path, _: &std::fs::Metadata) -> Option<Identity> {
        path.canonicalize().ok().map(Identity::Path)
    }
}

/// What was read so far, by identity and name.
static INPUTS: Mutex<Vec<(Identity, String)>> = Mutex::new(Vec::new());

/// Keeps a file that is read from being overwritten; `-` is standard input.
pub(crate) fn remember_input(path: &Path) {
    let path = if path.as_os_str() == "-" { Path::new("/dev/stdin") } else { path };
    if let (true, Some(identity), Ok(mut inputs)) = (path.exists(), Identity::of(path), INPUTS.lock()) {
        inputs.push((identity, path.display().to_string()));
    }
}

/// Refuses an output that is an input.
pub(super) fn refuse_input(path: &Path) -> Result<(), Fault> {
    let Some(identity) = Identity::of(path) else { return Ok(()) };
    let Ok(inputs) = INPUTS.lock() else { return Ok(()) };
    match inputs.iter().find(|(input, _)| *input == identity) {
        None => Ok(()),
        Some((_, name)) => {
            let message = format!("{}: the output would overwrite the input `{name}`", path.display());
            Err(Diagnostic::error(message).with_help("name another file").into())
        }
    }
}
