//! A file in the making: written beside its place, and put there when it is complete.
//!
//! Renaming is what makes a file appear whole. Where a rename would lose something (further hard
//! links, an owner we cannot give) or cannot be (a folder that is not ours, a mounted file, a
//! stream), the content is copied into what is there, and taken back if that fails.

use super::target::{self, Target, folder_of};
use super::{Fault, fault, write_stream};
use cairn_diag::Diagnostic;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{Read, Result, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// New content for a path.
pub(crate) struct Draft {
    asked: PathBuf,
    target: Target,
    file: NamedTempFile,
    /// Copied into what is there instead of renamed.
    is_copied: bool,
}

impl Draft {
    /// An empty draft; what is there stays until [`Draft::commit`].
    ///
    /// # Errors
    /// The place cannot be written, or is read-only.
    pub(crate) fn new(path: &Path) -> std::result::Result<Draft, Fault> {
        let explain = |error| fault(path, &error);
        let target = target::find(path).map_err(explain)?;
        let asked = path.to_owned();
        let Target::File(place) = &target else {
            let file = NamedTempFile::new().map_err(explain)?;
            return Ok(Draft { asked, target, file, is_copied: true });
        };
        refuse_read_only(path, place)?;
        let beside = match place.metadata() {
            Ok(old) => replacement(place, &old).ok_or(()),
            Err(_) => Ok(new_file(folder_of(place)).map_err(explain)?),
        };
        let (file, is_copied) = match beside {
            Ok(file) => (file, false),
            Err(()) => (NamedTempFile::new().map_err(explain)?, true),
        };
        Ok(Draft { asked, target, file, is_copied })
    }

    /// Where the content is written.
    pub(crate) fn file(&mut self) -> &mut File {
        self.file.as_file_mut()
    }

    /// Puts the content in its place.
    ///
    /// # Errors
    /// What the operating system says; what was there is there.
    pub(crate) fn commit(self) -> std::result::Result<(), Fault> {
        let Draft { asked, target, file, is_copied } = self;
        let result = match &target {
            Target::File(place) if is_copied => copy(file, place),
            Target::File(place) => match file.persist(place) {
                Ok(_) => Ok(()),
                // A mounted file cannot be renamed over.
                Err(failed) if place.exists() => copy(failed.file, place),
                Err(failed) => Err(failed.error),
            },
            stream => content(file).and_then(|bytes| write_stream(stream, &bytes)),
        };
        result.map_err(|error| fault(&asked, &error))
    }
}

/// Refuses a file that nobody may write. The superuser could, and did not ask for that.
pub(super) fn refuse_read_only(path: &Path, place: &Path) -> std::result::Result<(), Fault> {
    let Ok(old) = place.metadata() else { return Ok(()) };
    if old.permissions().readonly() {
        let name = path.display();
        let found = Diagnostic::error(format!("{name}: the file is read-only"));
        return Err(found.with_help(format!("`chmod u+w {name}` allows to overwrite it")).into());
    }
    let opened = OpenOptions::new().write(true).open(place);
    opened.map(drop).map_err(|error| fault(path, &error))
}

/// A file to rename over an old one, if nothing is lost by that.
fn replacement(place: &Path, old: &Metadata) -> Option<NamedTempFile> {
    if has_other_links(old) {
        return None;
    }
    let file = new_file(folder_of(place)).ok()?;
    keep_owner(file.as_file(), old).ok()?;
    file.as_file().set_permissions(old.permissions()).ok()?;
    Some(file)
}

/// A file with the permissions of any new file.
fn new_file(folder: &Path) -> Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".cairn-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The system takes the umask off.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

#[cfg(unix)]
fn has_other_links(old: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(old) > 1
}

#[cfg(not(unix))]
fn has_other_links(_: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) -> Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    match (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        true => Ok(()),
        false => fchown(file, Some(old.uid()), Some(old.gid())),
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) -> Result<()> {
    Ok(())
}

fn content(mut file: NamedTempFile) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.as_file_mut().seek(SeekFrom::Start(0))?;
    file.as_file_mut().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes the draft into a file that stays the same file; its old content returns on failure.
fn copy(draft: NamedTempFile, place: &Path) -> Result<()> {
    let new = content(draft)?;
    let mut file = OpenOptions::new().read(true).write(true).open(place)?;
    let mut old = Vec::new();
    file.read_to_end(&mut old)?;
    overwrite(&mut file, &new).inspect_err(|_| _ = overwrite(&mut file, &old))
}

/// The bytes that are there are overwritten before the file grows, so that there is room to take
/// everything back.
fn overwrite(file: &mut File, bytes: &[u8]) -> Result<()> {
    file.seek(SeekFrom::Start(0))?;
    file.write_all(bytes)?;
    file.set_len(bytes.len() as u64)
}
