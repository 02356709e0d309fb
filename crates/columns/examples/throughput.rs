//! How many codes a second become columns: `throughput FILE [FACTS]`, with a file of one code in
//! hexadecimal digits a line. Time is that of the processor; the best of several rounds counts, whose
//! number may follow. The hash that is printed is one of all columns: it tells whether two builds find the same.

#![allow(clippy::print_stdout, reason = "it prints what it measures")]

use arrow_array::Array;
use arrow_array::cast::AsArray;
use cairn_columns::{BatchBuilder, Facts, Options};
use rustix::time::{ClockId, clock_gettime};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Codes of a batch.
const BATCH: usize = 64;
/// Rounds, where nothing else is said.
const ROUNDS: usize = 5;

fn seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: throughput FILE [FACTS]")?;
    let facts: Facts = args.next().unwrap_or("all".to_owned()).parse()?;
    let rounds: usize = args.next().map_or(Ok(ROUNDS), |rounds| rounds.parse())?;
    let text = std::fs::read_to_string(path)?;
    let codes = text.lines().map(|line| cairn_evm::hex::decode(line.trim()));
    let codes: Vec<Vec<u8>> = codes.collect::<Result<_, _>>()?;
    let mut best = f64::INFINITY;
    let (mut bytes, mut hash) = (0, DefaultHasher::default());
    for _ in 0..rounds {
        let mut spent = 0.0;
        (bytes, hash) = (0, DefaultHasher::default());
        for some in codes.chunks(BATCH) {
            let start = seconds();
            let mut batch = BatchBuilder::new(Options { facts, ..Options::default() });
            batch.reserve(some.iter().map(Vec::len).sum());
            some.iter().for_each(|code| batch.push(code));
            let nested = batch.finish()?.nested()?;
            spent += seconds() - start;
            bytes += nested.get_array_memory_size();
            nested.columns().iter().for_each(|column| add(column, &mut hash));
        }
        best = best.min(spent);
    }
    let size: usize = codes.iter().map(Vec::len).sum();
    println!(
        "{facts}: {} codes of {} bytes on average: {:.0} codes/s, {:.1} MB/s, {} bytes of columns a code, hash {:016x}",
        codes.len(),
        size / codes.len().max(1),
        codes.len() as f64 / best,
        size as f64 / best / 1e6,
        bytes / codes.len().max(1),
        hash.finish(),
    );
    Ok(())
}

/// Adds a column to a hash.
fn add(column: &dyn Array, hash: &mut DefaultHasher) {
    let data = column.to_data();
    data.len().hash(hash);
    data.buffers().iter().for_each(|buffer| buffer.as_slice().hash(hash));
    data.nulls().into_iter().for_each(|nulls| nulls.inner().iter().for_each(|bit| bit.hash(hash)));
    if let Some(list) = column.as_list_opt::<i32>() {
        add(list.values(), hash);
    }
    if let Some(items) = column.as_struct_opt() {
        items.columns().iter().for_each(|column| add(column, hash));
    }
}
