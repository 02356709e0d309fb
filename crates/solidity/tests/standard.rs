//! Standard JSON with a front end that answers what the test says.

#![cfg(unix)]

mod fake;

use cairn_solidity::{Environment, Progress, Step, answer};
use fake::{EAGER, Fake, LATEST};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};

/// Yul as solc writes it, of a contract that waits for a library; `body` and `inner` are what the
/// deployed code does besides, and embeds.
fn yul(own: &str, body: &str, inner: &str) -> String {
    let hash = "5a".repeat(32);
    format!(
        "/// @use-src 0:\"a.sol\"\nobject \"{own}\" {{ code {{\n/// @src 0:20:60\n\
         let size := datasize(\"{own}_deployed\") codecopy(0, dataoffset(\"{own}_deployed\"), size) \
         setimmutable(0, \"7\", 5) return(0, size) }}\n\
         /// @use-src 0:\"a.sol\"\nobject \"{own}_deployed\" {{ code {{\n/// @src 0:30:40\n\
         sstore(loadimmutable(\"7\"), linkersymbol(\"a.sol:L\")) {body} stop() }} {inner} \
         data \".metadata\" hex\"a2646970667358221220{hash}64736f6c63430008250033\" }} }}"
    )
}

fn contract(yul: &str) -> Value {
    json!({ "abi": [], "evm": { "methodIdentifiers": { "f()": "26121ff0" } }, "ir": yul,
            "metadata": "{\"compiler\":{\"version\":\"0.8.37\"},\"settings\":{\"evmVersion\":\"cancun\"}}" })
}

fn request(settings: Value) -> Value {
    let text = "contract A { }\n".repeat(8);
    json!({ "language": "Solidity", "settings": settings, "sources": { "a.sol": { "content": text } } })
}

fn all() -> Value {
    json!({ "*": { "*": ["*"] } })
}

#[test]
fn code_comes_with_maps_and_references() {
    let fake = Fake::new(
        &json!({ "contracts": { "a.sol": { "A": contract(&yul("A_1", "", "")) } }, "sources": {} }),
    );
    let found = fake.answer(&request(json!({ "optimizer": { "enabled": true }, "outputSelection": all() })));
    let asked = &fake.request()["settings"];
    assert_eq!(asked["debug"]["debugInfo"], json!(["location"]));
    assert!(asked["outputSelection"]["*"]["*"].as_array().unwrap().contains(&json!("ir")), "{asked}");
    assert_eq!(found["errors"], Value::Null);
    let evm = &found["contracts"]["a.sol"]["A"]["evm"];
    let (creation, deployed) = (&evm["bytecode"], &evm["deployedBytecode"]);
    let code = deployed["object"].as_str().unwrap();
    assert!(
        creation["object"].as_str().unwrap().contains(code),
        "the code that is returned is the code that is shown"
    );
    let link = &deployed["linkReferences"]["a.sol"]["L"][0];
    let at = link["start"].as_u64().unwrap() as usize * 2;
    assert!(link["length"] == 20 && code[at..].starts_with("__$"), "{deployed}");
    let immutable = &deployed["immutableReferences"]["7"][0];
    let at = immutable["start"].as_u64().unwrap() as usize * 2;
    assert!(immutable["length"] == 32 && code[at..].starts_with(&"0".repeat(64)), "{deployed}");
    assert!(creation["sourceMap"].as_str().unwrap().starts_with("20:40:0:-"), "{creation}");
    assert!(deployed["sourceMap"].as_str().unwrap().starts_with("30:10:0:-"), "{deployed}");
    assert!(code.contains("fea364697066735822"), "INVALID stands before the metadata: {code}");
    assert_eq!(evm["methodIdentifiers"]["f()"], "26121ff0");
    let gas: u64 = evm["gasEstimates"]["external"]["f()"].as_str().unwrap().parse().expect("a bound");
    assert!((22_100..22_200).contains(&gas), "one store: {gas}");
    let metadata = found["contracts"]["a.sol"]["A"]["metadata"].as_str().unwrap();
    assert!(metadata.contains("\"codegen\":{\"level\":\"2\",\"name\":\"cairn\""), "{metadata}");
    assert_eq!(found["contracts"]["a.sol"]["A"]["ir"], Value::Null, "it was not asked for");
    let found = fake.answer(&request(json!({ "outputSelection": { "*": { "*": ["irOptimized"] } } })));
    let yul = found["contracts"]["a.sol"]["A"]["irOptimized"].as_str().unwrap();
    assert!(yul.starts_with("/// @use-src 0:\"a.sol\"\nobject \"A_1\""), "{yul}");
}

#[test]
fn interfaces_have_every_text_that_is_asked_for() {
    let fake = Fake::new(&json!({ "contracts": { "a.sol": { "I": contract(""), "J": contract("") } } }));
    let wanted = json!(["ir", "irOptimized", "evm.assembly", "evm.bytecode.object"]);
    let found = fake.answer(&request(json!({ "outputSelection": { "a.sol": { "I": wanted } } })));
    let interface = &found["contracts"]["a.sol"]["I"];
    assert_eq!([&interface["ir"], &interface["irOptimized"]], ["", ""], "{interface}");
    assert_eq!(interface["evm"]["bytecode"]["object"], "", "{interface}");
    assert_eq!(found["contracts"]["a.sol"]["J"]["irOptimized"], Value::Null, "it was not asked for");
}

#[test]
fn immutables_take_the_bytes_that_are_asked_for() {
    let body = "pop(call(gas(), loadimmutable(\"8\"), 0, 0, 0, 0, 0))";
    let text = yul("A_1", body, "").replace(
        "setimmutable(0, \"7\", 5)",
        "setimmutable(0, \"7\", 5) setimmutable(0, \"8\", not(0x1000))",
    );
    for (level, length) in [("0", 32), ("1", 32), ("2", 20), ("s", 20), ("3", 20)] {
        let fake = Fake::new(&json!({ "contracts": { "a.sol": { "A": contract(&text) } } }));
        let found = fake.answer(&request(json!({ "cairn": { "level": level }, "outputSelection": all() })));
        let evm = &found["contracts"]["a.sol"]["A"]["evm"];
        let deployed = &evm["deployedBytecode"];
        let places = &deployed["immutableReferences"];
        assert_eq!(places["7"][0]["length"], 32, "a key of storage: {deployed}");
        assert_eq!(places["8"][0]["length"], length, "-O{level}: {deployed}");
        let zeros =
            |evm: &Value| evm["object"].as_str().unwrap().replace(|c: char| !c.is_ascii_hexdigit(), "0");
        let at = places["8"][0]["start"].as_u64().unwrap() as usize * 2;
        let code = zeros(deployed);
        assert!(code[at..].starts_with(&"0".repeat(2 * length)), "{deployed}");
        // What is deployed has the low bytes of the values there, and is the same elsewhere.
        let mut machine = cairn_exec::Machine::new(cairn_exec::Environment::default());
        let creation = cairn_evm::hex::decode(zeros(&evm["bytecode"])).expect("code");
        let outcome = machine.deploy(&cairn_exec::Message::new(creation)).expect("deploys");
        let found = cairn_evm::hex::encode(&outcome.output);
        let mut wanted = code;
        for name in ["7", "8"] {
            let value = if name == "7" { format!("{:064x}", 5) } else { format!("{}efff", "f".repeat(60)) };
            for place in places[name].as_array().unwrap() {
                let (at, length) =
                    (place["start"].as_u64().unwrap() * 2, place["length"].as_u64().unwrap() * 2);
                let range = at as usize..(at + length) as usize;
                wanted.replace_range(range, &value[64 - length as usize..]);
            }
        }
        assert_eq!(found, wanted, "-O{level}");
    }
}

#[test]
fn immutables_that_nobody_reads_take_no_code() {
    let read = yul("A_1", "", "");
    let more = "setimmutable(0, \"8\", add(calldataload(3), 7)) setimmutable(0, \"7\", 5)";
    let unread = read.replace("setimmutable(0, \"7\", 5)", more);
    assert_ne!(read, unread);
    let code = |yul: &str, level: &str| {
        let fake = Fake::new(&json!({ "contracts": { "a.sol": { "A": contract(yul) } } }));
        let settings = json!({ "cairn": { "level": level },
                               "outputSelection": { "*": { "*": ["evm.bytecode.object"] } } });
        let found = fake.answer(&request(settings));
        found["contracts"]["a.sol"]["A"]["evm"]["bytecode"]["object"].as_str().expect("code").to_owned()
    };
    for level in ["1", "2", "s"] {
        assert_eq!(code(&unread, level), code(&read, level), "-O{level}");
    }
    assert!(code(&unread, "0").len() > code(&read, "0").len(), "unoptimized code stays");
}

#[test]
fn embedded_contracts_are_the_ones_that_stand_alone() {
    let inner = yul("B_2", "", "");
    let body = "let n := datasize(\"B_2\") codecopy(0, dataoffset(\"B_2\"), n) pop(create(0, 0, n))";
    let outer = yul("A_1", body, &inner);
    let contracts = json!({ "a.sol": { "A": contract(&outer), "B": contract(&inner) } });
    let fake = Fake::new(&json!({ "contracts": contracts, "sources": {} }));
    for (level, runs) in
        [("0", 200), ("1", 200), ("2", 200), ("2", 1), ("2", 100_000), ("3", 200), ("s", 200)]
    {
        let found = fake.answer(&request(json!({
            "cairn": { "level": level },
            "optimizer": { "enabled": true, "runs": runs },
            "outputSelection": { "*": { "*": ["evm.bytecode.object"] } },
        })));
        let code = |name: &str| {
            found["contracts"]["a.sol"][name]["evm"]["bytecode"]["object"].as_str().unwrap().to_owned()
        };
        assert!(code("A").contains(&code("B")), "-O{level}, {runs} runs: {found}");
        assert_eq!(found["contracts"]["a.sol"]["A"].as_object().unwrap().len(), 2, "nothing else: {found}");
    }
}

/// `type(B).runtimeCode`: a path leads into a contract that is embedded. What it deploys is the code that stands there,
/// whether or not the contract itself is there, too.
#[test]
fn the_code_that_an_embedded_contract_deploys_is_there_by_itself() {
    let inner =
        yul("B_2", "", "").replace("setimmutable(0, \"7\", 5)", "").replace("loadimmutable(\"7\")", "7");
    let copies = |name: &str| format!("codecopy(0, dataoffset(\"{name}\"), datasize(\"{name}\")) ");
    let [code, whole] = ["B_2.B_2_deployed", "B_2"].map(copies);
    let both = format!("{whole} log0(0, datasize(\"B_2\")) {code} log0(0, datasize(\"B_2.B_2_deployed\"))");
    for body in [format!("{code} return(0, datasize(\"B_2.B_2_deployed\"))"), both] {
        let contracts = json!({ "A": contract(&yul("A_1", &body, &inner)), "B": contract(&inner) });
        let fake = Fake::new(&json!({ "contracts": { "a.sol": contracts }, "sources": {} }));
        for level in ["0", "1", "2", "3", "s"] {
            let settings = json!({
                "cairn": { "level": level },
                "outputSelection": { "*": { "*": ["evm.bytecode.object", "evm.deployedBytecode.object"] } },
            });
            let found = fake.answer(&request(settings));
            let code = |name: &str, part: &str| {
                let code = found["contracts"]["a.sol"][name]["evm"][part]["object"].as_str();
                code.unwrap_or_else(|| panic!("-O{level}: {found}")).to_owned()
            };
            let (outer, deployed) = (code("A", "deployedBytecode"), code("B", "deployedBytecode"));
            assert_eq!(outer.matches(&deployed).count(), 1, "-O{level}: {body}");
            let is_whole = outer.contains(&code("B", "bytecode"));
            assert_eq!(is_whole, body.contains("dataoffset(\"B_2\")"), "-O{level}: {body}");
        }
    }
}

#[test]
fn libraries_of_the_settings_are_linked() {
    let fake = Fake::new(&json!({ "contracts": { "a.sol": { "A": contract(&yul("A_1", "", "")) } } }));
    let address = format!("0x{}", "ab".repeat(20));
    let settings = json!({ "libraries": { "a.sol": { "L": address }, "": { "Unused": address } }, "outputSelection": all() });
    let found = fake.answer(&request(settings));
    let evm = &found["contracts"]["a.sol"]["A"]["evm"];
    for part in ["bytecode", "deployedBytecode"] {
        assert_eq!(evm[part]["linkReferences"], json!({}));
        assert!(evm[part]["object"].as_str().unwrap().contains(&"ab".repeat(20)), "{evm}");
    }
}

#[test]
fn a_library_has_its_own_address_put_into_its_code() {
    let yul = "/// @use-src 0:\"a.sol\"\nobject \"L_1\" { code { \
               let size := datasize(\"L_1_deployed\") codecopy(0, dataoffset(\"L_1_deployed\"), size) \
               setimmutable(0, \"library_deploy_address\", address()) return(0, size) } \
               object \"L_1_deployed\" { code { \
               let is_called := eq(loadimmutable(\"library_deploy_address\"), address()) \
               if is_called { revert(0, 0) } sstore(0, 1) stop() } } }";
    let fake = Fake::new(&json!({ "contracts": { "a.sol": { "L": contract(yul) } } }));
    for level in ["0", "1", "2", "3", "s"] {
        let settings = json!({ "cairn": { "level": level }, "outputSelection": all() });
        let found = fake.answer(&request(settings));
        let deployed = &found["contracts"]["a.sol"]["L"]["evm"]["deployedBytecode"];
        let references = deployed["immutableReferences"]["library_deploy_address"].as_array();
        let [place] = references.map(Vec::as_slice).unwrap_or_default() else { panic!("-O{level}: {found}") };
        let number = |key: &str| place[key].as_u64().expect("a number") as usize;
        let (start, length) = (number("start"), number("length"));
        let code = deployed["object"].as_str().expect("code");
        let push = format!("{:02x}", 0x5f + length);
        assert_eq!(
            code[start * 2 - 2..start * 2],
            push,
            "-O{level}: a push of as many bytes, which tools fill"
        );
        assert_eq!(code[start * 2..(start + length) * 2], "00".repeat(length), "-O{level}");
    }
}

#[test]
fn one_contract_fails_and_the_others_come_out() {
    let deep: String = (0..40).map(|n| format!("let v{n} := sload({n}) sstore({n}, 1)\n")).collect();
    let uses: String = (0..40).map(|n| format!("sstore(v{n}, add(v{n}, v{}))\n", 39 - n)).collect();
    let faulty =
        format!("/// @use-src 0:\"a.sol\"\nobject \"F_3\" {{ code {{\n/// @src 0:15:29\n{deep} {uses} }} }}");
    let contracts =
        json!({ "a.sol": { "A": contract(&yul("A_1", "", "")), "F": contract(&faulty), "I": contract("") } });
    let fake =
        Fake::new(&json!({ "contracts": contracts, "errors": [{ "severity": "warning", "message": "w" }] }));
    let found = fake.answer(&request(json!({ "outputSelection": all() })));
    let errors = found["errors"].as_array().unwrap();
    assert_eq!(errors[0]["message"], "w", "the front end's come first");
    assert_eq!(errors.len(), 2, "{found}");
    assert_eq!(errors[1]["severity"], "error");
    assert_eq!(errors[1]["type"], "CodeGenerationError");
    assert_eq!(errors[1]["sourceLocation"], json!({ "file": "a.sol", "start": 15, "end": 29 }));
    let shown = errors[1]["formattedMessage"].as_str().unwrap();
    assert!(shown.contains(" --> a.sol:2:1:\n  |\n2 | contract A { }\n  | ^^^^^^^^^^^^^^\n"), "{shown}");
    let found = &found["contracts"]["a.sol"];
    assert!(!found["A"]["evm"]["bytecode"]["object"].as_str().unwrap().is_empty());
    assert_eq!(found["I"]["evm"]["bytecode"]["object"], "");
    assert_eq!(found["F"]["evm"]["bytecode"], Value::Null);
}

/// What `soljson.js` answers where its memory ends.
fn no_memory() -> Value {
    internal("InternalCompilerError", "Uncaught exception:\nDynamic exception type: std::bad_alloc\n")
}

/// The answer of a front end that fails.
fn internal(kind: &str, said: &str) -> Value {
    let failure = json!({ "component": "general", "formattedMessage": said, "message": said,
                          "severity": "error", "type": kind });
    json!({ "errors": [failure] })
}

#[test]
fn a_front_end_that_dies_of_too_much_is_asked_for_less() {
    is_asked_for_less("echo out of memory >&2; exit 3");
}

#[test]
fn a_front_end_that_says_it_has_no_memory_is_asked_for_less() {
    is_asked_for_less("cat none");
    // Its memory may end where it writes what it has made.
    let unwritten = internal("JSONError", "Error writing output JSON.");
    is_asked_for_less(&format!("echo '{unwritten}'"));
}

#[test]
fn what_is_asked_of_each_file_is_asked_of_all() {
    let fake = Fake::new(&json!({}));
    let answer_of = |files: &[String]| {
        let contracts = files.iter().map(|file| (file.clone(), json!({ "C": contract(&yul("C", "", "")) })));
        let units = files.iter().enumerate().map(|(id, file)| (file.clone(), json!({ "id": id })));
        let (contracts, units): (Map<_, _>, Map<_, _>) = (contracts.collect(), units.collect());
        json!({ "contracts": contracts, "sources": units }).to_string()
    };
    let of_all = "cat > request; cat answer";
    let by_name = r#"cat > request; if grep -q '"a.sol":{"\*"' request; then cat named; else cat answer; fi"#;
    let mut files = vec!["a.sol".to_owned()];
    files.extend((10..30).map(|number| format!("{number}.sol")));
    let names = json!({ "*": ["evm.bytecode.object", "abi"] });
    let selection: Map<_, _> = files.iter().map(|file| (file.clone(), names.clone())).collect();
    let mut request = request(json!({ "outputSelection": selection }));
    files.iter().for_each(|file| request["sources"][file] = json!({ "content": "contract C { }" }));
    // A file that they import is nobody's wish.
    let imported = [files.as_slice(), &["imported.sol".to_owned()]].concat();
    for (answered, program) in [(&files, of_all), (&imported, by_name)] {
        std::fs::write(fake.folder.path().join("answer"), answer_of(answered)).expect("written");
        std::fs::write(fake.folder.path().join("named"), answer_of(&files)).expect("written");
        fake.set_program(LATEST, program);
        let found = fake.answer(&request);
        let asked = fake.request()["settings"]["outputSelection"].as_object().map(Map::len);
        assert_eq!(asked, Some(if *answered == files { 1 } else { 1 + files.len() }));
        assert_eq!(found["contracts"].as_object().map(Map::len), Some(files.len()));
    }
}

#[test]
fn what_has_no_memory_for_one_file_is_named() {
    let fake = Fake::new(&no_memory());
    let found =
        fake.answer(&request(json!({ "outputSelection": { "*": { "*": ["evm.bytecode.object"] } } })));
    let message = found["errors"][0]["formattedMessage"].as_str().expect("a message");
    assert!(message.contains("ran out of memory") && message.contains("use a native solc"), "{message}");
    assert!(message.contains("std::bad_alloc"), "{message}");
    // A program that speaks of it is another thing.
    let own = json!({ "errors": [{ "severity": "error", "type": "TypeError", "message": "bad_alloc",
                                   "formattedMessage": "TypeError: bad_alloc" }] });
    let found = Fake::new(&own).answer(&request(all()));
    assert_eq!(found["errors"][0]["formattedMessage"], "TypeError: bad_alloc");
}

/// Asks a front end for two files that, asked for more than one, does this.
fn is_asked_for_less(failure: &str) {
    let fake = Fake::new(&json!({}));
    let folder = fake.folder.path();
    std::fs::write(folder.join("none"), no_memory().to_string()).expect("written");
    for (file, name) in [("a.sol", "A"), ("b.sol", "B")] {
        let given = json!({ "contracts": { (file): { (name): contract(&yul(name, "", "")) } },
                            "errors": [{ "severity": "warning", "message": "once" }], "sources": {} });
        std::fs::write(folder.join(file), given.to_string()).expect("written");
    }
    let answers = format!(
        "cat > request\n\
         if grep -q '\"a.sol\":{{\"\\*\":\\[\"ir' request; then cat a.sol\n\
         elif grep -q '\"b.sol\":{{\"\\*\":\\[\"ir' request; then cat b.sol\nelse {failure}; fi"
    );
    fake.set_program(LATEST, &answers);
    let mut request = request(json!({ "outputSelection": { "*": { "*": ["evm.bytecode.object"] } } }));
    request["sources"]["b.sol"] = json!({ "content": "contract B { }" });
    let found = fake.answer(&request);
    for (file, name) in [("a.sol", "A"), ("b.sol", "B")] {
        let code = &found["contracts"][file][name]["evm"]["bytecode"]["object"];
        assert!(code.as_str().is_some_and(|code| !code.is_empty()), "{found}");
    }
    assert_eq!(found["errors"].as_array().map(Vec::len), Some(1), "{found}");
}

#[test]
fn errors_of_the_sources_stop_those_that_make_yul() {
    let fake = Fake::new(&json!({}));
    let folder = fake.folder.path();
    let faulty = json!({ "errors": [{ "severity": "error", "message": "wrong" }], "sources": {} });
    std::fs::write(folder.join("faulty"), faulty.to_string()).unwrap();
    // Who makes Yul takes longer than anybody waits.
    fake.set_program(EAGER, "cat > $$; if grep -q '\"ir\"' $$; then sleep 1000; else cat faulty; fi");
    let mut environment = fake.environment.clone();
    let selection = json!({ "a.sol": { "A": ["evm.bytecode.object"] }, "b.sol": { "*": ["abi"] } });
    let request = request(json!({ "outputSelection": selection })).to_string();
    for threads in [1, 2] {
        environment.overrides.threads = threads;
        let start = std::time::Instant::now();
        let found: Value = serde_json::from_str(&answer(&request, &environment)).expect("it is JSON");
        assert_eq!(found, faulty);
        assert!(start.elapsed().as_secs() < 500, "with {threads} threads");
    }
}

#[test]
fn an_old_front_end_makes_no_yul_that_nobody_asked_for() {
    let fake = Fake::new(&json!({}));
    let folder = fake.folder.path();
    let with_metadata = |yul: &str| {
        let mut contract = contract(yul);
        contract["metadata"] = "{\"compiler\":{},\"settings\":{\"evmVersion\":\"cancun\"}}".into();
        contract
    };
    // The part with Yul has no contract but the one that is asked for.
    let yul = json!({ "contracts": { "a.sol": { "A": with_metadata(&yul("A_1", "", "")) } },
                      "sources": { "a.sol": { "id": 0 } } });
    let plain = json!({ "contracts": { "a.sol": { "B": { "metadata": "{}" } }, "b.sol": { "C": { "abi": [1] } } },
                        "sources": { "a.sol": { "ast": [2], "id": 0 } } });
    std::fs::write(folder.join("yul"), yul.to_string()).unwrap();
    std::fs::write(folder.join("plain"), plain.to_string()).unwrap();
    let answers = "cat > $$; if grep -q '\"ir\"' $$; then mv $$ asked_yul; cat yul; else mv $$ asked_plain; cat plain; fi";
    fake.set_program(EAGER, answers);
    let asked = |name: &str| {
        let text = std::fs::read_to_string(folder.join(name)).ok()?;
        let request: Value = serde_json::from_str(&text).expect("it is JSON");
        Some(request["settings"]["outputSelection"].clone())
    };
    let selection = json!({ "a.sol": { "A": ["evm.bytecode.object"] }, "b.sol": { "*": ["abi"] } });
    let found = fake.answer(&request(json!({ "outputSelection": selection })));
    assert_eq!(asked("asked_yul"), Some(json!({ "a.sol": { "A": ["ir", "metadata"] } })));
    let rest = json!({ "b.sol": { "*": ["abi"] }, "*": { "*": ["metadata"], "": ["nothing"] } });
    assert_eq!(asked("asked_plain"), Some(rest), "code may embed any contract, whose hash changes");
    let contracts = &found["contracts"];
    assert!(contracts["a.sol"]["A"]["evm"]["bytecode"]["object"].is_string(), "{found}");
    assert_eq!(contracts["a.sol"].as_object().map(serde_json::Map::len), Some(1), "{found}");
    assert_eq!(contracts["b.sol"]["C"], json!({ "abi": [1] }));
    assert_eq!(found["sources"]["a.sol"], json!({ "ast": [2], "id": 0 }));
    std::fs::remove_file(folder.join("asked_plain")).unwrap();
    let selection = json!({ "a.sol": { "*": ["evm.bytecode.object"] }, "b.sol": { "*": [] } });
    fake.answer(&request(json!({ "metadata": { "bytecodeHash": "none" }, "outputSelection": selection })));
    assert_eq!(asked("asked_yul"), Some(json!({ "a.sol": { "*": ["ir", "metadata"] } })));
    assert_eq!(asked("asked_plain"), None, "no hash, no metadata of others");
}

#[test]
fn requests_without_code_pass_through() {
    let given =
        json!({ "contracts": { "a.sol": { "A": { "abi": [1] } } }, "sources": { "a.sol": { "id": 0 } } });
    let fake = Fake::new(&given);
    let settings = json!({ "cairn": { "level": "s" }, "outputSelection": { "*": { "*": ["abi"] } } });
    assert_eq!(fake.answer(&request(settings)), given);
    assert_eq!(fake.request()["settings"], json!({ "outputSelection": { "*": { "*": ["abi"] } } }));
}

#[test]
fn errors_of_the_front_end_end_it() {
    let given = json!({ "errors": [{ "severity": "error", "message": "no" }], "sources": {} });
    assert_eq!(Fake::new(&given).answer(&request(json!({ "outputSelection": all() }))), given);
}

#[test]
fn faulty_requests_have_an_answer() {
    let none = Environment::default();
    for (text, part) in [
        ("", "parse error"),
        ("[]", "not a JSON object"),
        ("{}", "No input sources"),
        (r#"{"language":"Vyper","sources":{}}"#, "supported as a language"),
        (r#"{"language":"Yul","sources":{"a":{"urls":[]}}}"#, "has no content"),
        (r#"{"language":"Yul","sources":{"a":{"content":"object \"a\" { code { f() } }"}}}"#, "f"),
        (r#"{"language":"Yul","sources":{},"settings":{"cairn":{"level":7}}}"#, "settings.cairn.level"),
    ] {
        let found: Value = serde_json::from_str(&answer(text, &none)).unwrap();
        let message = found["errors"][0]["message"].as_str().unwrap();
        assert!(message.contains(part), "{text}: {message}");
    }
}

#[test]
fn yul_needs_no_front_end() {
    let text = "object \"A\" { code { sstore(0, dataoffset(\"B\")) } object \"B\" { code { stop() } } }";
    let request = json!({ "language": "Yul", "sources": { "a.yul": { "content": text } },
                          "settings": { "outputSelection": { "*": { "*": ["*"] } } } });
    let found: Value = serde_json::from_str(&answer(&request.to_string(), &Environment::default())).unwrap();
    let evm = &found["contracts"]["a.yul"]["A"]["evm"];
    assert!(evm["bytecode"]["object"].as_str().unwrap().ends_with("5500fe00"), "{found}");
}

#[test]
fn what_is_for_debuggers_has_solcs_form() {
    let contracts = json!({ "a.sol": { "A": contract(&yul("A_1", "", "")) } });
    let fake = Fake::new(&json!({ "contracts": contracts, "sources": { "a.sol": { "id": 0 } } }));
    let names = ["evm.deployedBytecode.ethdebug", "evm.legacyAssembly"];
    let found = fake.answer(&request(json!({ "outputSelection": { "*": { "*": names } } })));
    let evm = &found["contracts"]["a.sol"]["A"]["evm"];
    let debug = &evm["deployedBytecode"]["ethdebug"];
    assert_eq!(debug["contract"], json!({ "definition": { "source": { "id": 0 } }, "name": "A" }));
    assert_eq!(debug["environment"], "call");
    let place = json!({ "code": { "source": { "id": 0 }, "range": { "offset": 30, "length": 10 } } });
    assert_eq!(debug["instructions"][0]["context"], place, "{debug}");
    assert_eq!(evm["legacyAssembly"]["sourceList"], json!(["a.sol"]));
    assert_eq!(evm["bytecode"], Value::Null);
}

#[test]
fn keys_without_a_meaning_are_named() {
    let request = json!({ "language": "Yul", "sources": { "a": { "content": "{ }" } }, "setting": {},
                          "settings": { "optimiser": {}, "viaIR": true } });
    let found: Value = serde_json::from_str(&answer(&request.to_string(), &Environment::default())).unwrap();
    let messages: Vec<&str> =
        found["errors"].as_array().unwrap().iter().map(|one| one["message"].as_str().unwrap()).collect();
    let expected = ["Unknown key \"setting\" is ignored.", "Unknown key \"settings.optimiser\" is ignored."];
    assert_eq!(messages, expected);
}

#[test]
fn progress_is_told() {
    let mut fake = Fake::new(&json!({ "contracts": { "a.sol": { "A": contract(&yul("A_1", "", "")) } } }));
    let steps = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&steps);
    fake.environment.progress = Progress::to(move |step| told.lock().unwrap().push(step));
    fake.answer(&request(json!({ "outputSelection": all() })));
    let mut found = steps.lock().unwrap().clone();
    assert_eq!(found.remove(0), Step::FrontEnd);
    found.sort_by_key(|step| format!("{step:?}"));
    assert_eq!(found, [1, 2].map(|done| Step::Objects { done, all: 2 }));
}

#[test]
fn proofs_come_with_the_code_where_they_are_asked_for() {
    let body = "if eq(shr(224, calldataload(0)), 0x26121ff0) { sstore(1, calldataload(4)) }";
    let answered =
        json!({ "contracts": { "a.sol": { "A": contract(&yul("A_1", body, "")) } }, "sources": {} });
    let fake = Fake::new(&answered);
    for (level, prove) in [("0", "require"), ("2", "require"), ("s", "warn")] {
        let own = json!({ "level": level, "prove": prove });
        let found = fake.answer(&request(json!({ "cairn": own, "outputSelection": all() })));
        assert_eq!(found["errors"], Value::Null, "{found}");
        assert_eq!(fake.request()["settings"]["cairn"], Value::Null, "the front end knows nothing of it");
        let functions = &found["contracts"]["a.sol"]["A"]["cairn"]["proof"]["functions"];
        let functions = functions.as_array().expect("a report");
        assert!(functions.iter().all(|function| function["verdict"] == "proven"), "{functions:?}");
    }
    let found = fake.answer(&request(json!({ "outputSelection": all() })));
    assert_eq!(found["contracts"]["a.sol"]["A"]["cairn"], Value::Null);
    let yul = json!({ "language": "Yul", "sources": { "b.yul": { "content": "{ sstore(0, calldataload(0)) }" } },
                      "settings": { "cairn": { "prove": "require" }, "outputSelection": all() } });
    let found = fake.answer(&yul);
    assert_eq!(found["errors"], Value::Null, "{found}");
    assert_eq!(found["contracts"]["b.yul"]["object"]["cairn"]["proof"]["functions"][0]["verdict"], "proven");
}
