//! A native front end that misbehaves.

use crate::fakes::{Folder, native, says};
use cairn_solidity::frontend::{Fault, FileAccess, Imports};
use std::time::{Duration, Instant};

fn run(lines: &str, request: &str) -> Result<String, Fault> {
    let folder = Folder::new();
    let front_end = native(&folder.program("solc", lines));
    front_end.start(&folder.places(), &FileAccess::default())?.compile(request)
}

fn crash(lines: &str) -> (String, String) {
    match run(lines, "{}") {
        Err(fault @ Fault::Crashed { .. }) => (fault.to_string(), fault.help().expect("help")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_answer_comes_back() {
    assert_eq!(run("cat", "{\"ü\": 1}\n"), Ok("{\"ü\": 1}\n".to_owned()));
}

#[test]
fn large_requests_and_answers_pass_each_other() {
    let request = format!("{{{}}}", "x".repeat(100 << 20));
    assert!(run("cat", &request) == Ok(request));
}

#[test]
fn crashes_tell_the_status_and_the_last_words() {
    let (sentence, help) = crash("cat >/dev/null; echo one >&2; echo two >&2; exit 3");
    assert!(sentence.ends_with("solc` exited with status 3"), "{sentence}");
    assert_eq!(help, "its last words: one\ntwo");
    let (sentence, help) =
        crash("printf '{}'; i=0; while [ $i -lt 9000 ]; do echo line $i >&2; i=$((i+1)); done; exit 1");
    assert!(sentence.contains("status 1"), "{sentence}");
    assert_eq!(help, "its last words: line 8995\nline 8996\nline 8997\nline 8998\nline 8999");
}

#[test]
fn a_signal_is_named() {
    let (sentence, _) = crash("kill -9 $$");
    assert!(sentence.contains("was killed by signal 9 (SIGKILL"), "{sentence}");
    let (sentence, _) = crash("printf '{'; kill -11 $$");
    assert!(sentence.contains("was killed by signal 11 (SIGSEGV)"), "{sentence}");
}

#[test]
fn silence_is_no_answer() {
    let (sentence, _) = crash("cat > /dev/null");
    assert!(sentence.contains("ended without an answer"), "{sentence}");
}

#[test]
fn stdin_may_be_closed_early() {
    let request = format!("{{{}}}", " ".repeat(10 << 20));
    assert_eq!(run("exec <&-; echo '{}'", &request), Ok("{}\n".to_owned()));
}

#[test]
fn garbage_is_quoted() {
    let fault = run("echo 'what?'", "{}").expect_err("no JSON");
    assert!(fault.to_string().ends_with("gave an answer that is no standard JSON: \"what?\\n\""), "{fault}");
    let fault = run("printf '{\"half\":'", "{}").expect_err("no JSON");
    assert!(matches!(&fault, Fault::Garbage { start, .. } if start == "{\"half\":"), "{fault:?}");
    let fault = run("head -c 100000 /dev/urandom", "{}").expect_err("no JSON");
    assert!(matches!(&fault, Fault::Garbage { .. } | Fault::Crashed { .. }), "{fault:?}");
}

#[test]
fn garbage_without_end_is_cut_off() {
    let start = Instant::now();
    let fault = run("exec yes", "{}").expect_err("no JSON");
    assert!(matches!(&fault, Fault::Garbage { .. } | Fault::Crashed { .. }), "{fault:?}");
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_hang_ends() {
    let folder = Folder::new();
    for lines in ["exec sleep 1000", "sleep 1000", "echo '{'; exec sleep 1000", "exec >&-; exec sleep 1000"] {
        let front_end = native(&folder.program("solc", lines));
        let mut places = folder.places();
        places.patience = Some(Duration::from_millis(300));
        let mut running = front_end.start(&places, &FileAccess::default()).expect("it starts");
        let start = Instant::now();
        // A request that nobody reads must not block either.
        let fault = running.compile(&" ".repeat(1 << 20)).expect_err("no answer");
        assert!(matches!(fault, Fault::Hung { .. } | Fault::Crashed { .. }), "{fault:?}");
        assert!(start.elapsed() < Duration::from_secs(30), "{lines}");
    }
    let front_end = native(&folder.program("solc", "exec sleep 1000"));
    let places =
        cairn_solidity::frontend::Places { patience: Some(Duration::from_millis(1500)), ..folder.places() };
    let fault =
        front_end.start(&places, &FileAccess::default()).and_then(|mut running| running.compile("{}"));
    assert!(fault.expect_err("no answer").to_string().ends_with("solc` gave no answer within 1.5 s"));
}

#[test]
fn each_request_has_its_own_process() {
    let folder = Folder::new();
    let lines = "[ -e \"$0.once\" ] && exec cat; touch \"$0.once\"; exit 1";
    let front_end = native(&folder.program("solc", lines));
    let mut running = front_end.start(&folder.places(), &FileAccess::default()).expect("it starts");
    assert!(matches!(running.compile("{}"), Err(Fault::Crashed { .. })));
    assert_eq!(running.compile("{}"), Ok("{}".to_owned()));
}

#[test]
fn what_cannot_start_says_why() {
    let folder = Folder::new();
    let start = |path: &std::path::Path| {
        let running = native(path).start(&folder.places(), &FileAccess::default());
        running.and_then(|mut running| running.compile("{}")).expect_err("it does not start").to_string()
    };
    assert!(start(&folder.path("absent")).starts_with("cannot start `"));
    assert!(start(&folder.file("plain", "text")).contains("ermission denied"));
    let path = folder.program("strange", "");
    std::fs::write(&path, "#!/no/such/interpreter\n").expect("it is written");
    assert!(start(&path).contains("what should run it"), "{}", start(&path));
}

/// The arguments that a front end of this version is given.
fn arguments(version: &str, access: &FileAccess) -> String {
    let folder = Folder::new();
    let path = folder.program("solc", "printf '{\"%s\":\"%s\"}' \"$*\" \"$CAIRN_FRONT_END\"");
    let front_end = crate::fakes::front_end(cairn_solidity::frontend::Kind::Native, &path, version);
    let answer = front_end.start(&folder.places(), access).and_then(|mut running| running.compile("{}"));
    let answer = answer.expect("an answer");
    assert!(answer.contains(&path.display().to_string()), "its children know who called: {answer}");
    answer.split('"').nth(1).expect("arguments").to_owned()
}

#[test]
fn file_access_becomes_arguments() {
    let mut access = FileAccess::default();
    assert_eq!(arguments("0.8.30+commit.73712a01", &access), "--standard-json");
    access.include_paths = vec!["lib".into(), "inc".into()];
    assert_eq!(
        arguments("0.8.30+commit.73712a01", &access),
        "--standard-json --base-path . --include-path lib --include-path inc"
    );
    access.base_path = Some("/base".into());
    access.allow_paths = vec!["/a".into(), "b".into()];
    assert_eq!(
        arguments("0.8.13+commit.abaa5c0e", &access),
        "--standard-json --base-path /base --include-path lib --include-path inc --allow-paths /a,b"
    );
    access.imports = Imports::Given;
    assert_eq!(arguments("0.8.22+commit.4fc1097e", &access), "--standard-json --no-import-callback");
    let old = arguments("0.8.21+commit.d9974bed", &access);
    let base = old.strip_prefix("--standard-json --base-path ").expect("a folder without files");
    assert!(base.starts_with(&std::env::temp_dir().display().to_string()), "{base}");
}

#[test]
fn asking_a_version_is_as_robust() {
    let folder = Folder::new();
    let mut places = folder.places();
    places.patience = Some(Duration::from_secs(5));
    for (lines, expected) in [
        (says("0.8.30+commit.73712a01"), "0.8.30+commit.73712a01"),
        ("exit 2".to_owned(), "exited with status 2"),
        ("echo solang version 0.3".to_owned(), "names no version"),
        ("echo Version: 0.8.30".to_owned(), "names no version"),
        ("exec sleep 1000".to_owned(), "gave no answer within 5 s"),
        ("exec yes Version:".to_owned(), "killed by signal 13|names no version"),
    ] {
        places.chosen = Some(folder.program("chosen", &lines));
        let found = cairn_solidity::frontend::find::installed(&places);
        let text = found.map_or_else(|fault| fault.to_string(), |found| found[0].version.to_string());
        assert!(expected.split('|').any(|expected| text.contains(expected)), "{lines}: {text}");
    }
}
