//! `nets`: runs the nets of `crates/filetest/tests/nets` on many programs.
//!
//! They run in release, one net after the other, each on every core, and say how much they compared.
//! A net that finds something prints the smallest programs found and their seeds; the others run all
//! the same.

use crate::project::{self, Outcome, cargo};

/// Programs of each net if nobody says how many.
const PROGRAMS: &str = "2000";

/// What to run.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    programs: String,
    first_seed: String,
    /// Nets whose names contain this.
    net: String,
}

/// Runs the nets that are asked for.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let Request { programs, first_seed, net } = parse(arguments)?;
    let mut words = vec!["test", "--quiet", "--release", "--workspace", "--test", "nets"];
    words.extend(["--", "--nocapture", "--test-threads=1", "--include-ignored"]);
    words.extend((!net.is_empty()).then_some(net.as_str()));
    let mut command = cargo(&words);
    command.env("CAIRN_NETS_PROGRAMS", programs).env("CAIRN_NETS_SEED", first_seed);
    project::run(command)
}

fn parse(arguments: &[String]) -> Outcome<Request> {
    let mut request = Request { programs: PROGRAMS.into(), first_seed: "0".into(), net: String::new() };
    for pair in arguments.chunks(2) {
        let [name, value] = pair else { return Err(format!("`{}` needs a value", pair[0])) };
        let number = || value.parse::<u64>().map_err(|_| format!("`{value}` is not a number"));
        match name.as_str() {
            "--programs" => request.programs = number()?.to_string(),
            "--seed" => request.first_seed = number()?.to_string(),
            "--net" => request.net = value.clone(),
            _ => return Err(format!("unknown option `{name}`; known are --programs --seed --net")),
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_values() {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let request = parse(&words("--net widths --programs 70")).expect("fine");
        assert_eq!(request, Request { programs: "70".into(), first_seed: "0".into(), net: "widths".into() });
        assert!(parse(&words("--net")).is_err());
        assert!(parse(&words("--programs many")).is_err());
        assert!(parse(&words("--nets widths")).is_err());
    }
}
