//! The worker process: codes from standard input, results to standard output.
//!
//! It says which row it begins with before it does, so that whoever started it knows at which code it
//! died. It ends with its input, and when the process that started it is gone.
//!
//! For tests the environment variable `CAIRN_WORKER_FAULTS` makes it fail at codes of its choice:
//! `KIND:HEX` with commas between, where the code begins with the bytes and the kind is `abort`,
//! `hang`, `overflow` (of the stack), `memory` (8 GB) or `panic`.

use crate::frame::{Kind, receive, send};
use crate::spool::{Hash, Hashed};
use crate::task::{Recipe, Results};
use arrow_ipc::writer::StreamWriter;
use serde_json::Value;
use std::io::{BufReader, BufWriter, Error, Read, Result, Write};
use std::time::Duration;

/// Bytes of results that are sent together.
const RESULT_BYTES: usize = 64 << 20;
/// Virtual memory beyond the limit: stacks, what the allocator holds in reserve.
#[cfg(unix)]
const RESERVE: u64 = 4 << 30;

/// Works until standard input ends.
///
/// # Errors
/// The pipes break, or what comes through them makes no sense.
pub fn work() -> Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, std::io::stdin().lock());
    let mut output = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let Some((Kind::Order, order)) = receive(&mut input)? else { return Ok(()) };
    let order: Value = serde_json::from_slice(&order).map_err(Error::other)?;
    let recipe = Recipe::of(&order).map_err(Error::other)?;
    limit_memory(order["memory"].as_u64());
    watch_parent();
    let faults = Faults::of(&std::env::var("CAIRN_WORKER_FAULTS").unwrap_or_default());
    while let Some(codes) = receive_codes(&mut input)? {
        let mut results = recipe.start();
        for (row, (hash, code)) in codes.iter().enumerate() {
            send(&mut output, Kind::Row, &[&(row as u32).to_le_bytes()])?;
            output.flush()?;
            results.push(*hash, code, || faults.fail_at(code));
            if results.bytes() > RESULT_BYTES {
                send_results(&mut output, std::mem::replace(&mut results, recipe.start()))?;
            }
        }
        send_results(&mut output, results)?;
        send(&mut output, Kind::End, &[])?;
        output.flush()?;
    }
    Ok(())
}

/// The codes of a task; `None` at the end of the input.
fn receive_codes(input: &mut impl Read) -> Result<Option<Vec<Hashed>>> {
    let mut codes = Vec::new();
    while let Some((kind, mut bytes)) = receive(input)? {
        match kind {
            Kind::Code if bytes.len() >= 32 => {
                let code = bytes.split_off(32);
                let hash = Hash::try_from(bytes).map_err(|_| Error::other("a hash has 32 bytes"))?;
                codes.push((hash, code));
            }
            Kind::Begin => return Ok(Some(codes)),
            _ => return Err(Error::other("neither a code nor a beginning")),
        }
    }
    Ok(None)
}

fn send_results(output: &mut impl Write, results: Results) -> Result<()> {
    if results.rows() == 0 {
        return Ok(());
    }
    let batch = results.finish().map_err(Error::other)?;
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &batch.schema()).map_err(Error::other)?;
    writer.write(&batch).and_then(|()| writer.finish()).map_err(Error::other)?;
    drop(writer);
    send(output, Kind::Result, &[&bytes])
}

/// The system refuses what is far beyond the limit, at once; what is near it is watched from outside.
#[cfg(unix)]
fn limit_memory(bytes: Option<u64>) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let current = bytes.map(|bytes| 2 * bytes + RESERVE);
    // Where it cannot be set, the limit from outside remains.
    _ = setrlimit(Resource::As, Rlimit { current, maximum: current });
}

#[cfg(not(unix))]
fn limit_memory(_: Option<u64>) {}

/// Ends this process, even in the middle of a code, when its parent is gone.
#[cfg(unix)]
fn watch_parent() {
    let parent = std::os::unix::process::parent_id();
    std::thread::spawn(move || {
        while std::os::unix::process::parent_id() == parent {
            std::thread::sleep(Duration::from_millis(500));
        }
        std::process::exit(1);
    });
}

#[cfg(not(unix))]
fn watch_parent() {}

/// Faults for tests; see the head of the file.
struct Faults(Vec<(String, Vec<u8>)>);

impl Faults {
    fn of(text: &str) -> Faults {
        let fault = |part: &str| {
            let (kind, digits) = part.split_once(':')?;
            Some((kind.to_owned(), cairn_evm::hex::decode(digits).ok()?))
        };
        Faults(text.split(',').filter_map(fault).collect())
    }

    fn fail_at(&self, code: &[u8]) {
        let Some((kind, _)) = self.0.iter().find(|(_, begin)| code.starts_with(begin)) else { return };
        match kind.as_str() {
            "abort" => std::process::abort(),
            "hang" => loop {
                std::thread::sleep(Duration::from_secs(1));
            },
            "overflow" => _ = std::hint::black_box(overflow(std::hint::black_box(0))),
            "memory" => _ = std::hint::black_box(fill(8 << 30)),
            "panic" => std::panic::panic_any("as the test wants".to_owned()),
            _ => {}
        }
    }
}

/// Needs as much stack as there is.
#[expect(unconditional_recursion, reason = "that is what it is for")]
fn overflow(depth: u64) -> u64 {
    let frame = std::hint::black_box([depth; 512]);
    overflow(depth + 1) + frame[(depth % 512) as usize]
}

/// Takes memory piece by piece and touches it.
fn fill(bytes: usize) -> Vec<Vec<u8>> {
    const PIECE: usize = 16 << 20;
    (0..bytes / PIECE).map(|piece| std::hint::black_box(vec![piece as u8 | 1; PIECE])).collect()
}
