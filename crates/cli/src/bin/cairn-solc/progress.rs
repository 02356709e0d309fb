//! The bar on a terminal while sources are compiled.

use cairn_solidity::{Progress, Step};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// How often the bar moves while the front end works.
const BEAT: Duration = Duration::from_millis(100);

/// A bar; nothing is drawn where standard error is no terminal, as under build tools.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// A bar that has nothing to show yet.
    pub(crate) fn new() -> Bar {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.set_style(style("{spinner} solc reads the sources  {elapsed}"));
        Bar(bar)
    }

    /// What moves it.
    pub(crate) fn progress(&self) -> Progress {
        let bar = self.0.clone();
        Progress::to(move |step| match step {
            Step::FrontEnd => bar.enable_steady_tick(BEAT),
            Step::Objects { done, all } => {
                if bar.length().is_none() {
                    bar.set_style(style("{bar:30} {pos} of {len} objects  {elapsed}"));
                    bar.set_length(all as u64);
                }
                bar.set_position(done as u64);
            }
        })
    }
}

impl Drop for Bar {
    /// Leaves nothing on the screen: messages follow.
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).expect("invariant: the templates are valid")
}
