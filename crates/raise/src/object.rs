//! Modules as objects.

use crate::declare::declare;
use crate::fault::{Fault, Reason};
use crate::graph::Graph;
use crate::names::{FunctionNames, VarNames};
use crate::needed::{Needed, needed_by_all};
use crate::notes::Notes;
use crate::polish::{move_into_loops, polish};
use crate::simplify::simplify;
use crate::states::make_reducible;
use crate::structure::{Detours, structure};
use crate::tree::{At, Expr, Stmt, Var};
use crate::yul::YulWriter;
use cairn_evm::Opcode;
use cairn_ir::{DataSegment, Func, Function, Module, Op, Payload, SymbolTable, Value};
use cairn_yul::Dialect;
use cairn_yul::ast::{
    Block, DataBlob, FunctionDefinition, Identifier, NameTable, Object, Span, SrcRef, Statement,
};
use cairn_yul::dialect::NameClass;

const NOWHERE: Span = Span { start: 0, end: 0 };

/// A raised module.
#[derive(Debug)]
pub struct Raised {
    /// The object.
    pub object: Object,
    /// The names in it.
    pub names: NameTable,
    /// What its control flow took that no statement of Yul says.
    pub detours: Detours,
}

/// Raises a module and the modules in it. `notes` become comments.
///
/// # Errors
/// The module has what Yul cannot say: the first such place.
pub fn raise(module: &Module, notes: &Notes, dialect: &Dialect) -> Result<Raised, Fault> {
    let mut raiser = Raiser { names: NameTable::default(), notes, dialect, detours: Detours::default() };
    let object = raiser.object(module)?;
    Ok(Raised { object, names: raiser.names, detours: raiser.detours })
}

struct Raiser<'a> {
    names: NameTable,
    notes: &'a Notes,
    dialect: &'a Dialect,
    detours: Detours,
}

impl Raiser<'_> {
    fn object(&mut self, module: &Module) -> Result<Object, Fault> {
        let fault = || Fault { function: module.name.clone(), place: module.span, reason: Reason::NoEntry };
        let entry = module.entry.ok_or_else(fault)?;
        let functions = FunctionNames::of(module, self.dialect, &mut self.names);
        let mut comments = Vec::new();
        let (mut statements, mut needs_min) = (Vec::new(), false);
        let graphs = called(module, entry).into_iter().map(|id| Ok((id, self.graph(&module.funcs[id])?)));
        let graphs = graphs.collect::<Result<Vec<_>, Fault>>()?;
        let all_needed = needed_by_all(&graphs);
        for ((id, graph), needed) in graphs.iter().zip(&all_needed) {
            let (id, func) = (*id, graph.func);
            let mut stmts = self.statements(graph, needed, &module.symbols)?;
            let is_needed = |value: &&Value| needed.reads(**value) > 0;
            let params: Vec<Var> =
                func.params().iter().filter(is_needed).map(|value| Var::Value(*value)).collect();
            let results: Vec<Var> =
                (0..func.signature.results.len()).map(|index| Var::Result(index as u32)).collect();
            declare(&mut stmts, &[params.as_slice(), &results].concat());
            move_into_loops(&mut stmts);
            let mut writer = YulWriter {
                table: &mut self.names,
                functions: &functions,
                vars: VarNames::new(func, &functions, self.dialect),
                notes: self.notes,
                comments: &mut comments,
                needs_min: false,
            };
            statements.push(match id == entry {
                true => Statement::Block(writer.block(&stmts)),
                false => definition(&mut writer, id, &params, &results, &stmts),
            });
            needs_min |= writer.needs_min;
        }
        if needs_min {
            statements.push(self.min(&functions));
        }
        let objects =
            module.modules.iter().map(|nested| self.object(nested)).collect::<Result<Vec<_>, _>>()?;
        let order = [vec![true; objects.len()], vec![false; module.data.len()]].concat();
        let code = Block { statements, span: NOWHERE, src: SrcRef::NONE };
        let data = module.data.iter().map(blob).collect();
        let name = module.name.as_str().into();
        Ok(Object { name, code, data, objects, order, comments, ..Object::default() })
    }

    /// The graph of a function, with structure to be found.
    fn graph<'f>(&self, func: &'f Function) -> Result<Graph<'f>, Fault> {
        self.check(func)?;
        let mut graph = Graph::of(func)?;
        simplify(&mut graph);
        make_reducible(&mut graph);
        Ok(graph)
    }

    /// The statements of a function, without declarations.
    fn statements(
        &mut self,
        graph: &Graph<'_>,
        needed: &Needed,
        symbols: &SymbolTable,
    ) -> Result<Vec<Stmt>, Fault> {
        let (mut stmts, detours) = structure(graph, needed, symbols)?;
        self.detours.states += detours.states;
        self.detours.regions += detours.regions;
        self.detours.far_exits += detours.far_exits;
        polish(&mut stmts);
        Ok(stmts)
    }

    /// Only opcodes that the dialect has builtins for.
    fn check(&self, func: &Function) -> Result<(), Fault> {
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            let Op::Evm(opcode) = func.dfg.op(inst) else { continue };
            let name = opcode.lower_name(self.dialect.fork);
            if !matches!(self.dialect.classify(name), NameClass::Builtin(_)) {
                let (function, place) = (func.name.clone(), func.inst_place(inst));
                return Err(Fault { function, place, reason: Reason::Opcode(name) });
            }
        }
        Ok(())
    }

    /// `function min(a, b) -> r { r := b  if lt(a, b) { r := a } }`
    fn min(&mut self, functions: &FunctionNames) -> Statement {
        let func = Function::default();
        let mut writer = YulWriter {
            table: &mut self.names,
            functions,
            vars: VarNames::new(&func, functions, self.dialect),
            notes: self.notes,
            comments: &mut Vec::new(),
            needs_min: false,
        };
        let [a, b, r] = [Var::Spare(0), Var::Spare(1), Var::Result(0)];
        let is_less = Expr::evm(Opcode::LT, vec![Expr::Var(a), Expr::Var(b)]);
        let body =
            [Stmt::assign(r, Expr::Var(b)), Stmt::If(is_less, vec![Stmt::assign(r, Expr::Var(a))], At(None))];
        let parameters = [a, b].map(|var| writer.identifier(var)).to_vec();
        let returns = vec![writer.identifier(r)];
        let body = writer.block(&body);
        let name = Identifier { name: functions.min, span: NOWHERE, src: SrcRef::NONE };
        let (span, src) = (NOWHERE, SrcRef::NONE);
        Statement::Function(Box::new(FunctionDefinition { name, parameters, returns, body, span, src }))
    }
}

fn definition(
    writer: &mut YulWriter<'_>,
    id: Func,
    params: &[Var],
    results: &[Var],
    stmts: &[Stmt],
) -> Statement {
    let parameters = params.iter().map(|var| writer.identifier(*var)).collect();
    let returns = results.iter().map(|var| writer.identifier(*var)).collect();
    let body = writer.block(stmts);
    let name = Identifier { name: writer.functions.get(id), span: NOWHERE, src: SrcRef::NONE };
    let (span, src) = (NOWHERE, SrcRef::NONE);
    Statement::Function(Box::new(FunctionDefinition { name, parameters, returns, body, span, src }))
}

/// The entry, and the functions that control may get to, in the module's order.
pub(crate) fn called(module: &Module, entry: Func) -> Vec<Func> {
    let mut is_called = vec![false; module.funcs.len()];
    is_called[entry.as_u32() as usize] = true;
    let mut work = vec![entry];
    while let Some(id) = work.pop() {
        let func = &module.funcs[id];
        for inst in func.layout.blocks().flat_map(|block| func.layout.insts(block)) {
            let Payload::Func(callee) = func.dfg.inst(inst).payload else { continue };
            if !std::mem::replace(&mut is_called[callee.as_u32() as usize], true) {
                work.push(callee);
            }
        }
    }
    let others = module.funcs.keys().filter(|id| *id != entry && is_called[id.as_u32() as usize]);
    [entry].into_iter().chain(others).collect()
}

fn blob(data: &DataSegment) -> DataBlob {
    DataBlob { name: data.name.as_str().into(), bytes: data.bytes.clone(), is_hex: true, span: NOWHERE }
}
