//! How long each stage took.

use std::time::{Duration, Instant};

/// Times of stages in order of first start.
#[derive(Clone, Debug, Default)]
pub struct Timings {
    rows: Vec<(&'static str, Duration)>,
}

impl Timings {
    /// Runs `stage` and adds its time to the row `name`.
    pub fn time<T>(&mut self, name: &'static str, stage: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = stage();
        self.add(name, start.elapsed());
        result
    }

    /// Adds a time to the row `name`.
    pub fn add(&mut self, name: &'static str, time: Duration) {
        match self.rows.iter_mut().find(|row| row.0 == name) {
            Some(row) => row.1 += time,
            None => self.rows.push((name, time)),
        }
    }

    /// Adds the times of others.
    pub(crate) fn add_all(&mut self, others: &Timings) {
        others.rows.iter().for_each(|(name, time)| self.add(name, *time));
    }

    /// Rows in order of first start.
    pub fn rows(&self) -> &[(&'static str, Duration)] {
        &self.rows
    }

    /// A table for people: milliseconds and share of each stage.
    pub fn table(&self) -> String {
        let total: Duration = self.rows.iter().map(|row| row.1).sum();
        let mut text = String::from("stage                        ms   share\n");
        for (name, time) in self.rows.iter().chain([&("total", total)]) {
            let share = 100.0 * time.as_secs_f64() / total.as_secs_f64().max(1e-9);
            text += &format!("{name:<22} {:>9.3} {share:>6.1}%\n", time.as_secs_f64() * 1e3);
        }
        text
    }
}
