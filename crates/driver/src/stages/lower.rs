//! [`Parsed`] → [`Free`]: a program becomes EVM-IR in free form.

use super::parse::{Parsed, ParsedYul};
use super::verify::verify_own;
use crate::options::Options;
use crate::session::{Session, Stage};
use crate::solidity_names::use_names_of_solidity;
use crate::unknown::check_libraries;
use cairn_diag::{Diagnostic, FileId};
use cairn_ir::verify::Form;
use cairn_ir::{Module, Op, Payload};
use std::collections::BTreeSet;

/// EVM-IR in free form, as a front end leaves it.
#[derive(Clone, Debug)]
pub struct Free {
    /// The module.
    pub module: Module,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where a module comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The text that its spans are places in.
    pub file: Option<FileId>,
    /// Whether it has them.
    pub places: Places,
}

/// What is lowered from Yul knows of its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Places {
    /// Nothing: hardly any program needs it, and it costs time.
    #[default]
    Omitted,
    /// Names and places.
    Kept,
}

impl Free {
    /// A module that is known to be in free form and has no text.
    pub fn new(module: Module) -> Free {
        Free { module, origin: Origin::default() }
    }

    /// A module that somebody else has built, verified.
    ///
    /// # Errors
    /// The module is not valid EVM-IR; diagnostics say why.
    pub fn verified(module: Module, session: &mut Session) -> Stage<Free> {
        let faults = cairn_ir::verify::verify(&module, Form::Free);
        session.take(Some(Free::new(module)), faults)
    }
}

/// Lowers Yul; takes EVM-IR as it is.
///
/// # Errors
/// The program is stack code, or an option names a library that it does not link.
pub fn lower(parsed: Parsed, options: &Options, session: &mut Session) -> Stage<Free> {
    match parsed {
        Parsed::Yul(yul) => lower_yul(&yul, Places::Omitted, options, session),
        Parsed::EvmIr(module, file) => {
            check_libraries(&libraries_of(&module), options, session)?;
            verify_own(&module, Form::Free, "the front end", options, session)?;
            Ok(Free { module, origin: Origin { file: Some(file), places: Places::Kept } })
        }
        Parsed::Asm(_) | Parsed::Hex(_) => {
            let name = &session.sources.get(session.sources.last()).name;
            let text = format!("`{name}` is stack code, not a program that becomes EVM-IR");
            session.error(Diagnostic::error(text))
        }
    }
}

/// Lowers Yul.
///
/// # Errors
/// An option names a library that the program does not link.
pub(crate) fn lower_yul(
    parsed: &ParsedYul,
    places: Places,
    options: &Options,
    session: &mut Session,
) -> Stage<Free> {
    let keeps = places == Places::Kept;
    let lower_options = cairn_yul_lower::LowerOptions { names: keeps };
    let mut module = session
        .timings
        .time("yul-lower", || cairn_yul_lower::lower_object(&parsed.object, &parsed.names, lower_options));
    check_libraries(&libraries_of(&module), options, session)?;
    if keeps && !parsed.object.source_names.is_empty() {
        use_names_of_solidity(&mut module);
    }
    session.timings.time("yul-lower", || cairn_yul_lower::remove_unreachable_functions(&mut module));
    verify_own(&module, Form::Free, "the front end", options, session)?;
    Ok(Free { module, origin: Origin { file: Some(parsed.file), places } })
}

/// Names of the libraries that a module and its nested modules link.
fn libraries_of(module: &Module) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = module.modules.iter().flat_map(libraries_of).collect();
    for func in module.funcs.values() {
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            if let (Op::LinkerSymbol, Payload::Symbol(symbol)) =
                (func.dfg.op(inst), func.dfg.inst(inst).payload)
            {
                found.insert(module.symbols.text(symbol).to_owned());
            }
        }
    }
    found
}
