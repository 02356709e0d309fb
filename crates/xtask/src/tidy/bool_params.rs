//! Functions have no parameter of type `bool`: at a call `true` says nothing, a variant of an enum
//! does.
//!
//! Left out: tests, closures, fields, and functions whose name says what the truth value is: `from`
//! turns it into something, `expect_…` reports where it is false.

use super::Fault;
use crate::project::{Outcome, files, read, root, shown};
use syn::spanned::Spanned;
use syn::{FnArg, ImplItem, Item, Signature, TraitItem, Type};

pub(super) fn check() -> Outcome<Vec<Fault>> {
    let mut faults = Vec::new();
    for path in files(&root().join("crates"), &["rs"])? {
        let name = shown(&path);
        if name.contains("/src/") && !name.ends_with("/tests.rs") {
            faults.extend(check_file(&name, &read(&path)?)?);
        }
    }
    Ok(faults)
}

fn check_file(name: &str, text: &str) -> Outcome<Vec<Fault>> {
    let file = syn::parse_file(text).map_err(|error| format!("{name}: {error}"))?;
    let mut signatures = Vec::new();
    collect(&file.items, &mut signatures);
    let is_named = |signature: &Signature| {
        let name = signature.ident.to_string();
        name == "from" || name.starts_with("expect_")
    };
    let faulty = signatures.into_iter().filter(|signature| has_bool(signature) && !is_named(signature));
    Ok(faulty
        .map(|signature| {
            let place = format!("{name}:{}", signature.span().start().line);
            let message =
                format!("`{}` has a parameter of type `bool`; an enum says what it means", signature.ident);
            Fault::new(place, message)
        })
        .collect())
}

fn has_bool(signature: &Signature) -> bool {
    signature.inputs.iter().any(|input| {
        matches!(input, FnArg::Typed(param) if matches!(&*param.ty, Type::Path(path) if path.path.is_ident("bool")))
    })
}

/// The signatures of all functions outside tests; not those inside of functions.
fn collect<'a>(items: &'a [Item], signatures: &mut Vec<&'a Signature>) {
    for item in items {
        match item {
            Item::Fn(one) => signatures.push(&one.sig),
            Item::Impl(one) => signatures.extend(one.items.iter().filter_map(|item| match item {
                ImplItem::Fn(method) => Some(&method.sig),
                _ => None,
            })),
            Item::Trait(one) => signatures.extend(one.items.iter().filter_map(|item| match item {
                TraitItem::Fn(method) => Some(&method.sig),
                _ => None,
            })),
            Item::Mod(one) if !is_test(&one.attrs) => {
                if let Some((_, items)) = &one.content {
                    collect(items, signatures);
                }
            }
            _ => {}
        }
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_parameters_of_type_bool() {
        let found =
            |text: &str| check_file("a.rs", text).unwrap().iter().map(Fault::to_string).collect::<Vec<_>>();
        let fault = |line: usize, name: &str| {
            format!("a.rs:{line}: `{name}` has a parameter of type `bool`; an enum says what it means")
        };
        assert_eq!(found("fn f(a: u8, is_b: bool) {}"), [fault(1, "f")]);
        assert_eq!(found("impl A {\n    fn f(&self, b: bool) {}\n}"), [fault(2, "f")]);
        assert_eq!(found("trait A {\n\n    fn f(_: bool);\n}"), [fault(3, "f")]);
        assert_eq!(found("mod a {\n    fn f(b: bool) {}\n}"), [fault(2, "f")]);
        assert_eq!(found("impl From<bool> for A {\n    fn from(b: bool) -> A { A }\n}"), [""; 0]);
        assert_eq!(
            found("fn f(b: &mut bool, c: Option<bool>, d: fn(bool)) -> bool { |e: bool| e }"),
            [""; 0]
        );
        assert_eq!(found("#[cfg(test)]\nmod tests {\n    fn f(b: bool) {}\n}"), [""; 0]);
    }
}
