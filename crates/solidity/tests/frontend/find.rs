//! Where front ends are found.

use crate::fakes::{Folder, message, says};
use cairn_solidity::frontend::find::{CALLER, Cached, for_sources, installed};
use cairn_solidity::frontend::{Fault, Kind, Places};
use std::collections::BTreeMap;
use std::time::Duration;

/// The paths below the folder and versions of what is found, in order.
fn found(folder: &Folder, places: &Places) -> Vec<String> {
    let found = installed(places).expect("something is found");
    let root = format!("{}/", folder.0.path().display());
    let shown = |path: &std::path::Path| path.display().to_string().replace(&root, "");
    found.iter().map(|front_end| format!("{} {}", shown(&front_end.path), front_end.version)).collect()
}

#[test]
fn each_place_is_searched_in_the_order_of_preference() {
    let folder = Folder::new();
    let mut places = folder.places();
    let fails = "echo 'this must not be run' >&2; exit 1";
    folder.program("bin/solc", &says("0.8.19+commit.7dd6d404"));
    folder.program("home/.svm/0.8.20/solc-0.8.20", fails);
    folder.file("home/.svm/0.8.21/solc-0.8.21", "no program");
    folder.file("home/.svm/.global-version", "0.8.20");
    folder.program("home/.local/share/svm/0.8.22/solc-0.8.22", fails);
    folder.program("home/.solc-select/artifacts/solc-0.8.23/solc-0.8.23", fails);
    folder.program("home/.solc-select/artifacts/solc-0.4.11", fails);
    folder.program("home/.solcx/solc-v0.8.24", fails);
    folder.program("home/.solcx/solc-v0.5.1/bin/solc", fails);
    let platform = if cfg!(target_arch = "aarch64") { "linux-arm64" } else { "linux-amd64" };
    let hardhat = format!("cache/hardhat-nodejs/compilers-v2/{platform}");
    folder.program(&format!("{hardhat}/solc-{platform}-v0.8.25+commit.b61c2a91"), fails);
    folder.file(&format!("{hardhat}/list.json"), "{}");
    folder.file("cache/hardhat-nodejs/compilers-v3/wasm/soljson-v0.8.26+commit.8a97fa7a.js", "");
    folder.package("project/node_modules/solc", "0.8.27");
    folder.package("project/node_modules/solc-28", "0.8.28");
    folder.package("project/node_modules/solclint", "0.8.28-beta");
    folder.package("node_modules/solc", "0.8.29");
    folder.package("lib/node_modules/solc", "0.8.30");
    folder.package("path/solc", "0.8.31");
    std::fs::remove_dir_all(folder.path("project/node_modules/solclint")).expect("it is removed");
    places.modules = vec![folder.path("path")];
    folder.program("bin/node", fails);
    places.project = Some(folder.path("project/sub"));
    let versions = [
        "bin/solc 0.8.19+commit.7dd6d404",
        "home/.svm/0.8.20/solc-0.8.20 0.8.20",
        "home/.local/share/svm/0.8.22/solc-0.8.22 0.8.22",
        "home/.solc-select/artifacts/solc-0.4.11 0.4.11",
        "home/.solc-select/artifacts/solc-0.8.23/solc-0.8.23 0.8.23",
        "home/.solcx/solc-v0.8.24 0.8.24",
        "cache/hardhat-nodejs/compilers-v3/wasm/soljson-v0.8.26+commit.8a97fa7a.js 0.8.26+commit.8a97fa7a",
        &format!("{hardhat}/solc-{platform}-v0.8.25+commit.b61c2a91 0.8.25+commit.b61c2a91"),
        "project/node_modules/solc/soljson.js 0.8.27",
        "project/node_modules/solc-28/soljson.js 0.8.28",
        "node_modules/solc/soljson.js 0.8.29",
        "lib/node_modules/solc/soljson.js 0.8.30",
        "path/solc/soljson.js 0.8.31",
    ];
    assert_eq!(found(&folder, &places), versions);
}

#[test]
fn nothing_installed_says_how_to_get_one() {
    let folder = Folder::new();
    let fault = installed(&folder.places()).expect_err("nothing is there");
    assert_eq!(fault, Fault::NotFound);
    let help = fault.help().expect("help");
    assert!(["npm install solc", "svm", "CAIRN_SOLC"].iter().all(|way| help.contains(way)), "{help}");
    let soljson = folder.package("project/node_modules/solc", "0.8.27");
    assert_eq!(installed(&folder.places()), Err(Fault::NoNode { soljson }));
}

#[test]
fn this_program_and_what_calls_it_are_no_front_end() {
    let folder = Folder::new();
    let own = folder.program("own/cairn-solc", &says("0.8.30+commit.73712a01"));
    std::fs::create_dir_all(folder.path("bin")).expect("a folder");
    std::os::unix::fs::symlink(&own, folder.path("bin/solc")).expect("a link");
    std::fs::create_dir_all(folder.path("home/.svm/0.8.30")).expect("a folder");
    std::fs::hard_link(&own, folder.path("home/.svm/0.8.30/solc-0.8.30")).expect("a link");
    let mut places = Places { own: Some(own.clone()), ..folder.places() };
    assert_eq!(installed(&places), Err(Fault::NotFound));
    places.chosen = Some(folder.path("bin/solc"));
    assert!(matches!(installed(&places), Err(Fault::NotUsable { .. })));
    places.chosen = None;

    // A copy of this program would find its caller in the environment and fail as this one does.
    let lines = format!(
        "[ -n \"${CALLER}\" ] && {{ echo \"called by ${CALLER}\" >&2; exit 1; }}\n{}",
        says("0.8.30+commit.1")
    );
    let wrapper = folder.program("wrapped/solc", &lines);
    places.path.insert(0, folder.path("wrapped"));
    let fault = installed(&places).expect_err("it calls itself");
    assert_eq!(fault.help(), Some(format!("its last words: called by {}", wrapper.display())));
    let places = Places { caller: Some(wrapper.clone()), ..places };
    assert_eq!(installed(&places), Err(Fault::Recursive { caller: wrapper }));
}

#[test]
fn a_broken_solc_on_path_is_passed_over() {
    let folder = Folder::new();
    folder.program("bin/solc", "exit 1");
    folder.program("bin2/solc", &says("0.8.30+commit.73712a01"));
    folder.program("bin3/solc", &says("0.8.31+commit.fd3a2265"));
    let mut places = folder.places();
    assert!(matches!(installed(&places), Err(Fault::Crashed { .. })), "alone, its fault is told");
    places.path.extend([folder.path("bin2"), folder.path("bin3")]);
    assert_eq!(found(&folder, &places), ["bin2/solc 0.8.30+commit.73712a01"]);
}

#[test]
fn the_chosen_one_is_the_only_one() {
    let folder = Folder::new();
    folder.program("bin/solc", &says("0.8.37+commit.f401782d"));
    folder.node("0.8.20+commit.a1b79de6", "cat >/dev/null");
    folder.package("npm/node_modules/solc", "0.8.20");
    folder.file("npm/node_modules/solc/solc.js", "");
    folder.program("other/solc-0.8.9", &says("0.8.21+commit.d9974bed"));
    folder.program("bin/solc-old", &says("0.8.14+commit.80d49f37"));
    for (chosen, expected) in [
        (folder.path("npm"), "npm/node_modules/solc/soljson.js 0.8.20"),
        (folder.path("npm/node_modules/solc"), "npm/node_modules/solc/soljson.js 0.8.20"),
        (
            folder.path("npm/node_modules/solc/soljson.js"),
            "npm/node_modules/solc/soljson.js 0.8.20+commit.a1b79de6",
        ),
        (folder.path("other/solc-0.8.9"), "other/solc-0.8.9 0.8.21+commit.d9974bed"),
        ("solc-old".into(), "bin/solc-old 0.8.14+commit.80d49f37"),
    ] {
        let places = Places { chosen: Some(chosen), ..folder.places() };
        assert_eq!(found(&folder, &places), [expected]);
    }
    for chosen in [folder.path("absent"), folder.path("home"), "solc-absent".into(), folder.path("bin")] {
        std::fs::create_dir_all(folder.path("home")).expect("a folder");
        let places = Places { chosen: Some(chosen.clone()), ..folder.places() };
        let fault = installed(&places).expect_err("not usable");
        assert!(matches!(&fault, Fault::NotUsable { path, .. } if *path == chosen), "{fault:?}");
    }
}

#[test]
fn the_command_of_npm_stands_for_its_soljson() {
    let folder = Folder::new();
    folder.node("0.8.20+commit.a1b79de6", "cat >/dev/null");
    folder.package("node_modules/solc", "0.8.20");
    let script = folder.program("node_modules/solc/solc.js", "");
    std::os::unix::fs::symlink(script, folder.path("bin/solcjs")).expect("a link");
    let places = Places { chosen: Some("solcjs".into()), ..folder.places() };
    let chosen = installed(&places).expect("it is usable").remove(0);
    assert_eq!((chosen.kind, chosen.path.file_name()), (Kind::Soljson, Some("soljson.js".as_ref())));
}

#[test]
fn only_the_chosen_is_asked_and_only_once() {
    let folder = Folder::new();
    folder.program("home/.svm/0.8.20/solc-0.8.20", "exit 1");
    folder.package("project/node_modules/solc", "0.8.30");
    let ready = message('V', "0.8.30+commit.73712a01.Emscripten.clang");
    folder.program("bin/node", &format!("echo run >> \"$0.count\"; {ready}; cat >/dev/null"));
    let places = folder.places();
    for _ in 0..3 {
        let front_end = for_sources(&places, ["pragma solidity ^0.8.0;"]).expect("it is found");
        assert_eq!(front_end.version.to_string(), "0.8.30+commit.73712a01");
    }
    let runs = || std::fs::read_to_string(folder.path("bin/node.count")).expect("it was run").lines().count();
    assert_eq!(runs(), 1);
    // Another file is another answer; a cache that cannot be written is none.
    folder.file("project/node_modules/solc/soljson.js", "changed");
    for_sources(&places, ["pragma solidity ^0.8.0;"]).expect("it is found");
    assert_eq!(runs(), 2);
    let places = Places { cache: Some(folder.path("bin/node/no")), ..places };
    for_sources(&places, ["pragma solidity ^0.8.0;"]).expect("it is found");
    for_sources(&places, ["pragma solidity ^0.8.0;"]).expect("it is found");
    assert_eq!(runs(), 4);
}

#[test]
fn a_kept_version_that_is_damaged_is_asked_for_again() {
    let folder = Folder::new();
    folder.package("project/node_modules/solc", "0.8.30");
    folder.node("0.8.30+commit.73712a01", "cat >/dev/null");
    let places = folder.places();
    for_sources(&places, [""]).expect("it is found");
    let kept: Vec<_> =
        std::fs::read_dir(folder.path("cache/cairn/front-ends")).expect("it is kept").flatten().collect();
    assert_eq!(kept.len(), 1);
    for damage in ["", "garbage", "\u{0}"] {
        std::fs::write(kept[0].path(), damage).expect("it is damaged");
        let front_end = for_sources(&places, [""]).expect("it is found");
        assert_eq!(front_end.version.to_string(), "0.8.30+commit.73712a01");
    }
}

#[test]
fn broken_and_mislabelled_ones_are_passed_over() {
    let folder = Folder::new();
    folder.program("home/.svm/0.8.30/solc-0.8.30", "exit 1");
    folder.program("home/.svm/0.8.29/solc-0.8.29", &says("0.8.7+commit.e28d00a7"));
    let fault = for_sources(&folder.places(), ["pragma solidity ^0.8.0;"]).expect_err("both are broken");
    assert!(matches!(fault, Fault::Crashed { .. }), "the preferred one's fault: {fault:?}");
    let fault = for_sources(&folder.places(), ["pragma solidity 0.8.29;"]).expect_err("it is another");
    assert!(
        fault.to_string().contains("should be solc 0.8.29 by its place, but says it is 0.8.7"),
        "{fault}"
    );
    folder.program("home/.svm/0.8.28/solc-0.8.28", &says("0.8.28+commit.7893614a"));
    let front_end = for_sources(&folder.places(), ["pragma solidity ^0.8.0;"]).expect("one works");
    assert_eq!(front_end.version.to_string(), "0.8.28+commit.7893614a");
}

#[test]
fn a_mended_package_is_asked() {
    let folder = Folder::new();
    folder.package("project/node_modules/solc", "0.8.30-fixed");
    folder.node("0.8.30+commit.73712a01", "cat >/dev/null");
    assert_eq!(
        found(&folder, &folder.places()),
        ["project/node_modules/solc/soljson.js 0.8.30+commit.73712a01"]
    );
}

#[test]
fn variables_become_places() {
    let places = |pairs: &[(&str, &str)]| {
        let variables: BTreeMap<_, _> = pairs.iter().copied().collect();
        Places::of_variables(|name| variables.get(name).map(Into::into))
    };
    let some = places(&[
        ("HOME", "/h"),
        ("PATH", "/a:/b"),
        ("CAIRN_SOLC", ""),
        ("NODE_PATH", "/n"),
        (CALLER, "/x/solc"),
    ]);
    assert_eq!(some.chosen, None, "an empty variable is none");
    assert_eq!(some.path, ["/a", "/b"].map(std::path::PathBuf::from));
    assert_eq!(some.modules[0], std::path::Path::new("/n"));
    assert_eq!(some.caller.as_deref(), Some("/x/solc".as_ref()));
    if cfg!(target_os = "linux") {
        assert_eq!(some.data.as_deref(), Some("/h/.local/share".as_ref()));
        assert_eq!(some.cache.as_deref(), Some("/h/.cache".as_ref()));
    }
    let set = places(&[
        ("XDG_DATA_HOME", "/d"),
        ("XDG_CACHE_HOME", "/c"),
        ("CAIRN_NODE", "node20"),
        ("CAIRN_SOLC", "s"),
    ]);
    for (kind, folder) in [(Cached::FrontEnds, "/c/cairn/front-ends"), (Cached::Objects, "/c/cairn/objects")]
    {
        assert_eq!(set.cached(kind).as_deref(), Some(folder.as_ref()));
    }
    assert_eq!(places(&[("XDG_CACHE_HOME", "c")]).cache, None, "a relative path counts as none");
    assert_eq!((set.data, set.cache), (Some("/d".into()), Some("/c".into())));
    assert_eq!((set.node, set.chosen), (Some("node20".into()), Some("s".into())));
    let patience = |value: &str| places(&[("CAIRN_SOLC_TIMEOUT", value)]).patience;
    assert_eq!(patience("0"), None);
    assert_eq!(patience("2.5"), Some(Duration::from_millis(2500)));
    let default = Some(Duration::from_secs(1800));
    assert_eq!([patience(""), patience("soon"), patience("-1"), patience("1e99")], [default; 4]);
}
