//! What is not the same after one transaction on two machines.

use crate::outcome::{Log, Observation, Status};
use alloy_primitives::{Address, Bytes, U256};
use std::collections::{BTreeMap, BTreeSet};

/// One thing that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discrepancy {
    /// How execution ended.
    Status {
        /// In the first program.
        left: Status,
        /// In the second program.
        right: Status,
    },
    /// Return or revert data.
    Output {
        /// In the first program.
        left: Bytes,
        /// In the second program.
        right: Bytes,
    },
    /// The event with this index.
    Log {
        /// Its place among the events of the transaction.
        index: usize,
        /// In the first program, if there is one.
        left: Option<Log>,
        /// In the second program, if there is one.
        right: Option<Log>,
    },
    /// A word of storage.
    Storage {
        /// Whose.
        address: Address,
        /// Where.
        key: U256,
        /// In the first program.
        left: U256,
        /// In the second program.
        right: U256,
    },
    /// The change of a balance since the start.
    Balance {
        /// Whose.
        address: Address,
        /// In the first program; `None` where it is the initial one.
        left: Option<U256>,
        /// In the second program; `None` where it is the initial one.
        right: Option<U256>,
    },
}

impl Discrepancy {
    /// What differs, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Discrepancy::Status { .. } => "status",
            Discrepancy::Output { .. } => "output",
            Discrepancy::Log { .. } => "log",
            Discrepancy::Storage { .. } => "storage",
            Discrepancy::Balance { .. } => "balance",
        }
    }

    /// True of what stays after the transaction.
    fn lasts(&self) -> bool {
        matches!(self, Discrepancy::Storage { .. } | Discrepancy::Balance { .. })
    }
}

/// Everything that differs between two observations.
pub fn discrepancies(left: &Observation, right: &Observation) -> Vec<Discrepancy> {
    let mut list = Vec::new();
    if left.status != right.status {
        list.push(Discrepancy::Status { left: left.status, right: right.status });
    }
    if left.output != right.output {
        list.push(Discrepancy::Output { left: left.output.clone(), right: right.output.clone() });
    }
    for index in 0..left.logs.len().max(right.logs.len()) {
        let pair = (left.logs.get(index), right.logs.get(index));
        if pair.0 != pair.1 {
            list.push(Discrepancy::Log { index, left: pair.0.cloned(), right: pair.1.cloned() });
        }
    }
    compare_storage(left, right, &mut list);
    let accounts: BTreeSet<&Address> = left.balances.keys().chain(right.balances.keys()).collect();
    for address in accounts {
        let pair = (left.balances.get(address).copied(), right.balances.get(address).copied());
        if pair.0 != pair.1 {
            list.push(Discrepancy::Balance { address: *address, left: pair.0, right: pair.1 });
        }
    }
    list
}

fn compare_storage(left: &Observation, right: &Observation, list: &mut Vec<Discrepancy>) {
    if left.storage == right.storage {
        return;
    }
    let nothing = BTreeMap::new();
    let accounts: BTreeSet<&Address> = left.storage.keys().chain(right.storage.keys()).collect();
    for address in accounts {
        let [a, b] = [left, right].map(|side| side.storage.get(address).unwrap_or(&nothing));
        let keys: BTreeSet<&U256> = a.keys().chain(b.keys()).collect();
        for key in keys {
            let [left, right] = [a, b].map(|words| words.get(key).copied().unwrap_or_default());
            if left != right {
                list.push(Discrepancy::Storage { address: *address, key: *key, left, right });
            }
        }
    }
}

/// Those of `now` that this transaction brought: what lasts and was there `before` is no news.
pub(crate) fn news(now: Vec<Discrepancy>, before: &[Discrepancy]) -> Vec<Discrepancy> {
    now.into_iter().filter(|one| !(one.lasts() && before.contains(one))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observation() -> Observation {
        let logs = vec![Log { address: Address::ZERO, topics: Vec::new(), data: Bytes::new() }];
        let output = Bytes::from_static(&[1]);
        let (storage, balances) = Default::default();
        Observation { status: Status::Success, output, logs, storage, balances }
    }

    #[test]
    fn everything_that_differs_is_said() {
        let left = observation();
        let mut right = left.clone();
        assert_eq!(discrepancies(&left, &right), []);
        right.status = Status::Revert;
        right.output = Bytes::new();
        right.logs.clear();
        right.storage.entry(Address::ZERO).or_default().insert(U256::from(3), U256::from(4));
        right.balances.insert(Address::ZERO, U256::from(5));
        let found = discrepancies(&left, &right);
        let kinds: Vec<_> = found.iter().map(Discrepancy::kind).collect();
        assert_eq!(kinds, ["status", "output", "log", "storage", "balance"]);
        let key = U256::from(3);
        let expected =
            Discrepancy::Storage { address: Address::ZERO, key, left: U256::ZERO, right: U256::from(4) };
        assert_eq!(found[3], expected);
    }

    #[test]
    fn what_lasts_is_news_once() {
        let (left, mut right) = (observation(), observation());
        right.storage.entry(Address::ZERO).or_default().insert(U256::from(3), U256::from(4));
        right.output = Bytes::new();
        let first = discrepancies(&left, &right);
        let again = news(discrepancies(&left, &right), &first);
        assert_eq!(again.iter().map(Discrepancy::kind).collect::<Vec<_>>(), ["output"]);
    }
}
