//! Codes that a caller hands over, each distinct one worked on once as long as it is remembered.
//!
//! Contract: the answer to rows is that of [`Lane::work_on`], failures included; codes that came before,
//! in these rows or in others, are not worked on again but their results taken. What is remembered, codes
//! with their results, has a bound in bytes; past it all is forgotten, for what comes often is soon known
//! again, and what a caller has next need not be what he had before. Two codes with the same quick hash are
//! told apart by their bytes; the second one is worked on each time.

use crate::error::DatasetError;
use crate::lane::Lane;
use crate::on_demand::{hashed, internal};
use crate::spool::Hashed;
use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use arrow_select::interleave::interleave;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::hash::BuildHasher;
use std::ops::Range;

/// New codes that are worked on together.
const NEW_CODES: usize = 256;
/// Bytes of an answer after which the next one begins.
const ANSWER_BYTES: usize = 16 << 20;

/// A lane with a memory.
pub struct DistinctLane {
    lane: Lane,
    limit: usize,
    memory: Memory,
}

/// What came before.
#[derive(Default)]
struct Memory {
    /// Where a code is, by a quick hash.
    known: FxHashMap<u64, usize>,
    codes: Vec<Hashed>,
    /// Where the result of each code is, and its bytes.
    results: Vec<(Place, usize)>,
    batches: Vec<RecordBatch>,
    bytes: usize,
}

/// A row of a batch, as `interleave` has it.
type Place = (usize, usize);

impl DistinctLane {
    /// A lane that remembers about `limit` bytes of codes and results.
    #[must_use]
    pub fn new(lane: Lane, limit: usize) -> DistinctLane {
        DistinctLane { lane, limit, memory: Memory::default() }
    }

    /// The lane, for work that is not remembered.
    pub fn lane(&mut self) -> &mut Lane {
        &mut self.lane
    }

    /// Works on codes; where there is none, the row says why. The answer comes in pieces of some megabytes.
    ///
    /// # Errors
    /// Worker processes do not start.
    pub fn work_on(
        &mut self,
        rows: &[Result<Cow<'_, [u8]>, String>],
    ) -> Result<Vec<RecordBatch>, DatasetError> {
        let mut answers = Vec::new();
        let mut rest = rows;
        while !rest.is_empty() {
            if self.memory.bytes > self.limit {
                self.memory = Memory::default();
            }
            let found = self.memory.look_up(rest);
            let learnt = self.learn();
            if learnt.is_err() {
                // There are codes without results.
                self.memory = Memory::default();
            }
            learnt?;
            let (now, later) = rest.split_at(found.len());
            self.answer(now, &found, &mut answers)?;
            rest = later;
        }
        Ok(answers)
    }

    /// Works on the codes that have no result yet.
    fn learn(&mut self) -> Result<(), DatasetError> {
        let Memory { codes, results, batches, bytes, .. } = &mut self.memory;
        self.lane.perform(&codes[results.len()..], &mut |batch| {
            for row in 0..batch.num_rows() {
                let size = batch.columns().iter().map(|column| bytes_of(column, row..row + 1)).sum();
                *bytes += size;
                results.push(((batches.len(), row), size));
            }
            batches.push(batch);
            Ok(())
        })
    }

    /// The results of rows, whose codes are `found`.
    fn answer(
        &self,
        rows: &[Result<Cow<'_, [u8]>, String>],
        found: &[Option<usize>],
        answers: &mut Vec<RecordBatch>,
    ) -> Result<(), DatasetError> {
        let schema = self.lane.schema()?;
        let errors: Vec<&str> =
            rows.iter().filter_map(|row| row.as_ref().err()).map(String::as_str).collect();
        let errors = self.lane.error_rows(&errors).map_err(internal)?;
        let sources: Vec<&RecordBatch> = self.memory.batches.iter().chain([&errors]).collect();
        let mut emit = |places: &mut Vec<Place>| {
            let columns = (0..schema.fields().len()).map(|column| {
                let arrays: Vec<&dyn Array> =
                    sources.iter().map(|batch| batch.column(column).as_ref()).collect();
                interleave(&arrays, places)
            });
            let batch = columns.collect::<Result<_, _>>();
            let batch = batch.and_then(|columns| RecordBatch::try_new(schema.clone(), columns));
            answers.push(batch.map_err(internal)?);
            places.clear();
            Ok(())
        };
        let (mut places, mut bytes, mut failed) = (Vec::new(), 0, 0..);
        for code in found {
            let (place, size) = match code {
                Some(code) => self.memory.results[*code],
                None => ((sources.len() - 1, failed.next().unwrap_or_default()), 0),
            };
            if bytes + size > ANSWER_BYTES && !places.is_empty() {
                emit(&mut places)?;
                bytes = 0;
            }
            places.push(place);
            bytes += size;
        }
        if places.is_empty() { Ok(()) } else { emit(&mut places) }
    }
}

impl Memory {
    /// The numbers of the codes of the first rows, those that are new included, of which there are not too
    /// many; `None` where there is no code.
    fn look_up(&mut self, rows: &[Result<Cow<'_, [u8]>, String>]) -> Vec<Option<usize>> {
        let mut found = Vec::with_capacity(rows.len());
        let first_new = self.codes.len();
        for row in rows {
            let Ok(code) = row else {
                found.push(None);
                continue;
            };
            let quick = rustc_hash::FxBuildHasher.hash_one(code.as_ref());
            let known = self.known.get(&quick).copied();
            if let Some(known) = known.filter(|known| self.codes[*known].1 == **code) {
                found.push(Some(known));
                continue;
            }
            let number = self.codes.len();
            if number - first_new == NEW_CODES {
                break;
            }
            self.known.entry(quick).or_insert(number);
            self.codes.push(hashed(code));
            self.bytes += code.len() + 128;
            found.push(Some(number));
        }
        found
    }
}

/// Bytes of some values of a column, nearly: of what the columns of results are made of.
pub(crate) fn bytes_of(array: &dyn Array, rows: Range<usize>) -> usize {
    let between = |offsets: &[i32]| offsets[rows.start] as usize..offsets[rows.end] as usize;
    match array.data_type() {
        DataType::Utf8 => between(array.as_string::<i32>().value_offsets()).len() + 4 * rows.len(),
        DataType::Binary => between(array.as_binary::<i32>().value_offsets()).len() + 4 * rows.len(),
        DataType::List(_) => {
            let list = array.as_list::<i32>();
            bytes_of(list.values(), between(list.value_offsets())) + 4 * rows.len()
        }
        DataType::Struct(_) => {
            array.as_struct().columns().iter().map(|column| bytes_of(column, rows.clone())).sum()
        }
        other => other.primitive_width().unwrap_or(1) * rows.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Task, Work};
    use cairn_columns::Facts;

    const LIMIT: usize = 1 << 20;

    fn lane(limit: usize) -> DistinctLane {
        let lane = Lane::new(Work::new(Task::Analyze(Facts::all()))).expect("a lane");
        DistinctLane::new(lane, limit)
    }

    /// A code that pushes a number, of which there are many.
    fn code(number: u16) -> Result<Cow<'static, [u8]>, String> {
        let [high, low] = number.to_be_bytes();
        Ok(Cow::Owned(vec![0x61, high, low, 0x5f, 0x55, 0x00]))
    }

    fn concatenated(batches: &[RecordBatch]) -> RecordBatch {
        arrow_select::concat::concat_batches(&batches[0].schema(), batches).expect("batches of one schema")
    }

    #[test]
    fn answers_are_those_of_a_lane_without_memory() {
        let mut rows: Vec<_> = (0..700).map(|number| code(number % 300)).collect();
        rows.insert(3, Err("null".to_owned()));
        rows.insert(290, Err("odd".to_owned()));
        rows.push(Ok(Cow::Borrowed(&[])));
        let expected = concatenated(&lane(LIMIT).lane().work_on(&rows).expect("results"));
        let mut lane = lane(LIMIT);
        for _ in 0..2 {
            assert_eq!(concatenated(&lane.work_on(&rows).expect("results")), expected);
            assert_eq!(lane.memory.codes.len(), 301);
        }
        assert!(lane.work_on(&[]).expect("results").is_empty());
    }

    #[test]
    fn codes_with_the_same_quick_hash_are_told_apart() {
        let mut lane = lane(LIMIT);
        lane.work_on(&[code(1)]).expect("a result");
        let quick = rustc_hash::FxBuildHasher.hash_one(code(2).expect("a code").as_ref());
        lane.memory.known.insert(quick, 0);
        let rows = [code(2), code(1), code(2)];
        let expected = lane.lane().work_on(&rows).expect("results");
        assert_eq!(lane.work_on(&rows).expect("results"), expected);
    }

    #[test]
    fn memory_is_bounded() {
        let mut lane = lane(100_000);
        for first in 0..20 {
            lane.work_on(&(first * 100..first * 100 + 200).map(code).collect::<Vec<_>>()).expect("results");
            assert!(lane.memory.codes.len() < 600, "{}", lane.memory.codes.len());
        }
        let small = lane.memory.codes.len();
        assert!(small > 100, "what came last is known: {small}");
    }

    #[test]
    fn long_answers_come_in_pieces() {
        let mut lane = lane(LIMIT);
        // Each instruction is a block.
        let long = Ok(Cow::Owned(vec![0x5b; 20_000]));
        let rows = vec![long; 64];
        let answers = lane.work_on(&rows).expect("results");
        assert!(answers.len() > 1);
        assert_eq!(answers.iter().map(RecordBatch::num_rows).sum::<usize>(), 64);
        let size = |batch: &RecordBatch| -> usize {
            batch.columns().iter().map(|column| bytes_of(column, 0..batch.num_rows())).sum()
        };
        assert!(answers.iter().all(|batch| size(batch) <= ANSWER_BYTES));
    }

    #[test]
    fn nothing_is_remembered_of_work_that_did_not_begin() {
        let mut work = Work::new(Task::Analyze(Facts::SELECTORS));
        work.workers = crate::Workers::Processes(vec!["/nonexistent/worker".into()]);
        let mut lane = DistinctLane::new(Lane::new(work).expect("a lane"), LIMIT);
        for _ in 0..2 {
            assert!(lane.work_on(&[code(1)]).is_err());
            assert!(lane.memory.codes.is_empty());
        }
    }
}
