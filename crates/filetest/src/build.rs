//! What becomes of a generated Yul program: code, a lack of room that it may have, or a fault.

use cairn_diag::Severity;
use cairn_driver::{Emit, Failure, Input, Language, Options, Session};

/// What a build of a program ended with.
pub enum Built {
    /// Its creation code.
    Code(Vec<u8>),
    /// Its values do not fit on the stack, and no memory is left to the compiler.
    NoRoom,
    /// What must not be: its kind, and what was said.
    Fault(&'static str, String),
}

/// Why there is no code.
pub enum Refusal {
    /// An internal fault.
    Bug(String),
    /// The errors of the program.
    Errors(Vec<String>),
}

/// The creation code of a Yul program.
///
/// # Errors
/// The compiler refuses it.
pub fn compile(text: &str, options: &Options) -> Result<Vec<u8>, Refusal> {
    let input = Input { name: "program.yul".into(), text: text.to_owned(), language: Language::Yul };
    let mut session = Session::default();
    match cairn_driver::build(&input, &[Emit::Bin], options, &mut session) {
        Ok(artifacts) => {
            let code = artifacts.get(Emit::Bin).and_then(|hex| cairn_evm::hex::decode(hex.trim()).ok());
            code.ok_or_else(|| Refusal::Bug("a build without valid code".into()))
        }
        Err(Failure::Bug(message)) => Err(Refusal::Bug(message)),
        Err(Failure::Input) => {
            let errors = session.diagnostics.iter().filter(|fault| fault.severity == Severity::Error);
            Err(Refusal::Errors(errors.map(|fault| fault.message.clone()).collect()))
        }
    }
}

/// True when no error says anything but that values lack room.
pub fn is_lack_of_room(errors: &[String]) -> bool {
    let signs = ["all memory is the program's", "stack too deep"];
    errors.iter().all(|error| signs.iter().any(|sign| error.contains(sign)))
}

impl Built {
    /// What a compilation is for a net, which says of which errors a program may have no code.
    pub fn of(compiled: Result<Vec<u8>, Refusal>, may_fail: impl Fn(&[String]) -> bool) -> Built {
        match compiled {
            Ok(code) => Built::Code(code),
            Err(Refusal::Bug(message)) => Built::Fault("internal fault", message),
            Err(Refusal::Errors(errors)) if may_fail(&errors) => Built::NoRoom,
            Err(Refusal::Errors(errors)) => Built::Fault("error", errors.join("; ")),
        }
    }
}
