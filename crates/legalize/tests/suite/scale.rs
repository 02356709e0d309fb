//! Legalizing is linear: a module twice as large takes about twice as long.
//!
//! The large run is ignored by default: `cargo test --release … -- --ignored` legalizes 10 MB of text
//! in less than two seconds, with less than 20 times the text in memory.

use cairn_diag::FileId;
use cairn_ir::Module;
use cairn_legalize::{Options, legalize};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A module of about this many bytes of text: functions with phis, a switch, narrow and wide
/// integers, generic operations.
fn text(bytes: usize) -> String {
    let mut text = "module @m {\n  func @__entry() {\n    evm.stop\n  }\n".to_owned();
    let mut index = 0;
    while text.len() < bytes {
        _ = write!(
            text,
            "  func @f{index}(%x : u256, %n : u64, %w : u512) -> (u256, u64) {{
  ^entry:
    %seven = evm.constant {index} : u64
    %sum = evm.add %n, %seven : u64
    %product = evm.mul %sum, %n : u64
    %wide = evm.add %w, %w : u512
    evm.switch %x, default ^other(%x)
      case 1 -> ^one
      case 5 -> ^five(%sum)
      case 9 -> ^other(%x)
  ^one:
    %least = evm.min %x, %x : u256
    evm.br ^five(%product)
  ^five(%m : u64):
    %half = evm.div %m, %seven : u64
    evm.sstore %x, %half
    evm.br ^other(%x)
  ^other(%r : u256):
    %low = evm.trunc %wide : u64
    evm.iret %r, %low
  }}
"
        );
        index += 1;
    }
    text + "}\n"
}

/// How long the processor works on a module.
fn time(module: &mut Module) -> Duration {
    let (start, cpu) = (Instant::now(), cpu_time());
    legalize(module, &Options::default()).expect("well-formed");
    match (cpu, cpu_time()) {
        (Some(before), Some(after)) => after - before,
        _ => start.elapsed(),
    }
}

/// Time that the process has worked, in hundredths of a second, where the system tells.
fn cpu_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let fields: Vec<&str> = text.rsplit(')').next()?.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks(11)? + ticks(12)?)))
}

fn parsed(bytes: usize) -> Module {
    cairn_ir::text::parse(&text(bytes), FileId(0)).expect("well-formed")
}

// Shows S003-23.
#[test]
fn twice_the_text_takes_twice_as_long() {
    let mut modules = [200_000, 800_000].map(parsed);
    let [small, large] = [0, 1].map(|index| time(&mut modules[index]));
    assert!(large < 16 * small.max(Duration::from_millis(10)), "{small:?} and four times as much {large:?}");
}

#[test]
#[ignore = "large; in release mode"]
fn ten_megabytes() {
    let mut module = parsed(10_000_000);
    let before = resident();
    let time = time(&mut module);
    let (after, peak) = (resident(), peak());
    eprintln!("10 MB: {time:?}; resident {before} kB before, {after} kB after, {peak} kB at most");
    assert!(time < Duration::from_secs(2), "{time:?}");
    assert!(peak < 200_000, "{peak} kB");
}

fn status(key: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':').map(str::to_owned));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

fn resident() -> u64 {
    status("VmRSS")
}

fn peak() -> u64 {
    status("VmHWM")
}
