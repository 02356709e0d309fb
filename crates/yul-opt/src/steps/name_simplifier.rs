//! NameSimplifier: shortens names that code generators make.
//!
//! ```text
//! usr$x_12   →   usr$x      abi_encode_tuple_t_uint256__to_t_uint256__fromStack   →   abi_encode_uint256
//! ```
//! Numbers of syntax nodes, type prefixes, the second half of conversion names and repeated
//! underscores go; a name that would clash or be reserved keeps its form. Needs unique names. Linear.

use cairn_yul::{Block, Callee, Expression, FunctionDefinition, Identifier, Statement, YulName};
use rustc_hash::FxHashMap;

use crate::context::StepContext;
use crate::tools::dispenser::is_declarable;
use crate::tools::walk::{Visitor, VisitorMut, walk_expression_mut, walk_statement, walk_statement_mut};

pub(crate) fn run(cx: &mut StepContext<'_>, code: &mut Block) {
    let mut declared = Declared(Vec::new());
    declared.block(code);
    // Functions first, in the order of the text.
    declared.0.sort_by_key(|(is_variable, _)| *is_variable);
    let mut renamed: FxHashMap<YulName, YulName> = FxHashMap::default();
    for (_, name) in declared.0 {
        let old = cx.names.text(name);
        let short = simplify(old);
        if short == old || short.is_empty() || !is_declarable(&short, &cx.dialect) {
            continue;
        }
        let new = cx.new_name(&short);
        renamed.insert(name, new);
    }
    if !renamed.is_empty() {
        Renamer { renamed }.block(code);
    }
}

/// Declared names; true for variables.
struct Declared(Vec<(bool, YulName)>);

impl Visitor for Declared {
    fn statement(&mut self, statement: &Statement) {
        if let Statement::Let(declaration) = statement {
            self.0.extend(declaration.variables.iter().map(|variable| (true, variable.name)));
        }
        walk_statement(self, statement);
    }

    fn expression(&mut self, _expression: &Expression) {}

    fn function(&mut self, function: &FunctionDefinition) {
        self.0.push((false, function.name.name));
        let variables = function.parameters.iter().chain(&function.returns);
        self.0.extend(variables.map(|variable| (true, variable.name)));
        self.block(&function.body);
    }
}

struct Renamer {
    renamed: FxHashMap<YulName, YulName>,
}

impl Renamer {
    fn rename(&self, name: &mut YulName) {
        if let Some(new) = self.renamed.get(name) {
            *name = *new;
        }
    }

    fn rename_all(&self, identifiers: &mut [Identifier]) {
        identifiers.iter_mut().for_each(|identifier| self.rename(&mut identifier.name));
    }
}

impl VisitorMut for Renamer {
    fn statement(&mut self, statement: &mut Statement) {
        match statement {
            Statement::Let(declaration) => self.rename_all(&mut declaration.variables),
            Statement::Assign(assignment) => self.rename_all(&mut assignment.targets),
            _ => {}
        }
        walk_statement_mut(self, statement);
    }

    fn expression(&mut self, expression: &mut Expression) {
        match expression {
            Expression::Identifier(identifier) => self.rename(&mut identifier.name),
            Expression::Call(call) => {
                if let Callee::User(name) = &mut call.callee {
                    self.rename(name);
                }
            }
            Expression::Literal(_) => {}
        }
        walk_expression_mut(self, expression);
    }

    fn function(&mut self, function: &mut FunctionDefinition) {
        self.rename(&mut function.name.name);
        self.rename_all(&mut function.parameters);
        self.rename_all(&mut function.returns);
        self.block(&mut function.body);
    }
}

/// Digits of a string literal's hash that stay.
const HASH_DIGITS: usize = 4;

/// The short form of a name.
fn simplify(name: &str) -> String {
    let mut text = name.replace("_$", "_").replace("$_", "_");
    text = without_inner_numbers(&text);
    text = without_numbers_at_end(&text).to_owned();
    text = text.replace("_t_", "_");
    while text.contains("__") {
        text = text.replace("__", "_");
    }
    if text.starts_with("abi_")
        && text.contains("code")
        && let Some(position) = text.rfind("_to_")
    {
        text.truncate(position);
    }
    text = shorten_hash(&text);
    let removals = [
        ("tuple_", ""),
        ("_memory_ptr", ""),
        ("_calldata_ptr", "_calldata"),
        ("_fromStack", ""),
        ("_storage_storage", "_storage"),
        ("_memory_memory", "_memory"),
        ("index_access_t_array", "index_access"),
        ("index_access_array", "index_access"),
    ];
    for (from, to) in removals {
        text = text.replace(from, to);
    }
    match text.strip_suffix('_') {
        Some(stem) => stem.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned(),
        None => text,
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

fn without_numbers_at_end(name: &str) -> &str {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() < name.len() { stem.strip_suffix('_').unwrap_or(name) } else { name }
}

fn shorten_hash(name: &str) -> String {
    const MARKER: &str = "stringliteral_";
    let Some(start) = name.find(MARKER).map(|position| position + MARKER.len()) else {
        return name.to_owned();
    };
    let n_digits = name[start..].bytes().take_while(u8::is_ascii_hexdigit).count();
    if n_digits <= HASH_DIGITS {
        return name.to_owned();
    }
    format!("{}{}", &name[..start + HASH_DIGITS], &name[start + n_digits..])
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
            assert_eq!(simplify(name), short, "{name}");
        }
    }
}
