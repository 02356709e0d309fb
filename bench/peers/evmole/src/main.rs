//! Control flow of the same contracts by Cairn and by evmole, in one run on one core.
//!
//! `cargo run --release -- CORPUS/bytecode [STEP]` reads `bytecodes.jsonl.gz` and
//! `executed-edges.jsonl.gz` and looks at every `STEP`-th contract. Both analyse each contract in
//! turn, the best of three times counts: what else runs on the machine hits both alike. Cairn's
//! time is that of its whole analysis, evmole's that of its blocks and its graph alone.

use cairn_bytecode::analyze;
use evmole::control_flow_graph::{Block, BlockType};
use evmole::{ContractInfoArgs, contract_info};
use flate2::read::GzDecoder;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::Instant;

type Edges = Vec<(usize, usize)>;

/// What one of the two did.
#[derive(Default)]
struct Side {
    times: Vec<f64>,
    edges: usize,
    contracts: usize,
}

impl Side {
    fn add(&mut self, seconds: f64, wanted: &Edges, has: impl Fn(&(usize, usize)) -> bool) {
        let found = wanted.iter().filter(|edge| has(edge)).count();
        self.times.push(seconds);
        self.edges += found;
        self.contracts += usize::from(found == wanted.len());
    }

    fn print(&mut self, name: &str, bytes: usize) {
        self.times.sort_by(f64::total_cmp);
        let (median, longest) = (self.times[self.times.len() / 2], self.times[self.times.len() - 1]);
        println!(
            "{name}: {:.2} MB/s, median {:.3} ms, longest {:.1} ms; {} executed edges, all in {} contracts",
            bytes as f64 / 1e6 / self.seconds(),
            median * 1e3,
            longest * 1e3,
            self.edges,
            self.contracts
        );
    }

    fn seconds(&self) -> f64 {
        self.times.iter().sum()
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().expect("usage: peer-evmole CORPUS/bytecode [STEP]");
    let step = arguments.next().map_or(1, |text| text.parse().expect("a number"));
    let wanted: BTreeMap<String, Edges> = rows(&folder, "executed-edges").map(edges_of).collect();
    let (mut ours, mut theirs, mut bytes) = (Side::default(), Side::default(), 0);
    for row in rows(&folder, "bytecodes").step_by(step) {
        let code = bytes_of(row["runtime"].as_str().expect("hexadecimal digits"));
        let wanted = &wanted[row["name"].as_str().expect("a name")];
        bytes += code.len();
        let (seconds, analysis) = best_of_three(|| analyze(&code));
        let blocks = &analysis.blocks;
        ours.add(seconds, wanted, |(pc, target)| {
            let from = blocks.containing(*pc as u32).expect("an offset of the code");
            analysis.cfg.jump_targets(from).any(|to| blocks.get(to).start as usize == *target)
        });
        let graph = || contract_info(ContractInfoArgs::new(&code).with_control_flow_graph());
        let (seconds, info) = best_of_three(graph);
        let graph = info.control_flow_graph.expect("it was asked for");
        let jumps: BTreeSet<(usize, usize)> = graph.blocks.values().flat_map(jumps_of).collect();
        theirs.add(seconds, wanted, |edge| jumps.contains(edge));
    }
    let edges: usize = wanted.values().map(Vec::len).sum();
    println!("{} contracts, {bytes} bytes; {edges} executed edges in all contracts", ours.times.len());
    ours.print("cairn ", bytes);
    theirs.print("evmole", bytes);
    println!("ratio: {:.1} times as fast", theirs.seconds() / ours.seconds());
}

fn best_of_three<T>(run: impl Fn() -> T) -> (f64, T) {
    let timed = || {
        let start = Instant::now();
        let result = run();
        (start.elapsed().as_secs_f64(), result)
    };
    (0..2).fold(timed(), |best, _| {
        let next = timed();
        if next.0 < best.0 { next } else { best }
    })
}

/// Edges of the jump at the end of a block of evmole.
fn jumps_of(block: &Block) -> Vec<(usize, usize)> {
    let targets: Vec<usize> = match &block.btype {
        BlockType::Terminate { .. } => Vec::new(),
        BlockType::Jump { to } | BlockType::Jumpi { true_to: to, .. } => vec![*to],
        BlockType::DynamicJump { to } | BlockType::DynamicJumpi { true_to: to, .. } => {
            to.iter().filter_map(|jump| jump.to).collect()
        }
    };
    targets.into_iter().map(|to| (block.end, to)).collect()
}

fn edges_of(row: Value) -> (String, Edges) {
    let list = row["edges"].as_array().expect("a list").iter();
    let pair = |edge: &Value| Some((edge[0].as_u64()? as usize, usize::try_from(edge[1].as_i64()?).ok()?));
    (row["name"].as_str().expect("a name").to_owned(), list.filter_map(pair).collect())
}

fn rows(folder: &str, name: &str) -> impl Iterator<Item = Value> {
    let path = Path::new(folder).join(format!("{name}.jsonl.gz"));
    let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines.map(|line| serde_json::from_str(&line.expect("readable")).expect("JSON"))
}

fn bytes_of(digits: &str) -> Vec<u8> {
    let digit = |index: usize| u8::from_str_radix(&digits[index..index + 2], 16).expect("hexadecimal");
    (0..digits.len()).step_by(2).map(digit).collect()
}
