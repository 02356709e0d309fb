//! Work on functions side by side, with results in the order of the work.

use rayon::ThreadPoolBuilder;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

/// `run` on each item, on this many threads (0 for one a core). One thread, or a system that
/// gives no more, needs no pool.
pub(crate) fn map<T: Sync, R: Send>(threads: usize, items: &[T], run: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let pool = match threads {
        1 => None,
        _ => ThreadPoolBuilder::new().num_threads(threads).build().ok(),
    };
    match pool {
        Some(pool) => pool.install(|| items.par_iter().map(&run).collect()),
        None => items.iter().map(run).collect(),
    }
}
