//! Dispatch, reverts, calls of other contracts and deployment, on revm.

mod common;

use alloy_dyn_abi::DynSolValue;
use cairn_abi::{Abi, AbiError, AbiFn, CallKind, Contract, Method, Options, Panic, Payment, creation_with};
use cairn_driver::Level;
use cairn_evm::{Opcode, U256, hex};
use cairn_exec::{Address, Environment, Machine, Message, Outcome, Status};
use cairn_ir::{Func, FuncBuilder, Function, Module, Signature, Type, Value};
use common::{ADDRESS, call, compile, machine};

fn method(text: &str) -> Method {
    text.parse().expect("a signature")
}

/// A function of words whose body `write` appends; it ends with what `write` returns, if anything.
fn function(
    module: &mut Module,
    words: (usize, usize),
    write: impl FnOnce(&mut FuncBuilder<'_>, &[Value]) -> Option<Vec<Value>>,
) -> Func {
    let signature = Signature { params: vec![Type::U256; words.0], results: vec![Type::U256; words.1] };
    let mut func = Function::new(format!("f{}", module.funcs.len()), signature);
    let block = func.make_block();
    func.layout.append_block(block);
    let params: Vec<Value> = (0..words.0).map(|_| func.dfg.append_param(block, Type::U256)).collect();
    let mut builder = FuncBuilder::at(&mut func, block);
    if let Some(results) = write(&mut builder, &params) {
        builder.iret(&results);
    }
    module.funcs.push(func)
}

/// Stores a number at key 0.
fn mark(module: &mut Module, number: u64) -> Func {
    function(module, (0, 0), |b, _| {
        let [key, number] = [0, number].map(|n| b.constant(U256::from(n)));
        b.evm(Opcode::SSTORE, &[key, number]);
        Some(Vec::new())
    })
}

fn binary(module: &mut Module, opcode: Opcode) -> Func {
    function(module, (2, 1), |b, args| Some(vec![b.evm_value(opcode, args)]))
}

fn dispatch(mut module: Module, contract: &Contract) -> Machine {
    Abi::new(&mut module, Options::default()).dispatch(contract).expect("a good contract");
    machine(compile(module, Level::O2))
}

fn encode(selector: &str, words: &[u64]) -> Vec<u8> {
    let mut data = method(selector).selector().to_vec();
    words.iter().for_each(|word| data.extend(U256::from(*word).to_be_bytes::<32>()));
    data
}

fn send(machine: &mut Machine, data: Vec<u8>, wei: u64) -> (Status, U256) {
    machine.set_storage(ADDRESS, U256::ZERO, U256::ZERO);
    let message = Message::new(data).with_value(U256::from(wei));
    let outcome = machine.call(ADDRESS, &message).expect("the call is executed");
    (outcome.status, machine.storage(ADDRESS, U256::ZERO))
}

#[test]
fn calls_go_to_the_method_with_their_selector() {
    let mut module = Module::new("C");
    let [add, sub] = [Opcode::ADD, Opcode::SUB].map(|opcode| binary(&mut module, opcode));
    let (add_method, sub_method) = ("add(uint256,uint256)(uint256)", "sub(uint256,uint256)(uint256)");
    let contract = Contract::new().method(method(add_method), add, Payment::Refused).method(
        method(sub_method),
        sub,
        Payment::Refused,
    );
    let mut machine = dispatch(module, &contract);
    let mut result = |data| {
        let outcome = call(&mut machine, data);
        (outcome.status, outcome.output.to_vec())
    };
    let word = |n: u64| (Status::Success, U256::from(n).to_be_bytes_vec());
    let refused = (Status::Revert, Vec::new());
    assert_eq!(result(encode("add(uint256,uint256)", &[7, 5])), word(12));
    assert_eq!(result(encode("sub(uint256,uint256)", &[7, 5])), word(2));
    assert_eq!(result(encode("sub(uint256,uint256)", &[7, 5, 9])), word(2), "more data is no fault");
    assert_eq!(result(encode("sub(uint256,uint256)", &[7])), refused, "an argument is missing");
    assert_eq!(result(encode("mul(uint256,uint256)", &[7, 5])), refused, "no such method");
    assert_eq!(result(Vec::new()), refused, "there is no `receive`");
    assert_eq!(result(vec![0x77, 0x16, 0x02]), refused, "three bytes are no selector");
}

#[test]
fn what_is_no_method_goes_to_receive_or_fallback() {
    let build = |receive: bool, fallback: Option<Payment>| {
        let mut module = Module::new("C");
        let [method_mark, receive_mark, fallback_mark] = [1, 2, 3].map(|n| mark(&mut module, n));
        let mut contract = Contract::new().method(method("f()"), method_mark, Payment::Refused);
        if receive {
            contract = contract.receive(receive_mark);
        }
        if let Some(payment) = fallback {
            contract = contract.fallback(fallback_mark, payment);
        }
        dispatch(module, &contract)
    };
    let reached = |machine: &mut Machine, data: &[u8], wei| match send(machine, data.to_vec(), wei) {
        (Status::Success, mark) => mark.to::<u64>(),
        (Status::Revert, _) => 0,
        (Status::Halt, _) => panic!("halted"),
    };
    let selector = method("f()").selector();
    // Receive, fallback; then what is reached by: the method, no data, one byte, another selector;
    // each without and with wei.
    let table = [
        (false, None, [1, 0, 0, 0], [0, 0, 0, 0]),
        (true, None, [1, 2, 0, 0], [0, 2, 0, 0]),
        (false, Some(Payment::Refused), [1, 3, 3, 3], [0, 0, 0, 0]),
        (false, Some(Payment::Taken), [1, 3, 3, 3], [0, 3, 3, 3]),
        (true, Some(Payment::Refused), [1, 2, 3, 3], [0, 2, 0, 0]),
        (true, Some(Payment::Taken), [1, 2, 3, 3], [0, 2, 3, 3]),
    ];
    for (receive, fallback, free, paid) in table {
        let mut machine = build(receive, fallback);
        for (wei, expected) in [(0, free), (5, paid)] {
            let inputs: [&[u8]; 4] = [&selector, &[], &selector[..1], &[1, 2, 3, 4, 5]];
            let got = inputs.map(|data| reached(&mut machine, data, wei));
            assert_eq!(got, expected, "receive {receive}, fallback {fallback:?}, wei {wei}");
        }
    }
}

#[test]
fn a_single_function_needs_no_selector() {
    let mut module = Module::new("C");
    let sub = binary(&mut module, Opcode::SUB);
    let contract = Contract::single(method("sub(uint256,uint256)(uint256)"), sub, Payment::Refused);
    let mut machine = dispatch(module, &contract);
    let words = [9u64, 4].map(|n| U256::from(n).to_be_bytes::<32>());
    let outcome = call(&mut machine, words.concat());
    assert_eq!(U256::from_be_slice(&outcome.output), U256::from(5));
    assert_eq!(send(&mut machine, words.concat(), 1).0, Status::Revert);
}

#[test]
fn static_types_need_no_free_pointer() {
    let mut module = Module::new("C");
    let add = binary(&mut module, Opcode::ADD);
    let contract = Contract::new().method(method("add(uint8,int8)(uint256)"), add, Payment::Refused);
    Abi::new(&mut module, Options::default()).dispatch(&contract).expect("a good contract");
    assert!(!module.to_string().contains("abi.initialize"));
}

#[test]
fn contracts_that_make_no_sense_are_refused() {
    let mut module = Module::new("C");
    let func = mark(&mut module, 1);
    let mut refused = |contract: Contract| {
        Abi::new(&mut module, Options::default()).dispatch(&contract).expect_err("a fault")
    };
    // A known pair with the same selector, 0x42966c68.
    let clash = Contract::new().method(method("burn(uint256)"), func, Payment::Refused).method(
        method("collate_propagate_storage(bytes16)"),
        func,
        Payment::Refused,
    );
    let names = ("burn(uint256)".to_owned(), "collate_propagate_storage(bytes16)".to_owned());
    assert_eq!(refused(clash), AbiError::SelectorClash(names.0, names.1));
    let mismatch = Contract::new().method(method("f(uint256)(bool)"), func, Payment::Refused);
    assert_eq!(refused(mismatch), AbiError::Mismatch { func: "f0".into(), expected: (1, 1), found: (0, 0) });
    Abi::new(&mut module, Options::default()).dispatch(&Contract::new()).expect("nothing to call");
    let again = Abi::new(&mut module, Options::default()).dispatch(&Contract::new());
    assert_eq!(again, Err(AbiError::HasEntry));
}

/// Runs a contract of one function that ends in what `make` made.
fn revert_data(words: &[u64], make: impl FnOnce(&mut Abi<'_>) -> AbiFn) -> Outcome {
    let mut module = Module::new("C");
    let made = make(&mut Abi::new(&mut module, Options::default()));
    let func = function(&mut module, (words.len(), 0), |b, args| {
        made.end(b, args);
        None
    });
    let params = vec!["uint256"; words.len()].join(",");
    let contract = Contract::single(method(&format!("f({params})")), func, Payment::Refused);
    let data = words.iter().flat_map(|word| U256::from(*word).to_be_bytes::<32>()).collect();
    call(&mut dispatch(module, &contract), data)
}

#[test]
fn errors_are_encoded_as_solidity_does() {
    let with_selector = |signature: &str, values: Vec<DynSolValue>| {
        let mut data = method(signature).selector().to_vec();
        data.extend(DynSolValue::Tuple(values).abi_encode_params());
        (Status::Revert, data)
    };
    let number = |n: u64| DynSolValue::Uint(U256::from(n), 256);
    let got = |outcome: Outcome| (outcome.status, outcome.output.to_vec());
    for text in
        ["", "no", "exactly thirty-two bytes of text", "a text that is longer than one word of memory"]
    {
        let outcome = revert_data(&[], |abi| abi.revert_text(text));
        assert_eq!(got(outcome), with_selector("Error(string)", vec![DynSolValue::String(text.into())]));
    }
    let outcome = revert_data(&[], |abi| abi.panic(Panic::Overflow));
    assert_eq!(got(outcome), with_selector("Panic(uint256)", vec![number(0x11)]));
    let custom = "InsufficientBalance(uint256,uint256)";
    let outcome = revert_data(&[3, 4], |abi| abi.reverter(&method(custom)).expect("good types"));
    assert_eq!(got(outcome), with_selector(custom, vec![number(3), number(4)]));
}

/// A contract whose method `f` calls the method `g` of another one.
fn proxy(callee: &str, kind: CallKind, code: Option<Vec<u8>>, data: Vec<DynSolValue>) -> Outcome {
    const CALLEE: Address = Address::repeat_byte(0xd0);
    let callee = method(callee);
    let mut module = Module::new("Proxy");
    let caller = Abi::new(&mut module, Options::default()).caller(&callee, kind).expect("good types");
    let (params, results) = (callee.params.len(), callee.results.len());
    let forward = function(&mut module, (params, results), |b, args| {
        let mut operands = vec![b.constant(U256::from_be_bytes(CALLEE.into_word().0))];
        if kind == CallKind::Call {
            operands.push(b.constant(U256::ZERO));
        }
        operands.extend(args);
        Some(caller.call(b, &operands).to_vec())
    });
    let outer = Method { name: "f".into(), ..callee };
    let contract = Contract::new().method(outer.clone(), forward, Payment::Refused);
    let mut machine = dispatch(module, &contract);
    if let Some(code) = code {
        machine.set_code(CALLEE, code);
    }
    let mut calldata = outer.selector().to_vec();
    calldata.extend(DynSolValue::Tuple(data).abi_encode_params());
    call(&mut machine, calldata)
}

/// Code of a contract with one method, which gives back its arguments.
fn echo(signature: &str) -> Vec<u8> {
    let method = method(signature);
    let mut module = Module::new("Echo");
    let func =
        function(&mut module, (method.params.len(), method.results.len()), |_, args| Some(args.to_vec()));
    let contract = Contract::new().method(method, func, Payment::Refused);
    Abi::new(&mut module, Options::default()).dispatch(&contract).expect("a good contract");
    compile(module, Level::O2)
}

#[test]
fn results_of_other_contracts_are_decoded() {
    let signature = "g(uint256,string,uint8[])(uint256,string,uint8[])";
    let data = vec![
        DynSolValue::Uint(U256::from(7), 256),
        DynSolValue::String("a text that is longer than one word of memory".into()),
        DynSolValue::Array(vec![DynSolValue::Uint(U256::from(255), 8); 3]),
    ];
    for kind in [CallKind::Call, CallKind::Static, CallKind::Delegate] {
        let outcome = proxy(signature, kind, Some(echo(signature)), data.clone());
        assert_eq!(outcome.status, Status::Success, "{kind:?}");
        assert_eq!(outcome.output.to_vec(), DynSolValue::Tuple(data.clone()).abi_encode_params());
    }
}

#[test]
fn errors_of_other_contracts_pass_through() {
    let mut module = Module::new("Failing");
    let text = "a reason that is longer than what one word of memory holds";
    let fails = Abi::new(&mut module, Options::default()).revert_text(text);
    let contract = Contract::new().method(method("g()"), fails.func, Payment::Refused);
    Abi::new(&mut module, Options::default()).dispatch(&contract).expect("a good contract");
    let outcome = proxy("g()", CallKind::Call, Some(compile(module, Level::O2)), Vec::new());
    let mut expected = method("Error(string)").selector().to_vec();
    expected.extend(DynSolValue::Tuple(vec![DynSolValue::String(text.into())]).abi_encode_params());
    assert_eq!((outcome.status, outcome.output.to_vec()), (Status::Revert, expected));
}

#[test]
fn results_that_are_missing_or_wrong_revert() {
    let refused = |outcome: Outcome| assert_eq!((outcome.status, outcome.output.len()), (Status::Revert, 0));
    refused(proxy("g()", CallKind::Call, None, Vec::new()));
    refused(proxy("g()(uint256)", CallKind::Static, None, Vec::new()));
    // Returns the word 2, which is no boolean.
    let two = hex::decode("600260005260206000f3").expect("hex");
    refused(proxy("g()(bool)", CallKind::Call, Some(two.clone()), Vec::new()));
    // The offset of the string, 2, lies inside, its length does not.
    refused(proxy("g()(string)", CallKind::Call, Some(two), Vec::new()));
}

#[test]
fn a_constructor_gets_what_stands_behind_the_code() {
    let mut runtime = Module::new("Greeter");
    let load = function(&mut runtime, (0, 1), |b, _| {
        let key = b.constant(U256::ZERO);
        Some(vec![b.evm_value(Opcode::SLOAD, &[key])])
    });
    let contract = Contract::new().method(method("length()(uint256)"), load, Payment::Refused);
    Abi::new(&mut runtime, Options::default()).dispatch(&contract).expect("a good contract");
    let types = cairn_abi::parse_types("(uint256,string)").expect("types");
    let constructor = |abi: &mut Abi<'_>| {
        Ok(function(abi.module, (2, 0), |b, args| {
            let length = b.evm_value(Opcode::MLOAD, &[args[1]]);
            let sum = b.evm_value(Opcode::ADD, &[args[0], length]);
            let key = b.constant(U256::ZERO);
            b.evm(Opcode::SSTORE, &[key, sum]);
            Some(Vec::new())
        }))
    };
    let module = creation_with(runtime, Options::default(), &types, constructor).expect("good types");
    let code = compile(module, Level::O2);
    let values = vec![DynSolValue::Uint(U256::from(1000), 256), DynSolValue::String("hello".into())];
    let arguments = DynSolValue::Tuple(values).abi_encode_params();
    let mut machine = Machine::new(Environment::default());
    let deployed = machine.deploy(&Message::new([code.clone(), arguments].concat())).expect("executed");
    let address = deployed.created.expect("the contract is deployed");
    let outcome = machine.call(address, &Message::new(encode("length()", &[]))).expect("executed");
    assert_eq!(U256::from_be_slice(&outcome.output), U256::from(1005));
    let refused = machine.deploy(&Message::new(code)).expect("executed");
    assert_eq!(refused.status, Status::Revert, "the arguments are missing");
}
