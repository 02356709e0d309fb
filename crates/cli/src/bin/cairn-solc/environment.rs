//! What a compilation takes from the command line and the environment.
//!
//! * `CAIRN_LEVEL`: `0`, `1`, `2`, `3` or `s`, whatever the settings say.
//! * `CAIRN_THREADS`: threads; one a core without it.
//! * `CAIRN_CACHE`: the folder of compiled objects, empty for none; else `cairn` in
//!   `XDG_CACHE_HOME` or `~/.cache`.

use crate::args::Args;
use cairn_solidity::Environment;
use cairn_solidity::frontend::{FileAccess, Imports, find::Places};
use cairn_solidity::settings::Overrides;
use std::path::PathBuf;

/// The environment of a compilation.
///
/// # Errors
/// A variable that has no sense.
pub(crate) fn of(args: &Args) -> Result<Environment, String> {
    let cache = if args.code.no_cache { None } else { cache_folder() };
    let overrides =
        Overrides { level: parsed("CAIRN_LEVEL")?, threads: parsed("CAIRN_THREADS")?.unwrap_or(0), cache };
    Ok(Environment { places: Places::of_environment(), access: access(args), overrides })
}

/// The files that sources may import.
pub(crate) fn access(args: &Args) -> FileAccess {
    FileAccess {
        base_path: args.files.base_path.clone(),
        include_paths: args.files.include_path.clone(),
        allow_paths: args.files.allow_paths.clone(),
        imports: if args.files.no_import_callback { Imports::Given } else { Imports::FromFiles },
    }
}

/// The value of a variable, if it is set and not empty.
fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(name: &str) -> Result<Option<T>, String> {
    let Some(text) = std::env::var_os(name).filter(|text| !text.is_empty()) else { return Ok(None) };
    let text = text.to_string_lossy();
    text.parse().map(Some).map_err(|fault| format!("{name}={text}: {fault}"))
}

fn cache_folder() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("CAIRN_CACHE") {
        return (!folder.is_empty()).then(|| PathBuf::from(folder));
    }
    let of_user = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let folder = of_user.filter(|folder| folder.is_absolute());
    let folder = folder.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
    folder.map(|folder| folder.join("cairn").join("objects"))
}
