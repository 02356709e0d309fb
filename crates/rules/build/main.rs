//! Prepares the rules: their texts become tables in the program, so that no run of it has to read them.

#![allow(clippy::print_stdout, reason = "cargo reads what a build script prints")]

#[allow(dead_code, unreachable_pub, reason = "a module of the library, which uses the rest")]
#[path = "../src/parse.rs"]
mod parse;
#[allow(dead_code, unreachable_pub, reason = "a module of the library, which uses the rest")]
#[path = "../src/term.rs"]
mod term;

mod groups;
mod orders;
mod write;

use std::path::Path;
use std::{env, fs};

/// Families of rules, in the order in which they are tried.
const FAMILIES: [&str; 7] = ["known", "solc", "arithmetic", "bitwise", "shift", "compare", "late"];

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=rules");
    println!("cargo::rerun-if-changed=src/parse.rs");
    println!("cargo::rerun-if-changed=src/term.rs");
    let families = FAMILIES.map(|name| {
        let path = format!("rules/{name}.rules");
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("cannot read {path}: {error}"));
        parse::parse_rules(text.leak())
    });
    let tables = write::tables(&FAMILIES, &families, &groups::groups(&families));
    let folder = env::var_os("OUT_DIR").expect("cargo says where to");
    fs::write(Path::new(&folder).join("table.rs"), tables).expect("cargo's folder takes a file");
}
