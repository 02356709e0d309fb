//! What comes back are values: code with the places in it, warnings, faults with theirs.

use cairn::{Error, Fork, Level, Options, Role, Severity, Source, YulOptions};

/// A contract with a library and an immutable.
const CONTRACT: &str = r#"object "C" {
    code {
        datacopy(0, dataoffset("R"), datasize("R"))
        setimmutable(0, "limit", calldataload(0))
        return(0, datasize("R"))
    }
    /// @use-src 0:"a.sol"
    object "R" {
        code {
            /// @src 0:10:20
            sstore(loadimmutable("limit"), linkersymbol("math.sol:Math"))
        }
    }
}"#;

fn compile(text: &str) -> Result<cairn::Compiled, Error> {
    cairn::compile(&Source::yul("a.yul", text), &Options::default())
}

fn faults(error: Error) -> Vec<cairn::Diagnostic> {
    match error {
        Error::Input(faults) => faults,
        other => panic!("no fault of the input: {other}"),
    }
}

#[test]
fn code_says_where_things_are() {
    let compiled = compile(CONTRACT).expect("it is fine");
    let (creation, runtime) = (compiled.creation(), compiled.runtime().expect("`R` is deployed"));
    let [immutable] = runtime.immutables() else { panic!("one place: {:?}", runtime.immutables()) };
    assert_eq!(runtime.bytes()[immutable.offset - 1..][..33], [[0x7f].as_slice(), &[0; 32]].concat());
    let [link] = runtime.links() else { panic!("one place: {:?}", runtime.links()) };
    assert_eq!(runtime.bytes()[link.offset - 1..][..21], [[0x73].as_slice(), &[0; 20]].concat());
    let start = creation.bytes().len() - runtime.bytes().len();
    assert_eq!(creation.bytes()[start..], *runtime.bytes());
    assert_eq!(creation.links()[0].offset, start + link.offset);
    assert!(runtime.source_map().starts_with("10:10:0:-"), "{}", runtime.source_map());
    assert!(compiled.warnings().is_empty());
}

#[test]
fn every_language_compiles() {
    let expected = [0x60, 3, 0x5f, 0x55, 0];
    let ir = "module @m {\n  func @__entry() {\n  ^entry:\n    %k = evm.constant 0 : u256\n    \
              %v = evm.constant 3 : u256\n    evm.sstore %k, %v\n    evm.stop\n  }\n}";
    let sources = [
        Source::yul("a", "{ sstore(0, 3) }"),
        Source::evm_ir("b", ir),
        Source::assembly("c", "PUSH 0x3\nPUSH 0x0\nSSTORE\nSTOP"),
    ];
    for source in &sources {
        let compiled = cairn::compile(source, &Options::default()).expect("it is fine");
        assert_eq!(compiled.creation().bytes(), expected, "{source:?}");
    }
}

#[test]
fn options_are_heard() {
    let bytes = |options: &Options| {
        let compiled = cairn::compile(&Source::yul("a", "{ sstore(0, 0) }"), options).expect("it is fine");
        compiled.creation().bytes().to_vec()
    };
    assert_eq!(bytes(&Options::default().fork(Fork::Paris)), [0x60, 0, 0x80, 0x55, 0]);
    let words = |runs| {
        let text = "{ sstore(0, 0xffffffffffffffffffffffffffffffffffffffff00000000000000000000) }";
        let options = Options::default().runs(runs);
        let compiled = cairn::compile(&Source::yul("a", text), &options).expect("it is fine");
        compiled.creation().bytes().len()
    };
    assert!(words(1) < words(1_000_000));
    assert!(bytes(&Options::default().level(Level::O0)).len() >= bytes(&Options::default()).len());
}

#[test]
fn faults_have_places() {
    let found = faults(compile("{\n    let x := add(1)\n    y := x\n}").expect_err("it is faulty"));
    let shown: Vec<String> = found.iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert!(shown[0].starts_with("a.yul:2:14: ") && shown[1].starts_with("a.yul:3:5: "), "{shown:?}");
    let place = found[1].place.clone().expect("it has a place");
    assert_eq!((place.bytes, place.line, place.column), (26..27, 3, 5));
    assert!(found[1].rendered.contains("3 |     y := x"), "{}", found[1].rendered);
}

#[test]
fn libraries_that_are_not_there_are_refused() {
    let options = Options::default().library("nobody", [1; 20]);
    let error = cairn::compile(&Source::yul("a", CONTRACT), &options).expect_err("no such library");
    assert_eq!(error.to_string(), "unknown library `nobody`");
}

#[test]
fn warnings_are_given_beside_the_code() {
    let text = format!("{{ return(dataoffset(\"d\"), 1) }} data \"d\" hex\"{}\"", "00".repeat(30_000));
    let compiled = compile(&format!("object \"a\" {{ code {text} }}")).expect("it is fine");
    let [warning] = compiled.warnings() else { panic!("one: {:?}", compiled.warnings()) };
    assert_eq!((warning.severity, warning.code), (Severity::Warning, "code-size"));
}

#[test]
fn modules_that_are_not_valid_are_refused() {
    let mut module = cairn::ir::Module::new("m");
    module.declare("__entry", cairn::ir::Signature::default());
    let error = cairn::compile_module(module, &Options::default()).expect_err("it has no body");
    assert!(!faults(error).is_empty());
}

#[test]
fn nesting_needs_no_stack_of_the_caller() {
    let nested = |depth: usize| format!("{{ sstore(0, {}1{}) }}", "not(".repeat(depth), ")".repeat(depth));
    let small = std::thread::Builder::new().stack_size(64 << 10);
    let found = small.spawn(move || {
        assert!(compile(&nested(900)).is_ok());
        cairn::optimize_yul(&Source::yul("a", nested(900)), &YulOptions::default()).expect("it is fine");
        compile(&nested(100_000)).map(drop)
    });
    let error = found.expect("started").join().expect("no overflow").expect_err("too deep");
    assert!(faults(error)[0].message.contains("recursion depth"));
}

#[test]
fn open_bytecode_is_not_lifted() {
    // CALLDATASIZE, JUMP, JUMPDEST: anywhere.
    let open = [0x36, 0x56, 0x5b];
    let Err(Error::NotLifted(_)) = cairn::lift(&open, None, Fork::default()) else { panic!("it is open") };
    let kept = cairn::recompile(&open, Some(Role::Runtime), &Options::default()).expect("no bug");
    assert!(kept.code == open && kept.kept.is_some());
}

#[test]
fn the_yul_optimizer_says_what_is_wrong() {
    let source = Source::yul("a.yul", "{ x := 1 }");
    let error = cairn::optimize_yul(&source, &YulOptions::default()).expect_err("no such variable");
    assert!(error.to_string().starts_with("a.yul:1:3: "), "{error}");
    let yul = Source::yul("a.yul", "{ let x := 1 sstore(x, x) }");
    let error = cairn::optimize_yul(&yul, &YulOptions::default().steps("~")).expect_err("no such step");
    assert!(matches!(error, Error::Options(_)), "{error}");
    let error = cairn::optimize_yul(&Source::evm_ir("b", ""), &YulOptions::default()).expect_err("no Yul");
    assert_eq!(error, Error::Options("`b` is not Yul".to_owned()));
}
