//! Assembly text: round trips, examples, errors.

use cairn_asm::{
    AssembleOptions, Item, ItemKind, JumpKind, Label, NameId, Program, SourceLoc, TableId, assemble,
    normalize, parse, print,
};
use cairn_diag::FileId;
use cairn_evm::{Opcode, Word, hex};
use proptest::prelude::*;

fn parsed(text: &str) -> Program {
    parse(text, FileId(0)).expect("is valid")
}

/// The messages with the text they point at.
fn errors(text: &str) -> Vec<(String, &str)> {
    let diagnostics = parse(text, FileId(0)).expect_err("has errors");
    let place = |span: Option<cairn_diag::Span>| {
        span.map_or("", |span| &text[span.start as usize..span.end as usize])
    };
    diagnostics.into_iter().map(|diagnostic| (diagnostic.message, place(diagnostic.span))).collect()
}

fn bytes(text: &str) -> String {
    hex::encode(assemble(&parsed(text), AssembleOptions::default()).expect("assembles").bytes)
}

const EVERYTHING: &str = r#"object "Outer" {
    PUSH 0x80
    PUSH2 0x0001
    PUSH0
    .loc 0 10 20
    PUSH L0
    JUMP [in]
  L0:
    .loc none
    DUPN 17
    SWAPN 235
    EXCHANGE 1 29
    OP 0x0c
    OP 0xe6 0x5b
    OP 0x60
    PUSH offset("Inner")
    PUSH size("Inner.d")
    PUSH immutable("x")
    PUSH20 immutable("x")
    PUSH1 immutable("y")
    SETIMMUTABLE "a \"quoted\" \\ name\n\u{7}"
    PUSH library("lib.sol:L")
    PUSH table(L0 L0)
    VERBATIM 1 2 hex"6001"
    .loc -1 -1 -1
    PREVRANDAO
    JUMP [out]
  data "Inner.d" hex"00ff"
  data ".metadata" hex""
  object "Inner" {
      STOP
    object "" {
    }
  }
}
"#;

#[test]
fn everything_round_trips() {
    assert_eq!(print(&parsed(EVERYTHING)), EVERYTHING);
}

#[test]
fn free_form_input() {
    let text = "start: push 1 PUSH1 2 // sum\n add ; comment\n PUSH start JUMP data \"d\" hex\"01_02\"";
    let expected = "L0:\n  PUSH 0x1\n  PUSH1 0x02\n  ADD\n  PUSH L0\n  JUMP\ndata \"d\" hex\"0102\"\n";
    assert_eq!(print(&parsed(text)), expected);
    assert_eq!(bytes(text), "5b60016002015f56");
}

#[test]
fn one_object_or_the_inside_of_one() {
    assert_eq!(parsed("object \"A\" { STOP }").name, "A");
    assert_eq!(parsed("STOP object \"A\" { STOP }").subs.len(), 1);
    assert_eq!(parsed("object \"A\" { } object \"B\" { }").subs.len(), 2);
    assert_eq!(parsed(""), Program::default());
}

#[test]
fn every_error_has_its_place() {
    let text = "PUSHX 1\nPUSH1 256\nPUSH nowhere\nPUSH what(\"x\")\nDUPN 16\nADD }\nlabel: label: STOP\nVERBATIM 1 300 hex\"\"\n\
                data \"x\" hex\"0\"\nPUSH 0xzz\nJUMP [up]\n?\nSETIMMUTABLE \"\\q\"\nobject \"O\" { PUSH1";
    let expected = [
        ("unknown instruction `PUSHX`", "PUSHX"),
        ("`0x100` does not fit in the 1 bytes of `PUSH1`", "256"),
        ("`what` is none of `offset`, `size`, `immutable`, `library`, `table`", "what"),
        ("no immediate byte stands for these depths", "DUPN"),
        ("expected an instruction, label, `data` or `object`, found `}`", "}"),
        ("label `label` is defined twice", "label"),
        ("`0x12c` is no byte", "300"),
        ("expected pairs of hexadecimal digits", "hex\"0\""),
        ("`0xzz` is no number of 256 bits", "0xzz"),
        ("expected `in` or `out`, found `up`", "up"),
        ("expected an instruction, label, `data` or `object`, found `?`", "?"),
        ("unknown escape in \"\\q\"", "\"\\q\""),
        ("expected a number, found the end of the text", ""),
        ("expected `}`, found the end of the text", ""),
        ("label `nowhere` is not defined in this object", "nowhere"),
    ];
    let expected: Vec<(String, &str)> =
        expected.iter().map(|(message, place)| ((*message).to_owned(), *place)).collect();
    assert_eq!(errors(text), expected);
}

#[test]
fn labels_belong_to_their_object() {
    let text = "outer: object \"A\" { PUSH outer }";
    assert_eq!(errors(text), [("label `outer` is not defined in this object".to_owned(), "outer")]);
}

#[test]
fn nesting_is_bounded() {
    let deep = "object \"A\" {".repeat(100_000);
    assert_eq!(errors(&deep)[0], ("objects are nested more than 256 deep".to_owned(), "object"));
}

/// Any kind of item over small tables; not all are meaningful.
fn item() -> impl Strategy<Value = Item> {
    let word = prop_oneof![any::<u8>().prop_map(Word::from), any::<[u64; 4]>().prop_map(Word::from_limbs)];
    let label = || (0u32..6).prop_map(Label);
    let name = || (0u32..4).prop_map(NameId);
    let opcode =
        any::<u8>().prop_map(Opcode).prop_filter("pushes have their own kind", |op| *op != Opcode::PUSH0);
    let immediates = prop::sample::select(vec![Opcode::DUPN, Opcode::SWAPN, Opcode::EXCHANGE, Opcode::ADD]);
    let kind = prop_oneof![
        opcode.prop_map(ItemKind::Op),
        (immediates, any::<u8>()).prop_map(|(opcode, byte)| ItemKind::OpImmediate(opcode, byte)),
        word.prop_map(ItemKind::Push),
        (0u8..=32).prop_flat_map(|width| {
            prop::collection::vec(any::<u8>(), width as usize)
                .prop_map(move |bytes| ItemKind::PushSized(Word::from_be_slice(&bytes), width))
        }),
        label().prop_map(ItemKind::PushLabel),
        (0u32..3).prop_map(|table| ItemKind::PushTable(TableId(table))),
        name().prop_map(ItemKind::PushDataOffset),
        name().prop_map(ItemKind::PushDataSize),
        (name(), 1u8..=32).prop_map(|(name, width)| ItemKind::PushImmutable(name, width)),
        name().prop_map(ItemKind::AssignImmutable),
        name().prop_map(ItemKind::PushLibrary),
        (0u32..3, any::<u8>(), any::<u8>()).prop_map(|(blob, inputs, outputs)| ItemKind::Verbatim {
            blob,
            inputs,
            outputs
        }),
    ];
    let jump = prop::sample::select(vec![JumpKind::Plain, JumpKind::Into, JumpKind::OutOf]);
    (kind, prop::option::of(0u32..3), jump).prop_map(|(kind, loc, jump)| Item { kind, loc, jump })
}

fn program() -> impl Strategy<Value = Program> {
    let string = || "[a-z.]{0,6}|\\PC{0,3}|[\"\\\\\n\t\r\u{1}-]{0,4}";
    let items = prop::collection::vec(item(), 0..20);
    let data = prop::collection::vec((string(), prop::collection::vec(any::<u8>(), 0..8)), 0..3);
    let leaf = (string(), items, prop::collection::vec(string(), 4), data);
    let leaf = leaf.prop_map(|(name, mut items, names, data)| {
        items.extend((0..6).map(|label| Item::from(ItemKind::Label(Label(label)))));
        let locs = (0..3).map(|index| SourceLoc { source: index - 1, start: 5 * index, end: 9 }).collect();
        let blobs = vec![vec![], vec![1], vec![1]];
        Program {
            name,
            items,
            num_labels: 6,
            names,
            tables: vec![vec![Label(0)], vec![Label(5), Label(1), Label(5)], vec![Label(2); 16]],
            blobs,
            locs,
            data,
            subs: Vec::new(),
            variables: std::collections::BTreeMap::new(),
        }
    });
    leaf.prop_recursive(3, 12, 3, |inner| {
        (inner.clone(), prop::collection::vec(inner, 0..3))
            .prop_map(|(program, subs)| Program { subs, ..program })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_gives_the_program_back(program in program()) {
        let text = print(&program);
        let again = parsed(&text);
        prop_assert_eq!(&again, &normalize(&program));
        prop_assert_eq!(&print(&again), &print(&normalize(&program)));
        prop_assert_eq!(normalize(&again), again);
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(PUSH|PUSH1|immutable|L0|L0:|:|\\{|\\}|object|data|\"|hex\"|[0-9a-fx]{1,3}|\\(|\\)|offset|.loc|\n| |\\PC){0,40}") {
        if let Ok(program) = parse(&text, FileId(0)) {
            prop_assert_eq!(&parsed(&print(&program)), &normalize(&program));
        }
    }
}
