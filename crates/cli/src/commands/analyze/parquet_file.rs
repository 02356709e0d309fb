//! Parquet: programs in, rows of analyses out.
//!
//! Programs come from the columns `name` and `runtime` (hexadecimal digits or bytes). Rows have
//! the columns of `--format jsonl`, lists as repeated groups; `error` is null for programs that
//! could be read. A row group holds the rows of one piece of the input.

use super::program::{Program, decode};
use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::record::Field;
use parquet::schema::parser::parse_message_type;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Rows of a row group.
const GROUP: usize = 4096;

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
                ("runtime", Field::Str(digits)) => program.code = decode(digits),
                ("runtime", Field::Bytes(bytes)) => program.code = Ok(bytes.data().to_vec()),
                _ => {}
            }
        }
        Ok(program)
    });
    Ok((rows, Box::new(programs)))
}

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Int,
    Bool,
    Double,
    Text,
}

/// A column: its place in a row, and its place in the schema. `[]` walks into a list.
struct Column {
    path: &'static [&'static str],
    kind: Kind,
    is_optional: bool,
}

const fn column(path: &'static [&'static str], kind: Kind) -> Column {
    Column { path, kind, is_optional: false }
}

const fn optional(path: &'static [&'static str], kind: Kind) -> Column {
    Column { path, kind, is_optional: true }
}

/// In the order of the schema.
const COLUMNS: [Column; 23] = [
    column(&["name"], Kind::Text),
    optional(&["error"], Kind::Text),
    optional(&["code_len"], Kind::Int),
    optional(&["metadata_len"], Kind::Int),
    optional(&["closed"], Kind::Bool),
    optional(&["seconds"], Kind::Double),
    column(&["blocks", "[]", "0"], Kind::Int),
    column(&["blocks", "[]", "1"], Kind::Int),
    column(&["edges", "[]", "0"], Kind::Int),
    column(&["edges", "[]", "1"], Kind::Int),
    column(&["edges", "[]", "2"], Kind::Text),
    column(&["jumps", "[]", "pc"], Kind::Int),
    column(&["jumps", "[]", "status"], Kind::Text),
    optional(&["jumps", "[]", "reason"], Kind::Text),
    column(&["jumps", "[]", "targets", "[]"], Kind::Int),
    column(&["functions", "[]", "entry"], Kind::Int),
    column(&["functions", "[]", "params"], Kind::Int),
    column(&["functions", "[]", "rets"], Kind::Int),
    column(&["functions", "[]", "returns"], Kind::Bool),
    column(&["selectors", "[]", "selector"], Kind::Text),
    column(&["selectors", "[]", "entry"], Kind::Int),
    column(&["unreachable", "[]", "0"], Kind::Int),
    column(&["unreachable", "[]", "1"], Kind::Int),
];

const SCHEMA: &str = "message cairn {
  required binary name (STRING);
  optional binary error (STRING);
  optional int32 code_len;
  optional int32 metadata_len;
  optional boolean closed;
  optional double seconds;
  required group blocks (LIST) { repeated group list { required group element {
    required int32 start; required int32 end; } } }
  required group edges (LIST) { repeated group list { required group element {
    required int32 from; required int32 to; required binary kind (STRING); } } }
  required group jumps (LIST) { repeated group list { required group element {
    required int32 pc; required binary status (STRING); optional binary reason (STRING);
    required group targets (LIST) { repeated group list { required int32 element; } } } } }
  required group functions (LIST) { repeated group list { required group element {
    required int32 entry; required int32 params; required int32 rets; required boolean returns; } } }
  required group selectors (LIST) { repeated group list { required group element {
    required binary selector (STRING); required int32 entry; } } }
  required group unreachable (LIST) { repeated group list { required group element {
    required int32 start; required int32 end; } } }
}";

/// Writes the rows of a file with JSON lines as Parquet.
pub(super) fn write(rows: &Path, output: &mut File) -> Result<(), ParquetError> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(output, schema, Arc::new(properties))?;
    let mut lines = BufReader::new(File::open(rows)?).lines();
    loop {
        let group: Result<Vec<String>, _> = lines.by_ref().take(GROUP).collect();
        let group = group?;
        if group.is_empty() {
            break;
        }
        let parse = |text: &String| serde_json::from_str(text);
        let values: Result<Vec<Value>, _> = group.iter().map(parse).collect();
        write_group(&mut writer, &values.map_err(|error| ParquetError::General(error.to_string()))?)?;
    }
    writer.close()?;
    Ok(())
}

fn write_group(writer: &mut SerializedFileWriter<&mut File>, rows: &[Value]) -> Result<(), ParquetError> {
    let mut group = writer.next_row_group()?;
    for column in &COLUMNS {
        let mut shredded = Shredded::default();
        rows.iter().for_each(|row| shredded.add(row, column, column.path, 0, 0, 0));
        let target = group.next_column()?;
        write_column(
            target.ok_or_else(|| ParquetError::General("columns differ".into()))?,
            column,
            &shredded,
        )?;
    }
    group.close()?;
    Ok(())
}

fn write_column(
    mut target: SerializedColumnWriter<'_>,
    column: &Column,
    shredded: &Shredded<'_>,
) -> Result<(), ParquetError> {
    let levels = (Some(&shredded.defined[..]), Some(&shredded.repeated[..]));
    let values = || shredded.values.iter();
    match column.kind {
        Kind::Int => {
            let list: Vec<i32> = values()
                .map(|value| i32::try_from(value.as_i64().unwrap_or(0)).unwrap_or(i32::MAX))
                .collect();
            target.typed::<Int32Type>().write_batch(&list, levels.0, levels.1)?;
        }
        Kind::Bool => {
            let list: Vec<bool> = values().map(|value| value.as_bool().unwrap_or(false)).collect();
            target.typed::<BoolType>().write_batch(&list, levels.0, levels.1)?;
        }
        Kind::Double => {
            let list: Vec<f64> = values().map(|value| value.as_f64().unwrap_or(0.0)).collect();
            target.typed::<DoubleType>().write_batch(&list, levels.0, levels.1)?;
        }
        Kind::Text => {
            let list: Vec<ByteArray> =
                values().map(|value| ByteArray::from(value.as_str().unwrap_or(""))).collect();
            target.typed::<ByteArrayType>().write_batch(&list, levels.0, levels.1)?;
        }
    }
    target.close()
}

/// The values of a column with Dremel's levels: how much of the path is defined, and which list
/// begins a new item.
#[derive(Default)]
struct Shredded<'a> {
    values: Vec<&'a Value>,
    defined: Vec<i16>,
    repeated: Vec<i16>,
}

impl<'a> Shredded<'a> {
    /// Adds what `path`, the rest of the column's, finds in `value`; `depth` counts the lists around it.
    fn add(
        &mut self,
        value: &'a Value,
        column: &Column,
        path: &[&str],
        depth: i16,
        defined: i16,
        repeated: i16,
    ) {
        match path.split_first() {
            None if column.is_optional && value.is_null() => self.push(None, defined, repeated),
            None => self.push(Some(value), defined + i16::from(column.is_optional), repeated),
            Some((&"[]", rest)) => {
                let items = value.as_array().map_or(&[][..], Vec::as_slice);
                if items.is_empty() {
                    self.push(None, defined, repeated);
                }
                for (index, item) in items.iter().enumerate() {
                    let repeated = if index == 0 { repeated } else { depth + 1 };
                    self.add(item, column, rest, depth + 1, defined + 1, repeated);
                }
            }
            Some((name, rest)) => {
                let inner = match name.parse::<usize>() {
                    Ok(index) => &value[index],
                    Err(_) => &value[*name],
                };
                self.add(inner, column, rest, depth, defined, repeated);
            }
        }
    }

    fn push(&mut self, value: Option<&'a Value>, defined: i16, repeated: i16) {
        self.values.extend(value);
        self.defined.push(defined);
        self.repeated.push(repeated);
    }
}
