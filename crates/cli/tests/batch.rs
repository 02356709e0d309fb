//! Batches of `cairn analyze`: JSON lines, plain and compressed, and Parquet, in and out; runs that
//! were stopped, and files that cannot be read.

mod common;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::io::Write;
use std::path::PathBuf;
use tempfile::TempDir;

/// A loop, a call of a function, an open jump, a metadata trailer, nothing.
const PROGRAMS: [(&str, &str); 5] = [
    ("loop", "60005b6005811060135760005260206000f3fe5b60010160025600"),
    ("call", "600760056013565b6011906013560000005b005b80019056"),
    ("open", "5f35565b005b5000"),
    ("trailer", "5f5ffdfea164736f6c6343000814000a"),
    ("empty", ""),
];

/// Runs `cairn analyze` and expects an exit code; gives what was printed and what was complained of.
#[track_caller]
fn ends_with(arguments: &[&str], code: i32) -> (String, String) {
    common::ends_with(&[&["analyze"], arguments].concat(), "", code)
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(TempDir::new().expect("a folder"))
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, bytes).expect("a file");
        path
    }
}

fn lines() -> String {
    let row = |(name, code): &(&str, &str)| format!("{{\"name\":\"{name}\",\"runtime\":\"{code}\"}}\n");
    PROGRAMS.iter().map(row).collect()
}

/// Rows of JSON lines, but for how long each took.
fn rows(text: &str) -> Vec<Value> {
    let row = |line: &str| {
        let mut row: Value = serde_json::from_str(line).expect("JSON");
        row.as_object_mut().expect("an object").remove("seconds");
        row
    };
    text.lines().map(row).collect()
}

fn expected() -> Vec<Value> {
    let folder = Folder::new();
    let (out, _) = ends_with(&[&folder.write("in.jsonl", lines())], 0);
    let rows = rows(&out);
    let names: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(names, PROGRAMS.map(|(name, _)| name), "the order of the input");
    assert_eq!(rows[0]["jumps"].as_array().map(Vec::len), Some(2));
    assert_eq!(rows[1]["functions"][0]["params"], 1);
    assert_eq!(rows[2]["jumps"][0]["status"], "imprecise");
    assert_eq!(rows[3]["metadata_len"], 12);
    rows
}

#[test]
fn compressed_lines_and_threads_make_no_difference() {
    let folder = Folder::new();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(lines().as_bytes()).expect("memory");
    let input = folder.write("in.jsonl.gz", packed.finish().expect("memory"));
    for threads in ["1", "2", "7"] {
        let (out, _) = ends_with(&["-j", threads, &input], 0);
        assert_eq!(rows(&out), expected(), "{threads} threads");
    }
}

#[test]
fn a_stopped_run_goes_on_where_it_was() {
    let folder = Folder::new();
    let (input, output) = (folder.write("in.jsonl", lines()), folder.path("out.jsonl"));
    ends_with(&[&input, "-o", &output], 0);
    let whole = std::fs::read_to_string(&output).expect("rows");
    let second = whole.match_indices('\n').nth(1).expect("five rows").0 + 1;
    for stopped_at in [0, second, second + 20, whole.len()] {
        folder.write("out.jsonl", &whole[..stopped_at]);
        ends_with(&[&input, "-o", &output], 0);
        let again = std::fs::read_to_string(&output).expect("rows");
        assert_eq!(rows(&again), rows(&whole), "stopped after {stopped_at} bytes");
        assert!(again.starts_with(&whole[..stopped_at.min(second)]), "whole rows are kept as they are");
    }
}

#[test]
fn a_program_that_cannot_be_read_has_a_row_that_says_so() {
    let folder = Folder::new();
    let bad = "{\"name\":\"odd\",\"runtime\":\"600\"}\n{\"name\":\"none\"}\nno JSON\n";
    let input = folder.write("in.jsonl", format!("{bad}{}", lines()));
    let (out, err) = ends_with(&[&input], 1);
    assert!(err.contains("3 programs could not be read"), "{err}");
    let rows = rows(&out);
    assert!(rows[..3].iter().all(|row| row["error"].is_string()), "{out}");
    assert_eq!(rows[1]["error"], "no field `runtime` with hexadecimal digits");
    assert_eq!(rows[3..], expected());
}

#[test]
fn standard_input_may_be_a_batch_or_a_program() {
    let (out, _) = common::ends_with(&["analyze", "-"], &lines(), 0);
    assert_eq!(rows(&out), expected());
    let (out, _) = common::ends_with(&["analyze", "-"], "0x5f5ff3", 0);
    assert!(out.starts_with("<stdin>: 3 bytes"), "{out}");
}

#[test]
#[cfg(target_os = "linux")]
fn an_output_without_an_end_is_no_rows() {
    let folder = Folder::new();
    let batch = folder.write("batch.jsonl", lines());
    // What is read from there never ends.
    let (_, complaint) = ends_with(&[&batch, "--output", "/dev/full"], 1);
    assert!(complaint.contains("/dev/full"), "{complaint}");
}

#[test]
fn files_that_are_no_batches_are_named() {
    let folder = Folder::new();
    let mut faults = vec![
        ends_with(&[&folder.path("absent.jsonl")], 1).1,
        ends_with(&[&folder.write("in.jsonl.gz", b"no gzip")], 1).1,
    ];
    if cfg!(feature = "parquet") {
        faults.push(ends_with(&[&folder.write("text.parquet", b"no parquet at all")], 1).1);
        faults.push(ends_with(&[&folder.write("short.parquet", b"PAR1")], 1).1);
        faults.push(ends_with(&[&folder.write("lying.parquet", b"PAR1\xff\xff\xff\x7fPAR1")], 1).1);
    }
    for (fault, name) in
        faults.iter().zip(["absent.jsonl", "in.jsonl.gz", "text.parquet", "short.parquet", "lying.parquet"])
    {
        assert!(fault.starts_with("error: ") && fault.contains(name), "{fault}");
        assert!(!fault.contains("panicked"), "{fault}");
    }
}

#[cfg(feature = "parquet")]
mod columns {
    use super::*;
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int32Type;
    use arrow_array::{Array, RecordBatch};
    use cairn_columns::{Facts, SCHEMA_VERSION, VERSION_KEY};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use parquet::basic::Compression;
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;
    use serde_json::json;
    use std::fs::File;
    use std::path::Path;
    use std::sync::Arc;

    /// Writes the programs in two row groups.
    fn write_programs(path: &str, schema: &str, programs: &[(Vec<u8>, Vec<u8>)], packing: Compression) {
        let schema = Arc::new(parse_message_type(schema).expect("a schema"));
        let properties = Arc::new(WriterProperties::builder().set_compression(packing).build());
        let file = File::create(path).expect("a file");
        let mut writer = SerializedFileWriter::new(file, schema, properties).expect("a writer");
        for part in programs.chunks(3) {
            let mut group = writer.next_row_group().expect("a group");
            for index in 0..2 {
                let value = |row: &(Vec<u8>, Vec<u8>)| ByteArray::from([&row.0, &row.1][index].clone());
                let values: Vec<ByteArray> = part.iter().map(value).collect();
                let mut column = group.next_column().expect("a column").expect("two columns");
                column.typed::<ByteArrayType>().write_batch(&values, None, None).expect("memory");
                column.close().expect("memory");
            }
            group.close().expect("memory");
        }
        writer.close().expect("memory");
    }

    /// The table that `analyze` wrote.
    fn read_table(path: &str) -> RecordBatch {
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("a file"));
        let mut batches = reader.expect("Parquet").build().expect("Parquet");
        batches.next().expect("a batch").expect("rows")
    }

    fn names(table: &RecordBatch) -> Vec<&str> {
        table.schema_ref().fields().iter().map(|field| field.name().as_str()).collect()
    }

    /// What lines and tables both say of programs, of a line.
    fn of_line(row: &Value) -> Value {
        let jumps = row["jumps"].as_array().expect("a list");
        let jumps: Vec<Value> = jumps.iter().map(|jump| json!([jump["pc"], jump["status"]])).collect();
        let functions = row["functions"].as_array().expect("a list");
        let functions: Vec<&Value> = functions.iter().map(|function| &function["entry"]).collect();
        json!([row["name"], row["code_len"], row["metadata_len"], row["closed"], jumps, functions])
    }

    /// The same of the rows of a table.
    fn of_table(table: &RecordBatch) -> Vec<Value> {
        let int = |name: &str, row: usize| table[name].as_primitive::<Int32Type>().value(row);
        let items = |name: &str, row: usize| table[name].as_list::<i32>().value(row);
        let row = |row: usize| {
            let (jumps, functions) = (items("jumps", row), items("internals", row));
            let (jumps, functions) = (jumps.as_struct(), functions.as_struct());
            let pcs = jumps["pc"].as_primitive::<Int32Type>().values().iter();
            let statuses = jumps["status"].as_string::<i32>().iter();
            let jumps: Vec<Value> = pcs.zip(statuses).map(|(pc, status)| json!([pc, status])).collect();
            let functions = functions["entry"].as_primitive::<Int32Type>().values().to_vec();
            let (name, closed) = (table["name"].as_string::<i32>(), table["closed"].as_boolean());
            let lengths = (int("length", row), int("metadata_length", row));
            json!([name.value(row), lengths.0, lengths.1, closed.value(row), jumps, functions])
        };
        (0..table.num_rows()).map(row).collect()
    }

    /// Runs with `--format parquet` and reads the table.
    #[track_caller]
    fn table_of(folder: &Folder, input: &str, more: &[&str], code: i32) -> RecordBatch {
        let output = folder.path("out.parquet");
        ends_with(&[&[input, "--format", "parquet", "-o", &output], more].concat(), code);
        read_table(&output)
    }

    #[test]
    fn the_table_says_what_lines_say() {
        let folder = Folder::new();
        let table = table_of(&folder, &folder.write("in.jsonl", lines()), &[], 0);
        assert_eq!(of_table(&table), expected().iter().map(of_line).collect::<Vec<_>>());
        let kinds = Facts::named().map(|(name, _)| name).filter(|name| !["codes", "closed"].contains(name));
        assert!(kinds.eq(names(&table)[10..].iter().copied()), "a list for each kind of facts");
        let file = File::open(folder.path("out.parquet")).expect("a file");
        let file = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
        assert_eq!(file.schema().metadata()[VERSION_KEY], SCHEMA_VERSION.to_string());
        assert_eq!(table["error"].null_count(), PROGRAMS.len());
    }

    #[test]
    fn facts_are_chosen() {
        let folder = Folder::new();
        let input = folder.write("in.jsonl", lines());
        let table = table_of(&folder, &input, &["--facts", "jumps,closed"], 0);
        assert_eq!(names(&table), ["name", "error", "closed", "coarse", "role", "jumps"]);
        let output = folder.path("none.parquet");
        let refused = |more: &[&str]| ends_with(&[&[input.as_str(), "-o", &output], more].concat(), 2).1;
        assert!(refused(&["--facts", "edge", "--format", "parquet"]).contains("did you mean `edges`?"));
        assert!(refused(&["--facts", "edges"]).contains("`--format parquet`"));
        ends_with(&[&input, "--format", "parquet"], 2);
        assert!(!Path::new(&output).exists());
    }

    #[test]
    fn threads_make_no_difference_and_a_table_takes_the_place_of_another() {
        let folder = Folder::new();
        let input = folder.write("in.jsonl", lines().repeat(30));
        let bytes = |threads: &str| {
            table_of(&folder, &input, &["-j", threads], 0);
            std::fs::read(folder.path("out.parquet")).expect("a file")
        };
        assert_eq!(bytes("1"), bytes("3"));
    }

    #[test]
    fn a_program_that_cannot_be_read_is_a_row_with_an_error() {
        let folder = Folder::new();
        let bad = "{\"name\":\"odd\",\"runtime\":\"600\"}\n";
        let table = table_of(&folder, &folder.write("in.jsonl", format!("{bad}{}", lines())), &[], 1);
        assert!(table["error"].is_valid(0) && table["length"].is_null(0) && table["jumps"].is_null(0));
        assert_eq!(of_table(&table.slice(1, 5)), expected().iter().map(of_line).collect::<Vec<_>>());
    }

    #[test]
    fn programs_come_as_digits_or_as_bytes() {
        let folder = Folder::new();
        let text = "message m { required binary name (STRING); required binary runtime (STRING); }";
        let bytes = "message m { required binary name (STRING); required binary runtime; }";
        let digits: Vec<(Vec<u8>, Vec<u8>)> = PROGRAMS
            .iter()
            .map(|(name, code)| (name.as_bytes().to_vec(), code.as_bytes().to_vec()))
            .collect();
        let decode =
            |code: &[u8]| cairn_evm::hex::decode(std::str::from_utf8(code).expect("digits")).expect("digits");
        let binary: Vec<(Vec<u8>, Vec<u8>)> =
            digits.iter().map(|(name, code)| (name.clone(), decode(code))).collect();
        let packings = [Compression::UNCOMPRESSED, Compression::SNAPPY];
        for (schema, programs) in [(text, &digits), (bytes, &binary)] {
            for packing in packings {
                let input = folder.path("in.parquet");
                write_programs(&input, schema, programs, packing);
                assert_eq!(rows(&ends_with(&[&input], 0).0), expected(), "{schema} {packing}");
                let table = table_of(&folder, &input, &[], 0);
                assert_eq!(of_table(&table), expected().iter().map(of_line).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_file_without_code_or_cut_short_is_refused() {
        let folder = Folder::new();
        let other = "message m { required binary name (STRING); required binary code (STRING); }";
        let input = folder.path("in.parquet");
        let programs = vec![(b"a".to_vec(), b"00".to_vec()); 4];
        write_programs(&input, other, &programs, Compression::UNCOMPRESSED);
        let (_, fault) = ends_with(&[&input], 1);
        assert!(fault.contains("no column `runtime`"), "{fault}");
        let whole = std::fs::read(&input).expect("a file");
        for length in [whole.len() / 2, whole.len() - 1] {
            let cut: PathBuf = folder.write("cut.parquet", &whole[..length]).into();
            let (_, fault) = ends_with(&[&cut.display().to_string()], 1);
            assert!(fault.starts_with("error: ") && fault.contains("cut.parquet"), "{fault}");
        }
    }
}

#[test]
fn what_is_asked_of_one_program_is_refused_for_a_batch() {
    let folder = Folder::new();
    let input = folder.write("codes.jsonl", lines());
    let signatures = folder.write("names.txt", "transfer(address,uint256)\n");
    for option in [&["--strict"][..], &["--dominators"], &["--signatures", &signatures]] {
        for more in [&[&input[..]][..], &[&input[..], &folder.path("tables")]] {
            let (_, complaint) = ends_with(&[more, option].concat(), 2);
            assert!(complaint.contains(option[0]), "{complaint}");
        }
    }
    let one = folder.write("one.hex", PROGRAMS[0].1);
    let (_, complaint) = ends_with(&[&one, "--format", "json", "--dominators"], 2);
    assert!(complaint.contains("for the text"), "{complaint}");
}
