//! Programs of a Parquet file: the columns `name` and `runtime` (hexadecimal digits or bytes).

use super::program::Program;
use cairn_driver::bytes_of_hex;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::record::Field;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

type Programs = Box<dyn Iterator<Item = Result<Program, String>>>;

/// The number of programs of a file, and the programs; `position` counts them.
pub(super) fn read(file: File, position: Arc<AtomicU64>) -> Result<(u64, Programs), String> {
    let reader = SerializedFileReader::new(file).map_err(|error| error.to_string())?;
    let metadata = reader.metadata().file_metadata();
    let rows = u64::try_from(metadata.num_rows()).unwrap_or(0);
    if !metadata.schema().get_fields().iter().any(|field| field.name() == "runtime") {
        return Err("no column `runtime`".to_owned());
    }
    let programs = reader.into_iter().map(move |row| {
        position.fetch_add(1, Ordering::Relaxed);
        let row = row.map_err(|error| error.to_string())?;
        let mut program =
            Program { name: String::new(), code: Err("the column `runtime` is empty".to_owned()) };
        for (name, field) in row.get_column_iter() {
            match (name.as_str(), field) {
                ("name", Field::Str(text)) => program.name.clone_from(text),
                ("runtime", Field::Str(digits)) => program.code = bytes_of_hex(digits),
                ("runtime", Field::Bytes(bytes)) => program.code = Ok(bytes.data().to_vec()),
                _ => {}
            }
        }
        Ok(program)
    });
    Ok((rows, Box::new(programs)))
}
