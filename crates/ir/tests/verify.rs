//! Each rule of the verifier, broken by hand.

use cairn_diag::FileId;
use cairn_ir::text::parse;
use cairn_ir::verify::{Form, verify, verify_strict_pointers, verify_text};
use cairn_ir::{Func, Module, Op, Payload, Signature, Type, Value};

/// Rules that a module breaks, in order of discovery.
fn rules(module: &Module, form: Form) -> Vec<&'static str> {
    verify(module, form).iter().map(|fault| fault.code).collect()
}

fn parsed(text: &str) -> Module {
    parse(text, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?} in\n{text}"))
}

/// A module whose entry function has this body, with some functions to call.
fn with_body(body: &str) -> Module {
    parsed(&format!(
        "module @M {{
           data @d = \"x\"
           func @__entry() {{\n{body}\n}}
           func @pair(%a : u256) -> (u256, bool) {{
           ^e:
             %t = evm.constant true
             evm.iret %a, %t
           }}
           module @Inner {{ data @deep = \"\" }}
         }}"
    ))
}

#[track_caller]
fn breaks(form: Form, body: &str, expected: &[&str]) {
    assert_eq!(rules(&with_body(body), form), expected, "{form:?}\n{body}");
}

/// Broken in every form.
#[track_caller]
fn always(body: &str, expected: &[&str]) {
    [Form::Free, Form::Ssa, Form::Canonical].into_iter().for_each(|form| breaks(form, body, expected));
}

/// Fine in free form, broken in canonical form and in the optimizer.
#[track_caller]
fn legalized(body: &str, expected: &[&str]) {
    breaks(Form::Free, body, &[]);
    breaks(Form::Ssa, body, expected);
    breaks(Form::Canonical, body, expected);
}

/// Broken in canonical form only.
#[track_caller]
fn canonical(body: &str, expected: &[&str]) {
    breaks(Form::Free, body, &[]);
    breaks(Form::Ssa, body, &[]);
    breaks(Form::Canonical, body, expected);
}

const CANONICAL: &str = "
^entry:
  %slot = evm.alloca : ptr<0>
  %heap = evm.heap_base 128
  %k = evm.constant 0
  %off = evm.dataoffset @Inner.deep
  %len = evm.datasize @d
  evm.datacopy %heap, %off, %len
  %v = evm.sload %k
  %c = evm.eq %v, %k
  %who = evm.caller
  %same = evm.eq %who, %v
  %low = evm.and %v, %k : u8
  %x, %y = evm.icall @pair(%who)
  evm.mstore %slot, %y
  %raw = evm.constant 64
  evm.mstore %raw, %same
  %next = evm.ptr_add %heap, %low
  evm.mstore %next, %heap
  evm.condbr %c, ^a, ^b
^a:
  evm.mstore %slot, %c
  evm.br ^merge
^b:
  evm.br ^merge
^merge:
  %z = evm.mload %slot : bool
  evm.condbr %z, ^stop, ^fail
^stop:
  evm.return %heap, %len
^fail:
  evm.revert %k, %k";

#[test]
fn canonical_text_is_in_every_form() {
    always(CANONICAL, &[]);
}

#[test]
fn diagnostics_name_function_block_instruction_and_rule() {
    let text =
        "module @M {\n func @__entry() {\n ^start:\n  %x = evm.gas\n  evm.sstore %x\n  evm.stop\n }\n}";
    let faults = verify_text(&parsed(text), Form::Canonical, Some(FileId(7)));
    let fault = faults.iter().next().expect("one fault");
    assert_eq!(fault.code, "operand-count");
    assert_eq!(fault.message, "`evm.sstore` has 2 operands, not 1");
    assert_eq!(fault.notes, ["in function `@__entry`, block `^start`, instruction `evm.sstore %x`"]);
    let span = fault.span.expect("the instruction has a place");
    assert_eq!(&text[span.start as usize..span.end as usize], "evm.sstore %x");
    assert_eq!(fault.file, Some(FileId(7)));
}

#[test]
fn entry() {
    let mut module = parsed("module @Library { func @f() { ^e: evm.stop } }");
    assert_eq!(rules(&module, Form::Canonical), [""; 0]);
    module.entry = Some(Func::from_u32(1));
    assert_eq!(rules(&module, Form::Free), ["entry"]);
    let params = parsed("module @M { func @__entry(%x : u256) { ^e: evm.stop } }");
    assert_eq!(rules(&params, Form::Free), ["entry"]);
    always("^e:\n evm.iret", &["entry"]);
    assert_eq!(rules(&parsed("module @Empty { }"), Form::Canonical), [""; 0]);
}

#[test]
fn unique_names() {
    let mut module = with_body("^e:\n evm.stop");
    module.funcs[Func::from_u32(1)].name = "__entry".into();
    assert_eq!(rules(&module, Form::Free), ["unique-names"]);
    let twice = parsed("module @M { data @a = \"\" module @a { } }");
    assert_eq!(rules(&twice, Form::Free), ["unique-names"]);
}

#[test]
fn known_names() {
    always(
        "^e:\n %x = evm.datasize @d\n %y = evm.dataoffset @M\n %z = evm.datasize @M.Inner\n evm.stop",
        &[],
    );
    always("^e:\n %x = evm.datasize @deep\n evm.stop", &["known-names"]);
    always("^e:\n %x = evm.dataoffset @Inner.d\n evm.stop", &["known-names"]);
}

#[test]
fn one_immutable_type() {
    let load = |first: &str, second: &str| {
        format!(
            "^e:\n %x = evm.loadimmutable \"i\" : {first}\n %y = evm.loadimmutable \"i\" : {second}\n evm.stop"
        )
    };
    for ty in ["u256", "u160", "u32", "u8"] {
        always(&load(ty, ty), &[]);
    }
    always(&load("u160", "u256"), &["one-immutable-type"]);
    always(&load("u160", "u256").replacen("\"i\"", "\"j\"", 1), &[]);
    let module = parsed(
        "module @M {
           func @__entry() {\n^e:\n %x = evm.loadimmutable \"i\" : u8\n evm.stop\n}
           func @f() {\n^e:\n %x = evm.loadimmutable \"i\"\n evm.stop\n}
           module @Inner { func @__entry() {\n^e:\n %x = evm.loadimmutable \"i\" : u32\n evm.stop\n} }
         }",
    );
    assert_eq!(rules(&module, Form::Ssa), ["one-immutable-type"], "each module decides by itself");
}

#[test]
fn immutables_have_the_types_of_canonical_words() {
    for ty in ["u64", "u512", "bool", "ptr<0>"] {
        let module = with_body(&format!("^e:\n %x = evm.loadimmutable \"i\" : {ty}\n evm.stop"));
        let faults = verify(&module, Form::Free);
        let faults: Vec<_> = faults.iter().map(|fault| (fault.code, fault.message.as_str())).collect();
        assert_eq!(faults.len(), 1, "{ty}: {faults:?}");
        assert!(
            faults[0].0 == "result-type" && faults[0].1.contains("`u256`, `u160`, `u32` or `u8`"),
            "{faults:?}"
        );
    }
}

#[test]
fn has_block() {
    let mut module = with_body("^e:\n evm.stop");
    module.funcs.push(cairn_ir::Function::new("empty", Signature::default()));
    assert_eq!(rules(&module, Form::Free), ["has-block"]);
}

#[test]
fn entry_params() {
    let mut module = with_body("^e:\n evm.stop");
    module.funcs[Func::from_u32(1)].signature.params[0] = Type::Bool;
    assert_eq!(rules(&module, Form::Canonical), ["entry-params"]);
}

// Shows S000-17.
#[test]
fn known_target() {
    let mut module = with_body("^e:\n evm.br ^f\n^f:\n evm.stop");
    let func = &mut module.funcs[Func::from_u32(0)];
    let last = func.layout.blocks().last().expect("two blocks");
    func.layout.remove_block(last);
    assert_eq!(rules(&module, Form::Free), ["known-target"]);
}

#[test]
fn edge_arguments() {
    breaks(Form::Free, "^e:\n %x = evm.gas\n evm.br ^f\n^f(%a : u256):\n evm.stop", &["edge-arguments"]);
    breaks(Form::Free, "^e:\n %x = evm.gas\n evm.br ^f(%x)\n^f(%a : bool):\n evm.stop", &["edge-arguments"]);
    breaks(Form::Ssa, "^e:\n %x = evm.caller\n evm.br ^f(%x)\n^f(%a : u256):\n evm.stop", &[]);
}

#[test]
fn defined() {
    let mut module = with_body("^e:\n %x = evm.gas\n evm.sstore %x, %x\n evm.stop");
    let func = &mut module.funcs[Func::from_u32(0)];
    let gas = func.layout.first_inst(func.layout.entry()).expect("three instructions");
    func.layout.remove_inst(gas);
    assert_eq!(rules(&module, Form::Canonical), ["defined", "defined"]);
    let func = &mut module.funcs[Func::from_u32(0)];
    let store = func.layout.first_inst(func.layout.entry()).expect("two instructions");
    func.dfg.args_mut(store).fill(Value::from_u32(12_345));
    assert_eq!(rules(&module, Form::Canonical), ["defined", "defined"]);
}

#[test]
fn dominance() {
    always("^e:\n evm.sstore %x, %x\n %x = evm.gas\n evm.stop", &["dominance"; 2]);
    let sides = "^e:\n %c = evm.gas\n evm.condbr %c, ^a, ^b\n^a:\n %x = evm.gas\n evm.br ^m\n^b:\n evm.br ^m\n^m:\n evm.return %x, %c";
    always(sides, &["dominance"]);
    always("^e:\n %c = evm.gas\n evm.condbr %c, ^e2, ^b\n^e2:\n evm.stop\n^b:\n evm.return %c, %c", &[]);
    let behind = "^e:\n %c = evm.gas\n evm.condbr %c, ^a, ^b\n %x = evm.gas\n evm.sstore %x, %x\n^a:\n evm.return %c, %x\n^b:\n evm.stop";
    breaks(Form::Free, behind, &["dominance"]);
    breaks(Form::Free, "^e:\n evm.stop\n^dead:\n evm.sstore %x, %x\n %x = evm.gas\n evm.stop", &[]);
}

#[test]
fn payload() {
    for op in [Op::Constant, Op::Alloca, Op::Br, Op::Icall, Op::Switch, Op::Verbatim, Op::DbgLabel] {
        let mut module = with_body("^e:\n evm.stop");
        let func = &mut module.funcs[Func::from_u32(0)];
        let inst = func.dfg.make_inst(op, &[], Payload::None);
        func.layout.prepend_inst(inst, func.layout.entry());
        assert!(rules(&module, Form::Free).contains(&"payload"), "{op:?}");
    }
    // A trace of a variable that the module does not have.
    let mut module = with_body("^e:\n %x = evm.gas\n evm.stop");
    let func = &mut module.funcs[Func::from_u32(0)];
    let first = func.layout.first_inst(func.layout.entry()).expect("an instruction");
    let value = func.dfg.result(first);
    let trace = func.dfg.make_inst(Op::DbgTrace, &[value], Payload::Number(0));
    func.layout.insert_inst_after(trace, first);
    assert_eq!(rules(&module, Form::Free), ["payload"]);
    // A trace of a value that is gone.
    let func = &mut module.funcs[Func::from_u32(0)];
    func.dfg.inst_mut(trace).payload = Payload::None;
    func.layout.remove_inst(first);
    assert_eq!(rules(&module, Form::Free), ["defined"]);
    cairn_ir::debug::drop_dead_traces(&mut module.funcs[Func::from_u32(0)]);
    assert_eq!(rules(&module, Form::Free), [""; 0]);
    let mut module = with_body("^e:\n evm.stop");
    let func = &mut module.funcs[Func::from_u32(0)];
    let inst = func.dfg.make_inst(Op::Icall, &[], Payload::Func(Func::from_u32(99)));
    func.layout.prepend_inst(inst, func.layout.entry());
    assert_eq!(rules(&module, Form::Free), ["payload"]);
}

#[test]
fn counts() {
    always("^e:\n %x = evm.gas\n %y = evm.add %x\n evm.stop", &["operand-count"]);
    let mut module = with_body("^e:\n %x = evm.gas\n evm.stop");
    let func = &mut module.funcs[Func::from_u32(0)];
    let gas = func.layout.first_inst(func.layout.entry()).expect("two instructions");
    func.dfg.append_result(gas, Type::U256);
    assert_eq!(rules(&module, Form::Canonical), ["result-count"]);
}

#[test]
fn call_signature() {
    always("^e:\n evm.icall @__entry()\n evm.stop", &["entry"]);
    always("^e:\n %a, %b = evm.icall @pair()\n evm.stop", &["call-signature"]);
    always("^e:\n %p = evm.alloca\n %a, %b = evm.icall @pair(%p)\n evm.stop", &["call-signature"]);
    always("^e:\n %x = evm.gas\n %a, %b = evm.icall @pair(%x) : bool, bool\n evm.stop", &["call-signature"]);
    always("^e:\n %x = evm.gas\n %a, %b = evm.icall @pair(%x) : u256, u256\n evm.stop", &["call-signature"]);
    breaks(
        Form::Free,
        "^e:\n %x = evm.gas\n %a, %b = evm.icall @pair(%x) : u2156, bool\n evm.stop",
        &["call-signature"],
    );
}

#[test]
fn return_signature() {
    let with = |values: &str| {
        parsed(&format!(
            "module @M {{ func @__entry() {{ ^e: evm.stop }} func @f(%x : u256, %b : bool) -> bool {{ ^e:\n evm.iret{values} }} }}"
        ))
    };
    assert_eq!(rules(&with(" %b"), Form::Canonical), [""; 0]);
    assert_eq!(rules(&with(" %x"), Form::Canonical), ["return-signature"]);
    assert_eq!(rules(&with(""), Form::Canonical), ["return-signature"]);
}

#[test]
fn operand_type() {
    always("^e:\n %x = evm.gas\n %y = evm.ptr_add %x, %x\n evm.stop", &["operand-type"]);
    always("^e:\n %p = evm.alloca\n %y = evm.inttoptr %p\n evm.stop", &["operand-type"]);
    breaks(Form::Free, "^e:\n %w = evm.constant 1 : u512\n %y = evm.sload %w\n evm.stop", &["operand-type"]);
    breaks(
        Form::Free,
        "^e:\n %w = evm.constant 1 : u512\n %y = evm.balance %w\n evm.stop",
        &["operand-type"],
    );
    breaks(
        Form::Free,
        "^e:\n %f = evm.constant 1 : ufixed<64,2>\n %x = evm.gas\n %y = evm.add %f, %x\n evm.stop",
        &["operand-type"],
    );
    breaks(Form::Free, "^e:\n %x = evm.gas\n %y = evm.min %x, %x : u8\n evm.stop", &["operand-type"; 2]);
}

#[test]
fn result_type() {
    always("^e:\n %x = evm.caller : bool\n evm.stop", &["result-type"]);
    for (op, fits) in [("caller", "u256"), ("gas", "u8"), ("blockhash %z", "u256")] {
        let body = |ty: &str| format!("^e:\n %z = evm.constant 0\n %x = evm.{op} : {ty}\n evm.stop");
        breaks(Form::Free, &body(fits), &[]);
        breaks(Form::Free, &body("u257"), &["result-type"]);
    }
    always("^e:\n %p = evm.alloca : ptr<2>\n evm.stop", &["result-type"]);
    breaks(Form::Free, "^e:\n %x = evm.gas\n %y = evm.zext %x : u8\n evm.stop", &["result-type"]);
    for (op, ty) in [("gas", Type::Void), ("constant 0", Type::MEMORY)] {
        let mut module = with_body(&format!("^e:\n %x = evm.{op}\n evm.stop"));
        let func = &mut module.funcs[Func::from_u32(0)];
        let inst = func.layout.first_inst(func.layout.entry()).expect("two instructions");
        let value = func.dfg.result(inst);
        func.dfg.set_ty(value, ty);
        assert_eq!(rules(&module, Form::Free), ["result-type"]);
    }
}

#[test]
fn constant_fits() {
    let mut module = with_body("^e:\n %x = evm.constant 256\n evm.stop");
    let func = &mut module.funcs[Func::from_u32(0)];
    let inst = func.layout.first_inst(func.layout.entry()).expect("two instructions");
    let value = func.dfg.result(inst);
    func.dfg.set_ty(value, Type::Int(8));
    assert_eq!(rules(&module, Form::Canonical), ["constant-fits"]);
}

#[test]
fn memory_pointer() {
    let strict = |body: &str| -> Vec<&str> {
        let module = with_body(body);
        assert!(!verify(&module, Form::Free).has_errors());
        verify_strict_pointers(&module, None).iter().map(|fault| fault.code).collect()
    };
    assert_eq!(strict("^e:\n %x = evm.gas\n %y = evm.mload %x\n evm.stop"), ["memory-pointer"]);
    assert_eq!(strict("^e:\n %x = evm.gas\n %h = evm.keccak256 %x, %x\n evm.stop"), ["memory-pointer"]);
    assert!(
        strict("^e:\n %x = evm.gas\n %p = evm.inttoptr %x : ptr<0>\n %y = evm.mload %p\n evm.stop")
            .is_empty()
    );
    assert!(
        strict("^e:\n %x = evm.gas\n %y = evm.sload %x\n %z = evm.calldataload %x\n evm.stop").is_empty()
    );
}

// Shows S000-10, S000-53.
#[test]
fn address_space() {
    always("^e:\n %p = evm.calldata_base\n %x = evm.mload %p\n evm.stop", &["address-space"]);
    always("^e:\n %p = evm.calldata_base\n evm.mstore %p, %p\n evm.stop", &["address-space"]);
    always("^e:\n %p = evm.alloca\n %x = evm.calldataload %p\n evm.stop", &["address-space"]);
    always("^e:\n %p = evm.calldata_base\n %x = evm.calldataload %p\n evm.stop", &[]);
}

#[test]
fn case_values() {
    let body = "^e:\n %x = evm.gas\n evm.switch %x, default ^a\n case 1 -> ^b\n case 0x1 -> ^a\n^a:\n evm.stop\n^b:\n evm.stop";
    breaks(Form::Free, body, &["case-values"]);
}

#[test]
fn case_fits() {
    let body =
        "^e:\n %x = evm.gas\n evm.switch %x, default ^a\n case 255 -> ^a\n case 256 -> ^a\n^a:\n evm.stop";
    let mut module = with_body(body);
    let func = &mut module.funcs[Func::from_u32(0)];
    let gas = func.layout.first_inst(func.layout.entry()).expect("two instructions");
    let value = func.dfg.result(gas);
    func.dfg.set_ty(value, Type::Int(8));
    assert_eq!(rules(&module, Form::Free), ["case-fits"]);
}

#[test]
fn known_size() {
    always("^e:\n %a = evm.alloca 4294967296\n %h = evm.heap_base 281474976710656\n evm.stop", &[]);
    always("^e:\n %a = evm.alloca 4294967297\n evm.stop", &["known-size"]);
    always("^e:\n %h = evm.heap_base 18446744073709551615\n evm.stop", &["known-size"]);
    for ty in [Type::Int(0), Type::Int(4097), Type::Ufixed(257, 2), Type::Fixed(8, 81)] {
        let mut module = with_body("^e:\n %x = evm.calldatasize\n evm.stop");
        let func = &mut module.funcs[Func::from_u32(0)];
        let size = func.layout.first_inst(func.layout.entry()).expect("two instructions");
        let value = func.dfg.result(size);
        func.dfg.set_ty(value, ty);
        assert!(rules(&module, Form::Free).contains(&"known-size"), "{ty}");
    }
}

#[test]
fn call_words() {
    let with = |count: usize| {
        let params = vec!["u512"; count].join(", ");
        parsed(&format!("module @M {{ func @f({params}) {{ ^e:\n evm.iret }} }}"))
    };
    assert_eq!(rules(&with(500), Form::Free), [""; 0]);
    assert_eq!(rules(&with(501), Form::Free), ["call-words"]);
}

#[test]
fn slots_only() {
    let with = |body: &str| {
        let module = parsed(&format!(
            "module @M [noframe] {{ func @__entry() {{ ^e:\n%z = evm.gas\n{body}\nevm.stop }} }}"
        ));
        rules(&module, Form::Free)
    };
    assert_eq!(with("%a = evm.alloca\nevm.mstore %a, %z\n%b = evm.mload %a"), [""; 0]);
    for body in ["", "evm.mstore %z, %a", "%b = evm.mload %a : u512", "%b = evm.ptr_add %a, %z"] {
        let size = if body.is_empty() { 33 } else { 32 };
        assert_eq!(with(&format!("%a = evm.alloca {size}\n{body}")), ["slots-only"], "{body}");
    }
}

// Shows S000-18, S000-58.
#[test]
fn one_terminator() {
    legalized("^e:\n %x = evm.gas", &["one-terminator"]);
    legalized("^e:\n evm.stop\n %x = evm.gas\n evm.stop", &["one-terminator"]);
    legalized("^e:\n evm.br ^f\n^f:", &["one-terminator"]);
}

#[test]
fn entry_edges() {
    legalized("^e:\n %x = evm.gas\n evm.br ^e", &["entry-edges"]);
}

// Shows S000-22.
#[test]
fn reachable() {
    legalized("^e:\n evm.stop\n^dead:\n evm.stop", &["reachable"]);
}

// Shows S000-21, S003-02, S003-10, S003-34.
#[test]
fn legal_type() {
    legalized("^e:\n %x = evm.constant 1 : u64\n evm.stop", &["legal-type"]);
    legalized("^e:\n %x = evm.constant 1 : fixed<128,18>\n evm.stop", &["legal-type"]);
    breaks(
        Form::Ssa,
        "^e:\n %x = evm.constant 1 : u8\n evm.br ^f(%x)\n^f(%y : u9):\n evm.stop",
        &["legal-type"],
    );
}

// Shows S000-51.
#[test]
fn storage_pointer() {
    let body = "^e:\n %x = evm.gas\n %p = evm.inttoptr %x : ptr<1>\n %v = evm.sload %p\n evm.stop";
    legalized(body, &["storage-pointer", "operand-type"]);
    let other = "^e:\n %x = evm.gas\n %p = evm.inttoptr %x : ptr<3>\n %v = evm.sload %p\n evm.stop";
    breaks(Form::Free, other, &["operand-type"]);
}

// Shows S000-20, S000-48, S000-75.
#[test]
fn pointer_arithmetic() {
    legalized(
        "^e:\n %p = evm.alloca\n %x = evm.gas\n %q = evm.add %p, %x\n evm.stop",
        &["pointer-arithmetic"],
    );
    legalized("^e:\n %p = evm.alloca\n %c = evm.iszero %p\n evm.stop", &["pointer-arithmetic"]);
}

#[test]
fn no_wrap() {
    legalized("^e:\n %x = evm.constant 1 : u8\n %y = evm.add %x, %x : u8\n evm.stop", &["no-wrap"]);
    legalized("^e:\n %x = evm.gas\n %y = evm.sload %x : u160\n evm.stop", &["no-wrap"]);
    always("^e:\n %x = evm.constant 1 : u8\n %y = evm.and %x, %x : u8\n evm.stop", &[]);
}

// Shows S000-75, S003-03.
#[test]
fn canonical_op() {
    legalized("^e:\n %x = evm.gas\n evm.return %x", &["canonical-op"]);
    legalized("^e:\n %x = evm.gas\n %y = evm.max %x, %x\n evm.stop", &["canonical-op"]);
    legalized("^e:\n %x = evm.gas\n %y = evm.trunc %x : u8\n evm.stop", &["canonical-op"]);
    let call = "^e:\n %x = evm.gas\n %s, %n = evm.staticcall %x, %x, %x, %x, %x, %x\n evm.stop";
    legalized(call, &["canonical-op"]);
    canonical(
        "^e:\n %x = evm.gas\n evm.switch %x, default ^a\n case 1 -> ^b\n^a:\n evm.stop\n^b:\n evm.stop",
        &["canonical-op"],
    );
}

// Shows S000-15.
#[test]
fn no_block_params() {
    canonical("^e:\n %x = evm.gas\n evm.br ^f(%x)\n^f(%y : u256):\n evm.stop", &["no-block-params"]);
}

// Shows S000-16, S000-74.
#[test]
fn critical_edge() {
    canonical(
        "^e:\n %x = evm.gas\n evm.condbr %x, ^a, ^b\n^a:\n evm.br ^b\n^b:\n evm.stop",
        &["critical-edge"],
    );
    canonical("^e:\n %x = evm.gas\n evm.condbr %x, ^a, ^a\n^a:\n evm.stop", &["critical-edge"; 2]);
}

#[test]
fn slots_in_entry() {
    canonical("^e:\n evm.br ^f\n^f:\n %p = evm.alloca\n evm.stop", &["slots-in-entry"]);
}

// Shows S000-07.
#[test]
fn every_rule_of_the_list_is_tested_here() {
    let head = include_str!("../src/verify/mod.rs");
    let tests = include_str!("verify.rs");
    let rules: Vec<&str> =
        head.lines().filter_map(|line| line.strip_prefix("//! | `")?.split('`').next()).collect();
    assert_eq!(rules.len(), 37);
    for rule in rules {
        assert!(tests.contains(&format!("\"{rule}\"")), "`{rule}` is not tested");
    }
}

#[test]
fn a_long_chain_of_branches_is_quick() {
    let mut body = String::from("^b0:\n %x = evm.gas\n");
    for n in 1..50_000 {
        body += &format!(" evm.condbr %x, ^b{n}, ^exit\n^b{n}:\n");
    }
    body += " evm.stop\n^exit:\n evm.stop\n";
    breaks(Form::Ssa, &body, &[]);
}

/// Each check dominates what is behind it, and none the failure block that they share.
#[test]
fn a_long_chain_of_checks_is_quick() {
    let mut body = String::from("^b0:\n %x = evm.gas\n");
    for n in 1..80_000 {
        body += &format!(" evm.condbr %x, ^fail, ^b{n}\n^b{n}:\n");
    }
    body += " evm.stop\n^fail:\n %y = evm.add %x, %x\n evm.stop\n";
    breaks(Form::Ssa, &body, &[]);
}

#[test]
fn composites() {
    let with =
        |rest: &str| format!("^e:\n %x = evm.gas\n %v = evm.splat %x : vec<2 x u256>\n {rest}\n evm.stop");
    let free = |rest: &str, expected: &[&str]| breaks(Form::Free, &with(rest), expected);
    free("%y = evm.extract %v, 1", &[]);
    free("%w = evm.insert %v, %x, 1", &[]);
    free("%s = evm.compose %x, %v : struct<u256, vec<2 x u256>>\n evm.sstore %x, %s", &[]);
    free("%y = evm.extract %v, 0 : bool", &["result-type"]);
    free("%y = evm.extract %x, 0 : u256", &["operand-type"]);
    free("%y = evm.extract %v, 2 : u256", &["part-index"]);
    free("%w = evm.insert %v, %v, 0", &["operand-type"]);
    free("%w = evm.compose %x : vec<2 x u256>", &["operand-count"]);
    free("%w = evm.compose %x : u256", &["result-type"]);
    free("%w = evm.compose %x, %x : struct<u256, bool>", &["operand-type"]);
    free("%w = evm.splat %x : array<2 x u256>", &["result-type"]);
    free("%w = evm.add %v, %x", &["operand-type"]);
    free("%w = evm.add %v, %v : vec<3 x u256>", &["operand-type"]);
    free("%w = evm.lt %v, %v", &[]);
    free("%y = evm.gas : vec<2 x u256>", &["result-type"]);
    free("%y = evm.balance %v", &["operand-type"]);
    let legal = with("%y = evm.extract %v, 1");
    breaks(Form::Canonical, &legal, &["canonical-op", "legal-type", "canonical-op"]);
}
