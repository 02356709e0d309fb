//! The commands for single stages as a user runs them: exit codes, places of faults, explanations.

mod common;

use common::ends_with;

/// Phi, narrow type, switch, value to return: something to do for several steps.
const PROGRAM: &str = "module @Counter {
  func @__entry() {
  ^entry:
    %zero = evm.constant 0 : u256
    %word = evm.calldataload %zero : u256
    %sel = evm.not %word : u256
    evm.switch %sel, default ^refuse
      case 1 -> ^one
      case 2 -> ^two
  ^one:
    %a = evm.constant 7 : u64
    evm.br ^done(%a)
  ^two:
    %b = evm.trunc %sel : u64
    evm.br ^done(%b)
  ^done(%r : u64):
    evm.return %r
  ^refuse:
    evm.revert %sel, %sel
  }
}
";

// Shows S000-03, S000-77, S001-01, S001-10.
#[test]
fn every_stage_prints_what_the_next_one_reads() {
    let (formatted, _) = ends_with(&["fmt", "-"], PROGRAM, 0);
    assert_eq!(formatted, PROGRAM);
    ends_with(&["verify", "-"], PROGRAM, 0);
    let (canonical, _) = ends_with(&["legalize", "-"], PROGRAM, 0);
    ends_with(&["verify", "--form", "canonical", "-"], &canonical, 0);
    let (again, _) = ends_with(&["legalize", "-"], &canonical, 0);
    assert_eq!(again, canonical);
    let (optimized, _) = ends_with(&["opt", "-"], &canonical, 0);
    ends_with(&["verify", "--form", "canonical", "-"], &optimized, 0);
    let (stack_code, _) = ends_with(&["stackify", "-"], &canonical, 0);
    let (assembled, _) = ends_with(&["asm", "-"], &stack_code, 0);
    let (built, _) = ends_with(&["build", "-O0", "--emit", "bin", "-"], PROGRAM, 0);
    assert!([&assembled, &built].iter().all(|hex| hex.trim().bytes().all(|byte| byte.is_ascii_hexdigit())));
    let stages = ["evm-ir", "legalized", "canonical", "stack-ir", "asm"];
    let kinds = ["opcodes", "listing", "srcmap", "ethdebug", "stats", "cfg.text", "cfg.svg", "cfg.html"];
    for kind in stages.iter().chain(&kinds) {
        let (out, _) = ends_with(&["build", "--emit", kind, "-"], PROGRAM, 0);
        assert!(!out.is_empty(), "{kind}");
    }
    let (legalized, _) = ends_with(&["build", "--emit", "legalized", "-"], PROGRAM, 0);
    assert_eq!(legalized, ends_with(&["legalize", "-"], PROGRAM, 0).0);
    let (code, _) = ends_with(&["build", "-"], PROGRAM, 0);
    for form in ["text", "json", "dot", "mermaid", "svg", "html"] {
        let (built, _) = ends_with(&["build", "--emit", &format!("cfg.{form}"), "-"], PROGRAM, 0);
        assert_eq!(built, ends_with(&["cfg", "--format", form, "-"], &code, 0).0, "{form}");
    }
}

#[test]
fn explanations_have_place_step_and_reason() {
    let (_, err) = ends_with(&["legalize", "--explain", "-"], PROGRAM, 0);
    let said = [
        "<stdin>:11:5: legalize-types: @__entry: `evm.constant` works on words: `u64` is no type of the EVM",
        "<stdin>:7:5: normalize-switches: @__entry: the switch of `^entry` with 2 cases became one test after \
         the other, the cheapest shape for 200 runs",
        "<stdin>:16:3: eliminate-phis: @__entry: `%r` of `^done` became slot `%slot1`: merged values pass \
         through memory",
    ];
    for line in said {
        assert!(err.lines().any(|found| found == line), "no `{line}` in\n{err}");
    }
    let (_, err) = ends_with(&["stackify", "--explain", "-"], PROGRAM, 0);
    assert!(err.contains("function `@__entry`") && err.contains("%sel: on the stack"), "{err}");
    let (_, err) = ends_with(&["stackify", "--spec", "--explain", "-"], PROGRAM, 0);
    assert!(err.contains("%sel: in memory at 0x0: another block uses it"), "{err}");
}

// Shows S000-61.
#[test]
fn faults_of_the_input_have_a_place_and_exit_with_1() {
    let unknown = "module @M {\n  func @__entry() {\n    evm.nothing\n  }\n}\n";
    let untyped =
        "module @M {\n  func @__entry() {\n    %x = evm.gas\n    evm.sstore %x\n    evm.stop\n  }\n}\n";
    let composite = "module @M {\n  func @__entry() {\n    %x = evm.gas\n    %s = evm.compose %x : array<1 x u256>\n    evm.sstore %x, %s\n    evm.stop\n  }\n}\n";
    for command in ["fmt", "verify", "legalize", "opt", "stackify", "build"] {
        let (_, err) = ends_with(&[command, "-"], unknown, 1);
        assert!(err.contains("unknown operation `evm.nothing`") && err.contains("<stdin>:3:5"), "{err}");
    }
    for command in ["verify", "legalize", "opt", "stackify", "build"] {
        let (_, err) = ends_with(&[command, "-"], untyped, 1);
        assert!(err.contains("error[operand-count]") && err.contains("<stdin>:4:5"), "{err}");
    }
    for command in ["verify", "legalize", "stackify", "build"] {
        let (_, err) = ends_with(&[command, "-"], composite, 1);
        assert!(err.contains("help: keep it in memory") && err.contains("<stdin>:4:5"), "{err}");
        ends_with(&[command, "--recover", "-"], composite, 0);
    }
    let blob = "module @M { func @__entry() {\n %x = evm.blobbasefee\n evm.return %x } }";
    for command in ["verify", "legalize"] {
        let (_, err) = ends_with(&[command, "--evm-version", "london", "-"], blob, 1);
        assert!(err.contains("cancun") && err.contains("<stdin>:2:2"), "{err}");
    }
    let library = "module @M { func @f() {\n evm.iret } }";
    let (_, err) = ends_with(&["verify", "-"], library, 0);
    assert!(
        err.contains("warning: module `@M` has no entry function") && err.contains("<stdin>:1:8"),
        "{err}"
    );
    let (_, err) = ends_with(&["build", "-"], library, 1);
    assert!(err.contains("error: module `@M` has no entry function") && err.contains("<stdin>:1:8"), "{err}");
    let forgotten = "module @M {\n  func @__entry() {\n    %x = evm.gas\n    evm.sstore %x, %x\n  }\n}\n";
    for command in ["verify", "legalize", "build"] {
        let (_, err) = ends_with(&[command, "-"], forgotten, 0);
        assert!(err.contains("has no terminator") && err.contains("<stdin>:4:5"), "{err}");
    }
    let trailing = "module @M {\n  func @__entry() {\n    evm.stop\n    evm.stop\n  }\n}\n";
    let (_, err) = ends_with(&["legalize", "-"], trailing, 0);
    assert!(
        err.contains("warning: code after the terminator `evm.stop`") && err.contains("<stdin>:4:5"),
        "{err}"
    );
    ends_with(&["verify", "/no/such/file.eir"], "", 1);
}

#[test]
fn wrong_flags_exit_with_2() {
    let wrong: [&[&str]; 9] = [
        &["legalize", "--nothing", "-"],
        &["legalize", "--switch=hash", "-"],
        &["legalize", "--evm-version", "mars", "-"],
        &["legalize"],
        &["stackify", "--stackify=fast", "-"],
        &["verify", "--form", "ssa-like", "-"],
        &["build", "-O9", "-"],
        &["build", "--emit", "nothing", "-"],
        &["nothing", "-"],
    ];
    for arguments in wrong {
        let (out, err) = ends_with(arguments, PROGRAM, 2);
        assert!(out.is_empty() && err.starts_with("error: "), "{arguments:?}: {err}");
    }
}

#[test]
fn a_failed_deployment_says_how_to_run_code_without_a_constructor() {
    let text = "module @M { func @__entry() { ^e: %z = evm.constant 0 evm.revert %z, %z } }";
    let (_, faults) = ends_with(&["run", "-", "--call", "f()"], text, 1);
    assert_eq!(
        faults,
        "error: the deployment ends with revert: 0x\n = help: `--runtime` takes the program as the code that \
         is called, not as its constructor\n"
    );
}
