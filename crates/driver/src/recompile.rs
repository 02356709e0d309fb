//! Bytecode in, better bytecode out: lift, optimize, assemble, and keep the better one.
//!
//! A program is left as it is when it is not closed, when it could notice the difference, when it
//! is no program but data, when its values do not fit on the stack without memory of our own, or
//! when the result is not smaller. The report says which.
//!
//! Creation code may be followed by arguments, and the new code finds them where the old one did:
//! at its end. The code that it deploys is compiled anew, too, where that is as safe.

use crate::fit::fit;
use crate::options::Options;
use crate::session::{Failure, Session, Stage};
use crate::stages::{Free, assemble, clean_up, legalize, verify_own};
use cairn_bytecode::{Analysis, Given, Role, analyze_given, instructions};
use cairn_evm::Opcode;
use cairn_ir::Module;
use cairn_ir::verify::Form;
use cairn_lift::{Deployed, Lifted};

/// A program after recompilation.
#[derive(Clone, Debug)]
pub struct Recompiled {
    /// The code: new, or the original.
    pub code: Vec<u8>,
    /// Why the original was kept; `None` when the code is new.
    pub kept: Option<String>,
    /// What the program learns about itself and is given the original's answer to.
    pub notes: Vec<String>,
}

/// Lifts bytecode to EVM-IR in free form. What it does tells whether bytes may follow it,
/// unless `role` says so.
///
/// # Errors
/// Why it cannot be lifted.
pub fn lift(
    code: &[u8],
    role: Option<Role>,
    options: &Options,
    session: &mut Session,
) -> Result<Lifted, String> {
    lift_analyzed(&analyze(code, role, options, session), session)
}

/// The same of a program that was analysed.
pub(crate) fn lift_analyzed(analysis: &Analysis<'_>, session: &mut Session) -> Result<Lifted, String> {
    let lifted = session.timings.time("lift", || cairn_lift::lift(analysis));
    lifted.map_err(|reason| reason.to_string())
}

pub(crate) fn analyze<'c>(
    code: &'c [u8],
    role: Option<Role>,
    options: &Options,
    session: &mut Session,
) -> Analysis<'c> {
    let given = Given { fork: options.fork, role, placeholders: Vec::new() };
    session.timings.time("analyze", || analyze_given(code, given))
}

/// Compiles bytecode anew where that is safe and pays. What it does tells whether bytes may
/// follow it, unless `role` says so.
///
/// # Errors
/// Only a bug of ours: everything else keeps the original.
pub fn recompile(
    code: &[u8],
    role: Option<Role>,
    options: &Options,
    session: &mut Session,
) -> Stage<Recompiled> {
    if cairn_lift::is_data(code) {
        let reason = "it does nothing but fail or stop: its code may be data for others";
        return Ok(keep(code, reason.to_owned()));
    }
    let analysis = analyze(code, role, options, session);
    let lifted = session.timings.time("lift", || cairn_lift::lift(&analysis));
    let nests = lifted.as_ref().is_ok_and(|lifted| lifted.deployed.iter().any(|code| code.kept.is_none()));
    let mut result = match lifted {
        Ok(lifted) => recompile_lifted(&analysis, lifted, options, session)?,
        Err(reason) => keep(code, reason.to_string()),
    };
    if result.kept.is_some() && nests {
        // What is deployed may be in the way: then it stays as it is.
        let alone = cairn_lift::lift_alone(&analysis);
        result = match alone {
            Ok(lifted) => recompile_lifted(&analysis, lifted, options, session)?,
            Err(_) => result,
        };
    }
    Ok(result)
}

fn recompile_lifted(
    analysis: &Analysis<'_>,
    lifted: Lifted,
    options: &Options,
    session: &mut Session,
) -> Stage<Recompiled> {
    let code = analysis.code;
    if let Some(reason) = lifted.observed.hazards().first() {
        return Ok(keep(code, (*reason).to_owned()));
    }
    let notes = notes(analysis, &lifted);
    let mut new = match compile_lifted(lifted.module, options, session) {
        Ok(new) => new,
        Err(Failure::Input) => {
            let reason = session.diagnostics.iter().last().map_or("unknown", |fault| &fault.message);
            return Ok(keep(code, format!("it cannot be compiled without memory of its own: {reason}")));
        }
        Err(bug) => return Err(bug),
    };
    if new.is_empty() && !code.is_empty() {
        // An account without code is something else to those who call it.
        new.push(Opcode::STOP.0);
    }
    if new.len() > code.len() {
        let reason = format!("the result has {} bytes, the original {}", new.len(), code.len());
        return Ok(keep(code, reason));
    }
    Ok(Recompiled { code: new, kept: None, notes })
}

/// Compiles a lifted program, whatever the size of the result.
///
/// # Errors
/// Its values do not fit on the stack without memory of our own, or a bug of ours.
pub fn compile_lifted(module: Module, options: &Options, session: &mut Session) -> Stage<Vec<u8>> {
    verify_own(&module, Form::Free, "the lifter", options, session)?;
    let canonical = legalize(Free::new(module), options, session)?;
    let (_, code) = fit(canonical, options, session)?;
    let code = clean_up(code, options, session);
    Ok(assemble(&code.program, options, session)?.bytes)
}

fn keep(code: &[u8], reason: String) -> Recompiled {
    Recompiled { code: code.to_vec(), kept: Some(reason), notes: Vec::new() }
}

fn notes(analysis: &Analysis<'_>, lifted: &Lifted) -> Vec<String> {
    let observed = &lifted.observed;
    let all = [
        (analysis.role == Role::Creation, "it is creation code: arguments may follow it"),
        (analysis.role == Role::Either, "it may be creation code: whatever follows it is kept in reach"),
        (observed.own_code, "it copies pieces of its own code: they are data"),
        (observed.whole_image, "it copies its own code from places that are not known: the original is data"),
        (observed.code_size, "it asks for the size of its code: the original's"),
        (observed.place, "it asks where it is: the original places"),
        (
            has_placeholder(analysis),
            "it pushes zero in many bytes, as the place of an immutable does before deployment: taken for zero",
        ),
    ];
    let seen = all.into_iter().filter(|(seen, _)| *seen).map(|(_, note)| note.to_owned());
    seen.chain(lifted.deployed.iter().map(note_of_deployed)).collect()
}

fn note_of_deployed(deployed: &Deployed) -> String {
    let what = format!("the {} bytes that it deploys", deployed.length);
    match &deployed.kept {
        None => format!("{what} are compiled anew"),
        Some(reason) => format!("{what} are left as they are: {reason}"),
    }
}

/// The narrowest push of zero that hardly stands for the number: the places of `u8` look like it.
const MIN_PLACEHOLDER: usize = 4;

/// True when code that runs pushes a zero in more bytes than a number would take.
fn has_placeholder(analysis: &Analysis<'_>) -> bool {
    let reached = (0..analysis.blocks.len() as u32).filter(|block| analysis.is_reached(*block));
    let mut blocks = reached.map(|block| analysis.blocks.get(block));
    blocks.any(|block| {
        let mut pushes = instructions(analysis.code, block.start, block.end);
        pushes.any(|inst| inst.data.len() >= MIN_PLACEHOLDER && inst.data.iter().all(|byte| *byte == 0))
    })
}
