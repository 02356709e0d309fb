//! What is needed, on functions in text: what is left prints as expected.

use cairn_analysis::Needed;
use cairn_diag::FileId;
use cairn_ir::text::{parse, print};
use cairn_ir::{Module, Op};

fn module(header: &str, body: &str) -> Module {
    let text = format!("module @m {{\n func @f{header} {{\n{body}\n }}\n}}");
    parse(&text, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?}\n{text}"))
}

/// The lines of a function without what is not needed, where what has an effect is a root.
fn rest(header: &str, body: &str) -> Vec<String> {
    let mut module = module(header, body);
    let func = module.funcs.values_mut().next().expect("one function");
    let needed = {
        let func = &*func;
        Needed::compute(func, |inst| !func.dfg.op(inst).effects().is_removable())
    };
    needed.remove_others(func);
    let printed = print(&module);
    let lines = printed.lines().map(str::trim).skip(2);
    lines.take_while(|line| *line != "}").map(str::to_owned).collect()
}

#[test]
fn slots_that_only_feed_each_other_go() {
    let body = "^e:
        %a = evm.alloca 32 : ptr<0>
        %b = evm.alloca 32 : ptr<0>
        %x = evm.mload %a : u256
        evm.mstore %b, %x
        %y = evm.mload %b : u256
        evm.mstore %a, %y
        evm.iret";
    assert_eq!(rest("()", body), ["^e:", "evm.iret"]);
}

#[test]
fn stores_to_a_slot_that_is_read_stay_with_what_they_store() {
    let body = "^e:
        %a = evm.alloca 32 : ptr<0>
        %sum = evm.add %x, %x : u256
        evm.mstore %a, %sum
        %y = evm.mload %a : u256
        evm.sstore %x, %y
        evm.iret";
    assert_eq!(rest("(%x : u256)", body).len(), 7);
}

#[test]
fn stores_to_a_slot_whose_address_is_used_otherwise_stay() {
    let body = "^e:
        %a = evm.alloca 32 : ptr<0>
        evm.mstore %a, %x
        %place = evm.ptrtoint %a : u256
        evm.sstore %x, %place
        evm.iret";
    assert_eq!(rest("(%x : u256)", body).len(), 6);
}

#[test]
fn parameters_of_the_function_and_terminators_are_needed() {
    let module = module("(%x : u256)", "^e:\n %one = evm.constant 1 : u256\n evm.iret");
    let func = module.funcs.values().next().expect("one function");
    let needed = Needed::compute(func, |_| false);
    assert!(func.params().iter().all(|param| needed.has_value(*param)));
    for inst in func.layout.insts(func.layout.entry()) {
        assert_eq!(needed.has_inst(inst), func.dfg.op(inst) == Op::Iret);
    }
}
