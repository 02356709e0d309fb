//! What a frame is told of the block, the transaction and balances is read on its side of calls, at
//! every level: each reading where the source has it, seen in the order of what is executed.

use cairn_driver::{Emit, Input, Language, Level, Options, Session};
use cairn_evm::{Effects, Opcode};
use cairn_exec::{Address, Environment, Machine, Message, Record};

const CONTRACT: Address = Address::repeat_byte(0xc0);
const MAX_STEPS: usize = 5_000;

/// Opcodes that run other code.
const CALLS: [(Opcode, &str); 6] = [
    (Opcode::CALL, "call(gas(), 0xdead, 0, 0, 0, 0, 0)"),
    (Opcode::CALLCODE, "callcode(gas(), 0xdead, 0, 0, 0, 0, 0)"),
    (Opcode::DELEGATECALL, "delegatecall(gas(), 0xdead, 0, 0, 0, 0)"),
    (Opcode::STATICCALL, "staticcall(gas(), 0xdead, 0, 0, 0, 0)"),
    (Opcode::CREATE, "create(0, 0, 0)"),
    (Opcode::CREATE2, "create2(0, 0, 0, gas())"),
];

fn levels() -> Vec<(String, Options)> {
    let mut found = Vec::new();
    for level in [Level::O0, Level::O1, Level::O2, Level::O3, Level::Os] {
        for spec in [false, true] {
            let options = Options { level, spec, verify: true, ..Options::default() };
            found.push((format!("-O{level}, spec {spec}"), options));
        }
    }
    found
}

/// Reads before and after calls, in line, in a function and in a loop.
fn program(read: &str, call: &str) -> String {
    format!(
        "object \"C\" {{ code {{
            mstore(64, memoryguard(128))
            let first := {read}
            visit()
            let second := {read}
            sstore(0, sub(first, second))
            for {{ let i := 1 }} lt(i, 3) {{ i := add(i, 1) }} {{
                let before := {read}
                let ok := {call}
                sstore(i, sub(before, add({read}, ok)))
            }}
            visit()
            sstore(3, {read})
            sstore(4, first)
            function visit() {{ sstore(5, {call}) }}
        }} }}"
    )
}

fn build(text: &str, options: Options) -> Vec<u8> {
    let input = Input { name: "test.yul".into(), text: text.to_owned(), language: Language::Yul };
    let mut session = Session::default();
    let artifacts = cairn_driver::build(&input, &[Emit::Bin], &options, &mut session);
    let artifacts = artifacts.unwrap_or_else(|_| panic!("{:?}: {text}", session.diagnostics));
    cairn_evm::hex::decode(artifacts.get(Emit::Bin).expect("asked for").trim()).expect("valid hex")
}

/// Which of two opcodes are executed in what order, repetitions left out.
fn order_of(code: Vec<u8>, opcodes: [Opcode; 2]) -> Vec<Opcode> {
    let mut machine = Machine::new(Environment::default());
    machine.set_code(CONTRACT, code);
    machine.set_record(Record::Steps(MAX_STEPS));
    machine.call(CONTRACT, &Message::new(vec![])).expect("it is paid");
    let steps = machine.recording().steps.iter().filter(|step| step.depth == 0);
    let mut order: Vec<Opcode> =
        steps.map(|step| step.opcode).filter(|opcode| opcodes.contains(opcode)).collect();
    order.dedup();
    order
}

#[test]
fn readings_stay_on_their_side_of_calls() {
    let is_told = |opcode: &Opcode| {
        let info = opcode.known();
        info.effects.contains(Effects::READ_ENVIRONMENT)
            && info.outputs == 1
            && opcode.exists_in(Options::default().fork)
    };
    let readings: Vec<Opcode> = Opcode::all().filter(is_told).collect();
    assert!(readings.len() >= 16, "{readings:?}");
    for (index, reading) in readings.iter().enumerate() {
        let operand = if reading.known().inputs == 0 { "" } else { "calldataload(0)" };
        let read = format!("{}({operand})", reading.known().lower);
        // The calls take turns.
        for (call, call_text) in CALLS.iter().cycle().skip(index).take(2) {
            let text = program(&read, call_text);
            for (level, options) in levels() {
                let order = order_of(build(&text, options), [*reading, *call]);
                let expected: Vec<Opcode> = [*reading, *call].into_iter().cycle().take(9).collect();
                assert_eq!(order, expected, "{level}: {read}, {call_text}");
            }
        }
    }
}
