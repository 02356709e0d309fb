//! Many programs, on several threads, each with a solc of its own.

use crate::front::Front;
use crate::generator::Program;
use crate::judge::{Counts, Fault, check, program};
use crate::reduce::reduce;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

/// Failing programs that are made smaller and shown.
const MAX_SHOWN: usize = 3;
/// The net ends after so many in a thread: there is enough to look at.
const MAX_FAULTS: usize = 8;
/// Texts that are tried in making one smaller.
const MAX_TRIES: usize = 500;

pub(crate) fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// Checks what the environment asks for; panics with the faults found, made small.
#[expect(clippy::print_stderr, reason = "says how much was compared")]
pub(crate) fn run() {
    let folder =
        std::env::var_os("CAIRN_SOLIDITY_SOLC").expect("CAIRN_SOLIDITY_SOLC is the folder of npm's `solc`");
    let folder = PathBuf::from(folder);
    let (first, count) =
        (setting("CAIRN_SOLIDITY_SEED").unwrap_or(0), setting("CAIRN_SOLIDITY_PROGRAMS").unwrap_or(100));
    let n_threads = match count {
        1 => 1,
        _ => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
    };
    let next = AtomicU64::new(first);
    let start = std::time::Instant::now();
    let work = || {
        let mut front = Front::start(&folder).expect("node runs");
        let (mut counts, mut faults) = (Counts::default(), Vec::new());
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= first + count || faults.len() >= MAX_FAULTS {
                return (counts, faults);
            }
            if let Some(fault) = check(seed, &program(seed), &mut front, &mut counts) {
                eprintln!("seed {seed}: {}: {}", fault.kind, fault.text);
                faults.push((seed, fault));
            }
        }
    };
    let (mut counts, mut faults) = (Counts::default(), Vec::new());
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..n_threads).map(|_| builder().spawn_scoped(scope, work).expect("a thread")).collect();
        for thread in threads {
            let (some, others) = thread.join().expect("the net does not panic");
            counts.add(&some);
            faults.extend(others);
        }
    });
    let reasons = std::mem::take(&mut counts.reasons);
    reasons.iter().take(MAX_SHOWN).for_each(|reason| eprintln!("{reason}"));
    eprintln!("solidity: {counts:?}, {} differ, {:?}", faults.len(), start.elapsed());
    faults.sort_by_key(|(seed, _)| *seed);
    let shown = std::thread::scope(|scope| {
        let work = || {
            let mut front = Front::start(&folder).expect("node runs");
            let shown = faults.iter().take(MAX_SHOWN);
            shown.map(|(seed, fault)| shrunk(*seed, fault, &mut front)).collect::<String>()
        };
        builder().spawn_scoped(scope, work).expect("a thread").join().expect("the net does not panic")
    });
    let seeds: Vec<String> = faults.iter().map(|(seed, fault)| format!("{seed} ({})", fault.kind)).collect();
    assert!(seeds.is_empty(), "{} fail: {}{shown}", seeds.len(), seeds.join(", "));
    if count >= 20 {
        counts.assert_useful();
    }
}

/// Generated code is deep.
fn builder() -> std::thread::Builder {
    std::thread::Builder::new().stack_size(256 << 20)
}

/// The smallest program found that fails in the same way, with what differs.
fn shrunk(seed: u64, fault: &Fault, front: &mut Front) -> String {
    let whole = program(seed);
    let mut recheck = |text: &str| {
        let smaller = Program { text: text.to_owned(), ..whole.clone() };
        check(seed, &smaller, front, &mut Counts::default()).filter(|found| found.kind == fault.kind)
    };
    let small = reduce(&whole.text, &mut |text| recheck(text).is_some(), MAX_TRIES);
    let text = recheck(&small).map_or_else(|| fault.text.clone(), |found| found.text);
    format!("\n\nseed {seed}: {}: {text}\n{small}\n", fault.kind)
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.programs += other.programs;
        self.rejected += other.rejected;
        self.reasons.extend(other.reasons.iter().cloned());
        self.deployed += other.deployed;
        self.compared += other.compared;
        self.success += other.success;
        self.revert += other.revert;
        self.halt += other.halt;
        self.endless += other.endless;
        self.without_room += other.without_room;
    }

    /// A net that compares next to nothing finds nothing.
    fn assert_useful(&self) {
        assert!(self.rejected * 10 <= self.programs, "too many programs are no Solidity: {self:?}");
        assert!(self.deployed * 10 >= self.programs * 5, "hardly any program is deployed: {self:?}");
        assert!(self.success >= self.revert / 2, "hardly anything succeeds: {self:?}");
    }
}
