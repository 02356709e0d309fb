//! A solver as a process that reads SMT-LIB and answers.

use cairn_evm::Word;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Solvers that are known, in the order in which they are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverKind {
    /// bitwuzla
    Bitwuzla,
    /// Z3
    Z3,
    /// cvc5
    Cvc5,
}

impl SolverKind {
    /// All of them.
    pub const ALL: [SolverKind; 3] = [SolverKind::Bitwuzla, SolverKind::Z3, SolverKind::Cvc5];

    /// The name of the program.
    pub fn name(self) -> &'static str {
        match self {
            SolverKind::Bitwuzla => "bitwuzla",
            SolverKind::Z3 => "z3",
            SolverKind::Cvc5 => "cvc5",
        }
    }

    fn args(self) -> &'static [&'static str] {
        match self {
            SolverKind::Bitwuzla => &["--produce-models"],
            SolverKind::Z3 => &["-in"],
            SolverKind::Cvc5 => &["--incremental", "--produce-models", "--lang=smt2"],
        }
    }

    /// What asks: Z3 takes longer by the ways that it chooses itself.
    fn check(self) -> &'static str {
        match self {
            SolverKind::Z3 => {
                "(check-sat-using (then simplify propagate-values solve-eqs elim-uncnstr simplify max-bv-sharing \
                 bit-blast sat))"
            }
            SolverKind::Bitwuzla | SolverKind::Cvc5 => "(check-sat)",
        }
    }

    fn limit(self, limit: Duration) -> String {
        match self {
            SolverKind::Z3 => format!("(set-option :timeout {})\n", limit.as_millis()),
            SolverKind::Bitwuzla | SolverKind::Cvc5 => String::new(),
        }
    }
}

/// The solvers that can be run on this machine.
pub fn find_solvers() -> Vec<SolverKind> {
    let runs = |kind: &SolverKind| {
        let mut command = Command::new(kind.name());
        command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    SolverKind::ALL.into_iter().filter(runs).collect()
}

/// What a solver says.
pub(super) enum Reply {
    Unsat,
    /// Values of what was asked for, in order.
    Sat(Vec<Word>),
    Unknown,
}

/// The line that ends an answer.
const END: &str = "end-of-answer";

struct Running {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

/// A solver, started when it is first asked and again when it had to be ended.
pub(super) struct Pipe {
    kind: SolverKind,
    running: Option<Running>,
}

impl Pipe {
    pub(super) fn new(kind: SolverKind) -> Self {
        Pipe { kind, running: None }
    }

    /// Puts a question: declarations and assertions, and then `(get-value …)`.
    pub(super) fn ask(&mut self, question: &str, values: &str, limit: Duration) -> Reply {
        let (kind, end) = (self.kind, format!("(echo \"{END}\")"));
        let text = format!("(reset)\n{}{question}{}\n{values}{end}\n", kind.limit(limit), kind.check());
        let lines = self.lines(&text, limit + limit / 2 + Duration::from_millis(200));
        let Some(lines) = lines else {
            self.stop();
            return Reply::Unknown;
        };
        match lines.first().map(String::as_str) {
            Some("unsat") => Reply::Unsat,
            Some("sat") => Reply::Sat(parse_values(&lines[1..].join(" "))),
            _ => Reply::Unknown,
        }
    }

    fn lines(&mut self, text: &str, limit: Duration) -> Option<Vec<String>> {
        if self.running.is_none() {
            self.running = start(self.kind);
        }
        let running = self.running.as_mut()?;
        running.input.write_all(text.as_bytes()).ok()?;
        running.input.flush().ok()?;
        let end = Instant::now() + limit;
        let mut lines = Vec::new();
        loop {
            let line = running.lines.recv_timeout(end.saturating_duration_since(Instant::now())).ok()?;
            if line.trim_matches('"') == END {
                return Some(lines);
            }
            lines.push(line);
        }
    }

    fn stop(&mut self) {
        if let Some(mut running) = self.running.take() {
            // It may have ended by itself.
            let _ = running.child.kill();
            let _ = running.child.wait();
        }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.stop();
    }
}

fn start(kind: SolverKind) -> Option<Running> {
    let mut command = Command::new(kind.name());
    command.args(kind.args()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let input = child.stdin.take()?;
    let output = child.stdout.take()?;
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Some(Running { child, input, lines })
}

/// The numbers of `((t1 #x00…) (t2 #b0) …)` in order.
fn parse_values(text: &str) -> Vec<Word> {
    let tokens = text.split(|c: char| c.is_whitespace() || c == '(' || c == ')');
    let number = |token: &str| -> Option<Word> {
        match token.get(..2)? {
            "#x" => Word::from_str_radix(&token[2..], 16).ok(),
            "#b" => Word::from_str_radix(&token[2..], 2).ok(),
            "bv" => token[2..].parse().ok(),
            _ => None,
        }
    };
    tokens.filter_map(number).collect()
}
