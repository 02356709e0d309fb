//! Functions: signatures, parameters, return variables, bodies.

use crate::object::ObjectLowering;
use crate::state::{Edge, Exit};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, Func, FuncBuilder, Function, Inst, Op, Payload, Signature, Type, Value};
use cairn_yul::{Block as YulBlock, FunctionDefinition, Identifier, Span, Statement, YulName};

impl ObjectLowering<'_> {
    /// Builds the entry function from the object's code.
    pub(crate) fn lower_entry(&mut self, entry: Func, code: &YulBlock) {
        let block =
            self.begin_func(Function::new(self.module.funcs[entry].name.clone(), Signature::default()));
        self.state.block = Some(block);
        self.mark_function(Span::new(code.span.start, code.span.start + 1));
        self.lower_block(code);
        self.state.loc = None;
        self.set_place(code.src, code.span);
        if self.state.block.is_some() {
            self.terminate(Op::Evm(Opcode::STOP), &[], Payload::None);
        }
        self.finish_func(entry);
    }

    /// Makes the functions defined in `block` visible, then builds them. They are visible in the
    /// whole block, before their definition too, and even if that stands in dead code.
    #[inline(never)]
    pub(crate) fn lower_definitions(&mut self, block: &YulBlock) {
        let definitions = block.statements.iter().filter_map(|statement| match statement {
            Statement::Function(definition) => Some(&**definition),
            _ => None,
        });
        self.module.funcs.reserve(definitions.clone().count());
        for definition in definitions.clone() {
            let word = |_: &Identifier| Type::U256;
            let signature = Signature {
                params: definition.parameters.iter().map(word).collect(),
                results: definition.returns.iter().map(word).collect(),
            };
            let name = self.unique_func_name(self.names.text(definition.name.name));
            let func = self.module.funcs.push(Function::new(name, signature));
            self.funcs[definition.name.name.0 as usize] = Some(func);
        }
        for definition in definitions {
            let func = self.visible_func(definition.name.name);
            let outer = std::mem::take(&mut self.state);
            let branch = self.vars.open_branch();
            self.lower_function(func, definition);
            let changed = self.vars.close_branch(branch);
            assert!(changed.is_empty(), "invariant: a function sees no outer variable");
            self.state = outer;
        }
    }

    fn lower_function(&mut self, func: Func, definition: &FunctionDefinition) {
        let Function { name, signature, .. } = &self.module.funcs[func];
        let block = self.begin_func(Function::new(name.clone(), signature.clone()));
        self.state.block = Some(block);
        self.mark_function(definition.name.span);
        self.set_place(definition.src, definition.span);
        self.state.func.loc = self.state.loc;
        for parameter in &definition.parameters {
            let value = self.state.func.dfg.append_param(block, Type::U256);
            self.declare(parameter.name, value);
        }
        self.state.returns = definition.returns.iter().map(|id| id.name).collect();
        if !definition.returns.is_empty() {
            let zero = self.builder().constant(Word::ZERO);
            definition.returns.iter().for_each(|id| self.declare(id.name, zero));
        }
        self.lower_block(&definition.body);
        self.set_place(definition.src, definition.span);
        self.lower_leave();
        self.finish_func(func);
    }

    /// Returns the current values of the return variables.
    pub(crate) fn lower_leave(&mut self) {
        if self.state.block.is_some() {
            let results: Vec<Value> = self.state.returns.iter().map(|name| self.vars.get(*name)).collect();
            self.terminate(Op::Iret, &results, Payload::None);
        }
    }

    fn begin_func(&mut self, func: Function) -> Block {
        self.state.func = func;
        let block = self.state.func.make_block();
        self.state.func.layout.append_block(block);
        block
    }

    /// Keeps the place of the function being built if asked for.
    fn mark_function(&mut self, span: Span) {
        if self.options.names {
            self.state.func.span = Some(span);
        }
    }

    fn finish_func(&mut self, id: Func) {
        self.module.funcs[id] = std::mem::take(&mut self.state.func);
    }

    /// Declares a variable, with its name as the name of the value if asked for.
    pub(crate) fn declare(&mut self, name: YulName, value: Value) {
        self.vars.declare(name, value);
        self.name_value(value, name);
    }

    /// Assigns to a variable.
    pub(crate) fn assign(&mut self, name: YulName, value: Value) {
        self.vars.set(name, value);
        self.name_value(value, name);
    }

    fn name_value(&mut self, value: Value, name: YulName) {
        if self.options.names {
            let text = self.names.text(name);
            self.state.func.value_names.entry(value).or_insert_with(|| text.into());
        }
    }

    /// A builder at the current place.
    ///
    /// # Panics
    /// In dead code.
    pub(crate) fn builder(&mut self) -> FuncBuilder<'_> {
        let block = self.state.block.expect("invariant: code is built only where it can be reached");
        let mut builder = FuncBuilder::at(&mut self.state.func, block);
        builder.set_loc(self.state.loc);
        builder
    }

    /// Appends an instruction.
    pub(crate) fn push(&mut self, op: Op, args: &[Value], payload: Payload, results: &[Type]) -> Inst {
        let inst = self.builder().push(op, args, payload, results);
        if self.options.names {
            self.state.func.spans[inst] = Some(self.state.span);
        }
        inst
    }

    /// Appends a terminator; what follows is dead code.
    pub(crate) fn terminate(&mut self, op: Op, args: &[Value], payload: Payload) {
        self.push(op, args, payload, &[]);
        self.state.block = None;
    }

    /// Leaves the current block by an edge still to be written; what follows is dead code.
    /// `None` in dead code.
    pub(crate) fn leave_by_jump(&mut self, vars: &[YulName]) -> Option<Edge> {
        let block = self.state.block.take()?;
        let values = vars.iter().map(|name| self.vars.get(*name)).collect();
        Some(Edge { block, exit: Exit::Jump, values, loc: self.state.loc })
    }
}
