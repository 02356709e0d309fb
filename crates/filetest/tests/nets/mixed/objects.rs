//! Constructors, what they deploy, and the objects in it.

use super::{Generator, HELPERS, Memory, Scope, code};
use crate::random::Random;

/// A contract that is created by the program: it reads the word behind its code, keeps it, and deploys its data, which
/// is code that gives back the word and counts it up. On one way it deploys nothing, on another it fails.
const CREATED: &str = "object \"x\" {
    code {
        mstore(0x40, GUARD)
        let size := datasize(\"x\")
        codecopy(0, size, sub(codesize(), size))
        let word := mload(0)
        for { let i := 0 } lt(i, and(word, 3)) { i := add(i, 1) } { sstore(i, add(word, i)) }
        if eq(and(word, 7), 5) { revert(0, 0x20) }
        if eq(and(word, 7), 6) { return(0, 0) }
        sstore(0, add(word, callvalue()))
        datacopy(0, dataoffset(\"d\"), datasize(\"d\"))
        return(0, datasize(\"d\"))
    }
    data \"d\" hex\"5f54600101805f555f5260205ff3\"
}
";

/// Creation code and what it deploys.
pub(super) fn program(random: &mut Random, scope: Scope) -> String {
    // All have frames or none, so that a lack of room is seen to be the program's.
    let guarded = random.once_in(2);
    let mut memory = || if guarded { Memory::Guarded } else { Memory::without_guard(random) };
    let memories = [memory(), memory(), memory()];
    let constructor = constructor(random, memories[0], scope);
    let called = code(random, memories[1], scope, true);
    let other = code(random, memories[2], Scope::Calm, false);
    let created = CREATED.replace("GUARD", if guarded { "memoryguard(0x80)" } else { "0x80" });
    let text = "data \"d\" \"what lies behind the code of one object, not of another\"";
    format!(
        "object \"a\" {{ code {{\n{constructor}}}\nobject \"p\" {{ code {{\n{called}}}\n{created}{text} }}\n\
         object \"c\" {{ code {{\n{other}}}\n{created}data \"d\" hex\"00ff\" }}\ndata \"d\" hex\"{}\" }}\n",
        "0123456789".repeat(5)
    )
}

/// Reads what stands behind its code, and returns one of two objects, early or at its end.
fn constructor(random: &mut Random, memory: Memory, scope: Scope) -> String {
    let mut generator = Generator::new(random, memory, scope, false);
    let is_raw = memory == Memory::Raw;
    let start = generator.start();
    let functions = generator.functions(2);
    let (args, place) = if is_raw { ("0x200", "0x400") } else { ("allocate(args_size)", "mload(0x40)") };
    let read = format!(
        "let args_size := sub(codesize(), datasize(\"a\"))\nlet args := {args}\n\
         codecopy(args, datasize(\"a\"), args_size)\n"
    );
    let variables = generator.variables(&[
        "mload(args)",
        "mload(add(args, 0x20))",
        "mload(add(args, 0x44))",
        "args_size",
    ]);
    let body = generator.entry(4);
    let early = if generator.random.once_in(3) {
        let test = generator.test();
        format!(
            "if {test} {{ let early := {place} datacopy(early, dataoffset(\"c\"), datasize(\"c\")) return(early, datasize(\"c\")) }}\n"
        )
    } else {
        String::new()
    };
    let rest = generator.entry(2);
    let seen = generator.seen();
    let (one, other) = (generator.value(), generator.value());
    format!(
        "{start}{read}{variables}{body}{early}{rest}{seen}let place := {place}\n\
         datacopy(place, dataoffset(\"p\"), datasize(\"p\"))\nsetimmutable(place, \"one\", {one})\n\
         setimmutable(place, \"other\", {other})\nreturn(place, datasize(\"p\"))\n{functions}{HELPERS}"
    )
}
