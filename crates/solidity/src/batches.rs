//! A request for Yul in as many parts as its front end needs.
//!
//! `soljson.js` cannot have more memory than its address space, and keeps the Yul of every contract
//! until it answers. So the files whose code is asked for are spread over several requests, each
//! with all sources, side by side; and a request that kills its front end, or that it says it has not
//! enough memory for, is divided further, down to one file. What is asked besides stands in the first of them,
//! or, for front ends that would make Yul of it, in a request without Yul before them ([`crate::rows`]).
//!
//! Where each of many files is asked the same, as by who builds a whole project, one row asks all of them, and parts
//! name their files for Yul alone: a front end takes long to look up what one of many named files is asked. If it
//! then answers for files that the request does not name, it is asked again, by names.
//!
//! The first also has all sources analysed. So it has all errors of the sources, long before the others have their
//! Yul, which are stopped then.

use crate::environment::Environment;
use crate::frontend::{Fault, FrontEnd, Kind, Running, Stop};
use crate::parts::{Parts, parts_of};
use crate::request::FIRST_LAZY;
use crate::rows::Rows;
use semver::Version;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// The first version that writes syntax trees of the Yul as well, asked or not, which take most of its memory.
const FIRST_WITH_TREES: Version = Version::new(0, 8, 20);

/// Bytes of source text whose Yul one request asks for, of a front end that writes such trees: 700 KB of tests
/// that create contracts are more than its memory holds. Every request reads all sources, which costs some
/// tenths of a second.
const TREES_BYTES: usize = 128 << 10;
/// The same for one that does not: 1.9 MB of contracts and tests that create them are more than its memory holds.
const BYTES: usize = 3 << 19;

/// The answer to a request for Yul, from as many requests as it takes.
///
/// # Errors
/// There is no answer even for one file alone.
pub(crate) fn ask(environment: &Environment, front_end: &FrontEnd, request: &Value) -> Result<Parts, Fault> {
    let rows = Rows::of(request);
    let sources = request["sources"].as_object().into_iter().flatten().map(|(file, _)| file.clone());
    let known: BTreeSet<String> = sources.chain(rows.files().cloned()).collect();
    let known: Vec<String> = known.into_iter().collect();
    let (is_divided, stop) = (AtomicBool::new(false), Stop::default());
    let of_all = rows.of_all(&known);
    let mut asking = Asking { environment, front_end, request, rows, of_all, is_divided, stop };
    let mut whole = asking.run(asking.jobs(&known))?;
    if whole.has_errors() {
        return Ok(whole);
    }
    let imported_by = |whole: &Parts| -> Vec<String> {
        whole.units().into_values().filter(|file| known.binary_search(file).is_err()).collect()
    };
    if asking.of_all.is_some() {
        if imported_by(&whole).is_empty() {
            return Ok(whole);
        }
        // All files were asked what the request asks of those that it names.
        asking = Asking { of_all: None, is_divided: AtomicBool::new(false), ..asking };
        whole = asking.run(asking.jobs(&known))?;
    }
    if asking.is_divided.load(Ordering::Relaxed) {
        // Rows of all files were asked by the names of those that the request holds.
        let imported = imported_by(&whole);
        let rest = asking.rows.without_yul(&imported);
        let with_yul = Job { files: imported, rest: Rows::default(), selection: Selection::ByName };
        let others = Job { files: Vec::new(), rest, selection: Selection::ByName };
        whole.merge(asking.run(vec![with_yul, others])?);
    }
    Ok(whole)
}

/// A request that is divided.
struct Asking<'a> {
    environment: &'a Environment,
    front_end: &'a FrontEnd,
    request: &'a Value,
    rows: Rows,
    /// The same in one row of all files, where these are many and are asked the same.
    of_all: Option<Rows>,
    /// Whether any part names its files.
    is_divided: AtomicBool,
    /// Told when the sources have errors.
    stop: Stop,
}

/// One of its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Job {
    /// Files whose Yul it asks for, with all else that is asked of the same contracts unless that is asked of all.
    files: Vec<String>,
    /// What it asks besides.
    rest: Rows,
    selection: Selection,
}

/// How a part selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Selection {
    /// As the request does.
    Whole,
    ByName,
}

impl Asking<'_> {
    /// The parts that it takes, as far as the sizes of the sources tell.
    fn jobs(&self, known: &[String]) -> Vec<Job> {
        let size = |file: &String| self.request["sources"][file]["content"].as_str().map_or(0, str::len);
        let files = known.iter().filter(|file| self.rows.want_yul_of(file)).map(|file| (file, size(file)));
        let batches = batches(files, limit(self.front_end));
        let rest = self.divided_of_all().map_or_else(|| self.rows.rest(known), Rows::besides_yul);
        if batches.len() < 2 && (rest.is_empty() || self.is_lazy()) {
            let files = batches.into_iter().flatten().collect();
            return vec![Job { files, rest, selection: Selection::Whole }];
        }
        let mut rest = rest.and(&Rows::of_analysis());
        let mut jobs: Vec<Job> = batches
            .into_iter()
            .map(|files| Job { files, rest: Rows::default(), selection: Selection::ByName })
            .collect();
        match jobs.first_mut().filter(|_| self.is_lazy()) {
            Some(first) => std::mem::swap(&mut first.rest, &mut rest),
            None => jobs.insert(0, Job { files: Vec::new(), rest, selection: Selection::ByName }),
        }
        jobs
    }

    /// Answers all, side by side; each worker keeps its front end for the next part.
    fn run(&self, jobs: Vec<Job>) -> Result<Parts, Fault> {
        let jobs: Vec<Job> = jobs.into_iter().filter(|job| !self.rows_of(job).is_empty()).collect();
        let workers = match self.environment.overrides.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        };
        let workers = workers.min(jobs.len());
        let left = Mutex::new(jobs.into_iter().enumerate());
        let found = Mutex::new(Vec::new());
        let work = || {
            let mut running = None;
            let next = || left.lock().ok().filter(|_| !self.stop.is_told())?.next();
            while let Some((index, job)) = next() {
                let answer = self.answer(&job, &mut running);
                if job.rest.has_analysis() && answer.as_ref().is_ok_and(Parts::has_errors) {
                    self.stop.tell();
                }
                if let Ok(mut found) = found.lock() {
                    found.push((index, answer));
                }
            }
        };
        std::thread::scope(|scope| (0..workers).for_each(|_| _ = scope.spawn(work)));
        let mut found = found.into_inner().unwrap_or_default();
        found.sort_by_key(|(index, _)| *index);
        if self.stop.is_told() {
            // The first has the errors of all.
            found.truncate(1);
        }
        let mut answers = found.into_iter().map(|(_, answer)| answer);
        let mut whole = answers.next().unwrap_or(Ok(Parts::default()))?;
        for answer in answers {
            whole.merge(answer?);
        }
        Ok(whole)
    }

    /// The answer to a part, and to halves of its files where it is too much for the front end.
    fn answer(&self, job: &Job, running: &mut Option<Running>) -> Result<Parts, Fault> {
        let mut ready = match running.take() {
            Some(ready) => ready,
            None => {
                let Environment { places, access, .. } = self.environment;
                self.front_end.start_until(places, access, &self.stop)?
            }
        };
        let answer = ready.compile(&self.request_of(job)).and_then(|answer| {
            let parts = parts_of(&answer).ok_or_else(|| Fault::garbage(self.front_end, &answer))?;
            match parts.out_of_memory() {
                Some(said) => Err(Fault::OutOfMemory { program: self.front_end.path.clone(), said }),
                None => Ok(parts),
            }
        });
        // One whose memory is full would not have enough for less, either.
        *running = Some(ready).filter(|_| !matches!(answer, Err(Fault::OutOfMemory { .. })));
        match answer {
            Err(Fault::Crashed { .. } | Fault::OutOfMemory { .. }) if job.files.len() > 1 => {
                let (first, second) = job.files.split_at(job.files.len() / 2);
                let half = |files: &[String], rest: Rows| Job {
                    files: files.to_vec(),
                    rest,
                    selection: Selection::ByName,
                };
                let mut whole = self.answer(&half(first, job.rest.clone()), running)?;
                whole.merge(self.answer(&half(second, Rows::default()), running)?);
                Ok(whole)
            }
            answer => answer,
        }
    }

    fn rows_of(&self, job: &Job) -> Rows {
        match job.selection {
            Selection::Whole => self.of_all.as_ref().unwrap_or(&self.rows).clone(),
            Selection::ByName if self.divided_of_all().is_some() => {
                self.rows.yul_alone(&job.files).and(&job.rest)
            }
            Selection::ByName => self.rows.with_yul(&job.files).and(&job.rest),
        }
    }

    /// The row of all files whose Yul parts ask for by name, and the first of them for the rest.
    fn divided_of_all(&self) -> Option<&Rows> {
        self.of_all.as_ref().filter(|_| self.is_lazy())
    }

    /// Whether the front end makes no Yul that it is not asked for.
    fn is_lazy(&self) -> bool {
        self.front_end.version >= FIRST_LAZY
    }

    fn request_of(&self, job: &Job) -> String {
        if job.selection == Selection::ByName {
            self.is_divided.store(true, Ordering::Relaxed);
        }
        // Rows that ask for nothing are left out: an old front end would make Yul for them.
        let mut request = self.request.clone();
        request["settings"]["outputSelection"] = self.rows_of(job).to_value();
        request.to_string()
    }
}

fn limit(front_end: &FrontEnd) -> usize {
    let writes_trees = front_end.version >= FIRST_WITH_TREES && front_end.version < FIRST_LAZY;
    match front_end.kind {
        Kind::Native => usize::MAX,
        Kind::Soljson if writes_trees => TREES_BYTES,
        Kind::Soljson => BYTES,
    }
}

/// Files in runs of about so many bytes.
fn batches<'a>(files: impl Iterator<Item = (&'a String, usize)>, limit: usize) -> Vec<Vec<String>> {
    let mut batches: Vec<Vec<String>> = Vec::new();
    let mut room = 0;
    for (file, size) in files {
        match batches.last_mut().filter(|_| size <= room) {
            Some(batch) => batch.push(file.clone()),
            None => {
                room = limit;
                batches.push(vec![file.clone()]);
            }
        }
        room = room.saturating_sub(size);
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The parts of a request of four files for a front end of this version: their files, and what they select
    /// where that is not the whole.
    fn parts(version: &str, kind: Kind, size: usize, selection: Value) -> Vec<(String, Value)> {
        let source = |size: usize| json!({ "content": "x".repeat(size) });
        let sources = json!({ "a": source(size), "b": source(size), "c": source(3 * size), "d": source(1) });
        parts_of(version, kind, json!({ "settings": { "outputSelection": selection }, "sources": sources }))
    }

    /// The same of any request.
    fn parts_of(version: &str, kind: Kind, request: Value) -> Vec<(String, Value)> {
        let version = Version::parse(version).expect("a version");
        let front_end = FrontEnd { kind, path: "solc".into(), version };
        let environment = Environment::default();
        let rows = Rows::of(&request);
        let known: Vec<String> = request["sources"].as_object().expect("sources").keys().cloned().collect();
        let (is_divided, of_all) = (AtomicBool::new(false), rows.of_all(&known));
        let (environment, front_end, request) = (&environment, &front_end, &request);
        let stop = Stop::default();
        let asking = Asking { environment, front_end, request, rows, of_all, is_divided, stop };
        let jobs = asking.jobs(&known);
        let selected = |job: &Job| match job.selection {
            Selection::Whole => Value::Null,
            Selection::ByName => asking.rows_of(job).to_value(),
        };
        jobs.iter().map(|job| (job.files.concat(), selected(job))).collect()
    }

    #[test]
    fn files_are_spread_by_size() {
        let all = json!({ "*": { "*": ["ir", "abi"], "": ["ast"] } });
        let row = json!({ "*": ["abi", "ir"], "": ["ast"] });
        let big = TREES_BYTES / 2;
        let found = parts("0.8.26", Kind::Soljson, big, all.clone());
        let rows =
            |files: &[&str]| Value::Object(files.iter().map(|f| ((*f).to_owned(), row.clone())).collect());
        assert_eq!(found[0], (String::new(), json!({ "*": { "": ["nothing"] } })), "nothing is left");
        assert_eq!(found[1], ("ab".to_owned(), rows(&["a", "b"])));
        assert_eq!(found[2], ("c".to_owned(), rows(&["c"])));
        assert_eq!(found[3], ("d".to_owned(), rows(&["d"])));
        for (version, kind) in
            [("0.8.26", Kind::Native), ("0.8.19", Kind::Soljson), ("0.8.37", Kind::Soljson)]
        {
            assert_eq!(parts(version, kind, big, all.clone()), [("abcd".to_owned(), Value::Null)]);
        }
    }

    #[test]
    fn of_many_files_yul_alone_is_asked_by_name() {
        let files = || (10..30).map(|number| number.to_string());
        let of_each = |value: Value| Value::Object(files().map(|file| (file, value.clone())).collect());
        let request = json!({
            "settings": { "outputSelection": of_each(json!({ "*": ["ir", "abi"], "": ["ast"] })) },
            "sources": of_each(json!({ "content": "x".repeat(BYTES / 10) })),
        });
        let named = |files: std::ops::Range<u32>, value: Value| -> serde_json::Map<String, Value> {
            files.map(|number| (number.to_string(), value.clone())).collect()
        };
        let mut first = named(10..20, json!({ "*": ["ir"], "": ["ast"] }));
        first.insert("*".to_owned(), json!({ "*": ["abi"], "": ["nothing"] }));
        let found = parts_of("0.8.37", Kind::Soljson, request.clone());
        assert_eq!(found[0].1, Value::Object(first));
        assert_eq!(found[1].1, Value::Object(named(20..30, json!({ "*": ["ir"], "": ["ast"] }))));
        let found = parts_of("0.8.37", Kind::Native, request.clone());
        assert_eq!(found, [(files().collect::<String>(), Value::Null)], "in one row");
        // An old one would make Yul for each row.
        let found = parts_of("0.8.19", Kind::Soljson, request);
        assert_eq!(found[1].1, Value::Object(named(10..20, json!({ "*": ["abi", "ir"], "": ["ast"] }))));
    }

    #[test]
    fn an_old_front_end_makes_no_yul_that_is_not_asked_for() {
        let some = json!({ "a": { "*": ["ir", "abi"] }, "b": { "*": ["abi"] }, "*": { "*": ["metadata"] } });
        for kind in [Kind::Native, Kind::Soljson] {
            let found = parts("0.8.19", kind, 10, some.clone());
            let rest = json!({ "b": { "*": ["abi"] }, "*": { "*": ["metadata"], "": ["nothing"] } });
            assert_eq!(found[0], (String::new(), rest));
            assert_eq!(found[1], ("a".to_owned(), json!({ "a": { "*": ["abi", "ir", "metadata"] } })));
            assert_eq!(parts("0.8.37", kind, 10, some.clone()), [("a".to_owned(), Value::Null)]);
        }
    }

    #[test]
    fn a_new_one_is_asked_for_the_rest_with_the_first_part() {
        let some = json!({ "a": { "*": ["ir"] }, "c": { "C": ["ir"] }, "*": { "": ["ast"] } });
        let found = parts("0.8.37", Kind::Soljson, BYTES, some);
        let first = json!({ "a": { "*": ["ir"], "": ["ast"] }, "*": { "": ["ast", "nothing"] } });
        assert_eq!(found, [("a".to_owned(), first), ("c".to_owned(), json!({ "c": { "C": ["ir"] } }))]);
    }
}
