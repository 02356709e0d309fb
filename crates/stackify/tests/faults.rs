//! Deliberate faults put into correct stack code: the checker names the rule that each violates.

mod common;

use cairn_evm::{Opcode, Word};
use cairn_ir::{Block, Func, Inst, Module};
use cairn_stackify::check::{Rule, check_module};
use cairn_stackify::code::{
    BlockCode, Exit, FrameObject, FrameUse, FuncCode, ModuleCode, StackWord, Step, StepKind,
};
use cairn_stackify::frame::{FramePlan, place_frames};
use cairn_stackify::{Mode, ModuleCx, Options, spec};
use cranelift_entity::EntityRef;

const PROGRAM: &str = "module @M {
  func @__entry() {
  ^entry:
    %p = evm.heap_base 128 : ptr<0>
    %z = evm.constant 0 : u256
    %w = evm.constant 32 : u256
    %a = evm.calldataload %z : u256
    %b = evm.calldataload %w : u256
    %c = evm.lt %a, %b
    evm.condbr %c, ^less, ^more
  ^less:
    %s, %d = evm.icall @pair(%a, %b) : u256, u256
    evm.sstore %s, %d
    %old = evm.sload %a : u256
    evm.mstore %p, %old
    evm.br ^out
  ^more:
    %f = evm.icall @fact(%a) : u256
    evm.mstore %p, %f
    evm.br ^out
  ^out:
    evm.return %p, %w
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

/// A program with its code, to be spoiled.
struct Subject<'a> {
    cx: ModuleCx<'a>,
    code: ModuleCode,
    frames: FramePlan,
}

impl<'a> Subject<'a> {
    fn new(module: &'a Module, options: &'a Options) -> Self {
        let cx = ModuleCx::new(module, options);
        let code = spec::schedule(&cx).expect("the program has room for frames");
        let frames = place_frames(&cx, &code);
        Subject { cx, code, frames }
    }

    fn rules(&self) -> Vec<Rule> {
        match check_module(&self.cx, &self.code, &self.frames) {
            Ok(()) => Vec::new(),
            Err(violations) => violations.into_iter().map(|violation| violation.rule).collect(),
        }
    }

    fn id(&self, name: &str) -> Func {
        self.cx.module.funcs.iter().find(|(_, func)| func.name == name).expect("exists").0
    }

    fn func(&mut self, name: &str) -> &mut FuncCode {
        let id = self.id(name);
        &mut self.code[id].as_mut().expect("scheduled").code
    }

    /// The code of the `index`th block of a function, in order of its text.
    fn block(&mut self, name: &str, index: usize) -> &mut BlockCode {
        let block = Block::new(index);
        self.func(name).blocks.iter_mut().find(|code| code.block == block).expect("scheduled")
    }
}

/// Index of the `n`th step that `is_it` holds for.
fn find(code: &BlockCode, n: usize, is_it: impl Fn(StepKind) -> bool) -> usize {
    let mut found =
        code.steps.iter().enumerate().filter(|(_, step)| is_it(step.kind)).map(|(index, _)| index);
    found.nth(n).unwrap_or_else(|| panic!("step {n} in {:#?}", code.steps))
}

fn op(opcode: Opcode) -> impl Fn(StepKind) -> bool {
    move |kind| kind == StepKind::Op(opcode)
}

fn is_call(kind: StepKind) -> bool {
    matches!(kind, StepKind::Call(_))
}

fn is_frame(kind: StepKind) -> bool {
    matches!(kind, StepKind::PushFrame(..))
}

fn is_label(kind: StepKind) -> bool {
    matches!(kind, StepKind::PushReturnLabel(_))
}

fn step(kind: StepKind) -> Step {
    Step { kind, origin: None }
}

/// Spoils the program with `fault`; the rules then violated.
fn spoil(fault: impl Fn(&mut Subject<'_>)) -> Vec<Rule> {
    spoil_with(Options { mode: Mode::Spec, ..Options::default() }, fault)
}

fn spoil_with(options: Options, fault: impl Fn(&mut Subject<'_>)) -> Vec<Rule> {
    let module = common::parse(PROGRAM);
    let mut subject = Subject::new(&module, &options);
    assert_eq!(subject.rules(), [], "the code is right before");
    fault(&mut subject);
    subject.rules()
}

const ENTRY: usize = 0;
const LESS: usize = 1;
const MORE: usize = 2;
const OUT: usize = 3;
const STEP: usize = 1;
const BASE: usize = 2;

/// Tests that spoil one step, exit, layout or place and expect the rule that says so.
macro_rules! faults {
    ($($name:ident: $rule:ident, $fault:expr;)*) => {
        $(
            #[test]
            fn $name() {
                let rules = spoil($fault);
                assert!(rules.contains(&Rule::$rule), "{rules:?}");
            }
        )*
    };
}

faults! {
    dup_too_deep_by_one: Operands, |s| {
        let block = s.block("pair", 0);
        let at = find(block, 0, |kind| matches!(kind, StepKind::Dup(_)));
        let StepKind::Dup(depth) = block.steps[at].kind else { unreachable!() };
        block.steps[at].kind = StepKind::Dup(depth + 1);
    };
    dup_out_of_reach: Reach, |s| {
        let block = s.block("__entry", OUT);
        block.steps.splice(0..0, vec![step(StepKind::Push(Word::ZERO)); 20]);
        block.steps.insert(20, step(StepKind::Dup(17)));
    };
    dup_of_nothing: Reach, |s| s.block("pair", 0).steps.insert(0, step(StepKind::Dup(0)));
    dup_below_the_bottom: HeightNotNegative, |s| s.block("__entry", ENTRY).steps.insert(0, step(StepKind::Dup(1)));
    swap_below_the_bottom: HeightNotNegative, |s| s.block("pair", 0).steps.insert(0, step(StepKind::Swap(5)));
    swap_too_deep_by_one: HeightNotNegative, |s| {
        let block = s.block("fact", BASE);
        let at = find(block, 0, |kind| matches!(kind, StepKind::Swap(_)));
        block.steps[at].kind = StepKind::Swap(2);
    };
    missing_swap: Convention, |s| {
        let block = s.block("fact", BASE);
        let at = find(block, 0, |kind| matches!(kind, StepKind::Swap(_)));
        block.steps.remove(at);
    };
    // Shows S001-63.
    pop_of_nothing: HeightNotNegative, |s| s.block("__entry", ENTRY).steps.insert(0, step(StepKind::Pop));
    // Shows S001-66.
    word_left_on_an_edge: NoDeadStack, |s| {
        s.block("__entry", ENTRY).steps.insert(0, step(StepKind::Push(Word::ZERO)));
    };
    word_missing_on_an_edge: Layout, |s| {
        let block = s.block("fact", 0);
        let end = block.steps.len();
        block.steps.extend([step(StepKind::Swap(1)), step(StepKind::Pop)]);
        assert!(end > 0);
    };
    // Shows S001-67.
    word_left_at_a_return: AllConsumed, |s| {
        s.block("pair", 0).entry.insert(0, StackWord::Junk);
    };
    // Shows S001-64.
    stack_overflow: HeightLimit, |s| {
        s.block("__entry", OUT).steps.splice(0..0, vec![step(StepKind::Push(Word::ZERO)); 1100]);
    };
    wrong_constant: Origin, |s| {
        let block = s.block("__entry", ENTRY);
        let at = find(block, 0, |kind| matches!(kind, StepKind::Push(_)));
        block.steps[at].kind = StepKind::Push(Word::from(77));
    };
    wrong_constant_without_origin: Operands, |s| {
        let block = s.block("__entry", ENTRY);
        let at = find(block, 0, |kind| matches!(kind, StepKind::Push(_)));
        block.steps[at] = step(StepKind::Push(Word::from(77)));
    };
    swapped_operands: Operands, |s| {
        let block = s.block("pair", 0);
        let at = find(block, 0, op(Opcode::SUB));
        block.steps.insert(at, step(StepKind::Swap(1)));
    };
    wrong_opcode: Origin, |s| {
        let block = s.block("pair", 0);
        let at = find(block, 0, op(Opcode::SUB));
        block.steps[at].kind = StepKind::Op(Opcode::DIV);
    };
    exchanged_comparison_without_exchanged_operands: Operands, |s| {
        let block = s.block("__entry", ENTRY);
        let at = find(block, 0, op(Opcode::LT));
        block.steps[at].kind = StepKind::Op(Opcode::GT);
    };
    another_instruction_of_the_same_kind: Operands, |s| {
        let block = s.block("pair", 0);
        let (first, second) = (find(block, 0, op(Opcode::SUB)), find(block, 1, op(Opcode::SUB)));
        block.steps[first].origin = block.steps[second].origin;
    };
    opcode_that_carries_out_nothing: Origin, |s| {
        let block = s.block("pair", 0);
        let at = find(block, 0, op(Opcode::SUB));
        block.steps[at].origin = None;
    };
    missing_effect: EffectOnce, |s| {
        let block = s.block("__entry", LESS);
        let at = find(block, 0, op(Opcode::SSTORE));
        block.steps.splice(at..=at, [step(StepKind::Pop), step(StepKind::Pop)]);
    };
    duplicated_effect: EffectOnce, |s| {
        let block = s.block("__entry", LESS);
        let at = find(block, 0, op(Opcode::SSTORE));
        let again = block.steps[at];
        block.steps.splice(at..at, [step(StepKind::Dup(2)), step(StepKind::Dup(2)), again]);
    };
    reordered_effects: EffectOrder, |s| {
        let block = s.block("__entry", LESS);
        let (store, load) = (find(block, 0, op(Opcode::SSTORE)), find(block, 0, op(Opcode::SLOAD)));
        let moved: Vec<Step> = block.steps.drain(load - 2..=load).collect();
        block.steps.splice(store - 4..store - 4, moved);
    };
    effect_of_another_block: EffectOnce, |s| {
        let block = s.block("__entry", LESS);
        let at = find(block, 0, op(Opcode::SLOAD));
        let mut stolen: Vec<Step> = block.steps[at - 2..=at].to_vec();
        stolen.push(step(StepKind::Pop));
        s.block("__entry", MORE).steps.splice(0..0, stolen);
    };
    missing_reload: Operands, |s| {
        let block = s.block("__entry", MORE);
        let at = find(block, 0, is_frame);
        block.steps.splice(at..at + 2, [step(StepKind::Push(Word::ZERO))]);
    };
    reload_from_the_wrong_slot: Reload, |s| {
        let block = s.block("__entry", MORE);
        let at = find(block, 0, is_frame);
        let StepKind::PushFrame(object, 0) = block.steps[at].kind else { unreachable!() };
        block.steps[at].kind = StepKind::PushFrame(FrameObject::new(1 - object.index()), 0);
    };
    spill_to_the_wrong_slot: Reload, |s| {
        let block = s.block("__entry", ENTRY);
        let at = find(block, 0, is_frame);
        let StepKind::PushFrame(object, 0) = block.steps[at].kind else { unreachable!() };
        block.steps[at].kind = StepKind::PushFrame(FrameObject::new(1 - object.index()), 0);
    };
    missing_spill: Reload, |s| {
        let block = s.block("__entry", ENTRY);
        let at = find(block, 0, is_frame);
        block.steps.splice(at..at + 2, [step(StepKind::Pop)]);
    };
    spill_of_another_word: Reload, |s| {
        let block = s.block("__entry", ENTRY);
        let at = find(block, 0, is_frame);
        block.steps.splice(at..at, [step(StepKind::Pop), step(StepKind::Push(Word::ZERO))]);
    };
    two_live_spills_at_one_address: Reload, |s| {
        let id = s.id("__entry");
        let first = s.frames.frames[id].offsets[FrameObject::new(0)];
        s.frames.frames[id].offsets[FrameObject::new(1)] = first;
    };
    frame_object_that_does_not_exist: ConstantOffset, |s| {
        let block = s.block("__entry", ENTRY);
        let at = find(block, 0, is_frame);
        block.steps[at].kind = StepKind::PushFrame(FrameObject::new(99), 0);
    };
    frame_offset_outside_its_object: ConstantOffset, |s| {
        let block = s.block("__entry", ENTRY);
        let at = find(block, 0, is_frame);
        block.steps[at].kind = StepKind::PushFrame(FrameObject::new(0), 32);
    };
    // Shows S001-69.
    frame_address_as_a_word: ConstantOffset, |s| {
        let block = s.block("__entry", ENTRY);
        let at = find(block, 0, is_frame);
        block.steps.remove(at + 1);
    };
    address_of_the_wrong_alloca: Origin, |s| {
        let spilled = spill_of(s);
        let block = s.block("fact", 0);
        let at = block.steps.iter().position(|step| is_frame(step.kind) && step.origin.is_some()).expect("alloca");
        block.steps[at].kind = StepKind::PushFrame(spilled, 0);
    };
    swapped_arguments: Reload, |s| {
        let block = s.block("__entry", LESS);
        let at = find(block, 0, is_call);
        block.steps.insert(at, step(StepKind::Swap(1)));
    };
    wrong_callee: Origin, |s| {
        let other = s.id("fact");
        let block = s.block("__entry", LESS);
        let at = find(block, 0, is_call);
        block.steps[at].kind = StepKind::Call(other);
    };
    missing_return_label: HeightNotNegative, |s| {
        let block = s.block("__entry", LESS);
        let at = find(block, 0, is_label);
        block.steps.remove(at);
    };
    return_label_of_another_call: Convention, |s| {
        let other = find_label(s, "__entry", MORE);
        let block = s.block("__entry", LESS);
        let at = find(block, 0, is_label);
        block.steps[at].kind = StepKind::PushReturnLabel(other);
    };
    return_label_of_no_call: ValidTarget, |s| {
        let block = s.block("__entry", LESS);
        let at = find(block, 0, is_label);
        block.steps[at].kind = StepKind::PushReturnLabel(Inst::new(0));
    };
    return_label_above_the_arguments: Operands, |s| {
        let block = s.block("__entry", LESS);
        let (label, call) = (find(block, 0, is_label), find(block, 0, is_call));
        let moved = block.steps.remove(label);
        block.steps.insert(call - 1, moved);
    };
    exchanged_results: Operands, |s| {
        let block = s.block("__entry", LESS);
        let at = find(block, 0, is_call);
        block.steps.insert(at + 1, step(StepKind::Swap(1)));
    };
    exchanged_results_at_a_return: Operands, |s| {
        s.block("pair", 0).steps.extend([step(StepKind::Swap(1)), step(StepKind::Swap(2)), step(StepKind::Swap(1))]);
    };
    return_address_lost: Convention, |s| {
        let block = s.block("pair", 0);
        block.steps.extend([step(StepKind::Pop), step(StepKind::Push(Word::ZERO))]);
    };
    callee_with_another_order_of_parameters: Convention, |s| s.func("pair").convention.params.reverse();
    callee_with_another_order_of_results: Operands, |s| s.func("pair").convention.results.reverse();
    callee_said_never_to_return: Convention, |s| s.func("pair").convention.returns = false;
    // Shows S001-22, S001-68.
    jump_to_the_wrong_block: ValidTarget, |s| s.block("__entry", LESS).exit = Exit::Jump(Block::new(MORE));
    exchanged_arms: ValidTarget, |s| {
        s.block("__entry", ENTRY).exit = Exit::Branch { then: Block::new(MORE), otherwise: Block::new(LESS) };
    };
    branch_that_always_jumps: ValidTarget, |s| s.block("__entry", ENTRY).exit = Exit::Jump(Block::new(LESS));
    jump_that_halts: ValidTarget, |s| s.block("__entry", LESS).exit = Exit::Halt;
    halt_that_returns: ValidTarget, |s| s.block("__entry", OUT).exit = Exit::Return;
    missing_halt: ValidTarget, |s| {
        s.block("__entry", OUT).steps.pop();
    };
    missing_block: ValidTarget, |s| s.func("__entry").blocks.retain(|code| code.block != Block::new(OUT));
    // Shows S001-22.
    block_twice: ValidTarget, |s| {
        let again = s.func("__entry").blocks[1].clone();
        s.func("__entry").blocks.push(again);
    };
    wrong_first_block: ValidTarget, |s| s.func("__entry").blocks.reverse();
    entry_layout_with_a_word_too_many: Layout, |s| s.block("__entry", OUT).entry.push(StackWord::Junk);
    entry_layout_with_another_word: Layout, |s| s.block("fact", STEP).entry[0] = StackWord::Const(Word::ZERO);
    function_entered_with_another_stack: Convention, |s| {
        s.func("pair").blocks[0].entry.swap(0, 1);
    };
    // Shows S001-65.
    junk_used_as_an_operand: NoUninitialised, |s| {
        let entry = &mut s.func("pair").blocks[0].entry;
        let top = entry.len() - 1;
        entry[top] = StackWord::Junk;
    };
    missing_save_around_recursion: Operands, |s| {
        let spill = spill_of(s);
        let block = s.block("fact", STEP);
        let at = accesses(block, spill)[1];
        block.steps.splice(at..at + 2, [step(StepKind::Push(Word::ZERO))]);
    };
    missing_restore_of_an_alloca: Intact, |s| {
        let alloca = s.func("fact").frame.iter().find(|(_, data)| data.usage != FrameUse::Spill).expect("exists").0;
        let block = s.block("fact", STEP);
        let at = accesses(block, alloca)[1];
        block.steps.splice(at..at + 2, [step(StepKind::Pop)]);
    };
    saved_words_restored_to_each_other: Intact, |s| {
        let block = s.block("fact", STEP);
        let call = find(block, 0, is_call);
        let frames: Vec<usize> =
            (call..block.steps.len()).filter(|at| is_frame(block.steps[*at].kind)).collect();
        let (a, b) = (frames[1], frames[2]);
        let kind = block.steps[a].kind;
        block.steps[a].kind = block.steps[b].kind;
        block.steps[b].kind = kind;
    };
    frames_of_caller_and_callee_overlap: Frames, |s| {
        let (caller, callee) = (s.id("__entry"), s.id("fact"));
        s.frames.base[callee] = s.frames.base[caller];
    };
    frame_in_the_programs_memory: Frames, |s| {
        let id = s.id("__entry");
        s.frames.base[id] = 96;
    };
    heap_inside_a_frame: Frames, |s| s.frames.heap_base -= 32;
    object_outside_its_frame: Frames, |s| {
        let id = s.id("__entry");
        s.frames.frames[id].size -= 32;
    };
}

fn find_label(s: &mut Subject<'_>, func: &str, block: usize) -> Inst {
    let block = s.block(func, block);
    let at = find(block, 0, is_label);
    let StepKind::PushReturnLabel(inst) = block.steps[at].kind else { unreachable!() };
    inst
}

/// The object of `fact` that its argument is spilled to: it is saved around the call.
fn spill_of(s: &mut Subject<'_>) -> FrameObject {
    let block = s.block("fact", 0);
    let StepKind::PushFrame(object, 0) = block.steps[find(block, 0, is_frame)].kind else { unreachable!() };
    object
}

/// Indices of the steps that push the address of an object to spill to it or reload from it.
fn accesses(block: &BlockCode, object: FrameObject) -> Vec<usize> {
    let is_access = |step: &Step| step.kind == StepKind::PushFrame(object, 0) && step.origin.is_none();
    block.steps.iter().enumerate().filter(|(_, step)| is_access(step)).map(|(at, _)| at).collect()
}

// Shows S001-66.
#[test]
fn dead_words_under_a_halting_terminator_only_matter_when_asked_for() {
    let add_dead =
        |s: &mut Subject<'_>| s.block("__entry", OUT).steps.insert(0, step(StepKind::Push(Word::ZERO)));
    assert_eq!(spoil(add_dead), []);
    let strict = Options { mode: Mode::Spec, strict_stack: true, ..Options::default() };
    assert_eq!(spoil_with(strict, add_dead), [Rule::NoDeadStack]);
}

#[test]
fn a_frame_where_all_memory_is_the_programs() {
    let mut module = common::parse(PROGRAM);
    let options = Options { mode: Mode::Spec, ..Options::default() };
    let code = Subject::new(&module, &options).code;
    module.memory = cairn_ir::MemoryModel::NoFrame;
    let cx = ModuleCx::new(&module, &options);
    let frames = place_frames(&cx, &code);
    let violations = check_module(&cx, &code, &frames).expect_err("there is no room");
    assert!(violations.iter().all(|violation| violation.rule == Rule::Frames), "{violations:?}");
}

/// A word stored behind the start of frame memory.
const BEHIND: &str = "module @M {
  func @__entry() {
  ^entry:
    %p = evm.alloca 64 : ptr<0>
    %w = evm.constant 32 : u256
    %q = evm.ptr_add %p, %w : ptr<0>
    %a = evm.callvalue : u256
    evm.mstore %q, %a
    evm.return %q, %w
  }
}";

// Shows S001-69.
#[test]
fn sum_of_a_frame_address_that_is_not_folded() {
    let module = common::parse(BEHIND);
    let options = Options { mode: Mode::Spec, ..Options::default() };
    let mut subject = Subject::new(&module, &options);
    assert_eq!(subject.rules(), []);
    let block = subject.block("__entry", ENTRY);
    let at = find(block, 0, is_frame);
    let StepKind::PushFrame(object, 32) = block.steps[at].kind else { panic!("{:?}", block.steps[at]) };
    let (start, sum) = (Some(Inst::new(0)), block.steps[at].origin);
    let start = Step { kind: StepKind::PushFrame(object, 0), origin: start };
    let add = Step { kind: StepKind::Op(Opcode::ADD), origin: sum };
    block.steps.splice(at..=at, [step(StepKind::Push(Word::from(32))), start, add]);
    assert!(subject.rules().contains(&Rule::ConstantOffset), "{:?}", subject.rules());
}
