//! The public surface of the library `cairn`, read from its sources.

use crate::project::{Outcome, files, read, root};
use std::fmt::Write;
use syn::spanned::Spanned;
use syn::{Fields, ImplItem, Item, Visibility};

/// A block of Rust with every public item, a line each.
pub(super) fn surface() -> Outcome<String> {
    let mut text = "```rust,ignore\n".to_owned();
    for path in files(&root().join("crates/cairn/src"), &["rs"])? {
        for line in lines(&read(&path)?).map_err(|error| format!("{}: {error}", path.display()))? {
            // Writing to a string can't fail.
            _ = writeln!(text, "{line}");
        }
    }
    Ok(text + "```\n")
}

fn lines(source: &str) -> Result<Vec<String>, syn::Error> {
    let mut found = Vec::new();
    for item in syn::parse_file(source)?.items {
        match &item {
            Item::Fn(one) if is_public(&one.vis) => found.push(shown(source, &one.sig)),
            Item::Use(one) if is_public(&one.vis) => found.push(format!("use {}", shown(source, &one.tree))),
            Item::Struct(one) if is_public(&one.vis) => {
                let fields = one.fields.iter().filter(|field| is_public(&field.vis));
                let fields: Vec<String> = fields.map(|field| field_of(source, field)).collect();
                found.push(block("struct", &one.ident.to_string(), &fields));
            }
            Item::Enum(one) if is_public(&one.vis) => {
                let variants: Vec<String> =
                    one.variants.iter().map(|variant| variant_of(source, variant)).collect();
                found.push(block("enum", &one.ident.to_string(), &variants));
            }
            Item::Impl(one) => found.extend(methods(source, one)),
            _ => {}
        }
    }
    found.retain(|line| !OWN.iter().any(|own| line.starts_with(&format!("use {own}::"))));
    Ok(found)
}

/// Modules of the library itself, whose items stand where they are defined.
const OWN: [&str; 8] = ["binary", "compile", "compiled", "diagnostic", "error", "options", "source", "yul"];

fn methods(source: &str, item: &syn::ItemImpl) -> Vec<String> {
    if item.trait_.is_some() {
        return Vec::new();
    }
    let name = shown(source, &item.self_ty);
    let name = name.split('<').next().unwrap_or_default();
    let methods = item.items.iter().filter_map(|one| match one {
        ImplItem::Fn(method) if is_public(&method.vis) => Some(shown(source, &method.sig)),
        _ => None,
    });
    methods.map(|signature| signature.replacen("fn ", &format!("fn {name}::"), 1)).collect()
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn field_of(source: &str, field: &syn::Field) -> String {
    let name = field.ident.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
    name + &shown(source, &field.ty)
}

fn variant_of(source: &str, variant: &syn::Variant) -> String {
    let fields = match &variant.fields {
        Fields::Unit => String::new(),
        fields => shown(source, fields),
    };
    format!("{}{fields}", variant.ident)
}

fn block(kind: &str, name: &str, parts: &[String]) -> String {
    if parts.is_empty() {
        format!("{kind} {name}")
    } else {
        format!("{kind} {name} {{ {} }}", parts.join(", "))
    }
}

/// The text of a node, in one line.
fn shown(source: &str, node: &impl Spanned) -> String {
    let text = source.get(node.span().byte_range()).unwrap_or_default();
    text.split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace("( ", "(")
        .replace(", )", ")")
        .replace(",)", ")")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_items_are_listed() {
        let source = "pub use evm::Fork;\npub use error::Error;\nuse a::b;\n
            /// D.\npub struct S<'a> { /// F.\n pub f: u8, g: &'a u8 }
            impl<'a> S<'a> { pub fn m(\n self,\n x: u8,\n) -> u8 { x } fn n() {} }
            impl Clone for S<'_> { fn clone(&self) -> Self { *self } }
            pub enum E { A(u8), B }\npub(crate) fn hidden() {}\npub fn f() {}";
        let expected = [
            "use evm::Fork",
            "struct S { f: u8 }",
            "fn S::m(self, x: u8) -> u8",
            "enum E { A(u8), B }",
            "fn f()",
        ];
        assert_eq!(lines(source).expect("it is Rust"), expected);
    }
}
