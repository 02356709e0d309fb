//! How many codes a second become columns: `throughput FILE [FACTS]`, with a file of one code in
//! hexadecimal digits a line. Time is that of the processor; the best of several rounds counts.

#![allow(clippy::print_stdout, reason = "it prints what it measures")]

use cairn_columns::{BatchBuilder, Facts, Options};
use rustix::time::{ClockId, clock_gettime};

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Codes of a batch.
const BATCH: usize = 64;
/// Rounds.
const ROUNDS: usize = 5;

fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: throughput FILE [FACTS]")?;
    let facts: Facts = args.next().unwrap_or("all".to_owned()).parse()?;
    let text = std::fs::read_to_string(path)?;
    let codes = text.lines().map(|line| cairn_evm::hex::decode(line.trim()));
    let codes: Vec<Vec<u8>> = codes.collect::<Result<_, _>>()?;
    let mut best = f64::INFINITY;
    let mut bytes = 0;
    for _ in 0..ROUNDS {
        let start = seconds();
        bytes = 0;
        for some in codes.chunks(BATCH) {
            let mut batch = BatchBuilder::new(Options { facts, ..Options::default() });
            some.iter().for_each(|code| batch.push(code));
            bytes += batch.finish()?.nested()?.get_array_memory_size();
        }
        best = best.min(seconds() - start);
    }
    let size: usize = codes.iter().map(Vec::len).sum();
    println!(
        "{facts}: {} codes of {} bytes on average: {:.0} codes/s, {:.1} MB/s, {} bytes of columns a code",
        codes.len(),
        size / codes.len().max(1),
        codes.len() as f64 / best,
        size as f64 / best / 1e6,
        bytes / codes.len().max(1),
    );
    Ok(())
}
