//! The runtime: functions written in EVM-IR that stand in for operations the EVM lacks.
//!
//! The text is parsed once a process, when something is first asked of it. A call names its
//! routine by a provisional function id; after all functions of a module are legalized, the
//! routines in use are copied into the module, once each, with the functions they call, and the
//! calls get their ids.

mod float;
mod link;

pub(crate) use float::FloatRoutine;
pub(crate) use link::Linked;

use crate::emit::{Emit, Results};
use cairn_diag::FileId;
use cairn_ir::types::float::FloatFormat;
use cairn_ir::{Func, Module, Op, Payload, Signature, Value};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::sync::LazyLock;

macro_rules! routines {
    ($($(#[$doc:meta])* $variant:ident $name:literal $file:literal;)*) => {
        /// A function of the runtime.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Routine {
            $($(#[$doc])* $variant,)*
            /// One of floating-point numbers.
            Float(FloatFormat, FloatRoutine),
        }

        impl Routine {
            /// Every routine that has a file of its own, or shares it with others.
            const PLAIN: &'static [Routine] = &[$(Routine::$variant),*];

            /// The name of the function without `@`.
            pub(crate) fn name(self) -> Cow<'static, str> {
                match self {
                    $(Routine::$variant => $name.into(),)*
                    Routine::Float(format, routine) => routine.name(format).into(),
                }
            }

            /// The module it is in.
            fn module(self) -> &'static Module {
                match self {
                    $(Routine::$variant => {
                        static MODULE: LazyLock<Module> = LazyLock::new(|| parse(include_str!($file)));
                        &MODULE
                    })*
                    Routine::Float(format, _) => {
                        static MODULES: [LazyLock<Module>; 3] = [
                            LazyLock::new(|| parse(&float::text(FloatFormat::F16))),
                            LazyLock::new(|| parse(&float::text(FloatFormat::F32))),
                            LazyLock::new(|| parse(&float::text(FloatFormat::F64))),
                        ];
                        &MODULES[format as usize]
                    }
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

    /// Every routine.
    fn all() -> impl Iterator<Item = Routine> {
        let of_format =
            |format| FloatRoutine::ALL.into_iter().map(move |routine| Routine::Float(format, routine));
        Routine::PLAIN.iter().copied().chain(FloatFormat::ALL.into_iter().flat_map(of_format))
    }

    fn provisional_id(self) -> Func {
        let index = Routine::all().position(|routine| routine == self);
        Func::from_u32(FIRST_ID + index.expect("invariant: it is one of all") as u32)
    }

    fn from_provisional_id(func: Func) -> Option<Routine> {
        Routine::all().nth(usize::try_from(func.as_u32().checked_sub(FIRST_ID)?).ok()?)
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
        let is_own = |routine: &Routine| matches!(routine, Routine::Float(format, FloatRoutine::From(other)) if format == other);
        for routine in Routine::all().filter(|routine| !is_own(routine)) {
            let faults = verify(routine.module(), Form::Free);
            let faults: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
            assert!(faults.is_empty(), "{}: {faults:?}", routine.name());
            let is_passed = |ty: &Type| [Type::U256, Type::MEMORY].contains(ty);
            assert!(routine.signature().params.iter().all(is_passed));
            assert!(verify_strict_pointers(routine.module(), None).is_empty());
        }
    }
}
