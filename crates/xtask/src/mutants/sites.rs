//! Finds the sites of a file: what else could stand where.
//!
//! | site | mutants |
//! |---|---|
//! | binary operator | another one of its kind |
//! | `!x`, `-x` | `x` |
//! | function that returns nothing, a truth value, a number, an option, a list or a result | returns at once, with the least or the other value |
//! | call or assignment as a statement | left out |
//! | arm of a match that has an arm for all else | left out |
//! | guard of an arm | always, never |
//! | condition that is a call or a name | the contrary |
//!
//! Left alone are tests, macros, constants and patterns: there no code can stand that looks which
//! mutant is active.

use proc_macro2::Span;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, ReturnType, Stmt, Type, UnOp};

/// How the mutants of a site are written in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// An expression: each mutant is another one.
    Instead(Vec<String>),
    /// A statement that can be left out.
    Without,
    /// The start of a function's body: each mutant is a statement that returns.
    Return(Vec<String>),
    /// The end of a pattern without guard: never matches.
    NoMatch,
}

/// A place with mutants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Site {
    /// Bytes of the file; empty where something is inserted.
    pub(super) range: Range<usize>,
    pub(super) form: Form,
    /// The function it stands in.
    pub(super) function: String,
}

impl Site {
    /// One description a mutant, on one line.
    pub(super) fn describe(&self, text: &str) -> Vec<String> {
        let here = one_line(&text[self.range.clone()]);
        match &self.form {
            Form::Instead(others) => {
                others.iter().map(|other| format!("`{here}` => `{}`", one_line(other))).collect()
            }
            Form::Without => vec![format!("without `{here}`")],
            Form::Return(others) => others.iter().map(|other| format!("does `{other}` at once")).collect(),
            Form::NoMatch => {
                let line = text[..self.range.start].rfind('\n').map_or(0, |at| at + 1);
                vec![format!("no match for `{}`", one_line(&text[line..self.range.start]))]
            }
        }
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// All sites of a file, from the outside in.
///
/// # Errors
/// The file cannot be parsed.
pub(super) fn find(text: &str) -> Result<Vec<Site>, syn::Error> {
    let file = syn::parse_file(text)?;
    let mut finder = Finder { text, functions: Vec::new(), sites: Vec::new() };
    finder.visit_file(&file);
    let mut sites = finder.sites;
    sites.sort_by_key(|site| (site.range.start, std::cmp::Reverse(site.range.end)));
    Ok(sites)
}

struct Finder<'a> {
    text: &'a str,
    /// Names of the functions around, from the outside in.
    functions: Vec<String>,
    sites: Vec<Site>,
}

impl Finder<'_> {
    fn add(&mut self, range: Range<usize>, form: Form) {
        let function = self.functions.join("::");
        self.sites.push(Site { range, form, function });
    }

    fn source(&self, node: &impl Spanned) -> &str {
        &self.text[node.span().byte_range()]
    }

    /// Body of a function, with the mutants of its result.
    fn visit_body(&mut self, signature: &syn::Signature, block: &syn::Block) {
        if signature.constness.is_some() {
            return;
        }
        self.functions.push(signature.ident.to_string());
        let others = other_results(&signature.output);
        if !others.is_empty() && !block.stmts.is_empty() {
            let start = start_of(block.brace_token.span.join()) + 1;
            self.add(start..start, Form::Return(others));
        }
        self.visit_block(block);
        self.functions.pop();
    }

    /// The contrary of a condition that no other site is in.
    fn visit_condition(&mut self, condition: &Expr) {
        if matches!(condition, Expr::MethodCall(_) | Expr::Call(_) | Expr::Path(_) | Expr::Field(_)) {
            let other = format!("!({})", self.source(condition));
            self.add(condition.span().byte_range(), Form::Instead(vec![other]));
        }
    }
}

fn start_of(span: Span) -> usize {
    span.byte_range().start
}

/// What a function of this type could return instead.
fn other_results(output: &ReturnType) -> Vec<String> {
    let ReturnType::Type(_, returned) = output else { return vec!["return".to_owned()] };
    let Type::Path(path) = &**returned else { return Vec::new() };
    let Some(last) = path.path.segments.last() else { return Vec::new() };
    let values: &[&str] = match last.ident.to_string().as_str() {
        "bool" => &["true", "false"],
        "usize" | "u8" | "u16" | "u32" | "u64" | "i32" | "i64" => &["0", "1"],
        "Option" => &["None"],
        "Vec" => &["Vec::new()"],
        "Changed" => &["Changed::No"],
        _ => &[],
    };
    values.iter().map(|value| format!("return {value}")).collect()
}

/// The operators that could stand for another.
fn other_operators(operator: &BinOp) -> &'static [&'static str] {
    match operator {
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::Add(_) => &["-"],
        BinOp::Sub(_) => &["+"],
        BinOp::Mul(_) => &["+"],
        BinOp::Div(_) | BinOp::Rem(_) => &["*"],
        BinOp::BitAnd(_) => &["|"],
        BinOp::BitOr(_) => &["&"],
        BinOp::BitXor(_) => &["|"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::AddAssign(_) => &["-="],
        BinOp::SubAssign(_) => &["+="],
        BinOp::BitOrAssign(_) => &["&="],
        BinOp::BitAndAssign(_) => &["|="],
        _ => &[],
    }
}

/// True where a pattern is matched in the expression: it can stand in a condition only.
fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// True for an arm that matches whatever no arm before it does: `_`, or a variable.
fn covers_the_rest(arm: &syn::Arm) -> bool {
    let is_variable = |name: &syn::Ident| name.to_string().starts_with(|c: char| c.is_lowercase());
    arm.guard.is_none()
        && match &arm.pat {
            syn::Pat::Wild(_) => true,
            syn::Pat::Ident(pattern) => pattern.subpat.is_none() && is_variable(&pattern.ident),
            _ => false,
        }
}

/// True for what is there in tests only.
fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => attribute.path().is_ident("cfg") && list.tokens.to_string().contains("test"),
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::NameValue(_) => false,
    })
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_test(&item.attrs) {
            self.visit_body(&item.sig, &item.block);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !is_test(&item.attrs) {
            self.functions.push(self.source(&item.self_ty).to_owned());
            visit::visit_item_impl(self, item);
            self.functions.pop();
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            self.visit_body(&item.sig, &item.block);
        }
    }

    // Constants are evaluated before any mutant is active.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_expr_repeat(&mut self, expr: &'ast syn::ExprRepeat) {
        self.visit_expr(&expr.expr);
    }

    fn visit_expr_binary(&mut self, expr: &'ast syn::ExprBinary) {
        let others = other_operators(&expr.op);
        if !others.is_empty() && !has_let(&expr.left) && !has_let(&expr.right) {
            let (left, right) = (self.source(&expr.left), self.source(&expr.right));
            // A type before `<` would get arguments.
            let is_cast = matches!(&*expr.left, Expr::Cast(_));
            let left = if is_cast { format!("({left})") } else { left.to_owned() };
            let others = others.iter().map(|other| format!("{left} {other} {right}")).collect();
            self.add(expr.span().byte_range(), Form::Instead(others));
        }
        visit::visit_expr_binary(self, expr);
    }

    fn visit_expr_unary(&mut self, expr: &'ast syn::ExprUnary) {
        if matches!(expr.op, UnOp::Not(_) | UnOp::Neg(_)) && !matches!(&*expr.expr, Expr::Lit(_)) {
            let other = self.source(&expr.expr).to_owned();
            self.add(expr.span().byte_range(), Form::Instead(vec![other]));
        }
        visit::visit_expr_unary(self, expr);
    }

    fn visit_expr_if(&mut self, expr: &'ast syn::ExprIf) {
        self.visit_condition(&expr.cond);
        visit::visit_expr_if(self, expr);
    }

    fn visit_expr_match(&mut self, expr: &'ast syn::ExprMatch) {
        let leaves_out = expr.arms.last().is_some_and(covers_the_rest);
        for arm in &expr.arms {
            if let Some((_, guard)) = &arm.guard {
                let source = self.source(guard);
                let others = [format!("true || ({source})"), format!("false && ({source})")];
                self.add(guard.span().byte_range(), Form::Instead(others.to_vec()));
            } else if leaves_out && !covers_the_rest(arm) {
                let end = arm.pat.span().byte_range().end;
                self.add(end..end, Form::NoMatch);
            }
        }
        visit::visit_expr_match(self, expr);
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        if let Stmt::Expr(expr, Some(_)) = stmt
            && matches!(expr, Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_) | Expr::Binary(_))
        {
            self.add(stmt.span().byte_range(), Form::Without);
        }
        visit::visit_stmt(self, stmt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let sites = find(text).expect("valid");
        let found: Vec<String> = sites.iter().flat_map(|site| site.describe(text)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn operators_and_results() {
        check(
            "fn f(a: bool) -> bool { a && !a }",
            &[
                "does `return true` at once",
                "does `return false` at once",
                "`a && !a` => `a || !a`",
                "`!a` => `a`",
            ],
        );
        check("fn f(a: u8) -> Word { g(a < 2) }", &["`a < 2` => `a <= 2`", "`a < 2` => `a >= 2`"]);
        check(
            "fn f(a: u8) -> Word { g(a as u16 > b) }",
            &["`a as u16 > b` => `(a as u16) >= b`", "`a as u16 > b` => `(a as u16) <= b`"],
        );
    }

    #[test]
    fn statements_conditions_and_arms() {
        check(
            "fn f(v: Vec<u8>) { v.pop(); if v.is_empty() { return; } }",
            &["does `return` at once", "without `v.pop();`", "`v.is_empty()` => `!(v.is_empty())`"],
        );
        check(
            "fn f(a: u8) -> Word { match a {\n1 => b,\nx if c => d,\n_ => e } }",
            &["no match for `1`", "`c` => `true || (c)`", "`c` => `false && (c)`"],
        );
        check("fn f(a: u8) -> Word { match a { A => b, B => c } }", &[]);
    }

    #[test]
    fn what_is_evaluated_earlier_is_left_alone() {
        check("const N: usize = 1 + 2; const fn f() -> bool { N > 3 }", &[]);
        check("#[cfg(test)] mod tests { fn f() -> bool { true } }", &[]);
        check("fn f(o: Option<u8>) -> Word { if let Some(a) = o && b { c } else { d } }", &[]);
    }
}
