//! Pairs of programs: those that do the same are proven, those that don't are not.
//!
//! The reference is EVM-IR, what is tested is assembly. No solver is needed for these.

use cairn_diag::FileId;
use cairn_evm::Fork;
use cairn_prove::{
    Assumption, Assumptions, Code, Image, Limits, Part, Program, Proof, Request, Solver, Verdict, prove,
};
use std::rc::Rc;

fn assemble(text: &str) -> Vec<u8> {
    let fork = Fork::default();
    let (program, _) = cairn_asm::parse_for(text, FileId(0), fork).expect("assembly");
    cairn_asm::assemble(&program, cairn_asm::AssembleOptions::default()).expect("assembles").bytes
}

fn prove_with(source: &str, asm: &str, assumptions: Assumptions) -> Proof {
    prove_in(source, asm, assumptions, Image::default())
}

/// With what the image says besides the code.
fn prove_in(source: &str, asm: &str, assumptions: Assumptions, image: Image) -> Proof {
    prove_within(source, asm, (assumptions, Limits::default()), image)
}

/// Not for longer than that.
fn prove_within(
    source: &str,
    asm: &str,
    (assumptions, limits): (Assumptions, Limits),
    image: Image,
) -> Proof {
    let text = format!("module @M {{ func @__entry() {{\n{source}\n}} }}");
    let module = cairn_ir::text::parse(&text, FileId(0)).expect("EVM-IR");
    let bytes = assemble(asm);
    let image = Image { code: bytes.as_slice().into(), ..image };
    let request = Request {
        reference: Program::Source(&module, Rc::new(image)),
        tested: Program::Code(Rc::new(Code::new(&bytes, Fork::default()))),
        part: Part::Whole,
        assumptions,
        limits,
    };
    prove(&request, Solver::default()).0
}

#[track_caller]
fn is_proven(source: &str, asm: &str) {
    let proof = prove_with(source, asm, Assumptions::ALL);
    assert!(matches!(proof.verdict, Verdict::Proven), "{:?}", proof.verdict);
}

#[track_caller]
fn is_not_proven(source: &str, asm: &str) {
    let proof = prove_with(source, asm, Assumptions::ALL);
    let is_open = matches!(proof.verdict, Verdict::Undecided(_) | Verdict::Suspicion(..));
    assert!(is_open, "{:?}", proof.verdict);
}

const DIFFERENCE: &str = "
  %a = evm.callvalue : u256
  %b = evm.caller : u160
  %c = evm.sub %a, %b : u256
  evm.return %c";

#[test]
fn operands_have_an_order() {
    is_proven(DIFFERENCE, "CALLER CALLVALUE SUB PUSH 0 MSTORE PUSH 32 PUSH 0 RETURN");
    is_not_proven(DIFFERENCE, "CALLVALUE CALLER SUB PUSH 0 MSTORE PUSH 32 PUSH 0 RETURN");
}

const BRANCH: &str = "
  ^entry:
    %zero = evm.constant 0 : u256
    %x = evm.calldataload %zero : u256
    %limit = evm.constant 100 : u256
    %low = evm.lt %x, %limit : bool
    evm.condbr %low, ^yes, ^no
  ^yes:
    evm.sstore %zero, %x
    evm.stop
  ^no:
    evm.revert %zero, %zero";

#[test]
fn branches_are_followed() {
    let right = "PUSH 100 PUSH 0 CALLDATALOAD LT PUSH yes JUMPI PUSH 0 PUSH 0 REVERT
        yes: PUSH 0 CALLDATALOAD PUSH 0 SSTORE STOP";
    let negated = "PUSH 0 CALLDATALOAD PUSH 99 LT PUSH no JUMPI PUSH 0 CALLDATALOAD PUSH 0 SSTORE STOP
        no: PUSH 0 PUSH 0 REVERT";
    is_proven(BRANCH, right);
    is_proven(BRANCH, negated);
    is_not_proven(BRANCH, &right.replace("PUSH 100", "PUSH 101"));
    is_not_proven(BRANCH, &negated.replace("LT", "SLT"));
    is_not_proven(BRANCH, &right.replace("STOP", "INVALID"));
}

/// A static frame halts at the store, so it must not go though a revert follows (A8).
#[test]
fn a_store_before_a_revert_is_seen_by_static_frames() {
    let source = "
      %zero = evm.constant 0 : u256
      %one = evm.constant 1 : u256
      evm.sstore %zero, %one
      evm.revert %zero, %zero";
    is_proven(source, "PUSH 1 PUSH 0 SSTORE PUSH 0 PUSH 0 REVERT");
    is_proven(source, "PUSH 2 PUSH 3 SSTORE PUSH 0 PUSH 0 REVERT");
    is_not_proven(source, "PUSH 0 PUSH 0 REVERT");
}

/// The word at 64 is no pointer when the program puts something else there.
#[test]
fn scratch_at_the_place_of_the_free_pointer() {
    let source = "
      %at = evm.constant 64 : u256
      %zero = evm.constant 0 : u256
      %one = evm.constant 32 : u256
      %a = evm.calldataload %zero : u256
      %b = evm.calldataload %one : u256
      %d = evm.sub %a, %b : u256
      evm.mstore %at, %d
      %again = evm.mload %at : u256
      %sign = evm.slt %again, %zero : bool
      %word = evm.zext %sign : u256
      evm.return %word";
    let right =
        "PUSH 32 CALLDATALOAD PUSH 0 CALLDATALOAD SUB PUSH 255 SHR PUSH 0 MSTORE PUSH 32 PUSH 0 RETURN";
    is_proven(source, right);
    is_not_proven(source, "PUSH 0 PUSH 0 MSTORE PUSH 32 PUSH 0 RETURN");
}

const REFUSAL: &str = "
  ^e:
    %zero = evm.constant 0 : u256
    %value = evm.callvalue : u256
    evm.condbr %value, ^fail, ^dispatch
  ^dispatch:
    %word = evm.calldataload %zero : u256
    %named = evm.constant 7 : u256
    %is_named = evm.eq %word, %named : bool
    evm.condbr %is_named, ^f, ^fail
  ^f:
    evm.sstore %zero, %word
    evm.stop
  ^fail:
    evm.revert %zero, %zero";

/// Behind all calldata are zeros (A12), so a call with value names the function zero.
#[test]
fn a_dispatch_that_refuses_value_reads_behind_calldata() {
    let right = "PUSH 1 CALLVALUE ISZERO SUB CALLDATALOAD DUP1 PUSH 7 EQ PUSH yes JUMPI PUSH 0 PUSH 0 REVERT
        yes: PUSH 0 SSTORE STOP";
    is_proven(REFUSAL, right);
    is_proven(REFUSAL, &right.replace("PUSH 1 CALLVALUE ISZERO SUB", "CALLVALUE ISZERO ISZERO PUSH 0 SUB"));
    let negated = right.replace("PUSH 1 CALLVALUE ISZERO SUB", "CALLVALUE PUSH 0 SUB");
    is_proven(REFUSAL, &negated);
    is_not_proven(REFUSAL, &negated.replace("PUSH 0 SUB", ""));
    is_not_proven(REFUSAL, &negated.replace("PUSH 0 SUB", "PUSH 1 SUB"));
    is_not_proven(REFUSAL, &negated.replace("CALLVALUE PUSH 0", "CALLER PUSH 0"));
    is_not_proven(REFUSAL, &right.replace("CALLVALUE ISZERO SUB", "CALLVALUE ISZERO ISZERO SUB"));
    is_not_proven(REFUSAL, &right.replace("PUSH 1 CALLVALUE", "PUSH 2 CALLVALUE"));
    is_not_proven(REFUSAL, &right.replace("PUSH 1 CALLVALUE ISZERO SUB", "PUSH 0"));
    // Of a function that is named zero it is no proof.
    is_not_proven(&REFUSAL.replace("evm.constant 7", "evm.constant 0"), &right.replace("PUSH 7", "PUSH 0"));
    let mut assumed = Assumptions::ALL;
    assumed.remove(Assumption::BOUNDS);
    for code in [right, &negated] {
        assert!(!matches!(prove_with(REFUSAL, code, assumed).verdict, Verdict::Proven));
    }
}

const MAPPING: &str = "
  %zero = evm.constant 0 : u256
  %slot = evm.constant 32 : u256
  %word = evm.constant 64 : u256
  %one = evm.constant 1 : u256
  %two = evm.constant 2 : u256
  %who = evm.caller : u160
  evm.mstore %zero, %who
  evm.mstore %slot, %one
  %key = evm.keccak256 %zero, %word : u256
  evm.sstore %key, %one
  evm.sstore %two, %two
  %old = evm.sload %key : u256
  evm.return %old";

/// The store under a small key does not change what is under a hash (A11).
#[test]
fn hashes_are_far_from_small_keys() {
    let asm = "CALLER PUSH 0 MSTORE PUSH 1 PUSH 32 MSTORE PUSH 1 PUSH 64 PUSH 0 KECCAK256 SSTORE
        PUSH 2 PUSH 2 SSTORE PUSH 1 PUSH 0 MSTORE PUSH 32 PUSH 0 RETURN";
    let proof = prove_with(MAPPING, asm, Assumptions::ALL);
    assert!(matches!(proof.verdict, Verdict::Proven), "{:?}", proof.verdict);
    let hashes = Assumption::from_number(11).expect("A11");
    assert!(proof.used.has(hashes));
    let mut without = Assumptions::ALL;
    without.remove(hashes);
    let proof = prove_with(MAPPING, asm, without);
    assert!(!matches!(proof.verdict, Verdict::Proven) && !proof.used.has(hashes));
}

/// What is said of the block is read on its side of a call (A18).
#[test]
fn the_block_is_read_on_its_side_of_a_call() {
    let source = "
      %zero = evm.constant 0 : u256
      %block = evm.number : u256
      %gas = evm.gas : u256
      %to = evm.caller : u160
      %done = evm.call %gas, %to, %zero, %zero, %zero, %zero, %zero : bool
      evm.sstore %zero, %block
      evm.stop";
    let call = "PUSH 0 PUSH 0 PUSH 0 PUSH 0 PUSH 0 CALLER GAS CALL POP";
    is_proven(source, &format!("NUMBER {call} PUSH 0 SSTORE STOP"));
    is_not_proven(source, &format!("{call} NUMBER PUSH 0 SSTORE STOP"));
    is_not_proven(source, &format!("NUMBER {} PUSH 0 SSTORE STOP", call.replace("CALLER", "ORIGIN")));
    is_not_proven(source, "NUMBER PUSH 0 SSTORE STOP");
}

/// `selfbalance` is the balance of the own address, on the same side of a call.
#[test]
fn the_own_balance_is_one_number() {
    let source = "
      %own = evm.address : u160
      %balance = evm.balance %own : u256
      %zero = evm.constant 0 : u256
      evm.sstore %zero, %balance
      evm.stop";
    is_proven(source, "SELFBALANCE PUSH 0 SSTORE STOP");
    is_not_proven(source, "CALLER BALANCE PUSH 0 SSTORE STOP");
    let call = "PUSH 0 PUSH 0 PUSH 0 PUSH 0 PUSH 0 CALLER GAS CALL POP";
    is_not_proven(source, &format!("{call} SELFBALANCE PUSH 0 SSTORE STOP"));
}

/// Operands of several words and a result of one.
#[test]
fn numbers_of_several_words() {
    let source = "
      %zero = evm.constant 0 : u256
      %a = evm.calldataload %zero : u512
      %at = evm.constant 64 : u256
      %b = evm.calldataload %at : u512
      %sum = evm.add %a, %b : u512
      %top = evm.constant 256 : u256
      %high = evm.shr %top, %sum : u512
      %word = evm.trunc %high : u256
      evm.return %word";
    let right = "PUSH 96 CALLDATALOAD DUP1 PUSH 32 CALLDATALOAD ADD LT
        PUSH 64 CALLDATALOAD ADD PUSH 0 CALLDATALOAD ADD PUSH 0 MSTORE PUSH 32 PUSH 0 RETURN";
    is_not_proven(source, "PUSH 64 CALLDATALOAD PUSH 0 CALLDATALOAD ADD PUSH 0 MSTORE PUSH 32 PUSH 0 RETURN");
    // The carry is that of either operand; terms alone know one of the two.
    let swapped = right.replace("PUSH 96 CALLDATALOAD DUP1 PUSH 32", "PUSH 32 CALLDATALOAD DUP1 PUSH 96");
    let kinds = [right, &swapped].map(|asm| prove_with(source, asm, Assumptions::ALL).verdict);
    assert!(kinds.iter().any(|verdict| matches!(verdict, Verdict::Proven)), "{kinds:?}");
}

#[test]
fn narrow_counts_are_those_of_the_type() {
    let source = "
      %zero = evm.constant 0 : u256
      %word = evm.calldataload %zero : u256
      %a = evm.trunc %word : u32
      %n = evm.ctlz %a : u32
      evm.return %n";
    let clz = |width: u32| {
        format!(
            "PUSH 0 CALLDATALOAD PUSH 0xffffffff AND CLZ PUSH {width} SWAP1 SUB PUSH 0 MSTORE PUSH 32 PUSH 0 RETURN"
        )
    };
    is_proven(source, &clz(224));
    is_not_proven(source, &clz(223));
}

/// Rounds that depend on the input are looked at in general, others are run.
#[test]
fn loops_are_general_or_run() {
    let asm = |limit: &str| {
        format!(
            "PUSH 0 again: DUP1 {limit} GT PUSH body JUMPI PUSH 0 SSTORE STOP
             body: PUSH 1 ADD PUSH again JUMP"
        )
    };
    let source = |limit: &str| {
        format!(
            "^entry:
               %zero = evm.constant 0 : u256
               %one = evm.constant 1 : u256
               %limit = {limit}
               evm.br ^head(%zero)
             ^head(%i : u256):
               %more = evm.lt %i, %limit : bool
               evm.condbr %more, ^body, ^done
             ^body:
               %next = evm.add %i, %one : u256
               evm.br ^head(%next)
             ^done:
               evm.sstore %zero, %i
               evm.stop"
        )
    };
    is_proven(&source("evm.constant 50 : u256"), &asm("PUSH 50"));
    is_not_proven(&source("evm.constant 50 : u256"), &asm("PUSH 51"));
    let (by_value, asm_by_value) = (source("evm.callvalue : u256"), asm("CALLVALUE"));
    is_proven(&by_value, &asm_by_value);
    is_not_proven(&by_value, &asm_by_value.replace("PUSH 1 ADD", "PUSH 2 ADD"));
    is_not_proven(&by_value, &asm_by_value.replace("PUSH 0 SSTORE", "PUSH 1 SSTORE"));
    is_not_proven(&by_value, &asm("CALLER"));
}

/// A store to a computed address leaves the pointer to free memory alone where the program visibly keeps one, and it
/// is a pointer that was paid for (A17).
#[test]
fn the_pointer_to_free_memory_is_trusted_where_it_is_kept() {
    let pointer = Assumption::POINTER;
    let mut without = Assumptions::ALL;
    without.remove(pointer);
    let keeps = |keeps_pointer| Image { keeps_pointer, ..Image::default() };
    let stored = "
      %zero = evm.constant 0 : u256
      %at = evm.constant 64 : u256
      %start = evm.constant 128 : u256
      evm.mstore %at, %start
      %where = evm.calldataload %zero : u256
      evm.mstore %where, %start
      %found = evm.mload %at : u256
      evm.return %found";
    let constant = "PUSH 128 PUSH 0 MSTORE PUSH 32 PUSH 0 RETURN";
    let proof = prove_in(stored, constant, Assumptions::ALL, keeps(true));
    assert!(matches!(proof.verdict, Verdict::Proven) && proof.used.has(pointer), "{:?}", proof.verdict);
    for (assumptions, image) in [(Assumptions::ALL, keeps(false)), (without, keeps(true))] {
        let proof = prove_in(stored, constant, assumptions, image);
        assert!(!matches!(proof.verdict, Verdict::Proven) && !proof.used.has(pointer));
    }
    let other = constant.replace("128", "129");
    assert!(!matches!(prove_in(stored, &other, Assumptions::ALL, keeps(true)).verdict, Verdict::Proven));

    let bounded = |bits: u32| {
        format!(
            "%zero = evm.constant 0 : u256
             %at = evm.constant 64 : u256
             %given = evm.calldataload %zero : u256
             evm.mstore %at, %given
             %found = evm.mload %at : u256
             %bits = evm.constant {bits} : u256
             %high = evm.shr %bits, %found : u256
             evm.return %high"
        )
    };
    let nothing = "PUSH 0 PUSH 0 MSTORE PUSH 32 PUSH 0 RETURN";
    let proof = prove_in(&bounded(63), nothing, Assumptions::ALL, keeps(true));
    assert!(matches!(proof.verdict, Verdict::Proven) && proof.used.has(pointer), "{:?}", proof.verdict);
    assert!(!matches!(
        prove_in(&bounded(62), nothing, Assumptions::ALL, keeps(true)).verdict,
        Verdict::Proven
    ));
}

/// Bytecode that touches memory out of reach halts there; runs of the reference that do are passed over, and where all
/// do, nothing is proven.
#[test]
fn memory_out_of_reach() {
    let far = "PUSH 1 PUSH 0x10000000000000000000000000 MSTORE STOP";
    is_proven("evm.stop", "STOP");
    is_not_proven("evm.stop", far);
    is_not_proven("evm.stop", &far.replace("MSTORE", "MSTORE8"));
    is_not_proven("evm.stop", "PUSH 1 NOT PUSH 0 KECCAK256 STOP");
    is_not_proven("evm.stop", "PUSH 1 PUSH 1 NOT KECCAK256 STOP");
    is_not_proven("evm.stop", "PUSH 0 CALLDATALOAD MLOAD STOP");
    // A frame of the source is no memory of the code.
    let framed = "
      %frame = evm.alloca 32 : ptr<0>
      %seven = evm.constant 7 : u256
      evm.mstore %frame, %seven
      %word = evm.mload %frame : u256
      evm.return %word";
    is_proven(framed, "PUSH 7 PUSH 0 MSTORE PUSH 32 PUSH 0 RETURN");
    let frames = "PUSH 7 PUSH 0x100000000000000000000 MSTORE";
    is_not_proven(framed, &format!("{frames} PUSH 7 PUSH 0 MSTORE PUSH 32 PUSH 0 RETURN"));
    let both = "
      %zero = evm.constant 0 : u256
      %one = evm.constant 1 : u256
      %far = evm.not %zero : u256
      evm.mstore %far, %one
      evm.sstore %zero, %one
      evm.stop";
    is_not_proven(both, "STOP");
    is_not_proven(both, "PUSH 1 PUSH 0 SSTORE STOP");
}

/// What needs no trust is not proven with it.
#[test]
fn an_assumption_that_is_not_needed_is_not_used() {
    let source = "
      %at = evm.constant 64 : u256
      %start = evm.constant 128 : u256
      evm.mstore %at, %start
      %found = evm.mload %at : u256
      evm.return %found";
    let image = Image { keeps_pointer: true, ..Image::default() };
    let constant = "PUSH 128 PUSH 0 MSTORE PUSH 32 PUSH 0 RETURN";
    let proof = prove_in(source, constant, Assumptions::ALL, image);
    assert!(matches!(proof.verdict, Verdict::Proven) && !proof.used.has(Assumption::POINTER));
}

/// A product that can't wrap is divided by one of its factors: the other, or zero by zero.
#[test]
fn quotients_of_products_that_do_not_wrap() {
    let source = |mask: u32, shift: u32| {
        format!(
            "%zero = evm.constant 0 : u256
             %mask = evm.constant {mask} : u256
             %word = evm.calldataload %zero : u256
             %next = evm.constant 32 : u256
             %other = evm.calldataload %next : u256
             %a = evm.and %word, %mask : u256
             %by = evm.constant {shift} : u256
             %b = evm.shr %by, %other : u256
             %product = evm.mul %a, %b : u256
             %c = evm.div %product, %a : u256
             evm.return %c"
        )
    };
    let always =
        |shift: u32| format!("PUSH 32 CALLDATALOAD PUSH {shift} SHR PUSH 0 MSTORE PUSH 32 PUSH 0 RETURN");
    let branch = |mask: u32, shift: u32| {
        format!(
            "PUSH {mask} PUSH 0 CALLDATALOAD AND PUSH some JUMPI PUSH 32 PUSH 0 RETURN
             some: {}",
            always(shift)
        )
    };
    is_proven(&source(255, 8), &branch(255, 8));
    is_not_proven(&source(255, 7), &branch(255, 7));
    is_not_proven(&source(255, 8), &always(8));
}

/// Divisions whose ways only make words: a search by halves, as roots and logarithms begin. `more` stands in one of the
/// ways.
fn halves(more: &str) -> String {
    let mut source = "
      ^entry:
        %zero = evm.constant 0 : u256
        %word = evm.calldataload %zero : u256
        evm.br ^b7(%word, %zero)"
        .to_owned();
    for step in (0..8).rev() {
        let (bits, more) = (1 << step, if step == 3 { more } else { "" });
        let next = if step == 0 { "end".to_owned() } else { format!("b{}", step - 1) };
        source += &format!(
            "
            ^b{step}(%x{step}: u256, %n{step}: u256):
              %bits{step} = evm.constant {bits} : u256
              %high{step} = evm.shr %bits{step}, %x{step} : u256
              evm.condbr %high{step}, ^yes{step}, ^{next}(%x{step}, %n{step})
            ^yes{step}:
              {more}
              %sum{step} = evm.add %n{step}, %bits{step} : u256
              evm.br ^{next}(%high{step}, %sum{step})"
        );
    }
    source
        + "
      ^end(%rest: u256, %length: u256):
        evm.return %length"
}

/// The same in code that asks the other way round: the word is less than a power of two.
fn halves_of_code() -> String {
    let mut code = "PUSH 0 PUSH 0 CALLDATALOAD".to_owned();
    for step in (0..8).rev() {
        let (bits, bound) = (1 << step, format!("PUSH 1 PUSH {} SHL", 1 << step));
        code += &format!(
            " {bound} DUP2 LT PUSH low{step} JUMPI PUSH {bits} SHR SWAP1 PUSH {bits} ADD SWAP1 low{step}:"
        );
    }
    code + " POP PUSH 0 MSTORE PUSH 32 PUSH 0 RETURN"
}

/// Of 256 paths there are too many.
fn prove_on_few_paths(source: &str, asm: &str) -> Proof {
    let limits = Limits { paths: 100, ..Limits::default() };
    prove_within(source, asm, (Assumptions::ALL, limits), Image::default())
}

#[test]
fn ways_that_make_words_are_one_path() {
    let proof = prove_on_few_paths(&halves(""), &halves_of_code());
    assert!(matches!(proof.verdict, Verdict::Proven), "{:?}", proof.verdict);
    assert_eq!((proof.paths, proof.pairs), (1, 1));
}

/// What a way does to the state is done on this way alone.
#[test]
fn ways_with_effects_stay_apart() {
    let (store, load) = ("evm.sstore %zero, %zero", "%old = evm.sload %zero : u256");
    let is_proven = |source: &str, asm: &str| {
        let proof = prove_on_few_paths(source, asm);
        matches!(proof.verdict, Verdict::Proven)
    };
    assert!(!is_proven(&halves(store), &halves_of_code()));
    assert!(is_proven(&halves(load), &halves_of_code()));
    let code = halves_of_code();
    let with = |more: &str| code.replace("PUSH low3 JUMPI", &format!("PUSH low3 JUMPI {more}"));
    assert!(is_proven(&halves(store), &with("PUSH 0 PUSH 0 SSTORE")));
    assert!(is_proven(&halves("evm.mstore %zero, %word"), &with("PUSH 64 PUSH 0 MSTORE")));
    for more in ["PUSH 0 PUSH 0 LOG0", "PUSH 0 PUSH 0 RETURN", "INVALID", "PUSH 0 PUSH 1 SSTORE"] {
        assert!(!is_proven(&halves(""), &with(more)), "{more}");
    }
}

/// A word of one way that is wrong is found, whichever way it is and however many are behind it.
#[test]
fn wrong_words_of_ways_are_not_proven() {
    let code = halves_of_code();
    let faults = [
        ("PUSH 4 SHR", "PUSH 3 SHR"),
        ("PUSH 8 ADD", "PUSH 9 ADD"),
        ("PUSH 1 PUSH 2 SHL DUP2 LT", "PUSH 1 PUSH 2 SHL DUP2 GT"),
        ("PUSH 1 PUSH 16 SHL", "PUSH 2 PUSH 16 SHL"),
        ("PUSH low5 JUMPI", "PUSH low4 JUMPI"),
    ];
    for (right, wrong) in faults {
        assert_eq!(code.matches(right).count(), 1, "{right}");
        let proof = prove_on_few_paths(&halves(""), &code.replace(right, wrong));
        let is_open = matches!(proof.verdict, Verdict::Undecided(_) | Verdict::Suspicion(..));
        assert!(is_open, "{wrong}: {:?}", proof.verdict);
    }
}
