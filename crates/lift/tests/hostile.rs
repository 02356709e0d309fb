//! Programs written to make analysis slow: each ends in time that its length bounds.

#![allow(clippy::print_stdout, reason = "a test says what it measures")]

mod common;

use cairn_bytecode::{Imprecision, JumpStatus, analyze, draw, report};
use common::Random;
use std::time::Instant;

/// The most bytes that a contract may have.
const LENGTH: usize = 24_576;

fn repeat(prefix: &[u8], unit: impl Fn(usize) -> Vec<u8>, suffix: &[u8]) -> Vec<u8> {
    let mut code = prefix.to_vec();
    while code.len() + suffix.len() < LENGTH {
        let piece = unit(code.len());
        if code.len() + piece.len() + suffix.len() > LENGTH {
            break;
        }
        code.extend(piece);
    }
    code.extend_from_slice(suffix);
    code
}

fn push2(number: usize) -> [u8; 3] {
    let [_, _, high, low] = (number as u32).to_be_bytes();
    [0x61, high, low]
}

/// Loops in one another, as many as fit.
fn nested_loops() -> Vec<u8> {
    let half = LENGTH / 8;
    let mut code = vec![0x5b; half];
    for place in (0..half).rev() {
        code.extend([0x5f, 0x35]);
        code.extend(push2(place));
        code.push(0x57);
    }
    code
}

/// Nine hundred addresses on the stack, then calls of one function with other addresses on top.
fn labels_on_high_stack() -> Vec<u8> {
    let mut code = Vec::new();
    for index in 0..900 {
        code.extend(push2(7000 + index));
    }
    code.extend([push2(9002), push2(0)].concat());
    code.push(0x50);
    code.push(0x56);
    code.resize(9000, 0x5b);
    // The function, which returns at once.
    code.extend([0x5b, 0x56]);
    code.push(0x5b);
    while code.len() + 8 < LENGTH {
        let back = code.len() + 7;
        code.extend(push2(back));
        code.extend(push2(9000));
        code.extend([0x56, 0x5b]);
    }
    code
}

/// Programs of jumps to anywhere, loops and arithmetic: what each is, and the program.
fn programs_of_jumps() -> Vec<(&'static str, Vec<u8>)> {
    // A jump to a word of the input: every destination.
    let open = [0x5b, 0x5f, 0x35, 0x56];
    let jump_back = |place: usize| [push2(place).as_slice(), &[0x56]].concat();
    vec![
        ("open jumps", repeat(&[], |_| open.to_vec(), &[])),
        ("destinations before one open jump", repeat(&[], |_| vec![0x5b], &open[1..])),
        ("open branches", repeat(&[], |_| vec![0x5b, 0x36, 0x5f, 0x35, 0x57], &[0])),
        ("open branches on the stack", repeat(&[], |_| vec![0x5b, 0x5f, 0x35, 0x80, 0x57], &[0])),
        ("a loop that grows the stack", repeat(&[0x5b], |_| vec![0x5f], &jump_back(0)).to_vec()),
        (
            "a loop that grows the stack a little",
            repeat(&[0x5b, 0x36], |_| vec![0x5b, 0x36, 0x50], &jump_back(0)),
        ),
        (
            "a loop that adds labels",
            repeat(&[0x5b], |at| [&push2(at + 3)[..], &[0x5b]].concat(), &jump_back(0)),
        ),
        (
            "powers of sets",
            repeat(
                &[0x5f, 0x35, 0x60, 0x1f, 0x16, 0x5b, 0x60, 0x07, 0x5f, 0x35, 0x16],
                |_| vec![0x81, 0x81, 0x0a, 0x50],
                &[0x50, 0x5f, 0x35, 0x56],
            ),
        ),
        (
            "powers of sets in a loop",
            repeat(
                &[0x5f, 0x35, 0x60, 0x1f, 0x16, 0x5b, 0x60, 0x07, 0x5f, 0x35, 0x16],
                |_| vec![0x81, 0x81, 0x0a, 0x90, 0x50],
                &[&[0x50, 0x60, 0x01, 0x01, 0x60, 0x05, 0x5f, 0x35, 0x57, 0x5f, 0x35, 0x56][..]].concat(),
            ),
        ),
        ("nested loops", nested_loops()),
        ("addresses on a high stack", labels_on_high_stack()),
    ]
}

/// Programs that enter code in many ways.
fn programs_of_calls() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        (
            "branches to the next block",
            repeat(&[], |at| [&[0x5b, 0x36][..], &push2(at + 7), &[0x57, 0x5f]].concat(), &[0x5b, 0]),
        ),
        (
            "branches that leave labels",
            repeat(
                &[0x60, 0x00],
                |at| {
                    [&[0x5b, 0x36][..], &push2(at + 14), &[0x57, 0x50], &push2(at), &[0x5b, 0x5b, 0x5b, 0x5b]]
                        .concat()
                },
                &[0x56],
            ),
        ),
        (
            "calls of what comes next",
            repeat(&[], |at| [&[0x5b][..], &push2(at + 8), &push2(at + 8), &[0x56]].concat(), &[0x5b, 0x56]),
        ),
        (
            "calls of one function in two ways",
            repeat(
                &[0x60, 0x06, 0x56, 0x5b, 0x56, 0x00],
                |at| {
                    [
                        &[0x5b, 0x36][..],
                        &push2(at + 14),
                        &[0x57],
                        &push2(at + 14),
                        &[0x60, 0x03, 0x56, 0x5b, 0x5b],
                    ]
                    .concat()
                },
                &[0x00],
            ),
        ),
        (
            "tail calls",
            repeat(
                &[],
                |at| {
                    [
                        &[0x5b, 0x36][..],
                        &push2(at + 14),
                        &[0x57],
                        &push2(at + 14),
                        &push2(at / 28 * 14),
                        &[0x56, 0x5b],
                    ]
                    .concat()
                },
                &[0x56],
            ),
        ),
    ]
}

/// Seconds that each step may take, much more than it does, since other work may run beside.
const LIMIT: f64 = 20.0;

/// A program of a few random units again and again, with addresses that mostly exist.
fn random_program(next: &mut dyn FnMut(usize) -> usize) -> Vec<u8> {
    const PLAIN: [u8; 20] = [
        0x5f, 0x35, 0x36, 0x80, 0x81, 0x82, 0x90, 0x91, 0x92, 0x50, 0x01, 0x16, 0x15, 0x0a, 0x02, 0x57, 0x56,
        0x5b, 0x5b, 0x00,
    ];
    // Some words to begin with, and ways to all that follows, so that little is dead.
    let mut code = Vec::new();
    for _ in 0..next(200) {
        code.extend(push2(300 + next(LENGTH - 300)));
    }
    let mut labels = vec![code.len()];
    let branches = next(3) > 0;
    while code.len() < LENGTH {
        // What is drawn here stays the same for some copies, but for the addresses.
        let unit: Vec<Option<u8>> = (0..1 + next(12))
            .map(|_| if next(3) == 0 { None } else { Some(PLAIN[next(PLAIN.len())]) })
            .collect();
        let far = next(4);
        for _ in 0..1 + next(3000) {
            labels.push(code.len());
            code.push(0x5b);
            if branches {
                code.push(0x36);
                code.extend(push2(code.len() + 4 + next(40)));
                code.push(0x57);
            }
            for piece in &unit {
                let ahead = code.len() + next(8 * unit.len() + 8);
                match (piece, far) {
                    (Some(byte), _) => code.push(*byte),
                    (None, 0) => code.extend(push2(labels[next(labels.len())])),
                    (None, 1) => code.extend(push2(labels[labels.len() - 1 - next(labels.len().min(4))])),
                    (None, _) => code.extend(push2(ahead)),
                }
            }
        }
    }
    code.truncate(LENGTH);
    code
}

/// Seconds of analysis, lifting, report and picture; and the number of edges.
fn run(code: &[u8]) -> ([f64; 4], usize) {
    let mut times = [0f64; 4];
    let mut start = Instant::now();
    let mut lap = |index: usize| {
        times[index] = start.elapsed().as_secs_f64();
        start = Instant::now();
    };
    let analysis = analyze(code);
    lap(0);
    let lifted = cairn_lift::lift(&analysis);
    lap(1);
    let report = report::full("code", &analysis, 0.0);
    lap(2);
    let drawing = draw::svg(&draw::Picture::of(&analysis));
    lap(3);
    assert!(lifted.is_err() || analysis.is_closed());
    assert_eq!(report["closed"], analysis.is_closed());
    assert!(drawing.ends_with("</svg>\n"));
    // Work that was cut short says so: no jump is open without a reason.
    for jump in analysis.cfg.jumps() {
        assert_eq!(jump.status == JumpStatus::Imprecise, jump.imprecision.is_some());
    }
    (times, analysis.cfg.edges().len())
}

#[test]
fn large_random_programs_end_in_time() {
    let count = std::env::var("CAIRN_FUZZ_LARGE").ok().and_then(|count| count.parse().ok()).unwrap_or(20u32);
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut next = |limit: usize| random.below(limit);
    let mut longest = [0f64; 4];
    for _ in 0..count {
        let code = random_program(&mut next);
        let (times, _) = run(&code);
        if times.iter().sum::<f64>() > 3.0 {
            println!("{times:?} {}", cairn_evm::hex::encode(&code));
        }
        assert!(times.iter().all(|seconds| *seconds < LIMIT), "{times:?}: {}", cairn_evm::hex::encode(&code));
        longest.iter_mut().zip(times).for_each(|(longest, time)| *longest = longest.max(time));
    }
    println!("{count} programs; analysis, lifting, report, picture: {longest:.2?} s at most");
}

#[test]
fn hostile_programs_end_in_time() {
    for (what, code) in programs_of_jumps().into_iter().chain(programs_of_calls()) {
        let (times, num_edges) = run(&code);
        println!(
            "{what}: {} bytes, {num_edges} edges; analysis, lifting, report, picture: {times:.2?} s",
            code.len()
        );
        assert!(times.iter().all(|seconds| *seconds < LIMIT), "{what}: {times:?}");
    }
}

#[test]
fn too_many_targets_are_not_listed_and_nothing_counts_as_dead() {
    let [(_, code), ..] = &programs_of_jumps()[..] else { panic!("there are programs") };
    let analysis = analyze(code);
    assert!(analysis.is_coarse() && !analysis.is_closed());
    assert!((0..analysis.blocks.len() as u32).all(|block| analysis.is_reached(block)));
    let reasons = analysis.cfg.jumps().iter().map(|jump| jump.imprecision);
    assert!(reasons.into_iter().all(|reason| reason == Some(Imprecision::TooManyTargets)));
    assert!(cairn_lift::lift(&analysis).is_err());
    // One such jump fewer by far: its targets are listed, each once.
    let few = analyze(&code[..400]);
    assert_eq!(few.cfg.jump_targets(0).count(), 100);
}
