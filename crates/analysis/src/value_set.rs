//! A sorted set of values that is small when it holds few or neighbouring values.

use cairn_ir::{EntityRef, Value};

/// A set of values as bits in 64-bit chunks; only chunks with a member are stored, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueSet {
    chunks: Vec<(u32, u64)>,
}

fn split(value: Value) -> (u32, u64) {
    ((value.index() / 64) as u32, 1 << (value.index() % 64))
}

impl ValueSet {
    /// Adds a value; false if it was in already. Constant time when no greater one is in.
    pub fn insert(&mut self, value: Value) -> bool {
        let (chunk, bit) = split(value);
        match self.chunks.last_mut() {
            Some((last, bits)) if *last == chunk => {
                let is_new = *bits & bit == 0;
                *bits |= bit;
                is_new
            }
            Some((last, _)) if *last > chunk => self.insert_inside(chunk, bit),
            _ => {
                self.chunks.push((chunk, bit));
                true
            }
        }
    }

    fn insert_inside(&mut self, chunk: u32, bit: u64) -> bool {
        match self.chunks.binary_search_by_key(&chunk, |(chunk, _)| *chunk) {
            Ok(index) => {
                let bits = &mut self.chunks[index].1;
                let is_new = *bits & bit == 0;
                *bits |= bit;
                is_new
            }
            Err(index) => {
                self.chunks.insert(index, (chunk, bit));
                true
            }
        }
    }

    /// True when the value is in the set.
    pub fn contains(&self, value: Value) -> bool {
        let (chunk, bit) = split(value);
        let found = self.chunks.binary_search_by_key(&chunk, |(chunk, _)| *chunk);
        found.is_ok_and(|index| self.chunks[index].1 & bit != 0)
    }

    /// Members in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = Value> + '_ {
        self.chunks.iter().flat_map(|(chunk, bits)| {
            let rest = std::iter::successors(Some(*bits), |bits| Some(bits & bits.wrapping_sub(1)));
            rest.take_while(|bits| *bits != 0)
                .map(|bits| Value::new(*chunk as usize * 64 + bits.trailing_zeros() as usize))
        })
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.chunks.iter().map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    /// True when nothing is in.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }
}

impl FromIterator<Value> for ValueSet {
    fn from_iter<T: IntoIterator<Item = Value>>(values: T) -> Self {
        let mut set = ValueSet::default();
        values.into_iter().for_each(|value| {
            set.insert(value);
        });
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(numbers: &[usize]) -> Vec<Value> {
        numbers.iter().map(|number| Value::new(*number)).collect()
    }

    #[test]
    fn any_order_of_insertion_gives_ascending_members() {
        let set: ValueSet = values(&[500, 3, 64, 63, 3, 70]).into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), values(&[3, 63, 64, 70, 500]));
        assert_eq!(set.len(), 5);
        assert!(
            set.contains(Value::new(64)) && !set.contains(Value::new(65)) && !set.contains(Value::new(900))
        );
    }

    #[test]
    fn insert_says_whether_it_was_new() {
        let mut set = ValueSet::default();
        assert!(set.is_empty());
        assert!(set.insert(Value::new(9)));
        assert!(set.insert(Value::new(200)));
        assert!(!set.insert(Value::new(9)));
        assert!(!set.insert(Value::new(200)));
    }
}
