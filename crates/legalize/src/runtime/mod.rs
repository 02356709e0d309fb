//! The runtime: functions written in EVM-IR that stand in for operations the EVM lacks.
//!
//! The text is parsed once a process, when something is first asked of it. A call names its
//! routine by a provisional function id; after all functions of a module are legalized, the
//! routines in use are copied into the module, once each, with the functions they call, and the
//! calls get their ids.

mod link;

pub(crate) use link::Linked;

use crate::emit::{Emit, Results};
use cairn_diag::FileId;
use cairn_ir::{Func, Module, Op, Payload, Signature, Value};
use smallvec::SmallVec;
use std::sync::LazyLock;

macro_rules! routines {
    ($($(#[$doc:meta])* $variant:ident $name:literal $file:literal;)*) => {
        /// A function of the runtime.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u8)]
        pub(crate) enum Routine {
            $($(#[$doc])* $variant,)*
        }

        impl Routine {
            /// Every routine.
            pub(crate) const ALL: &'static [Routine] = &[$(Routine::$variant),*];

            /// The name of the function without `@`.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Routine::$variant => $name),* }
            }

            /// The module it is in.
            fn module(self) -> &'static Module {
                match self {
                    $(Routine::$variant => {
                        static MODULE: LazyLock<Module> = LazyLock::new(|| parse(include_str!($file)));
                        &MODULE
                    })*
                }
            }
        }
    };
}

routines! {
    /// Reverses the bytes of a word.
    Bswap "__cairn_bswap" "bswap.eir";
    /// Number of leading zeros of a word.
    Clz "__cairn_clz" "clz.eir";
    /// Number of set bits of a word.
    Ctpop "__cairn_ctpop" "ctpop.eir";
    /// Copies memory to memory: destination, source, length.
    Mcopy "__cairn_mcopy" "mcopy.eir";
    /// `floor(a · b / c)`.
    Muldiv "__cairn_muldiv" "muldiv.eir";
    /// The same without `clz`.
    MuldivBeforeOsaka "__cairn_muldiv_before_osaka" "muldiv_before_osaka.eir";
    /// Reverts if its operand is zero.
    Require "__cairn_require" "require.eir";
    /// Product of arrays of words.
    WideMul "__cairn_wide_mul" "wide.eir";
    /// Quotient and remainder of arrays of words.
    WideDivrem "__cairn_wide_divrem" "wide.eir";
    /// Power of arrays of words.
    WideExp "__cairn_wide_exp" "wide.eir";
}

/// Provisional ids of routines begin here.
const FIRST_ID: u32 = 1 << 30;

impl Routine {
    fn signature(self) -> &'static Signature {
        let module = self.module();
        let func = module.funcs.values().find(|func| func.name == self.name());
        &func.expect("invariant: every routine is in its file").signature
    }

    fn provisional_id(self) -> Func {
        Func::from_u32(FIRST_ID + self as u32)
    }

    fn from_provisional_id(func: Func) -> Option<Routine> {
        Routine::ALL.get(usize::try_from(func.as_u32().checked_sub(FIRST_ID)?).ok()?).copied()
    }
}

fn parse(text: &str) -> Module {
    match cairn_ir::text::parse(text, FileId(0)) {
        Ok(module) => module,
        Err(faults) => {
            let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
            unreachable!("invariant: the runtime parses: {}", messages.join("; "))
        }
    }
}

/// The routines that a function calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    used: Vec<Routine>,
}

impl Calls {
    /// Calls a routine, which takes words, and pointers into memory where it says so; its results.
    pub(crate) fn call(&mut self, emit: &mut Emit<'_>, routine: Routine, args: &[Value]) -> Results {
        if !self.used.contains(&routine) {
            self.used.push(routine);
        }
        let callee = Payload::Func(routine.provisional_id());
        let wanted = routine.signature().params.iter();
        let args: SmallVec<[Value; 4]> =
            args.iter().zip(wanted).map(|(arg, ty)| emit.address_or_word(*arg, *ty)).collect();
        let inst = emit.insert(Op::Icall, &args, callee, &routine.signature().results);
        SmallVec::from_slice(emit.func().dfg.results(inst))
    }

    /// True if there is a call.
    pub(crate) fn has_any(&self) -> bool {
        !self.used.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_ir::Type;
    use cairn_ir::verify::{Form, verify, verify_strict_pointers};

    #[test]
    fn every_routine_is_well_formed_and_in_its_file() {
        for routine in Routine::ALL {
            let faults = verify(routine.module(), Form::Free);
            let faults: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
            assert!(faults.is_empty(), "{}: {faults:?}", routine.name());
            let is_passed = |ty: &Type| [Type::U256, Type::MEMORY].contains(ty);
            assert!(routine.signature().params.iter().all(is_passed));
            assert!(verify_strict_pointers(routine.module(), None).is_empty());
        }
    }
}
