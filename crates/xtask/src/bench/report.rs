//! The report for people, in Markdown, with its pictures.

use super::cases::Case;
use super::picture::Picture;
use super::ratios::{Measure, ratio};
use super::table::{Base, Table};
use std::fmt::Write;

/// The level that a user gets without asking.
const DEFAULT: &str = "-O2";
const LEVELS: [&str; 5] = ["-O0", "-O1", "-O2", "-O3", "-Os"];
/// The base of ratios.
const VIA_IR: Base<'static> = Base::Compiler("via_ir");
/// Contracts on which solc's via-IR pipeline gives up.
const TOO_DEEP: [&str; 3] = ["BorrowLogic", "FlashLoanLogic", "Pool"];
/// EIP-170: the largest code that can be deployed.
const MAX_BYTES: u64 = 24_576;

/// The report; `passes` are the compilers that leave a pass out.
pub(crate) fn report(table: &Table<'_>, passes: &[String]) -> String {
    let mut text = String::from(
        "# Measurements\n\n\
         Written by `cargo xtask bench`. Ratios are ours divided by solc's (0.8.37, via IR, optimizer on, 200 \
         runs), from solc's unoptimized Yul; less is better. Means are geometric over cases; gas is what \
         execution of the calls spends, calls that halt left out. Compile times are in [times.md](times.md), \
         all figures in [results.snap](results.snap).\n\n",
    );
    targets(&mut text, table);
    levels(&mut text, table);
    compilers(&mut text, table);
    worst(&mut text, table);
    too_deep(&mut text, table);
    without_passes(&mut text, table, passes);
    text += "## Contract by contract\n\n![gas of scenarios](gas.svg)\n\n![size of contracts](size.svg)\n";
    text
}

/// The pictures with the names of their files.
pub(crate) fn pictures(table: &Table<'_>) -> Vec<(&'static str, Picture)> {
    let gas = picture(
        table,
        "Execution gas of scenarios over solc via IR",
        "scenario",
        Measure::Gas,
        &[DEFAULT, "-Os", "solar", "legacy"],
    );
    let size = picture(
        table,
        "Runtime size of contracts over solc via IR",
        "real",
        Measure::Size,
        &[DEFAULT, "-Os", "solar", "solar_size"],
    );
    vec![("gas.svg", gas), ("size.svg", size)]
}

fn picture(table: &Table<'_>, title: &str, suite: &str, measure: Measure, compilers: &[&str]) -> Picture {
    let columns: Vec<_> =
        compilers.iter().map(|compiler| table.ratios(suite, measure, compiler, VIA_IR).by_case).collect();
    let of_case = |(index, case): (usize, &Case)| {
        let bars: Vec<Option<f64>> =
            columns.iter().map(|column| column.get(&index).map(|pair| ratio(*pair))).collect();
        bars.iter().any(Option::is_some).then(|| (short_name(case).to_owned(), bars))
    };
    let what = if measure == Measure::Gas { "execution gas" } else { "bytes of runtime code" };
    Picture {
        title: title.to_owned(),
        axis: format!("{what}, divided by that of solc via IR (1.0); less is better"),
        rows: suite_of(suite).to_owned(),
        legend: compilers.iter().map(|compiler| shown(compiler)).collect(),
        groups: table.suite(suite).filter_map(of_case).collect(),
    }
}

/// What a case of a suite is.
fn suite_of(suite: &str) -> &'static str {
    if suite == "real" { "contract" } else { "scenario" }
}

/// The name without its suite.
fn plain_name(case: &Case) -> &str {
    case.name.split_once('/').map_or(&case.name, |(_, name)| name)
}

/// The last part of the name: of the contract.
fn short_name(case: &Case) -> &str {
    case.name.rsplit('/').next().unwrap_or(&case.name)
}

fn shown(compiler: &str) -> String {
    if compiler.starts_with("-O") { format!("cairn {compiler}") } else { compiler.to_owned() }
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "–".into(), |value| format!("{value:.4}"))
}

fn mean(table: &Table<'_>, suite: &str, measure: Measure, compiler: &str) -> Option<f64> {
    table.ratios(suite, measure, compiler, VIA_IR).mean()
}

fn targets(text: &mut String, table: &Table<'_>) {
    text.push_str("## Summary\n\n| what | cairn | solar 0.3 |\n|---|---|---|\n");
    let mut row = |what: &str, suite, measure, level| {
        let solar = if level == "-Os" { "solar_size" } else { "solar" };
        let [ours, theirs] = [level, solar].map(|compiler| number(mean(table, suite, measure, compiler)));
        _ = writeln!(text, "| {what} | {ours} | {theirs} |");
    };
    row("scenarios: execution gas, mean, -O2", "scenario", Measure::Gas, DEFAULT);
    row("scenarios: deployment gas, mean, -O2", "scenario", Measure::Deployment, DEFAULT);
    row("contracts: runtime size, mean, -O2", "real", Measure::Size, DEFAULT);
    row("contracts: runtime size, mean, -Os", "real", Measure::Size, "-Os");
    row("semantic: execution gas, mean, -O2", "semantic", Measure::Gas, DEFAULT);
    for level in [DEFAULT, "-Os"] {
        let sum = table.ratios("semantic", Measure::Size, level, VIA_IR).of_sums();
        _ = writeln!(text, "| semantic: runtime size, sum, {level} | {} | – |", number(sum));
    }
    for level in [DEFAULT, "-Os"] {
        let stack = table.suite("real").filter_map(|(index, _)| table.figures(index, level)?.stack);
        let logarithms: Vec<f64> = stack.filter(|pair| pair.1 > 0).map(|pair| ratio(pair).ln()).collect();
        let mean = (!logarithms.is_empty())
            .then(|| (logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp());
        _ = writeln!(
            text,
            "| contracts: gas of stack operations over its bound, mean, {level} | {} | – |",
            number(mean)
        );
    }
    text.push('\n');
}

fn levels(text: &mut String, table: &Table<'_>) {
    text.push_str(
        "## Levels\n\n| suite | level | cases | wrong | gas | size | size of sums | deployment |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for suite in ["scenario", "real", "semantic"] {
        for level in LEVELS {
            let of_level =
                |index| table.rows.iter().filter(move |row| row.case == index && row.compiler == level);
            let rows: Vec<_> = table.suite(suite).flat_map(|(index, _)| of_level(index)).collect();
            let wrong = rows.iter().filter(|row| row.fault.is_some()).count();
            let of = |measure| number(mean(table, suite, measure, level));
            let sums = number(table.ratios(suite, Measure::Size, level, VIA_IR).of_sums());
            let (gas, size, deployment) = (of(Measure::Gas), of(Measure::Size), of(Measure::Deployment));
            let n_rows = rows.len();
            _ = writeln!(
                text,
                "| {suite} | {level} | {n_rows} | {wrong} | {gas} | {size} | {sums} | {deployment} |"
            );
        }
    }
    text.push('\n');
    wrong(text, table);
}

/// What the column `wrong` counts, each with its fault.
fn wrong(text: &mut String, table: &Table<'_>) {
    text.push_str(
        "`wrong` counts cases that were not built, or whose calls did not end as recorded with solc's code; \
         their figures are left out",
    );
    let is_level = |compiler: &str| LEVELS.contains(&compiler);
    let faults: Vec<String> = (table.rows.iter().filter(|row| is_level(&row.compiler)))
        .filter_map(|row| {
            let (case, fault) = (&table.cases[row.case], row.fault.as_ref()?);
            Some(format!("* `{}` at {}: {fault}\n", case.name, row.compiler))
        })
        .collect();
    match faults.is_empty() {
        true => text.push_str(".\n\n"),
        false => _ = write!(text, ":\n\n{}\n", faults.concat()),
    }
}

fn compilers(text: &mut String, table: &Table<'_>) {
    text.push_str(
        "## Compilers\n\nThe other compilers over `via_ir`, and cairn -O2 over each of them.\n\n\
         | suite | compiler | cases | gas | size | deployment | cairn: gas | cairn: size | cairn: deployment |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let measures = [Measure::Gas, Measure::Size, Measure::Deployment];
    for suite in ["scenario", "real", "semantic"] {
        let is_ours = |name: &str| name.starts_with('-') || name.starts_with("without ");
        for compiler in table.compilers(suite).into_iter().filter(|name| !is_ours(name)) {
            let n_cases = table.ratios(suite, Measure::Size, compiler, VIA_IR).len();
            if n_cases == 0 {
                continue;
            }
            let theirs = measures.map(|measure| number(mean(table, suite, measure, compiler)));
            let base = Base::Compiler(compiler);
            let ours = measures.map(|measure| number(table.ratios(suite, measure, DEFAULT, base).mean()));
            let (theirs, ours) = (theirs.join(" | "), ours.join(" | "));
            _ = writeln!(text, "| {suite} | {compiler} | {n_cases} | {theirs} | {ours} |");
        }
    }
    text.push('\n');
}

fn worst(text: &mut String, table: &Table<'_>) {
    text.push_str(
        "## Worst cases\n\n| what | level | over via_ir | over solc's best mode |\n|---|---|---|---|\n",
    );
    for (what, suite, measure) in
        [("scenario, gas", "scenario", Measure::Gas), ("contract, size", "real", Measure::Size)]
    {
        for level in [DEFAULT, "-O3", "-Os"] {
            let cells = [VIA_IR, Base::BestOfSolc].map(|base| {
                let found = table.ratios(suite, measure, level, base).worst();
                found.map_or_else(
                    || "–".into(),
                    |(case, ratio)| format!("{ratio:.4} {}", plain_name(&table.cases[case])),
                )
            });
            _ = writeln!(text, "| {what} | {level} | {} |", cells.join(" | "));
        }
    }
    text.push('\n');
}

fn too_deep(text: &mut String, table: &Table<'_>) {
    text.push_str(
        "## Contracts that solc cannot compile via IR\n\n| contract | -O2 | -Os | solc legacy | solar | below EIP-170 |\n\
         |---|---|---|---|---|---|\n",
    );
    for (index, case) in table.suite("real") {
        let is_named = TOO_DEEP.iter().any(|name| case.name.ends_with(&format!("/{name}")));
        if !is_named && case.recorded.contains_key("via_ir") {
            continue;
        }
        let size = |compiler| table.figures(index, compiler).map(|found| found.runtime);
        let cell = |compiler| size(compiler).map_or_else(|| "–".to_owned(), |size| size.to_string());
        let fits = if size(DEFAULT).is_some_and(|size| size <= MAX_BYTES) { "yes" } else { "no" };
        let cells = [DEFAULT, "-Os", "legacy", "solar"].map(cell).join(" | ");
        _ = writeln!(text, "| {} | {cells} | {fits} |", plain_name(case));
    }
    text.push('\n');
}

fn without_passes(text: &mut String, table: &Table<'_>, passes: &[String]) {
    if passes.is_empty() {
        return;
    }
    text.push_str(
        "## Each pass switched off\n\nWhat -O2 loses without the pass: gas, deployment and size without it over those \
         with it, less one. Size in bytes is the sum over contracts.\n\n\
         | pass | scenarios: gas | scenarios: deployment | contracts: size | bytes |\n|---|---|---|---|---|\n",
    );
    let base = Base::Compiler(DEFAULT);
    for compiler in passes {
        let percent = |suite, measure| {
            let mean = table.ratios(suite, measure, compiler, base).mean();
            mean.map_or_else(|| "–".to_owned(), |mean| format!("{:+.2}%", 100.0 * (mean - 1.0)))
        };
        let sizes = table.ratios("real", Measure::Size, compiler, base);
        let bytes: i64 = sizes.by_case.values().map(|pair| pair.0 as i64 - pair.1 as i64).sum();
        let name = compiler.strip_prefix("without ").unwrap_or(compiler);
        let (gas, size) = (percent("scenario", Measure::Gas), percent("real", Measure::Size));
        let deployment = percent("scenario", Measure::Deployment);
        _ = writeln!(text, "| {name} | {gas} | {deployment} | {size} | {bytes:+} |");
    }
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::super::table::tests::{case, row};
    use super::*;

    #[test]
    fn the_report_has_means_worst_cases_and_passes() {
        let cases = [
            case("real/p/A", &[("via_ir", 100), ("legacy", 50), ("solar", 80)]),
            case("real/p/B", &[("via_ir", 100)]),
            case("real/p/Pool", &[("legacy", 90)]),
        ];
        let sizes = [(0, 60), (1, 15), (2, 70)];
        let mut rows: Vec<_> = sizes.map(|(case, size)| row(case, "-O2", size)).into();
        rows.extend(sizes.map(|(case, size)| row(case, "without inline", 2 * size)));
        let table = Table::new(&cases, &rows);
        let text = report(&table, &["without inline".to_owned()]);
        for line in [
            "| contracts: runtime size, mean, -O2 | 0.3000 | 0.8000 |",
            "| contract, size | -O2 | 0.6000 p/A | 1.2000 p/A |",
            "| p/Pool | 70 | – | 90 | – | yes |",
            "| inline | – | – | +100.00% | +145 |",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        let pictures = pictures(&table);
        assert_eq!(pictures[1].1.groups.len(), 2);
        assert_eq!(pictures[1].1.groups[0].1, [Some(0.6), None, Some(0.8), None]);
    }
}
