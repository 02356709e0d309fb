//! A Parquet file of a table: the same compression and groups of rows wherever one is written.

use crate::error::{DatasetError, at};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Bytes in memory after which a group of rows is written.
const GROUP_BYTES: usize = 32 << 20;

/// A table that is written batch by batch.
pub struct TableFile {
    path: PathBuf,
    writer: ArrowWriter<File>,
}

impl TableFile {
    /// Begins a table in an open file; `path` is its name in errors.
    ///
    /// # Errors
    /// A type of the schema that Parquet has not, or what the operating system says.
    pub fn new(path: &Path, file: File, schema: SchemaRef) -> Result<TableFile, DatasetError> {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = ArrowWriter::try_new(file, schema, Some(properties)).map_err(at(path))?;
        Ok(TableFile { path: path.to_owned(), writer })
    }

    /// Adds rows.
    ///
    /// # Errors
    /// Rows of another schema, or what the operating system says.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<(), DatasetError> {
        self.writer.write(batch).map_err(at(&self.path))?;
        if self.writer.in_progress_size() > GROUP_BYTES {
            self.writer.flush().map_err(at(&self.path))?;
        }
        Ok(())
    }

    /// Adds an entry to the metadata of the file.
    pub(crate) fn note(&mut self, key: &str, value: String) {
        self.writer.append_key_value_metadata(KeyValue::new(key.to_owned(), value));
    }

    /// Ends the file.
    ///
    /// # Errors
    /// What the operating system says.
    pub fn close(self) -> Result<(), DatasetError> {
        self.writer.close().map(drop).map_err(at(&self.path))
    }
}
