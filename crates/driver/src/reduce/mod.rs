//! Makes a program smaller while it still has a property: that a command fails on it, say.
//!
//! Only programs that are valid are offered to the caller, so that what is left is a program and
//! not a syntax error. Edits are tried one after the other until a whole round helps no more; what
//! is returned has the property, or is the text that was given.

mod ir;
mod yul;

use crate::input::Language;

/// The smallest program found that has the property that `text` has, until `is_stopped`; what
/// `has_property` says while that becomes true counts for nothing. Languages that have no edits
/// (assembly, bytecode) come back as they are.
pub fn reduce(
    text: &str,
    language: Language,
    has_property: &mut dyn FnMut(&str) -> bool,
    is_stopped: &dyn Fn() -> bool,
) -> String {
    match language {
        Language::Yul => by_edits(text, yul::edited, yul::is_valid, has_property, is_stopped),
        Language::EvmIr => by_edits(text, ir::edited, ir::is_valid, has_property, is_stopped),
        Language::Asm | Language::Hex => text.to_owned(),
    }
}

/// A program as the edits write it, so that what an edit changes is all that changes; `None` if it is faulty, or in a
/// language that has no edits.
pub fn printed(text: &str, language: Language) -> Option<String> {
    match language {
        Language::Yul => yul::printed(text),
        Language::EvmIr => ir::printed(text),
        Language::Asm | Language::Hex => None,
    }
}

fn by_edits(
    text: &str,
    edited: fn(&str, usize) -> Option<String>,
    is_valid: fn(&str) -> bool,
    has_property: &mut dyn FnMut(&str) -> bool,
    is_stopped: &dyn Fn() -> bool,
) -> String {
    let mut best = text.to_owned();
    loop {
        let length = best.len();
        let mut edit = 0;
        while let Some(candidate) = edited(&best, edit) {
            let is_better = candidate.len() < best.len() && is_valid(&candidate) && has_property(&candidate);
            if is_stopped() {
                return best;
            }
            if is_better {
                best = candidate;
            } else {
                edit += 1;
            }
        }
        if best.len() == length {
            return best;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn yul_keeps_what_it_must() {
        let text = "{ let amount := add(1, 2) if amount { for { let i := 0 } lt(i, 3) { i := add(i, 1) } { sstore(amount, 5) } } mstore(0, amount) }";
        let mut n_asked = 0;
        let small = reduce(
            text,
            Language::Yul,
            &mut |candidate| {
                n_asked += 1;
                assert!(yul::is_valid(candidate), "{candidate}");
                candidate.contains("sstore")
            },
            &|| false,
        );
        assert_eq!(small, "{ sstore(0, 5) }");
        assert!(n_asked > 3);
    }

    #[test]
    fn ir_keeps_what_it_must() {
        let text = "module @m {
  func @__entry() {
  ^e:
    %a = evm.constant 7 : u256
    %b = evm.sload %a : u256
    %c = evm.add %a, %b : u256
    evm.condbr %b, ^x, ^y
  ^x:
    %r = evm.icall @f(%c) : u256
    evm.sstore %c, %r
    evm.stop
  ^y:
    evm.mstore %a, %c
    evm.stop
  }
  func @f(%p : u256) -> u256 {
  ^e:
    %s = evm.mul %p, %p : u256
    evm.iret %s
  }
  func @g() {
  ^e:
    evm.stop
  }
}
";
        let small = reduce(
            text,
            Language::EvmIr,
            &mut |candidate| {
                assert!(ir::is_valid(candidate), "{candidate}");
                candidate.contains("evm.mul")
            },
            &|| false,
        );
        let expected = "module @m {
  func @f(%p : u256) -> u256 {
    %s = evm.mul %p, %p : u256
  }
}
";
        assert_eq!(small, expected);
    }

    #[test]
    fn programs_are_printed_as_edits_write_them() {
        let text = "{ // text\n  sstore(0,  5) }";
        assert_eq!(printed(text, Language::Yul).as_deref(), Some("{ sstore(0, 5) }"));
        assert_eq!(printed("{ sstore(0 }", Language::Yul), None);
        let module = printed("module @m { func @f() { evm.stop } }", Language::EvmIr).expect("it is valid");
        assert_eq!(module.lines().filter(|line| line.trim() == "evm.stop").count(), 1, "{module}");
        assert_eq!(printed("0x00", Language::Hex), None);
    }

    #[test]
    fn what_has_no_smaller_form_stays() {
        assert_eq!(reduce("0x00", Language::Hex, &mut |_| true, &|| false), "0x00");
        assert_eq!(reduce("{ sstore(0, 5) }", Language::Yul, &mut |_| false, &|| false), "{ sstore(0, 5) }");
    }

    #[test]
    fn a_search_that_is_stopped_gives_what_it_has() {
        let text = "{ sstore(0, 1) sstore(1, 2) sstore(2, 3) sstore(3, 4) }";
        let n_asked = std::cell::Cell::new(0);
        let mut always = |_: &str| {
            n_asked.set(n_asked.get() + 1);
            true
        };
        let small = reduce(text, Language::Yul, &mut always, &|| n_asked.get() == 2);
        assert_eq!(small.matches("sstore").count(), 2, "{small}");
    }
}
