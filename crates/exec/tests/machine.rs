//! The interface to revm: deployments, calls, environment, recording, comparison.

use cairn_evm::{Fork, Opcode, hex};
use cairn_exec::{
    Address, B256, BlockFacts, Environment, Machine, Message, Prices, Record, Scenario, Status, U256,
    account, find_difference, run_code, run_scenario,
};

fn code(hex_text: &str) -> Vec<u8> {
    hex::decode(hex_text).expect("valid hex")
}

/// Creation code that deploys `runtime`.
fn creation(runtime: &[u8]) -> Vec<u8> {
    let mut code = vec![0x60, runtime.len() as u8, 0x80, 0x60, 0x09, 0x3d, 0x39, 0x3d, 0xf3];
    code.extend(runtime);
    code
}

fn word(n: u64) -> Vec<u8> {
    U256::from(n).to_be_bytes::<32>().to_vec()
}

#[test]
fn code_that_returns_a_sum() {
    // return(calldataload(0) + calldataload(32))
    let (outcome, observation) = run_code(
        Fork::Osaka,
        &code("6020356000350160005260206000f3"),
        &Message::new([word(5), word(3)].concat()),
    )
    .expect("the intrinsic cost is paid");
    assert_eq!((outcome.status, &outcome.output[..]), (Status::Success, &word(8)[..]));
    // Five pushes, two loads, add, mstore with one word of memory, return.
    assert_eq!(outcome.gas.execution, 5 * 3 + 2 * 3 + 3 + 6);
    assert_eq!(observation.storage.len() + observation.balances.len(), 0);
}

#[test]
fn reverts_and_halts_are_told_apart() {
    let message = Message::new(vec![]);
    let run = |text| run_code(Fork::Osaka, &code(text), &message).expect("the intrinsic cost is paid").0;
    let revert = run("60ff6000526001601ffd");
    assert_eq!((revert.status, &revert.output[..]), (Status::Revert, &[0xff][..]));
    let invalid = run("fe");
    assert_eq!((invalid.status, invalid.halt_reason.as_str()), (Status::Halt, "invalid 0xFE opcode"));
    assert_eq!(run("50").halt_reason, "stack underflow");
    assert_eq!(run("600056").halt_reason, "invalid jump destination");
}

#[test]
fn a_fork_decides_which_opcodes_exist() {
    let message = Message::new(vec![]);
    let status =
        |fork| run_code(fork, &code("5f5f52"), &message).expect("the intrinsic cost is paid").0.status;
    assert_eq!(status(Fork::Paris), Status::Halt);
    assert_eq!(status(Fork::Shanghai), Status::Success);
}

#[test]
fn a_contract_is_deployed_called_and_observed() {
    // sstore(0, sload(0) + callvalue); log1(0, 0, 7)
    let runtime = code("3460005401600055600760006000a1");
    let mut machine = Machine::new(Environment::default());
    let deployed = machine.deploy(&Message::new(creation(&runtime))).expect("the intrinsic cost is paid");
    let address = deployed.created.expect("deployment succeeds");
    assert_eq!(machine.code(address), runtime);
    assert_eq!(machine.observe(&deployed).output.len(), 0, "deployed code is not observed");
    for total in [5, 10] {
        let message = Message::new(vec![]).with_value(U256::from(5)).from(account(3));
        let outcome = machine.call(address, &message).expect("the intrinsic cost is paid");
        let observation = machine.observe(&outcome);
        assert_eq!(observation.logs.len(), 1);
        assert_eq!(observation.logs[0].topics, [B256::from_slice(&word(7))]);
        assert_eq!(observation.storage[&address][&U256::ZERO], U256::from(total));
        assert_eq!(observation.balances[&address], U256::from(total));
        assert_eq!(observation.balances[&account(3)], (U256::from(1) << 100) - U256::from(total));
        assert_eq!(observation.balances.len(), 2);
    }
}

#[test]
fn the_environment_is_the_documented_one() {
    // number, timestamp, chainid, basefee, gasprice
    let code = code("436000524260205246604052486060523a60805260a06000f3");
    let (outcome, _) =
        run_code(Fork::Osaka, &code, &Message::new(vec![])).expect("the intrinsic cost is paid");
    let expected = [1, 15, 1, 7, 3_000_000_000].map(word).concat();
    assert_eq!(&outcome.output[..], &expected[..]);
}

#[test]
fn a_transaction_below_the_intrinsic_cost_is_rejected() {
    let mut machine = Machine::new(Environment { gas_limit: 20_999, ..Environment::default() });
    let rejected = machine.call(account(1), &Message::new(vec![])).expect_err("21,000 gas are needed");
    assert_eq!(
        rejected.to_string(),
        "transaction rejected: transaction validation error: call gas cost (21000) exceeds the gas limit (20999)"
    );
}

#[test]
fn a_value_without_funds_halts() {
    let message = Message::new(vec![]).with_value(U256::from(1)).from(Address::repeat_byte(9));
    let (outcome, _) = run_code(Fork::Osaka, &[], &message).expect("the intrinsic cost is paid");
    assert_eq!((outcome.status, outcome.halt_reason.as_str()), (Status::Halt, "out of funds"));
}

#[test]
fn recorded_costs_add_up_to_the_execution_gas() {
    // A contract that calls the identity precompile, then itself with less gas and no calldata;
    // with no calldata it stops after an sload.
    let runtime = code("3615602057600060006020600060045afa5060006000600060006000305af1005b60005400");
    let mut machine = Machine::new(Environment::default());
    let address = Address::repeat_byte(0xaa);
    machine.set_code(address, runtime);
    machine.set_record(Record::Steps(1000));
    let outcome = machine.call(address, &Message::new(vec![1])).expect("the intrinsic cost is paid");
    assert_eq!((outcome.status, outcome.halt_reason.as_str()), (Status::Success, ""));
    let recording = machine.recording();
    assert_eq!(recording.gas.total(), outcome.gas.execution as i64);
    assert_eq!(recording.steps.iter().map(|step| step.cost).sum::<i64>(), outcome.gas.execution as i64);
    assert_eq!(recording.steps.iter().map(|step| step.depth).max(), Some(1));
    assert_eq!(recording.gas.get(Opcode::SLOAD).count, 1);
    assert_eq!(recording.gas.get(Opcode::SLOAD).gas, 2100);
    assert_eq!(recording.gas.sorted()[0].0, Opcode::SLOAD);
    assert_eq!(recording.steps[0].opcode, Opcode::CALLDATASIZE);
    assert_eq!(recording.steps[1].stack, [U256::from(1)]);
}

#[test]
fn the_trace_is_cut_at_the_limit_and_the_report_is_not() {
    let mut machine = Machine::new(Environment::default());
    let address = Address::repeat_byte(0xaa);
    machine.set_code(address, code("6001600155600100"));
    machine.set_record(Record::Steps(2));
    let outcome = machine.call(address, &Message::new(vec![])).expect("the intrinsic cost is paid");
    assert_eq!(machine.recording().steps.len(), 2);
    assert_eq!(machine.recording().gas.total(), outcome.gas.execution as i64);
}

#[test]
fn scenarios_are_compared_without_gas() {
    let calls = vec![Message::new(vec![]), Message::new(word(1))];
    let scenario = Scenario { environment: Environment::default(), deploy: Message::new(vec![]), calls };
    // Returns calldataload(0) + 1; once with a detour, once wrong for a calldata word of 1.
    let straight = creation(&code("60003560010160005260206000f3"));
    let detour = creation(&code("60015060003560010160005260206000f3"));
    let wrong = creation(&code("60003560011760005260206000f3"));
    let run = |code: &[u8]| run_scenario(&scenario, code).expect("the intrinsic cost is paid");
    let [straight, detour, wrong] = [straight, detour, wrong].map(|code| run(&code));
    assert_eq!(straight.observations.len(), 3);
    assert!(straight.outcomes[1].gas.execution < detour.outcomes[1].gas.execution);
    assert_eq!(find_difference(&straight.observations, &detour.observations), None);
    let difference = find_difference(&straight.observations, &wrong.observations).expect("they differ");
    assert_eq!((difference.transaction, difference.what), (2, "output"));
    let shorter = find_difference(&straight.observations, &straight.observations[..2]).expect("they differ");
    assert_eq!((shorter.transaction, shorter.what), (2, "length"));
}

#[test]
fn nominal_prices_let_every_execution_end() {
    let run = |prices, text: &str| {
        let mut machine = Machine::new(Environment { prices, gas_limit: 200_000, ..Environment::default() });
        machine.set_account(Address::repeat_byte(0xc0), U256::from(1) << 100, 1);
        machine.set_code(Address::repeat_byte(0xc0), code(text));
        let outcome = machine.call(Address::repeat_byte(0xc0), &Message::new(vec![])).expect("it is paid");
        (outcome.status, outcome.gas.execution)
    };
    // sstore(0, 1), then keccak256(0, 0x2fffff)
    let store_and_hash = "60015f55622fffff5f2000";
    assert_eq!(run(Prices::Fork, store_and_hash).0, Status::Halt);
    assert_eq!(run(Prices::Nominal, store_and_hash).0, Status::Success);
    // A loop without end, and a memory of 2^40 bytes.
    assert_eq!(run(Prices::Nominal, "5b5f56").0, Status::Halt);
    assert_eq!(run(Prices::Nominal, "600160281b5100").0, Status::Halt);
    // Wei is sent to an account without code, for ever.
    assert_eq!(run(Prices::Nominal, "5b5f5f5f5f600161dead5af1505f56").0, Status::Halt);
    // A program calls itself twice, and one creates itself twice, 1,024 deep.
    assert_eq!(run(Prices::Nominal, "5f5f5f5f5f305af1505f5f5f5f5f305af100").0, Status::Success);
    assert_eq!(run(Prices::Nominal, "385f5f39385f5ff050385f5ff000").0, Status::Success);
    // sstore(0, gas()), twice with different code before.
    assert_eq!(run(Prices::Nominal, "5a5f5500"), run(Prices::Nominal, "5f5f01505a5f5500"));
}

#[test]
fn accounts_and_blocks_are_as_set() {
    let block = BlockFacts { coinbase: account(3), base_fee: 9, ..BlockFacts::default() };
    let environment = Environment { block, gas_price: 11, ..Environment::default() };
    let mut machine = Machine::new(environment);
    let address = Address::repeat_byte(0xc0);
    // return(coinbase, basefee, gasprice, selfbalance)
    machine.set_code(address, code("415f52486020523a6040524760605260805ff3"));
    machine.set_account(address, U256::from(12), 5);
    let outcome = machine.call(address, &Message::new(vec![])).expect("it is paid");
    let words: Vec<U256> = outcome.output.chunks(32).map(U256::from_be_slice).collect();
    let coinbase = U256::from_be_slice(account(3).as_slice());
    assert_eq!(words, [coinbase, U256::from(9), U256::from(11), U256::from(12)]);
}

#[test]
fn a_static_frame_refuses_what_changes_the_state() {
    let environment = Environment { gas_limit: 500_000, ..Environment::default() };
    let run = |text: &str, record| {
        let mut machine = Machine::new(environment.clone());
        machine.set_code(Address::repeat_byte(0xc0), code(text));
        machine.set_record(record);
        let message = Message::new(vec![]).with_value(U256::from(3)).statically();
        let outcome = machine.call(Address::repeat_byte(0xc0), &message).expect("it is paid");
        (outcome.status, outcome.output.len(), outcome.gas.execution > 400_000)
    };
    let halted = (Status::Halt, 0, true);
    for record in [Record::Nothing, Record::Gas] {
        // sstore(1, 0), tstore(0, 0), log0(0, 0), create(0, 0, 0), selfdestruct(0), each before
        // revert(0, 32); then a call with 1 wei.
        let end = "60205ffd";
        for change in ["5f600155", "5f5f5d", "5f5fa0", "5f5f5ff0", "5fff", "5f5f5f5f6001305af1"] {
            assert_eq!(run(&format!("{change}{end}"), record), halted, "{change}");
        }
        // A call without wei is no change.
        assert_eq!(run(&format!("5f5f5f5f5f60995af1{end}"), record), (Status::Revert, 32, false));
        // return(0, 32) if there is no value.
        assert_eq!(run("3460085760205ff35bfe", record), (Status::Success, 32, false));
    }
}
