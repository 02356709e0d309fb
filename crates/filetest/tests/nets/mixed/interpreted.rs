//! Programs without calls against the interpreter of Yul, which shares nothing with the compiler but the parser; on a
//! chain of the fork that they are compiled for.

use super::{CALLS, Scope, call, plain};
use crate::harness::{Merge, check_seeds, in_turn, variants};
use crate::random::Random;
use crate::world::CONTRACT;
use cairn_diag::FileId;
use cairn_evm::Fork;
use cairn_exec::{Environment, Machine, Message, Status, U256, account};
use cairn_filetest::build::{Built, compile, is_lack_of_room};
use cairn_yul::interp::{End, Limits, Outcome, World, run as interpret};
use cairn_yul::{Dialect, Object};

/// Failing programs that are shown.
const MAX_SHOWN: usize = 2;
const GAS_LIMIT: u64 = 12_000_000;

#[derive(Debug, Default)]
struct Counts {
    programs: u64,
    /// Calls compared with the interpreter.
    compared: u64,
    /// Those of which the interpreter or the chain does not say what they do.
    endless: u64,
    succeeded: u64,
}

impl Merge for Counts {
    fn merge(&mut self, other: &Self) {
        self.programs += other.programs;
        self.compared += other.compared;
        self.endless += other.endless;
        self.succeeded += other.succeeded;
    }
}

/// Checks as many programs as asked for.
pub(crate) fn run(default: u64) {
    let (counts, count) = check_seeds("mixed_interpreted", default, MAX_SHOWN, check);
    if count > 1 {
        assert!(counts.compared > 10 * counts.programs, "hardly anything was compared: {counts:?}");
        assert!(counts.succeeded * 2 > counts.compared, "hardly anything succeeded: {counts:?}");
    }
}

/// What is wrong with how a program is compiled.
fn check(seed: u64, counts: &mut Counts) -> Option<String> {
    counts.programs += 1;
    let mut random = Random::new(seed);
    let text = plain(&mut random, Scope::Interpreted);
    let calls: Vec<Message> = (0..CALLS).map(|_| call(&mut random)).collect();
    let parsed = cairn_yul::parse(&text, FileId(0), &Dialect::default());
    let object = parsed.object.filter(|_| !parsed.diagnostics.has_errors());
    let Some(object) = object else { return Some(format!("{:?}\n{text}", parsed.diagnostics)) };
    let expected: Vec<Outcome> = calls.iter().map(|call| interpreted(&object, call)).collect();
    for (name, options) in in_turn(variants(seed), seed, &text) {
        let code = match Built::of(compile(&text, &options), |errors| {
            is_lack_of_room(errors) && !text.contains("memoryguard")
        }) {
            Built::Code(code) => code,
            Built::NoRoom => continue,
            Built::Fault(kind, fault) => return Some(format!("{name}: {kind}: {fault}\n{text}")),
        };
        for (call, expected) in calls.iter().zip(&expected) {
            if let Some(difference) = difference(&code, options.fork, call, expected, counts) {
                return Some(format!("{name} for {}: {difference}\n{text}", options.fork));
            }
        }
    }
    None
}

/// What a call does differently from the interpreter.
fn difference(
    code: &[u8],
    fork: Fork,
    call: &Message,
    expected: &Outcome,
    counts: &mut Counts,
) -> Option<String> {
    let (status, output) = match expected.end {
        End::Finished => (Status::Success, Vec::new()),
        End::Terminated => (Status::Success, expected.returndata.clone()),
        End::Reverted => (Status::Revert, expected.returndata.clone()),
        End::Failed => (Status::Halt, Vec::new()),
        End::Unsupported | End::StepLimit | End::TraceLimit | End::ExpressionLimit | End::DepthLimit => {
            counts.endless += 1;
            return None;
        }
    };
    let mut machine = Machine::new(Environment { fork, gas_limit: GAS_LIMIT, ..Environment::default() });
    machine.set_code(CONTRACT, code.to_vec());
    let outcome = machine.call(CONTRACT, call).expect("the intrinsic cost is paid");
    if outcome.is_out_of_gas() {
        counts.endless += 1;
        return None;
    }
    counts.compared += 1;
    counts.succeeded += u64::from(status == Status::Success);
    if outcome.status != status {
        return Some(format!("{} instead of {status}", outcome.status));
    }
    if *outcome.output != *output {
        return Some(format!("{} instead of {}", outcome.output, cairn_evm::hex::encode(output)));
    }
    // Before Cancun nothing is left of a contract that destroyed itself.
    let is_gone = expected.trace.iter().any(|line| line.starts_with("SELFDESTRUCT"));
    if status != Status::Success || is_gone {
        return None;
    }
    let storage = machine.observe(&outcome).storage.remove(&CONTRACT).unwrap_or_default();
    (storage != expected.storage).then(|| format!("storage {storage:x?} instead of {:x?}", expected.storage))
}

fn interpreted(object: &Object, call: &Message) -> Outcome {
    let word = |address: cairn_exec::Address| U256::from_be_bytes(address.into_word().0);
    let world = World {
        address: word(CONTRACT),
        caller: word(account(0)),
        origin: word(account(0)),
        callvalue: call.value,
        selfbalance: call.value,
        number: U256::from(1),
        calldata: call.data.to_vec(),
        ..World::default()
    };
    interpret(object, &Dialect::default(), &world, &Limits::default())
}
