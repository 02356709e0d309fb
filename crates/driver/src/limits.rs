//! Code that is too large for the chain: a warning with the sizes, naming the biggest functions.

use crate::excess::Excess;
use crate::options::Options;
use crate::session::Session;
use cairn_asm::Assembled;
use cairn_diag::Diagnostic;
use cairn_stackify::FuncSize;

/// Functions that are named.
const NAMED: usize = 3;

/// Warns of code that cannot be deployed, unless it may be; what is too large. `sizes` are about those
/// of the functions.
pub(crate) fn warn_of_size(
    assembled: &Assembled,
    sizes: &[FuncSize],
    options: &Options,
    session: &mut Session,
) -> Vec<Excess> {
    if options.allow_oversized {
        return Vec::new();
    }
    let runtime = assembled.runtime();
    let creation = runtime.and_then(|_| Excess::of_initcode(options.fork, assembled.bytes.len()));
    let deployed = Excess::of_code(options.fork, runtime.unwrap_or(assembled).bytes.len());
    let found: Vec<Excess> = creation.into_iter().chain(deployed).collect();
    for excess in &found {
        let mut warning = Diagnostic::warning(excess.to_string()).with_code("code-size");
        if let Some(text) = biggest(sizes) {
            warning = warning.with_note(text);
        }
        let advice = "`-Os` makes smaller code; otherwise split the contract";
        session.diagnostics.push(warning.with_help(advice));
    }
    found
}

fn biggest(sizes: &[FuncSize]) -> Option<String> {
    let mut sizes: Vec<&FuncSize> = sizes.iter().collect();
    sizes.sort_by_key(|size| (std::cmp::Reverse(size.bytes), &size.module, &size.func));
    let show = |size: &&FuncSize| format!("`{}` of `{}` (about {})", size.func, size.module, size.bytes);
    let named: Vec<String> = sizes.iter().take(NAMED).map(show).collect();
    (!named.is_empty()).then(|| format!("the functions with most bytes: {}", named.join(", ")))
}
