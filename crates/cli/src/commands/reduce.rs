//! `cairn reduce`: makes a program smaller while a command still succeeds on it.
//!
//! Ctrl-C, or another request to end, stops the search: what was found so far is printed, and the
//! temporary folder goes.

use super::common::{CommandResult, fail, line, print, read};
use crate::args::{Cli, ReduceArgs};
use crate::report::note;
use cairn_driver::{Input, Language};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::cell::Cell;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

/// Set when the user wants an end.
static IS_STOPPED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Prints the smallest program found.
pub(crate) fn reduce(cli: &Cli, args: &ReduceArgs) -> CommandResult {
    let input = read(&args.file)?;
    let extension = match input.language {
        Language::Yul => "yul",
        Language::EvmIr => "eir",
        Language::Asm | Language::Hex => {
            return Err(fail(&format!("{}: only Yul and EVM-IR can be reduced", input.name)));
        }
    };
    for signal in [SIGINT, SIGTERM] {
        let stop = flag::register(signal, Arc::clone(&IS_STOPPED));
        stop.map_err(|error| fail(&format!("cannot wait for Ctrl-C: {error}")))?;
    }
    let folder = tempfile::tempdir().map_err(|error| fail(&error.to_string()))?;
    let path = folder.path().join(format!("program.{extension}"));
    match succeeds(&args.test, &path, &input.text) {
        Ok(true) => {}
        Ok(false) => return Err(fail(&format!("`{}` fails on the program as it is", args.test))),
        Err(message) => return Err(fail(&message)),
    }
    let Input { text, language, .. } = &input;
    let has_fault = Cell::new(false);
    let mut search = Search::new(cli, text.len());
    let small = cairn_driver::reduce::reduce(
        text,
        *language,
        &mut |candidate| {
            let result = succeeds(&args.test, &path, candidate);
            has_fault.set(result.is_err());
            search.count(candidate.len(), result)
        },
        &|| is_stopped() || has_fault.get(),
    );
    search.bar.finish_and_clear();
    if let Some(fault) = search.fault {
        return Err(fail(&fault));
    }
    if is_stopped() {
        note(cli, "the search was stopped: there may be a smaller program");
    }
    print(&line(&small))
}

/// A search and what is shown of it.
struct Search {
    bar: ProgressBar,
    n_tries: usize,
    size: usize,
    /// Why the command cannot be run.
    fault: Option<String>,
}

impl Search {
    fn new(cli: &Cli, size: usize) -> Search {
        let hidden = cli.quiet || cli.json;
        let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        let style =
            ProgressStyle::with_template("{spinner} {msg}  {elapsed}; Ctrl-C ends with the best so far");
        bar.set_style(style.expect("invariant: the template is valid"));
        Search { bar, n_tries: 0, size, fault: None }
    }

    /// Counts a try; whether the program has the property.
    fn count(&mut self, size: usize, result: Result<bool, String>) -> bool {
        self.n_tries += 1;
        let has_property = result.unwrap_or_else(|message| {
            self.fault = Some(message);
            false
        });
        if has_property && !is_stopped() {
            self.size = size;
        }
        self.bar.set_message(format!("{} bytes after {} tries", self.size, self.n_tries));
        self.bar.tick();
        has_property
    }
}

fn is_stopped() -> bool {
    IS_STOPPED.load(Ordering::Relaxed)
}

/// Runs the command through the shell on a file with this text.
fn succeeds(command: &str, path: &Path, text: &str) -> Result<bool, String> {
    let explain = |error: std::io::Error| format!("`{command}`: {error}");
    std::fs::write(path, text).map_err(explain)?;
    let place = path.display().to_string();
    let words = match command.contains("{}") {
        true => command.replace("{}", &place),
        false => format!("{command} {place}"),
    };
    let mut shell = Command::new("sh");
    shell.args(["-c", &words]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    shell.status().map(|status| status.success()).map_err(explain)
}
