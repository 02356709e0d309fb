//! Programs that look at the code of others which they hold: it is what the compiler made it, in both runs.

use cairn_certify::{Assumptions, Limits, Part, Plan, Subject};
use cairn_driver::{Input, Language, Options, Session};

/// What is returned depends on each byte of the code of a contract, and of the program's own.
const PROGRAM: &str = r#"object "C" {
    code { datacopy(0, dataoffset("D"), datasize("D")) return(0, datasize("D")) }
    object "D" {
        code {
            let size := datasize("Child")
            datacopy(0, dataoffset("Child"), size)
            codecopy(size, 0, calldataload(0))
            mstore(0, xor(keccak256(0, add(size, calldataload(0))), 77))
            return(0, 32)
        }
        object "Child" { code { sstore(add(calldataload(0), 3), mul(calldataload(32), 5)) stop() } }
    }
}"#;

fn compiled(text: &str) -> Subject {
    let input = Input { name: "program".to_owned(), text: text.to_owned(), language: Language::Yul };
    Subject::compile(&input, &Options::default(), &mut Session::default(), None).expect("it is valid")
}

/// What random runs find of a program and the code of another; no solver is asked.
fn verdict(reference: &Subject, tested: &Subject) -> &'static str {
    let (assumptions, limits) = (Assumptions::ALL, Limits::default());
    let plan = Plan { reference, tested, assumptions, limits, solvers: Vec::new() };
    plan.certify(&[Part::Whole], 1, &|_| {}).findings()[0].verdict()
}

#[test]
fn code_that_is_looked_at_is_the_compilers() {
    let subject = compiled(PROGRAM);
    assert_ne!(verdict(&subject, &subject), "different");
    let other = compiled(&PROGRAM.replace("77", "76"));
    assert_eq!(verdict(&subject, &other), "different");
}
