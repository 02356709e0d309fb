//! One object: functions, data, locations, nested objects.

use crate::noreturn::cut_after_calls_without_return;
use crate::state::FuncState;
use crate::variables::Variables;
use cairn_evm::Word;
use cairn_ir::module::ENTRY_NAME;
use cairn_ir::verify::MAX_RESERVED;
use cairn_ir::{DataSegment, Func, Function, Loc, LocData, MemoryModel, Module};
use cairn_yul::{Block, Builtin, Callee, Expression, NameTable, Object, Span, SrcRef, Statement, YulName};
use rustc_hash::FxHashSet;

/// What to keep besides the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LowerOptions {
    /// Keep names of variables as names of values, and places in the Yul text as spans of
    /// instructions. Changes no code; costs time.
    pub names: bool,
}

/// Lowers an object and the objects nested in it.
///
/// The object must be resolved: every name is declared, every call has the right number of
/// arguments and results, literal arguments are literals.
pub fn lower_object(object: &Object, names: &NameTable, options: LowerOptions) -> Module {
    let mut module = ObjectLowering::new(object, names, options).lower();
    module.modules = object.objects.iter().map(|inner| lower_object(inner, names, options)).collect();
    module
}

/// The state of lowering one object.
pub(crate) struct ObjectLowering<'a> {
    object: &'a Object,
    pub(crate) names: &'a NameTable,
    pub(crate) options: LowerOptions,
    pub(crate) module: Module,
    pub(crate) vars: Variables,
    /// The function being built.
    pub(crate) state: FuncState,
    /// The visible function of each name; stale outside of its scope.
    pub(crate) funcs: Vec<Option<Func>>,
    /// The reserved memory of the object, if frames may follow it.
    pub(crate) guard: Option<u64>,
    func_names: FxHashSet<String>,
    /// Interned locations by [`SrcRef`].
    locs: Vec<Option<Loc>>,
}

impl<'a> ObjectLowering<'a> {
    fn new(object: &'a Object, names: &'a NameTable, options: LowerOptions) -> Self {
        ObjectLowering {
            object,
            names,
            options,
            module: Module::new(if object.is_bare { "object" } else { &*object.name }),
            vars: Variables::new(names.len()),
            state: FuncState::default(),
            funcs: vec![None; names.len()],
            guard: find_memory_guard(&object.code),
            func_names: FxHashSet::default(),
            locs: vec![None; object.src_locs.len()],
        }
    }

    fn lower(mut self) -> Module {
        let sources = self.object.source_names.iter();
        self.module.debug.sources = sources.map(|(id, name)| (*id, name.to_string())).collect();
        let data = self.object.data.iter();
        self.module.data =
            data.map(|blob| DataSegment { name: blob.name.to_string(), bytes: blob.bytes.clone() }).collect();
        if self.guard.is_none() {
            self.module.memory = MemoryModel::Unguarded;
        }
        let name = self.unique_func_name(ENTRY_NAME);
        let entry = self.module.funcs.push(Function::new(name, Default::default()));
        self.module.entry = Some(entry);
        self.lower_entry(entry, &self.object.code);
        cut_after_calls_without_return(&mut self.module);
        self.module
    }

    /// `wanted`, or with a number behind it when it is taken. Only for display.
    pub(crate) fn unique_func_name(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = self.func_names.len();
        while !self.func_names.insert(name.clone()) {
            name = format!("{wanted}.{number}");
            number += 1;
        }
        name
    }

    /// The function that `name` means here.
    pub(crate) fn visible_func(&self, name: YulName) -> Func {
        self.funcs[name.0 as usize].expect("invariant: resolved calls have a visible function")
    }

    /// Location and text place given to instructions from now on; keeps the old location where
    /// there is none.
    pub(crate) fn set_place(&mut self, src: SrcRef, span: Span) {
        self.state.span = span;
        let Some(slot) = self.locs.get(src.0 as usize) else { return };
        let loc = slot.unwrap_or_else(|| {
            let data = self.object.src_locs[src.0 as usize];
            let data = LocData { source: data.source, start: data.start, end: data.end, scope: None };
            self.module.debug.intern(data)
        });
        self.locs[src.0 as usize] = Some(loc);
        self.state.loc = Some(loc);
    }
}

/// The argument of `memoryguard`, if the code calls it and always with the same word, which is not
/// larger than memory ever gets.
/// Otherwise nothing is known about who owns which memory, and there is no room for frames.
fn find_memory_guard(code: &Block) -> Option<u64> {
    let mut search = GuardSearch::default();
    search.visit_block(code);
    let first = *search.sizes.first()?;
    let all_equal = search.sizes.iter().all(|size| *size == first);
    u64::try_from(first).ok().filter(|size| all_equal && *size <= MAX_RESERVED)
}

#[derive(Default)]
struct GuardSearch {
    sizes: Vec<Word>,
}

impl GuardSearch {
    fn visit_block(&mut self, block: &Block) {
        block.statements.iter().for_each(|statement| self.visit_statement(statement));
    }

    fn visit_statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Expression(value, ..) => self.visit_expression(value),
            Statement::Let(let_) => let_.value.iter().for_each(|value| self.visit_expression(value)),
            Statement::Assign(assign) => self.visit_expression(&assign.value),
            Statement::If(if_) => {
                self.visit_expression(&if_.condition);
                self.visit_block(&if_.body);
            }
            Statement::Switch(switch) => {
                self.visit_expression(&switch.expression);
                switch.cases.iter().for_each(|case| self.visit_block(&case.body));
            }
            Statement::For(for_) => {
                self.visit_expression(&for_.condition);
                [&for_.init, &for_.post, &for_.body].into_iter().for_each(|block| self.visit_block(block));
            }
            Statement::Function(func) => self.visit_block(&func.body),
            Statement::Block(block) => self.visit_block(block),
            Statement::Break(..) | Statement::Continue(..) | Statement::Leave(..) => {}
        }
    }

    fn visit_expression(&mut self, expression: &Expression) {
        let Expression::Call(call) = expression else { return };
        if let (Callee::Builtin(Builtin::MemoryGuard), [Expression::Literal(size)]) =
            (call.callee, &call.args[..])
        {
            self.sizes.push(size.value);
        }
        call.args.iter().for_each(|arg| self.visit_expression(arg));
    }
}
