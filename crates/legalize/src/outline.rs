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
//! So is a part of a long vector or array that is loaded from the frame, by an index known at run time.
//! A power of a fixed-point number is a loop, which has no place in the middle of a block: it is moved
//! from every function.
//!
//! The function that is called does the same as the operation, on the same types, and is legalized
//! like any other. There is one for each operation and types in a module.

use crate::emit::Emit;
use crate::options::Options;
use crate::passes::index_parts::MAX_CHOSEN;
use crate::passes::legalize_types::{self, MAX_INLINE_WORDS};
use crate::passes::lower_composites::leaves;
use crate::report::{Change, Report};
use cairn_diag::FileId;
use cairn_evm::{Opcode, Word};
use cairn_ir::{
    EntitySet, Func, FuncBuilder, Function, Inst, Module, Op, Payload, SecondaryMap, Signature, Type, Value,
    sized,
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
    for (id, insts) in found {
        for inst in insts {
            let why = match power_type(&module.funcs[id], inst) {
                Some(ty) if ty.lanes().is_some() => {
                    outliner.replace_powers(module, id, inst);
                    Why::Loop
                }
                Some(_) => {
                    outliner.replace(module, id, inst);
                    Why::Loop
                }
                None if recursive.contains(id) => {
                    outliner.replace(module, id, inst);
                    Why::Arrays
                }
                None => continue,
            };
            report.add(legalize_types::PASS.name, 1);
            if options.explain {
                report.changes.push(change(&module.funcs[id], inst, why));
            }
        }
    }
}

/// Why an operation is moved.
#[derive(Clone, Copy)]
enum Why {
    Arrays,
    Loop,
}

/// The type of the base if the instruction is a power of fixed-point numbers.
fn power_type(func: &Function, inst: Inst) -> Option<Type> {
    let is_power = func.dfg.op(inst) == Op::Evm(Opcode::EXP);
    let base = is_power.then(|| func.dfg.ty(func.dfg.args(inst)[0]))?;
    base.lane().is_fixed().then_some(base)
}

/// The functions that can be active twice at once, and those between two of them: what is left when
/// functions that call none of the rest are taken away, then those that none of the rest calls. Every
/// call counts: what can be reached is not known before terminators are repaired.
fn recursive(module: &Module) -> EntitySet<Func> {
    let mut callees: SecondaryMap<Func, Vec<Func>> = sized(module.funcs.len());
    let mut callers: SecondaryMap<Func, Vec<Func>> = sized(module.funcs.len());
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
        if matches!(func.dfg.op(*inst), Op::ExtractAt | Op::Shuffle) {
            return values.next().is_some_and(|whole| func.dfg.ty(*whole).words() > MAX_CHOSEN);
        }
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
        Op::Mulo | Op::UmulSat | Op::Mulhi | Op::Muldiv | Op::Convert | Op::Sconvert => Some(256),
        _ => None,
    }
}

/// True if a part of the type has more bits, or is a fixed-point number: its product has.
fn is_wider(ty: Type, bits: u16) -> bool {
    leaves(&[ty]).into_iter().any(|leaf| match leaf {
        Type::Int(found) => found > bits,
        Type::Fixed(..) | Type::Ufixed(..) => true,
        Type::Bool | Type::Ptr(..) | Type::Float(_) => false,
        Type::Composite(_) | Type::Void | Type::Unreachable => false,
    })
}

fn change(func: &Function, inst: Inst, why: Why) -> Change {
    let name = &func.name;
    let what = match why {
        Why::Arrays => format!(
            "arithmetic on arrays of words moved to a function of its own: `@{name}` can be active twice at \
             once, its frame cannot"
        ),
        Why::Loop => "a power of fixed-point numbers moved to a function of its own: it is a loop".to_owned(),
    };
    Change { pass: legalize_types::PASS.name, func: name.clone(), what, span: func.inst_place(inst) }
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
        let types = |values: &[Value]| values.iter().map(|value| func.dfg.ty(*value)).collect();
        let (op, args) = (func.dfg.op(inst), func.dfg.args(inst).to_vec());
        let signature = Signature { params: types(&args), results: types(func.dfg.results(inst)) };
        let callee = self.callee(module, id, inst, (op, signature));
        module.funcs[id].dfg.replace_inst(inst, Op::Icall, &args, Payload::Func(callee));
    }

    /// Calls a function for the power of each lane.
    fn replace_powers(&mut self, module: &mut Module, id: Func, inst: Inst) {
        let func = &module.funcs[id];
        let args = func.dfg.args(inst).to_vec();
        let lanes: Vec<Type> = args.iter().map(|arg| func.dfg.ty(*arg).lane()).collect();
        let count = func.dfg.ty(args[0]).lanes().map_or(0, |(count, _)| count);
        let signature = Signature { results: vec![lanes[0]], params: lanes.clone() };
        let callee = self.callee(module, id, inst, (func.dfg.op(inst), signature));
        let func = &mut module.funcs[id];
        let mut emit = Emit::before(func, inst);
        let powers = (0..count).map(|lane| {
            let operands: Vec<Value> = args
                .iter()
                .zip(&lanes)
                .map(|(arg, ty)| {
                    let part = emit.insert(Op::Extract, &[*arg], Payload::Number(lane.into()), &[*ty]);
                    emit.func().dfg.result(part)
                })
                .collect();
            let call = emit.insert(Op::Icall, &operands, Payload::Func(callee), &lanes[..1]);
            emit.func().dfg.result(call)
        });
        let powers: Vec<Value> = powers.collect();
        func.dfg.replace_inst(inst, Op::Compose, &powers, Payload::None);
    }

    /// The function that does an operation on these types, made when it is first asked for.
    fn callee(&mut self, module: &mut Module, id: Func, inst: Inst, key: (Op, Signature)) -> Func {
        if let Some(callee) = self.known.get(&key) {
            return *callee;
        }
        let mut made = self.function(key.0, &key.1);
        made.span = module.funcs[id].inst_place(inst);
        let callee = module.funcs.push(made);
        self.known.insert(key, callee);
        callee
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
        if let (
            Op::Evm(Opcode::EXP),
            [base @ (Type::Fixed(_, decimals) | Type::Ufixed(_, decimals)), exponent],
        ) = (op, &signature.params[..])
        {
            let mut power = power_function(*base, *decimals, *exponent);
            power.name = name;
            return power;
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

/// Squares and products, from the lowest bit of the exponent up.
fn power_function(base: Type, decimals: u8, exponent: Type) -> Function {
    let one = Word::from(10).pow(Word::from(decimals));
    let text = format!(
        "module @power {{ func @power(%a : {base}, %n : {exponent}) -> {base} {{
         ^entry:
           %one = evm.constant {one} : {base}
           evm.br ^test(%one, %a, %n)
         ^test(%power : {base}, %square : {base}, %rest : {exponent}):
           evm.condbr %rest, ^more, ^done
         ^more:
           %bit = evm.and %rest, 1 : {exponent}
           %product = evm.mul %power, %square : {base}
           %next_power = evm.select %bit, %product, %power : {base}
           %next_square = evm.mul %square, %square : {base}
           %next_rest = evm.shr 1, %rest : {exponent}
           evm.br ^test(%next_power, %next_square, %next_rest)
         ^done:
           evm.iret %power }} }}"
    );
    let module = match cairn_ir::text::parse(&text, FileId(0)) {
        Ok(module) => module,
        Err(_) => unreachable!("invariant: the loop parses for all types that the verifier lets through"),
    };
    let mut func = module.funcs.values().next().expect("invariant: the loop is a function").clone();
    func.spans.clear();
    func.block_spans.clear();
    func
}
