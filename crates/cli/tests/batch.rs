//! Batches of `cairn analyze`: JSON lines, plain and compressed, and Parquet, in and out; runs that
//! were stopped, and files that cannot be read.

mod common;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
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
    use parquet::basic::Compression;
    use parquet::data_type::{ByteArray, ByteArrayType};
    use parquet::file::properties::WriterProperties;
    use parquet::file::serialized_reader::SerializedFileReader;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::record::{Field, Row};
    use parquet::schema::parser::parse_message_type;
    use std::fs::File;
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

    /// The rows of a file that `analyze` wrote, in the form of JSON lines.
    fn read_rows(path: &str) -> Vec<Value> {
        let bytes = std::fs::read(path).expect("a file");
        assert_eq!((&bytes[..4], &bytes[bytes.len() - 4..]), (&b"PAR1"[..], &b"PAR1"[..]));
        let reader = SerializedFileReader::new(File::open(path).expect("a file")).expect("Parquet");
        let row = |row: Result<Row, _>| as_line(object_of(&row.expect("a row")));
        reader.into_iter().map(row).collect()
    }

    fn object_of(row: &Row) -> Value {
        let fields = row.get_column_iter().map(|(name, field)| (name.clone(), value_of(field)));
        Value::Object(fields.collect())
    }

    fn value_of(field: &Field) -> Value {
        match field {
            Field::Null => Value::Null,
            Field::Bool(value) => (*value).into(),
            Field::Int(value) => (*value).into(),
            Field::Double(value) => (*value).into(),
            Field::Str(text) => text.clone().into(),
            Field::Group(row) => object_of(row),
            Field::ListInternal(list) => list.elements().iter().map(value_of).collect(),
            other => panic!("no column holds {other}"),
        }
    }

    /// Groups become lists where JSON lines have lists; what is null is absent.
    fn as_line(mut row: Value) -> Value {
        let object = row.as_object_mut().expect("an object");
        object.remove("seconds");
        object.retain(|_, value| !value.is_null());
        let shapes = [
            ("blocks", &["start", "end"][..]),
            ("edges", &["from", "to", "kind"]),
            ("unreachable", &["start", "end"]),
        ];
        for (name, fields) in shapes {
            for item in object[name].as_array_mut().expect("a list") {
                *item = fields.iter().map(|field| item[*field].clone()).collect();
            }
        }
        for jump in object["jumps"].as_array_mut().expect("a list") {
            jump.as_object_mut().expect("an object").retain(|_, value| !value.is_null());
        }
        row
    }

    #[test]
    fn what_is_written_is_what_lines_say() {
        let folder = Folder::new();
        let (input, output) = (folder.write("in.jsonl", lines()), folder.path("out.parquet"));
        ends_with(&[&input, "--format", "parquet", "-o", &output], 0);
        assert_eq!(read_rows(&output), expected());
        assert!(!Path::new(&folder.path("out.parquet.partial")).exists());
        let (_, note) = ends_with(&[&input, "--format", "parquet", "-o", &output], 0);
        assert!(note.contains("is complete"), "{note}");
    }

    #[test]
    fn a_stopped_run_goes_on_from_the_rows_that_wait() {
        let folder = Folder::new();
        let (input, output) = (folder.write("in.jsonl", lines()), folder.path("out.parquet"));
        let (whole, _) = ends_with(&[&input], 0);
        folder.write("out.parquet.partial", &whole[..whole.len() / 2]);
        ends_with(&[&input, "--format", "parquet", "-o", &output], 0);
        assert_eq!(read_rows(&output), expected());
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
                let output = folder.path("out.parquet");
                ends_with(&[&input, "--format", "parquet", "-o", &output], 0);
                assert_eq!(read_rows(&output), expected());
                std::fs::remove_file(output).expect("it was written");
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
