//! A `node` that misbehaves.

use crate::fakes::{Folder, front_end, message};
use cairn_solidity::frontend::{Fault, FileAccess, Kind, Places, Running};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const VERSION: &str = "0.8.30+commit.73712a01";

fn start(folder: &Folder, lines: &str) -> Result<Running, Fault> {
    folder.node(VERSION, lines);
    let front_end = front_end(Kind::Soljson, &folder.package("solc", "0.8.30"), VERSION);
    front_end.start(&folder.places(), &FileAccess::default())
}

fn run(lines: &str) -> Result<String, Fault> {
    start(&Folder::new(), lines)?.compile("{}")
}

#[test]
fn what_is_printed_between_messages_does_no_harm() {
    let answer = message('A', "{\"a\":1}");
    let noise = "printf 'noise \\000\\377CAI \\000\\000\\377CAIRN \\000'";
    assert_eq!(run(&format!("{noise}; {answer}; cat >/dev/null")), Ok("{\"a\":1}".to_owned()));
    let loud = "head -c 20000000 /dev/zero";
    assert_eq!(run(&format!("{loud}; {answer}; cat >/dev/null")), Ok("{\"a\":1}".to_owned()));
}

#[test]
fn its_own_reason_is_told() {
    let failed = message('E', "RangeError: Maximum call stack size exceeded");
    let fault = run(&format!("echo trace >&2; {failed}; exit 1")).expect_err("it failed");
    assert!(
        fault.to_string().ends_with("node` failed: RangeError: Maximum call stack size exceeded"),
        "{fault}"
    );
    assert_eq!(fault.help().as_deref(), Some("its last words: trace"));
}

#[test]
fn after_a_crash_the_next_request_starts_afresh() {
    let folder = Folder::new();
    let answer = message('A', "{}");
    let lines =
        format!("[ -e \"$0.once\" ] && {{ {answer}; exec cat >/dev/null; }}; touch \"$0.once\"; kill -9 $$");
    let mut running = start(&folder, &lines).expect("it starts");
    let fault = running.compile("{}").expect_err("it crashes");
    assert!(fault.to_string().contains("killed by signal 9"), "{fault}");
    assert_eq!(running.compile("{}"), Ok("{}".to_owned()));
}

#[test]
fn half_a_message_and_silence_are_no_answer() {
    for lines in [
        "exit 0",
        "exec <&-; printf '\\000\\377CAIRN\\000A\\000\\000\\000\\100{'",
        "printf '\\000\\377CAIRN'",
    ] {
        let fault = run(lines).expect_err("no answer");
        assert!(fault.to_string().ends_with("ended without an answer"), "{fault}");
    }
    let fault = run(&format!("{}; cat >/dev/null", message('A', "what?"))).expect_err("no JSON");
    assert!(matches!(&fault, Fault::Garbage { start, .. } if start == "what?"), "{fault:?}");
}

#[test]
fn a_hang_ends() {
    let folder = Folder::new();
    folder.node(VERSION, "exec sleep 1000");
    let front_end = front_end(Kind::Soljson, &folder.package("solc", "0.8.30"), VERSION);
    let mut places = folder.places();
    places.patience = Some(Duration::from_secs(5));
    let mut running = front_end.start(&places, &FileAccess::default()).expect("it starts");
    let start = Instant::now();
    let fault = running.compile(&" ".repeat(50 << 20)).expect_err("no answer");
    assert!(matches!(fault, Fault::Hung { .. }), "{fault:?}");
    assert!(start.elapsed() < Duration::from_secs(30));
    folder.program("bin/node", "exec sleep 1000");
    assert!(
        matches!(front_end.start(&places, &FileAccess::default()), Err(Fault::Hung { .. })),
        "nor does it load"
    );
}

#[test]
fn another_version_than_told_is_a_fault() {
    let folder = Folder::new();
    folder.node("0.8.31+commit.fd3a2265", "cat >/dev/null");
    let front_end = front_end(Kind::Soljson, &folder.package("solc", "0.8.30"), VERSION);
    let Err(fault) = front_end.start(&folder.places(), &FileAccess::default()) else { panic!("it starts") };
    assert!(matches!(fault, Fault::WrongVersion { .. }), "{fault:?}");
}

#[test]
fn what_does_not_load_is_told_by_its_file() {
    let folder = Folder::new();
    folder.program("bin/node", "echo 'SyntaxError: oops' >&2; exit 1");
    let file = folder.package("solc", "0.8.30");
    let Err(fault) = front_end(Kind::Soljson, &file, VERSION).start(&folder.places(), &FileAccess::default())
    else {
        panic!("it starts")
    };
    assert_eq!(fault.to_string(), format!("`{}` exited with status 1", file.display()));
    assert_eq!(fault.help().as_deref(), Some("its last words: SyntaxError: oops"));
}

#[test]
fn without_node_it_does_not_start() {
    let folder = Folder::new();
    let file = folder.package("solc", "0.8.30");
    let Err(fault) = front_end(Kind::Soljson, &file, VERSION).start(&folder.places(), &FileAccess::default())
    else {
        panic!("it starts")
    };
    assert_eq!(fault, Fault::NoNode { soljson: file });
    assert!(fault.help().expect("help").contains("CAIRN_NODE"));
}

/// Names the `soljson.js` of the process that `a_killed_caller_takes_node_with_it` kills.
const DOOMED: &str = "CAIRN_TEST_DOOMED";

/// A `soljson.js` that never ends, and says all the time that it is there.
const ENDLESS: &str = "
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (;;) {
      require('fs').appendFileSync(`${__filename}.beat`, '.');
      Atomics.wait(pause, 0, 0, 10);
    }";

#[test]
fn a_killed_caller_takes_node_with_it() {
    if let Some(path) = std::env::var_os(DOOMED) {
        let front_end = front_end(Kind::Soljson, Path::new(&path), VERSION);
        drop(front_end.start(&Places::of_environment(), &FileAccess::default()));
        return;
    }
    if Command::new("node").arg("--version").stdout(Stdio::null()).status().is_err() {
        return;
    }
    let folder = Folder::new();
    let soljson =
        folder.file("soljson.js", &ENDLESS.replace("__filename", &format!("{:?}", folder.path("js"))));
    let beat = || std::fs::metadata(folder.path("js.beat")).map_or(0, |beat| beat.len());
    let mut caller = Command::new(std::env::current_exe().expect("this program"));
    caller.args(["--exact", "soljson::a_killed_caller_takes_node_with_it"]).env(DOOMED, soljson);
    let mut caller = caller.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let is_soon = |happens: &dyn Fn() -> bool| {
        let start = Instant::now();
        while !happens() {
            if start.elapsed() > Duration::from_secs(60) {
                return false;
            }
        }
        true
    };
    let is_running = || {
        let before = beat();
        sleep(Duration::from_secs(2));
        before != beat()
    };
    assert!(is_soon(&is_running), "node does not start");
    caller.kill().expect("it is killed");
    caller.wait().expect("it has ended");
    assert!(is_soon(&|| !is_running()), "node is left alone");
}
