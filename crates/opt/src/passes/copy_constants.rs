//! `copy-constants`: writes adjacent words that are constants by a copy of data.
//!
//! ```text
//!                                              data @constants = hex"1234… 5678…"
//! evm.mstore %p, 0x1234…
//! evm.mstore (%p + 32), 0x5678…        =>      %from = evm.dataoffset @constants
//!                                              evm.datacopy %p, %from, 64
//! ```
//!
//! Texts, tables, and the keys of verifiers. A word of 32 bytes that is pushed and stored takes up to 39 bytes and 15
//! gas; in data it takes 32, and 3 to copy.
//!
//! A row of stores ([`adjacent`](crate::adjacent)) of constants is copied in those parts in which that costs less, by
//! what each byte of code and each execution costs (blocks that only fail are not executed): a short word between
//! long ones is copied with them, and one at the end is stored. A word that the function uses elsewhere, too, is taken
//! for one that is on the stack. Equal parts are one piece of data.
//!
//! Needs promotion, preserves blocks, calls and promotion. Comes when loads are known and functions that differ in
//! constants are merged: it says less of what is in memory, and hides the constants. Cost: linear but for sorting, and
//! for parts of parts.

use crate::adjacent::{Store, copy_at_once, last_done, rows};
use crate::cost::of_constant;
use crate::edit::constant_before;
use crate::memory::WORD;
use crate::pass::{Changed, Pass, PassContext, Property, Run};
use cairn_analysis::{Cfg, Frequency};
use cairn_evm::{Cost, Word};
use cairn_ir::{Block, Cursor, DataSegment, Func, Function, Module, Op, Payload, Symbol, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Words of a row: one costs less if it is stored.
const MIN_WORDS: usize = 2;

/// The name of the first piece of data.
const NAME: &str = "constants";

/// See the head of this module.
pub(crate) const PASS: Pass = Pass {
    name: "copy-constants",
    summary: "writes adjacent words that are constants by a copy of data",
    needs: &[Property::Promoted],
    preserves: &[Property::Promoted, Property::Blocks, Property::Calls],
    gives: &[],
    run: Run::Module(run),
};

/// Runs the pass.
fn run(module: &mut Module, cx: &mut PassContext<'_>) -> Changed {
    let found: Vec<(Func, Vec<Store<Word>>)> = module
        .funcs
        .iter()
        .flat_map(|(id, func)| parts(func, cx).into_iter().map(move |part| (id, part)))
        .collect();
    if found.is_empty() {
        return Changed::No;
    }
    let mut pool = Pool::of(module);
    for (id, part) in found {
        let data = pool.data_of(module, &part);
        copy_from(&mut module.funcs[id], &part, data);
    }
    Changed::Yes
}

/// The parts of rows of a function that cost less as data.
fn parts(func: &Function, cx: &PassContext<'_>) -> Vec<Vec<Store<Word>>> {
    let rows_of = |block| {
        let found = rows(func, block, MIN_WORDS, |value| func.dfg.as_const(value), |_, _| true);
        found.into_iter().map(move |row| (block, row))
    };
    let rows: Vec<(Block, Vec<Store<Word>>)> = func.layout.blocks().flat_map(rows_of).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let frequency = Frequency::compute(func, &Cfg::compute(func), Some(&cx.summaries.graph));
    let n_uses = count_uses(func);
    let mut found = Vec::new();
    for (block, row) in &rows {
        let runs = if frequency.is_cold(*block) { 0.0 } else { 1.0 };
        Prices { n_uses: &n_uses, runs, byte: cx.options.gas_per_byte() }.add_parts(row, &mut found);
    }
    found
}

/// How many operands each constant is.
fn count_uses(func: &Function) -> FxHashMap<Word, u32> {
    let mut n_uses = FxHashMap::default();
    for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
        func.dfg.for_each_use(inst, |value| {
            if let Some(word) = func.dfg.as_const(value) {
                *n_uses.entry(word).or_default() += 1;
            }
        });
    }
    n_uses
}

struct Prices<'a> {
    n_uses: &'a FxHashMap<Word, u32>,
    /// How often the row is stored in an execution.
    runs: f64,
    /// Gas of a byte of code for each execution.
    byte: f64,
}

impl Prices<'_> {
    /// Adds the part of a row that saves most, and those on both sides of it.
    fn add_parts(&self, row: &[Store<Word>], found: &mut Vec<Vec<Store<Word>>>) {
        let mut rest = vec![row];
        while let Some(row) = rest.pop() {
            let Some((start, end)) = self.best_part(row) else { continue };
            found.push(row[start..end].to_vec());
            rest.extend([&row[..start], &row[end..]]);
        }
    }

    /// The part of a row that saves most, if one saves anything (Kadane's maximum subarray).
    fn best_part(&self, row: &[Store<Word>]) -> Option<(usize, usize)> {
        let (mut best, mut best_sum) = (None, 0.0);
        let (mut start, mut sum) = (0, 0.0);
        for (index, store) in row.iter().enumerate() {
            if sum <= 0.0 {
                (start, sum) = (index, 0.0);
            }
            sum += self.saved_by(store);
            if sum > best_sum {
                (best, best_sum) = (Some((start, index + 1)), sum);
            }
        }
        best.filter(|(start, end)| best_sum > self.price(of_copy(&row[*start..*end])))
    }

    /// What a word costs less in data than pushed and stored.
    fn saved_by(&self, store: &Store<Word>) -> f64 {
        let is_kept = self.n_uses.get(&store.source).is_some_and(|n_uses| *n_uses > 1);
        let word = if is_kept { Cost::DUP } else { of_constant(store.source) };
        let stored = word + of_address(store) + Cost::new(3, 1);
        self.price(stored) - self.price(Cost::new(3, WORD))
    }

    fn price(&self, cost: Cost) -> f64 {
        cost.gas as f64 * self.runs + cost.bytes as f64 * self.byte
    }
}

/// What a copy costs without its words.
fn of_copy(part: &[Store<Word>]) -> Cost {
    let size = of_constant(Word::from(WORD * part.len() as u64));
    part.first().map_or(Cost::ZERO, of_address) + Cost::PUSH_PLACE + size + Cost::new(3, 1)
}

/// What it costs to have the address of a store on the stack.
fn of_address(store: &Store<Word>) -> Cost {
    match (store.place.base.is_some(), store.place.offset) {
        (false, address) => of_constant(address),
        (true, offset) if offset.is_zero() => Cost::DUP,
        (true, offset) => Cost::DUP + of_constant(offset) + Cost::new(3, 1),
    }
}

/// The data of a module, and what is taken of the names for more.
struct Pool {
    names: FxHashMap<Vec<u8>, String>,
    taken: FxHashSet<String>,
    /// Names that were tried.
    n_tried: usize,
}

impl Pool {
    fn of(module: &Module) -> Pool {
        let mut names = FxHashMap::default();
        for data in &module.data {
            names.entry(data.bytes.clone()).or_insert_with(|| data.name.clone());
        }
        let of_modules = module.modules.iter().chain([module]).map(|module| module.name.clone());
        let taken = module.data.iter().map(|data| data.name.clone()).chain(of_modules).collect();
        Pool { names, taken, n_tried: 0 }
    }

    /// The data with the words of a row, made if there is none.
    fn data_of(&mut self, module: &mut Module, row: &[Store<Word>]) -> Symbol {
        let bytes: Vec<u8> = row.iter().flat_map(|store| store.source.to_be_bytes::<32>()).collect();
        if let Some(name) = self.names.get(&bytes) {
            return module.symbols.intern(name);
        }
        let name = self.free_name();
        module.data.push(DataSegment { name: name.clone(), bytes: bytes.clone() });
        let symbol = module.symbols.intern(&name);
        self.names.insert(bytes, name);
        symbol
    }

    fn free_name(&mut self) -> String {
        loop {
            let name = if self.n_tried == 0 { NAME.to_owned() } else { format!("{NAME}_{}", self.n_tried) };
            self.n_tried += 1;
            if !self.taken.contains(&name) {
                return name;
            }
        }
    }
}

/// Puts a copy of data in the place of stores.
fn copy_from(func: &mut Function, part: &[Store<Word>], data: Symbol) {
    let Some(last) = last_done(part) else { return };
    let loc = func.dfg.inst(last).loc.expand();
    let mut cursor = Cursor::before(func, last);
    cursor.set_loc(loc);
    let from = cursor.insert(Op::DataOffset, &[], Payload::Symbol(data), &[Type::U256]);
    let from = func.dfg.result(from);
    let size = constant_before(func, last, Word::from(WORD * part.len() as u64));
    copy_at_once(func, part, Op::DataCopy, [from, size]);
}
