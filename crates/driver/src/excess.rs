//! Code that is larger than the chain accepts.

use cairn_evm::Fork;

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
