//! Assembling a disassembly gives the same bytes, for any bytes.

use cairn_asm::{AssembleOptions, assemble, disassemble, listing, normalize, parse};
use cairn_diag::FileId;
use cairn_evm::{Fork, hex};
use proptest::prelude::*;
use std::io::Read;
use std::path::PathBuf;

fn check(code: &[u8], fork: Fork) {
    let program = disassemble(code, fork);
    let assembled = assemble(&program, AssembleOptions { fork, ..AssembleOptions::default() })
        .expect("a disassembly assembles");
    assert!(assembled.bytes == code, "{}", hex::encode(code));
    let text = listing(&program, &assembled);
    let again = parse(&text, FileId(0)).expect("a listing is valid text");
    assert_eq!(again, normalize(&program));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes(code in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&code, Fork::Osaka);
        check(&code, Fork::Amsterdam);
        check(&code, Fork::Frontier);
    }

    #[test]
    fn bytes_with_pushes_immediates_and_trailers(
        code in prop::collection::vec(
            prop::sample::select(vec![0x5b, 0x60, 0x61, 0x7f, 0xe6, 0xe7, 0xe8, 0x80, 0x00, 0xfe, 0xa1, 0x64, 0x56]), 0..60),
        trailer in any::<bool>(),
    ) {
        let metadata = [0xa1, 0x64, b's', b'o', b'l', b'c', 0x43, 0, 8, 26, 0, 10];
        let code = if trailer { [&code[..], &metadata].concat() } else { code };
        check(&code, Fork::Osaka);
        check(&code, Fork::Amsterdam);
    }
}

#[test]
fn codes_of_the_corpus() {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let corpus = std::env::var_os("CAIRN_CORPUS").map_or(default, PathBuf::from);
    let path = corpus.join("bytecode/bytecodes.jsonl.gz");
    let Ok(file) = std::fs::File::open(&path) else {
        eprintln!("skipped: no {}", path.display());
        return;
    };
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("the corpus is gzip");
    for line in text.lines() {
        let row: serde_json::Value = serde_json::from_str(line).expect("a row is JSON");
        let code = row["runtime"].as_str().expect("a row has code");
        let code = hex::decode(code).expect("code is hex");
        let program = disassemble(&code, Fork::Osaka);
        let assembled = assemble(&program, AssembleOptions::default()).expect("a disassembly assembles");
        assert!(assembled.bytes == code, "{}", row["name"]);
    }
}
