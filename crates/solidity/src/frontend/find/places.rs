//! Where to look: all of the environment that matters, as a value.

use crate::frontend::process::CALLER;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a front end may take for a request, unless `CAIRN_SOLC_TIMEOUT` says otherwise.
const PATIENCE: Duration = Duration::from_secs(1800);

/// What of the environment decides which front ends there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// `CAIRN_SOLC`: the one front end to use.
    pub chosen: Option<PathBuf>,
    /// `CAIRN_NODE`: the program `node`.
    pub node: Option<PathBuf>,
    /// The folders of `PATH`.
    pub path: Vec<PathBuf>,
    /// The folders of `NODE_PATH`, and where npm installs packages for all users.
    pub modules: Vec<PathBuf>,
    /// `HOME`.
    pub home: Option<PathBuf>,
    /// `XDG_DATA_HOME`, or what stands for it.
    pub data: Option<PathBuf>,
    /// `XDG_CACHE_HOME`, or what stands for it.
    pub cache: Option<PathBuf>,
    /// `VIRTUAL_ENV`: Python's, where solc-select may keep versions.
    pub python: Option<PathBuf>,
    /// The folder of the project.
    pub project: Option<PathBuf>,
    /// This program, which is no front end.
    pub own: Option<PathBuf>,
    /// The front end that started this program; see [`CALLER`].
    pub caller: Option<PathBuf>,
    /// How long a request may take; absent: no limit.
    pub patience: Option<Duration>,
}

/// What is kept between runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cached {
    /// What is found out about front ends.
    FrontEnds,
    /// Compiled objects.
    Objects,
}

impl Places {
    /// Those of this process; the project is the current folder.
    pub fn of_environment() -> Places {
        let own = env::current_exe().ok();
        Places { project: env::current_dir().ok(), own, ..Places::of_variables(|name| env::var_os(name)) }
    }

    /// Those that these environment variables tell. Empty ones count as absent.
    pub fn of_variables(variable: impl Fn(&str) -> Option<OsString>) -> Places {
        let value = |name: &str| variable(name).filter(|value| !value.is_empty());
        let folder = |name: &str| value(name).map(PathBuf::from);
        let folders =
            |name: &str| value(name).map_or_else(Vec::new, |value| env::split_paths(&value).collect());
        let home = folder("HOME").or_else(|| folder("USERPROFILE"));
        let in_home = |path: &str| home.as_ref().map(|home| home.join(path));
        let data = folder("XDG_DATA_HOME").or_else(|| in_home(data_folder()));
        // The rules of these variables: a relative path counts as none.
        let of_user = folder("XDG_CACHE_HOME").filter(|folder| folder.is_absolute());
        let cache = of_user.or_else(|| in_home(cache_folder()));
        let mut modules: Vec<PathBuf> = folders("NODE_PATH");
        modules.extend(["/usr/local/lib/node_modules", "/usr/lib/node_modules"].map(PathBuf::from));
        Places {
            chosen: folder("CAIRN_SOLC"),
            node: folder("CAIRN_NODE"),
            path: folders("PATH"),
            modules,
            data,
            cache,
            python: folder("VIRTUAL_ENV"),
            project: None,
            own: None,
            caller: folder(CALLER),
            patience: patience(value("CAIRN_SOLC_TIMEOUT")),
            home,
        }
    }

    /// The programs of this name on PATH, in order.
    pub(super) fn programs(&self, name: &str) -> impl Iterator<Item = PathBuf> {
        let name = format!("{name}{}", env::consts::EXE_SUFFIX);
        let named = move |folder: &PathBuf| folder.join(&name);
        self.path.iter().map(named).filter(|path| is_program(path))
    }

    /// The program `node`.
    pub(in crate::frontend) fn find_node(&self) -> Option<PathBuf> {
        match &self.node {
            Some(node) if node.components().count() == 1 && !node.exists() => {
                self.programs(node.to_str().unwrap_or_default()).next()
            }
            Some(node) => Some(node.clone()),
            None => self.programs("node").next(),
        }
    }

    /// Whether this is our own program, or a link to it.
    pub(super) fn is_own(&self, path: &Path) -> bool {
        self.own.as_ref().is_some_and(|own| same_file(own, path))
    }

    /// The folder in which things of this kind are kept between runs.
    pub fn cached(&self, kind: Cached) -> Option<PathBuf> {
        let name = match kind {
            Cached::FrontEnds => "front-ends",
            Cached::Objects => "objects",
        };
        self.cache.as_ref().map(|cache| cache.join("cairn").join(name))
    }
}

fn data_folder() -> &'static str {
    if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" }
}

fn cache_folder() -> &'static str {
    if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" }
}

/// Seconds; 0 is no limit, and what is no number is not heard.
fn patience(value: Option<OsString>) -> Option<Duration> {
    let seconds = value.and_then(|value| value.to_str()?.trim().parse::<f64>().ok());
    match seconds {
        Some(0.0) => None,
        Some(seconds) => Some(Duration::try_from_secs_f64(seconds).unwrap_or(PATIENCE)),
        None => Some(PATIENCE),
    }
}

pub(super) fn is_program(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else { return false };
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 == 0 {
        return false;
    }
    metadata.is_file()
}

fn same_file(left: &Path, right: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(left), Ok(right)) = (left.metadata(), right.metadata()) {
        use std::os::unix::fs::MetadataExt;
        return (left.dev(), left.ino()) == (right.dev(), right.ino());
    }
    match (left.canonicalize(), right.canonicalize()) {
        (Ok(left), Ok(right)) => left == right,
        _ => false,
    }
}
