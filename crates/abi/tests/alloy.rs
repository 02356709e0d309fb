//! Random types and values: what the builders decode and encode is what alloy encodes.
//!
//! A contract of one function gives its arguments back. Encoded values must come back as they
//! were; damaged encodings must come back as what they still say, or be refused exactly where a
//! plain reader of the specification ([`reference`]) refuses them. `CAIRN_ABI_CASES` sets the
//! number of cases.

mod common;
mod reference;

use alloy_dyn_abi::{DynSolType, DynSolValue};
use cairn_abi::{Abi, AbiType, Contract, Method, Options, Payment, Validation};
use cairn_driver::Level;
use cairn_evm::{U256, hex};
use cairn_exec::{Machine, Status};
use cairn_ir::{Func, FuncBuilder, Function, Module, Signature, Type};
use common::{Random, call, compile, machine};

/// Cases without `CAIRN_ABI_CASES`.
const USUAL_CASES: u64 = 1_000;

/// Values tried with one list of types.
const VALUES_A_LIST: u64 = 10;

fn random_type(random: &mut Random, depth: u64) -> AbiType {
    match random.below(if depth == 0 { 8 } else { 13 }) {
        0 => AbiType::Uint(8 * (1 + random.below(32) as u16)),
        1 => AbiType::Int(8 * (1 + random.below(32) as u16)),
        2 => AbiType::Bool,
        3 => AbiType::Address,
        4 => AbiType::FixedBytes(1 + random.below(32) as u8),
        5 => AbiType::Function,
        6 => AbiType::Bytes,
        7 => AbiType::String,
        8 | 9 => AbiType::Array(Box::new(random_type(random, depth - 1))),
        10 => AbiType::FixedArray(Box::new(random_type(random, depth - 1)), 1 + random.below(6)),
        _ => {
            let length = 1 + random.below(4);
            AbiType::Tuple((0..length).map(|_| random_type(random, depth - 1)).collect())
        }
    }
}

/// A word that is often at a border of its type.
fn random_word(random: &mut Random, bits: usize) -> U256 {
    let word = match random.below(4) {
        0 => U256::ZERO,
        1 => U256::MAX,
        2 => U256::from(1) << (bits - 1),
        _ => U256::from_be_bytes(random.bytes::<32>()),
    };
    word >> (256 - bits)
}

fn random_bytes(random: &mut Random) -> Vec<u8> {
    let length = random.below(70);
    (0..length).map(|_| random.next() as u8).collect()
}

fn random_value(random: &mut Random, ty: &AbiType) -> DynSolValue {
    let mut list = |ty: &AbiType, length: u64| (0..length).map(|_| random_value(random, ty)).collect();
    match ty {
        AbiType::Array(element) => {
            let length = random.below(5);
            DynSolValue::Array((0..length).map(|_| random_value(random, element)).collect())
        }
        AbiType::FixedArray(element, length) => DynSolValue::FixedArray(list(element, *length)),
        AbiType::Tuple(parts) => {
            DynSolValue::Tuple(parts.iter().map(|part| random_value(random, part)).collect())
        }
        AbiType::Bytes => DynSolValue::Bytes(random_bytes(random)),
        AbiType::String => {
            let text = random_bytes(random).iter().map(|byte| char::from(byte % 128)).collect();
            DynSolValue::String(text)
        }
        AbiType::Uint(bits) => DynSolValue::Uint(random_word(random, usize::from(*bits)), usize::from(*bits)),
        AbiType::Int(bits) => {
            let shift = 256 - usize::from(*bits);
            let word = random_word(random, usize::from(*bits)) << shift;
            reference::word_value(ty, word.arithmetic_shr(shift)).expect("the word is a value")
        }
        AbiType::Bool => DynSolValue::Bool(random.below(2) == 1),
        AbiType::Address => DynSolValue::Address(random.bytes::<20>().into()),
        AbiType::FixedBytes(bytes) => {
            let word = random_word(random, usize::from(*bytes) * 8) << (256 - usize::from(*bytes) * 8);
            DynSolValue::FixedBytes(word.into(), usize::from(*bytes))
        }
        AbiType::Function => DynSolValue::Function(random.bytes::<24>().into()),
    }
}

/// A function that gives back its arguments.
fn identity(module: &mut Module, words: usize) -> Func {
    let signature = Signature { params: vec![Type::U256; words], results: vec![Type::U256; words] };
    let mut func = Function::new("identity", signature);
    let block = func.make_block();
    func.layout.append_block(block);
    let values: Vec<_> = (0..words).map(|_| func.dfg.append_param(block, Type::U256)).collect();
    FuncBuilder::at(&mut func, block).iret(&values);
    module.funcs.push(func)
}

fn echo(types: &[AbiType], validation: Validation, level: Level) -> Machine {
    let mut module = Module::new("Echo");
    let target = identity(&mut module, types.len());
    let method = Method { name: "echo".into(), params: types.to_vec(), results: types.to_vec() };
    let contract = Contract::single(method, target, Payment::Refused);
    let mut abi = Abi::new(&mut module, Options { validation, ..Options::default() });
    abi.dispatch(&contract).expect("the types have an encoding");
    machine(compile(module, level))
}

/// Changes bytes that matter: a word that is an offset or a length, a border of a word, the end.
fn damage(random: &mut Random, data: &mut Vec<u8>) {
    for _ in 0..=random.below(2) {
        let num_words = data.len() as u64 / 32;
        if num_words == 0 {
            return;
        }
        let at = random.below(num_words) as usize * 32;
        match random.below(7) {
            0 => data.truncate(data.len() - 1 - random.below(33) as usize % data.len()),
            1 => data.extend(random.bytes::<40>()),
            2 => data[at + 31] = data[at + 31].wrapping_add(1),
            3 => data[at + 31] = random.next() as u8,
            4 => data[at + random.below(32) as usize] ^= 1 << random.below(8),
            5 => data[at + 31] = data[at + 31].wrapping_sub(32),
            _ => data[at..at + 32].copy_from_slice(&U256::from(random.below(12) * 32).to_be_bytes::<32>()),
        }
    }
}

/// Cases of one kind.
#[derive(Default, Debug)]
struct Count {
    intact: u64,
    damaged_and_read: u64,
    damaged_and_refused: u64,
}

fn compare(seed: u64, cases: u64) -> Count {
    let mut random = Random(seed);
    let mut count = Count::default();
    for number in 0..cases / VALUES_A_LIST {
        let types: Vec<AbiType> = (0..1 + random.below(3)).map(|_| random_type(&mut random, 3)).collect();
        let validation = if number % 4 == 3 { Validation::Trusting } else { Validation::Strict };
        let level = [Level::O2, Level::O0, Level::O1, Level::Os][(number / 4 % 4) as usize];
        let mut machine = echo(&types, validation, level);
        for round in 0..VALUES_A_LIST {
            let values: Vec<DynSolValue> = types.iter().map(|ty| random_value(&mut random, ty)).collect();
            let expected = DynSolValue::Tuple(values).abi_encode_params();
            let mut data = expected.clone();
            let mut expected = Some(expected);
            if validation == Validation::Strict && round % 2 == 1 {
                damage(&mut random, &mut data);
                expected = reference::decode(&types, &data).map(|value| value.abi_encode_params());
                match expected {
                    Some(_) => count.damaged_and_read += 1,
                    None => count.damaged_and_refused += 1,
                }
            } else {
                count.intact += 1;
            }
            check(&mut machine, &types, data, expected);
        }
    }
    count
}

fn check(machine: &mut Machine, types: &[AbiType], data: Vec<u8>, expected: Option<Vec<u8>>) {
    let outcome = call(machine, data.clone());
    let got = (outcome.status, outcome.output.to_vec());
    let expected = match expected {
        Some(bytes) => (Status::Success, bytes),
        None => (Status::Revert, Vec::new()),
    };
    assert!(
        got == expected,
        "{types:?}\ndata     {}\nexpected {:?} {}\ngot      {:?} {} {}",
        hex::encode(&data),
        expected.0,
        hex::encode(&expected.1),
        got.0,
        hex::encode(&got.1),
        outcome.halt_reason
    );
}

#[test]
fn random_values_come_back() {
    let cases = std::env::var("CAIRN_ABI_CASES").ok().and_then(|text| text.parse().ok());
    let count = compare(1, cases.unwrap_or(USUAL_CASES));
    // A generator that damages nothing, or everything beyond recognition, would test little.
    assert!(
        count.damaged_and_read * 20 > count.intact && count.damaged_and_refused * 20 > count.intact,
        "{count:?}"
    );
}

#[test]
fn the_reference_reads_what_alloy_reads() {
    let mut random = Random(2);
    for _ in 0..2_000 {
        let types: Vec<AbiType> = (0..1 + random.below(3)).map(|_| random_type(&mut random, 3)).collect();
        let values: Vec<DynSolValue> = types.iter().map(|ty| random_value(&mut random, ty)).collect();
        let data = DynSolValue::Tuple(values).abi_encode_params();
        let names: Vec<String> = types.iter().map(AbiType::to_string).collect();
        let alloy = DynSolType::parse(&format!("({})", names.join(","))).expect("alloy knows the type");
        let decoded = alloy.abi_decode_params(&data).expect("alloy reads what it wrote");
        let read = reference::decode(&types, &data).expect("the data is intact");
        assert_eq!(read.abi_encode_params(), decoded.abi_encode_params());
        assert_eq!(read.abi_encode_params(), data);
    }
}
