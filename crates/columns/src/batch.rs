//! Codes in, tables out.

use crate::codes::Codes;
use crate::facts::{Facts, OF_DISPATCHER};
use crate::list::{Items, Lists, TooLarge};
use crate::lists::{Blocks, Edges, Events, Functions, Internals, Jumps, Selectors};
use crate::signatures;
use crate::storage::{Storage, Variables};
use crate::tables::Tables;
use arrow_array::ListArray;
use arrow_schema::ArrowError;
use cairn_bytecode::{
    Analysis, Arguments, Case, Given, Role, Selector, Touched, analyze_given, find_arguments,
    find_arguments_of, find_cases, find_metadata, find_mutability, find_touched, find_variables,
};
use cairn_evm::Fork;

/// What is wanted, and what is known of all codes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Which facts; all of them unless said otherwise.
    pub facts: Facts,
    /// The fork that codes run on.
    pub fork: Fork,
    /// Whether bytes may follow codes; `None` finds out for each by what it does.
    pub role: Option<Role>,
}

/// Bytes of a batch, about, past which codes become rows with an error; a caller that cuts batches
/// by [`BatchBuilder::bytes`] never gets there.
pub const MAX_BYTES: usize = 1 << 30;

/// Items of all lists of a batch at most.
const MAX_ITEMS: usize = MAX_BYTES / BYTES_AN_ITEM;
/// Bytes of an item of a list, about.
const BYTES_AN_ITEM: usize = 32;

/// Bytes of code that room is made for at once at most; tables of more grow.
const MAX_RESERVED: usize = 1 << 23;

/// Builds the tables of codes that are pushed one after the other. A row is a code.
#[derive(Default)]
pub struct BatchBuilder {
    options: Options,
    codes: Codes,
    selectors: Lists<Selectors>,
    functions: Lists<Functions>,
    arguments: Lists<signatures::Arguments>,
    mutability: Lists<signatures::Mutability>,
    internals: Lists<Internals>,
    blocks: Lists<Blocks>,
    edges: Lists<Edges>,
    jumps: Lists<Jumps>,
    storage: Lists<Storage>,
    variables: Lists<Variables>,
    events: Lists<Events>,
    items: usize,
}

impl BatchBuilder {
    /// An empty batch.
    pub fn new(options: Options) -> BatchBuilder {
        BatchBuilder { options, ..BatchBuilder::default() }
    }

    /// Makes room for the facts of codes that have so many bytes together, so that tables are not copied as they
    /// grow. It changes nothing else, and past some megabytes they grow all the same.
    pub fn reserve(&mut self, bytes: usize) {
        let (facts, bytes) = (self.options.facts, bytes.min(MAX_RESERVED));
        room(facts, Facts::BLOCKS, &mut self.blocks, bytes);
        room(facts, Facts::EDGES, &mut self.edges, bytes);
        room(facts, Facts::JUMPS, &mut self.jumps, bytes);
    }

    /// Rows so far.
    pub fn rows(&self) -> usize {
        self.codes.len()
    }

    /// Bytes of the tables so far, about: where a caller cuts batches.
    pub fn bytes(&self) -> usize {
        (self.items + 4 * self.rows()) * BYTES_AN_ITEM
    }

    /// Analyses a code as far as the facts need it, and adds its row. Where the batch is past
    /// [`MAX_BYTES`], or would be, the row has an error.
    pub fn push(&mut self, code: &[u8]) {
        self.push_hashed(code, None);
    }

    /// The same for a code whose keccak-256 is known.
    pub fn push_hashed(&mut self, code: &[u8], hash: Option<[u8; 32]>) {
        let facts = self.options.facts;
        let given = Given { fork: self.options.fork, role: self.options.role, ..Given::default() };
        let analysis = facts.needs_graph().then(|| analyze_given(code, given));
        let cases = match &analysis {
            _ if !facts.intersects(OF_DISPATCHER) => Vec::new(),
            Some(analysis) => cases_of(analysis),
            None => find_cases(code, self.options.fork),
        };
        let wants_arguments = facts.intersects(Facts::ARGUMENTS | Facts::MUTABILITY);
        let arguments = match &analysis {
            _ if !wants_arguments => Vec::new(),
            Some(analysis) => find_arguments_of(analysis),
            None => find_arguments(code, self.options.fork),
        };
        let touches = facts.intersects(Facts::STORAGE | Facts::VARIABLES | Facts::EVENTS);
        let touched = analysis.as_ref().filter(|_| touches).map(find_touched);
        let items = 2 * (cases.len() + arguments.len())
            + analysis.as_ref().map_or(0, items_of)
            + touched.as_ref().map_or(0, |touched| 2 * touched.storage.len() + touched.events.len());
        if self.items + items > MAX_ITEMS {
            return self.push_error(&TooLarge.to_string());
        }
        self.items += items;
        let metadata = facts.contains(Facts::CODES).then(|| find_metadata(code));
        self.codes.end_row(None);
        if let Some(metadata) = metadata {
            self.codes.add_code(code, hash, metadata.as_ref());
        }
        self.add_cases(&cases);
        row(facts, Facts::ARGUMENTS, &mut self.arguments, |list| list.add(&arguments));
        if let Some(analysis) = analysis {
            self.add_graph(&analysis, &touched.unwrap_or_default(), &arguments);
        }
    }

    /// Adds a row for a code that there is not, with the reason.
    pub fn push_error(&mut self, error: &str) {
        self.codes.end_row(Some(error));
        let facts = self.options.facts;
        null_row(facts, Facts::SELECTORS, &mut self.selectors);
        null_row(facts, Facts::FUNCTIONS, &mut self.functions);
        null_row(facts, Facts::ARGUMENTS, &mut self.arguments);
        null_row(facts, Facts::MUTABILITY, &mut self.mutability);
        null_row(facts, Facts::INTERNALS, &mut self.internals);
        null_row(facts, Facts::BLOCKS, &mut self.blocks);
        null_row(facts, Facts::EDGES, &mut self.edges);
        null_row(facts, Facts::JUMPS, &mut self.jumps);
        null_row(facts, Facts::STORAGE, &mut self.storage);
        null_row(facts, Facts::VARIABLES, &mut self.variables);
        null_row(facts, Facts::EVENTS, &mut self.events);
    }

    fn add_cases(&mut self, cases: &[Case]) {
        let facts = self.options.facts;
        row(facts, Facts::SELECTORS, &mut self.selectors, |list| list.add(cases));
        row(facts, Facts::FUNCTIONS, &mut self.functions, |list| list.add(cases));
    }

    fn add_graph(&mut self, analysis: &Analysis<'_>, touched: &Touched, arguments: &[Arguments]) {
        let facts = self.options.facts;
        row(facts, Facts::MUTABILITY, &mut self.mutability, |list| {
            list.add(&analysis.selectors, &find_mutability(analysis, arguments));
        });
        if facts.contains(Facts::CLOSED) {
            self.codes.add_graph(analysis);
        }
        row(facts, Facts::INTERNALS, &mut self.internals, |list| list.add(analysis));
        row(facts, Facts::BLOCKS, &mut self.blocks, |list| list.add(analysis));
        row(facts, Facts::EDGES, &mut self.edges, |list| list.add(analysis));
        row(facts, Facts::JUMPS, &mut self.jumps, |list| list.add(analysis));
        row(facts, Facts::STORAGE, &mut self.storage, |list| list.add(&touched.storage));
        row(facts, Facts::VARIABLES, &mut self.variables, |list| {
            list.add(&find_variables(analysis, &touched.storage));
        });
        row(facts, Facts::EVENTS, &mut self.events, |list| list.add(&touched.events));
    }

    /// The tables.
    ///
    /// # Errors
    /// Those of Arrow about arrays that do not fit together, which would be a mistake here.
    pub fn finish(self) -> Result<Tables, ArrowError> {
        let facts = self.options.facts;
        let rows = self.rows();
        let lists = [
            finished(facts, Facts::SELECTORS, self.selectors)?,
            finished(facts, Facts::FUNCTIONS, self.functions)?,
            finished(facts, Facts::ARGUMENTS, self.arguments)?,
            finished(facts, Facts::MUTABILITY, self.mutability)?,
            finished(facts, Facts::INTERNALS, self.internals)?,
            finished(facts, Facts::BLOCKS, self.blocks)?,
            finished(facts, Facts::EDGES, self.edges)?,
            finished(facts, Facts::JUMPS, self.jumps)?,
            finished(facts, Facts::STORAGE, self.storage)?,
            finished(facts, Facts::VARIABLES, self.variables)?,
            finished(facts, Facts::EVENTS, self.events)?,
        ];
        Ok(Tables::new(facts, rows, self.codes.finish(facts), lists.into_iter().flatten().collect()))
    }
}

/// The cases of the dispatcher, from an analysis that has them already.
fn cases_of(analysis: &Analysis<'_>) -> Vec<Case> {
    let case = |found: &Selector| Case {
        selector: found.selector,
        entry: analysis.blocks.get(found.entry).start,
        payable: found.payable,
    };
    analysis.selectors.iter().map(case).collect()
}

/// Items of the lists of a graph.
fn items_of(analysis: &Analysis<'_>) -> usize {
    let edges = analysis.cfg.edges().len();
    analysis.functions.len() + analysis.blocks.len() + 2 * edges + analysis.cfg.jumps().len()
}

fn row<I: Items>(facts: Facts, fact: Facts, lists: &mut Lists<I>, add: impl FnOnce(&mut I)) {
    if facts.contains(fact) {
        add(&mut lists.items);
        lists.end_row();
    }
}

fn room<I: Items>(facts: Facts, fact: Facts, lists: &mut Lists<I>, bytes: usize) {
    if facts.contains(fact) {
        lists.items.reserve(bytes);
    }
}

fn null_row<I: Items>(facts: Facts, fact: Facts, lists: &mut Lists<I>) {
    if facts.contains(fact) {
        lists.null_row();
    }
}

fn finished<I: Items>(
    facts: Facts,
    fact: Facts,
    lists: Lists<I>,
) -> Result<Option<(Facts, ListArray)>, ArrowError> {
    if !facts.contains(fact) {
        return Ok(None);
    }
    lists.finish().map(|list| Some((fact, list)))
}
