//! Every rule of the verifier says where it is broken: `«…»` marks the place that the diagnostic
//! must point to.

use cairn_diag::{FileId, Span};
use cairn_ir::text::parse;
use cairn_ir::verify::{Form, verify_strict_pointers, verify_text};
use cairn_ir::{Func, Function, Inst, Module, Op, Payload, Signature, Type};

/// What text cannot say is done to the module behind the parser.
type Damage = fn(&mut Module);

/// A module that breaks one rule.
struct Case {
    rule: &'static str,
    form: Form,
    text: &'static str,
    damage: Damage,
}

/// A broken text.
const fn text(rule: &'static str, form: Form, text: &'static str) -> Case {
    Case { rule, form, text, damage: |_| {} }
}

/// A body of the entry function, free of faults in free form.
const fn damaged(rule: &'static str, text: &'static str, damage: Damage) -> Case {
    Case { rule, form: Form::Free, text, damage }
}

const CASES: [Case; 50] = [
    text(
        "memory-pointer",
        Form::Free,
        "module @M { func @f(%x : u256) { ^e:\n «%y = evm.mload %x»\n evm.stop } }",
    ),
    text("entry", Form::Free, "module @M { func «@__entry»(%x : u256) { ^e: evm.stop } }"),
    text("entry", Form::Free, "module @M { func @__entry() { ^e:\n «evm.iret» } }"),
    damaged("entry", "module «@M» { func @__entry() { ^e: evm.stop } }", |module| {
        module.entry = Some(Func::from_u32(7));
    }),
    text("unique-names", Form::Free, "module @M { data @a = \"\" module «@a» { } }"),
    text("unique-names", Form::Free, "module @M { module @a { } module «@a» { } }"),
    damaged(
        "unique-names",
        "module @M { func @f() { ^e: evm.stop } func «@g»() { ^e: evm.stop } }",
        |module| {
            module.funcs[Func::from_u32(1)].name = "f".into();
        },
    ),
    text("known-names", Form::Free, "module @M { func @f() { ^e:\n «%x = evm.datasize @none»\n evm.stop } }"),
    text(
        "one-immutable-type",
        Form::Free,
        "module @M { func @f() { ^e:\n %x = evm.loadimmutable \"i\"\n «%y = evm.loadimmutable \"i\" : u8»\n evm.stop } }",
    ),
    damaged("has-block", "module @M { func «@f»() { ^e: evm.stop } }", |module| {
        let func = first(module);
        let mut empty = Function::new("f", Signature::default());
        empty.span = func.span;
        *func = empty;
    }),
    damaged("entry-params", "module @M { func @f(%x : u256) { «^e»: evm.stop } }", |module| {
        first(module).signature.params[0] = Type::Bool;
    }),
    damaged("known-target", "module @M { func @f() { ^e:\n «evm.br ^g»\n^g:\n evm.stop } }", |module| {
        let func = first(module);
        let last = func.layout.blocks().last().expect("two blocks");
        func.layout.remove_block(last);
    }),
    text(
        "edge-arguments",
        Form::Free,
        "module @M { func @f() { ^e:\n «evm.br ^g»\n^g(%a : u256):\n evm.stop } }",
    ),
    text(
        "edge-arguments",
        Form::Free,
        "module @M { func @f(%x : u256) { ^e:\n «evm.br ^g(%x)»\n^g(%a : bool):\n evm.stop } }",
    ),
    damaged(
        "defined",
        "module @M { func @f() { ^e:\n %x = evm.gas\n «evm.balance %x»\n evm.stop } }",
        |module| {
            let gas = inst(module, 0);
            first(module).layout.remove_inst(gas);
        },
    ),
    text(
        "dominance",
        Form::Free,
        "module @M { func @f() { ^e:\n «evm.sstore %x, %x»\n %x = evm.gas\n evm.stop } }",
    ),
    damaged("payload", "module @M { func @f() { ^e:\n «%x = evm.constant 5»\n evm.stop } }", |module| {
        let constant = inst(module, 0);
        first(module).dfg.inst_mut(constant).payload = Payload::None;
    }),
    text(
        "operand-count",
        Form::Free,
        "module @M { func @f(%x : u256) { ^e:\n «evm.sstore %x»\n evm.stop } }",
    ),
    damaged("result-count", "module @M { func @f() { ^e:\n «%x = evm.gas»\n evm.stop } }", |module| {
        let gas = inst(module, 0);
        first(module).dfg.append_result(gas, Type::U256);
    }),
    text(
        "call-signature",
        Form::Free,
        "module @M { func @f(%x : bool) { ^e:\n «evm.icall @f()»\n evm.stop } }",
    ),
    text("return-signature", Form::Free, "module @M { func @f() -> u256 { ^e:\n «evm.iret» } }"),
    text(
        "operand-type",
        Form::Free,
        "module @M { func @f(%x : u256) { ^e:\n «%y = evm.ptr_add %x, %x»\n evm.stop } }",
    ),
    text("result-type", Form::Free, "module @M { func @f() { ^e:\n «%x = evm.caller : bool»\n evm.stop } }"),
    text(
        "part-index",
        Form::Free,
        "module @M { func @f(%v : vec<2 x u8>) { ^e:\n «%x = evm.extract %v, 2 : u8»\n evm.stop } }",
    ),
    damaged(
        "constant-fits",
        "module @M { func @f() { ^e:\n «%x = evm.constant 256»\n evm.stop } }",
        |module| {
            let constant = inst(module, 0);
            let func = first(module);
            let value = func.dfg.result(constant);
            func.dfg.set_ty(value, Type::Int(8));
        },
    ),
    damaged("known-size", "module @M { func @f() { ^e:\n «%x = evm.gas»\n evm.stop } }", |module| {
        let gas = inst(module, 0);
        let func = first(module);
        let value = func.dfg.result(gas);
        func.dfg.set_ty(value, Type::Int(0));
    }),
    text(
        "known-size",
        Form::Free,
        "module @M { func @f() { ^e:\n «%x = evm.alloca 4294967297»\n evm.stop } }",
    ),
    damaged("call-words", "module @M { func «@f»() { ^e:\n evm.stop } }", |module| {
        first(module).signature.params = vec![Type::Int(512); 501];
    }),
    text(
        "slots-only",
        Form::Free,
        "module @M [noframe] { func @f() { ^e:\n «%x = evm.alloca 64»\n evm.stop } }",
    ),
    text(
        "address-space",
        Form::Free,
        "module @M { func @f(%p : ptr<2>) { ^e:\n «evm.mstore %p, %p»\n evm.stop } }",
    ),
    text(
        "case-values",
        Form::Free,
        "module @M { func @f(%x : u256) { ^e:\n «evm.switch %x, default ^a\n case 1 -> ^a\n case 1 -> ^a»\n^a:\n evm.stop } }",
    ),
    damaged(
        "case-fits",
        "module @M { func @f(%x : u256) { ^e:\n «evm.switch %x, default ^a\n case 256 -> ^a»\n^a:\n evm.stop } }",
        |module| {
            let func = first(module);
            let value = func.params()[0];
            func.signature.params[0] = Type::Int(8);
            func.dfg.set_ty(value, Type::Int(8));
        },
    ),
    text("one-terminator", Form::Canonical, "module @M { func @f() { «^e»:\n %x = evm.gas } }"),
    text("one-terminator", Form::Canonical, "module @M { func «@f»() {\n %x = evm.gas } }"),
    text("one-terminator", Form::Canonical, "module @M { func @f() { ^e:\n «evm.stop»\n evm.stop } }"),
    text("entry-edges", Form::Canonical, "module @M { func @f() { ^e:\n «evm.br ^e» } }"),
    text("reachable", Form::Canonical, "module @M { func @f() { ^e: evm.stop\n«^dead»: evm.stop } }"),
    text(
        "legal-type",
        Form::Canonical,
        "module @M { func @f() { ^e:\n «%x = evm.constant 1 : u64»\n evm.stop } }",
    ),
    text("legal-type", Form::Canonical, "module @M { func «@f»(%x : u64) { evm.stop } }"),
    text(
        "legal-type",
        Form::Ssa,
        "module @M { func @f(%x : u8) { ^e: evm.br ^m(%x)\n«^m»(%y : u9): evm.stop } }",
    ),
    text(
        "storage-pointer",
        Form::Canonical,
        "module @M { func @f(%x : u256) { ^e:\n «%p = evm.inttoptr %x : ptr<1>»\n evm.stop } }",
    ),
    text(
        "pointer-arithmetic",
        Form::Canonical,
        "module @M { func @f(%p : ptr<0>) { ^e:\n «%c = evm.iszero %p»\n evm.stop } }",
    ),
    text(
        "no-wrap",
        Form::Canonical,
        "module @M { func @f(%x : u8) { ^e:\n «%y = evm.add %x, %x : u8»\n evm.stop } }",
    ),
    text("canonical-op", Form::Canonical, "module @M { func @f(%x : u256) { ^e:\n «evm.return %x» } }"),
    text(
        "no-block-params",
        Form::Canonical,
        "module @M { func @f(%x : u256) { ^e: evm.br ^m(%x)\n«^m»(%y : u256): evm.stop } }",
    ),
    text(
        "critical-edge",
        Form::Canonical,
        "module @M { func @f(%x : u256) { ^e:\n «evm.condbr %x, ^a, ^b»\n^a: evm.br ^b\n^b: evm.stop } }",
    ),
    text(
        "slots-in-entry",
        Form::Canonical,
        "module @M { func @f() { ^e: evm.br ^g\n^g:\n «%p = evm.alloca»\n evm.stop } }",
    ),
    // An instruction that a pass made has no place of its own: its block has one.
    damaged("payload", "module @M { func @f() { «^e»: evm.stop } }", |module| {
        let func = first(module);
        let inst = func.dfg.make_inst(Op::Constant, &[], Payload::None);
        func.dfg.append_result(inst, Type::U256);
        func.layout.prepend_inst(inst, func.layout.entry());
    }),
    // Names in quotes and nested modules have places too.
    text(
        "entry",
        Form::Free,
        "module @M { module @N { func «@\"odd name\"»(%x : u8) [entry] { evm.stop } } }",
    ),
    text("reachable", Form::Ssa, "module @M { func @f() { ^e: evm.stop\n«^\"a b\"»: evm.stop } }"),
];

fn first(module: &mut Module) -> &mut Function {
    &mut module.funcs[Func::from_u32(0)]
}

/// An instruction of the first block.
fn inst(module: &mut Module, index: usize) -> Inst {
    let func = first(module);
    func.layout.insts(func.layout.entry()).nth(index).expect("the block is longer")
}

/// The text without marks, and what they mark.
fn unmark(text: &str) -> (String, Span) {
    let start = text.find('«').expect("a mark");
    let end = text.find('»').expect("the end of the mark") - '«'.len_utf8();
    (text.replace(['«', '»'], ""), Span::from(start..end))
}

#[test]
fn diagnostics_point_to_what_breaks_the_rule() {
    for Case { rule, form, text, damage } in &CASES {
        let (text, marked) = unmark(text);
        let mut module = parse(&text, FileId(3)).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"));
        damage(&mut module);
        let faults = match *rule {
            "memory-pointer" => verify_strict_pointers(&module, Some(FileId(3))),
            _ => verify_text(&module, *form, Some(FileId(3))),
        };
        let fault = faults.iter().find(|fault| fault.code == *rule);
        let fault = fault.unwrap_or_else(|| panic!("`{rule}` is not broken by\n{text}\n{faults:?}"));
        let shown = |span: Span| text[span.start as usize..span.end as usize].to_owned();
        assert_eq!(fault.span.map(shown), Some(shown(marked)), "`{rule}` in\n{text}");
        assert_eq!(fault.span, Some(marked), "`{rule}` in\n{text}");
        assert_eq!(fault.file, Some(FileId(3)), "`{rule}`");
    }
}

/// Codes that the sources of the verifier give to diagnostics.
fn reported() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/verify");
    let mut codes = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the sources are there") {
        let text = std::fs::read_to_string(entry.expect("readable").path()).expect("text");
        for call in ["report(", "with_code("] {
            for (_, rest) in text.match_indices(call).map(|(at, _)| text.split_at(at + call.len())) {
                let code = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next());
                codes.extend(code.map(str::to_owned));
            }
        }
    }
    codes.sort_unstable();
    codes.dedup();
    codes
}

#[test]
fn every_rule_is_documented_reported_and_has_a_case() {
    let head = include_str!("../src/verify/mod.rs");
    let rules = head.lines().filter_map(|line| line.strip_prefix("//! | `")?.split('`').next());
    let mut rules: Vec<&str> = rules.collect();
    rules.sort_unstable();
    assert_eq!(rules, reported(), "the rules of the list are those of the code");
    for rule in rules {
        assert!(CASES.iter().any(|case| case.rule == rule), "`{rule}` has no case");
    }
}
