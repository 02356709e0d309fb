//! NameSimplifier: shortens names that code generators make.
//!
//! ```text
//! usr$x_12   →   usr$x      abi_encode_tuple_t_uint256__to_t_uint256__fromStack   →   abi_encode_uint256
//! ```
//! Numbers of syntax nodes, type prefixes, the second half of conversion names and repeated
//! underscores go. A change after which a name would clash or be reserved is left out; names are taken
//! up in solc's order of names, which decides who gets a short form. Needs unique names. Linear.

use cairn_yul::{Block, Expression, FunctionDefinition, Statement, YulName};
use rustc_hash::FxHashMap;

use crate::context::StepContext;
use crate::form::Form;
use crate::step::{Run, Step};
use crate::tools::dispenser::is_declarable;
use crate::tools::name_collector::set_order;
use crate::tools::renamer::rename_all;
use crate::tools::walk::{Visitor, walk_statement};

/// See the head of this module.
pub(crate) const STEP: Step = Step {
    name: "NameSimplifier",
    letter: None,
    summary: "shorten generated names",
    needs: Form::UNIQUE_NAMES,
    preserves: Form::all(),
    gives: Form::empty(),
    run: Run::Plain(run),
};

fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let mut declared = Declared(Vec::new());
    declared.block(code);
    declared.0.sort_by_cached_key(|name| set_order(cx.names.text(*name)));
    let mut renamed: FxHashMap<YulName, YulName> = FxHashMap::default();
    for name in declared.0 {
        let old = cx.names.text(name).to_owned();
        let short = shortest_free(cx, &old);
        if short != old {
            let new = cx.names.intern(&short);
            cx.dispenser.mark(new);
            renamed.insert(name, new);
        }
    }
    if !renamed.is_empty() {
        rename_all(code, |name| *name = renamed.get(name).copied().unwrap_or(*name));
    }
}

/// The name after all changes that keep it apart from others.
fn shortest_free(cx: &mut StepContext<'_>, name: &str) -> String {
    let mut current = name.to_owned();
    for change in CHANGES {
        let changed = change(&current);
        if changed == current || !is_declarable(&changed, &cx.dialect) {
            continue;
        }
        let is_free = cx.names.get(&changed).is_none_or(|name| !cx.dispenser.is_taken(name));
        if is_free {
            current = changed;
        }
    }
    current
}

/// Declared names.
struct Declared(Vec<YulName>);

impl Visitor for Declared {
    fn statement(&mut self, statement: &Statement) {
        if let Statement::Let(declaration) = statement {
            self.0.extend(declaration.variables.iter().map(|variable| variable.name));
        }
        walk_statement(self, statement);
    }

    fn expression(&mut self, _expression: &Expression) {}

    fn function(&mut self, function: &FunctionDefinition) {
        self.0.push(function.name.name);
        let variables = function.parameters.iter().chain(&function.returns);
        self.0.extend(variables.map(|variable| variable.name));
        self.block(&function.body);
    }
}

/// Digits of a string literal's hash that stay.
const HASH_DIGITS: usize = 4;

/// Changes of a name, in the order in which they are tried.
const CHANGES: [fn(&str) -> String; 17] = [
    without_dollars_at_underscores,
    without_inner_numbers,
    without_numbers_at_end,
    |name| name.replace("_t_", "_"),
    |name| name.replace("__", "_"),
    without_target_of_conversion,
    shorten_hashes,
    |name| name.replace("tuple_", ""),
    |name| name.replace("_memory_ptr", ""),
    |name| name.replace("_calldata_ptr", "_calldata"),
    |name| name.replace("_fromStack", ""),
    |name| name.replace("_storage_storage", "_storage"),
    without_second_storage,
    |name| name.replace("_memory_memory", "_memory"),
    |name| name.replace("index_access_t_array", "index_access"),
    |name| name.replace("index_access_array", "index_access"),
    without_underscore_at_end,
];

/// Removes what an encoder or decoder converts to.
fn without_target_of_conversion(name: &str) -> String {
    match name.rfind("_to_") {
        Some(position) if name.starts_with("abi_") && name.contains("code") => name[..position].to_owned(),
        _ => name.to_owned(),
    }
}

/// Removes the last of several `storage`.
fn without_second_storage(name: &str) -> String {
    const WORD: &str = "storage";
    match (name.find(WORD), name.rfind(WORD)) {
        (Some(first), Some(last)) if first < last => {
            format!("{}{}", &name[..last], &name[last + WORD.len()..])
        }
        _ => name.to_owned(),
    }
}

fn without_underscore_at_end(name: &str) -> String {
    match name.strip_suffix('_') {
        Some(stem) => stem.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned(),
        None => name.to_owned(),
    }
}

/// Removes `_<digits>` before anything that cannot be part of a hexadecimal number.
fn without_inner_numbers(name: &str) -> String {
    let bytes = name.as_bytes();
    let (mut out, mut position) = (String::with_capacity(name.len()), 0);
    while position < bytes.len() {
        let digits = bytes[position + 1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let next = bytes.get(position + 1 + digits);
        let is_number = bytes[position] == b'_'
            && digits > 0
            && next.is_some_and(|next| !next.is_ascii_hexdigit() && *next != b'x');
        if is_number {
            position += 1 + digits;
        }
        out.push(char::from(bytes[position]));
        position += 1;
    }
    out
}

fn without_numbers_at_end(name: &str) -> String {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let shorter = if stem.len() < name.len() { stem.strip_suffix('_') } else { None };
    shorter.unwrap_or(name).to_owned()
}

/// Keeps the start of the hash that stands for a text.
fn shorten_hashes(name: &str) -> String {
    const MARKER: &str = "stringliteral";
    let (mut out, mut rest) = (String::with_capacity(name.len()), name);
    while let Some(position) = rest.find(MARKER) {
        let (before, after) = rest.split_at(position + MARKER.len());
        let separator = usize::from(after.starts_with('_'));
        let is_digit = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
        let n_digits = after.bytes().skip(separator).take_while(|byte| is_digit(byte)).count();
        out.push_str(before);
        out.push_str(&after[..separator + n_digits.min(HASH_DIGITS)]);
        rest = &after[separator + n_digits..];
    }
    out + rest
}

/// Makes `_$` and `$_` one underscore, from left to right.
fn without_dollars_at_underscores(name: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(name.len()), name);
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("_$") || rest.starts_with("$_") { 2 } else { first.len_utf8() };
        out.push(if length == 2 { '_' } else { first });
        rest = &rest[length..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_names_become_short() {
        let cases = [
            ("abi_encode_tuple_t_uint256__to_t_uint256__fromStack", "abi_encode_uint256"),
            ("fun_transfer_123", "fun_transfer"),
            ("var_amount_55_mpos", "var_amount_mpos"),
            ("x_", "x"),
            ("plain", "plain"),
            ("_12_", ""),
        ];
        for (name, short) in cases {
            let all = CHANGES.iter().fold(name.to_owned(), |name, change| change(&name));
            assert_eq!(all, short, "{name}");
        }
    }
}
