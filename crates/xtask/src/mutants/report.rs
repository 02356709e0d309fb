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
    println!(
        "\n{:34} {:>8} {:>8} {:>9} {:>8} {:>10} {:>8}",
        "area", "changing", "caught", "disproven", "proven", "equivalent", "survive"
    );
    for (area, _) in AREAS {
        let here = || verdicts.iter().filter(|(mutant, _)| key(*mutant).starts_with(area));
        let count = |is: fn(&Verdict) -> bool| here().filter(|(_, verdict)| is(verdict)).count();
        let changing = count(|verdict| *verdict != Verdict::NoChange);
        let caught = count(|verdict| matches!(verdict, Verdict::Caught(_)));
        let disproven = count(|verdict| matches!(verdict, Verdict::Disproven(_)));
        let proven = count(|verdict| matches!(verdict, Verdict::Proven(_)));
        let survivors = here().filter(|(_, verdict)| *verdict == Verdict::Survived);
        let equivalent = survivors.filter(|(mutant, _)| listed.contains_key(key(*mutant))).count();
        let survive = count(|verdict| *verdict == Verdict::Survived) - equivalent;
        println!("{area:34} {changing:8} {caught:8} {disproven:9} {proven:8} {equivalent:10} {survive:8}");
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
