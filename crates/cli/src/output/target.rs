//! Where the bytes written to a path go, links followed.

use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};

/// Links followed at most, as Linux does.
const MAX_LINKS: usize = 40;

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// This process's standard output.
    Stdout,
    /// What takes bytes as they come: a pipe, a device, an open descriptor.
    Stream(PathBuf),
    /// A regular file, or one that is not there yet. No link.
    File(PathBuf),
}

/// What `path` leads to.
pub(super) fn find(path: &Path) -> Result<Target> {
    if path.as_os_str().is_empty() {
        return Err(Error::new(ErrorKind::InvalidInput, "a file name is missing"));
    }
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Some(stream) = descriptor(&path) {
            return Ok(stream);
        }
        let kind = match path.symlink_metadata() {
            Ok(data) => data.file_type(),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Target::File(path)),
            Err(error) => return Err(error),
        };
        if kind.is_symlink() {
            path = folder_of(&path).join(path.read_link()?);
        } else if kind.is_dir() {
            return Err(ErrorKind::IsADirectory.into());
        } else {
            return Ok(if kind.is_file() { Target::File(path) } else { Target::Stream(path) });
        }
    }
    Err(Error::new(ErrorKind::InvalidInput, "too many links"))
}

/// The folder that a file is in.
pub(super) fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A name of an open descriptor, such as `/dev/fd/3` or `/proc/self/fd/3`. These names lead to
/// whatever is open there: a pipe has no other name, and a file may be in the middle of being
/// written.
fn descriptor(path: &Path) -> Option<Target> {
    let number: u32 = path.file_name()?.to_str()?.parse().ok()?;
    let folder = folder_of(path).canonicalize().ok()?;
    let own = Path::new("/proc").join(std::process::id().to_string());
    let is_own = folder == Path::new("/dev/fd") || (folder.starts_with(own) && folder.ends_with("fd"));
    let is_descriptor = is_own || (folder.starts_with("/proc") && folder.ends_with("fd"));
    is_descriptor
        .then(|| if is_own && number == 1 { Target::Stdout } else { Target::Stream(path.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_folders_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        assert_eq!(find(&path).unwrap(), Target::File(path));
        assert_eq!(find(folder.path()).unwrap_err().kind(), ErrorKind::IsADirectory);
        assert_eq!(find(Path::new("")).unwrap_err().kind(), ErrorKind::InvalidInput);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_rings_end() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let name = |name: &str| folder.path().join(name);
        symlink("b", name("a")).unwrap();
        symlink("c", name("b")).unwrap();
        assert_eq!(find(&name("a")).unwrap(), Target::File(name("c")));
        symlink("a", name("c")).unwrap();
        assert!(find(&name("a")).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn descriptors_and_devices_are_streams() {
        assert_eq!(find(Path::new("/dev/stdout")).unwrap(), Target::Stdout);
        assert_eq!(find(Path::new("/dev/fd/1")).unwrap(), Target::Stdout);
        assert!(matches!(find(Path::new("/dev/stderr")).unwrap(), Target::Stream(_)));
        assert_eq!(find(Path::new("/dev/null")).unwrap(), Target::Stream("/dev/null".into()));
    }
}
