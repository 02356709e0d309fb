//! Options of the stackifier.

use crate::code::Reach;
use crate::effort::Effort;
use cairn_evm::Fork;

/// How decisions are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Global layouts weighted by frequency.
    #[default]
    Global,
    /// The literal rules of the stackifier specification: values used across blocks, at merges and
    /// in loops live in memory.
    Spec,
}

/// How functions and the arms of branches lie in the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Placement {
    /// Callers before what they call, and whichever arm is cheapest falls through.
    #[default]
    Cheapest,
    /// In the order of the text, as solc lays code out, which coverage tools rely on: of a place of the source
    /// with code in several functions, such as a modifier's, the first code counts; of the branches within a
    /// `require`, the last one, and an arm by the instruction behind its branch.
    AsWritten,
}

/// How functions call each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Calls {
    /// In whichever way is cheapest: arguments in any order, and a function whose last act is a call
    /// of one that returns the same leaves its return to that.
    #[default]
    Cheapest,
    /// As debuggers know it of solc: every call returns to its caller, and functions of the source
    /// find all their arguments above the return address, the last on top.
    Traceable,
}

/// Which functions are frames of the source: debuggers and stack traces count the jumps into and out
/// of them. Bytes do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceFrames {
    /// Every function.
    #[default]
    All,
    /// Those that solc's Yul names after functions of the Solidity source, as tools know it of solc's
    /// code without Yul.
    Solidity,
}

/// What a function is to a reader of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A function of the source: a frame.
    Frame,
    /// Belongs to the source but is no frame: what calls a function from outside, a modifier, a
    /// constructor, the code of a function within its modifiers.
    Part,
    /// Made by the compiler. What has no place but the whole contract has none there: tools look for
    /// the last place before it.
    Helper,
}

impl SourceFrames {
    /// The role of the function of this name.
    pub fn role(self, name: &str) -> Role {
        const PARTS: [&str; 4] = ["external_fun_", "modifier_", "constructor_", "getter_fun_"];
        let starts = |start: &&str| name.starts_with(*start);
        match self {
            SourceFrames::All => Role::Frame,
            SourceFrames::Solidity if PARTS.iter().any(starts) => Role::Part,
            SourceFrames::Solidity if name.starts_with("fun_") && name.ends_with("_inner") => Role::Part,
            SourceFrames::Solidity if ["fun_", "usr$"].iter().any(starts) => Role::Frame,
            SourceFrames::Solidity => Role::Helper,
        }
    }
}

/// Options of the stackifier.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Target fork.
    pub fork: Fork,
    /// How decisions are made.
    pub mode: Mode,
    /// Expected executions over the contract's life: λ = 200 / runs gas a byte.
    pub runs: u64,
    /// Run the checker in release builds too.
    pub verify: bool,
    /// Pop dead words before halting terminators.
    pub strict_stack: bool,
    /// How functions and the arms of branches lie.
    pub placement: Placement,
    /// How functions call each other.
    pub calls: Calls,
    /// Which functions are frames of the source.
    pub source_frames: SourceFrames,
    /// Say where each value lives and why.
    pub explain: bool,
    /// Values have the names that variables have in a source in another language: messages show
    /// those alone.
    pub source_names: bool,
    /// Compare the stack operations with their lower bound.
    pub measure: bool,
    /// How much the default scheduler tries.
    pub effort: Effort,
    /// Threads that functions are scheduled on; 0 for one a core. The result is the same for all.
    pub threads: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            fork: Fork::default(),
            mode: Mode::Global,
            runs: 200,
            verify: false,
            strict_stack: false,
            placement: Placement::default(),
            calls: Calls::default(),
            source_frames: SourceFrames::default(),
            explain: false,
            source_names: false,
            measure: false,
            effort: Effort::FULL,
            threads: 1,
        }
    }
}

impl Options {
    /// How far stack instructions reach on the fork: EIP-8024 extends it.
    pub fn reach(&self) -> Reach {
        if self.fork >= Fork::Amsterdam { Reach::EIP_8024 } else { Reach::LEGACY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_functions_of_the_source() {
        let role = |name| SourceFrames::Solidity.role(name);
        assert_eq!(role("fun_transfer_12"), Role::Frame);
        assert_eq!(role("usr$add"), Role::Frame);
        for name in ["external_fun_f_1", "fun_f_1_inner", "modifier_m_3", "constructor_A_9", "getter_fun_x_2"]
        {
            assert_eq!(role(name), Role::Part, "{name}");
        }
        for name in ["abi_decode_t_address", "revert_error_ab", "checked_add_t_uint256", "function"] {
            assert_eq!(role(name), Role::Helper, "{name}");
        }
        assert_eq!(SourceFrames::All.role("abi_decode_t_address"), Role::Frame);
    }
}
