//! The Yul optimizer's own cases of solc: input, step, expected text.
//!
//! Reads `yul/yulOptimizerTests` in the corpus (`CAIRN_CORPUS`, or `corpus` beside the shared
//! folder); says so and passes when there is none. Cases whose text differs on purpose stand, with
//! the reason, in `tests/differences.txt`; every other case must be the same. `CAIRN_YUL_FILTER`
//! selects cases by a part of their path, and prints both texts of those that differ.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a test reports on standard output")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cairn_diag::FileId;
use cairn_evm::Fork;
use cairn_yul::{DebugComments, Dialect, parse, print_object};
use cairn_yul_opt::{NoObserver, Options, Plan, Suite, optimize};

/// The default sequence when the expectations were written, and its clean-up.
const SUITE: &str = "dhfoDgvulfnTUtnIfxa[r]EscLMVcul[j]Trpeulxa[r]cLgvifMCTUca[r]LSsTFOtfDnca[r]IulcscCTUtgvifMx[scCTUt]\
     TOntnfDIulgvifMjmul[jul]VcTOculjmul";
const CLEANUP: &str = "fDnTOcmuO";

/// Names of cases, whether names are made unique first, and sequences.
const SEQUENCES: [(&str, bool, &str); 40] = [
    ("disambiguator", true, ""),
    ("nameDisplacer", true, "{NameDisplacer:illegal1,illegal2,illegal3,illegal4,illegal5}"),
    ("blockFlattener", true, "gf"),
    ("constantOptimiser", false, "{ConstantOptimiser}"),
    ("varDeclInitializer", false, "d"),
    ("varNameCleaner", true, "hg{VarNameCleaner}"),
    ("forLoopConditionIntoBody", true, "I"),
    ("forLoopInitRewriter", true, "o"),
    ("commonSubexpressionEliminator", true, "ohc"),
    ("conditionalUnsimplifier", true, "U"),
    ("conditionalSimplifier", true, "C"),
    ("expressionSplitter", false, "x"),
    ("expressionJoiner", true, "j"),
    ("splitJoin", true, "xjj"),
    ("functionGrouper", true, "g"),
    ("functionHoister", true, "h"),
    ("functionSpecializer", true, "hF"),
    ("expressionInliner", true, "e"),
    ("fullInliner", true, "hgxij"),
    ("fullInlinerWithoutSplitter", true, "hgi"),
    ("rematerialiser", true, "ohm"),
    ("expressionSimplifier", true, "ohxcsssujj"),
    ("fullSimplify", true, "gfxohcsulDjj"),
    ("unusedFunctionParameterPruner", true, "ohTp"),
    ("unusedPruner", true, "u"),
    ("circularReferencesPruner", true, "hl"),
    ("deadCodeEliminator", true, "oD"),
    ("ssaTransform", true, "oa"),
    ("unusedAssignEliminator", true, "or"),
    ("unusedStoreEliminator", true, "oxaSVj"),
    ("equalStoreEliminator", true, "hoE"),
    ("ssaPlusCleanup", true, "oar"),
    ("loadResolver", true, "gfohxcsLujj"),
    ("loopInvariantCodeMotion", true, "ohM"),
    ("controlFlowSimplifier", true, "on"),
    ("structuralSimplifier", true, "ohTt"),
    ("equivalentFunctionCombiner", true, "ohv"),
    ("ssaReverser", true, "V"),
    ("ssaAndBack", true, "oarVhcu"),
    ("stackCompressor", true, "ohg{StackCompressor}f"),
];

#[test]
fn every_case_gives_the_expected_text() {
    let Some(cases) = cases() else {
        println!("skipped: no corpus");
        return;
    };
    let filter = std::env::var("CAIRN_YUL_FILTER").unwrap_or_default();
    let differences: Vec<&str> = include_str!("differences.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(':').map(|(name, _)| name))
        .collect();
    let mut table: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let (mut unexpected, mut n_known) = (Vec::new(), 0);
    for (name, path) in cases.iter().filter(|(name, _)| name.contains(&filter)) {
        let text = std::fs::read_to_string(path).expect("a readable case").replace("\r\n", "\n");
        let case = Case::read(&text);
        let got = case.run();
        let row = table.entry(case.step.clone()).or_default();
        row.1 += 1;
        if got == case.expected {
            row.0 += 1;
            continue;
        }
        if differences.contains(&name.as_str()) {
            n_known += 1;
            continue;
        }
        if !filter.is_empty() {
            println!("--- {name}\n--- got\n{got}\n--- expected\n{}", case.expected);
        }
        unexpected.push(name.clone());
    }
    table.iter().for_each(|(step, (n_same, n))| println!("{step:32} {n_same:4}/{n}"));
    let n_same: usize = table.values().map(|(n_same, _)| n_same).sum();
    let n: usize = table.values().map(|(_, n)| n).sum();
    println!("{n_same} of {n} cases are the same, {n_known} differ for a written reason");
    assert!(unexpected.is_empty(), "{} cases differ:\n{}", unexpected.len(), unexpected.join("\n"));
    assert!(differences.len() <= 8, "too many written differences");
    if filter.is_empty() {
        assert_eq!(n_same + differences.len(), n, "a written difference is none any more");
    }
}

fn cases() -> Option<Vec<(String, PathBuf)>> {
    let root = match std::env::var_os("CAIRN_CORPUS") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"),
    };
    let root = root.join("yul/yulOptimizerTests");
    let (mut found, mut pending) = (Vec::new(), vec![root.clone()]);
    while let Some(directory) = pending.pop() {
        for entry in std::fs::read_dir(directory).ok()? {
            let path = entry.ok()?.path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "yul") {
                let name = path.strip_prefix(&root).ok()?.with_extension("").display().to_string();
                found.push((name, path));
            }
        }
    }
    found.sort();
    Some(found)
}

struct Case {
    source: String,
    fork: Fork,
    step: String,
    expected: String,
}

impl Case {
    fn read(text: &str) -> Case {
        let (source, expectation) = text.split_once("\n// ----\n").expect("a case has an expectation");
        let (source, settings) = source.split_once("\n// ====\n").unwrap_or((source, ""));
        let version = settings.lines().find_map(|line| line.strip_prefix("// EVMVersion: "));
        let mut lines = expectation
            .lines()
            .filter_map(|line| line.strip_prefix("//"))
            .map(|line| line.strip_prefix(' ').unwrap_or(line).trim_end());
        let step = lines.next().and_then(|line| line.strip_prefix("step: ")).unwrap_or("").trim().to_owned();
        let expected = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
        Case { source: format!("{source}\n"), fork: fork(version.unwrap_or("").trim()), step, expected }
    }

    fn run(&self) -> String {
        let dialect = Dialect::new(self.fork);
        let parsed = parse(&self.source, FileId(0), &dialect);
        if parsed.diagnostics.has_errors() {
            return format!("{:?}", parsed.diagnostics);
        }
        let (mut object, mut names) = (parsed.object.expect("a tree"), parsed.names);
        let mut options = Options::default();
        let parse_sequence = |text: &str| text.parse().expect("a sequence");
        options.plan = match self.step.as_str() {
            "fullSuite" => {
                Plan::Suite(Suite { sequence: parse_sequence(SUITE), cleanup: parse_sequence(CLEANUP) })
            }
            "stackLimitEvader" => Plan::Steps(parse_sequence("{StackLimitEvader}")),
            "fakeStackLimitEvader" => Plan::Steps(parse_sequence("{StackLimitEvader:$}")),
            step => {
                let found = SEQUENCES.iter().find(|(name, ..)| *name == step);
                let (_, disambiguates, sequence) =
                    found.unwrap_or_else(|| panic!("no sequence for `{step}`"));
                options.disambiguates = *disambiguates;
                Plan::Steps(parse_sequence(sequence))
            }
        };
        optimize(&mut object, &mut names, &dialect, &options, &mut NoObserver).expect("nothing is rejected");
        let text = print_object(&object, &names, &dialect, DebugComments::Print);
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim().to_owned()
    }
}

/// The newest fork up to Cancun that satisfies a setting such as `>=shanghai`.
fn fork(setting: &str) -> Fork {
    let newest = Fork::ALL.iter().position(|fork| *fork == Fork::Cancun).expect("a known fork");
    let split = setting.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(0);
    let (relation, name) = setting.split_at(split);
    let Ok(named) = name.parse::<Fork>() else {
        return Fork::Cancun;
    };
    let index = Fork::ALL.iter().position(|fork| *fork == named).expect("a known fork");
    match relation {
        "=" | "<=" => named,
        "<" => Fork::ALL[index - 1],
        _ => Fork::ALL[newest],
    }
}
