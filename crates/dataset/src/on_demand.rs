//! Codes that a caller hands over, isolated as those of a data set are.
//!
//! Contract: a row for each row that comes in, in its order; what is no code, and what fails, has an
//! `error`. Equal codes are worked on each time; see [`crate::DistinctLane`] for work without that.

use crate::error::DatasetError;
use crate::lane::Lane;
use crate::spool::Hashed;
use crate::task::with_hash_column;
use arrow_array::{ArrayRef, BinaryArray, RecordBatch};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use std::borrow::Cow;
use std::sync::Arc;

impl Lane {
    /// The columns of results: the hash, which may be null, then what was asked for.
    ///
    /// # Errors
    /// None but mistakes of ours.
    pub fn schema(&self) -> Result<SchemaRef, DatasetError> {
        let schema = self.recipe.schema()?;
        let fields = schema.fields().iter().map(|field| match field.name().as_str() {
            "hash" => Arc::new(Field::clone(field).with_nullable(true)),
            _ => field.clone(),
        });
        let fields: Vec<_> = fields.collect();
        Ok(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
    }

    /// Works on codes; where there is none, the row says why.
    ///
    /// # Errors
    /// Worker processes do not start.
    pub fn work_on(
        &mut self,
        rows: &[Result<Cow<'_, [u8]>, String>],
    ) -> Result<Vec<RecordBatch>, DatasetError> {
        let schema = self.schema()?;
        let mut batches = Vec::new();
        for rows in rows.chunk_by(|one, next| one.is_ok() == next.is_ok()) {
            let codes: Vec<Hashed> = rows.iter().flatten().map(|code| hashed(code)).collect();
            self.perform(&codes, &mut |batch| {
                batches.push(batch);
                Ok(())
            })?;
            let errors: Vec<&str> =
                rows.iter().filter_map(|row| row.as_ref().err()).map(String::as_str).collect();
            if !errors.is_empty() {
                batches.push(self.error_rows(&errors).map_err(internal)?);
            }
        }
        let batches = batches.into_iter().map(|batch| batch.with_schema(schema.clone()));
        batches.collect::<Result<_, _>>().map_err(internal)
    }

    /// Rows without a code.
    pub(crate) fn error_rows(&self, errors: &[&str]) -> Result<RecordBatch, ArrowError> {
        let mut results = self.recipe.start();
        errors.iter().for_each(|error| results.push_error(error));
        let hashes: ArrayRef = Arc::new(BinaryArray::new_null(errors.len()));
        with_hash_column(&results.finish()?, hashes)
    }
}

pub(crate) fn hashed(code: &[u8]) -> Hashed {
    (cairn_evm::keccak256(code).0, code.to_vec())
}

pub(crate) fn internal(error: ArrowError) -> DatasetError {
    DatasetError::Worker(error.to_string())
}

#[cfg(test)]
mod tests {
    use crate::{Lane, Task, Work};
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use cairn_columns::Facts;
    use std::borrow::Cow;

    #[test]
    fn rows_without_code_stand_in_their_place() {
        let mut lane = Lane::new(Work::new(Task::Analyze(Facts::SELECTORS))).expect("a lane");
        let code = || Ok(Cow::Borrowed(&[0x5f, 0x5f][..]));
        let rows = [Err("null".to_owned()), code(), code(), Err("odd".to_owned())];
        let batches = lane.work_on(&rows).expect("results");
        let errors: Vec<Option<&str>> =
            batches.iter().flat_map(|batch| batch["error"].as_string::<i32>()).collect();
        assert_eq!(errors, [Some("null"), None, None, Some("odd")]);
        let nulls: Vec<bool> = batches
            .iter()
            .flat_map(|batch| (0..batch.num_rows()).map(|row| batch["hash"].is_null(row)))
            .collect();
        assert_eq!(nulls, [true, false, false, true]);
        assert!(lane.work_on(&[]).expect("results").is_empty());
    }
}
