//! What moves to scratch, and what stays.

use super::*;
use crate::options::Options;
use crate::pipeline::pass;
use crate::runner::{Hooks, run_passes};
use crate::testing::{POINTER_SET, body, parse};

/// The function of the texts, and one that it may call.
const ENTRY: u32 = 0;
const LOG_IT: u32 = 2;

/// True if the buffer of the text, which hashes or logs what is at `%p`, is built in scratch. `%p` is
/// the pointer to free memory, `%q` the word behind it.
fn goes(text: &str) -> bool {
    goes_in(ENTRY, text)
}

fn goes_in(func: u32, text: &str) -> bool {
    let (before, after) = run_in(func, text);
    let zeros = |text: &str| text.matches("constant 0 ").count();
    zeros(&before) != zeros(&after)
}

/// A function before and after.
fn run_in(func: u32, text: &str) -> (String, String) {
    let mut module = parse(&format!(
        "module @m {{
         func @__entry() {{
           {POINTER_SET}
           %two = evm.constant 64 : u256
           %q = evm.add %p, %word : u256
           {text} }}
         func @read(%at : u256) -> u256 {{
         ^e:
           %y = evm.mload %at : u256
           evm.iret %y
         }}
         func @log_it(%x : u256) {{
         ^e:
           %k = evm.constant 64 : u256
           %n = evm.constant 32 : u256
           %b = evm.mload %k : u256
           evm.mstore %b, %x
           evm.log0 %b, %n
           evm.iret
         }} }}"
    ));
    module.record_reserved();
    let passes = ["promote", "free-pointer", "relocate-buffers"].map(|name| *pass(name).expect("it exists"));
    let id = Func::from_u32(func);
    let before = body(&module, id);
    run_passes(&mut module, &passes, &Options::default(), Hooks::default()).expect("no hook rejects");
    (before, body(&module, id))
}

const LOGGED: &str = "evm.mstore %p, %x evm.mstore %q, %zero evm.log1 %p, %two, %x";

#[test]
fn what_is_logged_or_hashed_goes() {
    assert!(goes(&format!("{LOGGED} evm.stop")));
    assert!(goes("evm.mstore %p, %x %h = evm.keccak256 %p, %word : u256 evm.sstore %h, %x evm.stop"));
}

#[test]
fn what_is_read_again_stays() {
    assert!(!goes(&format!("{LOGGED} %y = evm.mload %q : u256 evm.sstore %y, %x evm.stop")));
    assert!(!goes(&format!("{LOGGED} %y = evm.mload %x : u256 evm.sstore %y, %x evm.stop")));
    assert!(!goes(&format!("{LOGGED} %y = evm.icall @read(%p) : u256 evm.sstore %y, %x evm.stop")));
}

#[test]
fn scratch_that_is_in_use_stays() {
    let scratch = "evm.mstore %zero, %x";
    let read = "%y = evm.mload %zero : u256 evm.sstore %y, %x evm.stop";
    assert!(!goes(&format!("{scratch} {LOGGED} {read}")));
    assert!(goes(&format!("{scratch} {LOGGED} {scratch} evm.mstore %word, %x {read}")));
    assert!(!goes(&format!(
        "{scratch} {LOGGED} %y = evm.icall @read(%zero) : u256 evm.sstore %y, %x evm.stop"
    )));
}

#[test]
fn callers_may_use_scratch() {
    let call = "evm.icall @log_it(%x)";
    assert!(goes_in(LOG_IT, &format!("{call} evm.stop")));
    assert!(!goes_in(
        LOG_IT,
        &format!("evm.mstore %zero, %x {call} %y = evm.mload %zero : u256 evm.sstore %y, %x evm.stop")
    ));
    assert!(goes_in(
        LOG_IT,
        &format!(
            "evm.mstore %zero, %x {call} evm.mstore %zero, %x %y = evm.mload %zero : u256 evm.sstore %y, %x evm.stop"
        )
    ));
}

#[test]
fn bytes_that_are_not_stored_and_what_is_between_stay() {
    assert!(!goes("evm.mstore %p, %x evm.log1 %p, %two, %x evm.stop"));
    assert!(!goes("evm.mstore %q, %x evm.log1 %p, %two, %x evm.stop"));
    assert!(!goes(
        "evm.mstore %p, %x %y = evm.mload %x : u256 evm.mstore %q, %y evm.log1 %p, %two, %x evm.stop"
    ));
    assert!(!goes("evm.mstore %p, %x evm.mstore %zero, %x evm.mstore %q, %x evm.log1 %p, %two, %x evm.stop"));
}

/// A call with a selector and a word, whose answer lies where its input was, and the branch that fails when
/// less than `%least` bytes are returned. The way on begins with `%y`, which is loaded.
const CALLED: &str =
    "%sel = evm.constant 0x70a0823100000000000000000000000000000000000000000000000000000000 : u256
    %four = evm.constant 4 : u256
    %len = evm.constant 36 : u256
    %arg = evm.add %p, %four : u256
    evm.mstore %p, %sel
    evm.mstore %arg, %x
    %ok = evm.staticcall %len, %x, %p, %len, %p, %word : bool";
const CHECKED: &str = "%n = evm.returndatasize : u256
    %short = evm.gt %word, %n : bool
    evm.condbr %short, ^short, ^on
  ^short:
    evm.revert %zero, %zero
  ^on:";
const LOADED: &str = "%y = evm.mload %p : u256 evm.sstore %y, %ok";

#[test]
fn what_a_call_reads_and_gives_back_goes() {
    assert!(goes(&format!("{CALLED} {CHECKED} {LOADED} evm.stop")));
    assert!(goes(&format!(
        "{CALLED} {CHECKED} evm.mstore %two, %q {LOADED} evm.mstore %p, %x evm.return %p, %word"
    )));
    assert!(goes(&format!("{CALLED} evm.sstore %x, %ok evm.stop")));
    let other_way = CHECKED.replace("gt %word, %n", "lt %n, %word");
    assert!(goes(&format!("{CALLED} {other_way} {LOADED} evm.stop")));
}

#[test]
fn an_answer_that_may_be_short_stays() {
    assert!(!goes(&format!("{CALLED} {LOADED} evm.stop")));
    let less = CHECKED.replace("gt %word", "gt %four");
    assert!(!goes(&format!("{CALLED} {less} {LOADED} evm.stop")));
    let of_another_call =
        format!("%m = evm.returndatasize : u256 {CALLED} {}", CHECKED.replace("%word, %n", "%word, %m"));
    assert!(!goes(&format!("{of_another_call} {LOADED} evm.stop")));
    let loaded_before = CHECKED.replace("%short =", "%y = evm.mload %p : u256 evm.sstore %y, %ok %short =");
    assert!(!goes(&format!("{CALLED} {loaded_before} evm.stop")));
    let the_other_way = CHECKED.replace("^short, ^on", "^on, ^short");
    assert!(!goes(&format!("{CALLED} {the_other_way} {LOADED} evm.stop")));
}

#[test]
fn an_answer_that_is_read_otherwise_stays() {
    assert!(!goes(&format!("{CALLED} {CHECKED} {LOADED} evm.log1 %p, %word, %x evm.stop")));
    assert!(!goes(&format!("{CALLED} {CHECKED} evm.sstore %x, %x evm.return %p, %word")));
    // Loaded behind another use of memory, and where another way joins.
    assert!(!goes(&format!("{CALLED} {CHECKED} evm.mstore %q, %x {LOADED} evm.stop")));
    assert!(!goes(&format!("{CALLED} {CHECKED} %z = evm.mload %arg : u256 evm.sstore %z, %x evm.stop")));
    let joined = "evm.condbr %x, ^one, ^two ^one: evm.br ^both ^two: evm.br ^both ^both:";
    assert!(!goes(&format!("{CALLED} {CHECKED} {joined} {LOADED} evm.stop")));
}

#[test]
fn scratch_in_use_around_a_call_stays() {
    let read = "%z = evm.mload %word : u256 evm.sstore %z, %x evm.stop";
    assert!(!goes(&format!("evm.mstore %word, %x {CALLED} {CHECKED} {LOADED} {read}")));
    assert!(goes(&format!("evm.mstore %word, %x {CALLED} {CHECKED} {LOADED} evm.mstore %word, %x {read}")));
}

/// The entry when everything ran on the text.
fn relocated(text: &str) -> String {
    run_in(ENTRY, text).1
}

#[test]
fn a_selector_ends_a_word_if_it_is_stored_first_and_nothing_lies_beside_it() {
    let selector_at_end = "constant 0x70a08231 ";
    let call = |stores: &str| {
        let head = CALLED.split("evm.mstore").next().expect("there is a first part");
        relocated(
            &format!(
                "{head} %near = evm.add %p, %near_by : u256 {stores}
             %ok = evm.staticcall %len, %x, %p, %len, %zero, %zero : bool evm.stop"
            )
            .replace("%sel =", "%near_by = evm.constant 2 : u256 %sel ="),
        )
    };
    assert!(call("evm.mstore %p, %sel evm.mstore %arg, %x").contains(selector_at_end));
    assert!(!call("evm.mstore %arg, %x evm.mstore %p, %sel").contains(selector_at_end));
    let beside = "evm.mstore %p, %sel evm.mstore %near, %x evm.mstore %arg, %x";
    assert!(!call(beside).contains(selector_at_end));
}

#[test]
fn each_word_of_an_answer_is_loaded_where_it_is() {
    let called = CALLED.replace("%len, %p, %word", "%len, %p, %two");
    let check = |least: &str| CHECKED.replace("gt %word", &format!("gt {least}"));
    let both = "%y = evm.mload %p : u256 %z = evm.mload %q : u256 evm.sstore %y, %z evm.stop";
    let text = relocated(&format!("{called} {} {both}", check("%two")));
    let (first, second) = text.split_once("%y = ").expect("it is loaded");
    assert!(first.trim_end().ends_with("constant 0 : u256"), "{text}");
    assert!(second.contains("constant 32 : u256\n%z = "), "{text}");
    let one_less = format!("%almost = evm.constant 63 : u256 {called} {} {both}", check("%almost"));
    assert!(!goes(&one_less));
}
