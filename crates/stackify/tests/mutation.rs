//! Random single changes of real stack code: the checker rejects the code, or the code still does
//! the same on revm.
//!
//! What the checker rightly accepts: exchanged neighbours that don't depend on each other (two
//! equal pushes, pushes for a commutative operation), a repeated pure operation whose result is
//! dropped at a halt, extra words under a halting terminator, exchanged equal words, another
//! spelling of a condition (`LT` with exchanged operands for `GT`), an entry word declared junk
//! that nobody reads.

mod common;

use cairn_asm::{AssembleOptions, assemble};
use cairn_evm::{Opcode, Word};
use cairn_exec::Observation;
use cairn_ir::{Block, Func, Inst};
use cairn_stackify::check::check_module;
use cairn_stackify::code::{Exit, FrameObject, FuncCode, ModuleCode, StackWord, Step, StepKind};
use cairn_stackify::emit::emit_module;
use cairn_stackify::frame::place_frames;
use cairn_stackify::{Mode, ModuleCx, Options, global, spec};
use cranelift_entity::EntityRef;

const PROGRAM: &str = "module @M {
  func @__entry() {
  ^entry:
    %p = evm.heap_base 128 : ptr<0>
    %z = evm.constant 0 : u256
    %w = evm.constant 32 : u256
    %two = evm.constant 64 : u256
    %i = evm.alloca : ptr<0>
    %acc = evm.alloca : ptr<0>
    %a = evm.calldataload %z : u256
    %b = evm.calldataload %w : u256
    evm.mstore %i, %a
    evm.mstore %acc, %b
    evm.br ^head
  ^head:
    %n = evm.mload %i : u256
    %c = evm.lt %z, %n
    evm.condbr %c, ^body, ^done
  ^body:
    %one = evm.constant 1 : u256
    %o = evm.mload %acc : u256
    %x, %y = evm.icall @pair(%o, %n) : u256, u256
    evm.sstore %n, %x
    %old = evm.sload %y : u256
    %f = evm.icall @fact(%n) : u256
    %s = evm.add %old, %f
    %t = evm.xor %s, %o
    evm.mstore %acc, %t
    %m = evm.sub %n, %one
    evm.mstore %i, %m
    evm.br ^head
  ^done:
    %r = evm.mload %acc : u256
    %even = evm.and %r, %two
    evm.condbr %even, ^log, ^out
  ^log:
    evm.log1 %z, %z, %r
    evm.br ^out
  ^out:
    %q = evm.ptr_add %p, %w
    evm.mstore %p, %r
    evm.mstore %q, %a
    evm.return %p, %two
  }
  func @pair(%x : u256, %y : u256) -> (u256, u256) {
  ^e:
    %t = evm.sub %x, %y
    %u = evm.mul %t, %t
    %v = evm.sub %u, %y
    evm.iret %v, %t
  }
  func @fact(%n : u256) -> u256 {
  ^e:
    %s = evm.alloca : ptr<0>
    evm.mstore %s, %n
    evm.condbr %n, ^step, ^base
  ^base:
    %k = evm.constant 1 : u256
    evm.iret %k
  ^step:
    %one = evm.constant 1 : u256
    %m = evm.sub %n, %one
    %r = evm.icall @fact(%m) : u256
    %q = evm.mload %s : u256
    %i = evm.mul %r, %q
    %j = evm.sub %i, %n
    evm.iret %j
  }
}";

/// A generator of numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        (cairn_testkit::next_random(&mut self.0) % bound.max(1) as u64) as usize
    }

    fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

const OPCODES: [Opcode; 8] = [
    Opcode::ADD,
    Opcode::SUB,
    Opcode::MUL,
    Opcode::LT,
    Opcode::GT,
    Opcode::ISZERO,
    Opcode::MLOAD,
    Opcode::MSTORE,
];

/// Another kind of step in place of `kind`.
fn change_kind(random: &mut Random, code: &FuncCode, num_insts: usize, kind: StepKind) -> StepKind {
    let near = |n: u16, random: &mut Random| [n.wrapping_sub(1), n + 1, n + 2][random.below(3)];
    let object = FrameObject::new(random.below(code.frame.len() + 1));
    match kind {
        StepKind::Dup(n) => [StepKind::Dup(near(n, random)), StepKind::Swap(n)][random.below(2)],
        StepKind::Swap(n) => [StepKind::Swap(near(n, random)), StepKind::Dup(n)][random.below(2)],
        StepKind::Push(word) => StepKind::Push([word ^ Word::from(1), Word::ZERO, word][random.below(3)]),
        StepKind::PushFrame(_, offset) => StepKind::PushFrame(object, offset + 32 * random.below(2) as u64),
        StepKind::Op(_) => StepKind::Op(*random.pick(&OPCODES)),
        StepKind::Pop => StepKind::Dup(1),
        StepKind::Call(_) => StepKind::Call(Func::new(random.below(3))),
        StepKind::PushReturnLabel(_) => StepKind::PushReturnLabel(Inst::new(random.below(num_insts))),
        StepKind::PushHeapBase | StepKind::Symbolic => StepKind::Push(Word::ZERO),
    }
}

fn any_step(random: &mut Random) -> Step {
    let kinds = [
        StepKind::Pop,
        StepKind::Dup(1 + random.below(4) as u16),
        StepKind::Swap(1 + random.below(4) as u16),
    ];
    Step {
        kind: [kinds[0], kinds[1], kinds[2], StepKind::Push(Word::from(7))][random.below(4)],
        origin: None,
    }
}

/// Changes one thing in the code of a function.
fn mutate(random: &mut Random, code: &mut FuncCode, num_insts: usize) {
    let index = random.below(code.blocks.len());
    let before = code.clone();
    let block = &mut code.blocks[index];
    let at = random.below(block.steps.len());
    match random.below(10) {
        0 if !block.steps.is_empty() => drop(block.steps.remove(at)),
        1 if !block.steps.is_empty() => block.steps.insert(at, block.steps[at]),
        2 if at + 1 < block.steps.len() => block.steps.swap(at, at + 1),
        3 => block.steps.insert(at, any_step(random)),
        4 | 5 if !block.steps.is_empty() => {
            block.steps[at].kind = change_kind(random, &before, num_insts, block.steps[at].kind)
        }
        6 if !block.steps.is_empty() => {
            block.steps[at].origin = [None, Some(Inst::new(random.below(num_insts)))][random.below(2)];
        }
        7 => {
            let target = |random: &mut Random| before.blocks[random.below(before.blocks.len())].block;
            block.exit = match block.exit {
                Exit::Jump(_) => Exit::Jump(target(random)),
                Exit::Branch { then, otherwise } => Exit::Branch { then: otherwise, otherwise: then },
                Exit::Table(_) => Exit::Jump(target(random)),
                Exit::Halt => Exit::Return,
                Exit::Return => Exit::Halt,
                Exit::TailCall(_) => Exit::Return,
            };
        }
        8 if !block.entry.is_empty() => {
            let word = random.below(block.entry.len());
            block.entry[word] = [
                StackWord::Junk,
                StackWord::ReturnAddress,
                before.blocks[0].entry.first().copied().unwrap_or(StackWord::Junk),
            ][random.below(3)];
        }
        9 if at + 3 < block.steps.len() => block.steps.swap(at, at + 3),
        _ => block.block = Block::new(random.below(before.blocks.len())),
    }
}

/// What the code does for a few inputs.
fn behaviour(cx: &ModuleCx<'_>, code: &ModuleCode) -> Vec<Observation> {
    let frames = place_frames(cx, code);
    let program = emit_module(cx, code, &frames);
    let bytes = assemble(&program, AssembleOptions { fork: cx.options.fork, ..AssembleOptions::default() })
        .expect("assembles")
        .bytes;
    [[0, 5], [1, 7], [3, 64], [4, 12]].map(|words| common::run(&bytes, &words)).to_vec()
}

fn mutate_and_check(mode: Mode, seed: u64) {
    let rounds = std::env::var("CAIRN_MUTANTS").ok().and_then(|text| text.parse().ok()).unwrap_or(2000);
    let module = common::parse(PROGRAM);
    let options = Options { mode, ..Options::default() };
    let cx = ModuleCx::new(&module, &options);
    let code = match mode {
        Mode::Spec => spec::schedule(&cx),
        Mode::Global => global::schedule_module(&cx),
    };
    let code = code.expect("the program has room for frames");
    let expected = behaviour(&cx, &code);
    let mut random = Random(seed);
    let (mut rejected, mut same) = (0, 0);
    for round in 0..rounds {
        let mut mutant = code.clone();
        let func = mutant[cx.funcs[random.below(cx.funcs.len())]].as_mut().expect("scheduled");
        let num_insts = func.func.dfg.num_insts();
        mutate(&mut random, &mut func.code, num_insts);
        if check_module(&cx, &mutant, &place_frames(&cx, &mutant)).is_err() {
            rejected += 1;
            continue;
        }
        assert_eq!(behaviour(&cx, &mutant), expected, "mutant {round} of seed {seed} was accepted");
        same += 1;
    }
    assert!(rejected > 3 * same, "{rejected} rejected, {same} accepted");
}

#[test]
fn mutants_of_literal_code() {
    mutate_and_check(Mode::Spec, 1);
}

#[test]
fn mutants_of_global_code() {
    mutate_and_check(Mode::Global, 2);
}
