//! The program `cairn-solc` on requests that are huge, broken or hostile, on builds at the same time, and
//! on a build that is ended: an answer in JSON each, and a cache that holds whole entries only.

use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn-solc"));
    command.arg("--standard-json").current_dir(folder).env_clear().env("HOME", folder);
    command.env("CAIRN_CACHE", folder.join("cache"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn start(folder: &Path, request: &[u8]) -> Child {
    let mut child = command(folder).spawn().expect("it starts");
    // It may end without reading.
    _ = child.stdin.take().expect("a pipe").write_all(request);
    child
}

fn ended(child: Child) -> Value {
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("the answer is JSON")
}

fn answer(request: &[u8]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    ended(start(folder.path(), request))
}

/// A request for the code of this Yul.
fn request(yul: &str) -> String {
    let selection = json!({ "*": { "*": ["evm.bytecode.object"] } });
    let settings = json!({ "outputSelection": selection });
    json!({ "language": "Yul", "sources": { "a": { "content": yul } }, "settings": settings }).to_string()
}

fn code(answer: &Value) -> &str {
    let object = answer["contracts"]["a"].as_object().and_then(|objects| objects.values().next());
    object.and_then(|object| object["evm"]["bytecode"]["object"].as_str()).unwrap_or_default()
}

fn first_error(answer: &Value) -> &str {
    answer["errors"][0]["message"].as_str().unwrap_or_default()
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[test]
fn a_hundred_megabytes_are_read() {
    let small = request("{ sstore(0, 1) }");
    let rest = &small[1..];
    let filler = "x".repeat(100 << 20);
    let found = answer(format!("{{\"other\":\"{filler}\",{rest}").as_bytes());
    assert_eq!(code(&found), "60015f5500");
    assert_eq!(first_error(&found), "Unknown key \"other\" is ignored.");
    let found = answer(format!("{{\"other\":\"{filler}").as_bytes());
    assert!(first_error(&found).contains("parse error"), "{found}");
}

#[test]
fn broken_texts_have_an_answer() {
    let valid = request("{ sstore(0, 1) }");
    let twice = valid.replacen('{', "{\"language\":\"Solidity\",", 1);
    assert_eq!(code(&answer(twice.as_bytes())), "60015f5500", "of equal keys the last one counts");
    let deep = [vec![b'['; 1 << 20], vec![b']'; 1 << 20]].concat();
    for text in [&b""[..], b"\xff\xfe", b"\0", &deep] {
        assert!(first_error(&answer(text)).contains("parse error"));
    }
    let mut bytes = request("{ sstore(0, 1) } // !").into_bytes();
    let at = bytes.iter().position(|byte| *byte == b'!').expect("it is there");
    bytes[at] = 0xff;
    assert_eq!(code(&answer(&bytes)), "60015f5500", "what is no UTF-8 stands in a comment");
}

#[test]
fn a_closed_input_has_an_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let child = command(folder.path()).stdin(Stdio::null()).spawn().expect("it starts");
    assert!(first_error(&ended(child)).contains("parse error"));
}

#[cfg(unix)]
mod with_a_front_end {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, Instant};

    /// A program `solc` whose answers are made by this script.
    fn front_end(folder: &Path, script: &str) {
        let path = folder.join("solc");
        let version = "case \"$1\" in --version) echo 'Version: 0.8.37+commit.f401782d'; exit;; esac";
        std::fs::write(&path, format!("#!/bin/sh\n{version}\n{script}\n")).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("executable");
    }

    fn solidity(folder: &Path) -> Child {
        let selection = json!({ "*": { "*": ["evm.bytecode.object"] } });
        let request = json!({ "language": "Solidity", "settings": { "outputSelection": selection },
                              "sources": { "a": { "content": "contract A { }" } } });
        let mut command = command(folder);
        command
            .env("CAIRN_SOLC", folder.join("solc"))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default());
        let mut child = command.spawn().expect("it starts");
        _ = child.stdin.take().expect("a pipe").write_all(request.to_string().as_bytes());
        child
    }

    fn given(folder: &Path) {
        let deployed = "object \"A_1_deployed\" { code { sstore(0, calldataload(0)) } }";
        let yul = format!("object \"A_1\" {{ code {{ sstore(0, 1) }} {deployed} }}");
        let answer = json!({ "contracts": { "a": { "A": { "ir": yul } } }, "sources": { "a": { "id": 0 } } });
        std::fs::write(folder.join("answer"), answer.to_string()).expect("written");
    }

    #[test]
    fn builds_at_the_same_time_share_a_cache() {
        let folder = tempfile::tempdir().expect("a folder");
        front_end(folder.path(), "cat > /dev/null; cat answer");
        given(folder.path());
        let running: Vec<Child> = (0..6).map(|_| solidity(folder.path())).collect();
        let codes: Vec<String> = running.into_iter().map(|child| code(&ended(child)).to_owned()).collect();
        assert!(!codes[0].is_empty() && codes.iter().all(|code| *code == codes[0]), "{codes:?}");
        let kept = files(&folder.path().join("cache"));
        assert_eq!(kept.len(), 2, "two objects, nothing half-written: {kept:?}");
    }

    /// True while there is such a process.
    fn runs(process: &str) -> bool {
        let sent = Command::new("kill").args(["-0", process]).stderr(Stdio::null()).status();
        sent.expect("asked").success()
    }

    /// Waits until this holds, for a minute.
    fn wait_for(what: impl Fn() -> bool) {
        let start = Instant::now();
        while !what() && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_build_that_is_ended_leaves_nothing_behind() {
        use std::os::unix::process::ExitStatusExt;
        for (name, number) in [("-TERM", 15), ("-INT", 2)] {
            let folder = tempfile::tempdir().expect("a folder");
            front_end(folder.path(), "echo $$ > pid; touch started; exec sleep 600");
            let mut child = solidity(folder.path());
            wait_for(|| folder.path().join("started").exists());
            let front_end = std::fs::read_to_string(folder.path().join("pid")).expect("it was started");
            // To the build alone: who ends it does not know of the front end.
            Command::new("kill").args([name, &child.id().to_string()]).status().expect("sent");
            let status = child.wait().expect("it ends");
            assert_eq!(status.signal(), Some(number), "it ends as programs do: {status}");
            assert!(!runs(front_end.trim()), "the front end is left");
            assert_eq!(files(&folder.path().join("cache")), Vec::<PathBuf>::new());
        }
    }
}
