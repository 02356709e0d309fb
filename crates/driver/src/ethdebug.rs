//! Debug information in the ethdebug format.

use cairn_asm::ethdebug::{Environment, ethdebug};
use cairn_asm::{Assembled, Program};
use cairn_evm::Fork;
use serde_json::json;

/// The sources, names of source units by number, and the program of each piece of code, creation code
/// first.
pub(crate) fn information(
    sources: &[(i32, String)],
    program: &Program,
    assembled: &Assembled,
    fork: Fork,
) -> String {
    let sources: Vec<_> = sources.iter().map(|(id, path)| json!({ "id": id, "path": path })).collect();
    let mut programs = Vec::new();
    let environment = match program.subs.is_empty() {
        true => Environment::Call,
        false => Environment::Create,
    };
    let mut open = vec![(program, assembled, environment)];
    while let Some((program, assembled, environment)) = open.pop() {
        programs.push(ethdebug(program, assembled, environment, fork));
        let subs = program.subs.iter().zip(&assembled.subs).rev();
        open.extend(subs.map(|(program, assembled)| (program, assembled, Environment::Call)));
    }
    let compiler = json!({ "name": "cairn", "version": env!("CARGO_PKG_VERSION") });
    let compilation = json!({ "compiler": compiler, "sources": sources });
    json!({ "compilation": compilation, "programs": programs }).to_string()
}
