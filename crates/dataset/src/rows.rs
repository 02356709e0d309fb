//! The table of rows: for each row of the input the hash of its code, or why there is none.

use crate::error::{DatasetError, at};
use crate::files::Draft;
use crate::input::Input;
use crate::spool::Hash;
use crate::table::TableFile;
use arrow_array::builder::{BinaryBuilder, StringBuilder};
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use cairn_columns::{SCHEMA_VERSION, VERSION_KEY};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Metadata of all schemas.
pub(crate) fn metadata() -> HashMap<String, String> {
    HashMap::from([(VERSION_KEY.to_owned(), SCHEMA_VERSION.to_string())])
}

/// A file of the table in the making.
pub(crate) struct RowsFile {
    path: PathBuf,
    draft: Draft,
    table: TableFile,
    schema: Arc<Schema>,
}

impl RowsFile {
    pub(crate) fn new(path: &Path, input: &Input) -> Result<RowsFile, DatasetError> {
        let mut fields = vec![Field::new("row", DataType::Int64, false)];
        fields.extend(input.keep.iter().cloned());
        fields.push(Field::new("hash", DataType::Binary, true));
        fields.push(Field::new("error", DataType::Utf8, true));
        let schema = Arc::new(Schema::new_with_metadata(fields, metadata()));
        let draft = Draft::new(path)?;
        let file = draft.file.try_clone().map_err(at(path))?;
        let table = TableFile::new(path, file, schema.clone())?;
        Ok(RowsFile { path: path.to_owned(), draft, table, schema })
    }

    /// Adds the rows of a batch.
    pub(crate) fn add(
        &mut self,
        first_row: u64,
        batch: &RecordBatch,
        hashes: &[Result<Hash, String>],
    ) -> Result<(), DatasetError> {
        let (mut hash, mut error) = (BinaryBuilder::new(), StringBuilder::new());
        for found in hashes {
            hash.append_option(found.as_ref().ok());
            error.append_option(found.as_ref().err());
        }
        let first_row = i64::try_from(first_row).unwrap_or(i64::MAX);
        let rows: Int64Array = (first_row..).take(hashes.len()).collect();
        let mut columns: Vec<ArrayRef> = vec![Arc::new(rows)];
        let kept = &self.schema.fields()[1..self.schema.fields().len() - 2];
        columns.extend(kept.iter().filter_map(|field| batch.column_by_name(field.name()).cloned()));
        columns.push(Arc::new(hash.finish()));
        columns.push(Arc::new(error.finish()));
        let batch = RecordBatch::try_new(self.schema.clone(), columns).map_err(at(&self.path))?;
        self.table.write(&batch)
    }

    pub(crate) fn commit(self) -> Result<(), DatasetError> {
        self.table.close()?;
        self.draft.commit()
    }
}
