//! A solver as a process that reads SMT-LIB and answers.

use crate::clock::{PATIENCE, time_of_process};
use cairn_evm::Word;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
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
            SolverKind::Z3 => &["-in", "-memory:1024"],
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

/// How long an answer is waited for before the solver's time is looked at again.
const SHORTEST_WAIT: Duration = Duration::from_millis(5);
const LONGEST_WAIT: Duration = Duration::from_millis(200);

/// The line that ends an answer.
const END: &str = "end-of-answer";

struct Running {
    child: Child,
    /// What it is to read. A thread writes it: a solver may take long to read a question.
    input: Sender<String>,
    lines: Receiver<String>,
}

impl Running {
    /// What it says of a question, and of the values if there are any; `None` if it does not in time.
    fn reply(&mut self, question: &str, values: &str, watch: &Watch, limit: Duration) -> Option<Reply> {
        let lines = self.lines(question, watch, limit)?;
        Some(match lines.first().map(String::as_str) {
            Some("unsat") => Reply::Unsat,
            // Some solvers end where values are asked for and there are none.
            Some("sat") => Reply::Sat(parse_values(&self.lines(values, watch, limit)?.join(" "))),
            _ => Reply::Unknown,
        })
    }

    /// The answer to a text, line by line; `None` if there is none in time.
    fn lines(&mut self, text: &str, watch: &Watch, limit: Duration) -> Option<Vec<String>> {
        let text = format!("{text}(echo \"{END}\")\n");
        self.input.send(text).ok()?;
        let mut lines = Vec::new();
        loop {
            let left = limit.checked_sub(watch.elapsed())?;
            match self.lines.recv_timeout(left.clamp(SHORTEST_WAIT, LONGEST_WAIT)) {
                Ok(line) if line.trim_matches('"') == END => return Some(lines),
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }
}

/// The processor time that a process takes for an answer; time on the clock where that is not known.
struct Watch {
    process: u32,
    before: Option<Duration>,
    wall: Instant,
}

impl Watch {
    fn start(process: u32) -> Self {
        Watch { process, before: time_of_process(process), wall: Instant::now() }
    }

    fn elapsed(&self) -> Duration {
        let wall = self.wall.elapsed();
        let times = self.before.zip(time_of_process(self.process));
        times.map_or(wall, |(before, now)| now.saturating_sub(before).max(wall / PATIENCE))
    }
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

    /// Puts a question: declarations and assertions, and then `(get-value …)`. Besides the answer says how much
    /// processor time it took.
    pub(super) fn ask(&mut self, question: &str, values: &str, limit: Duration) -> (Reply, Duration) {
        if self.running.is_none() {
            self.running = start(self.kind);
        }
        let Some(running) = &mut self.running else { return (Reply::Unknown, Duration::ZERO) };
        let text = format!("(reset)\n{question}{}\n", self.kind.check());
        let watch = Watch::start(running.child.id());
        let reply = running.reply(&text, values, &watch, limit);
        let time = watch.elapsed();
        if reply.is_none() {
            self.stop();
        }
        (reply.unwrap_or(Reply::Unknown), time)
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
    command.args(kind.args());
    run(command)
}

fn run(mut command: Command) -> Option<Running> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let mut stdin = child.stdin.take()?;
    let output = child.stdout.take()?;
    let (input, texts) = channel::<String>();
    std::thread::spawn(move || {
        for text in texts {
            if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                break;
            }
        }
    });
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

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// A solver that says `unsat` of what has `false` in it, else `sat` and that a word is 7, and that ends where values
    /// are asked for after `unsat`.
    const STRICT: &str = r#"while read line; do case "$line" in
        *false*) says=unsat ;;
        *true*) says=sat ;;
        *check-sat*) echo $says ;;
        *get-value*) [ $says = sat ] || exit 1; echo '((t1 #x07))' ;;
        *echo*) echo '"end-of-answer"' ;;
    esac; done"#;

    #[test]
    fn values_are_asked_for_where_there_are_some() {
        let mut command = Command::new("sh");
        command.args(["-c", STRICT]);
        let mut pipe = Pipe { kind: SolverKind::Bitwuzla, running: run(command) };
        let mut ask = |question: &str| pipe.ask(question, "(get-value (t1))\n", Duration::from_secs(5)).0;
        for _ in 0..2 {
            assert!(matches!(ask("(assert false)\n"), Reply::Unsat));
            let Reply::Sat(values) = ask("(assert true)\n") else { panic!("satisfiable") };
            assert_eq!(values, [Word::from(7)]);
        }
    }

    /// A solver that does not even read a question, which no pipe holds, is ended in time, too.
    #[test]
    fn questions_that_are_not_read_have_an_end() {
        let mut command = Command::new("sleep");
        command.arg("300");
        let mut pipe = Pipe { kind: SolverKind::Bitwuzla, running: run(command) };
        let question = "(assert true)\n".repeat(1 << 16);
        let start = Instant::now();
        let (reply, _) = pipe.ask(&question, "", Duration::from_millis(50));
        assert!(matches!(reply, Reply::Unknown) && start.elapsed() < Duration::from_secs(30));
    }
}
