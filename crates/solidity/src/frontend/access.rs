//! Which files a front end may read, and how names of sources become paths.
//!
//! This is what solc's documentation says of its loader ("Path Resolution"): a name is looked up
//! below the base path and each include path, and refused when the file, symbolic links resolved,
//! lies outside of these and of the allowed paths. A native solc does it itself; for `soljson.js`
//! it is done here.

use std::path::{Path, PathBuf};

/// Whether sources may come from files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Imports {
    /// What the request does not hold is read from files.
    #[default]
    FromFiles,
    /// Only what the request holds exists, as with `--no-import-callback`.
    Given,
}

/// The files that imports may reach.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileAccess {
    /// Where names are looked up first; absent or empty: names are paths as they stand.
    pub base_path: Option<PathBuf>,
    /// Where names are looked up as well.
    pub include_paths: Vec<PathBuf>,
    /// Folders and files that may be read besides.
    pub allow_paths: Vec<PathBuf>,
    /// Whether files are read at all.
    pub imports: Imports,
}

impl FileAccess {
    /// The base path, where it is given and not empty.
    pub(super) fn base(&self) -> Option<&Path> {
        self.base_path.as_deref().filter(|path| !path.as_os_str().is_empty())
    }

    /// The name of the source unit in a file: its path from the base path or an include path, else
    /// the whole of it.
    pub fn unit_name(&self, file: &Path) -> String {
        let here = std::env::current_dir().unwrap_or_default();
        let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| here.join(path));
        let full = absolute(file);
        let base = absolute(self.base().unwrap_or(&here));
        let roots = std::iter::once(base).chain(self.include_paths.iter().map(|path| absolute(path)));
        let inside = roots.into_iter().find_map(|root| full.strip_prefix(&root).ok().map(Path::to_path_buf));
        inside.unwrap_or(full).display().to_string().replace('\\', "/")
    }

    /// The contents of the source `name`.
    ///
    /// # Errors
    /// Why there are none, in solc's words.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        if self.imports == Imports::Given {
            return Err("File import callback not supported".to_owned());
        }
        let path = self.resolve(name)?;
        if !path.is_file() {
            return Err("Not a valid file.".to_owned());
        }
        std::fs::read(&path).map_err(|error| format!("Unable to read {}: {error}.", shown(&path)))
    }

    fn resolve(&self, name: &str) -> Result<PathBuf, String> {
        // Real places: the loader decides by them, and one file by two names is no conflict.
        let mut found: Vec<PathBuf> = Vec::new();
        for path in self.candidates(name) {
            if let Ok(real) = path.canonicalize()
                && !found.contains(&real)
            {
                found.push(real);
            }
        }
        let real = match found.as_slice() {
            [] => return Err(self.not_found()),
            [real] => real.clone(),
            several => {
                let several = list(several.iter().map(PathBuf::as_path));
                return Err(format!(
                    "Ambiguous import. Multiple matching files found inside base path and/or include paths: {several}."
                ));
            }
        };
        let allowed = self.allowed();
        if allowed.iter().any(|folder| real.starts_with(folder)) {
            return Ok(real);
        }
        let allowed = list(allowed.iter().map(PathBuf::as_path));
        Err(format!("File outside of allowed directories. The following are allowed: {allowed}."))
    }

    /// The paths that `name` may stand for. Below a base path, absolute names are not absolute.
    fn candidates(&self, name: &str) -> Vec<PathBuf> {
        let name = name.strip_prefix("file://").unwrap_or(name);
        let below = |folder: &Path| folder.join(name.trim_start_matches('/'));
        let first = self.base().map_or_else(|| PathBuf::from(name), below);
        let others = self.include_paths.iter().map(|folder| below(folder));
        std::iter::once(first).chain(others).collect()
    }

    /// The real places that may be read, as absolute paths; what does not exist is left out.
    fn allowed(&self) -> Vec<PathBuf> {
        let base = self.base().unwrap_or(Path::new("."));
        let folders = std::iter::once(base)
            .chain(self.include_paths.iter().map(PathBuf::as_path))
            .chain(self.allow_paths.iter().map(PathBuf::as_path));
        let mut allowed = Vec::new();
        for folder in folders.filter(|folder| !folder.as_os_str().is_empty()) {
            if let Ok(real) = folder.canonicalize()
                && !allowed.contains(&real)
            {
                allowed.push(real);
            }
        }
        allowed
    }

    fn not_found(&self) -> String {
        let base = self.base().unwrap_or(Path::new(""));
        let folders = std::iter::once(base).chain(self.include_paths.iter().map(PathBuf::as_path));
        format!("File not found. Searched the following locations: {}.", list(folders))
    }
}

fn list<'a>(paths: impl Iterator<Item = &'a Path>) -> String {
    paths.map(shown).collect::<Vec<_>>().join(", ")
}

fn shown(path: &Path) -> String {
    format!("\"{}\"", path.display())
}
