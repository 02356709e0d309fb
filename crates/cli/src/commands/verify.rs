//! `cairn verify`: reports every fault of an input at once.

use super::common::{CommandResult, finish, plain_options, read};
use crate::Outcome;
use crate::args::{Cli, IrForm, VerifyArgs};
use cairn_driver::{Form, Session};

/// Checks a file.
pub(crate) fn verify(cli: &Cli, args: &VerifyArgs) -> CommandResult {
    let input = read(&args.input.file)?;
    let mut session = Session::new(plain_options(&args.input));
    let form = match args.form {
        IrForm::Free => Form::Free,
        IrForm::Canonical => Form::Canonical,
    };
    let result = session.check(&input, form);
    finish(cli, &session, result)?;
    Ok(Outcome::Success)
}
