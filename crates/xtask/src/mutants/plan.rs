//! What was asked for on the command line.

use crate::project::Outcome;

/// Settings of a run.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Only files whose path contains this.
    pub(super) filter: String,
    /// Mutants to judge at most, drawn evenly from those that the probe reaches.
    pub(super) sample: usize,
    /// The first one drawn.
    pub(super) seed: u64,
    /// Mutants judged at once.
    pub(super) jobs: usize,
    /// Suites that run longer than this without a mutant are left out.
    pub(super) seconds: u64,
    /// Runs these test programs only; all of them if there are none here.
    pub(super) tests: Vec<String>,
    /// Processor time for each function of code that a survivor changes, in seconds; nothing is proven without.
    pub(super) prove: Option<u64>,
    /// Judges those that survived the last run instead of a sample.
    pub(super) again: bool,
    /// Names the sampled mutants and stops.
    pub(super) list_only: bool,
}

impl Plan {
    /// Reads `[FILTER] [--sample=N] [--seed=N] [--jobs=N] [--longest=SECONDS] [--tests=NAME,…]
    /// [--prove=SECONDS] [--again] [--list]`.
    pub(super) fn parse(arguments: &[String]) -> Outcome<Plan> {
        let mut plan = Plan {
            filter: String::new(),
            sample: 1000,
            seed: 0,
            jobs: 2,
            seconds: 300,
            tests: Vec::new(),
            prove: None,
            again: false,
            list_only: false,
        };
        for argument in arguments {
            let (name, value) = argument.split_once('=').unwrap_or((argument, ""));
            let number = || value.parse::<u64>().map_err(|_| format!("`{argument}`: a number is missing"));
            match name {
                "--sample" => plan.sample = number()? as usize,
                "--seed" => plan.seed = number()?,
                "--jobs" => plan.jobs = (number()? as usize).max(1),
                "--longest" => plan.seconds = number()?,
                "--tests" => plan.tests = value.split(',').map(str::to_owned).collect(),
                "--prove" => plan.prove = Some(number()?),
                "--again" => plan.again = true,
                "--list" => plan.list_only = true,
                _ if name.starts_with('-') => return Err(format!("unknown option `{name}`")),
                _ => plan.filter = argument.clone(),
            }
        }
        Ok(plan)
    }
}
