//! How the commands are linked.

use std::env;

/// A program that is loaded at a fixed address starts a fifth faster: nothing of the tables in it (opcodes,
/// schemas, arguments) has to be adjusted, page by page, and the command is started once for each file.
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |part: &str| env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
