//! Random programs, scheduled both ways: the checker accepts both and revm sees no difference.
//!
//! The stack's reach is narrowed in some runs so that values are spilled everywhere, also across
//! calls that come back.

mod common;

use cairn_asm::{AssembleOptions, assemble};
use cairn_evm::{Opcode, Word};
use cairn_ir::{Func, FuncBuilder, Function, Module, Signature, Type, Value};
use cairn_stackify::check::check_module;
use cairn_stackify::code::{ModuleCode, Reach};
use cairn_stackify::frame::place_frames;
use cairn_stackify::global::Limits;
use cairn_stackify::{ModuleCx, Options, emit, global, spec};

/// A generator of numbers: the multiplier and increment of Knuth's MMIX.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// Shape of the functions of a program.
struct Shape {
    signatures: Vec<Signature>,
    num_variables: u64,
}

struct Writer<'a> {
    dice: &'a mut Dice,
    shape: &'a Shape,
    /// Slots.
    variables: Vec<Value>,
    /// Slots of the loops to come.
    counters: Vec<Value>,
    fuel: Value,
    heap: Value,
    budget: u32,
}

const OPCODES: [Opcode; 8] =
    [Opcode::ADD, Opcode::SUB, Opcode::MUL, Opcode::XOR, Opcode::LT, Opcode::SHL, Opcode::EQ, Opcode::DIV];
/// Statements of a function.
const BUDGET: u32 = 40;
/// Words of memory that programs write to and return.
const HEAP_WORDS: u64 = 8;

impl Writer<'_> {
    fn get(&mut self, b: &mut FuncBuilder<'_>) -> Value {
        match self.dice.below(8) {
            0 => b.constant(Word::from(self.dice.below(5))),
            1 => {
                let offset = b.constant(Word::from(32 * self.dice.below(2)));
                b.evm_value(Opcode::CALLDATALOAD, &[offset])
            }
            2 => b.evm_value(Opcode::CALLDATASIZE, &[]),
            _ => {
                let at = self.dice.below(self.variables.len() as u64) as usize;
                b.evm_value(Opcode::MLOAD, &[self.variables[at]])
            }
        }
    }

    fn expression(&mut self, b: &mut FuncBuilder<'_>) -> Value {
        let mut value = self.get(b);
        for _ in 0..self.dice.below(4) {
            let opcode = OPCODES[self.dice.below(OPCODES.len() as u64) as usize];
            let other = self.get(b);
            let args = if self.dice.below(2) == 0 { [value, other] } else { [other, value] };
            value = b.evm_value(opcode, &args);
        }
        value
    }

    fn assign(&mut self, b: &mut FuncBuilder<'_>, value: Value) {
        let at = self.dice.below(self.variables.len() as u64) as usize;
        b.evm(Opcode::MSTORE, &[self.variables[at], value]);
    }

    fn address(&mut self, b: &mut FuncBuilder<'_>) -> Value {
        let offset = b.constant(Word::from(32 * self.dice.below(HEAP_WORDS)));
        b.evm_value(Opcode::ADD, &[self.heap, offset])
    }

    fn statements(&mut self, b: &mut FuncBuilder<'_>, depth: u32) {
        for _ in 0..1 + self.dice.below(5) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            match self.dice.below(10) {
                0 | 1 if depth > 0 => self.branch(b, depth),
                2 if depth > 0 => self.repeat(b, depth),
                3 | 4 => {
                    let value = self.expression(b);
                    let address = self.address(b);
                    b.evm(Opcode::MSTORE, &[address, value]);
                }
                5 => {
                    let address = self.address(b);
                    let value = b.evm_value(Opcode::MLOAD, &[address]);
                    self.assign(b, value);
                }
                6 => self.call(b),
                _ => {
                    let value = self.expression(b);
                    self.assign(b, value);
                }
            }
        }
    }

    fn branch(&mut self, b: &mut FuncBuilder<'_>, depth: u32) {
        let [then, otherwise, join] = [(); 3].map(|()| b.append_block());
        let condition = self.expression(b);
        b.cond_br(condition, then, otherwise);
        for block in [then, otherwise] {
            b.switch_to(block);
            if self.dice.below(3) > 0 {
                self.statements(b, depth - 1);
            }
            if self.dice.below(12) == 0 {
                let zero = b.constant(Word::ZERO);
                b.evm(Opcode::REVERT, &[zero, zero]);
            } else {
                b.br(join, &[]);
            }
        }
        b.switch_to(join);
    }

    /// A loop of at most three rounds.
    fn repeat(&mut self, b: &mut FuncBuilder<'_>, depth: u32) {
        let [header, body, exit] = [(); 3].map(|()| b.append_block());
        let counter = self.counters.pop().expect("a counter for each loop");
        let rounds = b.constant(Word::from(1 + self.dice.below(3)));
        b.evm(Opcode::MSTORE, &[counter, rounds]);
        b.br(header, &[]);
        b.switch_to(header);
        let left = b.evm_value(Opcode::MLOAD, &[counter]);
        b.cond_br(left, body, exit);
        b.switch_to(body);
        self.statements(b, depth - 1);
        let left = b.evm_value(Opcode::MLOAD, &[counter]);
        let one = b.constant(Word::from(1));
        let less = b.evm_value(Opcode::SUB, &[left, one]);
        b.evm(Opcode::MSTORE, &[counter, less]);
        b.br(header, &[]);
        b.switch_to(exit);
    }

    /// Calls some function, perhaps this one, while there is fuel.
    fn call(&mut self, b: &mut FuncBuilder<'_>) {
        let [then, join] = [(); 2].map(|()| b.append_block());
        let otherwise = b.append_block();
        b.cond_br(self.fuel, then, otherwise);
        b.switch_to(otherwise);
        b.br(join, &[]);
        b.switch_to(then);
        let callee = self.dice.below(self.shape.signatures.len() as u64) as usize;
        let two = b.constant(Word::from(1));
        let less = b.evm_value(Opcode::SHR, &[two, self.fuel]);
        let mut args = vec![less];
        while args.len() < self.shape.signatures[callee].params.len() {
            args.push(self.expression(b));
        }
        let results = b.icall(Func::from_u32(callee as u32 + 1), &self.shape.signatures[callee], &args);
        for result in results {
            self.assign(b, result);
        }
        b.br(join, &[]);
        b.switch_to(join);
    }
}

fn write_function(
    dice: &mut Dice,
    shape: &Shape,
    name: String,
    signature: &Signature,
    is_entry: bool,
) -> Function {
    let mut func = Function::new(name, signature.clone());
    let entry = func.make_block();
    func.layout.append_block(entry);
    let params: Vec<Value> = signature.params.iter().map(|ty| func.dfg.append_param(entry, *ty)).collect();
    let mut b = FuncBuilder::at(&mut func, entry);
    let heap = b.heap_base(128);
    let heap = b.ptr_to_int(heap);
    let fuel = match params.first() {
        Some(fuel) => *fuel,
        None => b.constant(Word::from(7)),
    };
    let variables: Vec<Value> = (0..shape.num_variables).map(|_| b.alloca(32)).collect();
    let counters = (0..BUDGET).map(|_| b.alloca(32)).collect();
    for (at, variable) in variables.iter().enumerate() {
        let value = params.get(1 + at).copied();
        let value = value.unwrap_or_else(|| b.constant(Word::from(at)));
        b.evm(Opcode::MSTORE, &[*variable, value]);
    }
    let mut writer = Writer { dice, shape, variables, counters, fuel, heap, budget: BUDGET };
    writer.statements(&mut b, 3);
    if is_entry {
        let size = b.constant(Word::from(32 * HEAP_WORDS));
        b.evm(Opcode::RETURN, &[heap, size]);
    } else {
        let results: Vec<Value> = signature.results.iter().map(|_| writer.get(&mut b)).collect();
        b.iret(&results);
    }
    func
}

fn random_module(seed: u64) -> Module {
    let mut dice = Dice(seed);
    let count = 1 + dice.below(4);
    let many = [3, 6, 14, 24][dice.below(4) as usize];
    let signature = |dice: &mut Dice| Signature {
        params: vec![Type::U256; 1 + dice.below(many) as usize],
        results: vec![Type::U256; dice.below(4) as usize],
    };
    let signatures: Vec<Signature> = (0..count).map(|_| signature(&mut dice)).collect();
    let shape = Shape { signatures, num_variables: 2 + dice.below(many + 4) };
    let mut module = Module::new("M");
    let none = Signature { params: Vec::new(), results: Vec::new() };
    let entry = write_function(&mut dice, &shape, "__entry".into(), &none, true);
    module.entry = Some(module.funcs.push(entry));
    for at in 0..shape.signatures.len() {
        let signature = shape.signatures[at].clone();
        let func = write_function(&mut dice, &shape, format!("f{at}"), &signature, false);
        module.funcs.push(func);
    }
    module
}

/// What the program returns for some inputs, after the checker has seen the code.
fn behaviour(cx: &ModuleCx<'_>, code: &ModuleCode, name: &str) -> Vec<String> {
    let frames = place_frames(cx, code);
    if let Err(violations) = check_module(cx, code, &frames) {
        panic!("{name}: {}", violations[0]);
    }
    let program = emit::emit_module(cx, code, &frames);
    let bytes = assemble(&program, AssembleOptions::default())
        .unwrap_or_else(|faults| panic!("{name}: {faults:?}"))
        .bytes;
    let inputs: [&[u64]; 3] = [&[], &[1, 5], &[9, 0]];
    inputs
        .iter()
        .map(|input| {
            let seen = common::run(&bytes, input);
            format!("{:?} {:?}", seen.status, seen.output)
        })
        .collect()
}

/// Compares the literal rules with the default scheduler under limits.
fn compare(seeds: std::ops::Range<u64>, mut limits: impl FnMut(&ModuleCx<'_>, u64) -> Limits) -> usize {
    let mut given_up = 0;
    for seed in seeds {
        let options = Options { strict_stack: seed % 3 == 2, ..Options::default() };
        let module = random_module(seed);
        let cx = ModuleCx::new(&module, &options);
        let literal = spec::schedule(&cx).unwrap_or_else(|faults| panic!("seed {seed}: {faults:?}"));
        let expected = behaviour(&cx, &literal, &format!("seed {seed} spec"));
        let limits = limits(&cx, seed);
        let name = format!("seed {seed} reach {}", limits.reach.dup);
        let scheduled =
            global::schedule_module_within(&cx, limits).unwrap_or_else(|faults| panic!("{name}: {faults:?}"));
        assert_eq!(behaviour(&cx, &scheduled.code, &name), expected, "{name}");
        given_up += scheduled.given_up.len();
    }
    given_up
}

fn compare_reach(seeds: std::ops::Range<u64>, reach: Reach) {
    let given_up = compare(seeds, |_, _| Limits { reach, given_up: Vec::new() });
    assert_eq!(given_up, 0, "the default scheduler spills what is out of reach");
}

#[test]
fn full_reach() {
    compare_reach(0..150, Reach::LEGACY);
}

#[test]
fn narrow_reach() {
    compare_reach(0..150, Reach { dup: 9, swap: 9 });
}

#[test]
fn very_narrow_reach() {
    compare_reach(0..100, Reach { dup: 6, swap: 6 });
}

/// Some functions are scheduled by the literal rules, and those that call them by the default ones.
#[test]
fn some_given_up() {
    let given_up = compare(0..100, |cx, seed| {
        let mut dice = Dice(seed);
        let given_up = cx.funcs.iter().copied().filter(|_| dice.below(2) == 0).collect();
        Limits { reach: Reach::LEGACY, given_up }
    });
    assert!(given_up > 50, "{given_up}");
}

/// No word can be copied or moved: functions that must are given up, and so are callers that must
/// once they pass arguments in another order.
#[test]
fn no_reach() {
    let given_up = compare(0..100, |_, _| Limits { reach: Reach { dup: 0, swap: 0 }, given_up: Vec::new() });
    assert!(given_up > 10, "{given_up}");
}
