//! The bar on a terminal while a batch is analysed.

use crate::args::Cli;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar; nothing is drawn where standard error is no terminal.
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar for so much work; without a size it only counts.
    pub(super) fn new(cli: &Cli, size: Option<u64>) -> Progress {
        let target = if cli.quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(size, target);
        let template = match size {
            Some(_) => "{bar:30} {percent:>3}%  {msg}  {elapsed}, {eta} left",
            None => "{spinner} {msg}  {elapsed}",
        };
        let style = ProgressStyle::with_template(template).expect("invariant: the templates are valid");
        bar.set_style(style);
        Progress { bar }
    }

    /// So far has the input been read, so many programs are done.
    pub(super) fn set(&self, position: u64, programs: usize) {
        self.bar.set_message(format!("{programs} programs"));
        self.bar.set_position(position);
    }

    /// Leaves the last line on the screen.
    pub(super) fn finish(&self) {
        self.bar.abandon();
    }
}
