//! Every opcode of the table goes through everything that deals with opcodes: what has to know one of
//! a new fork fails here until it does. docs/extending.md has the list.

use cairn::evm::{Opcode, Word, word};
use cairn::ir::describe::describe;
use cairn::ir::interp::{Wide, eval_opcode};
use cairn::{Fork, Level, Options, Source, compile};
use cairn_asm::{AssembleOptions, assemble, disassemble, parse_for, print};
use cairn_diag::FileId;
use cairn_rules::{Facts, transfer};

/// Operations of EVM-IR and functions of Yul: all but those that the compiler itself places.
fn operations() -> impl Iterator<Item = Opcode> {
    Opcode::all().filter(|op| !op.is_stack_manipulation() && !op.is_jump_related())
}

/// Words at the borders of what arithmetic tells apart.
fn edges() -> Vec<Word> {
    let powers = [0, 1, 7, 8, 31, 64, 128, 160, 248, 254, 255];
    let near = |power: usize| {
        let word = Word::from(1) << power;
        [word.wrapping_sub(Word::from(1)), word, word.wrapping_add(Word::from(1)), word.wrapping_neg()]
    };
    powers.into_iter().flat_map(near).collect()
}

/// Tuples of edge words; of three operands the last is one of a few.
fn operands(count: usize) -> Vec<Vec<Word>> {
    let few = [Word::ZERO, Word::from(1), Word::from(7), Word::MAX].to_vec();
    (0..count).fold(vec![Vec::new()], |tuples, place| {
        let words = if place < 2 { edges() } else { few.clone() };
        let with = |tuple: &Vec<Word>| {
            let tuple = tuple.clone();
            words.clone().into_iter().map(move |word| [&tuple[..], &[word]].concat())
        };
        tuples.iter().flat_map(with).collect()
    })
}

#[test]
fn operations_are_described() {
    for opcode in Opcode::all() {
        let description = describe(opcode);
        let is_operation = operations().any(|operation| operation == opcode);
        assert_eq!(description.is_some(), is_operation, "{opcode:?}: crates/ir/src/describe.rs");
        let n_operands = description.map(|description| description.operands.len());
        let inputs = usize::from(opcode.known().inputs);
        assert!(n_operands.is_none_or(|count| count == inputs), "{opcode:?}: {n_operands:?} operands");
    }
}

#[test]
fn arithmetic_means_the_same_everywhere() {
    for opcode in Opcode::all().filter(|opcode| opcode.is_arithmetic()) {
        for operands in operands(usize::from(opcode.known().inputs)) {
            let result = word::eval(opcode, &operands);
            let result = result.unwrap_or_else(|| panic!("{opcode:?}: crates/evm/src/word.rs"));
            let wide: Vec<Wide> = operands.iter().map(|word| Wide::from(*word)).collect();
            let interpreted = eval_opcode(opcode, &wide, 256);
            assert_eq!(interpreted, Some(Wide::from(result)), "{opcode:?} of {operands:x?}: interpreter");
            let one_of_two = |word: &Word| Facts::exactly(*word).join(&Facts::exactly(*word ^ Word::from(5)));
            let facts: Vec<Facts> = operands.iter().map(one_of_two).collect();
            let found = transfer(opcode, &facts.iter().collect::<Vec<_>>());
            assert!(
                found.meet(&Facts::exactly(result)).is_some(),
                "{opcode:?} of {operands:x?} is {result:#x}, not {found:?}: crates/rules/src/facts.rs"
            );
        }
    }
}

#[test]
fn every_opcode_has_one_text_in_assembly() {
    for opcode in Opcode::all() {
        let info = opcode.known();
        let mut code = vec![opcode.0];
        code.resize(1 + usize::from(info.immediate), if opcode.push_width().is_some() { 0xff } else { 0x80 });
        let text = print(&disassemble(&code, info.since));
        let (program, faults) = parse_for(&text, FileId(0), info.since).expect("what was printed");
        assert!(!faults.has_errors(), "{opcode:?}: {faults:?} in\n{text}");
        let options = AssembleOptions { fork: info.since, ..AssembleOptions::default() };
        let assembled = assemble(&program, options).expect("what was disassembled");
        assert_eq!(assembled.bytes, code, "{opcode:?} as\n{text}");
    }
}

#[test]
fn tables_of_bytecode_and_of_the_legalizer_know_every_fork() {
    let rows = cairn_legalize::operation_rows();
    for opcode in operations() {
        let info = opcode.known();
        let row = rows.iter().find(|row| row.name == info.lower);
        let actions = &row.unwrap_or_else(|| panic!("{opcode:?} has no row")).actions;
        for (fork, action) in Fork::ALL.into_iter().zip(actions) {
            assert_eq!(*action == "legal", opcode.exists_in(fork), "{opcode:?} on {fork}");
        }
    }
}

fn code_of(source: &Source, fork: Fork, level: Level) -> Vec<u8> {
    match compile(source, &Options::default().fork(fork).level(level)) {
        Ok(compiled) => compiled.creation().bytes().to_vec(),
        Err(error) => panic!("on {fork}: {error}\n{source:?}"),
    }
}

/// A program that carries out an opcode, with unknown words as operands, and keeps the result.
fn eir(opcode: Opcode) -> String {
    let info = opcode.known();
    let words = (0..info.inputs)
        .map(|at| format!("%o{at} = evm.constant {}\n%w{at} = evm.calldataload %o{at}\n", 32 * at));
    let names: Vec<String> = (0..info.inputs).map(|at| format!("%w{at}")).collect();
    let operation = format!("evm.{} {}", info.lower, names.join(", "));
    let body = match (opcode.halts(), info.outputs) {
        (true, _) => operation,
        (false, 0) => format!("{operation}\nevm.stop"),
        (false, _) => format!("%r = {operation}\n%k = evm.constant 0\nevm.sstore %k, %r\nevm.stop"),
    };
    format!("module @m {{\nfunc @__entry() {{\n{}{body}\n}}\n}}\n", words.collect::<String>())
}

fn yul(opcode: Opcode, fork: Fork) -> String {
    let info = opcode.known();
    // The one opcode that had another name.
    let is_old = opcode == Opcode::PREVRANDAO && fork < Fork::Paris;
    let name = if is_old { "difficulty" } else { info.lower };
    let words: Vec<String> = (0..info.inputs).map(|at| format!("calldataload({})", 32 * at)).collect();
    let call = format!("{name}({})", words.join(", "));
    let body = if info.outputs == 1 { format!("sstore(0, {call})") } else { call };
    format!("object \"o\" {{ code {{ {body} }} }}")
}

#[test]
fn every_operation_compiles_from_both_languages_on_its_first_fork() {
    for opcode in operations() {
        for fork in [opcode.known().since, Fork::default().max(opcode.known().since)] {
            let sources =
                [Source::evm_ir("opcode.eir", eir(opcode)), Source::yul("opcode.yul", yul(opcode, fork))];
            for source in sources {
                let code = code_of(&source, fork, Level::O0);
                assert!(code.contains(&opcode.0), "{opcode:?} on {fork}: {code:02x?}");
                // What nobody needs is not in optimized code.
                code_of(&source, fork, Level::O2);
            }
        }
    }
}
