//! From a module to bytecode by the stages of the driver.

use cairn_driver::{Failure, Options, Session};
use cairn_exec::Address;
use cairn_ir::Module;

/// Where the code lives.
pub(crate) const CONTRACT: Address = Address::repeat_byte(0xcc);

/// The bytecode of a module, or what is wrong with it.
pub(crate) fn compile(mut module: Module, options: Options) -> Result<Vec<u8>, String> {
    let mut session = Session::new(options);
    let mut stages = || {
        session.legalize(&mut module)?;
        session.optimize(&mut module)?;
        let mut program = session.stackify(&module)?;
        session.optimize_program(&mut program);
        session.assemble(&program)
    };
    match stages() {
        Ok(assembled) => Ok(assembled.bytes),
        Err(Failure::Bug(message)) => Err(message),
        Err(Failure::Input) => {
            let errors =
                session.diagnostics.iter().filter(|found| found.severity == cairn_diag::Severity::Error);
            Err(errors.map(|error| error.message.clone()).collect::<Vec<_>>().join("; "))
        }
    }
}
