//! Files that appear whole.
//!
//! Contract: content is written beside its place under a name that begins with a dot, and renamed.
//! That stands a process that is killed, not a power cut. What dead runs left is removed by the next.

use crate::error::{DatasetError, at};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A file in the making.
pub(crate) struct Draft {
    place: PathBuf,
    beside: PathBuf,
    pub(crate) file: File,
}

impl Draft {
    pub(crate) fn new(place: &Path) -> Result<Draft, DatasetError> {
        let name = place.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let beside = place.with_file_name(format!(".{name}.part"));
        let file = File::create(&beside).map_err(at(&beside))?;
        Ok(Draft { place: place.to_owned(), beside, file })
    }

    /// Puts the file in its place.
    pub(crate) fn commit(self) -> Result<(), DatasetError> {
        let Draft { place, beside, file } = self;
        drop(file);
        std::fs::rename(&beside, &place).map_err(at(&place))
    }
}

/// Writes a small file.
pub(crate) fn write(place: &Path, bytes: &[u8]) -> Result<(), DatasetError> {
    let mut draft = Draft::new(place)?;
    draft.file.write_all(bytes).map_err(at(place))?;
    draft.commit()
}

/// Makes a folder, and removes what dead runs left in it.
pub(crate) fn prepare(folder: &Path) -> Result<(), DatasetError> {
    std::fs::create_dir_all(folder).map_err(at(folder))?;
    for entry in std::fs::read_dir(folder).map_err(at(folder))? {
        let path = entry.map_err(at(folder))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with('.') && name.ends_with(".part") {
            std::fs::remove_file(&path).map_err(at(&path))?;
        }
    }
    Ok(())
}

/// The input itself, or the Parquet files of the folder that it is, by name.
pub(crate) fn inputs(input: &Path) -> Result<Vec<PathBuf>, DatasetError> {
    if !std::fs::metadata(input).map_err(at(input))?.is_dir() {
        return Ok(vec![input.to_owned()]);
    }
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(input).map_err(at(input))? {
        let path = entry.map_err(at(input))?.path();
        if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet")) {
            paths.push(path);
        }
    }
    paths.sort_unstable();
    if paths.is_empty() {
        return Err(DatasetError::Format(
            input.to_owned(),
            "no `.parquet` file is in this folder".to_owned(),
        ));
    }
    Ok(paths)
}
