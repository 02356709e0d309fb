//! What happens to files: nothing is lost, nothing is half written, and errors name the file that
//! was asked for.

mod common;

use common::ends_with;
use std::path::{Path, PathBuf};

const PROGRAM: &str = "{ sstore(0, add(calldataload(0), 1)) }\n";
const UNFORMATTED: &str = "{sstore(0,1)}\n";

/// A folder with a program in `me.yul`.
struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().expect("there is room for temporary files"));
        folder.write("me.yul", PROGRAM);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("the folder can be written");
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("there is such a file")
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("a folder");
        let name = |entry: std::io::Result<std::fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<_> = entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Builds `me.yul` with this `--emit`.
    #[track_caller]
    fn build(&self, emit: &str, code: i32) -> (String, String) {
        ends_with(&["build", &self.name("me.yul"), "--emit", emit], "", code)
    }
}

fn bytecode() -> String {
    ends_with(&["build", "-"], PROGRAM, 0).0
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let folder = Folder::new();
    for name in ["me.yul", "./me.yul"] {
        let (_, err) = folder.build(&format!("bin={}", folder.name(name)), 1);
        assert!(err.contains("would overwrite the input"), "{err}");
    }
    assert_eq!((folder.read("me.yul"), folder.names()), (PROGRAM.into(), vec!["me.yul".into()]));
}

#[test]
fn one_file_does_not_take_two_outputs() {
    let folder = Folder::new();
    let twice = format!("bin={},asm={}", folder.name("a"), folder.name("./a"));
    let (_, err) = folder.build(&twice, 1);
    assert!(err.contains("the same file"), "{err}");
    assert_eq!(folder.names(), ["me.yul"]);
}

#[test]
fn outputs_are_written_together_or_not_at_all() {
    let folder = Folder::new();
    let (out, err) =
        folder.build(&format!("asm,bin={},stats={}", folder.name("a"), folder.name("none/b")), 1);
    assert!(out.is_empty() && err.contains("none/b: ") && err.contains("there is no folder"), "{err}");
    assert_eq!(folder.names(), ["me.yul"]);
}

#[test]
fn a_dash_is_standard_output() {
    let folder = Folder::new();
    assert_eq!(folder.build("bin=-", 0).0, bytecode());
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::fs::{Permissions, hard_link, metadata, set_permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::process::{Command, Stdio};

    fn mode(path: &Path) -> u32 {
        metadata(path).expect("there is such a file").permissions().mode() & 0o7777
    }

    /// Runs a line of shell in the folder; `$CAIRN` is the program.
    #[track_caller]
    fn shell(folder: &Folder, line: &str) -> String {
        let mut command = Command::new("sh");
        command.args(["-c", line]).current_dir(folder.0.path()).env("CAIRN", env!("CARGO_BIN_EXE_cairn"));
        let output = command.stdin(Stdio::null()).output().expect("there is a shell");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    #[test]
    fn links_lead_to_what_is_written() {
        let folder = Folder::new();
        folder.write("real.hex", "old");
        for (link, target) in [("link", "real.hex"), ("dangling", "new.hex")] {
            symlink(target, folder.path(link)).expect("links can be made");
            folder.build(&format!("bin={}", folder.name(link)), 0);
            assert!(folder.path(link).is_symlink());
            assert_eq!(folder.read(target), bytecode());
        }
        symlink("me.yul", folder.path("input")).expect("links can be made");
        let (_, err) = folder.build(&format!("bin={}", folder.name("input")), 1);
        assert!(err.contains("would overwrite the input"), "{err}");
    }

    #[test]
    fn hard_links_stay_one_file() {
        let folder = Folder::new();
        folder.write("a.yul", UNFORMATTED);
        hard_link(folder.path("a.yul"), folder.path("b.yul")).expect("links can be made");
        ends_with(&["fmt", "-i", &folder.name("a.yul")], "", 0);
        assert_eq!(folder.read("b.yul"), "{ sstore(0, 1) }\n");
        assert_eq!(metadata(folder.path("a.yul")).expect("a file").nlink(), 2);
        hard_link(folder.path("me.yul"), folder.path("other")).expect("links can be made");
        let (_, err) = folder.build(&format!("bin={}", folder.name("other")), 1);
        assert!(err.contains("would overwrite the input"), "{err}");
    }

    #[test]
    fn read_only_files_are_not_overwritten() {
        let folder = Folder::new();
        folder.write("a.yul", UNFORMATTED);
        set_permissions(folder.path("a.yul"), Permissions::from_mode(0o444)).expect("the file is ours");
        let (_, err) = folder.build(&format!("bin={}", folder.name("a.yul")), 1);
        assert!(err.contains("a.yul: the file is read-only") && err.contains("chmod u+w"), "{err}");
        let (_, err) = ends_with(&["fmt", "-i", &folder.name("a.yul")], "", 1);
        assert!(err.contains("a.yul: the file is read-only"), "{err}");
        assert_eq!(folder.read("a.yul"), UNFORMATTED);
        assert_eq!(folder.names(), ["a.yul", "me.yul"]);
        let rows = ["analyze", "--format", "jsonl", "--output", &folder.name("a.yul"), "-"];
        let (_, err) = ends_with(&rows, "{\"name\":\"a\",\"runtime\":\"00\"}\n", 1);
        assert!(err.contains("a.yul: the file is read-only"), "{err}");
    }

    #[test]
    fn permissions_stay_and_new_files_obey_the_umask() {
        let folder = Folder::new();
        folder.write("old", "");
        set_permissions(folder.path("old"), Permissions::from_mode(0o640)).expect("the file is ours");
        shell(&folder, "umask 027; $CAIRN build me.yul --emit bin=old,asm=new");
        assert_eq!((mode(&folder.path("old")), mode(&folder.path("new"))), (0o640, 0o640));
        shell(&folder, "umask 000; $CAIRN build me.yul --emit bin=old,asm=wide");
        assert_eq!((mode(&folder.path("old")), mode(&folder.path("wide"))), (0o640, 0o666));
    }

    #[test]
    fn streams_are_written_straight_into() {
        let folder = Folder::new();
        assert_eq!(shell(&folder, "$CAIRN build me.yul --emit bin=/dev/stdout | cat"), bytecode());
        shell(&folder, "{ echo before; $CAIRN build me.yul --emit bin=/dev/stdout; echo after; } > out");
        assert_eq!(folder.read("out"), format!("before\n{}after\n", bytecode()));
        let piped = "mkfifo pipe; cat pipe > got & $CAIRN build me.yul --emit bin=pipe; wait; test -p pipe && cat got";
        assert_eq!(shell(&folder, piped), bytecode());
        folder.build("bin=/dev/null", 0);
        assert!(!metadata("/dev/null").expect("a device").is_file());
    }

    #[test]
    fn the_file_that_takes_standard_output_takes_nothing_else() {
        let folder = Folder::new();
        let said = shell(&folder, "$CAIRN build me.yul --emit asm,bin=out 2>&1 > out; cat out");
        assert!(said.contains("the same file"), "{said}");
    }
}
