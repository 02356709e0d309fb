//! `cargo xtask slow [SECONDS]`: looks for small inputs on which a command takes long or much memory.
//!
//! A fuzzer that climbs: of each command it keeps the inputs, of at most [`MAX_INPUT`] bytes, that cost
//! most, changes them a little, and keeps what costs more. It begins with the small file tests and
//! with `tests/hostile`, where such inputs are kept; a test of the command line bounds them all.
//!
//! What passes a bound is written to `target/slow`, and the task fails.

use crate::growth::commands_of;
use crate::project::{Outcome, build_release, files, root, write};
use crate::random::Random;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of an input at most.
const MAX_INPUT: usize = 1024;

/// What a command may cost on such an input.
const SECONDS: f64 = 2.0;
const MEGABYTES: f64 = 1024.0;

/// When a run is ended.
const PATIENCE: Duration = Duration::from_secs(10);

/// Inputs kept for each command.
const KEPT: usize = 12;

/// Numbers that limits are made of.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "16",
    "31",
    "255",
    "256",
    "1023",
    "1024",
    "4095",
    "4096",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
];

const EXTENSIONS: [&str; 4] = ["yul", "eir", "asm", "hex"];

/// What a run cost.
#[derive(Clone, Copy, Debug)]
struct Cost {
    seconds: f64,
    megabytes: f64,
}

impl Cost {
    /// The greater share of a bound.
    fn share(self) -> f64 {
        (self.seconds / SECONDS).max(self.megabytes / MEGABYTES)
    }
}

/// The dearest inputs by extension and command.
type Pool = BTreeMap<(&'static str, String), Vec<(f64, String)>>;

/// Searches for as many seconds as asked for, on two threads.
///
/// # Errors
/// An input passes a bound.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let number = |name: &str| arguments.iter().find_map(|argument| argument.strip_prefix(name)?.parse().ok());
    let seconds = arguments.first().and_then(|text| text.parse().ok()).unwrap_or(60);
    let seed: u64 = number("--seed=").unwrap_or(1);
    let binary = build_release()?.join("cairn");
    let (seeds, end) = (seeds()?, Instant::now() + Duration::from_secs(seconds));
    let (pool, faults) = (Mutex::new(Pool::new()), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let mut climber = Climber {
                random: Random::new(seed << 8 ^ thread),
                binary: &binary,
                seeds: &seeds,
                pool: &pool,
                faults: &faults,
            };
            scope.spawn(move || {
                while Instant::now() < end {
                    climber.step();
                }
            });
        }
    });
    for ((extension, command), kept) in pool.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let dearest = kept.first().map_or(0.0, |(share, _)| *share);
        println!("{:6.1} % of a bound: {command} ({extension})", 100.0 * dearest);
    }
    let faults = faults.into_inner().unwrap_or_else(PoisonError::into_inner);
    if faults.is_empty() {
        Ok(())
    } else {
        Err(format!("slow: {} inputs\n{}", faults.len(), faults.join("\n")))
    }
}

/// Small inputs of each language.
fn seeds() -> Outcome<BTreeMap<&'static str, Vec<String>>> {
    let mut seeds = BTreeMap::new();
    for extension in EXTENSIONS {
        let mut paths = files(&root().join("tests/filetests"), &[extension])?;
        paths.extend(files(&root().join("tests/hostile"), &[extension])?);
        let texts = paths.iter().filter_map(|path| std::fs::read_to_string(path).ok());
        let comment = if matches!(extension, "asm" | "hex") { ";" } else { "//" };
        let stripped = texts.map(|text| {
            let lines = text.lines().filter(|line| !line.trim_start().starts_with(comment));
            lines.fold(String::new(), |text, line| text + line + "\n")
        });
        seeds.insert(extension, stripped.filter(|text| text.len() <= MAX_INPUT).collect());
    }
    Ok(seeds)
}

struct Climber<'a> {
    random: Random,
    binary: &'a Path,
    seeds: &'a BTreeMap<&'static str, Vec<String>>,
    pool: &'a Mutex<Pool>,
    faults: &'a Mutex<Vec<String>>,
}

impl Climber<'_> {
    /// Changes an input and keeps it if it costs more than one that is kept.
    fn step(&mut self) {
        let extension = EXTENSIONS[self.random.below(EXTENSIONS.len())];
        let commands = commands_of(extension);
        let command = commands[self.random.below(commands.len())];
        let key = (extension, command.to_owned());
        let mut text = self.parent(&key);
        for _ in 0..=self.random.below(4) {
            text = self.change(extension, &text);
        }
        if text.len() > MAX_INPUT {
            return;
        }
        let Some(cost) = measure(self.binary, command, extension, &text) else { return };
        let share = cost.share();
        if share > 1.0 {
            self.report(&key, cost, &text);
        }
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = pool.entry(key).or_default();
        kept.push((share, text));
        kept.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        kept.truncate(KEPT);
    }

    /// One of the inputs kept for the command, or any.
    fn parent(&mut self, key: &(&'static str, String)) -> String {
        let any = &self.seeds[key.0];
        let fresh = any.get(self.random.below(any.len().max(1))).cloned().unwrap_or_default();
        if self.random.below(5) == 0 {
            return fresh;
        }
        let pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = pool.get(key).filter(|kept| kept.len() == KEPT);
        kept.map_or(fresh, |kept| kept[self.random.below(kept.len())].1.clone())
    }

    fn change(&mut self, extension: &'static str, text: &str) -> String {
        let tokens = tokens(text);
        if tokens.is_empty() {
            return text.to_owned();
        }
        let from = self.random.below(tokens.len());
        let to = (from + 1 + self.random.below(12)).min(tokens.len());
        let part = tokens[from..to].concat();
        let (before, after) = (tokens[..from].concat(), tokens[to..].concat());
        match self.random.below(6) {
            0 => before + &part.repeat(2 + self.random.below(16)) + &after,
            1 => before + &after,
            2 => before + &part.replace(tokens[from], NUMBERS[self.random.below(NUMBERS.len())]) + &after,
            3 => {
                // Another program of the language goes in.
                let others = &self.seeds[extension];
                let other = others.get(self.random.below(others.len().max(1))).map_or("", String::as_str);
                let lines: Vec<&str> = other.lines().collect();
                let line = lines.get(self.random.below(lines.len().max(1))).copied().unwrap_or("");
                before + "\n" + line + "\n" + &part + &after
            }
            4 => {
                // The part is nested into itself.
                let depth = 2 + self.random.below(30);
                let half = part.len() / 2;
                match part.is_char_boundary(half) {
                    true => before + &part[..half].repeat(depth) + &part[half..].repeat(depth) + &after,
                    false => text.to_owned(),
                }
            }
            _ => before + &part + &part + &after,
        }
    }

    fn report(&self, (extension, command): &(&'static str, String), cost: Cost, text: &str) {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        let path = root().join(format!("target/slow/{}.{extension}", faults.len()));
        let said = format!("{command}: {:.1} s, {:.0} MB: {}", cost.seconds, cost.megabytes, path.display());
        println!("{said}");
        faults.push(match write(&path, text) {
            Ok(()) => said,
            Err(error) => format!("{said}: {error}"),
        });
    }
}

/// Words, numbers, blanks and single signs.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '%' | '@' | '^');
        let is_alike = |c: char| is_word(c) == is_word(first) && c.is_whitespace() == first.is_whitespace();
        let is_sign = !is_word(first) && !first.is_whitespace();
        let length =
            if is_sign { first.len_utf8() } else { rest.find(|c| !is_alike(c)).unwrap_or(rest.len()) };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after;
    }
    tokens
}

/// Runs a command on a text; `None` where it cannot start.
fn measure(binary: &Path, command: &str, extension: &str, text: &str) -> Option<Cost> {
    let file = tempfile::Builder::new().suffix(&format!(".{extension}")).tempfile().ok()?;
    std::fs::write(file.path(), text).ok()?;
    let mut run = Command::new(binary);
    run.args(command.split(' ')).arg(file.path());
    run.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let begin = Instant::now();
    let mut child = run.spawn().ok()?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut megabytes = 0.0_f64;
    loop {
        megabytes = megabytes.max(peak(&status).unwrap_or(0.0));
        if child.try_wait().ok()?.is_some() {
            break;
        }
        if begin.elapsed() > PATIENCE || megabytes > 4.0 * MEGABYTES {
            let _ = child.kill();
            let _ = child.wait();
            break;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Some(Cost { seconds: begin.elapsed().as_secs_f64(), megabytes })
}

/// The most memory that a process has had, in megabytes, where the system tells.
fn peak(status: &Path) -> Option<f64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_the_whole_text() {
        let text = "func @f(%a : u256) {\n  evm.stop }";
        assert_eq!(tokens(text).concat(), text);
        assert_eq!(tokens("a(b)) 12"), ["a", "(", "b", ")", ")", " ", "12"]);
    }
}
