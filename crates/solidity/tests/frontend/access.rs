//! Which files imports reach.

use crate::fakes::Folder;
use cairn_solidity::frontend::{FileAccess, Imports};
use std::path::Path;

fn access(base: &Path) -> FileAccess {
    FileAccess { base_path: Some(base.to_path_buf()), ..FileAccess::default() }
}

fn text(access: &FileAccess, name: &str) -> Result<String, String> {
    access.read(name).map(|bytes| String::from_utf8(bytes).expect("text"))
}

#[test]
fn names_are_below_the_base_path() {
    let folder = Folder::new();
    folder.file("base/lib/A.sol", "a");
    let access = access(&folder.path("base"));
    assert_eq!(text(&access, "lib/A.sol"), Ok("a".to_owned()));
    assert_eq!(text(&access, "lib/../lib//A.sol"), Ok("a".to_owned()));
    assert_eq!(text(&access, "file://lib/A.sol"), Ok("a".to_owned()));
    assert_eq!(text(&access, "/lib/A.sol"), Ok("a".to_owned()), "a base path makes absolute names relative");
    let absolute = folder.path("base/lib/A.sol").display().to_string();
    assert!(text(&access, &absolute).is_err());
}

#[test]
fn without_a_base_path_absolute_names_are_paths() {
    let folder = Folder::new();
    let file = folder.file("A.sol", "a").display().to_string();
    let outside = text(&FileAccess::default(), &file).expect_err("outside the current folder");
    assert!(
        outside.starts_with("File outside of allowed directories. The following are allowed: \""),
        "{outside}"
    );
    let allowed = FileAccess { allow_paths: vec![folder.path("")], ..FileAccess::default() };
    assert_eq!(text(&allowed, &file), Ok("a".to_owned()));
    let empty = FileAccess { base_path: Some("".into()), ..allowed };
    assert_eq!(text(&empty, &format!("file://{file}")), Ok("a".to_owned()));
}

#[test]
fn include_paths_are_searched_and_must_not_conflict() {
    let folder = Folder::new();
    folder.file("base/A.sol", "a");
    folder.file("one/B.sol", "b");
    folder.file("two/A.sol", "other");
    let mut access = access(&folder.path("base"));
    access.include_paths = vec![folder.path("one"), folder.path("one"), folder.path("two")];
    assert_eq!(text(&access, "B.sol"), Ok("b".to_owned()), "twice the same path is no conflict");
    let ambiguous = text(&access, "A.sol").expect_err("two files");
    assert!(ambiguous.starts_with("Ambiguous import. Multiple matching files found"), "{ambiguous}");
    assert!(ambiguous.contains("base/A.sol") && ambiguous.contains("two/A.sol"), "{ambiguous}");
    let missing = text(&access, "C.sol").expect_err("no file");
    assert!(missing.starts_with("File not found. Searched the following locations: \""), "{missing}");
    assert!(missing.contains("two"), "{missing}");
}

#[test]
fn files_outside_are_refused_even_through_links() {
    let folder = Folder::new();
    let secret = folder.file("secret/S.sol", "s");
    folder.file("base/A.sol", "a");
    std::os::unix::fs::symlink(&secret, folder.path("base/Link.sol")).expect("a link");
    std::os::unix::fs::symlink(folder.path("base/A.sol"), folder.path("base/Inner.sol")).expect("a link");
    let mut access = access(&folder.path("base"));
    for name in ["../secret/S.sol", "Link.sol"] {
        let refused = text(&access, name).expect_err("outside");
        assert!(refused.starts_with("File outside of allowed directories."), "{refused}");
    }
    assert_eq!(text(&access, "Inner.sol"), Ok("a".to_owned()));
    access.allow_paths = vec!["".into(), folder.path("absent"), secret];
    assert_eq!(text(&access, "Link.sol"), Ok("s".to_owned()), "a file itself may be allowed");
    access.allow_paths = vec![folder.path("sec")];
    assert!(text(&access, "Link.sol").is_err(), "half a name is no folder");
}

#[test]
fn folders_are_no_sources_and_given_sources_need_no_files() {
    let folder = Folder::new();
    folder.file("base/lib/A.sol", "a");
    let mut access = access(&folder.path("base"));
    assert_eq!(text(&access, "lib"), Err("Not a valid file.".to_owned()));
    access.imports = Imports::Given;
    assert_eq!(text(&access, "lib/A.sol"), Err("File import callback not supported".to_owned()));
}
