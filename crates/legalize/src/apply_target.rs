//! Applies the actions of a [target](crate::target) to the functions of a module.

use crate::options::Options;
use crate::report::{Change, Report};
use crate::target::{Target, TargetAction};
use cairn_diag::{Diagnostic, Diagnostics, FileId};
use cairn_ir::cursor::Cursor;
use cairn_ir::{Func, Function, Inst, Module, Op, Payload, Type, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// The type that a target is asked about: the widest of operands and results.
fn type_of(func: &Function, inst: Inst) -> Option<Type> {
    let used = func.dfg.args(inst).iter().chain(func.dfg.results(inst));
    used.map(|value| func.dfg.ty(*value)).reduce(|a, b| if a.widens_to(b) { b } else { a })
}

/// What the target of these options does about an instruction.
pub(crate) fn target_action(func: &Function, inst: Inst, options: &Options) -> Option<TargetAction> {
    options.target?.action(func.dfg.op(inst), type_of(func, inst)?)
}

/// Applies the actions of the target to all functions of a module.
pub(crate) fn apply(module: &mut Module, options: &Options, report: &mut Report, errors: &mut Diagnostics) {
    let Some(target) = options.target else { return };
    let mut library = Library::default();
    let mut next = 0;
    // Functions of the library are behind the last.
    while next < module.funcs.len() {
        let id = Func::from_u32(next as u32);
        next += 1;
        let func = &module.funcs[id];
        let insts: Vec<Inst> = func.layout.blocks().flat_map(|block| func.layout.insts(block)).collect();
        for inst in insts {
            let func = &mut module.funcs[id];
            let Some(action) = target_action(func, inst, options) else { continue };
            let what = match action {
                TargetAction::Legal | TargetAction::Expand => continue,
                TargetAction::Promote(ty) => {
                    promote(func, inst, ty);
                    format!("works on `{ty}`")
                }
                TargetAction::Custom => {
                    lower(func, inst, target);
                    "is written by the target".to_owned()
                }
                TargetAction::LibCall(name) => match library.function(module, target, name) {
                    Ok(callee) => {
                        let dfg = &mut module.funcs[id].dfg;
                        let args = dfg.args(inst).to_vec();
                        dfg.replace_inst(inst, Op::Icall, &args, Payload::Func(callee));
                        format!("calls `@{name}` of the target")
                    }
                    Err(message) => {
                        let fault = Diagnostic::error(format!("the target's library {message}"));
                        errors.push(fault.with_span(module.funcs[id].inst_place(inst)));
                        return;
                    }
                },
            };
            report.add("target", 1);
            if options.explain {
                let func = &module.funcs[id];
                let (func, span) = (func.name.clone(), func.inst_place(inst));
                report.changes.push(Change { pass: "target", func, what, span });
            }
        }
    }
}

/// Operands of the wider type, a result cut to the old one.
fn promote(func: &mut Function, inst: Inst, ty: Type) {
    let (op, payload) = (func.dfg.op(inst), func.dfg.inst(inst).payload);
    let args = func.dfg.args(inst).to_vec();
    let results = func.dfg.results(inst).to_vec();
    let mut cursor = Cursor::before(func, inst);
    let args: Vec<Value> = args.into_iter().map(|arg| cursor.value(Op::Zext, &[arg], ty)).collect();
    let [result] = results[..] else {
        func.dfg.replace_inst(inst, op, &args, payload);
        return;
    };
    // A test gives what it gave.
    let is_test =
        matches!(op, Op::Evm(opcode) if cairn_ir::builder::opcode_result_type(opcode) == Type::Bool);
    if is_test {
        func.dfg.replace_inst(inst, op, &args, payload);
        return;
    }
    let wide = Cursor::before(func, inst).insert(op, &args, payload, &[ty]);
    let wide = func.dfg.result(wide);
    let cast = if func.dfg.ty(result) == ty { Op::Zext } else { Op::Trunc };
    func.dfg.replace_inst(inst, cast, &[wide], Payload::None);
}

/// The target's own code; its results take the names of the old ones.
fn lower(func: &mut Function, inst: Inst, target: &dyn Target) {
    let args = func.dfg.args(inst).to_vec();
    let old = func.dfg.results(inst).to_vec();
    let types: Vec<Type> = old.iter().map(|value| func.dfg.ty(*value)).collect();
    let op = func.dfg.op(inst);
    let new = target.lower(&mut Cursor::before(func, inst), op, &args, &types);
    let mut replacements = crate::replace::Replacements::default();
    func.layout.remove_inst(inst);
    old.into_iter().zip(new).for_each(|(old, new)| replacements.record(func, old, new));
    replacements.apply(func);
}

/// The functions of the target's library that are in the module.
#[derive(Default)]
struct Library {
    source: Option<Module>,
    copies: FxHashMap<Func, Func>,
}

impl Library {
    /// The function with this name in the module.
    fn function(&mut self, module: &mut Module, target: &dyn Target, name: &str) -> Result<Func, String> {
        let source = match self.source.take() {
            Some(source) => source,
            None => parse(target.library())?,
        };
        let found = source.funcs.iter().find(|(_, func)| func.name == name).map(|(id, _)| id);
        let copy = found.map(|id| self.copy(module, &source, id));
        self.source = Some(source);
        copy.ok_or_else(|| format!("has no function `@{name}`"))
    }

    /// Copies a function and those that it calls.
    fn copy(&mut self, module: &mut Module, source: &Module, id: Func) -> Func {
        if let Some(known) = self.copies.get(&id) {
            return *known;
        }
        let mut copy = source.funcs[id].clone();
        let names: FxHashSet<&str> = module.funcs.values().map(|func| func.name.as_str()).collect();
        while names.contains(copy.name.as_str()) {
            copy.name.push('_');
        }
        copy.spans.clear();
        copy.block_spans.clear();
        copy.span = None;
        let new = module.funcs.push(copy.clone());
        self.copies.insert(id, new);
        copy.map_callees(|callee| self.copy(module, source, callee));
        module.funcs[new] = copy;
        new
    }
}

fn parse(text: &str) -> Result<Module, String> {
    cairn_ir::text::parse(text, FileId(0)).map_err(|faults| {
        let first = faults.iter().next().map(|fault| fault.message.clone());
        format!("is malformed: {}", first.unwrap_or_default())
    })
}
