//! What can be done with an input besides compiling it: check, format, list, read.

use crate::input::{Input, Language};
use crate::options::Options;
use crate::session::{Session, Stage};
use crate::sole_function::add_entries;
use crate::stages::{
    Bytecode, Free, Origin, Parsed, Places, Source, assemble, legalize, parse, parse_asm, parse_ir,
    parse_yul, warn_of_fragment,
};
use crate::unknown::{self, unknown};
use cairn_diag::Diagnostic;
use cairn_ir::verify::{Form, verify_strict_pointers, verify_text};

/// Checks an input and reports every fault.
///
/// # Errors
/// The input is faulty, or EVM-IR that is not in the form that is demanded.
pub fn check(input: &Input, form: Form, options: &Options, session: &mut Session) -> Stage<()> {
    match parse(Source::load(input, session), options, session)? {
        Parsed::Yul(_) => Ok(()),
        Parsed::Asm(program) => assemble(&program, options, session).map(drop),
        Parsed::Hex(code) => code.linked(session).map(drop),
        Parsed::EvmIr(mut module, file) if form == Form::Free => {
            // A module without an entry function may be meant as a library, if it is no program by itself.
            add_entries(&mut module);
            let origin = Origin { file: Some(file), places: Places::Kept };
            warn_of_fragment(&module, origin, session);
            if options.strict_pointers {
                let faults = verify_strict_pointers(&module, Some(file));
                session.take(Some(()), faults)?;
            }
            legalize(Free { module, origin }, options, session).map(drop)
        }
        Parsed::EvmIr(module, file) => {
            let faults = verify_text(&module, form, Some(file));
            session.take(Some(()), faults)
        }
    }
}

/// Prints an input in its canonical formatting, with all its comments.
///
/// # Errors
/// The input is faulty, or in a language without a formatting.
pub fn format(input: &Input, options: &Options, session: &mut Session) -> Stage<String> {
    let source = Source::load(input, session);
    match input.language {
        Language::Yul => {
            let yul = parse_yul(source, options, session)?;
            Ok(cairn_yul::format(&input.text, &yul.object, &yul.names, &options.dialect()))
        }
        Language::EvmIr => {
            parse_ir(source, session).map(|module| cairn_ir::text::format(&input.text, &module))
        }
        // Without the program: what would not assemble has a formatting, too.
        Language::Asm => {
            cairn_asm::format(&input.text, source.file).or_else(|faults| session.take(None, faults))
        }
        Language::Hex => {
            session.error(Diagnostic::error(format!("`{}` has no canonical formatting", input.name)))
        }
    }
}

/// The listing of bytecode; it assembles to the same bytes.
///
/// # Errors
/// The input is not hexadecimal.
pub fn disassemble(input: &Input, options: &Options, session: &mut Session) -> Stage<String> {
    let source = Source::load(input, session);
    Ok(Bytecode::parse(source, session)?.listing(options))
}

/// Reads bytecode in hexadecimal; white space and comments after `;` are skipped.
///
/// # Errors
/// The input is not hexadecimal, or not linked.
pub fn read_hex(input: &Input, session: &mut Session) -> Stage<Vec<u8>> {
    let source = Source::load(input, session);
    Bytecode::parse(source, session)?.linked(session)
}

/// Runs passes on assembly, by name and once each, and prints what they leave.
///
/// # Errors
/// The input is faulty, or a pass does not exist.
pub fn clean_up_with(
    input: &Input,
    passes: &[String],
    options: &Options,
    session: &mut Session,
) -> Stage<String> {
    let mut program = parse_asm(Source::load(input, session), options, session)?;
    let find = |name: &String| {
        cairn_asm::pipeline::pass(name).copied().ok_or_else(|| {
            let known: Vec<String> = crate::asm_pass_names().map(str::to_owned).collect();
            Box::new(unknown("pass", name, unknown::PASS, &known))
        })
    };
    let passes: Result<Vec<_>, Box<Diagnostic>> = passes.iter().map(find).collect();
    let passes = passes.or_else(|fault| session.error(*fault))?;
    let own = cairn_asm::PassOptions { fork: options.fork, runs: options.price_runs(), ..Default::default() };
    cairn_asm::run_selected(&mut program, &passes, &own);
    Ok(cairn_asm::print(&program))
}
