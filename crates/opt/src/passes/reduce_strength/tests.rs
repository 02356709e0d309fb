//! Loops before and after.

use super::run;
use crate::pass::Changed;
use crate::passes::dce;
use crate::testing::run_on_body;

/// A loop that counts `%i`: how it starts, what its head tests, what a round does and what it goes on with.
struct Loop<'a> {
    before: &'a str,
    start: &'a str,
    test: &'a str,
    round: &'a str,
    next: &'a str,
    after: &'a str,
}

const WORDS: Loop<'_> = Loop {
    before: "",
    start: "%zero",
    test: "%goes = evm.lt %i, %n : bool",
    round: "%k = evm.shl %five, %i : u256
            %m = evm.add %k, %word : u256
            %at = evm.add %base, %m : u256
            %x = evm.mload %at : u256
            evm.log0 %x, %zero",
    next: "%next = evm.add %i, %one : u256",
    after: "",
};

impl Loop<'_> {
    fn reduced(&self) -> (Changed, String) {
        let Loop { before, start, test, round, next, after } = self;
        let text = format!(
            "^e:
               %zero = evm.constant 0 : u256
               %one = evm.constant 1 : u256
               %five = evm.constant 5 : u256
               %word = evm.constant 32 : u256
               {before}
               evm.br ^head({start})
             ^head(%i : u256):
               {test}
               evm.condbr %goes, ^body, ^done
             ^body:
               {round}
               {next}
               evm.br ^head(%next)
             ^done:
               {after}
               evm.stop"
        );
        run_on_body("(%base : u256, %n : u256, %y : u256)", &text, &[run, dce::run])
    }

    /// True if the loop counts by ones still.
    fn keeps_counter(&self) -> bool {
        self.reduced().1.contains("evm.add %i,")
    }
}

#[test]
fn addresses_grow_and_the_test_asks_for_the_last() {
    let (changed, text) = WORDS.reduced();
    let expected = "^e:
%zero = evm.constant 0 : u256
%0 = evm.constant 32 : u256
%1 = evm.add %base, %0 : u256
%2 = evm.constant 5 : u256
%3 = evm.shl %2, %n : u256
%4 = evm.add %base, %3 : u256
%5 = evm.constant 32 : u256
%6 = evm.add %4, %5 : u256
%7 = evm.constant 251 : u256
%8 = evm.shr %7, %n : u256
%9 = evm.add %6, %8 : u256
evm.br ^head(%1)
^head(%10 : u256):
%11 = evm.xor %10, %9 : u256
evm.condbr %11, ^body, ^done
^body:
%x = evm.mload %10 : u256
evm.log0 %x, %zero
%12 = evm.constant 32 : u256
%13 = evm.add %10, %12 : u256
evm.br ^head(%13)
^done:
evm.stop";
    assert_eq!((changed, text.as_str()), (Changed::Yes, expected));
}

#[test]
fn a_bound_that_loses_no_bits_is_only_shifted() {
    let before = "%far = evm.shr %word, %n : u256
                  evm.condbr %far, ^big, ^small
                ^big:
                  evm.revert %zero, %zero
                ^small:";
    assert!(!Loop { before, ..WORDS }.reduced().1.contains("251"));
    let before =
        before.replace("%word, %n", "%big, %n").replacen("%far", "%big = evm.constant 253 : u256\n%far", 1);
    assert!(Loop { before: &before, ..WORDS }.reduced().1.contains("251"));
}

#[test]
fn the_counter_stays_where_it_is_asked_something_else() {
    let kept = [
        Loop { start: "%one", ..WORDS },
        Loop { start: "%y", ..WORDS },
        Loop { next: "%next = evm.add %i, %word : u256", ..WORDS },
        Loop { test: "%goes = evm.gt %i, %n : bool", ..WORDS },
        Loop { test: "%goes = evm.slt %i, %n : bool", ..WORDS },
        Loop { test: "%goes = evm.eq %i, %n : bool", ..WORDS },
        Loop { test: "%bound = evm.mload %n : u256\n%goes = evm.lt %i, %bound : bool", ..WORDS },
        Loop { test: "%goes = evm.lt %i, %n : bool\nevm.log0 %goes, %zero", ..WORDS },
        Loop { after: "evm.log0 %i, %zero", ..WORDS },
        Loop { round: &format!("{}\nevm.log0 %i, %zero", WORDS.round), ..WORDS },
        Loop { next: "%next = evm.add %i, %one : u256\nevm.log0 %next, %zero", ..WORDS },
    ];
    for (at, case) in kept.iter().enumerate() {
        assert!(case.keeps_counter(), "case {at}: {}", case.reduced().1);
    }
    let gone = [
        Loop { test: "%goes = evm.gt %n, %i : bool", ..WORDS },
        Loop { test: "%goes = evm.xor %i, %n : u256", ..WORDS },
        Loop { test: "%goes = evm.sub %n, %i : u256", ..WORDS },
    ];
    for (at, case) in gone.iter().enumerate() {
        assert!(!case.keeps_counter(), "case {at}: {}", case.reduced().1);
    }
}

#[test]
fn a_counter_of_any_start_and_step_leads_others() {
    let (_, text) = Loop {
        start: "%y",
        next: "%three = evm.constant 3 : u256\n%next = evm.add %i, %three : u256",
        ..WORDS
    }
    .reduced();
    let (before, round) = text.split_once("^head(").expect("the loop is there");
    assert!(before.contains("evm.shl %0, %y"), "the first address is that of the start:\n{text}");
    assert!(round.contains("evm.constant 96"), "an address grows by three words:\n{text}");
    let (_, text) = Loop { next: "%next = evm.sub %i, %one : u256", ..WORDS }.reduced();
    let down = "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe0";
    assert!(text.contains(down), "or goes down:\n{text}");
}

#[test]
fn a_test_whose_ways_both_go_on_decides_nothing_of_the_end() {
    let test = "%small = evm.lt %i, %n : bool
                evm.condbr %small, ^one, ^two
              ^one:
                evm.log0 %n, %zero
                evm.br ^more
              ^two:
                evm.br ^more
              ^more:
                %goes = evm.mload %y : u256";
    let (_, text) = Loop { test, ..WORDS }.reduced();
    assert!(text.contains("evm.lt %i, %n"), "{text}");
}

#[test]
fn factors_that_are_neither_odd_nor_a_shift_keep_the_test() {
    let of = |factor: &str| {
        let round = WORDS.round.replace("evm.shl %five, %i", "evm.mul %i, %f");
        let before = format!("%f = evm.constant {factor} : u256");
        Loop { before: &before, round: &round, ..WORDS }.keeps_counter()
    };
    assert_eq!(["3", "7", "6", "96", "64"].map(of), [false, false, true, true, false]);
}

#[test]
fn words_that_differ_by_a_constant_share_a_counter() {
    let round = format!(
        "{}
         %o = evm.sub %at, %word : u256
         %z = evm.mload %o : u256
         evm.log0 %z, %zero",
        WORDS.round
    );
    let (_, text) = Loop { round: &round, ..WORDS }.reduced();
    assert!(text.contains("^head(%10 : u256)"), "{text}");
}

#[test]
fn words_of_two_arrays_are_two_counters() {
    let round = format!(
        "{}
         %o = evm.add %y, %k : u256
         %z = evm.mload %o : u256
         evm.log0 %z, %zero",
        WORDS.round
    );
    let case = Loop { round: &round, ..WORDS };
    let head = |text: &str| {
        text.lines().find(|line| line.starts_with("^head(")).map(|line| line.matches(':').count())
    };
    assert_eq!(head(&case.reduced().1), Some(3), "{}", case.reduced().1);
    assert!(!case.keeps_counter());
}

#[test]
fn what_is_not_linear_stays() {
    for round in [
        "%k = evm.mul %i, %y : u256\nevm.log0 %k, %zero",
        "%k = evm.shl %i, %y : u256\nevm.log0 %k, %zero",
        "%k = evm.shr %one, %i : u256\nevm.log0 %k, %zero",
        "%k = evm.mul %i, %i : u256\nevm.log0 %k, %zero",
        "%k = evm.mload %y : u256\n%l = evm.add %i, %k : u256\nevm.log0 %l, %zero",
    ] {
        let (_, text) = Loop { round, ..WORDS }.reduced();
        assert!(text.contains("^head(%i : u256)"), "{text}");
    }
}

#[test]
fn ways_back_that_add_something_else_make_no_counter() {
    let next = "evm.condbr %y, ^one, ^two
              ^one:
                %far = evm.add %i, %word : u256
                evm.br ^head(%far)
              ^two:
                %next = evm.add %i, %one : u256";
    let (_, text) = Loop { next, ..WORDS }.reduced();
    assert!(text.contains("^head(%i : u256)"), "{text}");
}

#[test]
fn both_ways_of_a_branch_may_lead_back() {
    let text = "^e:
          %zero = evm.constant 0 : u256
          %one = evm.constant 1 : u256
          %five = evm.constant 5 : u256
          evm.br ^head(%zero, %zero)
        ^head(%i : u256, %sum : u256):
          %goes = evm.lt %i, %n : bool
          evm.condbr %goes, ^body, ^done
        ^body:
          %k = evm.shl %five, %i : u256
          %at = evm.add %base, %k : u256
          %x = evm.mload %at : u256
          %next = evm.add %i, %one : u256
          evm.condbr %x, ^head(%next, %x), ^head(%next, %sum)
        ^done:
          evm.mstore %zero, %sum
          evm.stop";
    let (_, text) = run_on_body("(%base : u256, %n : u256)", text, &[run, dce::run]);
    let back = text.lines().find(|line| line.starts_with("evm.condbr %x")).unwrap_or_default();
    assert_eq!(back.matches(',').count(), 4, "two words each way: {back}");
    assert!(!text.contains("evm.add %i,"), "{text}");
}

#[test]
fn counters_in_step_leave_one() {
    let text = "^e:
          %zero = evm.constant 0 : u256
          %one = evm.constant 1 : u256
          %word = evm.constant 32 : u256
          evm.br ^head(%zero, %base)
        ^head(%i : u256, %at : u256):
          %goes = evm.lt %i, %n : bool
          evm.condbr %goes, ^body, ^done
        ^body:
          %x = evm.mload %at : u256
          evm.log0 %x, %zero
          %next = evm.add %i, %one : u256
          %more = evm.add %at, %word : u256
          evm.br ^head(%next, %more)
        ^done:
          evm.stop";
    let (_, text) = run_on_body("(%base : u256, %n : u256)", text, &[run, dce::run]);
    assert!(text.contains("^head(%at : u256)") && text.contains("evm.xor %at,"), "{text}");
}

#[test]
fn a_loop_that_a_branch_enters_gets_a_block_before_it() {
    let before = "evm.condbr %y, ^done, ^other
                ^other:";
    let straight = Loop { before, ..WORDS }.reduced();
    assert_eq!(straight.0, Changed::Yes);
    let text = "^e:
          %zero = evm.constant 0 : u256
          %one = evm.constant 1 : u256
          %five = evm.constant 5 : u256
          evm.condbr %y, ^head(%zero), ^done
        ^head(%i : u256):
          %goes = evm.lt %i, %n : bool
          evm.condbr %goes, ^body, ^done
        ^body:
          %k = evm.shl %five, %i : u256
          %at = evm.add %base, %k : u256
          %x = evm.mload %at : u256
          evm.log0 %x, %zero
          %next = evm.add %i, %one : u256
          evm.br ^head(%next)
        ^done:
          evm.stop";
    let (_, text) = run_on_body("(%base : u256, %n : u256, %y : u256)", text, &[run, dce::run]);
    let entry = text.split("^head(").next().unwrap_or_default();
    assert!(
        entry.contains("evm.shl") && entry.lines().filter(|line| line.starts_with('^')).count() == 2,
        "{text}"
    );
}
