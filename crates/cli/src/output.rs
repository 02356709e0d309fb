//! Where results go: standard output, or files that appear whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

/// A place for an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sink {
    /// Standard output.
    Stdout,
    /// A file.
    File(PathBuf),
}

/// Writes `text` to `sink`. A file is written beside its place and renamed, so that a failure
/// leaves what was there before.
///
/// # Errors
/// What the operating system says, with the path.
pub(crate) fn write(sink: &Sink, text: &str) -> Result<(), String> {
    match sink {
        Sink::Stdout => write_stdout(text),
        Sink::File(path) => write_file(path, text).map_err(|error| format!("{}: {error}", path.display())),
    }
}

fn write_stdout(text: &str) -> Result<(), String> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // A closed pipe (`cairn … | head`) is the reader's choice.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.map_err(|error| format!("standard output: {error}")),
    }
}

fn write_file(path: &Path, text: &str) -> std::io::Result<()> {
    let is_special = path.metadata().is_ok_and(|meta| !meta.is_file());
    if is_special {
        return std::fs::write(path, text);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    keep_permissions(&file, path)?;
    file.persist(path)?;
    Ok(())
}

/// Gives the new file the permissions of the old one, or those of an ordinary new file.
#[cfg(unix)]
fn keep_permissions(file: &tempfile::NamedTempFile, path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = path.metadata().map_or(0o644, |meta| meta.permissions().mode());
    file.as_file().set_permissions(std::fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn keep_permissions(_: &tempfile::NamedTempFile, _: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.hex");
        write(&Sink::File(path.clone()), "one").unwrap();
        write(&Sink::File(path.clone()), "two").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_an_error_with_the_path() {
        let error = write(&Sink::File("/nonexistent/a.hex".into()), "x").unwrap_err();
        assert!(error.contains("/nonexistent/a.hex"), "{error}");
    }
}
