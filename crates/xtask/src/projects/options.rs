//! The options of `projects`.

use crate::project::Outcome;
use std::path::PathBuf;

/// Which suites run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suites {
    /// Published projects.
    Published,
    /// The projects below `examples/`.
    Examples,
    /// What slither finds in the published projects.
    Slither,
    /// What `forge coverage` counts in the published projects.
    Coverage,
}

/// What to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) suites: Suites,
    /// Projects whose names contain this.
    pub(crate) filter: String,
    /// Levels of `cairn-solc`: values of `CAIRN_LEVEL`.
    pub(crate) levels: Vec<String>,
    /// The front end of all ways, in place of the projects' own.
    pub(crate) solc: Option<String>,
    /// The compiler to try; built from this repository if none is given.
    pub(crate) compiler: Option<PathBuf>,
    /// Whether solc runs again where its results are kept.
    pub(crate) is_fresh: bool,
    /// Whether solc compiles through its IR where it can do without and no results are kept: minutes.
    pub(crate) is_patient: bool,
}

/// The level of an enabled optimizer.
pub(crate) const DEFAULT_LEVEL: &str = "2";

/// All levels.
const LEVELS: &str = "0,1,2,3,s";

const KNOWN: &str = "[FILTER] --examples --slither --coverage --levels=0,1,2,3,s --solc=VERSION --compiler=PATH --fresh --patient";

/// Reads the options.
///
/// # Errors
/// An unknown option, two filters, an unknown level.
pub(crate) fn parse(arguments: &[String]) -> Outcome<Request> {
    let mut request = Request {
        suites: Suites::Published,
        filter: String::new(),
        levels: levels(LEVELS)?,
        solc: None,
        compiler: None,
        is_fresh: false,
        is_patient: false,
    };
    for argument in arguments {
        let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
        match name {
            "--levels" => request.levels = levels(value)?,
            "--solc" => request.solc = Some(value.into()),
            "--compiler" => request.compiler = Some(PathBuf::from(value)),
            "--examples" => request.suites = Suites::Examples,
            "--slither" => request.suites = Suites::Slither,
            "--coverage" => request.suites = Suites::Coverage,
            "--fresh" => request.is_fresh = true,
            "--patient" => request.is_patient = true,
            _ if name.starts_with('-') || !request.filter.is_empty() => {
                return Err(format!("unknown option `{argument}`; known are {KNOWN}"));
            }
            _ => request.filter.clone_from(argument),
        }
    }
    Ok(request)
}

fn levels(text: &str) -> Outcome<Vec<String>> {
    let words = text.split(',').filter(|word| !word.is_empty());
    let known = |word: &str| LEVELS.split(',').any(|level| level == word);
    words.map(|word| if known(word) { Ok(word.into()) } else { Err(format!("no level `{word}`")) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn options_have_values() {
        let request = parse(&words("solmate --levels=0,s --compiler=/a/b --fresh")).expect("fine");
        assert_eq!((request.filter.as_str(), request.levels), ("solmate", vec!["0".into(), "s".into()]));
        assert_eq!((request.compiler, request.is_fresh), (Some("/a/b".into()), true));
        assert_eq!(parse(&[]).expect("fine").levels.len(), 5);
    }

    #[test]
    fn wrong_options_are_refused() {
        assert!(parse(&words("--levels=4")).is_err());
        assert!(parse(&words("--level=2")).is_err());
        assert!(parse(&words("solmate v4-core")).is_err());
    }
}
