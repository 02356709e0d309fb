//! Moves arithmetic that works on arrays out of functions that can be active twice at once.
//!
//! The quotient of two `u512` is computed by the runtime on arrays in the frame. A frame is one place,
//! so its address must not be known to others while the function is entered again:
//!
//! ```text
//! func @f(…) {                          func @f(…) {
//!   %q = evm.div %a, %b : u512     =>     %q = evm.icall @__cairn_div_u512_u512(%a, %b) : u512
//!   … evm.icall @f(…) …                   … evm.icall @f(…) …
//! ```
//!
//! The function that is called does the same as the operation, on the same types, and is legalized
//! like any other. There is one for each operation and types in a module.

use crate::options::Options;
use crate::passes::legalize_types::{self, MAX_INLINE_WORDS};
use crate::passes::lower_composites::leaves;
use crate::report::{Change, Report};
use cairn_evm::Opcode;
use cairn_ir::{
    EntitySet, Func, FuncBuilder, Function, Inst, Module, Op, Payload, SecondaryMap, Signature, Type,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// Moves what works on arrays out of the recursive functions of a module.
pub(crate) fn outline(module: &mut Module, options: &Options, report: &mut Report) {
    let found: Vec<(Func, Vec<Inst>)> = module.funcs.iter().map(|(id, func)| (id, on_arrays(func))).collect();
    if found.iter().all(|(_, insts)| insts.is_empty()) {
        return;
    }
    let recursive = recursive(module);
    let mut outliner = Outliner {
        names: module.funcs.values().map(|func| func.name.clone()).collect(),
        known: FxHashMap::default(),
    };
    for (id, insts) in found.into_iter().filter(|(id, _)| recursive.contains(*id)) {
        for inst in insts {
            outliner.replace(module, id, inst);
            report.add(legalize_types::PASS.name, 1);
            if options.explain {
                report.changes.push(change(module, id, inst));
            }
        }
    }
}

/// The functions that can be active twice at once, and those between two of them: what is left when
/// functions that call none of the rest are taken away, then those that none of the rest calls. Every
/// call counts: what can be reached is not known before terminators are repaired.
fn recursive(module: &Module) -> EntitySet<Func> {
    let mut callees: SecondaryMap<Func, Vec<Func>> = SecondaryMap::new();
    let mut callers: SecondaryMap<Func, Vec<Func>> = SecondaryMap::new();
    callees.resize(module.funcs.len());
    callers.resize(module.funcs.len());
    for (caller, func) in &module.funcs {
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            if let (Op::Icall, Payload::Func(callee)) = (func.dfg.op(inst), func.dfg.inst(inst).payload) {
                callees[caller].push(callee);
                callers[callee].push(caller);
            }
        }
    }
    let mut left: EntitySet<Func> = EntitySet::new();
    left.extend(module.funcs.keys());
    take_away(&mut left, &callees, &callers);
    take_away(&mut left, &callers, &callees);
    left
}

/// Takes away functions without an edge `from` them to one that is left.
fn take_away(
    left: &mut EntitySet<Func>,
    from: &SecondaryMap<Func, Vec<Func>>,
    to: &SecondaryMap<Func, Vec<Func>>,
) {
    let mut edges: SecondaryMap<Func, usize> = SecondaryMap::new();
    let mut work: Vec<Func> = Vec::new();
    for func in from.keys().filter(|func| left.contains(*func)) {
        edges[func] = from[func].iter().filter(|other| left.contains(**other)).count();
        if edges[func] == 0 {
            work.push(func);
        }
    }
    while let Some(func) = work.pop() {
        left.remove(func);
        for other in to[func].iter().filter(|other| left.contains(**other)) {
            edges[*other] -= 1;
            if edges[*other] == 0 {
                work.push(*other);
            }
        }
    }
}

/// The instructions that work on arrays, or may.
fn on_arrays(func: &Function) -> Vec<Inst> {
    let insts = func.layout.blocks().flat_map(|block| func.layout.insts(block));
    let is_found = |inst: &Inst| {
        let mut values = func.dfg.args(*inst).iter().chain(func.dfg.results(*inst));
        most_in_place(func.dfg.op(*inst))
            .is_some_and(|bits| values.any(|value| is_wider(func.dfg.ty(*value), bits)))
    };
    insts.filter(is_found).collect()
}

/// The most bits that an operation works on without arrays; `None` if it never needs any.
fn most_in_place(op: Op) -> Option<u16> {
    match op {
        Op::Evm(Opcode::MUL) => Some(256 * MAX_INLINE_WORDS as u16),
        Op::Evm(Opcode::DIV | Opcode::SDIV | Opcode::MOD | Opcode::SMOD) => Some(256),
        Op::Evm(Opcode::EXP | Opcode::ADDMOD | Opcode::MULMOD) => Some(256),
        Op::Mulo | Op::UmulSat | Op::Mulhi | Op::Muldiv => Some(256),
        _ => None,
    }
}

/// True if a part of the type has more bits, or is a fixed-point number: its product has.
fn is_wider(ty: Type, bits: u16) -> bool {
    leaves(&[ty]).into_iter().any(|leaf| match leaf {
        Type::Int(found) => found > bits,
        Type::Fixed(..) | Type::Ufixed(..) => true,
        Type::Bool | Type::Ptr(..) | Type::Composite(_) | Type::Void | Type::Unreachable => false,
    })
}

fn change(module: &Module, id: Func, inst: Inst) -> Change {
    let func = &module.funcs[id];
    let callee = match func.dfg.inst(inst).payload {
        Payload::Func(callee) => module.funcs[callee].name.as_str(),
        _ => "",
    };
    let what = format!(
        "arithmetic on arrays of words moved to `@{callee}`: `@{}` can be active twice at once, its frame \
         cannot",
        func.name
    );
    Change { pass: legalize_types::PASS.name, func: func.name.clone(), what, span: func.inst_place(inst) }
}

/// The functions made so far.
struct Outliner {
    /// Names of all functions of the module.
    names: BTreeSet<String>,
    known: FxHashMap<(Op, Signature), Func>,
}

impl Outliner {
    /// Calls a function instead of doing the operation here.
    fn replace(&mut self, module: &mut Module, id: Func, inst: Inst) {
        let func = &module.funcs[id];
        let types = |values: &[cairn_ir::Value]| values.iter().map(|value| func.dfg.ty(*value)).collect();
        let (op, args) = (func.dfg.op(inst), func.dfg.args(inst).to_vec());
        let signature = Signature { params: types(&args), results: types(func.dfg.results(inst)) };
        let key = (op, signature);
        let callee = match self.known.get(&key) {
            Some(callee) => *callee,
            None => {
                let mut made = self.function(op, &key.1);
                made.span = func.inst_place(inst);
                let callee = module.funcs.push(made);
                self.known.insert(key, callee);
                callee
            }
        };
        module.funcs[id].dfg.replace_inst(inst, Op::Icall, &args, Payload::Func(callee));
    }

    /// A function that does the operation.
    fn function(&mut self, op: Op, signature: &Signature) -> Function {
        let types: Vec<String> = signature.params.iter().map(Type::to_string).collect();
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let mut name: String =
            format!("__cairn_{}_{}", op.name(), types.join("_")).chars().map(plain).collect();
        while !self.names.insert(name.clone()) {
            name.push('_');
        }
        let mut func = Function::new(name, signature.clone());
        let block = func.make_block();
        func.layout.append_block(block);
        let args: Vec<_> = signature.params.iter().map(|ty| func.dfg.append_param(block, *ty)).collect();
        let mut builder = FuncBuilder::at(&mut func, block);
        let results = builder.values(op, &args, &signature.results);
        builder.iret(&results);
        func
    }
}
