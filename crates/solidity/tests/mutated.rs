//! Whatever the request and whatever the front end's answer: there is an answer, in JSON.
//!
//! `CAIRN_MUTATED` sets how many requests are tried, `CAIRN_SEED` where the numbers begin.

use cairn_solidity::{Environment, answer};
use serde_json::{Value, json};

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        cairn_testkit::next_random(&mut self.0)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

fn base(random: &mut Random) -> Value {
    let texts = [
        "object \"A\" { code { sstore(0, dataoffset(\"B\")) } object \"B\" { code { stop() } } }",
        "{ let x := calldataload(0) for { } x { x := sub(x, 1) } { sstore(x, mload(64)) } }",
        "object \"A\" { code { setimmutable(0, \"i\", linkersymbol(\"a:L\")) datacopy(0, 1, 2) } data \"d\" hex\"00ff\" }",
        "contract A { function f() external { } }",
    ];
    let text = texts[random.below(texts.len())];
    let mut sources = json!({ "a": { "content": text } });
    if random.below(8) == 0 {
        sources["b/c.sol"] = json!({ "urls": ["b/c.sol"], "keccak256": "0x00" });
    }
    json!({
        "language": if random.below(4) > 0 { "Yul" } else { "Solidity" },
        "sources": sources,
        "settings": {
            "cairn": { "level": (["0", "1", "2", "3", "s"])[random.below(5)], "runs": random.below(1000) },
            "debug": { "debugInfo": ["location"], "revertStrings": "default" },
            "evmVersion": (["paris", "cancun", "osaka"])[random.below(3)],
            "libraries": { "a": { "L": "0x1111111111111111111111111111111111111111" } },
            "metadata": { "bytecodeHash": "none" },
            "optimizer": { "enabled": random.below(2) == 0, "runs": 200, "details": { "yulDetails": { "optimizerSteps": "u" } } },
            "outputSelection": { "*": { "*": ["*", "evm", "evm.bytecode.object", "ir"], "": ["ast"] } },
            "remappings": ["a/=b/"],
            "stopAfter": "parsing",
            "viaIR": true,
        },
    })
}

/// Replaces, removes or doubles a part somewhere below.
fn mutate(value: &mut Value, depth: usize, random: &mut Random) {
    let others = [
        json!(null),
        json!(1e300),
        json!(-1),
        json!(""),
        json!([]),
        json!({}),
        json!(true),
        json!("*"),
        json!([[[]]]),
    ];
    let stop = random.below(8) < depth;
    match value {
        Value::Object(fields) if !stop && !fields.is_empty() => {
            let index = random.below(fields.len());
            let key = fields.keys().nth(index).cloned().unwrap_or_default();
            match random.below(16) {
                0 => _ = fields.remove(&key),
                1 => _ = fields.insert(format!("{key}x"), others[random.below(others.len())].clone()),
                _ => mutate(fields.entry(key).or_insert(Value::Null), depth + 1, random),
            }
        }
        Value::Array(items) if !stop && !items.is_empty() => {
            let index = random.below(items.len());
            mutate(&mut items[index], depth + 1, random);
        }
        other => *other = others[random.below(others.len())].clone(),
    }
}

/// A text that need not be JSON any more.
fn cut(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match random.below(4) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, b"{}[]\",:\\\0x"[random.below(10)]),
            2 if !bytes.is_empty() => _ = bytes.remove(at),
            _ => {
                let tail = bytes[at..].to_vec();
                bytes.extend(tail);
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn every_request_has_an_answer() {
    let environment = Environment::default();
    let start = number("CAIRN_SEED", 1);
    let mut compiled = 0;
    for seed in start..start + number("CAIRN_MUTATED", 3000) {
        let mut random = Random(seed);
        let mut request = base(&mut random);
        for _ in 0..random.below(4) {
            mutate(&mut request, 0, &mut random);
        }
        let mut text = request.to_string();
        if random.below(4) == 0 {
            text = cut(&text, &mut random);
        }
        let found: Value = serde_json::from_str(&answer(&text, &environment)).expect("an answer is JSON");
        let has_something =
            found["errors"].as_array().is_some_and(|list| !list.is_empty()) || found["sources"].is_object();
        assert!(has_something, "seed {seed}: {text}\n{found}");
        compiled += usize::from(found["contracts"].is_object());
    }
    assert!(compiled > 300, "{compiled} of the requests came to code: what is tried is the parser alone");
}
