//! Hostile text: parsing ends, never panics, and points at every fault; what is accepted can be
//! verified, printed and executed. `CAIRN_FUZZ=N` runs N times as many inputs.

mod common;

use cairn_diag::FileId;
use cairn_ir::interp::{Env, interpret};
use cairn_ir::promote_slots;
use cairn_ir::text::{parse, print};
use cairn_ir::verify::{Form, verify};
use common::{Random, random_module};

const TOKENS: [&str; 54] = [
    "-1.5e-7",
    ": f32",
    "+",
    "7",
    "true",
    ": u8",
    "module",
    "func",
    "data",
    "@M",
    "@f",
    "@\"a b\"",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ",",
    ":",
    "=",
    "->",
    "→",
    "\n",
    "%x",
    "%y",
    "%1",
    "^a",
    "^b",
    "^entry",
    "phi",
    "evm.add",
    "evm.constant",
    "evm.br",
    "evm.condbr",
    "evm.switch",
    "default",
    "case",
    "evm.icall",
    "evm.iret",
    "evm.return",
    "evm.alloca",
    "u256",
    "bool",
    "ptr",
    "0",
    "-1",
    "0xff",
    "loc",
    "!loc",
    "hex\"00\"",
    "#",
];

fn rounds(count: u64) -> u64 {
    count * std::env::var("CAIRN_FUZZ").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// Runs everything that a text can reach.
fn exercise(text: &str) -> bool {
    let module = match parse(text, FileId(0)) {
        Ok(module) => module,
        Err(faults) => {
            assert!(faults.has_errors(), "rejected without a reason:\n{text}");
            for fault in faults.iter() {
                let span = fault.span.expect("a fault of the text has a place");
                assert!(span.start <= span.end && span.end as usize <= text.len(), "{fault:?} in\n{text}");
            }
            return false;
        }
    };
    let printed = print(&module);
    let again = parse(&printed, FileId(0)).unwrap_or_else(|faults| panic!("{faults:?}\n{text}\n{printed}"));
    assert_eq!(print(&again), printed, "{text}");
    [Form::Ssa, Form::Canonical].into_iter().for_each(|form| drop(verify(&module, form)));
    if verify(&module, Form::Free).is_empty() {
        let mut promoted = module.clone();
        for func in promoted.funcs.values_mut() {
            promote_slots(func);
        }
        assert!(verify(&promoted, Form::Free).is_empty(), "{text}\n{promoted}");
        let mut env = Env { max_steps: 500, max_memory: 1 << 16, max_depth: 20, ..Env::default() };
        drop(interpret(&module, &mut env));
    }
    true
}

#[test]
fn token_soup() {
    let mut random = Random(1);
    for _ in 0..rounds(10_000) {
        let count = random.below(60);
        let soup: Vec<&str> = (0..count).map(|_| *random.pick(&TOKENS)).collect();
        exercise(&soup.join(" "));
        exercise(&format!("module @M {{ func @__entry() {{ {} }} }}", soup.join(" ")));
    }
}

/// Random bytes of a module's text deleted, doubled, exchanged or replaced, by words or bytes.
fn mutate(text: &str, random: &mut Random) -> String {
    let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
    for _ in 0..1 + random.below(4) {
        let (at, other) = (random.below(words.len()), random.below(words.len()));
        match random.below(5) {
            0 => words[at].clear(),
            1 => words.swap(at, other),
            2 => words[at] = words[other].clone(),
            3 => words[at] = (*random.pick(&TOKENS)).to_owned(),
            _ => words[at] = words[at].chars().filter(|_| random.chance(70)).collect(),
        }
    }
    words.join(" ")
}

#[test]
fn mutated_modules() {
    let mut random = Random(2);
    let mut num_accepted = 0;
    for seed in 0..rounds(6_000) {
        let text = mutate(&random_module(seed), &mut random);
        num_accepted += usize::from(exercise(&text));
    }
    assert!(
        num_accepted > 300,
        "only {num_accepted} accepted: the mutations reach nothing behind the parser"
    );
}

#[test]
fn truncated_modules() {
    for seed in 0..20 {
        let text = random_module(seed);
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)) {
            exercise(&text[..at]);
        }
    }
}

#[test]
fn deep_and_long_inputs_take_linear_time() {
    let deep = ["(", "[", "{", "module @M {", "phi [", "^a(", "%x, "];
    for part in deep {
        exercise(&part.repeat(50_000));
        exercise(&format!("module @M {{ func @f() {{ {} }} }}", part.repeat(50_000)));
    }
}
