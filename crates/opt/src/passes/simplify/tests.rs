//! The pass on small functions: what fires, and what must not.

use crate::pass::Changed;
use crate::passes::{dce, simplify_cfg};
use crate::testing::{body, lines, parse, run_on_body, run_on_module};
use cairn_ir::Func;

/// The body after the pass and the clean-ups that follow it.
fn simplified(header: &str, text: &str) -> String {
    run_on_body(header, text, &[super::run, dce::run, simplify_cfg::run, dce::run]).1
}

/// Checks that nothing is changed.
#[track_caller]
fn unchanged(header: &str, text: &str) {
    let (changed, after) = run_on_body(header, text, &[super::run]);
    assert_eq!(changed, Changed::No, "{after}");
}

#[test]
fn constants_fold_and_repeated_computations_are_shared() {
    let text = simplified(
        "(%x : u256) -> (u256, u256)",
        "^e:
           %a = evm.constant 3 : u256
           %b = evm.constant 4 : u256
           %c = evm.add %a, %b : u256
           %d = evm.add %x, %c : u256
           %e = evm.add %b, %x : u256
           %f = evm.add %e, %a : u256
           evm.iret %d, %f",
    );
    let expected = "^e:
           %0 = evm.constant 7 : u256
           %d = evm.add %x, %0 : u256
           evm.iret %d, %d";
    assert_eq!(text, lines(expected));
}

#[test]
fn an_address_check_becomes_one_shift_and_makes_the_mask_superfluous() {
    let text = simplified(
        "(%x : u256) -> u256",
        "^e:
           %mask = evm.constant 0xffffffffffffffffffffffffffffffffffffffff : u256
           %m = evm.and %x, %mask : u256
           %same = evm.eq %x, %m : bool
           %bad = evm.iszero %same : bool
           evm.condbr %bad, ^fail, ^ok
         ^fail:
           evm.invalid
         ^ok:
           %again = evm.and %mask, %x : u256
           evm.iret %again",
    );
    let expected = "^e:
           %0 = evm.constant 160 : u256
           %1 = evm.shr %0, %x : u256
           evm.condbr %1, ^fail, ^ok
         ^fail:
           evm.invalid
         ^ok:
           evm.iret %x";
    assert_eq!(text, lines(expected));
}

#[test]
fn a_branch_tells_what_its_condition_is() {
    let text = simplified(
        "(%x : u256, %y : u256)",
        "^e:
           %lt = evm.lt %x, %y : bool
           evm.condbr %lt, ^a, ^b
         ^a:
           %again = evm.gt %y, %x : bool
           evm.sstore %x, %again
           evm.stop
         ^b:
           evm.sstore %y, %lt
           evm.stop",
    );
    let expected = "^e:
           %0 = evm.constant false : bool
           %1 = evm.constant true : bool
           %lt = evm.lt %x, %y : bool
           evm.condbr %lt, ^a, ^b
         ^a:
           evm.sstore %x, %1
           evm.stop
         ^b:
           evm.sstore %y, %0
           evm.stop";
    assert_eq!(text, lines(expected));
}

#[test]
fn a_loop_counter_below_its_bound_cannot_overflow() {
    let text = simplified(
        "(%n : u256)",
        "^e:
           %zero = evm.constant 0 : u256
           evm.br ^head(%zero)
         ^head(%i : u256):
           %more = evm.lt %i, %n : bool
           evm.condbr %more, ^body, ^done
         ^body:
           %max = evm.constant -1 : u256
           %overflows = evm.eq %i, %max : bool
           evm.condbr %overflows, ^panic, ^next
         ^next:
           %one = evm.constant 1 : u256
           %j = evm.add %i, %one : u256
           evm.br ^head(%j)
         ^panic:
           evm.invalid
         ^done:
           evm.stop",
    );
    assert!(!text.contains("panic") && !text.contains("evm.eq"), "{text}");
}

#[test]
fn tests_of_bounds_under_a_branch_are_shifts() {
    let text = simplified(
        "(%x : u256, %y : u256)",
        "^e:
           %max = evm.constant 0xffffffffffffffff : u256
           %big = evm.gt %x, %max : bool
           %same = evm.eq %x, %y : bool
           %other = evm.iszero %same : bool
           %bad = evm.or %big, %other : bool
           evm.condbr %bad, ^fail, ^ok
         ^fail:
           evm.invalid
         ^ok:
           %again = evm.gt %x, %max : bool
           evm.sstore %again, %x
           evm.stop",
    );
    let expected = "^e:
           %0 = evm.constant false : bool
           %1 = evm.constant 64 : u256
           %2 = evm.shr %1, %x : u256
           %3 = evm.xor %x, %y : u256
           %4 = evm.or %2, %3 : u256
           evm.condbr %4, ^fail, ^ok
         ^fail:
           evm.invalid
         ^ok:
           evm.sstore %0, %x
           evm.stop";
    assert_eq!(text, lines(expected));
}

#[test]
fn a_conjunction_of_tests_keeps_them() {
    // Both values may be other than zero without a common bit.
    let text = simplified(
        "(%x : u256, %y : u256)",
        "^e:
           %a = evm.iszero %x : bool
           %b = evm.iszero %a : bool
           %c = evm.iszero %y : bool
           %d = evm.iszero %c : bool
           %both = evm.and %b, %d : bool
           evm.condbr %both, ^good, ^bad
         ^good:
           evm.stop
         ^bad:
           evm.invalid",
    );
    assert!(text.contains("evm.and %b, %d") || text.contains("evm.or %a, %c"), "{text}");
}

#[test]
fn what_one_branch_tells_is_not_believed_on_the_other() {
    unchanged(
        "(%x : u256, %y : u256)",
        "^e:
           %lt = evm.lt %x, %y : bool
           evm.condbr %lt, ^a, ^b
         ^a:
           evm.br ^c
         ^b:
           evm.br ^c
         ^c:
           %again = evm.eq %x, %y : bool
           evm.sstore %x, %again
           evm.sstore %y, %lt
           evm.stop",
    );
}

#[test]
fn a_computation_in_one_arm_does_not_lead_the_other() {
    unchanged(
        "(%c : bool, %x : u256, %y : u256)",
        "^e:
           evm.condbr %c, ^a, ^b
         ^a:
           %s = evm.add %x, %y : u256
           evm.sstore %s, %s
           evm.stop
         ^b:
           %t = evm.add %x, %y : u256
           evm.sstore %t, %y
           evm.stop",
    );
}

#[test]
fn effects_and_observations_are_not_shared() {
    unchanged(
        "(%x : u256)",
        "^e:
           %a = evm.gas : u256
           %b = evm.gas : u256
           %d = evm.sub %a, %b : u256
           %l = evm.sload %x : u256
           evm.sstore %x, %d
           %m = evm.sload %x : u256
           evm.sstore %l, %m
           %p = evm.alloca 32 : ptr<0>
           %q = evm.alloca 32 : ptr<0>
           evm.mstore %p, %x
           evm.mstore %q, %d
           evm.stop",
    );
}

#[test]
fn a_mask_that_matters_stays() {
    unchanged(
        "(%x : u256) -> u256",
        "^e:
           %mask = evm.constant 0xff : u256
           %m = evm.and %x, %mask : u256
           evm.iret %m",
    );
}

#[test]
fn a_bool_result_keeps_its_type() {
    let text = simplified(
        "(%x : u256) -> bool",
        "^e:
           %one = evm.constant 1 : u256
           %b = evm.and %x, %one : u256
           %c = evm.iszero %b : bool
           %d = evm.iszero %c : bool
           evm.iret %d",
    );
    assert!(text.contains("%d = evm.iszero %c : bool") && text.ends_with("evm.iret %d"), "{text}");
}

#[test]
fn switches_lose_cases_that_cannot_be() {
    let text = simplified(
        "(%x : u256)",
        "^e:
           %k = evm.constant 248 : u256
           %b = evm.shr %k, %x : u256
           evm.switch %b, default ^d
             case 7 -> ^a
             case 256 -> ^d2
         ^a:
           evm.sstore %b, %b
           evm.stop
         ^d2:
           evm.invalid
         ^d:
           evm.stop",
    );
    assert!(text.contains("case 7") && !text.contains("case 256"), "{text}");
    assert!(!text.contains("evm.sstore %b, %b"), "in the case the value is known: {text}");
}

#[test]
fn code_behind_a_branch_never_taken_does_not_spoil_facts() {
    let text = simplified(
        "(%x : u256)",
        "^e:
           %zero = evm.constant 0 : u256
           %one = evm.constant 1 : u256
           evm.condbr %zero, ^never, ^always
         ^never:
           evm.br ^join(%x)
         ^always:
           evm.br ^join(%one)
         ^join(%p : u256):
           evm.sstore %p, %p
           evm.stop",
    );
    let expected = "^e:
           %one = evm.constant 1 : u256
           evm.sstore %one, %one
           evm.stop";
    assert_eq!(text, lines(expected));
}

const CHECKS: &str = "func @check(%x : u256) -> u256 {
   ^e:
     evm.condbr %x, ^good, ^bad
   ^bad:
     evm.mstore %x, %x
     evm.revert %x, %x
   ^good:
     %n = evm.not %x : u256
     evm.iret %n
   }
   func @reads(%x : u256) -> u256 {
   ^e:
     %s = evm.sload %x : u256
     evm.iret %s
   }";

/// The body of the first function of a module with checks to call.
fn with_checks(text: &str) -> String {
    let mut module = parse(&format!("module @m {{ func @f(%x : u256, %y : u256) {{ {text} }} {CHECKS} }}"));
    run_on_module(&mut module, &[super::run]);
    body(&module, Func::from_u32(0))
}

#[test]
fn a_check_that_was_passed_is_not_made_again() {
    let text = with_checks(
        "^e:
           %a = evm.icall @check(%x) : u256
           %b = evm.icall @check(%y) : u256
           %c = evm.icall @check(%x) : u256
           evm.sstore %b, %c
           evm.stop",
    );
    let expected = "^e:
           %a = evm.icall @check(%x) : u256
           %b = evm.icall @check(%y) : u256
           evm.sstore %b, %a
           evm.stop";
    assert_eq!(text, lines(expected));
}

#[test]
fn calls_that_read_what_can_change_are_made_again() {
    let text = with_checks(
        "^e:
           %a = evm.icall @reads(%x) : u256
           evm.sstore %x, %y
           %b = evm.icall @reads(%x) : u256
           evm.sstore %a, %b
           evm.stop",
    );
    assert_eq!(text.matches("icall").count(), 2);
}

#[test]
fn an_edge_passes_what_fits_the_parameter() {
    let text = simplified(
        "(%x : u256, %c : bool)",
        "^e:
           %one = evm.constant 1 : u256
           %low = evm.and %x, %one : u256
           %bit = evm.and %low, %one : bool
           evm.condbr %c, ^join(%bit), ^join(%c)
         ^join(%p : bool):
           evm.sstore %p, %p
           evm.stop",
    );
    assert!(text.contains("^join(%bit)"), "{text}");
}

#[test]
fn memory_of_no_bytes_begins_at_zero() {
    let text = |length: &str| {
        simplified(
            "(%x : u256)",
            &format!(
                "^e:
                   %z = evm.constant 0 : u256
                   %n = evm.constant {length} : u256
                   evm.log1 %x, %n, %x
                   %ok = evm.call %x, %x, %z, %x, %z, %x, %n : bool
                   evm.revert %x, %n"
            ),
        )
    };
    let nothing = text("0");
    for line in ["evm.log1 %z, %z, %x", "evm.call %x, %x, %z, %z, %z, %z, %z", "evm.revert %z, %z"] {
        assert!(nothing.contains(line), "{nothing}");
    }
    let some = text("1");
    for line in ["evm.log1 %x, %n, %x", "evm.call %x, %x, %z, %z, %z, %x, %n", "evm.revert %x, %n"] {
        assert!(some.contains(line), "{some}");
    }
}
