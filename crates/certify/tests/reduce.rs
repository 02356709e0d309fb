//! Smaller programs beside a difference, with compilers that have a fault. No solver is needed: differences are found
//! by runs on random inputs.

use cairn_certify::{Assumptions, Limits, Origin, Part, Plan, Subject};
use cairn_driver::{Input, Language, Options, Session, compile};
use serde_json::Value;
use std::time::Duration;

/// The search ends by itself long before.
const TIME: Duration = Duration::from_secs(120);

fn input(language: Language, text: &str) -> Input {
    Input { name: "program".to_owned(), text: text.to_owned(), language }
}

fn compiled(input: &Input, like: Option<&Subject>) -> Option<Subject> {
    Subject::compile(input, &Options::default(), &mut Session::default(), like).ok()
}

/// A compiler that takes the `right` for the `wrong`.
fn faultily(input: &Input, like: Option<&Subject>, (right, wrong): (&str, &str)) -> Option<Subject> {
    let changed = Input { text: input.text.replace(right, wrong), ..input.clone() };
    let code = compile(&changed, &Options::default(), &mut Session::default()).ok()?.assembled;
    Some(compiled(input, like)?.with_code(code.runtime().unwrap_or(&code)))
}

/// What is reported of a program.
fn report(origin: &Origin<'_>, [reference, tested]: [&Subject; 2], part: Part, time: Duration) -> Value {
    let limits = Limits { time: Duration::from_secs(10), ..Limits::default() };
    let plan = Plan { reference, tested, assumptions: Assumptions::ALL, limits, solvers: Vec::new() };
    let mut certificate = plan.certify(&[part], 1, &|_| {});
    certificate.reduce(&plan, origin, time);
    let mut report = certificate.to_json();
    report["functions"][0].take()
}

/// What is reported of a program that is compiled with a fault.
fn report_fault(language: Language, text: &str, fault: (&str, &str), time: Duration) -> Value {
    let program = input(language, text);
    let subject = faultily(&program, None, fault).expect("it is valid");
    let compile = |input: &Input, like: &Subject| faultily(input, Some(like), fault);
    let origin = Origin { reference: &program, tested: None, compile: &compile };
    let report = report(&origin, [&subject, &subject], Part::Whole, time);
    assert_eq!(report["verdict"], "different", "{report}");
    report
}

const PROGRAM: &str = "{
    let x := calldataload(0)
    if lt(calldataload(32), 3) { log1(0, 0, x) }
    for { let i := 0 } lt(i, 3) { i := add(i, 1) } { sstore(add(i, 10), x) }
    sstore(1, f(x))
    sstore(2, g(calldataload(64)))
    mstore(0, 5)
    return(0, 32)
    function f(a) -> r { r := sar(4, add(a, 1)) }
    function g(a) -> r { r := mul(a, 3) }
}";

/// The program of a report, white space as one blank.
fn program(report: &Value, side: &str) -> String {
    let text = report["reduced"][side]["program"].as_str().unwrap_or("none");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_program_and_its_own_code() {
    let report = report_fault(Language::Yul, PROGRAM, ("sar(4", "shr(4"), TIME);
    let text = program(&report, "reference");
    assert!(text.contains("sar(4, "), "{text}");
    assert!(text.len() < 120 && !text.contains("log1") && !text.contains('g'), "{text}");
    assert_eq!(report["reduced"]["tested"]["program"], Value::Null);
    // It differs on the inputs that are printed, and so does the whole program.
    for runs in [&report["witness"], &report["reduced"]] {
        let storage = |side: &str| match runs[side].get("run") {
            Some(run) => run["storage"].clone(),
            None => runs[side]["storage"].clone(),
        };
        assert_ne!(storage("reference"), storage("tested"), "{report}");
    }
}

#[test]
fn a_module_and_its_own_code() {
    let text = "module @M { func @__entry() {
        %zero = evm.constant 0 : u256
        %x = evm.calldataload %zero : u256
        %one = evm.constant 1 : u256
        evm.sstore %one, %x
        %a = evm.trunc %x : u8
        %wide = evm.sext %a : u256
        %both = evm.add %wide, %one : u256
        evm.return %both
    } }";
    let report = report_fault(Language::EvmIr, text, ("evm.sext", "evm.zext"), TIME);
    let small = program(&report, "reference");
    assert!(small.contains("evm.sext") && !small.contains("evm.sstore"), "{small}");
}

/// A smaller program that differs in another way is not the one that is looked for.
#[test]
fn another_difference_does_not_count() {
    let text = "{
        sstore(1, sar(4, sub(0, add(calldataload(0), 1))))
        if calldataload(32) { sstore(2, 7) }
    }";
    let whole = input(Language::Yul, text);
    // Without the `if` its code does not even succeed.
    let compile = |input: &Input, like: Option<&Subject>| match input.text.contains("if ") {
        true => faultily(input, like, ("sar(4", "shr(4")),
        false => faultily(input, like, ("sstore(1,", "invalid() sstore(1,")),
    };
    let subject = compile(&whole, None).expect("it is valid");
    let origin =
        Origin { reference: &whole, tested: None, compile: &|input, like| compile(input, Some(like)) };
    let report = report(&origin, [&subject, &subject], Part::Whole, TIME);
    let small = program(&report, "reference");
    assert!(small.contains("if ") && !small.contains("sstore(2"), "{small}");
    assert_eq!(report["reduced"]["tested"]["run"]["status"], "success");
}

/// What fails on a smaller program shows no difference, and is no fault of the report.
#[test]
fn a_compiler_that_fails() {
    let whole = input(Language::Yul, PROGRAM);
    let fault = ("sar(4", "shr(4");
    let subject = faultily(&whole, None, fault).expect("it is valid");
    let compile = |input: &Input, like: &Subject| {
        assert!(input.text.contains("log1"), "a program that this compiler can't do");
        faultily(input, Some(like), fault)
    };
    let origin = Origin { reference: &whole, tested: None, compile: &compile };
    let report = report(&origin, [&subject, &subject], Part::Whole, TIME);
    let text = program(&report, "reference");
    assert!(text.contains("log1") && !text.contains("mul"), "{text}");
}

#[test]
fn two_programs() {
    let other = PROGRAM.replace("sar(4", "shr(4").replace("x", "value");
    let [first, second] = [PROGRAM, &other].map(|text| input(Language::Yul, text));
    let reference = compiled(&first, None).expect("it is valid");
    let tested = compiled(&second, Some(&reference)).expect("it is valid");
    let compile = |input: &Input, like: &Subject| compiled(input, Some(like));
    let origin = Origin { reference: &first, tested: Some(&second), compile: &compile };
    let report = report(&origin, [&reference, &tested], Part::Whole, TIME);
    assert_eq!(report["verdict"], "different", "{report}");
    let [a, b] = ["reference", "tested"].map(|side| program(&report, side));
    assert!(a.contains("sar(4") && b.contains("shr(4") && !b.contains("sar"), "{a}\n{b}");
    assert!(!a.contains("log1") && !b.contains("log1") && !b.contains("mul"), "{a}\n{b}");
}

/// Programs in two languages stay as they are, but what they are given is made smaller. So it is where there is no
/// time.
#[test]
fn nothing_to_reduce() {
    let first = input(Language::Yul, "{ calldatacopy(0, 0, 64) sstore(calldataload(0), 1) }");
    let second = input(Language::Hex, "0x60025f3555");
    let reference = compiled(&first, None).expect("it is valid");
    let tested = compiled(&second, Some(&reference)).expect("it is valid");
    let compile = |input: &Input, like: &Subject| compiled(input, Some(like));
    let origin = Origin { reference: &first, tested: Some(&second), compile: &compile };
    let report = report(&origin, [&reference, &tested], Part::Whole, TIME);
    assert_eq!((&report["verdict"], &report["reduced"]), (&"different".into(), &Value::Null));
    assert_eq!(report["witness"]["calldata"], "0x");
    assert_eq!(report["witness"]["storage"], serde_json::json!({}));
    let report = report_fault(Language::Yul, PROGRAM, ("sar(4", "shr(4"), Duration::ZERO);
    assert_eq!(report["reduced"], Value::Null);
}

/// Where the heap begins is the compiler's choice: a program that does not show it is run wherever it is.
#[test]
fn heaps_that_nobody_sees() {
    let verdict = |text: &str, fault: (&str, &str)| {
        let program = input(Language::Yul, text);
        let subject = faultily(&program, None, fault).expect("it is valid");
        let compile = |_: &Input, _: &Subject| None;
        let origin = Origin { reference: &program, tested: None, compile: &compile };
        report(&origin, [&subject, &subject], Part::Whole, Duration::ZERO)["verdict"].clone()
    };
    let text =
        "{ sstore(0, 1) let p := memoryguard(128) mstore(p, calldataload(0)) sstore(1, sar(1, mload(p))) }";
    assert_eq!(verdict(text, ("sar(1", "shr(1")), "different");
    let shown = "{ sstore(0, memoryguard(128)) sstore(1, 1) }";
    assert_ne!(verdict(shown, ("memoryguard(128)", "memoryguard(256)")), "different");
}
