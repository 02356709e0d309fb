//! Code that is too large for the chain: a warning with the sizes, naming the biggest functions.

use crate::session::Session;
use cairn_asm::Assembled;
use cairn_diag::Diagnostic;
use cairn_evm::Fork;
use cairn_stackify::FuncSize;

/// Functions that are named.
const NAMED: usize = 3;

/// How large code is, and how large it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excess {
    what: &'static str,
    size: usize,
    limit: usize,
    eip: u16,
    fork: Fork,
}

impl Excess {
    /// Code that is put on the chain (EIP-170).
    pub fn of_code(fork: Fork, size: usize) -> Option<Excess> {
        let (limit, eip) = fork.max_code_size()?;
        (size > limit).then_some(Excess { what: "runtime code", size, limit, eip, fork })
    }

    /// Creation code with its arguments (EIP-3860).
    pub fn of_initcode(fork: Fork, size: usize) -> Option<Excess> {
        let (limit, eip) = fork.max_initcode_size()?;
        (size > limit).then_some(Excess { what: "creation code", size, limit, eip, fork })
    }
}

impl std::fmt::Display for Excess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Excess { what, size, limit, eip, fork } = self;
        write!(f, "the {what} has {size} bytes, more than the {limit} that {fork} accepts (EIP-{eip})")
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_those_of_the_fork() {
        assert_eq!(Excess::of_code(Fork::Osaka, 24_576), None);
        let excess = Excess::of_code(Fork::Osaka, 24_577).unwrap();
        assert_eq!(
            excess.to_string(),
            "the runtime code has 24577 bytes, more than the 24576 that osaka accepts (EIP-170)"
        );
        assert_eq!(Excess::of_code(Fork::Homestead, 1 << 20), None);
        assert_eq!(Excess::of_initcode(Fork::Paris, 1 << 20), None);
        assert!(Excess::of_initcode(Fork::Shanghai, 49_153).is_some());
    }
}
