//! From a module to bytecode by the stages of the driver.

use cairn_driver::stages::{Free, assemble, clean_up, legalize, optimize, stackify};
use cairn_driver::{Failure, Options, Session};
use cairn_exec::Address;
use cairn_ir::Module;

/// Where the code lives.
pub(crate) const CONTRACT: Address = Address::repeat_byte(0xcc);

/// The bytecode of a module, or what is wrong with it.
pub(crate) fn compile(module: Module, options: Options) -> Result<Vec<u8>, String> {
    let (options, mut session) = (&options, Session::default());
    let stages = |session: &mut Session| {
        let canonical = legalize(Free::new(module), options, session)?;
        let optimized = optimize(canonical, options, session)?;
        let code = stackify(&optimized, options, session)?;
        let code = clean_up(code, options, session);
        assemble(&code.program, options, session)
    };
    match stages(&mut session) {
        Ok(assembled) => Ok(assembled.bytes),
        Err(Failure::Bug(message)) => Err(message),
        Err(Failure::Input) => {
            let errors =
                session.diagnostics.iter().filter(|found| found.severity == cairn_diag::Severity::Error);
            Err(errors.map(|error| error.message.clone()).collect::<Vec<_>>().join("; "))
        }
    }
}
