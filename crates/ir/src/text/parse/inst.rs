//! Instructions in text.

use super::body::{Body, PhiText, SwitchText};
use super::location::LocRef;
use crate::dfg::{BlockCall, Payload, SwitchData};
use crate::ids::{Inst, Value};
use crate::infer::{has_optional_length, infer_result_types};
use crate::op::Op;
use crate::text::fault;
use crate::text::lex::Kind;
use crate::text::literal;
use crate::types::Type;
use cairn_diag::Span;
use cairn_evm::Opcode;

/// Faults of a file for which similar names are looked for.
const MAX_SIMILAR: usize = 20;

/// The operation whose name is almost this, with or without `evm.`.
fn similar_op(text: &str) -> Option<&'static str> {
    let text = text.strip_prefix("evm.").unwrap_or(text);
    let opcodes = Opcode::all().map(Op::Evm).map(Op::name).filter(|name| Op::from_name(name).is_some());
    let others = Op::TABLE.iter().map(|op| op.name());
    let near = others.chain(opcodes).map(|name| (strsim::osa_distance(text, name), name));
    near.filter(|(distance, name)| *distance <= name.len() / 3).min().map(|(_, name)| name)
}

impl Body<'_, '_, '_> {
    /// `%a, %b = evm.op operands : types loc(!n)`.
    pub(super) fn inst(&mut self) -> Option<()> {
        let start = self.stream.peek().span;
        self.result_names()?;
        let word = self.stream.expect(Kind::Word, "an operation such as `evm.add`")?;
        let text = self.stream.text(word);
        if text == "phi" || text == "evm.phi" {
            return self.phi(start);
        }
        let op = match text.strip_prefix("evm.").and_then(Op::from_name) {
            Some(op) => op,
            None => return self.unknown_op(word.span, text),
        };
        if op == Op::Constant {
            return self.constant(start);
        }
        let (op, args, payload) = self.op_parts(op)?;
        let types = self.type_suffix()?;
        self.finish_inst(op, &args, payload, types, start)
    }

    fn unknown_op(&mut self, span: Span, text: &str) -> Option<()> {
        let shown: String = text.chars().take(80).collect();
        let message = format!("unknown operation `{shown}`");
        // Looking for similar names takes time, which a file of faults should not.
        let is_early = self.stream.num_faults < MAX_SIMILAR;
        match (Op::from_name(text), is_early.then(|| similar_op(&shown)).flatten()) {
            (Some(_), _) => self.stream.fault_with_help(
                fault::UNKNOWN_OPERATION,
                span,
                message,
                format!("write `evm.{text}`"),
            ),
            (None, Some(name)) => self.stream.fault_with_help(
                fault::UNKNOWN_OPERATION,
                span,
                message,
                format!("did you mean `evm.{name}`?"),
            ),
            (None, None) => self.stream.fault(fault::UNKNOWN_OPERATION, span, message),
        }
    }

    /// `%a, %b =`, if it stands here.
    fn result_names(&mut self) -> Option<()> {
        self.lhs.clear();
        self.switch_loc = None;
        self.has_typed_operands = false;
        if self.stream.kind() != Kind::Value {
            return Some(());
        }
        loop {
            let token = self.stream.expect(Kind::Value, "a value such as `%x`")?;
            let name = self.stream.name(token)?;
            self.lhs.push((name, token.span));
            if self.stream.eat(Kind::Comma).is_none() {
                break;
            }
        }
        self.stream.expect(Kind::Equals, "`=`")?;
        Some(())
    }

    /// What stands between the operation and its type. The operation is changed where operands
    /// tell two spellings apart.
    fn op_parts(&mut self, op: Op) -> Option<(Op, Vec<Value>, Payload)> {
        let (args, payload) = match op {
            Op::Alloca => (Vec::new(), Payload::Number(self.alloca_size()?)),
            Op::Extract | Op::Insert => self.part(op)?,
            Op::Shuffle => (self.shuffle()?, Payload::None),
            Op::HeapBase => (Vec::new(), Payload::Number(self.optional_size(0)?)),
            Op::DataOffset | Op::DataSize | Op::LoadImmutable | Op::LinkerSymbol => {
                (Vec::new(), self.symbol()?)
            }
            Op::DbgLabel => (Vec::new(), self.label_mark()?),
            Op::SetImmutable => {
                let payload = self.symbol()?;
                (self.more_operands()?, payload)
            }
            Op::Verbatim => {
                let payload = self.verbatim_bytes()?;
                (self.more_operands()?, payload)
            }
            Op::Icall => self.icall()?,
            Op::DbgTrace => self.trace()?,
            Op::Br => (Vec::new(), Payload::Jump(self.target()?)),
            Op::CondBr => self.cond_br()?,
            Op::Switch => self.switch()?,
            _ => (self.operands()?, Payload::None),
        };
        let op = match op {
            Op::Evm(Opcode::RETURN) if args.len() == 1 => Op::ReturnValue,
            Op::Extract if matches!(payload, Payload::None) => Op::ExtractAt,
            op => op,
        };
        Some((op, args, payload))
    }

    /// `%value`, and `, !variable` behind it.
    fn trace(&mut self) -> Option<(Vec<Value>, Payload)> {
        let mut values = vec![self.value_ref()?];
        loop {
            if self.stream.eat(Kind::Comma).is_none() {
                return Some((values, Payload::None));
            }
            if self.stream.kind() != Kind::Value {
                break;
            }
            values.push(self.value_ref()?);
        }
        let token = self.stream.expect(Kind::Meta, "a variable such as `!0`")?;
        let number = self.stream.text(token)[1..].parse::<u64>().ok();
        match number.and_then(|number| self.cx.vars.get(&number)) {
            Some(var) => Some((values, Payload::Number(u64::from(var.as_u32())))),
            None => {
                let message = format!("variable `{}` is not defined", self.stream.shown(token));
                self.stream.fault(fault::NOT_DEFINED, token.span, message)
            }
        }
    }

    /// The size of an `alloca`: a number of bytes, or a type that it has room for.
    fn alloca_size(&mut self) -> Option<u64> {
        let next = self.stream.peek();
        let is_type =
            next.kind == Kind::Word && !next.starts_line && !self.stream.text(next).starts_with("evm.");
        if is_type && !self.stream.is_word("loc") {
            return Some(32 * self.stream.ty()?.words() as u64);
        }
        self.optional_size(32)
    }

    /// `%a, %b, [0, 5, %n]`, or the indices without brackets.
    fn shuffle(&mut self) -> Option<Vec<Value>> {
        let mut args = vec![self.operand()?];
        self.stream.expect(Kind::Comma, "`,`")?;
        args.push(self.operand()?);
        self.stream.expect(Kind::Comma, "`,`")?;
        let has_bracket = self.stream.eat(Kind::OpenBracket).is_some();
        args.push(self.operand()?);
        args.extend(self.more_operands()?);
        if has_bracket {
            self.stream.expect(Kind::CloseBracket, "`]`")?;
        }
        Some(args)
    }

    /// `%s, 1`, `%s, %n` and `%s, %part, 1`.
    fn part(&mut self, op: Op) -> Option<(Vec<Value>, Payload)> {
        let mut args = vec![self.value_ref()?];
        self.stream.expect(Kind::Comma, "`,`")?;
        if op == Op::Insert {
            args.push(self.value_ref()?);
            self.stream.expect(Kind::Comma, "`,`")?;
        }
        if op == Op::Extract && self.stream.kind() == Kind::Value {
            args.push(self.value_ref()?);
            return Some((args, Payload::None));
        }
        let index = self.stream.small_number("the index of a part")?;
        Some((args, Payload::Number(index)))
    }

    /// `64` or `[64]`, if it stands here.
    fn optional_size(&mut self, default: u64) -> Option<u64> {
        if self.stream.eat(Kind::OpenBracket).is_some() {
            let size = self.stream.small_number("a size in bytes")?;
            self.stream.expect(Kind::CloseBracket, "`]`")?;
            return Some(size);
        }
        match self.stream.kind() {
            Kind::Number => self.stream.small_number("a size in bytes"),
            _ => Some(default),
        }
    }

    /// `@name` or `"name"`.
    fn symbol(&mut self) -> Option<Payload> {
        let token = self.stream.peek();
        let name = match token.kind {
            Kind::Symbol => {
                self.stream.bump();
                self.stream.name(token)?.into_owned()
            }
            Kind::String => {
                self.stream.bump();
                self.stream.string(token)?
            }
            _ => return self.stream.expected("a name such as `@x` or `\"x\"`"),
        };
        Some(Payload::Symbol(self.cx.symbols.intern(&name)))
    }

    /// The name of a mark: `@name`, `"name"` or `%name`, which is no use of the value.
    fn label_mark(&mut self) -> Option<Payload> {
        let Some(token) = self.stream.eat(Kind::Value) else { return self.symbol() };
        let name = self.stream.name(token)?;
        Some(Payload::Symbol(self.cx.symbols.intern(&name)))
    }

    /// `hex"…"`; kept as lower-case digits.
    fn verbatim_bytes(&mut self) -> Option<Payload> {
        let token = self.stream.expect(Kind::Hex, "`hex\"…\"`")?;
        let Some(bytes) = literal::parse_hex(self.stream.text(token)) else {
            return self.stream.fault(fault::INVALID_BYTES, token.span, "the bytes are malformed");
        };
        Some(Payload::Symbol(self.cx.symbols.intern(&cairn_evm::hex::encode(bytes))))
    }

    /// `@f(%a, %b)`.
    fn icall(&mut self) -> Option<(Vec<Value>, Payload)> {
        let token = self.stream.expect(Kind::Symbol, "a function such as `@f`")?;
        let name = self.stream.name(token)?;
        let func = self.cx.funcs.get(name.as_ref()).copied();
        let args = self.paren_operands()?;
        let Some(func) = func else {
            let shown = self.stream.shown(token);
            return self.stream.fault(
                fault::NOT_DEFINED,
                token.span,
                format!("function `{shown}` is not defined"),
            );
        };
        Some((args, Payload::Func(func)))
    }

    /// `^name(%a, %b)`.
    fn target(&mut self) -> Option<BlockCall> {
        let block = self.block_ref()?;
        let args = self.paren_operands()?;
        Some(self.func.dfg.block_call(block, &args))
    }

    /// `%c, ^a, ^b`.
    fn cond_br(&mut self) -> Option<(Vec<Value>, Payload)> {
        let condition = self.operand()?;
        self.stream.expect(Kind::Comma, "`,`")?;
        let then = self.target()?;
        self.stream.expect(Kind::Comma, "`,`")?;
        let otherwise = self.target()?;
        Some((vec![condition], Payload::Branch([then, otherwise])))
    }

    /// `%v, default ^d loc(!7)` and cases `case 0 -> ^b0`; `:` may stand for the arrow.
    fn switch(&mut self) -> Option<(Vec<Value>, Payload)> {
        let value = self.operand()?;
        self.stream.expect(Kind::Comma, "`,`")?;
        if !self.stream.eat_word("default") {
            return self.stream.expected("`default`");
        }
        let default = self.target()?;
        self.switch_loc = self.loc_suffix()?;
        let (mut cases, mut numbers) = (Vec::new(), Vec::new());
        while self.stream.eat_word("case") {
            let token = self.stream.expect(Kind::Number, "a number")?;
            let Some(number) = literal::parse_number(self.stream.text(token)) else {
                return self.stream.fault(
                    fault::INVALID_NUMBER,
                    token.span,
                    "the number does not fit 256 bits",
                );
            };
            if self.stream.eat(Kind::Colon).is_none() {
                self.stream.expect(Kind::Arrow, "`->`")?;
            }
            numbers.push((number, token.span));
            cases.push((number.0, self.target()?));
        }
        let id = self.func.dfg.make_switch(SwitchData { default, cases });
        self.switches.push(SwitchText { id, value, numbers });
        Some((vec![value], Payload::Switch(id)))
    }

    /// `: types`, if it stands here.
    pub(super) fn type_suffix(&mut self) -> Option<Option<Vec<Type>>> {
        match self.stream.eat(Kind::Colon) {
            Some(_) => self.stream.type_list().map(Some),
            None => Some(None),
        }
    }

    /// Appends the instruction, its results, and what follows them.
    pub(super) fn finish_inst(
        &mut self,
        op: Op,
        args: &[Value],
        payload: Payload,
        types: Option<Vec<Type>>,
        start: Span,
    ) -> Option<()> {
        let early = self.switch_loc.take();
        let loc = self.loc_suffix()?.or(early);
        let inst = self.append(op, args, payload);
        self.func.dfg.inst_mut(inst).loc = loc.into();
        self.literals.close(inst);
        let span = start.to(self.stream.previous_span());
        self.func.spans[inst] = Some(span);
        self.append_results(inst, types, span)
    }

    /// Gives an instruction its results: as many as there are names, else types, else as the
    /// operation or the callee says.
    fn append_results(&mut self, inst: Inst, types: Option<Vec<Type>>, span: Span) -> Option<()> {
        let op = self.func.dfg.op(inst);
        let expected = self.expected_results(inst);
        let annotated = types.as_ref().filter(|types| expected == Some(0) && types.len() == 1);
        if let (Some(types), true) = (annotated, self.lhs.is_empty()) {
            self.annotated.push((inst, types[0]));
            return Some(());
        }
        if expected == Some(0) && types.as_ref().is_some_and(Vec::is_empty) {
            self.define_void();
            return Some(());
        }
        let count = match (&types, expected) {
            _ if !self.lhs.is_empty() => self.lhs.len(),
            (Some(types), _) => types.len(),
            (None, expected) => expected.unwrap_or(0),
        };
        let fits =
            expected.is_none_or(|expected| expected == count || (has_optional_length(op) && count == 2));
        if !fits {
            let message = format!("`evm.{}` has {}, not {count}", op.name(), plural(expected.unwrap_or(0)));
            return self.stream.fault(fault::RESULT_COUNT, span, message);
        }
        if let Some(types) = types.as_ref().filter(|types| types.len() != count) {
            let message = format!("{} and {} types", plural(count), types.len());
            return self.stream.fault(fault::RESULT_COUNT, span, message);
        }
        for index in 0..count {
            let ty = types.as_ref().map_or(Type::U256, |types| types[index]);
            self.func.dfg.append_result(inst, ty);
        }
        if types.is_none() && count > 0 {
            self.untyped.push(inst);
        }
        for (index, (name, span)) in std::mem::take(&mut self.lhs).into_iter().enumerate() {
            let value = self.func.dfg.results(inst)[index];
            self.define_value(name, span, value);
        }
        Some(())
    }

    fn expected_results(&self, inst: Inst) -> Option<usize> {
        match self.func.dfg.inst(inst).payload {
            Payload::Func(func) => Some(self.cx.headers[func.as_u32() as usize].signature.results.len()),
            _ => self.func.dfg.op(inst).outputs(),
        }
    }

    /// `loc(!7)`, if it stands here.
    fn loc_suffix(&mut self) -> Option<Option<crate::ids::Loc>> {
        match LocRef::parse(self.stream)? {
            Some(loc) => loc.resolve(self.stream, self.cx.locs).map(Some),
            None => Some(None),
        }
    }

    /// `phi [ %v1, ^a ], [ %v2, ^b ] : u256`: a parameter of the current block.
    fn phi(&mut self, start: Span) -> Option<()> {
        let mut entries = Vec::new();
        loop {
            self.stream.expect(Kind::OpenBracket, "`[`")?;
            let value = self.value_ref()?;
            self.stream.expect(Kind::Comma, "`,`")?;
            entries.push((value, self.block_ref()?));
            self.stream.expect(Kind::CloseBracket, "`]`")?;
            if self.stream.eat(Kind::Comma).is_none() {
                break;
            }
        }
        let types = self.type_suffix()?;
        self.loc_suffix()?;
        let span = start.to(self.stream.previous_span());
        let block = self.current_block();
        if self.lhs.len() != 1 || types.as_ref().is_some_and(|types| types.len() != 1) {
            return self.stream.fault(fault::INVALID_PHI, span, "`phi` has one result");
        }
        if self.func.layout.first_inst(block).is_some() {
            return self.stream.fault(
                fault::INVALID_PHI,
                span,
                "`phi` stands after another instruction of its block",
            );
        }
        if self.func.layout.first_block() == Some(block) {
            return self.stream.fault(fault::INVALID_PHI, span, "`phi` stands in the entry block");
        }
        let ty = types.as_ref().map_or(Type::U256, |types| types[0]);
        let param = self.func.dfg.append_param(block, ty);
        for (name, span) in std::mem::take(&mut self.lhs) {
            self.define_value(name, span, param);
        }
        self.phis.push(PhiText { block, param, entries, has_type: types.is_some(), span });
        Some(())
    }

    /// Infers the types of results that were left out; false if one cannot be.
    pub(super) fn infer_types(&mut self, inst: Inst) -> Option<bool> {
        let headers = self.cx.headers;
        let callee = |func: crate::ids::Func| headers[func.as_u32() as usize].signature.results.as_slice();
        match infer_result_types(self.func, inst, callee) {
            Some(types) => {
                let results = self.func.dfg.results(inst).to_vec();
                let mut changed = false;
                for (value, ty) in results.into_iter().zip(types) {
                    changed |= self.func.dfg.ty(value) != ty;
                    self.func.dfg.set_ty(value, ty);
                }
                Some(changed)
            }
            None => {
                let span = self.func.spans[inst].unwrap_or_default();
                let name = self.func.dfg.op(inst).name();
                let message = format!("the result type of `evm.{name}` cannot be inferred");
                self.stream.fault_with_help(
                    fault::TYPE_NOT_INFERRED,
                    span,
                    message,
                    "write it after the operands: `: u8`",
                )
            }
        }
    }
}

fn plural(results: usize) -> String {
    match results {
        0 => "no result".to_owned(),
        1 => "one result".to_owned(),
        n => format!("{n} results"),
    }
}
