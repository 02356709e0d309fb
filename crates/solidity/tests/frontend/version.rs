//! Pragmas, and the choice of a version.

use crate::fakes::front_end;
use cairn_solidity::frontend::fault::Cure;
use cairn_solidity::frontend::version::{choose, parse};
use cairn_solidity::frontend::{Fault, FrontEnd, Kind, Requirement};
use semver::Version;

fn accepts(pragma: &str, version: &str) -> bool {
    let requirement = Requirement::parse(pragma).unwrap_or_else(|| panic!("`{pragma}` is read"));
    requirement.accepts(&Version::parse(version).expect("a version"))
}

#[test]
fn each_form_of_pragma_has_its_borders() {
    // Pragma, what it accepts, what it does not.
    let table: &[(&str, &[&str], &[&str])] = &[
        ("0.8.20", &["0.8.20"], &["0.8.19", "0.8.21"]),
        ("=0.8.20", &["0.8.20"], &["0.8.21"]),
        ("^0.8.4", &["0.8.4", "0.8.37"], &["0.8.3", "0.9.0"]),
        ("^0.8", &["0.8.0", "0.8.37"], &["0.7.6", "0.9.0"]),
        ("^0", &["0.8.0", "0.9.0"], &["1.0.0"]),
        ("^1.2.3", &["1.2.3", "1.9.0"], &["1.2.2", "2.0.0"]),
        ("^0.0.3", &["0.0.3"], &["0.0.4", "0.0.2"]),
        ("~0.8.4", &["0.8.4", "0.8.37"], &["0.8.3", "0.9.0"]),
        ("~0", &["0.8.4"], &["1.0.0"]),
        (">=0.8.0 <0.9.0", &["0.8.0", "0.8.37"], &["0.7.6", "0.9.0"]),
        (">=0.8.0<0.9.0", &["0.8.0"], &["0.9.0"]),
        (">= 0.8.0\n< 0.9.0", &["0.8.0"], &["0.9.0"]),
        (">0.8.4", &["0.8.5"], &["0.8.4"]),
        (">0.8", &["0.9.0"], &["0.8.37"]),
        ("<=0.8", &["0.8.37", "0.7.0"], &["0.9.0"]),
        ("<0.8", &["0.7.6"], &["0.8.0"]),
        ("0.8.x", &["0.8.0", "0.8.37"], &["0.7.0", "0.9.0"]),
        ("0.8.*", &["0.8.37"], &["0.9.0"]),
        ("0.8.X", &["0.8.37"], &["0.9.0"]),
        ("*", &["0.8.37", "1.0.0"], &[]),
        (">*", &[], &["0.8.37"]),
        ("0.8.0 - 0.8.20", &["0.8.0", "0.8.20"], &["0.8.21", "0.7.0"]),
        ("0.8.0-0.8.20", &["0.8.20"], &["0.8.21"]),
        ("0.7 - 0.8", &["0.7.0", "0.8.37"], &["0.6.12", "0.9.0"]),
        ("0.7.6 || ^0.8.20", &["0.7.6", "0.8.20"], &["0.8.19"]),
        ("0.7.6||0.8.0 - 0.8.4", &["0.7.6", "0.8.4"], &["0.8.5"]),
        ("\"0.8.20\"", &["0.8.20"], &["0.8.21"]),
        ("0. 8 .20", &["0.8.20"], &["0.8.21"]),
    ];
    for (pragma, yes, no) in table {
        yes.iter().for_each(|version| assert!(accepts(pragma, version), "`{pragma}` accepts {version}"));
        no.iter().for_each(|version| assert!(!accepts(pragma, version), "`{pragma}` refuses {version}"));
    }
}

#[test]
fn prereleases_are_older_than_their_release() {
    assert!(!accepts("0.8.38", "0.8.38-nightly.2026.11.3"));
    assert!(!accepts(">=0.8.38", "0.8.38-nightly.2026.11.3"));
    assert!(accepts("<0.8.38", "0.8.38-nightly.2026.11.3"));
    assert!(accepts("^0.8.0", "0.8.38-nightly.2026.11.3"));
}

#[test]
fn what_solc_refuses_is_not_read() {
    for text in [
        "",
        "foo",
        "==0.8.1",
        "> =0.8.0",
        "||0.8.1",
        "0.8.1||",
        "v0.8.1",
        "0.8.1-alpha",
        "^0.08.1",
        "0.8.1.1",
        "(0.8)",
        "^é",
    ] {
        assert_eq!(Requirement::parse(text), None, "`{text}`");
    }
}

fn front_ends(versions: &[&str]) -> Vec<FrontEnd> {
    let named = |version: &&str| front_end(Kind::Native, version.as_ref(), version);
    versions.iter().map(named).collect()
}

fn chosen(versions: &[&str], sources: &[&str]) -> Result<String, Fault> {
    choose(&front_ends(versions), sources).map(|front_end| front_end.path.display().to_string())
}

#[test]
fn the_newest_that_satisfies_all_is_chosen() {
    let versions = ["0.8.20", "0.8.37", "0.8.26", "0.9.1", "0.8.38-nightly.1", "0.7.6"];
    for (sources, expected) in [
        (&["pragma solidity ^0.8.0; contract C {}"][..], "0.8.37"),
        (&[], "0.9.1"),
        (&["contract C {}"], "0.9.1"),
        (&["pragma solidity ^0.8.0;", "pragma solidity <=0.8.26;"], "0.8.26"),
        (&["pragma solidity ^0.8.0; pragma solidity <0.8.26;"], "0.8.20"),
        (&["pragma solidity >=0.8.37 <0.8.38;", "pragma abicoder v2;"], "0.8.37"),
        (&["pragma solidity >0.8.37 <0.9.0;"], "0.8.38-nightly.1"),
        (
            &[
                "// pragma solidity 0.7.6;\n/* pragma solidity 0.7.6; */ pragma/**/solidity/* x */0.8.20 // y\n;",
            ],
            "0.8.20",
        ),
        (
            &[
                "contract C { string s = \"\\\" pragma solidity 0.7.6;\"; string t = 'pragma solidity 0.7.6;'; }",
            ],
            "0.9.1",
        ),
        (&["pragma solidity^0.8.0;contract C{}pragma solidity 0.8.20;"], "0.8.20"),
        (&["pragma solidity so it goes;"], "0.9.1"),
        (&["pragma Solidity 0.8.20;", "pragma solidity0.8.20;", "pragmas solidity 0.8.20;"], "0.9.1"),
        (&["/* without end pragma solidity 0.7.6;", "\"without end\npragma solidity 0.8.26"], "0.8.26"),
    ] {
        assert_eq!(chosen(&versions, sources).as_deref(), Ok(expected), "{sources:?}");
    }
}

#[test]
fn of_equal_versions_the_preferred_is_chosen() {
    let mut two = front_ends(&["0.8.20", "0.8.37", "0.8.37+commit.f401782d"]);
    assert_eq!(choose(&two, ["pragma solidity ^0.8.0;"]), Ok(&two[1]));
    two.swap(1, 2);
    assert_eq!(choose(&two, ["pragma solidity ^0.8.0;"]), Ok(&two[1]));
}

#[test]
fn what_fits_nothing_is_explained() {
    let fault = chosen(&["0.8.20", "0.8.37"], &["pragma solidity ^0.8.0;", "pragma solidity 0.8.26;"])
        .expect_err("none");
    assert_eq!(
        fault.to_string(),
        "no installed solc satisfies `pragma solidity 0.8.26`; installed: `0.8.37`, `0.8.20`"
    );
    assert!(fault.help().expect("help").contains("npm install"), "{fault:?}");

    let fault = chosen(&["0.8.20", "0.8.37"], &["pragma solidity 0.8.20;", "pragma solidity 0.8.37;"])
        .expect_err("none");
    let Fault::Unsatisfied { pragmas, cure, .. } = fault else { panic!("{fault:?}") };
    assert_eq!((pragmas.len(), cure), (2, Cure::Contradiction));

    let fault = chosen(&["0.8.37"], &["pragma solidity ^0.7.0;"]).expect_err("none");
    assert!(matches!(fault, Fault::Unsatisfied { cure: Cure::Modernize, .. }), "{fault:?}");
    assert!(fault.help().expect("help").contains("0.8.13"), "{fault:?}");
}

#[test]
fn versions_without_usable_yul_are_refused() {
    let fault = chosen(&["0.8.12", "0.7.6"], &["pragma solidity <=0.8.12;"]).expect_err("too old");
    assert_eq!(
        fault.to_string(),
        "solc 0.8.12 gives no usable Yul: the oldest that does is 0.8.13 (`pragma solidity <=0.8.12` asks for it)"
    );
    assert!(fault.help().expect("help").contains("widen the pragma"), "{fault:?}");
    // Here only the machine lacks a newer one, whether sources ask for a version or none is read yet.
    for sources in [&["pragma solidity ^0.8.0;"] as &[&str], &[]] {
        let fault = chosen(&["0.8.12", "0.7.6"], sources).expect_err("too old");
        assert_eq!(fault.to_string(), "solc 0.8.12 gives no usable Yul: the oldest that does is 0.8.13");
        assert!(fault.help().expect("help").contains("npm install"), "{fault:?}");
    }
    assert_eq!(chosen(&["0.8.13"], &[]).as_deref(), Ok("0.8.13"));
}

#[test]
fn versions_are_cut_to_their_commit() {
    let cut = |text: &str| parse(text).map(|version| version.to_string());
    assert_eq!(
        cut("solc, the\nVersion: 0.8.37+commit.f401782d.Linux.g++\n\n").as_deref(),
        Some("0.8.37+commit.f401782d")
    );
    assert_eq!(cut("0.8.37+commit.f401782d.Emscripten.clang").as_deref(), Some("0.8.37+commit.f401782d"));
    assert_eq!(
        cut("Version: 0.8.38-develop.2026.11.3+commit.abc.mod.Linux.g++").as_deref(),
        Some("0.8.38-develop.2026.11.3+commit.abc")
    );
    assert_eq!(cut("0.8.37").as_deref(), Some("0.8.37"));
    for garbage in ["", "solang version v0.3.3", "Version: ", "0.8", "0.8.37+commit."] {
        assert_eq!(cut(garbage), None, "{garbage:?}");
    }
}
