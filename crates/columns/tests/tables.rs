//! Tables against the analyses that they are made of.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use cairn_columns::{BatchBuilder, Facts, Options, SCHEMA_VERSION, Tables, VERSION_KEY};
use flate2::read::GzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

fn tables(facts: Facts, codes: &[Vec<u8>]) -> Tables {
    let mut batch = BatchBuilder::new(Options { facts, ..Options::default() });
    codes.iter().for_each(|code| batch.push(code));
    batch.finish().expect("arrays fit together")
}

/// A dispatcher with one case: CALLVALUE reverts, else slot 5 is stored and an event with topic 9 written.
fn contract() -> Vec<u8> {
    let dispatcher = "5f3560e01c63aabbccdd1460105700005b";
    let body = "34602057600160055560095f5fa1005b5f5ffd";
    cairn_evm::hex::decode(format!("{dispatcher}{body}")).expect("digits")
}

fn ints(batch: &RecordBatch, name: &str) -> Vec<i32> {
    batch.column_by_name(name).expect("a column").as_primitive::<Int32Type>().values().to_vec()
}

fn texts(batch: &RecordBatch, name: &str) -> Vec<String> {
    let column = batch.column_by_name(name).expect("a column").as_string::<i32>();
    column.iter().map(|text| text.expect("a value").to_owned()).collect()
}

/// Every 40th code of the corpus.
fn corpus() -> Vec<Vec<u8>> {
    let root = std::env::var_os("CAIRN_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
        PathBuf::from,
    );
    let Ok(file) = File::open(root.join("bytecode/bytecodes.jsonl.gz")) else { return Vec::new() };
    let lines = BufReader::new(GzDecoder::new(file)).lines().step_by(40);
    let code = |line: String| {
        let row: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        cairn_evm::hex::decode(row["runtime"].as_str().expect("digits")).expect("digits")
    };
    lines.map(|line| code(line.expect("readable"))).collect()
}

#[test]
fn a_contract_becomes_rows() {
    let tables = tables(Facts::all(), &[vec![0], contract()]);
    let functions = tables.table(Facts::FUNCTIONS, 7).expect("a table");
    assert_eq!(texts(&functions, "selector"), ["0xaabbccdd"]);
    assert_eq!(ints(&functions, "entry"), [16]);
    assert!(!functions["payable"].as_boolean().value(0));
    assert_eq!(functions["row"].as_primitive::<Int64Type>().values().to_vec(), [8]);
    let storage = tables.table(Facts::STORAGE, 0).expect("a table");
    let slot = storage["slot"].as_binary::<i32>();
    assert_eq!((slot.value(0).len(), slot.value(0)[31]), (32, 5));
    assert_eq!(texts(&storage, "access"), ["store"]);
    assert_eq!(
        (texts(&storage, "path"), texts(&storage, "type")),
        (vec![String::new()], vec!["uint256".to_owned()])
    );
    let variables = tables.table(Facts::VARIABLES, 7).expect("a table");
    assert_eq!(
        (texts(&variables, "type"), ints(&variables, "offset")),
        (vec!["uint256".to_owned()], vec![0])
    );
    assert_eq!(variables["readers"].as_list::<i32>().value(0).len(), 0);
    let writers = variables["writers"].as_list::<i32>().value(0);
    assert_eq!(writers.as_string::<i32>().value(0), "0xaabbccdd");
    let events = tables.table(Facts::EVENTS, 0).expect("a table");
    assert_eq!((ints(&events, "topics"), events["topic"].as_binary::<i32>().value(0)[31]), (vec![1], 9));
    let codes = tables.table(Facts::CODES, 0).expect("a table");
    assert_eq!(ints(&codes, "length"), [1, contract().len() as i32]);
    assert_eq!(codes["hash"].as_binary::<i32>().value(1), cairn_evm::keccak256(contract()).as_slice());
}

#[test]
fn a_row_with_an_error_has_nothing_else() {
    let mut batch = BatchBuilder::new(Options::default());
    batch.push(&contract());
    batch.push_error("no code");
    let nested = batch.finish().and_then(|tables| tables.nested()).expect("arrays fit together");
    assert_eq!(nested["error"].as_string::<i32>().value(1), "no code");
    for (field, column) in nested.schema().fields().iter().zip(nested.columns()).skip(1) {
        let is_null = (column.is_null(0), column.is_null(1));
        let has_no_trailer = field.name().starts_with("compiler");
        assert_eq!(is_null, (has_no_trailer, true), "{}", field.name());
    }
}

#[test]
fn room_changes_nothing_and_has_a_bound() {
    let expected = tables(Facts::all(), &[contract()]).nested().expect("a batch");
    for bytes in [0, 1_000, usize::MAX] {
        let mut batch = BatchBuilder::new(Options::default());
        batch.reserve(bytes);
        batch.push(&contract());
        let nested = batch.finish().and_then(|tables| tables.nested()).expect("arrays fit together");
        assert_eq!(nested, expected);
        assert!(nested.get_array_memory_size() < 64 << 20, "{bytes}");
    }
}

#[test]
fn lists_and_flat_tables_hold_the_same() {
    let tables = tables(Facts::all(), &[vec![0], contract(), contract()]);
    let nested = tables.nested().expect("a batch");
    for (name, fact) in Facts::named().skip(2) {
        let list = nested[name].as_list::<i32>();
        let flat = tables.table(fact, 0).expect("a table");
        assert_eq!(list.values().len(), flat.num_rows(), "{name}");
        let rows = flat["row"].as_primitive::<Int64Type>();
        for row in 0..3 {
            let of_row = rows.values().iter().filter(|number| **number == row).count();
            assert_eq!(of_row, list.value_length(row as usize) as usize, "{name}");
        }
        assert_eq!(flat.columns()[1..], *list.values().as_struct().columns(), "{name}");
    }
}

#[test]
fn what_is_found_does_not_depend_on_what_else_is_asked() {
    let mut codes = corpus();
    codes.push(contract());
    let all = tables(Facts::all(), &codes);
    for (name, fact) in Facts::named() {
        let alone = tables(fact, &codes).nested().expect("a batch");
        let nested = all.nested().expect("a batch");
        for (field, column) in alone.schema().fields().iter().zip(alone.columns()) {
            assert_eq!(column.as_ref(), nested[field.name().as_str()].as_ref(), "{name}");
        }
    }
}

#[test]
fn rows_are_those_of_the_report() {
    let mut codes = corpus();
    codes.push(contract());
    for code in codes {
        let analysis = cairn_bytecode::analyze(&code);
        let report = cairn_bytecode::report::row("", &analysis, 0.0);
        let tables = tables(Facts::all(), std::slice::from_ref(&code));
        let table = |fact| tables.table(fact, 0).expect("a table");
        let edges = table(Facts::EDGES);
        let (pcs, to, kinds) = (ints(&edges, "pc"), ints(&edges, "to"), texts(&edges, "kind"));
        let rows = pcs.iter().zip(to).zip(kinds);
        let rows: Vec<_> = rows.map(|((pc, to), kind)| serde_json::json!([pc, to, kind])).collect();
        assert_eq!(serde_json::json!(rows), report["edges"]);
        let selectors = table(Facts::SELECTORS);
        let rows = texts(&selectors, "selector").into_iter().zip(ints(&selectors, "entry"));
        let rows: Vec<_> =
            rows.map(|(selector, entry)| serde_json::json!({"selector": selector, "entry": entry})).collect();
        assert_eq!(serde_json::json!(rows), report["selectors"]);
        let statuses = report["jumps"].as_array().expect("a list").iter();
        let statuses: Vec<&str> = statuses.map(|jump| jump["status"].as_str().expect("a status")).collect();
        assert_eq!(texts(&table(Facts::JUMPS), "status"), statuses);
        let entries = report["functions"].as_array().expect("a list").iter();
        let entries: Vec<i64> = entries.map(|found| found["entry"].as_i64().expect("an offset")).collect();
        let found = ints(&table(Facts::INTERNALS), "entry");
        assert_eq!(found.into_iter().map(i64::from).collect::<Vec<_>>(), entries);
    }
}

#[test]
fn every_column_is_documented() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/columns.md");
    let text = std::fs::read_to_string(path).expect("docs/columns.md");
    assert!(text.contains(&format!("## Schema, version {SCHEMA_VERSION}")));
    let batch = tables(Facts::all(), &[]).nested().expect("a batch");
    assert_eq!(batch.schema().metadata()[VERSION_KEY], SCHEMA_VERSION.to_string());
    for field in batch.schema().fields() {
        assert!(text.contains(&format!("| `{}` |", field.name())), "{}", field.name());
        let DataType::List(item) = field.data_type() else { continue };
        let DataType::Struct(inner) = item.data_type() else { panic!("lists hold structs") };
        for column in inner {
            assert!(text.contains(&format!("`{}`", column.name())), "{}.{}", field.name(), column.name());
        }
    }
}

#[test]
fn any_bytes_are_rows() {
    let noise = |seed: u32| (0..700u32).map(|at| (at.wrapping_mul(seed) >> 7) as u8).collect::<Vec<u8>>();
    let codes: Vec<Vec<u8>> =
        [Vec::new()].into_iter().chain((1..50).map(|seed| noise(seed * 40_503))).collect();
    let batch = tables(Facts::all(), &codes).nested().expect("a batch");
    assert_eq!((batch.num_rows(), batch["error"].null_count()), (codes.len(), codes.len()));
}
