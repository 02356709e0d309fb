//! Programs to code.

use crate::compiled::Compiled;
use crate::diagnostic;
use crate::error::Error;
use crate::options::Options;
use crate::source::Source;
use crate::thread::with_large_stack;
use cairn_driver::Session;
use cairn_ir::Module;

/// Compiles a text.
///
/// ```
/// use cairn::{Options, Source, compile};
///
/// let text = "object \"a\" { code { datacopy(0, dataoffset(\"b\"), datasize(\"b\")) return(0, datasize(\"b\")) }
///     object \"b\" { code { sstore(0, linkersymbol(\"math.sol:Math\")) } } }";
/// let compiled = compile(&Source::yul("a.yul", text), &Options::default())?;
/// let runtime = compiled.runtime().expect("`b` is deployed");
/// assert_eq!((runtime.links()[0].offset, runtime.links()[0].library.as_str()), (1, "math.sol:Math"));
///
/// let linked = Options::default().library("math.sol:Math", [7; 20]);
/// let compiled = compile(&Source::yul("a.yul", text), &linked)?;
/// assert_eq!(compiled.runtime().expect("`b` is deployed").bytes()[1..21], [7; 20]);
/// # Ok::<(), cairn::Error>(())
/// ```
///
/// # Errors
/// Every fault of the text, or a library in the options that the program does not use
/// ([`Error::Input`]); a fault of Cairn's own ([`Error::Internal`]).
pub fn compile(source: &Source, options: &Options) -> Result<Compiled, Error> {
    with_large_stack(|| {
        let options = options.for_driver();
        let mut session = Session::default();
        let code = cairn_driver::compile(&source.input, &options, &mut session)
            .map_err(|failure| Error::of(failure, &session))?;
        let found = diagnostic::all(&session.diagnostics, &session.sources);
        Ok(Compiled::new(code, found))
    })
}

/// Compiles a module that was made by the builders of [`ir`](crate::ir) and [`abi`](crate::abi).
///
/// ```
/// use cairn::evm::{Opcode, Word};
/// use cairn::ir::{Module, Signature};
/// use cairn::{Options, compile_module};
///
/// let mut module = Module::new("three");
/// let entry = module.declare("__entry", Signature::default());
/// module.define(entry, |builder, _| {
///     let [key, word] = [0, 3].map(|word| builder.constant(Word::from(word)));
///     builder.evm(Opcode::SSTORE, &[key, word]);
///     builder.evm(Opcode::STOP, &[]);
/// });
/// module.entry = Some(entry);
/// let compiled = compile_module(module, &Options::default())?;
/// assert_eq!(compiled.creation().bytes(), [0x60, 3, 0x5f, 0x55, 0]);
/// # Ok::<(), cairn::Error>(())
/// ```
///
/// # Errors
/// The module is not valid EVM-IR ([`Error::Input`]); a fault of Cairn's own ([`Error::Internal`]).
pub fn compile_module(module: Module, options: &Options) -> Result<Compiled, Error> {
    with_large_stack(|| {
        let options = options.for_driver();
        let mut session = Session::default();
        let code = cairn_driver::compile_module(module, &options, &mut session)
            .map_err(|failure| Error::of(failure, &session))?;
        let found = diagnostic::all(&session.diagnostics, &session.sources);
        Ok(Compiled::new(code, found))
    })
}
