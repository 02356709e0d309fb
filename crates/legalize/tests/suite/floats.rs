//! What floating-point operations cost: the gas of one at `-O2`, on numbers of ordinary size, beside a program
//! that returns its operand. `docs/legalizer.md` has the same table.

use crate::generate::Choices;
use crate::pipeline::{CONTRACT, compile};
use cairn_diag::FileId;
use cairn_driver::{Level, Options};
use cairn_exec::{Environment, Machine, Message, Status};

/// Operations with the most gas that they take on the average, as `f32` and as `f64`.
const MOST_GAS: [(&str, [u64; 2]); 13] = [
    ("evm.add %a, %b : T", [450, 440]),
    ("evm.sub %a, %b : T", [460, 450]),
    ("evm.mul %a, %b : T", [370, 370]),
    ("evm.div %a, %b : T", [390, 380]),
    ("evm.mod %a, %b : T", [290, 290]),
    ("evm.sqrt %a : T", [260, 260]),
    ("evm.lt %a, %b : bool", [130, 130]),
    ("evm.eq %a, %b : bool", [70, 70]),
    ("evm.min %a, %b : T", [140, 140]),
    ("evm.sconvert %n : T", [170, 170]),
    ("evm.sconvert %a : u64", [210, 210]),
    ("evm.convert %a : f16", [290, 290]),
    ("evm.abs %a : T", [10, 10]),
];

/// A chain with a program that returns a result.
fn deployed(format: &str, operation: &str) -> Machine {
    let operation = operation.replace('T', format);
    let text = format!(
        "module @m {{ func @__entry() {{
           %reserved = evm.heap_base 128
           %a = evm.calldataload 0 : {format}
           %b = evm.calldataload 32 : {format}
           %n = evm.calldataload 64 : u64
           {operation}
           evm.mstore 0, %r
           evm.return 0, 32 }} }}"
    );
    let module = cairn_ir::text::parse(&text, FileId(0)).expect("well-formed");
    let code = compile(module, Options { level: Level::O2, ..Options::default() }).expect("compiles");
    let mut machine = Machine::new(Environment::default());
    machine.set_code(CONTRACT, code);
    machine
}

/// The gas of a run.
fn gas(machine: &mut Machine, calldata: &[u8]) -> u64 {
    let outcome = machine.call(CONTRACT, &Message::new(calldata.to_vec())).expect("a valid transaction");
    assert_eq!(outcome.status, Status::Success);
    outcome.gas.execution
}

/// Two numbers between 2^-16 and 2^16 with any fraction, and an integer.
fn operands(choices: &mut Choices, format: &str) -> Vec<u8> {
    let mut number = || {
        let number = (choices.below(1 << 53) as f64 / f64::from(1 << 26) + 1.0)
            * 2f64.powi(choices.below(32) as i32 - 42);
        let number = if choices.below(2) == 0 { number } else { -number };
        if format == "f32" { u64::from((number as f32).to_bits()) } else { number.to_bits() }
    };
    let words = [number(), number(), choices.below(1 << 40)];
    words.iter().flat_map(|word| cairn_evm::Word::from(*word).to_be_bytes::<32>()).collect()
}

#[test]
fn gas_of_floating_point() {
    for (index, format) in ["f32", "f64"].into_iter().enumerate() {
        let mut nothing = deployed(format, "%r = evm.select 1, %a, %a");
        for (operation, most) in MOST_GAS {
            let mut machine = deployed(format, &format!("%r = {operation}"));
            let mut choices = Choices::from_seed(7);
            let count = 200;
            let sum: u64 = (0..count)
                .map(|_| {
                    let calldata = operands(&mut choices, format);
                    gas(&mut machine, &calldata).saturating_sub(gas(&mut nothing, &calldata))
                })
                .sum();
            eprintln!("{}: {} gas", operation.replace('T', format), sum / count);
            assert!(sum / count <= most[index], "{operation} of {format} takes {} gas", sum / count);
        }
    }
}
