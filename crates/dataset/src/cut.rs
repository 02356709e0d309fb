//! Results as they are written: cut by their rows alone.
//!
//! Where a worker dies, results come in other pieces than they do otherwise, and a Parquet file shows how its
//! rows were handed over: pages end after one of these. So pieces are put together first. Invariant: where
//! rows are cut depends on the rows of a task, not on the pieces in which they came. Memory is that of the
//! rows of a task, up to [`CUT_BYTES`] and one row.

use crate::distinct::bytes_of;
use arrow_array::RecordBatch;
use arrow_schema::ArrowError;
use arrow_select::concat::concat_batches;

/// Bytes of rows after which a cut is made.
const CUT_BYTES: usize = 64 << 20;

/// Rows that wait for more of their task.
#[derive(Default)]
pub(crate) struct Cutter {
    waiting: Vec<RecordBatch>,
    bytes: usize,
}

impl Cutter {
    /// Adds rows; gives those that are to be written together.
    pub(crate) fn add(&mut self, batch: &RecordBatch) -> Result<Vec<RecordBatch>, ArrowError> {
        let mut whole = Vec::new();
        let mut first = 0;
        for row in 0..batch.num_rows() {
            self.bytes += batch.columns().iter().map(|column| bytes_of(column, row..row + 1)).sum::<usize>();
            if self.bytes >= CUT_BYTES {
                self.waiting.push(batch.slice(first, row + 1 - first));
                first = row + 1;
                whole.extend(self.end()?);
            }
        }
        if first < batch.num_rows() {
            self.waiting.push(batch.slice(first, batch.num_rows() - first));
        }
        Ok(whole)
    }

    /// The rows that wait: their task is at its end.
    pub(crate) fn end(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        self.bytes = 0;
        let waiting = std::mem::take(&mut self.waiting);
        match &waiting[..] {
            [] => Ok(None),
            [batch] => Ok(Some(batch.clone())),
            [first, ..] => concat_batches(&first.schema(), &waiting).map(Some),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{ArrayRef, StringArray};
    use std::sync::Arc;

    /// Rows with texts of so many MiB.
    fn rows(sizes: &[usize]) -> RecordBatch {
        let texts = StringArray::from_iter_values(sizes.iter().map(|size| "x".repeat(size << 20)));
        RecordBatch::try_from_iter([("text", Arc::new(texts) as ArrayRef)]).expect("a batch")
    }

    #[test]
    fn cuts_are_where_the_rows_want_them() {
        let all = rows(&[1, 40, 30, 1, 70, 2, 3]);
        for pieces in [vec![7], vec![1; 7], vec![2, 5], vec![5, 2], vec![3, 1, 3]] {
            let (mut cutter, mut cuts, mut first) = (Cutter::default(), Vec::new(), 0);
            for rows in pieces {
                cuts.extend(cutter.add(&all.slice(first, rows)).expect("rows"));
                first += rows;
            }
            cuts.extend(cutter.end().expect("rows"));
            assert_eq!(cuts, [all.slice(0, 3), all.slice(3, 2), all.slice(5, 2)]);
            assert!(cutter.end().expect("nothing").is_none());
        }
    }
}
