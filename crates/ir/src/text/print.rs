//! [`Module`] to text. Linear; see [`Names`] for what values are called.

use super::names::Names;
use crate::debug::ScopeKind;
use crate::dfg::{BlockCall, Payload};
use crate::function::{FuncAttrs, Function};
use crate::ids::{Block, Func, Inst, Loc, Scope, Value};
use crate::module::{ENTRY_NAME, MemoryModel, Module};
use crate::op::Op;
use crate::symbol::Symbol;
use crate::text::literal;
use crate::types::Type;
use cairn_evm::hex;
use std::fmt::{self, Write};

/// The text of a module.
pub fn print(module: &Module) -> String {
    let mut out = String::new();
    write_module(&mut out, module, 0).expect("invariant: a string takes everything");
    out
}

/// The text of one function of a module.
pub fn print_function(module: &Module, func: Func) -> String {
    let mut out = String::new();
    write_function(&mut out, module, func, 0).expect("invariant: a string takes everything");
    out
}

/// The text of one instruction of a function, without the instruction's place.
pub fn print_inst(module: &Module, func: &Function, names: &Names, inst: Inst) -> String {
    let mut writer = Writer { out: String::new(), module, func, names, indent: 0 };
    writer.inst(inst).expect("invariant: a string takes everything");
    writer.out.trim().to_owned()
}

impl fmt::Display for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n("  ", indent));
}

fn write_module(out: &mut String, module: &Module, indent: usize) -> fmt::Result {
    pad(out, indent);
    out.push_str("module ");
    literal::write_name(out, '@', &module.name)?;
    out.push_str(match module.memory {
        MemoryModel::Frames => " {\n",
        MemoryModel::NoFrame => " [noframe] {\n",
        MemoryModel::Unguarded => " [unguarded] {\n",
    });
    for data in &module.data {
        pad(out, indent + 1);
        out.push_str("data ");
        literal::write_name(out, '@', &data.name)?;
        writeln!(out, " = hex\"{}\"", hex::encode(&data.bytes))?;
    }
    write_debug(out, module, indent + 1)?;
    for func in module.funcs.keys() {
        write_function(out, module, func, indent + 1)?;
    }
    for nested in &module.modules {
        write_module(out, nested, indent + 1)?;
    }
    pad(out, indent);
    out.push_str("}\n");
    Ok(())
}

fn write_debug(out: &mut String, module: &Module, indent: usize) -> fmt::Result {
    for (index, name) in &module.debug.sources {
        pad(out, indent);
        write!(out, "!cu {index} = ")?;
        literal::write_string(out, name)?;
        out.push('\n');
    }
    for (scope, data) in module.debug.scopes.iter() {
        pad(out, indent);
        match &data.kind {
            ScopeKind::Function(name) => {
                write!(out, "!fn !{} = ", scope.as_u32())?;
                literal::write_string(out, name)?;
            }
            ScopeKind::Block(parent) => {
                write!(out, "!scope !{} = !{}", scope.as_u32(), parent.as_u32())?;
            }
        }
        writeln!(out, " {}:{}:{}", data.source, data.start, data.end)?;
    }
    for (var, data) in module.debug.vars.iter() {
        pad(out, indent);
        write!(out, "!var !{} = ", var.as_u32())?;
        literal::write_string(out, &data.name)?;
        out.push(' ');
        literal::write_string(out, &data.ty)?;
        write_scope(out, data.scope)?;
    }
    for (loc, data) in module.debug.locs() {
        pad(out, indent);
        write!(out, "!loc !{} = {}:{}:{}", loc.as_u32(), data.source, data.start, data.end)?;
        write_scope(out, data.scope)?;
    }
    Ok(())
}

fn write_scope(out: &mut String, scope: Option<Scope>) -> fmt::Result {
    match scope {
        Some(scope) => writeln!(out, " !{}", scope.as_u32()),
        None => writeln!(out),
    }
}

fn write_function(out: &mut String, module: &Module, id: Func, indent: usize) -> fmt::Result {
    let func = &module.funcs[id];
    let names = Names::new(func);
    let mut writer = Writer { out: std::mem::take(out), module, func, names: &names, indent };
    writer.header(id)?;
    for block in func.layout.blocks() {
        writer.block(block)?;
    }
    *out = writer.out;
    pad(out, indent);
    out.push_str("}\n");
    Ok(())
}

/// Writes one function.
struct Writer<'a> {
    out: String,
    module: &'a Module,
    func: &'a Function,
    names: &'a Names,
    indent: usize,
}

impl Writer<'_> {
    fn header(&mut self, id: Func) -> fmt::Result {
        pad(&mut self.out, self.indent);
        self.out.push_str("func ");
        literal::write_name(&mut self.out, '@', &self.func.name)?;
        self.out.push('(');
        match self.func.layout.first_block() {
            Some(entry) => self.params(self.func.dfg.params(entry))?,
            None => self.types(&self.func.signature.params)?,
        }
        self.out.push(')');
        match self.func.signature.results.as_slice() {
            [] => {}
            [ty] => write!(self.out, " -> {ty}")?,
            types => {
                self.out.push_str(" -> (");
                self.types(types)?;
                self.out.push(')');
            }
        }
        self.attributes(id);
        self.loc(self.func.loc)?;
        self.out.push_str(" {\n");
        Ok(())
    }

    fn attributes(&mut self, id: Func) {
        let FuncAttrs { inline, noinline, cold, norecurse } = self.func.attrs;
        let is_entry = self.module.entry == Some(id) && self.func.name != ENTRY_NAME;
        let all = [
            (inline, "inline"),
            (noinline, "noinline"),
            (cold, "cold"),
            (norecurse, "norecurse"),
            (is_entry, "entry"),
        ];
        let set: Vec<&str> = all.iter().filter(|(set, _)| *set).map(|(_, name)| *name).collect();
        if !set.is_empty() {
            self.out.push_str(" [");
            self.out.push_str(&set.join(", "));
            self.out.push(']');
        }
    }

    fn loc(&mut self, loc: Option<Loc>) -> fmt::Result {
        match loc {
            Some(loc) => write!(self.out, " loc(!{})", loc.as_u32()),
            None => Ok(()),
        }
    }

    fn params(&mut self, params: &[Value]) -> fmt::Result {
        for (index, param) in params.iter().enumerate() {
            self.comma(index);
            self.value(*param)?;
            write!(self.out, " : {}", self.func.dfg.ty(*param))?;
        }
        Ok(())
    }

    fn types(&mut self, types: &[Type]) -> fmt::Result {
        for (index, ty) in types.iter().enumerate() {
            self.comma(index);
            write!(self.out, "{ty}")?;
        }
        Ok(())
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.out.push_str(", ");
        }
    }

    fn value(&mut self, value: Value) -> fmt::Result {
        self.names.write_value(&mut self.out, value)
    }

    fn values(&mut self, values: &[Value]) -> fmt::Result {
        for (index, value) in values.iter().enumerate() {
            self.comma(index);
            self.value(*value)?;
        }
        Ok(())
    }

    fn block(&mut self, block: Block) -> fmt::Result {
        pad(&mut self.out, self.indent);
        self.names.write_block(&mut self.out, block)?;
        let params = self.func.dfg.params(block);
        if !params.is_empty() && self.func.layout.first_block() != Some(block) {
            self.out.push('(');
            self.params(params)?;
            self.out.push(')');
        }
        self.out.push_str(":\n");
        self.func.layout.insts(block).try_for_each(|inst| self.inst(inst))
    }

    fn inst(&mut self, inst: Inst) -> fmt::Result {
        pad(&mut self.out, self.indent + 1);
        let results = self.func.dfg.results(inst);
        if !results.is_empty() {
            self.values(results)?;
            self.out.push_str(" = ");
        }
        self.out.push_str("evm.");
        self.out.push_str(self.func.dfg.op(inst).name());
        self.operands(inst)?;
        for (index, result) in results.iter().enumerate() {
            let separator = if index == 0 { " : " } else { ", " };
            write!(self.out, "{separator}{}", self.func.dfg.ty(*result))?;
        }
        self.loc(self.func.dfg.inst(inst).loc.expand())?;
        self.out.push('\n');
        if let Payload::Switch(id) = self.func.dfg.inst(inst).payload {
            for (word, call) in &self.func.dfg.switch(id).cases {
                pad(&mut self.out, self.indent + 2);
                self.out.push_str("case ");
                literal::write_word(&mut self.out, *word)?;
                self.out.push_str(" -> ");
                self.target(call)?;
                self.out.push('\n');
            }
        }
        Ok(())
    }

    /// What stands between the operation and its type.
    fn operands(&mut self, inst: Inst) -> fmt::Result {
        let args = self.func.dfg.args(inst);
        match self.func.dfg.inst(inst).payload {
            Payload::None if self.func.dfg.op(inst) == Op::Shuffle && args.len() > 2 => {
                self.list(" ", &args[..2])?;
                self.out.push_str(", [");
                self.values(&args[2..])?;
                self.out.push(']');
                Ok(())
            }
            Payload::None => self.list(" ", args),
            Payload::Const(id) => {
                let word = self.func.dfg.word(id);
                let ty = self.func.dfg.results(inst).first().map(|value| self.func.dfg.ty(*value));
                self.out.push(' ');
                literal::write_constant(&mut self.out, word, ty.unwrap_or(Type::U256))
            }
            Payload::Number(var) if self.func.dfg.op(inst) == Op::DbgTrace => {
                self.list(" ", args)?;
                write!(self.out, ", !{var}")
            }
            Payload::Number(32) if self.func.dfg.op(inst) == Op::Alloca => Ok(()),
            Payload::Number(size) => {
                self.list(" ", args)?;
                write!(self.out, "{} {size}", if args.is_empty() { "" } else { "," })
            }
            Payload::Func(callee) => {
                self.out.push(' ');
                let name = self.module.funcs.get(callee).map_or("", |func| func.name.as_str());
                literal::write_name(&mut self.out, '@', name)?;
                self.out.push('(');
                self.values(args)?;
                self.out.push(')');
                Ok(())
            }
            Payload::Symbol(symbol) => {
                self.symbol(self.func.dfg.op(inst), symbol)?;
                self.list(", ", args)
            }
            Payload::Jump(call) => {
                self.out.push(' ');
                self.target(&call)
            }
            Payload::Branch([then, otherwise]) => {
                self.list(" ", args)?;
                self.out.push_str(", ");
                self.target(&then)?;
                self.out.push_str(", ");
                self.target(&otherwise)
            }
            Payload::Switch(id) => {
                self.list(" ", args)?;
                self.out.push_str(", default ");
                self.target(&self.func.dfg.switch(id).default)
            }
        }
    }

    /// Values, after `before` if there are any.
    fn list(&mut self, before: &str, values: &[Value]) -> fmt::Result {
        if !values.is_empty() {
            self.out.push_str(before);
        }
        self.values(values)
    }

    fn symbol(&mut self, op: Op, symbol: Symbol) -> fmt::Result {
        let text = self.module.symbols.text(symbol);
        self.out.push(' ');
        match op {
            Op::DataOffset | Op::DataSize => literal::write_name(&mut self.out, '@', text),
            Op::Verbatim => write!(self.out, "hex\"{text}\""),
            _ => literal::write_string(&mut self.out, text),
        }
    }

    fn target(&mut self, call: &BlockCall) -> fmt::Result {
        self.names.write_block(&mut self.out, call.block)?;
        let args = self.func.dfg.call_args(call);
        if args.is_empty() {
            return Ok(());
        }
        self.out.push('(');
        self.values(args)?;
        self.out.push(')');
        Ok(())
    }
}
