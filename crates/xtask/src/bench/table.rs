//! All figures of a run, by case and compiler.

use super::cases::{Case, Figures};
use super::measure::Row;
use super::ratios::{Measure, Ratios, pair};
use std::collections::BTreeMap;

/// `solc`'s modes that it recommends: the best of them is what a user could get.
pub(crate) const SOLC_MODES: [&str; 3] = ["via_ir", "legacy", "via_ir_ssacfg"];

/// Measured and recorded figures.
pub(crate) struct Table<'a> {
    pub(crate) cases: &'a [Case],
    pub(crate) rows: &'a [Row],
    measured: BTreeMap<(usize, &'a str), &'a Row>,
}

/// What ours is compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Base<'a> {
    /// One compiler, measured or recorded.
    Compiler(&'a str),
    /// The best of [`SOLC_MODES`], case by case.
    BestOfSolc,
}

impl<'a> Table<'a> {
    pub(crate) fn new(cases: &'a [Case], rows: &'a [Row]) -> Self {
        let measured = rows.iter().map(|row| ((row.case, row.compiler.as_str()), row)).collect();
        Table { cases, rows, measured }
    }

    /// The cases of a suite with their indices.
    pub(crate) fn suite(&self, suite: &str) -> impl Iterator<Item = (usize, &'a Case)> {
        let all = self.cases.iter().enumerate();
        all.filter(move |(_, case)| case.suite() == suite).collect::<Vec<_>>().into_iter()
    }

    /// What a compiler made of a case, if it is right.
    pub(crate) fn figures(&self, case: usize, compiler: &str) -> Option<&'a Figures> {
        match self.measured.get(&(case, compiler)) {
            Some(row) => row.fault.is_none().then_some(&row.figures),
            None => self.cases[case].recorded.get(compiler),
        }
    }

    /// A compiler's figures over those of another, over a suite.
    pub(crate) fn ratios(&self, suite: &str, measure: Measure, compiler: &str, base: Base<'_>) -> Ratios {
        let of_case = |(index, case): (usize, &Case)| {
            let ours = self.figures(index, compiler)?;
            let found = match base {
                Base::Compiler(name) => pair(case, measure, ours, self.figures(index, name)?)?,
                Base::BestOfSolc => {
                    let modes = SOLC_MODES.iter().filter_map(|mode| self.figures(index, mode));
                    let pairs = modes.filter_map(|base| pair(case, measure, ours, base));
                    pairs.max_by(|a, b| (a.0 * b.1).cmp(&(b.0 * a.1)))?
                }
            };
            Some((index, found))
        };
        Ratios { by_case: self.suite(suite).filter_map(of_case).collect() }
    }

    /// Names of compilers that have figures for a suite, recorded and measured.
    pub(crate) fn compilers(&self, suite: &str) -> Vec<&'a str> {
        let recorded = self.suite(suite).flat_map(|(_, case)| case.recorded.keys().map(String::as_str));
        let in_suite = |row: &&Row| self.cases[row.case].suite() == suite;
        let measured = self.rows.iter().filter(in_suite).map(|row| row.compiler.as_str());
        let mut names: Vec<&str> = recorded.chain(measured).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A case of `real` with recorded runtime sizes.
    pub(crate) fn case(name: &str, recorded: &[(&str, u64)]) -> Case {
        let figures = |runtime: &u64| Figures { runtime: *runtime, ..Figures::default() };
        Case {
            name: name.to_owned(),
            extension: "yul".into(),
            text: String::new(),
            scenario: None,
            recorded: recorded.iter().map(|(name, size)| ((*name).to_owned(), figures(size))).collect(),
        }
    }

    /// A measured row.
    pub(crate) fn row(case: usize, compiler: &str, runtime: u64) -> Row {
        let figures = Figures { creation: runtime + 10, runtime, ..Figures::default() };
        Row { case, compiler: compiler.to_owned(), figures, fault: None }
    }

    #[test]
    fn the_best_of_solc_is_chosen_by_case() {
        let cases = [
            case("real/a", &[("via_ir", 100), ("legacy", 80), ("solar", 1)]),
            case("real/b", &[("via_ir", 50)]),
            case("semantic/c", &[("via_ir", 1)]),
        ];
        let faulty = Row { fault: Some("no".into()), ..row(1, "-Os", 1) };
        let rows = [row(0, "-O2", 60), row(1, "-O2", 50), faulty];
        let table = Table::new(&cases, &rows);
        let best = table.ratios("real", Measure::Size, "-O2", Base::BestOfSolc);
        assert_eq!(best.by_case, BTreeMap::from([(0, (60, 80)), (1, (50, 50))]));
        let via_ir = table.ratios("real", Measure::Size, "-O2", Base::Compiler("via_ir"));
        assert_eq!(via_ir.by_case[&0], (60, 100));
        assert_eq!(table.ratios("real", Measure::Size, "-Os", Base::BestOfSolc).len(), 0);
        assert_eq!(table.compilers("real"), ["-O2", "-Os", "legacy", "solar", "via_ir"]);
    }
}
