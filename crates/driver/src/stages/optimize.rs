//! [`Canonical`] → [`Optimized`]: the passes of the level, then canonical form again.

use super::legalize::{Canonical, legalize_module};
use super::lower::Origin;
use crate::options::{Level, Options};
use crate::session::{Failure, Session, Stage};
use crate::unknown::{self, unknown};
use cairn_diag::Diagnostic;
use cairn_ir::Module;
use cairn_ir::verify::{Form, verify};
use cairn_opt::pass::{Pass, Remarks};
use std::time::Instant;

/// EVM-IR in canonical form, as the stackifier takes it.
#[derive(Clone, Debug)]
pub struct Optimized {
    /// The module.
    pub module: Module,
    /// Where it comes from.
    pub origin: Origin,
}

/// Optimizes a module.
///
/// # Errors
/// A pass that the options name does not exist, or Cairn is faulty.
pub fn optimize(canonical: Canonical, options: &Options, session: &mut Session) -> Stage<Optimized> {
    let Canonical { mut module, origin, .. } = canonical;
    if options.passes.is_some() || options.level != Level::O0 {
        let passes = passes_of(options).or_else(|fault| session.error(*fault))?;
        run(&mut module, &passes, options, session)?;
        legalize_module(&mut module, origin, options, session)?;
    }
    Ok(Optimized { module, origin })
}

fn run(module: &mut Module, passes: &[Pass], options: &Options, session: &mut Session) -> Stage<()> {
    let start = Instant::now();
    let clock = || start.elapsed();
    let verify = |module: &Module, _: &str| match verify(module, Form::Ssa).iter().next() {
        Some(fault) => Err(fault.message.clone()),
        None => Ok(()),
    };
    let remarks = Remarks::default();
    let hooks = cairn_opt::Hooks {
        verify: options.verify.then_some(&verify),
        clock: Some(&clock),
        remarks: options.remarks.then_some(&remarks),
    };
    let optimizer = cairn_opt::Options {
        fork: options.fork,
        runs: options.price_runs(),
        fuel: options.fuel,
        max_live: options.max_live,
    };
    let result = cairn_opt::run_passes(module, passes, &optimizer, hooks);
    let report = result.map_err(|fault| Failure::Bug(fault.to_string()))?;
    report.passes.iter().for_each(|row| session.timings.add(row.name, row.time));
    session.pointer_keepers.extend(report.keeps_pointer);
    for remark in remarks.into_inner() {
        session.add_remark(format!("{}: `@{}`: {}", remark.pass, remark.func, remark.text));
    }
    if let Some((pass, func)) = report.last {
        session.add_remark(format!("fuel: the last run is `{pass}` on `@{func}`"));
    }
    Ok(())
}

fn passes_of(options: &Options) -> Result<Vec<Pass>, Box<Diagnostic>> {
    if let Some(names) = &options.passes {
        return names.iter().map(|name| find_pass(name)).collect();
    }
    let skipped = options.skipped_passes.iter().map(|name| find_pass(name).map(|pass| pass.name));
    let skipped = skipped.collect::<Result<Vec<&str>, _>>()?;
    Ok(cairn_opt::pipeline::passes_without(level_of_optimizer(options.level), &skipped))
}

fn find_pass(name: &str) -> Result<Pass, Box<Diagnostic>> {
    cairn_opt::pipeline::pass(name).copied().ok_or_else(|| {
        let known: Vec<String> = crate::pass_names().map(str::to_owned).collect();
        Box::new(unknown("pass", name, unknown::PASS, &known))
    })
}

fn level_of_optimizer(level: Level) -> cairn_opt::Level {
    match level {
        Level::O0 => cairn_opt::Level::O0,
        Level::O1 => cairn_opt::Level::O1,
        Level::O2 => cairn_opt::Level::O2,
        Level::O3 => cairn_opt::Level::O3,
        Level::Os => cairn_opt::Level::Os,
    }
}
