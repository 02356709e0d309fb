//! What a compilation takes from the command line and the environment.
//!
//! * `CAIRN_LEVEL`: `0`, `1`, `2`, `3` or `s`, whatever the settings say.
//! * `CAIRN_SWITCH`: `cost`, `tree` or `cascade`, whatever the settings say.
//! * `CAIRN_PROVE`: `warn` or `require`, unless `--prove` says it.
//! * `CAIRN_THREADS`: threads; one a core without it.
//! * `CAIRN_CACHE`: the folder of compiled objects, empty for none; else the
//!   user's cache, as for what is known of front ends ([`Places::cached`]).

use crate::args::Args;
use cairn_solidity::Environment;
use cairn_solidity::frontend::{FileAccess, Imports, find::Cached, find::Places};
use cairn_solidity::settings::Overrides;
use std::path::PathBuf;

/// The environment of a compilation.
///
/// # Errors
/// A variable that has no sense.
pub(crate) fn of(args: &Args) -> Result<Environment, String> {
    let places = Places::of_environment();
    let cache = if args.code.no_cache { None } else { cache_folder(&places) };
    let overrides = Overrides {
        level: parsed("CAIRN_LEVEL")?,
        switch: parsed("CAIRN_SWITCH")?,
        prove: args.code.prove.or(parsed("CAIRN_PROVE")?),
        threads: parsed("CAIRN_THREADS")?.unwrap_or(0),
        cache,
    };
    Ok(Environment { places, access: access(args), overrides, ..Environment::default() })
}

/// The files that sources may import: solc allows the folders of sources and the targets of remappings as well.
pub(crate) fn access(args: &Args) -> FileAccess {
    let folder_of = |input: &String| match input.split_once('=') {
        Some((_, target)) => folder(target),
        None if input == "-" => None,
        None => folder(input),
    };
    FileAccess {
        base_path: args.files.base_path.clone(),
        include_paths: args.files.include_path.clone(),
        allow_paths: args
            .files
            .allow_paths
            .iter()
            .cloned()
            .chain(args.inputs().filter_map(folder_of))
            .collect(),
        imports: if args.files.no_import_callback { Imports::Given } else { Imports::FromFiles },
    }
}

/// The folder that a path leads to, or the one of the file that it leads to.
fn folder(path: &str) -> Option<PathBuf> {
    let (folder, _) = path.rsplit_once(['/', std::path::MAIN_SEPARATOR]).unwrap_or((".", path));
    (!path.is_empty()).then(|| PathBuf::from(if folder.is_empty() { "/" } else { folder }))
}

/// The value of a variable, if it is set and not empty.
fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(name: &str) -> Result<Option<T>, String> {
    let Some(text) = std::env::var_os(name).filter(|text| !text.is_empty()) else { return Ok(None) };
    let text = text.to_string_lossy();
    text.parse().map(Some).map_err(|fault| format!("{name}={text}: {fault}"))
}

/// The folder of compiled objects, unless the variable says there is none.
fn cache_folder(places: &Places) -> Option<PathBuf> {
    match std::env::var_os("CAIRN_CACHE") {
        Some(folder) => (!folder.is_empty()).then(|| PathBuf::from(folder)),
        None => places.cached(Cached::Objects),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn folders_of_sources_and_targets_of_remappings_are_allowed() {
        let inputs = ["../src/A.sol", "/B.sol", "C.sol", "-", "dep/=/opt/dep/", "x:one=lib/One.sol", "none="];
        let args = ["cairn-solc", "--allow-paths", "given"].iter().chain(&inputs);
        let allowed = access(&Args::try_parse_from(args).expect("a command line")).allow_paths;
        let expected = ["given", "../src", "/", ".", "/opt/dep", "lib"];
        assert_eq!(allowed, expected.map(PathBuf::from));
    }
}
