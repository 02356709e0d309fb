//! Items of a module: data, function headers, nested modules, debug tables.

use super::body::{BodyCx, parse_body};
use super::header::Header;
use super::location::LocRef;
use super::stream::{MAX_NESTING, Stream};
use crate::debug::{LocData, ScopeData, ScopeKind, VarData};
use crate::function::{FuncAttrs, Function, Signature};
use crate::ids::{Func, Loc, Scope, Var};
use crate::module::{DataSegment, ENTRY_NAME, MemoryModel, Module};
use crate::text::fault;
use crate::text::lex::Kind;
use crate::text::literal;
use crate::types::Type;
use cairn_diag::Span;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// What the items of one module have in common.
#[derive(Default)]
struct Items<'a> {
    headers: Vec<Header<'a>>,
    locs: FxHashMap<u64, Loc>,
    scopes: FxHashMap<u64, Scope>,
    vars: FxHashMap<u64, Var>,
    data_names: FxHashSet<String>,
}

/// The name of an outermost module that has none in the text.
const DEFAULT_NAME: &str = "main";

/// The one module of a file: `module … { items }`, or its items alone.
pub(super) fn parse_file(stream: &mut Stream<'_>) -> Option<Module> {
    if !begins_item(stream) || stream.is_word("module") {
        return parse_module(stream, 0);
    }
    let mut module = Module::new(DEFAULT_NAME);
    parse_items(stream, &mut module, 0);
    Some(module)
}

/// `module @name [attributes] { items }`; the outermost module may go without a name.
fn parse_module(stream: &mut Stream<'_>, depth: usize) -> Option<Module> {
    if !stream.eat_word("module") {
        return stream.expected("`module`, `func` or another item");
    }
    let token = stream.peek();
    let mut module = match token.kind {
        Kind::OpenBrace | Kind::OpenBracket if depth == 0 => Module::new(DEFAULT_NAME),
        _ => {
            stream.expect(Kind::Symbol, "the module's name, such as `@Counter`")?;
            Module::new(stream.name(token)?)
        }
    };
    module.span = Some(token.span);
    parse_attributes(stream, &["noframe", "unguarded"], |name| {
        module.memory = if name == "noframe" { MemoryModel::NoFrame } else { MemoryModel::Unguarded };
    })?;
    let open = stream.position();
    stream.expect(Kind::OpenBrace, "`{`")?;
    let (outer, close) = (stream.limit(), stream.closer(open));
    stream.restrict(open + 1, close);
    if depth < MAX_NESTING {
        parse_items(stream, &mut module, depth);
    } else {
        stream.fault::<()>(
            fault::NESTING_TOO_DEEP,
            token.span,
            format!("modules are nested deeper than {MAX_NESTING}"),
        );
    }
    stream.restrict((close + 1).min(outer), outer);
    Some(module)
}

fn parse_items(stream: &mut Stream<'_>, module: &mut Module, depth: usize) {
    let mut items = Items::default();
    while !stream.is_at_end() {
        let start = stream.position();
        let parsed = match (stream.kind(), stream.text(stream.peek())) {
            (Kind::Word, "data") => parse_data(stream, module, &mut items.data_names),
            (Kind::Word, "func") => parse_header(stream).map(|header| items.headers.push(header)),
            (Kind::Word, "module") => {
                parse_module(stream, depth + 1).map(|nested| module.modules.push(nested))
            }
            (Kind::Meta, "!cu") => parse_source(stream, module),
            (Kind::Meta, "!loc") => parse_loc(stream, module, &mut items),
            (Kind::Meta, "!fn" | "!scope") => parse_scope(stream, module, &mut items.scopes),
            (Kind::Meta, "!var") => parse_var(stream, module, &mut items),
            _ => stream.expected("`data`, `func`, `module`, `!cu`, `!fn`, `!scope`, `!var`, `!loc` or `}`"),
        };
        if parsed.is_none() {
            skip_item(stream, start);
        }
    }
    parse_functions(stream, module, items);
}

/// Goes behind the item at `start`, which has a fault: to the next line that begins an item.
fn skip_item(stream: &mut Stream<'_>, start: usize) {
    let limit = stream.limit();
    if stream.position() == start {
        skip_one(stream, limit);
    }
    while !(stream.is_at_end() || stream.peek().starts_line && begins_item(stream)) {
        skip_one(stream, limit);
    }
}

fn begins_item(stream: &Stream<'_>) -> bool {
    match stream.kind() {
        Kind::Word => matches!(stream.text(stream.peek()), "data" | "func" | "module"),
        kind => kind == Kind::Meta,
    }
}

/// Goes behind a token, or behind everything in braces.
fn skip_one(stream: &mut Stream<'_>, limit: usize) {
    let at = stream.position();
    if stream.bump().kind == Kind::OpenBrace {
        stream.restrict((stream.closer(at) + 1).min(limit), limit);
    }
}

fn parse_functions<'a>(stream: &mut Stream<'a>, module: &mut Module, items: Items<'a>) {
    let mut ids: FxHashMap<&str, Func> = FxHashMap::default();
    for (index, header) in items.headers.iter().enumerate() {
        let func = Func::from_u32(index as u32);
        if ids.insert(&header.name, func).is_some() {
            let message = format!("function `@{}` is defined twice", header.name);
            stream.fault::<()>(fault::DEFINED_TWICE, header.name_span, message);
        }
        if header.is_entry || (header.name == ENTRY_NAME && module.entry.is_none()) {
            module.entry = Some(func);
        }
    }
    let (at, limit) = (stream.position(), stream.limit());
    for (index, header) in items.headers.iter().enumerate() {
        let is_entry = module.entry == Some(Func::from_u32(index as u32));
        let mut func = Function::new(header.name.clone(), header.signature.clone());
        (func.attrs, func.span) = (header.attrs, Some(header.name_span));
        func.loc = header.loc.and_then(|loc| loc.resolve(stream, &items.locs));
        stream.restrict(header.body.0, header.body.1);
        let symbols = &mut module.symbols;
        let Items { headers, locs, vars, .. } = &items;
        let cx = BodyCx { funcs: &ids, headers, locs, vars, symbols, is_entry };
        parse_body(stream, cx, header, &mut func);
        module.funcs.push(func);
    }
    stream.restrict(at, limit);
}

/// `data @name = hex"…"` or `"…"`.
fn parse_data(stream: &mut Stream<'_>, module: &mut Module, names: &mut FxHashSet<String>) -> Option<()> {
    stream.bump();
    let token = stream.expect(Kind::Symbol, "the name of the data")?;
    let name = stream.name(token)?.into_owned();
    stream.expect(Kind::Equals, "`=`")?;
    let value = stream.bump();
    let bytes = match value.kind {
        Kind::Hex => literal::parse_hex(stream.text(value)),
        Kind::String => literal::parse_string(stream.text(value)),
        _ => return stream.fault(fault::UNEXPECTED_TOKEN, value.span, "expected `hex\"…\"` or a string"),
    };
    let Some(bytes) = bytes else {
        return stream.fault(fault::INVALID_BYTES, value.span, "the bytes are malformed");
    };
    if !names.insert(name.clone()) {
        stream.fault::<()>(fault::DEFINED_TWICE, token.span, format!("data `@{name}` is defined twice"));
    }
    module.data.push(DataSegment { name, bytes });
    Some(())
}

/// `!cu 0 = "file.sol"`.
fn parse_source(stream: &mut Stream<'_>, module: &mut Module) -> Option<()> {
    stream.bump();
    let index = parse_offset(stream)?;
    stream.expect(Kind::Equals, "`=`")?;
    let token = stream.expect(Kind::String, "the name of the source unit")?;
    let name = stream.string(token)?;
    module.debug.sources.push((index, name));
    Some(())
}

/// `!loc !7 = source:start:end`, and `!2` behind it for the scope.
fn parse_loc(stream: &mut Stream<'_>, module: &mut Module, items: &mut Items<'_>) -> Option<()> {
    stream.bump();
    let (number, span) = parse_id(stream, "the location's number, such as `!7`")?;
    stream.expect(Kind::Equals, "`=`")?;
    let [source, start, end] = parse_range(stream)?;
    let scope = parse_scope_ref(stream, &items.scopes)?;
    let loc = module.debug.intern(LocData { source, start, end, scope });
    if items.locs.insert(number, loc).is_some() {
        stream.fault::<()>(fault::DEFINED_TWICE, span, format!("location `!{number}` is defined twice"));
    }
    Some(())
}

/// `!fn !0 = "name" source:start:end` or `!scope !1 = !0 source:start:end`.
fn parse_scope(
    stream: &mut Stream<'_>,
    module: &mut Module,
    scopes: &mut FxHashMap<u64, Scope>,
) -> Option<()> {
    let keyword = stream.bump();
    let (number, span) = parse_id(stream, "the scope's number, such as `!1`")?;
    stream.expect(Kind::Equals, "`=`")?;
    let kind = match stream.text(keyword) {
        "!fn" => {
            let token = stream.expect(Kind::String, "the name of the function")?;
            ScopeKind::Function(stream.string(token)?)
        }
        _ => match parse_scope_ref(stream, scopes)? {
            Some(parent) => ScopeKind::Block(parent),
            None => return stream.expected("the scope around it, such as `!0`"),
        },
    };
    let [source, start, end] = parse_range(stream)?;
    let scope = module.debug.scopes.push(ScopeData { kind, source, start, end });
    if scopes.insert(number, scope).is_some() {
        stream.fault::<()>(fault::DEFINED_TWICE, span, format!("scope `!{number}` is defined twice"));
    }
    Some(())
}

/// `!var !0 = "name" "type"`, and `!1` behind it for the scope.
fn parse_var(stream: &mut Stream<'_>, module: &mut Module, items: &mut Items<'_>) -> Option<()> {
    stream.bump();
    let (number, span) = parse_id(stream, "the variable's number, such as `!0`")?;
    stream.expect(Kind::Equals, "`=`")?;
    let token = stream.expect(Kind::String, "the name of the variable")?;
    let name = stream.string(token)?;
    let token = stream.expect(Kind::String, "the type of the variable")?;
    let ty = stream.string(token)?;
    let scope = parse_scope_ref(stream, &items.scopes)?;
    let var = module.debug.vars.push(VarData { name, ty, scope });
    if items.vars.insert(number, var).is_some() {
        stream.fault::<()>(fault::DEFINED_TWICE, span, format!("variable `!{number}` is defined twice"));
    }
    Some(())
}

/// A number in a debug table and its place.
fn parse_id(stream: &mut Stream<'_>, what: &str) -> Option<(u64, Span)> {
    let token = stream.expect(Kind::Meta, what)?;
    match stream.text(token)[1..].parse::<u64>() {
        Ok(number) => Some((number, token.span)),
        Err(_) => stream.fault(fault::UNEXPECTED_TOKEN, token.span, "expected a number after `!`"),
    }
}

/// A scope, if one stands here on the same line.
fn parse_scope_ref(stream: &mut Stream<'_>, scopes: &FxHashMap<u64, Scope>) -> Option<Option<Scope>> {
    if stream.kind() != Kind::Meta || stream.peek().starts_line {
        return Some(None);
    }
    let (number, span) = parse_id(stream, "a scope")?;
    match scopes.get(&number) {
        Some(scope) => Some(Some(*scope)),
        None => stream.fault(fault::NOT_DEFINED, span, format!("scope `!{number}` is not defined before")),
    }
}

/// `source:start:end`.
fn parse_range(stream: &mut Stream<'_>) -> Option<[i32; 3]> {
    let source = parse_offset(stream)?;
    stream.expect(Kind::Colon, "`:`")?;
    let start = parse_offset(stream)?;
    stream.expect(Kind::Colon, "`:`")?;
    Some([source, start, parse_offset(stream)?])
}

/// A number from −1 to 2^31 − 1.
fn parse_offset(stream: &mut Stream<'_>) -> Option<i32> {
    let token = stream.expect(Kind::Number, "a number")?;
    match stream.text(token).parse::<i32>() {
        Ok(number @ -1..) => Some(number),
        _ => stream.fault(fault::UNEXPECTED_TOKEN, token.span, "expected a number from -1 to 2147483647"),
    }
}

/// `[a, b]`, any number of times, each one of `known`.
fn parse_attributes(stream: &mut Stream<'_>, known: &[&str], mut found: impl FnMut(&str)) -> Option<()> {
    while stream.eat(Kind::OpenBracket).is_some() {
        loop {
            let token = stream.expect(Kind::Word, "an attribute")?;
            let name = stream.text(token);
            match known.contains(&name) {
                true => found(name),
                false => stream.fault_with_help(
                    fault::UNKNOWN_ATTRIBUTE,
                    token.span,
                    format!("unknown attribute `{}`", stream.shown(token)),
                    format!("attributes here are `{}`", known.join("`, `")),
                )?,
            }
            if stream.eat(Kind::Comma).is_none() {
                break;
            }
        }
        stream.expect(Kind::CloseBracket, "`]`")?;
    }
    Some(())
}

/// `func @name(parameters) -> results [attributes] {`, and goes behind the body.
fn parse_header<'a>(stream: &mut Stream<'a>) -> Option<Header<'a>> {
    stream.bump();
    let token = stream.expect(Kind::Symbol, "the function's name, such as `@f`")?;
    let name = stream.name(token)?;
    let (params, param_names) = parse_params(stream)?;
    let results = match stream.eat(Kind::Arrow) {
        Some(_) => parse_results(stream)?,
        None => Vec::new(),
    };
    let (mut attrs, mut is_entry) = (FuncAttrs::default(), false);
    parse_attributes(stream, &["inline", "noinline", "cold", "norecurse", "entry"], |name| match name {
        "inline" => attrs.inline = true,
        "noinline" => attrs.noinline = true,
        "cold" => attrs.cold = true,
        "norecurse" => attrs.norecurse = true,
        _ => is_entry = true,
    })?;
    let loc = LocRef::parse(stream)?;
    let open = stream.position();
    stream.expect(Kind::OpenBrace, "`{`")?;
    let close = stream.closer(open);
    stream.restrict((close + 1).min(stream.limit()), stream.limit());
    let signature = Signature { params, results };
    Some(Header {
        name,
        name_span: token.span,
        signature,
        param_names,
        attrs,
        is_entry,
        loc,
        body: (open + 1, close),
    })
}

type Params<'a> = (Vec<Type>, Vec<Option<(Cow<'a, str>, Span)>>);

/// `(%a : u256, bool)`.
fn parse_params<'a>(stream: &mut Stream<'a>) -> Option<Params<'a>> {
    let (mut types, mut names) = (Vec::new(), Vec::new());
    stream.expect(Kind::OpenParen, "`(`")?;
    while stream.eat(Kind::CloseParen).is_none() {
        if !types.is_empty() {
            stream.expect(Kind::Comma, "`,` or `)`")?;
        }
        let name = match stream.eat(Kind::Value) {
            Some(token) => {
                stream.expect(Kind::Colon, "`:`")?;
                Some((stream.name(token)?, token.span))
            }
            None => None,
        };
        names.push(name);
        types.push(stream.ty()?);
    }
    Some((types, names))
}

/// `u256`, `void` or `(u256, bool)`.
fn parse_results(stream: &mut Stream<'_>) -> Option<Vec<Type>> {
    if stream.eat(Kind::OpenParen).is_none() {
        let ty = stream.ty()?;
        return Some(if ty == Type::Void { Vec::new() } else { vec![ty] });
    }
    if stream.eat(Kind::CloseParen).is_some() {
        return Some(Vec::new());
    }
    let types = stream.type_list()?;
    stream.expect(Kind::CloseParen, "`)`")?;
    Some(types)
}
