//! Compiled programs against the Yul interpreter.

use crate::{Built, Counts, Fault, GAS_LIMIT, Variant, build};
use cairn_diag::FileId;
use cairn_exec::{Address, Environment, Machine, Message, Status, U256, account};
use cairn_yul::interp::{End, Limits, Outcome, World};
use cairn_yul::{Dialect, Object};

/// Wei sent with the call.
const VALUE: u64 = 7;

/// What a compiled program does differently from the interpreter.
pub(crate) fn check(text: &str, variants: &[Variant], counts: &mut Counts) -> Option<Fault> {
    let parsed = cairn_yul::parse(text, FileId(0), &Dialect::default());
    let object = parsed.object.filter(|_| !parsed.diagnostics.has_errors())?;
    let runtime = object.objects.first()?;
    let mut expected: Option<[Outcome; 2]> = None;
    for (name, options) in variants {
        let code = match build(text, options) {
            Built::Code(code) => code,
            Built::NoRoom => {
                counts.without_room += 1;
                continue;
            }
            Built::Fault(kind, text) => return Some(Fault { kind: format!("{name}: {kind}"), text }),
        };
        let mut machine = Machine::new(Environment { gas_limit: GAS_LIMIT, ..Environment::default() });
        let deployed = machine.deploy(&Message::new(code)).expect("the intrinsic cost is paid");
        let Some(address) = deployed.created else {
            return Some(Fault { kind: format!("{name}: the deployment fails"), text: deployed.halt_reason });
        };
        let datas = [vec![], (0..=130).collect::<Vec<u8>>()];
        let expected =
            expected.get_or_insert_with(|| datas.each_ref().map(|data| interpret(runtime, address, data)));
        for (data, expected) in datas.iter().zip(expected) {
            match difference(&mut machine.clone(), address, data, expected) {
                Ok(None) => counts.compared += 1,
                Ok(Some(text)) => {
                    return Some(Fault { kind: format!("{name} differs from the interpreter"), text });
                }
                Err(OutOfGas) => counts.out_of_gas += 1,
            }
        }
    }
    None
}

struct OutOfGas;

fn difference(
    machine: &mut Machine,
    address: Address,
    calldata: &[u8],
    expected: &Outcome,
) -> Result<Option<String>, OutOfGas> {
    let message = Message::new(calldata.to_vec()).with_value(U256::from(VALUE));
    let outcome = machine.call(address, &message).expect("the intrinsic cost is paid");
    if outcome.is_out_of_gas() {
        return Err(OutOfGas);
    }
    let (status, output) = match expected.end {
        End::Finished => (Status::Success, vec![]),
        End::Terminated => (Status::Success, expected.returndata.clone()),
        End::Reverted => (Status::Revert, expected.returndata.clone()),
        End::Failed => (Status::Halt, vec![]),
        End::Unsupported | End::StepLimit | End::TraceLimit | End::ExpressionLimit | End::DepthLimit => {
            return Err(OutOfGas);
        }
    };
    if status != outcome.status {
        return Ok(Some(format!("status {} instead of {status}", outcome.status)));
    }
    if output != outcome.output {
        return Ok(Some(format!("output {} instead of {}", outcome.output, cairn_evm::hex::encode(output))));
    }
    let storage = machine.observe(&outcome).storage.remove(&address).unwrap_or_default();
    let is_kept = status == Status::Success;
    let expected = if is_kept { expected.storage.clone() } else { Default::default() };
    Ok((storage != expected).then(|| format!("storage {storage:x?} instead of {expected:x?}")))
}

fn interpret(runtime: &Object, address: Address, calldata: &[u8]) -> Outcome {
    let word = |address: Address| U256::from_be_bytes(address.into_word().0);
    let world = World {
        address: word(address),
        caller: word(account(0)),
        origin: word(account(0)),
        callvalue: U256::from(VALUE),
        selfbalance: U256::from(VALUE),
        number: U256::from(2),
        timestamp: U256::from(30),
        calldata: calldata.to_vec(),
        ..World::default()
    };
    cairn_yul::interp::run(runtime, &Dialect::default(), &world, &Limits::default())
}
