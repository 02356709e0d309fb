//! Programs compiled by the literal rules do what they say.

mod common;

use cairn_stackify::Mode;
use common::{compile, options, parse, returned};

fn spec(text: &str, calldata: &[u64]) -> Vec<u64> {
    returned(text, Mode::Spec, calldata)
}

/// Wraps the body of an entry function; `%p` is memory to return from.
fn entry(body: &str, rest: &str) -> String {
    format!(
        "module @M {{ func @__entry() {{ ^entry: %p = evm.heap_base 128 : ptr<0> %w = evm.constant 32 : u256 \
         %z = evm.constant 0 : u256 %a = evm.calldataload %z : u256 %b = evm.calldataload %w : u256 {body} }} {rest} }}"
    )
}

// Shows S001-01, S001-42.
#[test]
fn operands_are_on_top_in_order() {
    let text = entry("%r = evm.sub %a, %b evm.mstore %p, %r evm.return %p, %w", "");
    assert_eq!(spec(&text, &[5, 3]), [2]);
    let text = entry("%r = evm.sub %b, %a evm.mstore %p, %r evm.return %p, %w", "");
    assert_eq!(spec(&text, &[3, 5]), [2]);
}

// Shows S001-46.
#[test]
fn a_word_can_be_used_many_times() {
    let body = "%s = evm.add %a, %b %m = evm.mul %s, %s %d = evm.sub %m, %s %e = evm.add %d, %d
        evm.mstore %p, %e evm.return %p, %w";
    assert_eq!(spec(&entry(body, ""), &[2, 3]), [40]);
}

// Shows S001-25.
#[test]
fn values_cross_blocks_in_memory() {
    let body = "%c = evm.lt %a, %b evm.condbr %c, ^less, ^more
        ^less: %d = evm.sub %b, %a evm.mstore %p, %d evm.return %p, %w
        ^more: %e = evm.sub %a, %b evm.mstore %p, %e evm.return %p, %w";
    assert_eq!(spec(&entry(body, ""), &[2, 9]), [7]);
    assert_eq!(spec(&entry(body, ""), &[9, 3]), [6]);
}

const SUM: &str = "%i = evm.alloca : ptr<0> %s = evm.alloca : ptr<0> %one = evm.constant 1 : u256
    evm.mstore %i, %a evm.mstore %s, %z evm.br ^head
    ^head: %n = evm.mload %i : u256 evm.condbr %n, ^body, ^done
    ^body: %t = evm.mload %s : u256 %u = evm.add %t, %n evm.mstore %s, %u
        %m = evm.sub %n, %one evm.mstore %i, %m evm.br ^head
    ^done: %r = evm.mload %s : u256 evm.mstore %p, %r evm.return %p, %w";

// Shows S001-29, S001-74.
#[test]
fn loops_keep_their_state_in_slots() {
    assert_eq!(spec(&entry(SUM, ""), &[10]), [55]);
    assert_eq!(spec(&entry(SUM, ""), &[0]), [0]);
}

const CALLS: &str = "func @diff(%x : u256, %y : u256) -> u256 { ^e: %d = evm.sub %x, %y evm.iret %d }
    func @both(%x : u256, %y : u256) -> (u256, u256) {
      ^e: %s = evm.add %x, %y %d = evm.icall @diff(%x, %y) : u256 evm.iret %s, %d }";

#[test]
fn calls_pass_arguments_and_results_in_order() {
    let body = "%s, %d = evm.icall @both(%a, %b) : u256, u256
        evm.mstore %p, %s %q = evm.ptr_add %p, %w evm.mstore %q, %d
        %two = evm.constant 64 : u256 evm.return %p, %two";
    assert_eq!(spec(&entry(body, CALLS), &[9, 4]), [13, 5]);
}

/// `fib` needs its argument after the first call and its first result after the second.
const FIB: &str = "func @fib(%n : u256) -> u256 {
    ^e: %one = evm.constant 1 : u256 %two = evm.constant 2 : u256 %c = evm.lt %n, %two evm.condbr %c, ^base, ^step
    ^base: evm.iret %n
    ^step: %m = evm.sub %n, %one %f = evm.icall @fib(%m) : u256 %k = evm.sub %n, %two
      %g = evm.icall @fib(%k) : u256 %r = evm.add %f, %g evm.iret %r }";

#[test]
fn recursion_saves_what_lives_across_the_call() {
    let body = "%r = evm.icall @fib(%a) : u256 evm.mstore %p, %r evm.return %p, %w";
    assert_eq!(spec(&entry(body, FIB), &[15]), [610]);
}

/// Slots and spilled values of two functions that call each other.
const MUTUAL: &str = "
    func @even(%n : u256, %acc : u256) -> (u256, u256) {
    ^e: %s = evm.alloca : ptr<0> %one = evm.constant 1 : u256 evm.mstore %s, %n evm.condbr %n, ^step, ^base
    ^base: evm.iret %one, %acc
    ^step: %m = evm.sub %n, %one %t = evm.add %acc, %n %r, %q = evm.icall @odd(%m, %t) : u256, u256
      %k = evm.mload %s : u256 %v = evm.add %q, %k evm.br ^out
    ^out: %x = evm.add %v, %acc evm.iret %r, %x }
    func @odd(%n : u256, %acc : u256) -> (u256, u256) {
    ^e: %s = evm.alloca : ptr<0> %one = evm.constant 1 : u256 %zero = evm.constant 0 : u256
      evm.mstore %s, %acc evm.condbr %n, ^step, ^base
    ^base: evm.iret %zero, %acc
    ^step: %m = evm.sub %n, %one %r, %q = evm.icall @even(%m, %acc) : u256, u256
      %k = evm.mload %s : u256 %v = evm.sub %q, %k evm.iret %r, %v }";

fn mutual(is_even: bool, n: u64, acc: u64) -> (u64, u64) {
    match (is_even, n) {
        (_, 0) => (u64::from(is_even), acc),
        (true, _) => {
            let (r, q) = mutual(false, n - 1, acc + n);
            (r, q + n + acc)
        }
        (false, _) => {
            let (r, q) = mutual(true, n - 1, acc);
            (r, q - acc)
        }
    }
}

#[test]
fn mutual_recursion_keeps_slots_and_values() {
    let body = "%r, %q = evm.icall @even(%a, %b) : u256, u256 evm.mstore %p, %r
        %x = evm.ptr_add %p, %w evm.mstore %x, %q %two = evm.constant 64 : u256 evm.return %p, %two";
    for n in 0..9 {
        let (r, q) = mutual(true, n, 100);
        assert_eq!(spec(&entry(body, MUTUAL), &[n, 100]), [r, q], "n = {n}");
    }
}

// Shows S001-30.
#[test]
fn forty_live_values_are_not_too_deep() {
    let mut body = String::new();
    (0..40).for_each(|i| body += &format!("%c{i} = evm.constant {i} : u256 %v{i} = evm.mul %a, %c{i}\n"));
    body += "%s0 = evm.add %v0, %b\n";
    (1..40).for_each(|i| body += &format!("%s{i} = evm.add %s{}, %v{i}\n", i - 1));
    body += "evm.mstore %p, %s39 evm.return %p, %w";
    assert_eq!(spec(&entry(&body, ""), &[2, 1]), [2 * (39 * 40 / 2) + 1]);
}

#[test]
fn twenty_arguments_and_results_are_not_too_deep() {
    let list = |prefix: &str, suffix: &str| {
        (0..20).map(|i| format!("%{prefix}{i}{suffix}")).collect::<Vec<_>>().join(", ")
    };
    let types = vec!["u256"; 20].join(", ");
    let function = format!(
        "func @reverse({}) -> ({types}) {{ ^e: evm.iret {} }}",
        list("x", " : u256"),
        (0..20).rev().map(|i| format!("%x{i}")).collect::<Vec<_>>().join(", ")
    );
    let mut body = String::new();
    (0..20).for_each(|i| body += &format!("%c{i} = evm.constant {i} : u256 %v{i} = evm.add %a, %c{i}\n"));
    body += &format!("{} = evm.icall @reverse({}) : {types}\n", list("r", ""), list("v", ""));
    body += "%t0 = evm.sub %r0, %r19 evm.mstore %p, %t0 %x = evm.ptr_add %p, %w evm.mstore %x, %r7
        %two = evm.constant 64 : u256 evm.return %p, %two";
    assert_eq!(spec(&entry(&body, &function), &[100]), [19, 112]);
}

#[test]
fn a_call_that_never_comes_back_needs_no_label() {
    let body = "evm.condbr %a, ^bad, ^good ^bad: evm.icall @fail(%b) evm.br ^good
        ^good: evm.mstore %p, %b evm.return %p, %w";
    let fail = "func @fail(%x : u256) { ^e: %z = evm.constant 0 : u256 evm.revert %z, %z }";
    assert_eq!(spec(&entry(body, fail), &[0, 7]), [7]);
}

fn error(text: &str) -> String {
    error_of(text, Mode::Spec)
}

fn error_of(text: &str, mode: Mode) -> String {
    let faults = compile(&parse(text), &options(mode)).expect_err("the program has no stack code");
    faults.iter().map(|fault| fault.message.clone()).collect::<Vec<_>>().join("; ")
}

#[test]
fn values_need_room_for_a_frame() {
    let body = "evm.condbr %a, ^x, ^y ^x: evm.sstore %b, %b evm.stop ^y: evm.stop";
    let text = entry(body, "")
        .replace("module @M", "module @M [noframe]")
        .replace("%p = evm.heap_base 128 : ptr<0>", "");
    assert_eq!(
        error(&text),
        "function `__entry` must keep one value in memory, but all memory is the program's"
    );
}

/// Memory that is no slot has no place where there are no frames, in recursive functions neither.
#[test]
fn memory_needs_room_for_a_frame() {
    let memory = "%s = evm.alloca 64 : ptr<0> %n = evm.constant 64 : u256 %h = evm.keccak256 %s, %n";
    let text = entry(&format!("{memory} evm.sstore %h, %h evm.stop"), "")
        .replace("module @M", "module @M [noframe]")
        .replace("%p = evm.heap_base 128 : ptr<0>", "");
    let message = |name: &str| format!("function `{name}` has an `alloca`, but all memory is the program's");
    assert_eq!(error_of(&text, Mode::Global), message("__entry"));
    let rest = format!(
        "func @f(%x : u256) {{ ^e: {memory} evm.sstore %h, %x evm.condbr %x, ^a, ^b ^a: evm.icall @f(%h)
         evm.iret ^b: evm.iret }}"
    );
    let text = entry("evm.icall @f(%a) evm.stop", &rest)
        .replace("module @M", "module @M [noframe]")
        .replace("%p = evm.heap_base 128 : ptr<0>", "");
    assert_eq!(error_of(&text, Mode::Global), message("f"));
}

#[test]
fn no_room_is_needed_for_values_of_one_block() {
    let text = entry("%c = evm.add %a, %b evm.sstore %a, %c evm.stop", "")
        .replace("module @M", "module @M [noframe]")
        .replace("%p = evm.heap_base 128 : ptr<0>", "");
    assert!(spec(&text, &[1, 2]).is_empty());
}

#[test]
fn an_entry_function_does_not_return() {
    assert_eq!(error(&entry("evm.iret", "")), "entry function `__entry` returns, but nobody called it");
}

/// `@f` passes the address of its memory on, to a function that may come back to it.
#[test]
fn known_memory_of_a_recursive_function_is_an_error() {
    let rest = "func @f(%n : u256, %q : u256) { ^e: %s = evm.alloca : ptr<0> %i = evm.ptrtoint %s : u256
        evm.condbr %n, ^x, ^y ^x: %z = evm.constant 0 : u256 evm.icall @f(%z, %i) evm.iret ^y: evm.iret }";
    let message = error(&entry("evm.icall @f(%a, %b) evm.stop", rest));
    assert_eq!(
        message,
        "function `f` can call itself while the address of an `alloca` of it is known to others"
    );
}

/// Arguments that a function does not look at are not passed, and nothing of them stays behind.
#[test]
fn a_recursive_function_with_memory_calls_others_as_they_are() {
    let rest = "func @f(%n : u256) -> u256 { ^e: %s = evm.alloca 64 : ptr<0> %one = evm.constant 1 : u256
        evm.mstore %s, %n evm.condbr %n, ^x, ^y ^x: %m = evm.sub %n, %one %d = evm.mul %n, %n
        %r = evm.icall @f(%m) : u256 %i, %j = evm.icall @g(%r, %d, %m) : u256, u256
        %u = evm.mload %s : u256 %v = evm.add %u, %i %q = evm.sub %v, %j evm.iret %q ^y: evm.iret %n }
        func @g(%a : u256, %b : u256, %c : u256) -> (u256, u256) { ^e: %d = evm.add %a, %a evm.iret %d, %a }";
    let body = "%r = evm.icall @f(%a) : u256 evm.mstore %p, %r evm.return %p, %w";
    assert_eq!(returned(&entry(body, rest), Mode::Global, &[4]), [1 + 2 + 3 + 4]);
}

/// Memory of two words that only `@f` knows is saved word by word, by the default scheduler too.
#[test]
fn private_memory_of_a_recursive_function_is_saved() {
    let rest = "func @f(%n : u256) -> u256 { ^e: %s = evm.alloca 64 : ptr<0> %w = evm.constant 32 : u256
        %t = evm.ptr_add %s, %w %one = evm.constant 1 : u256 evm.mstore %s, %n evm.mstore %t, %n
        evm.condbr %n, ^x, ^y ^x: %m = evm.sub %n, %one %r = evm.icall @f(%m) : u256
        %u = evm.mload %s : u256 %v = evm.mload %t : u256 %k = evm.mul %u, %v %q = evm.add %k, %r evm.iret %q
        ^y: evm.iret %n }";
    let body = "%r = evm.icall @f(%a) : u256 evm.mstore %p, %r evm.return %p, %w";
    for mode in [Mode::Spec, Mode::Global] {
        assert_eq!(returned(&entry(body, rest), mode, &[4]), [1 + 4 + 9 + 16]);
    }
}

// Shows S000-02, S001-73.
#[test]
fn parameters_of_blocks_are_refused() {
    let body = "evm.br ^next(%a) ^next(%x : u256): evm.mstore %p, %x evm.return %p, %w";
    let module = parse(&entry(body, ""));
    let faults = compile(&module, &options(Mode::Spec)).expect_err("they are not canonical");
    assert!(format!("{faults:?}").contains("not canonical"), "{faults:?}");
    assert_eq!(returned(&entry(body, ""), Mode::Global, &[7]), [7]);
}
