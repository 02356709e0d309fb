//! Random stack code does the same before and after the passes.

mod support;

use cairn_asm::{Item, ItemKind, Label, Level, PassOptions, Program, run_passes};
use cairn_evm::{Fork, Opcode, Word};
use proptest::prelude::*;
use support::{End, run};

const STEPS: usize = 400;

fn word() -> impl Strategy<Value = Word> {
    let small = (0u64..4).prop_map(Word::from);
    let edges = prop::sample::select(vec![
        Word::MAX,
        Word::from(31),
        Word::from(32),
        Word::from(255),
        Word::from(256),
        Word::from(1) << 255,
        (Word::from(1) << 160) - Word::from(1),
        Word::from(0x1234_5678) << 224,
    ]);
    let any = prop::array::uniform4(any::<u64>()).prop_map(Word::from_limbs);
    prop_oneof![6 => small, 3 => edges, 1 => any]
}

/// Items without control flow; pushes, copies, exchanges and drops are frequent.
fn item() -> impl Strategy<Value = ItemKind> {
    let pick = |opcodes: &[Opcode]| prop::sample::select(opcodes.to_vec()).prop_map(ItemKind::Op);
    let leaves =
        [Opcode::CALLER, Opcode::CALLVALUE, Opcode::RETURNDATASIZE, Opcode::GAS, Opcode::SELFBALANCE];
    let others = [Opcode::ADDMOD, Opcode::MSTORE, Opcode::SSTORE, Opcode::LOG1, Opcode::KECCAK256];
    let arithmetic = |inputs: u8| -> Vec<Opcode> {
        let all = Opcode::all().filter(|op| op.is_arithmetic() && op.exists_in(Fork::Osaka));
        all.filter(|op| op.known().inputs == inputs).collect()
    };
    let unary = [&arithmetic(1)[..], &[Opcode::MLOAD, Opcode::SLOAD]].concat();
    let binary = arithmetic(2);
    prop_oneof![
        4 => word().prop_map(ItemKind::Push),
        2 => pick(&leaves),
        4 => (1u8..=4).prop_map(|depth| ItemKind::Op(Opcode::dup(depth))),
        1 => (1u8..=16).prop_map(|depth| ItemKind::Op(Opcode::dup(depth))),
        5 => (1u8..=4).prop_map(|depth| ItemKind::Op(Opcode::swap(depth))),
        1 => (1u8..=16).prop_map(|depth| ItemKind::Op(Opcode::swap(depth))),
        5 => Just(ItemKind::Op(Opcode::POP)),
        3 => pick(&unary),
        6 => pick(&binary),
        1 => pick(&others),
    ]
}

fn options() -> impl Strategy<Value = PassOptions> {
    let fork = prop::sample::select(vec![Fork::Byzantium, Fork::Paris, Fork::Osaka]);
    let runs = prop::sample::select(vec![1, 200, 1_000_000]);
    let level = prop::sample::select(vec![Level::Basic, Level::Quick, Level::Full]);
    (fork, runs, level, any::<bool>()).prop_map(|(fork, runs, level, strict_stack)| PassOptions {
        fork,
        runs,
        level,
        strict_stack,
    })
}

fn initial_stack() -> Vec<Word> {
    (0..6000u64).map(|index| Word::from(index % 5) * (Word::from(index) << (index % 200))).collect()
}

fn program(items: Vec<ItemKind>) -> Program {
    Program { items: items.into_iter().map(Item::from).collect(), ..Program::default() }
}

/// How a generated block ends.
#[derive(Clone, Debug)]
enum Exit {
    Jump(u32),
    Branch(u32),
    NegatedBranch(u32),
    FallThrough,
    Halt(Opcode),
}

fn exit(blocks: u32) -> impl Strategy<Value = Exit> {
    prop_oneof![
        3 => (0..blocks).prop_map(Exit::Jump),
        3 => (0..blocks).prop_map(Exit::Branch),
        1 => (0..blocks).prop_map(Exit::NegatedBranch),
        1 => Just(Exit::FallThrough),
        2 => prop::sample::select(vec![Opcode::STOP, Opcode::REVERT, Opcode::RETURN]).prop_map(Exit::Halt),
    ]
}

/// Blocks whose bodies come from a small pool, so that many are equal.
fn flow_program() -> impl Strategy<Value = Program> {
    const BLOCKS: u32 = 8;
    let pool = prop::collection::vec(prop::collection::vec(item(), 0..8), 3);
    let blocks = prop::collection::vec((0usize..3, 0usize..3, exit(BLOCKS)), BLOCKS as usize);
    (pool, blocks).prop_map(|(pool, blocks)| {
        let mut items = Vec::new();
        for (index, (first, second, exit)) in (0..).zip(blocks) {
            items.push(ItemKind::Label(Label(index)));
            items.extend(&pool[first]);
            items.extend(&pool[second]);
            let target = |label| ItemKind::PushLabel(Label(label));
            match exit {
                Exit::Jump(label) => items.extend([target(label), ItemKind::Op(Opcode::JUMP)]),
                Exit::Branch(label) => items.extend([target(label), ItemKind::Op(Opcode::JUMPI)]),
                Exit::NegatedBranch(label) => {
                    items.extend([ItemKind::Op(Opcode::ISZERO), target(label), ItemKind::Op(Opcode::JUMPI)]);
                }
                Exit::FallThrough => {}
                Exit::Halt(opcode) => items.push(ItemKind::Op(opcode)),
            }
        }
        items.push(ItemKind::Op(Opcode::STOP));
        Program { num_labels: BLOCKS, ..program(items) }
    })
}

/// Code made of a few runs that come several times; the words it leaves are stored.
fn repeated_runs() -> impl Strategy<Value = Program> {
    let runs = prop::collection::vec(prop::collection::vec(item(), 3..12), 3);
    (runs, prop::collection::vec(0usize..3, 4..10)).prop_map(|(runs, order)| {
        let mut items: Vec<ItemKind> = order.into_iter().flat_map(|index| runs[index].clone()).collect();
        items.extend([ItemKind::Op(Opcode::SSTORE); 10]);
        items.push(ItemKind::Op(Opcode::STOP));
        program(items)
    })
}

/// The label of a block that returns its argument.
const OTHER_WAY: Label = Label(3);

/// What a generated function does with its argument, or two.
fn function_body() -> impl Strategy<Value = (usize, Vec<ItemKind>)> {
    let ops = |text: &[Opcode]| text.iter().copied().map(ItemKind::Op).collect::<Vec<_>>();
    let bodies = vec![
        (2, ops(&[Opcode::ADD])),
        (1, ops(&[Opcode::SLOAD])),
        (1, ops(&[Opcode::DUP1, Opcode::MUL, Opcode::CALLER, Opcode::SWAP1, Opcode::SUB])),
        (2, ops(&[Opcode::DUP2, Opcode::DUP2, Opcode::SSTORE, Opcode::SUB])),
        (2, ops(&[Opcode::DUP1, Opcode::SWAP2, Opcode::MOD, Opcode::XOR])),
        (0, ops(&[Opcode::CALLVALUE])),
        // Both ways end with the same stack; the label is that of the program's last block.
        (
            1,
            [
                ops(&[Opcode::DUP1]),
                vec![ItemKind::PushLabel(OTHER_WAY), ItemKind::Op(Opcode::JUMPI)],
                ops(&[Opcode::NOT]),
            ]
            .concat(),
        ),
    ];
    prop::sample::select(bodies)
}

/// Calls of functions that return through the label below their arguments.
fn program_with_calls() -> impl Strategy<Value = Program> {
    const FUNCTIONS: usize = 3;
    let argument =
        prop_oneof![word().prop_map(ItemKind::Push), (2u8..9).prop_map(|n| ItemKind::Op(Opcode::dup(n)))];
    let call = (0..FUNCTIONS, prop::collection::vec(argument, 2), prop::collection::vec(item(), 0..4));
    let calls = prop::collection::vec(call, 1..8);
    (prop::collection::vec(function_body(), FUNCTIONS), calls).prop_map(|(functions, calls)| {
        let mut items = Vec::new();
        let entry = |function: usize| Label(function as u32);
        for (label, (function, arguments, between)) in (FUNCTIONS as u32 + 1..).map(Label).zip(&calls) {
            items.extend(between);
            items.push(ItemKind::PushLabel(label));
            items.extend(&arguments[..functions[*function].0]);
            items.extend([ItemKind::PushLabel(entry(*function)), ItemKind::Op(Opcode::JUMP)]);
            items.extend([ItemKind::Label(label), ItemKind::Push(Word::ZERO), ItemKind::Op(Opcode::SSTORE)]);
        }
        items.push(ItemKind::Op(Opcode::STOP));
        for (function, (_, body)) in functions.iter().enumerate() {
            items.push(ItemKind::Label(entry(function)));
            items.extend(body);
            items.extend([ItemKind::Op(Opcode::SWAP1), ItemKind::Op(Opcode::JUMP)]);
        }
        items.extend([ItemKind::Label(OTHER_WAY), ItemKind::Op(Opcode::SWAP1), ItemKind::Op(Opcode::JUMP)]);
        Program { num_labels: (FUNCTIONS + 1 + calls.len()) as u32, ..program(items) }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn straight_line_code(items in prop::collection::vec(item(), 0..60), options in options()) {
        let before = program(items);
        let mut after = before.clone();
        run_passes(&mut after, &options);
        prop_assert_eq!(run(&before, initial_stack(), STEPS), run(&after, initial_stack(), 4 * STEPS), "{:?}", after.items);
    }

    #[test]
    fn code_with_control_flow(before in flow_program(), options in options()) {
        let mut after = before.clone();
        run_passes(&mut after, &options);
        let (old, new) = (run(&before, initial_stack(), STEPS), run(&after, initial_stack(), 4 * STEPS));
        if old.end == End::OutOfSteps {
            let seen = old.events.len().min(new.events.len());
            prop_assert_eq!(&old.events[..seen], &new.events[..seen], "{:?}", after.items);
        } else {
            prop_assert_eq!(&old, &new, "{:?}", after.items);
        }
    }

    #[test]
    fn repeats(before in repeated_runs(), fork in prop::sample::select(vec![Fork::Byzantium, Fork::Osaka])) {
        let mut after = before.clone();
        run_passes(&mut after, &PassOptions { fork, runs: 1, ..PassOptions::default() });
        let (old, new) = (run(&before, initial_stack(), STEPS), run(&after, initial_stack(), 4 * STEPS));
        prop_assert_eq!(&old, &new, "{:?}", after.items);
    }

    #[test]
    fn calls(before in program_with_calls(), options in options()) {
        let mut after = before.clone();
        run_passes(&mut after, &options);
        let (old, new) = (run(&before, initial_stack(), 10 * STEPS), run(&after, initial_stack(), 10 * STEPS));
        prop_assert_eq!(&old, &new, "{:?}", after.items);
    }

    #[test]
    fn passes_end_and_are_idempotent_without_the_final_one(before in flow_program()) {
        let options = PassOptions { level: Level::Basic, ..PassOptions::default() };
        let mut once = before;
        run_passes(&mut once, &options);
        let mut twice = once.clone();
        let report = run_passes(&mut twice, &options);
        prop_assert!(report.changes.values().all(|changes| *changes == 0), "{:?}", report);
        prop_assert_eq!(once, twice);
    }
}
