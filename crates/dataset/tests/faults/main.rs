//! Jobs in worker processes: results, faults of single codes, kills at any moment, size.
//!
//! This program is its own worker (`worker`) and its own run that can be killed (`run IN OUT`), so it
//! has a main function of its own.

#![allow(clippy::print_stdout, reason = "a test says what it skips and measures")]

mod big;
mod data;
mod isolation;
mod kills;
mod results;

use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [_, "worker"] => match cairn_dataset::work() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        [_, "run", input, output] => match data::run_job(&data::job(input, output)) {
            Ok(_) => ExitCode::SUCCESS,
            Err(_) => ExitCode::FAILURE,
        },
        _ => libtest_mimic::run(&Arguments::from_args(), trials()).exit_code(),
    }
}

fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn()| {
        let run = move || {
            test();
            Ok(())
        };
        Trial::test(name, run)
    };
    vec![
        trial("rows_and_codes_are_those_of_the_input", results::rows_and_codes),
        trial("processes_and_threads_give_the_same", results::processes_and_threads),
        trial("recompile_and_lift_give_code_and_text", results::recompile_and_lift),
        trial("text_bytes_and_folders_are_inputs", results::kinds_of_input),
        trial("a_column_of_nulls_is_an_input", results::nulls_alone),
        trial("another_job_is_refused", results::other_job),
        trial("an_input_without_codes_is_named", results::faulty_input),
        trial("a_watcher_may_stop_and_the_next_run_goes_on", results::stopped),
        trial("one_bad_code_costs_one_row", isolation::one_bad_code).with_ignored_flag(!cfg!(unix)),
        trial("a_code_that_fails_once_is_tried_again", isolation::startup).with_ignored_flag(!cfg!(unix)),
        trial("files_do_not_tell_that_a_worker_died", isolation::died_once).with_ignored_flag(!cfg!(unix)),
        trial("killed_runs_go_on_and_end_the_same", kills::killed_at_any_moment)
            .with_ignored_flag(!cfg!(unix)),
        trial("a_worker_does_not_outlive_its_run", kills::orphans).with_ignored_flag(!cfg!(unix)),
        trial("a_million_rows", big::million).with_ignored_flag(true),
    ]
}
