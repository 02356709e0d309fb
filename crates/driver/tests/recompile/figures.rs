//! What recompiling many programs gave.

use cairn_driver::Recompiled;
use std::collections::BTreeMap;

#[derive(Default, Debug)]
pub(crate) struct Figures {
    /// Rows, or calls, that were compared.
    pub(crate) rows: usize,
    pub(crate) equal: usize,
    /// Rows in which nothing sees the layout of code or gas: they have to be equal.
    pub(crate) free_of_layout: usize,
    /// Rows whose originals behave as the corpus says.
    pub(crate) as_recorded: usize,
    /// Different, even without gas, and some program of the row was left as it is because it could
    /// notice.
    pub(crate) refused: Vec<String>,
    /// Different, but equal where instructions cost nothing.
    pub(crate) gas_alone: Vec<String>,
    /// Different, but equal where the accounts whose code somebody looks at keep it.
    pub(crate) seen_by_others: Vec<String>,
    pub(crate) wrong: Vec<String>,
    pub(crate) codes: usize,
    pub(crate) recompiled: usize,
    kept: BTreeMap<String, usize>,
    before: usize,
    after: usize,
    gas_before: u64,
    gas_after: u64,
    /// Programs that became neither larger nor dearer.
    no_worse: usize,
    dearer: Vec<String>,
}

impl Figures {
    pub(crate) fn count(&mut self, code: &[u8], result: &Recompiled) {
        self.codes += 1;
        self.before += code.len();
        self.after += result.code.len();
        match &result.kept {
            None => self.recompiled += 1,
            Some(reason) => {
                let class: String = reason.chars().filter(|c| !c.is_ascii_digit()).take(60).collect();
                *self.kept.entry(class).or_default() += 1;
            }
        }
    }

    pub(crate) fn count_gas(&mut self, name: &str, before: u64, after: u64) {
        self.gas_before += before;
        self.gas_after += after;
        if after <= before {
            self.no_worse += 1;
        } else {
            self.dearer.push(format!("{name}: {before} to {after}"));
        }
    }

    pub(crate) fn print(&self, title: &str) {
        println!(
            "{title}: {} rows: {} equal, {} refused with a reason, {} by gas alone, {} seen by others, {} wrong",
            self.rows,
            self.equal,
            self.refused.len(),
            self.gas_alone.len(),
            self.seen_by_others.len(),
            self.wrong.len()
        );
        if self.as_recorded > 0 {
            println!(
                "  {} originals as recorded, {} rows free of what sees layout or gas",
                self.as_recorded, self.free_of_layout
            );
        }
        println!(
            "  {} codes, {} recompiled; size {:.4}, gas {:.4}, {} of {} with gas smaller or equal",
            self.codes,
            self.recompiled,
            self.after as f64 / self.before.max(1) as f64,
            self.gas_after as f64 / self.gas_before.max(1) as f64,
            self.no_worse,
            self.no_worse + self.dearer.len()
        );
        println!("  left as they are: {:?}", self.kept);
        let lists = [
            ("wrong", &self.wrong),
            ("seen by others", &self.seen_by_others),
            ("by gas alone", &self.gas_alone),
            ("refused", &self.refused),
        ];
        for (title, list) in lists {
            list.iter().for_each(|name| println!("  {title}: {name}"));
        }
        self.dearer.iter().for_each(|name| println!("  dearer: {name}"));
    }
}
