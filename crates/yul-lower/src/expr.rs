//! Expressions. Arguments are evaluated right to left.

use crate::object::ObjectLowering;
use cairn_evm::{Opcode, Word, hex};
use cairn_ir::{Op, Payload, Symbol, Type, Value};
use cairn_yul::{Builtin, Callee, Expression, FunctionCall, Literal};
use smallvec::{SmallVec, smallvec};

/// Results of an expression, or arguments of a call.
pub(crate) type Values = SmallVec<[Value; 4]>;

impl ObjectLowering<'_> {
    /// The values of an expression; `None` when control does not come back from it.
    pub(crate) fn lower_expression(&mut self, expression: &Expression) -> Option<Values> {
        match expression {
            Expression::Literal(literal) => Some(smallvec![self.constant(literal.value)]),
            Expression::Identifier(id) => Some(smallvec![self.vars.get(id.name)]),
            Expression::Call(call) => self.lower_call(call),
        }
    }

    /// The value of an expression with one value.
    pub(crate) fn lower_single(&mut self, expression: &Expression) -> Option<Value> {
        let values = self.lower_expression(expression)?;
        assert_eq!(values.len(), 1, "invariant: resolved operands have one value");
        Some(values[0])
    }

    fn lower_call(&mut self, call: &FunctionCall) -> Option<Values> {
        let (loc, span) = (self.state.loc, self.state.span);
        self.set_place(call.src, call.span);
        let values = match call.callee {
            Callee::Builtin(builtin) => self.lower_builtin(builtin, call),
            Callee::User(name) => {
                let args = self.lower_args(&call.args)?;
                let func = self.visible_func(name);
                let results: SmallVec<[Type; 4]> =
                    SmallVec::from_slice(&self.module.funcs[func].signature.results);
                Some(self.emit(Op::Icall, &args, Payload::Func(func), &results))
            }
        };
        (self.state.loc, self.state.span) = (loc, span);
        values
    }

    fn lower_args(&mut self, args: &[Expression]) -> Option<Values> {
        let mut values: Values =
            args.iter().rev().map(|arg| self.lower_single(arg)).collect::<Option<_>>()?;
        values.reverse();
        Some(values)
    }

    fn lower_builtin(&mut self, builtin: Builtin, call: &FunctionCall) -> Option<Values> {
        match builtin {
            Builtin::Evm(opcode) => self.lower_opcode(opcode, &call.args),
            Builtin::DataSize => Some(self.emit_named(Op::DataSize, &call.args)),
            Builtin::DataOffset => Some(self.emit_named(Op::DataOffset, &call.args)),
            Builtin::LoadImmutable => Some(self.emit_named(Op::LoadImmutable, &call.args)),
            Builtin::LinkerSymbol => Some(self.emit_named(Op::LinkerSymbol, &call.args)),
            Builtin::DataCopy => {
                let args = self.lower_args(&call.args)?;
                Some(self.emit(Op::DataCopy, &args, Payload::None, &[]))
            }
            Builtin::SetImmutable => {
                let value = self.lower_single(&call.args[2])?;
                let offset = self.lower_single(&call.args[0])?;
                let name = self.literal_symbol(&call.args[1]);
                Some(self.emit(Op::SetImmutable, &[offset, value], Payload::Symbol(name), &[]))
            }
            Builtin::MemoryGuard => Some(smallvec![self.lower_memory_guard(literal(&call.args[0]).value)]),
            Builtin::Verbatim { outputs, .. } => {
                let args = self.lower_args(&call.args[1..])?;
                let bytes = hex::encode(literal_bytes(&call.args[0]));
                let bytes = self.module.symbols.intern(&bytes);
                let results = vec![Type::U256; usize::from(outputs)];
                Some(self.emit(Op::Verbatim, &args, Payload::Symbol(bytes), &results))
            }
        }
    }

    fn lower_opcode(&mut self, opcode: Opcode, args: &[Expression]) -> Option<Values> {
        let args = self.lower_args(args)?;
        if opcode == Opcode::POP {
            return Some(Values::new());
        }
        if opcode.halts() {
            self.terminate(Op::Evm(opcode), &args, Payload::None);
            return None;
        }
        Some(self.builder_evm(opcode, &args))
    }

    fn builder_evm(&mut self, opcode: Opcode, args: &[Value]) -> Values {
        let ty = [cairn_ir::builder::opcode_result_type(opcode)];
        let results = &ty[..usize::from(opcode.known().outputs)];
        self.emit(Op::Evm(opcode), args, Payload::None, results)
    }

    /// Memory from the end of what the program reserves; frames lie in between.
    fn lower_memory_guard(&mut self, size: Word) -> Value {
        let Some(guard) = self.guard else { return self.constant(size) };
        let base = self.emit(Op::HeapBase, &[], Payload::Number(guard), &[Type::MEMORY]);
        self.emit(Op::PtrToInt, &base, Payload::None, &[Type::U256])[0]
    }

    fn emit_named(&mut self, op: Op, args: &[Expression]) -> Values {
        let name = self.literal_symbol(&args[0]);
        self.emit(op, &[], Payload::Symbol(name), &[Type::U256])
    }

    fn emit(&mut self, op: Op, args: &[Value], payload: Payload, results: &[Type]) -> Values {
        let inst = self.push(op, args, payload, results);
        SmallVec::from_slice(self.state.func.dfg.results(inst))
    }

    /// A constant at the current place.
    pub(crate) fn constant(&mut self, word: Word) -> Value {
        let id = self.state.func.dfg.make_const(word);
        self.emit(Op::Constant, &[], Payload::Const(id), &[Type::U256])[0]
    }

    fn literal_symbol(&mut self, argument: &Expression) -> Symbol {
        self.module.symbols.intern(&String::from_utf8_lossy(literal_bytes(argument)))
    }
}

fn literal(argument: &Expression) -> &Literal {
    match argument {
        Expression::Literal(literal) => literal,
        Expression::Identifier(_) | Expression::Call(_) => {
            unreachable!("invariant: a resolved literal argument")
        }
    }
}

fn literal_bytes(argument: &Expression) -> &[u8] {
    literal(argument).text.as_deref().unwrap_or_default()
}
