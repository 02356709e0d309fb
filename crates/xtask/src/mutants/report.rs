//! What came of a run.

use super::judge::Verdict;
use super::plan::Plan;
use super::tree::Tree;
use super::{AREAS, survivors};
use crate::project::Outcome;

/// Prints counts by area; fails with the survivors that nobody has looked at.
pub(super) fn print(tree: &Tree, plan: &Plan, verdicts: &[(usize, Verdict)]) -> Outcome {
    let listed = survivors::load()?;
    let key = |mutant: usize| tree.mutants[mutant].key.as_str();
    println!("\n{:34} {:>8} {:>8} {:>10} {:>8}", "area", "changing", "caught", "equivalent", "survive");
    for (area, _) in AREAS {
        let here = || verdicts.iter().filter(|(mutant, _)| key(*mutant).starts_with(area));
        let survivors = || here().filter(|(_, verdict)| *verdict == Verdict::Survived);
        let changing = here().filter(|(_, verdict)| *verdict != Verdict::NoChange).count();
        let equivalent = survivors().filter(|(mutant, _)| listed.contains_key(key(*mutant))).count();
        let survive = survivors().count() - equivalent;
        println!("{area:34} {changing:8} {:8} {equivalent:10} {survive:8}", changing - equivalent - survive);
    }
    let changing = verdicts.iter().filter(|(_, verdict)| *verdict != Verdict::NoChange).count();
    let caught = verdicts.iter().filter(|(_, verdict)| matches!(verdict, Verdict::Caught(_))).count();
    let share = 100.0 * caught as f64 / changing.max(1) as f64;
    println!(
        "{} judged (seed {}), {changing} change code, {caught} caught: {share:.1} %",
        verdicts.len(),
        plan.seed
    );
    let new: Vec<&str> = verdicts
        .iter()
        .filter(|(mutant, verdict)| *verdict == Verdict::Survived && !listed.contains_key(key(*mutant)))
        .map(|(mutant, _)| key(*mutant))
        .collect();
    survivors::leave(&new)?;
    if new.is_empty() {
        return Ok(());
    }
    Err(format!("{} survive that no list explains:\n{}", new.len(), new.join("\n")))
}
