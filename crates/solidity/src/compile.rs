//! The Yul of a project to code: each distinct object once, in parallel.
//!
//! 1. The Yul of each contract is taken apart into objects ([`crate::objects`]).
//! 2. Each distinct own text becomes stack code, once, from the cache where it is known.
//! 3. Each distinct tree of objects is assembled once, the inner ones first.
//!
//! What one object suffers from, a panic included, is that object's fault and the faults of those
//! that embed it; the others come out.

use crate::cache::Cache;
use crate::checks;
use crate::immutables::without_unread;
use crate::message::{wording, wording_of_bug};
use crate::metadata::{Metadata, SEGMENT};
pub use crate::plan::Source;
use crate::plan::{OwnText, Plan, Tree};
use crate::progress::{Progress, Step};
use crate::stats::Counts;
use cairn_asm::{Assembled, LibraryAddress, Program};
use cairn_diag::{Diagnostic, Severity};
use cairn_driver::place::{Place, place};
use cairn_driver::{Failure, Input, Language, Level, Options, Session, assemble_object, compile_object};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Code of an object.
#[derive(Clone, Debug)]
pub struct Code {
    /// Symbolic, with stubs for what it embeds.
    pub program: Arc<Program>,
    /// Bytes.
    pub assembled: Assembled,
    /// What it embeds, in order.
    pub subs: Vec<Arc<Code>>,
}

impl Code {
    /// The code that a contract deploys: solc names it after the contract.
    pub fn deployed(&self) -> Option<&Arc<Code>> {
        let name = format!("{}_deployed", self.program.name);
        self.subs.iter().find(|sub| sub.program.name == name)
    }

    /// The code with the addresses of these libraries in it; others keep their placeholders.
    pub fn linked(self: &Arc<Self>, libraries: &BTreeMap<String, [u8; 20]>) -> Arc<Code> {
        if libraries.is_empty() {
            return Arc::clone(self);
        }
        let addresses: Vec<LibraryAddress> = libraries
            .iter()
            .map(|(library, address)| LibraryAddress { library: library.clone(), address: *address })
            .collect();
        self.linked_to(&addresses)
    }

    fn linked_to(&self, addresses: &[LibraryAddress]) -> Arc<Code> {
        let mut linked = self.clone();
        let links = std::mem::take(&mut linked.assembled.links);
        linked.assembled.links = cairn_asm::link(&mut linked.assembled.bytes, &links, addresses);
        linked.subs = self.subs.iter().map(|sub| sub.linked_to(addresses)).collect();
        Arc::new(linked)
    }
}

/// Why there is no code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Whose fault it is.
    pub blame: Blame,
    /// What is wrong, and what to do.
    pub message: String,
    /// Where, in the Solidity source.
    pub place: Option<Place>,
}

/// Whose fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// The input's.
    Input,
    /// Cairn's.
    Cairn,
}

/// What a contract's code became.
pub type Compiled = Result<Arc<Code>, Arc<Fault>>;

/// How to compile.
#[derive(Debug)]
pub struct Compiler<'a> {
    /// For each object.
    pub options: Options,
    /// New metadata for solc's.
    pub metadata: &'a Metadata,
    /// Known objects.
    pub cache: Option<&'a Cache>,
    /// Threads; 0 for one a core.
    pub threads: usize,
    /// Who is told how far it is.
    pub progress: &'a Progress,
}

/// Stack of a thread that compiles: enough for the deepest nesting that the parsers accept.
const STACK_BYTES: usize = 256 << 20;

impl Compiler<'_> {
    /// Compiles all, in order; and what there was to do.
    pub fn compile(&self, sources: &[Source]) -> (Vec<Compiled>, Counts) {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).stack_size(STACK_BYTES).build();
        match pool {
            Ok(pool) => pool.install(|| self.compile_here(sources)),
            Err(_) => self.compile_here(sources),
        }
    }

    fn compile_here(&self, sources: &[Source]) -> (Vec<Compiled>, Counts) {
        let mut plan = Plan::default();
        let roots: Vec<usize> = sources.iter().map(|source| plan.add_source(source)).collect();
        let mut counts = plan.counts;
        // The longest first, so that none is left alone at the end.
        let mut order: Vec<usize> = (0..plan.texts.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(plan.texts[*index].text.len()));
        let (done, all) = (AtomicUsize::new(0), order.len());
        let told = |compiled| {
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            self.progress.tell(Step::Objects { done, all });
            compiled
        };
        let compiled: Vec<_> = order
            .into_par_iter()
            .with_max_len(1)
            .map(|index| told((index, self.compile_text(&plan.texts[index]))))
            .collect();
        counts.cached = compiled.iter().filter(|(_, (_, origin))| *origin == Origin::Cache).count();
        let mut programs = vec![None; plan.texts.len()];
        for (index, (result, _)) in compiled {
            let program = result.map(|program| Arc::new(self.with_metadata(program)));
            programs[index] = Some(program.map_err(Arc::new));
        }
        let programs: Vec<_> = programs.into_iter().flatten().collect();
        let mut codes: Vec<Compiled> = Vec::with_capacity(plan.trees.len());
        for tree in &plan.trees {
            let code = programs[tree.text].clone().and_then(|program| self.assemble(program, tree, &codes));
            codes.push(code);
        }
        (roots.into_iter().map(|root| codes[root].clone()).collect(), counts)
    }

    fn compile_text(&self, own: &OwnText<'_>) -> (Result<Program, Fault>, Origin) {
        let kept = self.cache.map(|cache| (cache, cache.key(&self.options, &own.text)));
        if let Some(known) = kept.as_ref().and_then(|(cache, key)| cache.get(key, &own.text)) {
            return (Ok(known), Origin::Cache);
        }
        let run = || compile_text(&self.options, own);
        let program = panic::catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            Err(bug(&text.unwrap_or_default()))
        });
        if let (Some((cache, key)), Ok(program)) = (kept, &program) {
            cache.put(&key, program);
        }
        (program, Origin::Compiler)
    }

    fn assemble(&self, program: Arc<Program>, tree: &Tree, codes: &[Compiled]) -> Compiled {
        let subs: Result<Vec<Arc<Code>>, _> = tree.subs.iter().map(|sub| codes[*sub].clone()).collect();
        let subs = subs?;
        let embedded: Vec<Assembled> = subs.iter().map(|sub| embedded(&sub.assembled, &program)).collect();
        let program = without_unread(program, &embedded, &self.options);
        let mut session = Session::default();
        match assemble_object(&program, embedded, &self.options, &mut session) {
            Ok(assembled) => Ok(Arc::new(Code { program, assembled, subs })),
            Err(failure) => Err(Arc::new(fault(&session, failure, ""))),
        }
    }

    fn with_metadata(&self, mut program: Program) -> Program {
        for (_, bytes) in program.data.iter_mut().filter(|(name, _)| name == SEGMENT) {
            *bytes = self.metadata.replace(bytes);
        }
        program
    }
}

/// Where stack code comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Cache,
    Compiler,
}

/// What an object that embeds another needs of it: what lies in that only where a path leads there.
fn embedded(assembled: &Assembled, program: &Program) -> Assembled {
    let leads_there =
        |path: &String| path.strip_prefix(&assembled.name).is_some_and(|rest| rest.starts_with('.'));
    let (segments, subs) = match program.names.iter().any(leads_there) {
        true => (assembled.segments.clone(), assembled.subs.clone()),
        false => (Vec::new(), Vec::new()),
    };
    Assembled {
        name: assembled.name.clone(),
        bytes: assembled.bytes.clone(),
        links: assembled.links.clone(),
        immutables: assembled.immutables.clone(),
        segments,
        subs,
        ..Assembled::default()
    }
}

fn compile_text(options: &Options, own: &OwnText<'_>) -> Result<Program, Fault> {
    let for_debuggers = if options.level == Level::O0 { checks::in_place(&own.text) } else { None };
    let text = for_debuggers.unwrap_or_else(|| own.text.to_string());
    let input = Input { name: own.name.to_owned(), text, language: Language::Yul };
    let mut session = Session::default();
    match compile_object(&input, options, &mut session) {
        // Numbered as one that comes from the cache.
        Ok(program) => Ok(cairn_asm::normalize(&program)),
        Err(failure) => Err(fault(&session, failure, &input.text)),
    }
}

/// The first error of a session, with its place in the Solidity source.
fn fault(session: &Session, failure: Failure, text: &str) -> Fault {
    if let Failure::Bug(message) = failure {
        return bug(&message);
    }
    let is_error = |one: &&Diagnostic| one.severity == Severity::Error;
    let Some(error) = session.diagnostics.iter().find(is_error) else { return bug("no code and no error") };
    let place = error.span.and_then(|span| place(text, span.start as usize));
    Fault { blame: Blame::Input, message: wording(error), place }
}

fn bug(message: &str) -> Fault {
    Fault { blame: Blame::Cairn, message: wording_of_bug(message), place: None }
}
