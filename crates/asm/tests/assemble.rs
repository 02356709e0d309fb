//! Exact bytes of small programs.

use cairn_asm::{
    AssembleOptions, Assembled, ImmutableReference, Item, ItemKind, Label, LinkReference, Program, Segment,
    assemble,
};
use cairn_evm::{Fork, Opcode, Word, hex};

fn program(name: &str, build: impl FnOnce(&mut Program) -> Vec<ItemKind>) -> Program {
    let mut program = Program::new(name);
    let items = build(&mut program);
    program.items = items.into_iter().map(Item::from).collect();
    program
}

fn assembled(program: &Program) -> Assembled {
    assemble(program, AssembleOptions::default()).expect("assembles")
}

fn hex_of(program: &Program) -> String {
    hex::encode(assembled(program).bytes)
}

fn messages(program: &Program) -> Vec<String> {
    let diagnostics = assemble(program, AssembleOptions::default()).expect_err("has errors");
    diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect()
}

fn op(opcode: Opcode) -> ItemKind {
    ItemKind::Op(opcode)
}

fn push(value: u64) -> ItemKind {
    ItemKind::Push(Word::from(value))
}

/// A sub-object of four bytes.
fn small_sub(name: &str) -> Program {
    program(name, |_| vec![push(0x1234), op(Opcode::STOP)])
}

#[test]
fn pushes_are_shortest_and_sized_pushes_are_kept() {
    let code = program("a", |_| {
        let sized = ItemKind::PushSized(Word::from(1), 3);
        vec![
            push(0),
            push(0xff),
            push(0x100),
            ItemKind::Push(Word::MAX),
            sized,
            ItemKind::PushSized(Word::ZERO, 0),
        ]
    });
    let expected = format!("5f60ff6101007f{}620000015f", "ff".repeat(32));
    assert_eq!(hex_of(&code), expected);
}

#[test]
fn zero_is_two_bytes_before_push0() {
    let code = program("a", |_| vec![push(0)]);
    let paris = assemble(&code, AssembleOptions { fork: Fork::Paris, ..AssembleOptions::default() })
        .expect("assembles");
    assert_eq!(hex::encode(paris.bytes), "6000");
}

#[test]
fn deep_stack_access_uses_immediates() {
    let kinds = [ItemKind::dup(16), ItemKind::dup(17), ItemKind::swap(235), ItemKind::exchange(1, 2)];
    let code = program("a", |_| kinds.into_iter().flatten().collect());
    assert_eq!(hex_of(&code), "8fe680e75ae88e");
    assert_eq!((ItemKind::dup(0), ItemKind::dup(236), ItemKind::exchange(2, 2)), (None, None, None));
}

#[test]
fn forward_and_backward_labels() {
    let code = program("a", |p| {
        let (start, end) = (p.new_label(), p.new_label());
        let jump = op(Opcode::JUMP);
        vec![
            ItemKind::Label(start),
            ItemKind::PushLabel(end),
            jump,
            ItemKind::PushLabel(start),
            jump,
            ItemKind::Label(end),
        ]
    });
    let result = assembled(&code);
    assert_eq!(hex::encode(&result.bytes), "5b6006565f565b");
    assert_eq!(result.labels, [Some(0), Some(6)]);
    assert_eq!(result.item_offsets, [0, 1, 3, 4, 5, 6, 7]);
}

#[test]
fn code_past_64_kib_has_three_byte_labels() {
    let code = program("a", |p| {
        let end = p.new_label();
        let mut items = vec![ItemKind::PushLabel(end), op(Opcode::JUMP)];
        items.extend(std::iter::repeat_n(op(Opcode::CALLER), 70_000));
        items.push(ItemKind::Label(end));
        items
    });
    let result = assembled(&code);
    assert_eq!(result.bytes[..5], [0x62, 0x01, 0x11, 0x75, 0x56]);
    assert_eq!(result.bytes[70_005], Opcode::JUMPDEST.0);
}

#[test]
fn sub_objects_and_data_follow_the_code() {
    let mut code = program("a", |p| {
        let (sub, data) = (p.name_id("s"), p.name_id("d"));
        let size = ItemKind::PushDataSize(sub);
        vec![size, ItemKind::PushDataOffset(sub), ItemKind::PushDataOffset(data), op(Opcode::STOP)]
    });
    code.subs.push(small_sub("s"));
    code.data.push(("d".to_owned(), vec![0xda, 0x7a]));
    code.data.push(("unused".to_owned(), vec![1, 2, 3]));
    let result = assembled(&code);
    assert_eq!(hex::encode(&result.bytes), "600460076 00b00 61123400 da7a".replace(' ', ""));
    let segment = |name: &str, offset, size| Segment { name: name.to_owned(), offset, size };
    assert_eq!(result.segments, [segment("s", 7, 4), segment("d", 11, 2)]);
    assert_eq!(result.code_size, 7);
    assert_eq!(hex::encode(&result.sub("s").expect("a sub-object").bytes), "61123400");
}

#[test]
fn own_name_is_the_whole_object() {
    let mut code = program("a", |p| {
        let (own, data) = (p.name_id("a"), p.name_id("d"));
        vec![
            ItemKind::PushDataSize(own),
            ItemKind::PushDataOffset(own),
            ItemKind::PushDataOffset(data),
            op(Opcode::STOP),
        ]
    });
    code.data.push(("d".to_owned(), vec![0; 250]));
    // 255 bytes fit in one byte; the push of the size makes it 256 and itself two bytes wide.
    code.data[0].1.push(0);
    assert_eq!(hex_of(&code), format!("6101025f600700{}", "00".repeat(251)));
}

#[test]
fn equal_contents_share_their_place() {
    let mut code = program("a", |p| {
        let names = ["s", "t", "d"].map(|name| p.name_id(name));
        names.into_iter().map(ItemKind::PushDataOffset).chain([op(Opcode::STOP)]).collect()
    });
    code.subs = vec![small_sub("s"), small_sub("t")];
    code.data.push(("d".to_owned(), vec![0x61, 0x12, 0x34, 0x00]));
    assert_eq!(hex_of(&code), "6007600760070061123400");
}

#[test]
fn equal_bytes_with_other_libraries_are_not_shared() {
    let linked = |name: &str, library: &str| {
        program(name, |p| vec![ItemKind::PushLibrary(p.name_id(library)), op(Opcode::STOP)])
    };
    let mut code = program("a", |p| {
        let names = ["s", "t"].map(|name| p.name_id(name));
        names.into_iter().map(ItemKind::PushDataOffset).chain([op(Opcode::STOP)]).collect()
    });
    code.subs = vec![linked("s", "L"), linked("t", "M")];
    let result = assembled(&code);
    let link = |offset, library: &str| LinkReference { offset, library: library.to_owned() };
    assert_eq!(result.links, [link(6, "L"), link(28, "M")]);
    assert_eq!(result.bytes.len(), 5 + 2 * 22);
}

#[test]
fn nested_paths_point_into_the_placed_sub_object() {
    let inner = small_sub("inner");
    let mut outer =
        program("outer", |p| vec![ItemKind::PushDataOffset(p.name_id("inner")), op(Opcode::STOP)]);
    outer.subs.push(inner);
    let mut code = program("a", |p| {
        let (outer, path) = (p.name_id("outer"), p.name_id("outer.inner"));
        vec![
            ItemKind::PushDataOffset(outer),
            ItemKind::PushDataOffset(path),
            ItemKind::PushDataSize(path),
            op(Opcode::STOP),
        ]
    });
    code.subs.push(outer);
    assert_eq!(hex_of(&code), "6007600a600400 600300 61123400".replace(' ', ""));
    let mut alone =
        program("a", |p| vec![ItemKind::PushDataOffset(p.name_id("outer.inner")), op(Opcode::STOP)]);
    alone.subs = code.subs.clone();
    assert_eq!(hex_of(&alone), "60030061123400");
}

#[test]
fn metadata_is_kept_and_last() {
    let mut code = program("a", |p| vec![ItemKind::PushDataOffset(p.name_id("d")), op(Opcode::STOP)]);
    code.data.push((".metadata".to_owned(), vec![0xa2, 0x64]));
    code.data.push(("d".to_owned(), vec![0xdd]));
    assert_eq!(hex_of(&code), "600300dda264");
}

#[test]
fn stop_guards_what_follows_code_that_can_fall_off_its_end() {
    let mut code = program("a", |_| vec![op(Opcode::CALLER)]);
    assert_eq!(hex_of(&code), "33");
    code.data.push((".metadata".to_owned(), vec![0xa2]));
    assert_eq!(hex_of(&code), "3300a2");
    code.items.push(op(Opcode::JUMP).into());
    assert_eq!(hex_of(&code), "3356a2");
}

#[test]
fn immutables_are_stored_at_each_placeholder() {
    let sub = program("s", |p| {
        let (x, y) = (p.name_id("x"), p.name_id("y"));
        vec![
            ItemKind::PushImmutable(x, 32),
            ItemKind::PushImmutable(y, 32),
            ItemKind::PushImmutable(x, 32),
            op(Opcode::STOP),
        ]
    });
    let mut code = program("a", |p| {
        let names = ["x", "y", "z"].map(|name| p.name_id(name));
        names.into_iter().map(ItemKind::AssignImmutable).chain([op(Opcode::STOP)]).collect()
    });
    code.subs.push(sub);
    assert_eq!(hex_of(&code), "81816001015260430152 6022015250 5000".replace(' ', ""));
    let reference = |name: &str, offset| ImmutableReference { name: name.to_owned(), offset, length: 32 };
    let result = assembled(&code);
    assert_eq!(result.subs[0].immutables, [reference("x", 1), reference("y", 34), reference("x", 67)]);
    assert!(result.immutables.is_empty());
}

#[test]
fn narrow_immutables_share_words_with_code() {
    let sub = program("s", |p| {
        let (x, y) = (p.name_id("x"), p.name_id("y"));
        vec![ItemKind::PushImmutable(x, 20), ItemKind::PushImmutable(y, 1), op(Opcode::STOP)]
    });
    let mut code = program("a", |p| {
        ["x", "y"].map(|name| ItemKind::AssignImmutable(p.name_id(name))).into_iter().collect()
    });
    code.subs.push(sub);
    let result = assembled(&code);
    let found =
        result.subs[0].immutables.iter().map(|place| (place.name.as_str(), place.offset, place.length));
    assert_eq!(found.collect::<Vec<_>>(), [("x", 1, 20), ("y", 22, 1)]);
    // Before byte 12 the word begins with the placeholder, before byte 31 for one of 1 byte.
    let first = "6001 01 90 6060 1b 81 51 60a0 1b 60a0 1c 17 90 52";
    let second = "6016 01 90 60f8 1b 81 51 6008 1b 6008 1c 17 90 52";
    assert_eq!(hex::encode(&result.bytes), format!("{first}{second}").replace(' ', ""));
    for width in [0, 33, 255] {
        let code = program("a", |p| vec![ItemKind::PushImmutable(p.name_id("x"), width)]);
        assert_eq!(messages(&code), [format!("in `a`: an immutable of {width} bytes")]);
    }
}

#[test]
fn library_references_move_with_the_sub_object() {
    let sub = program("s", |p| vec![ItemKind::PushLibrary(p.name_id("f:L")), op(Opcode::STOP)]);
    let mut code = program("a", |p| {
        let (library, sub) = (p.name_id("f:L"), p.name_id("s"));
        vec![ItemKind::PushLibrary(library), ItemKind::PushDataOffset(sub), op(Opcode::STOP)]
    });
    code.subs.push(sub);
    let offsets: Vec<usize> = assembled(&code).links.iter().map(|link| link.offset).collect();
    assert_eq!(offsets, [1, 25]);
}

#[test]
fn verbatim_bytes_are_copied() {
    let mut code =
        program("a", |_| vec![ItemKind::Verbatim { blob: 0, inputs: 0, outputs: 1 }, op(Opcode::POP)]);
    code.blobs.push(vec![0x60, 0x05]);
    assert_eq!(hex_of(&code), "600550");
}

#[test]
fn every_fault_is_reported() {
    let code = program("a", |p| {
        p.num_labels = 2;
        let missing = p.name_id("nothing");
        vec![
            ItemKind::Label(Label(0)),
            ItemKind::Label(Label(0)),
            ItemKind::Label(Label(7)),
            ItemKind::PushLabel(Label(1)),
            ItemKind::PushLabel(Label(9)),
            ItemKind::PushDataOffset(missing),
            op(Opcode::PUSH1),
            ItemKind::OpImmediate(Opcode::ADD, 0),
            ItemKind::PushSized(Word::from(256), 1),
            ItemKind::PushSized(Word::ZERO, 33),
            ItemKind::Verbatim { blob: 3, inputs: 0, outputs: 0 },
            ItemKind::PushLibrary(cairn_asm::NameId(5)),
            ItemKind::PushDataSize(cairn_asm::NameId(5)),
        ]
    });
    assert_eq!(
        messages(&code),
        [
            "`nothing` is no data segment or sub-object of `a`",
            "in `a`: label 0 is defined twice",
            "in `a`: label 7 is out of range",
            "in `a`: label 1 is not defined",
            "in `a`: label 9 is not defined",
            "in `a`: `PUSH1` without immediate bytes",
            "in `a`: `ADD` has no immediate byte",
            "in `a`: `0x100` does not fit in 1 bytes",
            "in `a`: `0x0` does not fit in 33 bytes",
            "in `a`: verbatim bytes 3 don't exist",
            "in `a`: name 5 does not exist",
            "in `a`: name 5 does not exist",
        ]
    );
}

#[test]
fn an_immutable_of_two_sub_objects_is_ambiguous() {
    let reader =
        |name: &str| program(name, |p| vec![ItemKind::PushImmutable(p.name_id("x"), 32), op(Opcode::STOP)]);
    let mut code = program("a", |p| vec![ItemKind::AssignImmutable(p.name_id("x"))]);
    code.subs = vec![reader("s"), reader("t")];
    assert_eq!(messages(&code), ["in `a`: immutable `x` is read in both `s` and `t`"]);
}

#[test]
fn nesting_is_bounded() {
    let mut code = small_sub("leaf");
    for _ in 0..300 {
        let mut outer = small_sub("outer");
        outer.subs.push(code);
        code = outer;
    }
    assert_eq!(messages(&code), ["objects are nested more than 256 deep"]);
}
