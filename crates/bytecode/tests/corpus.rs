//! The analysis against what contracts really did, and against their compilers' facts.
//!
//! Data is found by `CAIRN_CORPUS` or beside the repository; without it the tests say so and pass.
//! By default every 60th contract is looked at; the ignored tests look at all and print figures.

#![allow(clippy::print_stdout, reason = "a test says what it skips and measures")]

mod common;

use cairn_bytecode::{Analysis, BlockEnd, JumpStatus, analyze};
use common::{Rows, hex};
use std::collections::BTreeMap;
use std::time::Instant;

#[derive(Default, Debug)]
struct Figures {
    contracts: usize,
    bytes: usize,
    seconds: f64,
    times: Vec<f64>,
    edges: usize,
    missing: usize,
    uncovered: Vec<String>,
    candidates: usize,
    reached: usize,
    unreached_closed: usize,
    dynamic: usize,
    dynamic_reached: usize,
    dynamic_targets: usize,
    imprecise: usize,
    closed: usize,
    open: Vec<String>,
    coarse: usize,
}

impl Figures {
    fn add(&mut self, name: &str, code: &[u8], edges: &[(u32, u32)]) {
        let start = Instant::now();
        let analysis = analyze(code);
        let seconds = start.elapsed().as_secs_f64();
        self.contracts += 1;
        self.bytes += code.len();
        self.seconds += seconds;
        self.times.push(seconds);
        let missing = edges.iter().filter(|edge| !has_edge(&analysis, **edge)).count();
        self.edges += edges.len();
        self.missing += missing;
        if missing > 0 {
            self.uncovered.push(name.to_owned());
        }
        self.count_blocks(&analysis);
        self.count_jumps(name, &analysis);
    }

    /// Candidates: blocks at 0, at a `JUMPDEST`, after `JUMPI` or a fall through.
    fn count_blocks(&mut self, analysis: &Analysis<'_>) {
        let list = analysis.blocks.list();
        for (id, block) in list.iter().enumerate() {
            let falls = id > 0 && matches!(list[id - 1].ends, BlockEnd::JumpI | BlockEnd::Fallthrough);
            let is_candidate = id == 0 || block.is_jump_target || falls;
            if is_candidate && block.start < analysis.code_end() {
                self.candidates += 1;
                let reached = analysis.is_reached(id as u32);
                self.reached += usize::from(reached);
                self.unreached_closed += usize::from(!reached && analysis.is_closed());
            }
        }
    }

    fn count_jumps(&mut self, name: &str, analysis: &Analysis<'_>) {
        let mut imprecise = 0;
        for jump in analysis.cfg.jumps() {
            let block = analysis.blocks.get(jump.block);
            if is_dynamic(analysis, block) && block.start < analysis.code_end() {
                self.dynamic += 1;
                if matches!(jump.status, JumpStatus::Resolved) {
                    self.dynamic_reached += 1;
                    self.dynamic_targets += analysis.cfg.jump_targets(jump.block).count();
                }
            }
            imprecise += usize::from(jump.status == JumpStatus::Imprecise);
        }
        self.imprecise += imprecise;
        self.closed += usize::from(analysis.is_closed());
        self.coarse += usize::from(analysis.is_coarse());
        if imprecise > 0 {
            self.open
                .push(format!("{name}: {imprecise}{}", if analysis.is_coarse() { " coarse" } else { "" }));
        }
    }

    fn print(&mut self) {
        self.times.sort_by(f64::total_cmp);
        let median = self.times[self.times.len() / 2] * 1e3;
        let longest = self.times[self.times.len() - 1] * 1e3;
        println!("contracts {} bytes {}", self.contracts, self.bytes);
        println!(
            "speed {:.2} MB/s, median {median:.3} ms, longest {longest:.1} ms",
            self.bytes as f64 / 1e6 / self.seconds
        );
        println!("edges {} missing {} in {:?}", self.edges, self.missing, self.uncovered);
        println!(
            "blocks reached {} of {} ({:.2}%), unreached in closed programs {}",
            self.reached,
            self.candidates,
            100.0 * self.reached as f64 / self.candidates as f64,
            self.unreached_closed
        );
        println!(
            "dynamic jumps {} resolved {} mean targets {:.2}; imprecise jumps {}",
            self.dynamic,
            self.dynamic_reached,
            self.dynamic_targets as f64 / self.dynamic_reached as f64,
            self.imprecise
        );
        println!(
            "closed {} of {}, coarse {}; open {:#?}",
            self.closed, self.contracts, self.coarse, self.open
        );
    }
}

fn has_edge(analysis: &Analysis<'_>, (pc, target): (u32, u32)) -> bool {
    let blocks = &analysis.blocks;
    let Some(from) = blocks.containing(pc) else { return false };
    blocks.get(from).last_pc == pc && analysis.cfg.jump_targets(from).any(|to| blocks.get(to).start == target)
}

/// True when the instruction before the jump is no push.
fn is_dynamic(analysis: &Analysis<'_>, block: &cairn_bytecode::Block) -> bool {
    let before = analysis.instructions(block).take_while(|inst| inst.pc < block.last_pc).last();
    before.is_none_or(|inst| inst.opcode.push_width().is_none())
}

fn executed_edges() -> Option<BTreeMap<String, Vec<(u32, u32)>>> {
    let rows = Rows::open("executed-edges")?;
    Some(
        rows.map(|row| {
            let list = row["edges"].as_array().expect("a list");
            let pair = |edge: &serde_json::Value| {
                Some((edge[0].as_u64()? as u32, u32::try_from(edge[1].as_i64()?).ok()?))
            };
            (row["name"].as_str().expect("a name").to_owned(), list.iter().filter_map(pair).collect())
        })
        .collect(),
    )
}

fn measure(step: usize) -> Option<Figures> {
    let edges = executed_edges()?;
    let mut figures = Figures::default();
    for row in Rows::open("bytecodes")?.step_by(step) {
        let name = row["name"].as_str().expect("a name");
        let code = hex(row["runtime"].as_str().expect("hex"));
        figures.add(name, &code, edges.get(name).map_or(&[][..], Vec::as_slice));
    }
    Some(figures)
}

#[test]
fn a_sample_of_contracts_is_covered() {
    let Some(figures) = measure(60) else { return };
    assert_eq!(figures.missing, 0, "{:?}", figures.uncovered);
    assert!(figures.contracts > 20 && figures.edges > 10_000);
}

#[test]
#[ignore = "minutes of work in the dev profile; run with --release"]
fn all_contracts() {
    let Some(mut figures) = measure(1) else { return };
    figures.print();
    assert_eq!(figures.missing, 0);
}

#[derive(Default, Debug)]
struct FunctionFigures {
    truth: usize,
    found: usize,
    exact: usize,
    claimed: usize,
    true_claims: usize,
    missed: Vec<String>,
    false_claims: Vec<String>,
    wrong: Vec<String>,
}

/// solc 0.7 and later, by the corpus' note of the compiler.
fn is_new_solc(compiler: Option<&str>) -> bool {
    let Some(version) = compiler.and_then(|text| text.strip_prefix("solc ")) else { return false };
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    (parts.next(), parts.next()) >= (Some(0), Some(7))
}

fn measure_functions(step: usize) -> Option<FunctionFigures> {
    let mut codes = BTreeMap::new();
    for row in Rows::open("bytecodes")? {
        let name = row["name"].as_str().expect("a name").to_owned();
        codes.insert(
            name,
            (row["runtime"].as_str().expect("hex").to_owned(), row["compiler"].as_str().map(str::to_owned)),
        );
    }
    let mut figures = FunctionFigures::default();
    for row in Rows::open("functions-truth")?.step_by(step) {
        let name = row["name"].as_str().expect("a name");
        let (code, compiler) = &codes[name];
        if !is_new_solc(compiler.as_deref()) {
            continue;
        }
        compare_functions(name, &hex(code), &row, &mut figures);
    }
    Some(figures)
}

fn compare_functions(name: &str, code: &[u8], row: &serde_json::Value, figures: &mut FunctionFigures) {
    let analysis = analyze(code);
    let found: BTreeMap<u64, _> = analysis
        .functions
        .iter()
        .map(|function| (u64::from(analysis.blocks.get(function.entry).start), function))
        .collect();
    let list = row["functions"].as_array().expect("a list");
    let truth: BTreeMap<u64, &serde_json::Value> =
        list.iter().map(|item| (item["entry"].as_u64().expect("an offset"), item)).collect();
    if truth.is_empty() {
        return;
    }
    for (entry, item) in &truth {
        figures.truth += 1;
        let Some(function) = found.get(entry) else {
            figures
                .missed
                .push(format!("{name} {:#x} {} {}/{}", entry, item["name"], item["params"], item["rets"]));
            continue;
        };
        figures.found += 1;
        let rets = item["rets"].as_u64();
        let same = item["params"].as_u64() == Some(u64::from(function.params))
            && (function.rets.is_none() || rets == function.rets.map(u64::from));
        figures.exact += usize::from(same);
        if !same {
            figures.wrong.push(format!(
                "{name} {entry:#x} {} {}/{} found {}/{:?}",
                item["name"], item["params"], item["rets"], function.params, function.rets
            ));
        }
    }
    for (entry, function) in &found {
        figures.claimed += 1;
        figures.true_claims += usize::from(truth.contains_key(entry));
        if !truth.contains_key(entry) {
            figures.false_claims.push(format!("{name} {entry:#x} {}/{:?}", function.params, function.rets));
        }
    }
}

#[test]
#[ignore = "minutes of work in the dev profile; run with --release"]
fn all_functions() {
    let Some(figures) = measure_functions(1) else { return };
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
    println!(
        "functions {}: recall {:.2}%, precision {:.2}% of {}, arity exact {:.2}%",
        figures.truth,
        percent(figures.found, figures.truth),
        percent(figures.true_claims, figures.claimed),
        figures.claimed,
        percent(figures.exact, figures.found)
    );
    for (title, list) in
        [("missed", &figures.missed), ("false", &figures.false_claims), ("wrong", &figures.wrong)]
    {
        for line in list.iter() {
            println!("{title}: {line}");
        }
    }
}
