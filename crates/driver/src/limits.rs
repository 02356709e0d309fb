//! Code that is too large for the chain: a warning with the sizes, naming the biggest functions.

use crate::excess::Excess;
use crate::session::Session;
use cairn_asm::Assembled;
use cairn_diag::Diagnostic;
use cairn_stackify::FuncSize;

/// Functions that are named.
const NAMED: usize = 3;

impl Session {
    /// Warns of code that cannot be deployed, unless it may be.
    pub(crate) fn warn_of_size(&mut self, assembled: &Assembled) {
        if self.options.allow_oversized {
            return;
        }
        let fork = self.options.fork;
        let runtime = assembled.subs.first();
        let creation = runtime.and_then(|_| Excess::of_initcode(fork, assembled.bytes.len()));
        let deployed = Excess::of_code(fork, runtime.unwrap_or(assembled).bytes.len());
        for excess in creation.into_iter().chain(deployed) {
            self.excess.push(excess);
            let mut warning = Diagnostic::warning(excess.to_string()).with_code("code-size");
            if let Some(text) = biggest(&self.func_sizes) {
                warning = warning.with_note(text);
            }
            let advice = "`-Os` makes smaller code; otherwise split the contract";
            self.diagnostics.push(warning.with_help(advice));
        }
    }
}

fn biggest(sizes: &[FuncSize]) -> Option<String> {
    let mut sizes: Vec<&FuncSize> = sizes.iter().collect();
    sizes.sort_by_key(|size| (std::cmp::Reverse(size.bytes), &size.module, &size.func));
    let show = |size: &&FuncSize| format!("`{}` of `{}` (about {})", size.func, size.module, size.bytes);
    let named: Vec<String> = sizes.iter().take(NAMED).map(show).collect();
    (!named.is_empty()).then(|| format!("the functions with most bytes: {}", named.join(", ")))
}
