//! `cairn verify`: reports every fault of an input at once.

use super::common::{CommandResult, finish, plain_options, read};
use crate::Outcome;
use crate::args::{Cli, IrForm, VerifyArgs};
use cairn_driver::{Form, Options, Session};

/// Checks a file.
pub(crate) fn verify(cli: &Cli, args: &VerifyArgs) -> CommandResult {
    let input = read(&args.input.file)?;
    let options = Options {
        recover: args.recover,
        strict_pointers: args.strict_pointers,
        ..plain_options(&args.input)
    };
    let mut session = Session::default();
    let form = match args.form {
        IrForm::Free => Form::Free,
        IrForm::Canonical => Form::Canonical,
    };
    let result = cairn_driver::check(&input, form, &options, &mut session);
    finish(cli, &session, result)?;
    Ok(Outcome::Success)
}
