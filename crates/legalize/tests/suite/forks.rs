//! Every operation on every fork: legal, rewritten into operations of the fork, or an error that
//! names operation and forks.

use cairn_evm::{Fork, Opcode};
use cairn_ir::builder::{FuncBuilder, opcode_result_type};
use cairn_ir::verify::{Form, verify};
use cairn_ir::{Function, Module, Op, Payload, Signature, Type, Value};
use cairn_legalize::{Options, legalize, operation_rows};

/// Operations that have results and operands of the width and nothing else.
const GENERIC: [Op; 21] = [
    Op::Min,
    Op::Max,
    Op::Smin,
    Op::Smax,
    Op::Abs,
    Op::Rotl,
    Op::Rotr,
    Op::Bswap,
    Op::Ctpop,
    Op::Ctlz,
    Op::Cttz,
    Op::Addo,
    Op::Subo,
    Op::Mulo,
    Op::UaddSat,
    Op::UsubSat,
    Op::UmulSat,
    Op::Muldiv,
    Op::Mulhi,
    Op::Select,
    Op::Sext,
];

/// A module with a function that applies the operation to its parameters and returns what it gives: an
/// operation whose results nobody needs would not be legalized.
fn module(op: Op, ty: Type) -> Module {
    let n_args = op.inputs().expect("a fixed number");
    let mut module = Module::new("m");
    let mut entry = Function::new("__entry", Signature::default());
    let block = entry.make_block();
    entry.layout.append_block(block);
    FuncBuilder::at(&mut entry, block).evm(Opcode::STOP, &[]);
    module.entry = Some(module.funcs.push(entry));
    let results: Vec<Type> = match op {
        Op::Evm(opcode) => vec![opcode_result_type(opcode); op.outputs().unwrap_or(0)],
        _ => [ty, Type::Bool][..op.outputs().unwrap_or(1)].to_vec(),
    };
    let mut func = Function::new("f", Signature { params: vec![ty; n_args], results: results.clone() });
    let block = func.make_block();
    func.layout.append_block(block);
    let args: Vec<Value> = (0..n_args).map(|_| func.dfg.append_param(block, ty)).collect();
    let mut builder = FuncBuilder::at(&mut func, block);
    let inst = builder.push(op, &args, Payload::None, &results);
    if !op.is_terminator() {
        let results = builder.func.dfg.results(inst).to_vec();
        builder.iret(&results);
    }
    module.funcs.push(func);
    module
}

/// Checks one operation on one fork; true if it has a form there.
fn check(op: Op, ty: Type, fork: Fork) -> bool {
    let mut module = module(op, ty);
    if let Err(faults) = legalize(&mut module, &Options { fork, ..Options::default() }) {
        let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
        let start = format!("`evm.{}` does not exist on {fork}; the first fork that has it is ", op.name());
        assert!(messages.len() == 1 && messages[0].starts_with(&start), "{messages:?}");
        return false;
    }
    assert!(!verify(&module, Form::Canonical).has_errors());
    for func in module.funcs.values() {
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            if let Op::Evm(opcode) = func.dfg.op(inst) {
                assert!(opcode.exists_in(fork), "{opcode:?} for {} on {fork}", op.name());
            }
        }
    }
    true
}

// Shows S003-08, S003-52, S003-54.
#[test]
fn every_opcode_on_every_fork() {
    let rows = operation_rows();
    for opcode in Opcode::all().filter(|op| !op.is_stack_manipulation() && !op.is_jump_related()) {
        let name = opcode.known().lower;
        let row = rows.iter().find(|row| row.name == name).expect("a row for every operation");
        for (fork, action) in Fork::ALL.into_iter().zip(&row.actions) {
            assert_eq!(check(Op::Evm(opcode), Type::U256, fork), *action != "error", "{name} on {fork}");
        }
    }
}

// Shows S003-08, S003-12, S003-41.
#[test]
fn generic_operations_exist_on_every_fork() {
    for (op, ty) in GENERIC.into_iter().flat_map(|op| [8, 64, 200, 256].map(|bits| (op, Type::Int(bits)))) {
        for fork in Fork::ALL {
            assert!(check(op, ty, fork), "{} on {fork}", op.name());
        }
    }
}
