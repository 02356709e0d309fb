//! Figures of all contracts: edges that were executed, blocks reached, jumps resolved, speed.

use crate::common::{CpuTime, Rows, hex};
use cairn_bytecode::{Analysis, Block, BlockEnd, BlockId, Imprecision, JumpStatus, analyze};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

#[derive(Default, Debug)]
pub(crate) struct Figures {
    pub(crate) contracts: usize,
    bytes: usize,
    cpu_seconds: f64,
    times: Vec<f64>,
    pub(crate) edges: usize,
    pub(crate) missing: usize,
    pub(crate) uncovered: Vec<String>,
    candidates: usize,
    reached: usize,
    unreached_open: usize,
    /// Unreached blocks of closed programs by the reason why nothing can get there.
    dead: BTreeMap<&'static str, usize>,
    pub(crate) dead_without_proof: usize,
    jumps: usize,
    dynamic: usize,
    dynamic_resolved: usize,
    dynamic_targets: usize,
    imprecise: BTreeMap<&'static str, usize>,
    closed: usize,
    open: Vec<String>,
}

impl Figures {
    fn add(&mut self, name: &str, code: &[u8], edges: &[(u32, u32)]) {
        // The best of three: other programs may be running.
        let times = (0..3).map(|_| {
            let start = Instant::now();
            let analysis = analyze(code);
            let seconds = start.elapsed().as_secs_f64();
            drop(analysis);
            seconds
        });
        self.times.push(times.fold(f64::INFINITY, f64::min));
        let analysis = analyze(code);
        self.contracts += 1;
        self.bytes += code.len();
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
        let pushed = pushed_by_reached_code(analysis);
        let last_reached =
            (0..list.len() as BlockId).rev().find(|block| analysis.is_reached(*block)).unwrap_or(0);
        for (id, block) in list.iter().enumerate() {
            let falls = id > 0 && matches!(list[id - 1].ends, BlockEnd::JumpI | BlockEnd::Fallthrough);
            let is_candidate = id == 0 || block.is_jump_target || falls;
            if !is_candidate || block.start >= analysis.code_end() {
                continue;
            }
            self.candidates += 1;
            if analysis.is_reached(id as BlockId) {
                self.reached += 1;
            } else if !analysis.is_closed() {
                self.unreached_open += 1;
            } else {
                let class = class_of_dead(analysis, id as BlockId, last_reached, &pushed);
                *self.dead.entry(class.unwrap_or("without proof")).or_default() += 1;
                self.dead_without_proof += usize::from(class.is_none());
            }
        }
    }

    fn count_jumps(&mut self, name: &str, analysis: &Analysis<'_>) {
        let mut imprecise = 0;
        for jump in analysis.cfg.jumps() {
            let block = analysis.blocks.get(jump.block);
            self.jumps += 1;
            if is_dynamic(analysis, block) && block.start < analysis.code_end() {
                self.dynamic += 1;
                if jump.status == JumpStatus::Resolved {
                    self.dynamic_resolved += 1;
                    self.dynamic_targets += analysis.cfg.jump_targets(jump.block).count();
                }
            }
            if let Some(reason) = jump.imprecision {
                *self.imprecise.entry(Imprecision::name(reason)).or_default() += 1;
                imprecise += 1;
            }
        }
        self.closed += usize::from(analysis.is_closed());
        if imprecise > 0 {
            let coarse = if analysis.is_coarse() { ", cut short" } else { "" };
            self.open.push(format!("{name}: {imprecise}{coarse}"));
        }
    }

    pub(crate) fn print(&mut self) {
        self.times.sort_by(f64::total_cmp);
        let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
        let median = self.times[self.times.len() / 2] * 1e3;
        let longest = self.times[self.times.len() - 1] * 1e3;
        let (edges, contracts) = (self.edges, self.contracts);
        println!("executed edges covered     {} of {edges}", edges - self.missing);
        println!("contracts fully covered    {} of {contracts}", contracts - self.uncovered.len());
        println!(
            "blocks reached             {} of {} ({:.3}%)",
            self.reached,
            self.candidates,
            percent(self.reached, self.candidates)
        );
        let dead: usize = self.dead.values().sum();
        println!(
            "  reached or proven dead   {} ({:.3}%)",
            self.reached + dead,
            percent(self.reached + dead, self.candidates)
        );
        for (class, count) in &self.dead {
            println!("  dead, {class}: {count}");
        }
        println!("  not reached in programs that are not closed: {}", self.unreached_open);
        println!(
            "jumps                      {}, dynamic {}, of these resolved {} with {:.3} targets each",
            self.jumps,
            self.dynamic,
            self.dynamic_resolved,
            self.dynamic_targets as f64 / self.dynamic_resolved as f64
        );
        println!("imprecise jumps            {:?}", self.imprecise);
        println!(
            "closed programs            {} of {contracts} ({:.3}%)",
            self.closed,
            percent(self.closed, contracts)
        );
        println!(
            "speed on one core          {:.2} MB/s, median {median:.3} ms, longest {longest:.1} ms",
            self.bytes as f64 / 1e6 / self.cpu_seconds
        );
        self.open.iter().for_each(|open| println!("not closed: {open}"));
    }
}

fn has_edge(analysis: &Analysis<'_>, (pc, target): (u32, u32)) -> bool {
    let blocks = &analysis.blocks;
    let Some(from) = blocks.containing(pc) else { return false };
    blocks.get(from).last_pc == pc && analysis.cfg.jump_targets(from).any(|to| blocks.get(to).start == target)
}

/// Offsets of jump destinations that reached code pushes.
fn pushed_by_reached_code(analysis: &Analysis<'_>) -> BTreeSet<u32> {
    let blocks = analysis.blocks.list().iter().enumerate();
    let reached = blocks.filter(|(id, _)| analysis.is_reached(*id as BlockId));
    let insts = reached.flat_map(|(_, block)| analysis.instructions(block));
    let words = insts.filter_map(|inst| u32::try_from(inst.pushed_word()?).ok());
    words.filter(|pc| analysis.blocks.jump_target(*pc).is_some()).collect()
}

/// Why control cannot get to a block of a closed program, every jump of which has a complete list
/// of targets; `None` if it could.
fn class_of_dead(
    analysis: &Analysis<'_>,
    id: BlockId,
    last_reached: BlockId,
    pushed: &BTreeSet<u32>,
) -> Option<&'static str> {
    let block = analysis.blocks.get(id);
    if analysis.cfg.edges().iter().any(|edge| edge.to == id) {
        return None;
    }
    if id > last_reached {
        return Some("after the last reached block: data, or code of other contracts");
    }
    let falls_from = id.checked_sub(1).filter(|before| {
        matches!(analysis.blocks.get(*before).ends, BlockEnd::JumpI | BlockEnd::Fallthrough)
    });
    if falls_from.is_some_and(|before| analysis.is_reached(before)) {
        return Some("after a branch that is always taken, or where the stack runs out");
    }
    if block.is_jump_target && pushed.contains(&block.start) {
        let before = id.checked_sub(1).map(|before| analysis.blocks.get(before).ends);
        let is_return_site = before == Some(BlockEnd::Jump) && analysis.is_reached(id - 1);
        return Some(match is_return_site {
            true => "a call before it never returns: what is called always fails",
            false => "reached code pushes its offset, and no jump takes it",
        });
    }
    if falls_from.is_some() {
        return Some("only a dead block leads there");
    }
    Some("no reached code has its offset")
}

/// True when the instruction before the jump is no push.
fn is_dynamic(analysis: &Analysis<'_>, block: &Block) -> bool {
    let before = analysis.instructions(block).take_while(|inst| inst.pc < block.last_pc).last();
    before.is_none_or(|inst| inst.opcode.push_width().is_none())
}

fn executed_edges() -> Option<BTreeMap<String, Vec<(u32, u32)>>> {
    let rows = Rows::open("executed-edges")?;
    let row_of = |row: serde_json::Value| {
        let list = row["edges"].as_array().expect("a list");
        let pair = |edge: &serde_json::Value| {
            Some((edge[0].as_u64()? as u32, u32::try_from(edge[1].as_i64()?).ok()?))
        };
        (row["name"].as_str().expect("a name").to_owned(), list.iter().filter_map(pair).collect())
    };
    Some(rows.map(row_of).collect())
}

/// Looks at every `step`-th contract.
pub(crate) fn measure(step: usize) -> Option<Figures> {
    let edges = executed_edges()?;
    let mut figures = Figures::default();
    let mut codes = Vec::new();
    for row in Rows::open("bytecodes")?.step_by(step) {
        let name = row["name"].as_str().expect("a name").to_owned();
        codes.push((name, hex(row["runtime"].as_str().expect("hex"))));
    }
    let start = CpuTime::now();
    for (_, code) in &codes {
        std::hint::black_box(analyze(code));
    }
    figures.cpu_seconds = start.elapsed();
    for (name, code) in &codes {
        figures.add(name, code, edges.get(name).map_or(&[][..], Vec::as_slice));
    }
    Some(figures)
}
