//! Linear inequalities of bounded integers: bounds by propagation, then elimination of one variable after
//! the other (Fourier and Motzkin). What has no rational solution has none.

use super::integer::Integer;
use std::collections::BTreeMap;

/// Inequalities at most; with more nothing is said.
const MAX_ROWS: usize = 200;
/// Variables that are eliminated at most; of more the bounds alone are looked at.
const MAX_ELIMINATED: usize = 40;
/// Rounds of propagation.
const MAX_ROUNDS: usize = 8;

/// Variables with their coefficients, none of which is 0, in order.
pub(super) type Parts = Vec<(usize, i64)>;

/// A sum of variables and a constant, or that it is not negative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) parts: Parts,
    pub(super) constant: Integer,
}

impl Row {
    /// A variable alone.
    pub(super) fn of_variable(variable: usize) -> Row {
        Row { parts: vec![(variable, 1)], constant: Integer::ZERO }
    }

    /// A number alone.
    pub(super) fn of_number(constant: Integer) -> Row {
        Row { parts: Vec::new(), constant }
    }

    /// The sum of `self` and `factor` times the other.
    pub(super) fn plus(&self, other: &Row, factor: i64) -> Option<Row> {
        let mut parts: BTreeMap<usize, i64> = self.parts.iter().copied().collect();
        for (variable, coefficient) in &other.parts {
            let entry = parts.entry(*variable).or_default();
            *entry = entry.checked_add(coefficient.checked_mul(factor)?)?;
        }
        let constant = self.constant.plus(other.constant.times(factor)?)?;
        Some(Row {
            parts: parts.into_iter().filter(|(_, coefficient)| *coefficient != 0).collect(),
            constant,
        })
    }

    /// The same with another constant.
    pub(super) fn shifted(&self, by: Integer) -> Option<Row> {
        Some(Row { parts: self.parts.clone(), constant: self.constant.plus(by)? })
    }

    fn coefficient(&self, variable: usize) -> i64 {
        self.parts.iter().find(|(other, _)| *other == variable).map_or(0, |(_, coefficient)| *coefficient)
    }
}

/// Variables between bounds, and inequalities.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    bounds: Vec<(Integer, Integer)>,
    rows: BTreeMap<Parts, Integer>,
    has_contradiction: bool,
}

impl System {
    /// A variable between two numbers.
    pub(super) fn variable(&mut self, least: Integer, greatest: Integer) -> usize {
        self.bounds.push((least, greatest));
        self.bounds.len() - 1
    }

    /// The least and the greatest that a sum can be by the bounds of its variables.
    pub(super) fn range(&self, row: &Row) -> Option<(Integer, Integer)> {
        let (mut least, mut greatest) = (row.constant, row.constant);
        for (variable, coefficient) in &row.parts {
            let (low, high) = self.bounds[*variable];
            let (low, high) = if *coefficient < 0 { (high, low) } else { (low, high) };
            least = least.plus(low.times(*coefficient)?)?;
            greatest = greatest.plus(high.times(*coefficient)?)?;
        }
        Some((least, greatest))
    }

    /// Lets a sum not be negative.
    pub(super) fn add(&mut self, row: Row) {
        let Some((least, greatest)) = self.range(&row) else { return };
        if greatest.is_negative() {
            self.has_contradiction = true;
        } else if least.is_negative() {
            self.narrow(&row);
            if row.parts.len() > 1 || row.parts.iter().any(|(_, coefficient)| coefficient.abs() != 1) {
                let entry = self.rows.entry(row.parts).or_insert(row.constant);
                *entry = (*entry).min(row.constant);
            }
        }
    }

    /// Lets an inequality bound its variables; true if one is bounded closer.
    fn narrow(&mut self, row: &Row) -> bool {
        let mut is_closer = false;
        for (variable, coefficient) in &row.parts {
            if coefficient.abs() != 1 {
                continue;
            }
            let others = row.parts.iter().copied().filter(|(other, _)| other != variable).collect();
            let rest = Row { parts: others, constant: row.constant };
            let Some((_, greatest)) = self.range(&rest) else { continue };
            let bounds = &mut self.bounds[*variable];
            match (*coefficient, greatest.negated()) {
                (1, Some(least)) if least > bounds.0 => bounds.0 = least,
                (-1, _) if greatest < bounds.1 => bounds.1 = greatest,
                _ => continue,
            }
            is_closer = true;
            self.has_contradiction |= bounds.0 > bounds.1;
        }
        is_closer
    }

    /// Lets all inequalities bound their variables; true if one is bounded closer.
    pub(super) fn propagate(&mut self) -> bool {
        let rows: Vec<Row> = self.rows().collect();
        let mut is_any_closer = false;
        for _ in 0..MAX_ROUNDS {
            let mut is_closer = false;
            for row in &rows {
                is_closer |= self.narrow(row);
            }
            is_any_closer |= is_closer;
            if !is_closer || self.has_contradiction {
                break;
            }
        }
        is_any_closer
    }

    fn rows(&self) -> impl Iterator<Item = Row> {
        self.rows.iter().map(|(parts, constant)| Row { parts: parts.clone(), constant: *constant })
    }

    /// True if there surely is no solution; the bounds alone say so, or elimination.
    pub(super) fn is_infeasible(&self) -> bool {
        if self.has_contradiction {
            return true;
        }
        let mut rows: Vec<Row> = self.rows().collect();
        let mut left: Vec<usize> = rows.iter().flat_map(|row| row.parts.iter().map(|part| part.0)).collect();
        left.sort_unstable();
        left.dedup();
        if left.len() > MAX_ELIMINATED {
            return false;
        }
        for variable in &left {
            let (least, greatest) = self.bounds[*variable];
            rows.extend(least.negated().map(|constant| Row { parts: vec![(*variable, 1)], constant }));
            rows.push(Row { parts: vec![(*variable, -1)], constant: greatest });
        }
        while !left.is_empty() && rows.len() <= MAX_ROWS {
            let cost = |variable: usize| {
                let count =
                    |sign: i64| rows.iter().filter(|row| row.coefficient(variable).signum() == sign).count();
                count(1) * count(-1)
            };
            let Some(place) = (0..left.len()).min_by_key(|place| cost(left[*place])) else { return false };
            match self.without(left.swap_remove(place), rows) {
                Some(fewer) => rows = fewer,
                None => return true,
            }
        }
        false
    }

    /// The inequalities that follow of these for the other variables; `None` if one of them never holds.
    fn without(&self, variable: usize, rows: Vec<Row>) -> Option<Vec<Row>> {
        let (with, kept): (Vec<Row>, Vec<Row>) =
            rows.into_iter().partition(|row| row.coefficient(variable) != 0);
        let (above, below): (Vec<&Row>, Vec<&Row>) =
            with.iter().partition(|row| row.coefficient(variable) > 0);
        let mut found: BTreeMap<Parts, Integer> =
            kept.into_iter().map(|row| (row.parts, row.constant)).collect();
        for a in &above {
            for b in &below {
                let (up, down) = (a.coefficient(variable), b.coefficient(variable));
                let empty = Row::of_number(Integer::ZERO);
                let sum = empty.plus(a, -down).and_then(|scaled| scaled.plus(b, up));
                let Some((sum, (least, greatest))) =
                    sum.and_then(|sum| Some((sum.clone(), self.range(&sum)?)))
                else {
                    continue;
                };
                if greatest.is_negative() {
                    return None;
                }
                // What the bounds say is known already, but for single variables: those are the bounds.
                if least.is_negative() {
                    let entry = found.entry(sum.parts).or_insert(sum.constant);
                    *entry = (*entry).min(sum.constant);
                }
            }
        }
        Some(found.into_iter().map(|(parts, constant)| Row { parts, constant }).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_evm::Word;

    fn number(number: i64) -> Integer {
        let size = Integer::of(Word::from(number.unsigned_abs()));
        if number < 0 { size.negated().expect("fits") } else { size }
    }

    fn system(rows: &[(&[(usize, i64)], i64)]) -> System {
        let mut system = System::default();
        (0..3).for_each(|_| _ = system.variable(number(0), number(1000)));
        for (parts, constant) in rows {
            system.add(Row { parts: parts.to_vec(), constant: number(*constant) });
        }
        system
    }

    #[test]
    fn circles_have_no_solution() {
        // x < y, y < z, z < x
        let circle: [(&[(usize, i64)], i64); 3] =
            [(&[(0, -1), (1, 1)], -1), (&[(1, -1), (2, 1)], -1), (&[(0, 1), (2, -1)], -1)];
        assert!(system(&circle).is_infeasible());
        assert!(!system(&circle[..2]).is_infeasible());
        // x < y, y < z, z < x + 3
        let open = [circle[0], circle[1], (&[(0, 1), (2, -1)][..], 2)];
        assert!(!system(&open).is_infeasible());
    }

    #[test]
    fn coefficients_count() {
        // 2x > y, y > 3x + 5
        let rows: [(&[(usize, i64)], i64); 2] = [(&[(0, 2), (1, -1)], -1), (&[(0, -3), (1, 1)], -6)];
        assert!(system(&rows).is_infeasible());
        let rows: [(&[(usize, i64)], i64); 2] = [(&[(0, 4), (1, -1)], -1), (&[(0, -3), (1, 1)], -6)];
        assert!(!system(&rows).is_infeasible());
    }
}
