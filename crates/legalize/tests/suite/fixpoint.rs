//! On every EVM-IR file of the repository: what is legalized is canonical, legalizing it again
//! changes nothing, one round does the work, and every change that is counted is explained.

use cairn_diag::FileId;
use cairn_ir::text::{parse, print};
use cairn_ir::verify::{Form, verify};
use cairn_legalize::{Options, legalize};
use std::path::{Path, PathBuf};

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut open, mut found) = (vec![root.join("tests/filetests"), root.join("examples")], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "eir") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

// Shows S000-01, S000-04, S000-68, S003-35, S003-48, S003-50, S003-70.
#[test]
fn legalizing_twice_changes_nothing() {
    let mut n_legalized = 0;
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let Ok(mut module) = parse(&text, FileId(0)) else { continue };
        let options = Options { recover: true, explain: true, ..Options::default() };
        let Ok(report) = legalize(&mut module, &options) else { continue };
        n_legalized += 1;
        let name = path.display();
        assert!(!verify(&module, Form::Canonical).has_errors(), "{name} is not canonical");
        assert_eq!(report.changes.len(), report.total(), "{name}: a change without explanation");
        assert!(
            report.rounds <= 2,
            "{name}: a pass undoes what one before it gave: {} rounds",
            report.rounds
        );
        assert!(report.changes.iter().all(|change| !change.what.is_empty()));
        let once = print(&module);
        let again = legalize(&mut module, &options).expect("canonical code is legal");
        assert!(again.is_unchanged(), "{name}: {:?}", again.changes);
        assert_eq!(print(&module), once, "{name}");
    }
    assert!(n_legalized >= 60, "only {n_legalized} files were legalized");
}
