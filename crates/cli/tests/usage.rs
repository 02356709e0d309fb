//! Command lines as people type them, and inputs that are not Cairn's.

mod common;

use common::ends_with;

const FINE: &str = "{ sstore(0, 1) }";
const CODE: &str = "60015f5500\n";

#[test]
fn names_that_are_not_there_are_wrong_usage() {
    let wrong: [(&[&str], &str); 5] = [
        (&["build", "-O0", "--skip-pass", "inlin", "-"], "'inline'"),
        (&["opt", "--passes", "nothing", "-"], "possible values"),
        (&["build", "--object", "b", "-"], "known are a a.r"),
        (&["build", "--libraries", "M=0x0000000000000000000000000000000000000001", "-"], "known are L"),
        (&["man", "nothing"], "known are build"),
    ];
    let program = r#"object "a" { code { sstore(0, linkersymbol("L")) } object "r" { code { } } }"#;
    for (arguments, hint) in wrong {
        let (out, err) = ends_with(arguments, program, 2);
        assert!(out.is_empty() && err.starts_with("error") && err.contains(hint), "{arguments:?}: {err}");
    }
    let address = "L=0x0000000000000000000000000000000000000001";
    ends_with(&["build", "--libraries", address, "-"], program, 0);
}

#[test]
fn names_of_functions_are_refused_where_none_are_printed() {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let path = |name: &str| folder.path().join(name).display().to_string();
    std::fs::write(path("names.txt"), "transfer(address,uint256)\n").expect("disk");
    std::fs::write(path("in.hex"), CODE).expect("disk");
    let (names, input, tables) = (path("names.txt"), path("in.hex"), path("tables"));
    for more in [&[][..], &["--emit", "eir"], &[&tables]] {
        let line = [&["lift", "--signatures", &names, &input], more].concat();
        let (out, err) = ends_with(&line, "", 2);
        assert!(out.is_empty() && err.contains("`--signatures`"), "{line:?}: {err}");
    }
    ends_with(&["lift", "--emit", "yul", "--signatures", &names, &input], "", 0);
}

#[test]
fn the_last_of_repeated_options_counts() {
    let [first, last] = [["-O0", "-O2"], ["-O2", "-O0"]];
    let build = |levels: [&str; 2]| ends_with(&["build", levels[0], levels[1], "-"], FINE, 0).0;
    assert_eq!(build(first), ends_with(&["build", "-"], FINE, 0).0);
    assert_eq!(build(last), ends_with(&["build", "-O0", "-"], FINE, 0).0);
}

#[test]
fn results_go_where_they_are_asked_to() {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let path = folder.path().join("out").display().to_string();
    let (out, _) = ends_with(&["build", "-", "-o", &path], FINE, 0);
    assert_eq!((out.as_str(), std::fs::read_to_string(&path).expect("a file").as_str()), ("", CODE));
    ends_with(&["fmt", "-", "-o", &path], "{sstore(0,1)}", 0);
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), "{ sstore(0, 1) }\n");
    ends_with(&["verify", "-", "-o", &path], FINE, 2);
}

#[test]
fn standard_input_has_the_language_that_is_said() {
    let (out, _) = ends_with(&["build", "--input-language", "asm", "-"], "PUSH 1\nPUSH 0\nSSTORE\nSTOP\n", 0);
    assert_eq!(out, CODE);
}

#[test]
fn inputs_in_other_languages_get_a_hint() {
    let foreign = [
        ("pragma solidity ^0.8.0;\ncontract C { }", "`cairn-solc`"),
        ("\n======= a.sol:C =======\nOptimized IR:\n", "`-o DIR`"),
        ("{\n  \"abi\": []\n}", "jq -r"),
    ];
    for (text, hint) in foreign {
        let (_, err) = ends_with(&["build", "-"], text, 1);
        assert!(err.contains(hint), "{err}");
    }
}

#[test]
fn every_command_has_an_example_and_a_page() {
    let (help, _) = ends_with(&["--help"], "", 0);
    let commands = help.lines().skip_while(|line| !line.starts_with("Commands:")).skip(1);
    let commands: Vec<&str> = commands
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() > 15, "{help}");
    for command in commands.iter().filter(|command| **command != "help") {
        let (help, _) = ends_with(&[command, "--help"], "", 0);
        assert!(help.contains("Example:\n  "), "{command}");
        let (page, _) = ends_with(&["man", command], "", 0);
        assert!(
            page.contains(".SH SYNOPSIS") && page.replace("\\-", "-").contains(&format!("cairn {command}")),
            "{page}"
        );
    }
    let (script, _) = ends_with(&["completions", "bash"], "", 0);
    assert!(script.contains("cfg.mermaid") && script.contains("shanghai") && script.contains("free-pointer"));
}

/// More values than the stack reaches, and no memory for them.
fn crowded(prefix: &str) -> String {
    let name = |n: usize| format!("{prefix}v{n}_{}", 100 + n);
    let lets: String = (0..24).map(|n| format!("let {} := sload({n})\n", name(n))).collect();
    let uses: String = (0..24).map(|n| format!("sstore(add({0}, 1), {0})\n", name(n))).collect();
    format!("{lets}/// @src 0:40:50\n{uses}{uses}")
}

#[test]
fn late_faults_have_a_place_in_both_sources() {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("the folder can be written");
        folder.path().join(name).display().to_string()
    };
    let body = crowded("var_");
    let text =
        format!("/// @use-src 0:\"a.sol\"\nobject \"C\" {{ code {{ f() function f() {{\n{body}}} }} }}");
    let yul = write("c.yul", &text);
    let (_, err) = ends_with(&["build", &yul], "", 1);
    let said = [
        "stack-too-deep",
        "c.yul:",
        "compiled from a.sol, bytes 40 to 50",
        "assembly (\"memory-safe\")",
        "`v",
    ];
    for part in said {
        assert!(err.contains(part), "no `{part}` in\n{err}");
    }
    write("a.sol", &"// line\n".repeat(12));
    let (_, err) = ends_with(&["build", &yul], "", 1);
    assert!(err.contains("compiled from a.sol:6:1"), "{err}");
    let (_, err) = ends_with(&["build", "-"], &format!("{{ {} }}", crowded("")), 1);
    assert!(
        err.contains("memoryguard") && err.contains("<stdin>:") && !err.contains("compiled from"),
        "{err}"
    );
}

#[test]
fn code_that_cannot_be_deployed_is_warned_of() {
    let stores: String = (0..800)
        .map(|n| format!("sstore({n}, 0x80000000000000000000000000000000000000000000000000000000{n:08x})\n"))
        .collect();
    let program = format!(
        "object \"C\" {{ code {{ datacopy(0, dataoffset(\"R\"), datasize(\"R\")) return(0, datasize(\"R\")) }}\n\
         object \"R\" {{ code {{ huge() stop() function huge() {{ {stores} }} }} }} }}"
    );
    let (_, err) = ends_with(&["build", "-O0", "-"], &program, 0);
    assert!(
        err.contains("more than the 24576 that osaka accepts (EIP-170)") && err.contains("`huge` of `R`"),
        "{err}"
    );
    let (_, err) = ends_with(&["run", "-O0", "-"], &program, 1);
    assert!(err.contains("not deployed: the runtime code") && err.contains("--allow-oversized"), "{err}");
    for quiet in [["--evm-version", "amsterdam"], ["--allow-oversized", "-O0"]] {
        let (_, err) = ends_with(&["run", "-O0", quiet[0], quiet[1], "-"], &program, 0);
        assert_eq!(err, "");
    }
}
