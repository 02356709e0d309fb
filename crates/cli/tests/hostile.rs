//! Small inputs that are made to cost much: each command ends in time and with little memory, and
//! says what it thinks of the input; see `tests/hostile`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What a command may take, in an optimized build; another one is slower.
const SECONDS: f64 = if cfg!(debug_assertions) { 20.0 } else { 2.0 };
const MEGABYTES: f64 = 1024.0;

/// Bytes that make an input small.
const SMALL: u64 = 1024;

fn commands(extension: &str) -> &'static [&'static [&'static str]] {
    match extension {
        "yul" => &[&["build", "-O0"], &["build"], &["build", "-O3"], &["verify"], &["fmt"], &["yul-opt"]],
        "eir" => &[&["build", "-O0"], &["build"], &["verify"], &["fmt"], &["legalize"], &["stackify"]],
        "asm" => &[&["asm"], &["fmt"]],
        "hex" => &[
            &["disasm"],
            &["analyze"],
            &["cfg", "--format", "html"],
            &["lift"],
            &["lift", "--emit", "yul"],
            &["recompile"],
        ],
        _ => &[],
    }
}

/// The exit code, the seconds and the megabytes of a run that ends in time.
fn run(arguments: &[&str], file: &Path) -> (Option<i32>, f64, f64) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cairn"));
    command.args(arguments).arg(file);
    let begin = Instant::now();
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = silent.spawn().expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    let mut megabytes = 0.0_f64;
    let code = loop {
        megabytes = megabytes.max(peak(&status).unwrap_or(0.0));
        if let Some(status) = child.try_wait().expect("a child") {
            break status.code();
        }
        if begin.elapsed().as_secs_f64() > SECONDS || megabytes > MEGABYTES {
            child.kill().expect("a child");
            break child.wait().expect("a child").code();
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    (code, begin.elapsed().as_secs_f64(), megabytes)
}

/// The most memory that a process has had, where the system tells.
fn peak(status: &str) -> Option<f64> {
    let text = std::fs::read_to_string(status).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse::<f64>().ok().map(|kilobytes| kilobytes / 1024.0)
}

#[test]
fn small_inputs_cost_little() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/hostile");
    let entries = std::fs::read_dir(&folder).expect("the repository holds them");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    let (mut faults, mut n_runs) = (Vec::new(), 0);
    for path in paths {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        for arguments in commands(extension) {
            assert!(path.metadata().expect("there").len() <= SMALL, "{} is not small", path.display());
            let (code, seconds, megabytes) = run(arguments, &path);
            n_runs += 1;
            // 0: fine, 1: faulty, 2: this command takes no such input.
            if !matches!(code, Some(0..=2)) || seconds > SECONDS || megabytes > MEGABYTES {
                let name = path.file_name().unwrap_or_default().display();
                let what = arguments.join(" ");
                faults.push(format!("{what} {name}: exit code {code:?}, {seconds:.1} s, {megabytes:.0} MB"));
            }
        }
    }
    assert!(n_runs > 0, "no input was found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
