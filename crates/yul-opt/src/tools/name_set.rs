//! Sets of small numbers that share structure: copies are free and unions cost what differs.
//!
//! A set is a path-compressed binary trie over 64-bit leaves, kept in an arena. Control flow that
//! splits hands the same set to each branch; where it joins, parts that no branch touched are the
//! same nodes and are not looked at. Equal sets that were made differently are different nodes.

use smallvec::{SmallVec, smallvec};

/// A set in a [`Sets`] arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Set(u32);

impl Set {
    /// The empty set.
    pub(crate) const EMPTY: Set = Set(0);
}

#[derive(Clone, Copy, Debug)]
enum Node {
    Empty,
    /// The numbers `64 * key + bit`.
    Leaf {
        key: u32,
        bits: u64,
    },
    /// Keys that agree with `prefix` above bit `level` and differ there.
    Branch {
        prefix: u32,
        level: u8,
        left: u32,
        right: u32,
    },
}

/// The arena.
#[derive(Debug)]
pub(crate) struct Sets {
    nodes: Vec<Node>,
}

impl Default for Sets {
    fn default() -> Self {
        Sets { nodes: vec![Node::Empty] }
    }
}

impl Sets {
    fn make(&mut self, node: Node) -> u32 {
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    fn leaf(&mut self, key: u32, bits: u64) -> u32 {
        if bits == 0 { 0 } else { self.make(Node::Leaf { key, bits }) }
    }

    fn key_of(&self, node: u32) -> u32 {
        match self.nodes[node as usize] {
            Node::Empty => 0,
            Node::Leaf { key, .. } => key,
            Node::Branch { prefix, .. } => prefix,
        }
    }

    /// Joins two tries whose keys differ above everything in them.
    fn link(&mut self, a: u32, b: u32) -> u32 {
        let (key_a, key_b) = (self.key_of(a), self.key_of(b));
        let level = 31 - (key_a ^ key_b).leading_zeros() as u8;
        let prefix = prefix_of(key_a, level);
        let (left, right) = if key_a >> level & 1 == 0 { (a, b) } else { (b, a) };
        self.make(Node::Branch { prefix, level, left, right })
    }

    fn branch(&mut self, prefix: u32, level: u8, left: u32, right: u32) -> u32 {
        match (left, right) {
            (0, other) | (other, 0) => other,
            _ => self.make(Node::Branch { prefix, level, left, right }),
        }
    }

    /// The set with `value`.
    pub(crate) fn insert(&mut self, set: Set, value: u32) -> Set {
        if self.contains(set, value) {
            return set;
        }
        let leaf = self.leaf(value / 64, 1 << (value % 64));
        self.union(set, Set(leaf))
    }

    /// The set without `value`.
    pub(crate) fn remove(&mut self, set: Set, value: u32) -> Set {
        if !self.contains(set, value) {
            return set;
        }
        Set(self.remove_from(set.0, value / 64, 1 << (value % 64)))
    }

    fn remove_from(&mut self, node: u32, key: u32, bit: u64) -> u32 {
        match self.nodes[node as usize] {
            Node::Empty => 0,
            Node::Leaf { key: own, bits } => {
                if own == key && bits & bit != 0 {
                    self.leaf(key, bits & !bit)
                } else {
                    node
                }
            }
            Node::Branch { prefix, level, left, right } => {
                if prefix_of(key, level) != prefix {
                    return node;
                }
                let (new_left, new_right) = if key >> level & 1 == 0 {
                    (self.remove_from(left, key, bit), right)
                } else {
                    (left, self.remove_from(right, key, bit))
                };
                if (new_left, new_right) == (left, right) {
                    node
                } else {
                    self.branch(prefix, level, new_left, new_right)
                }
            }
        }
    }

    /// True when `value` is in the set.
    pub(crate) fn contains(&self, set: Set, value: u32) -> bool {
        let key = value / 64;
        let mut node = set.0;
        loop {
            match self.nodes[node as usize] {
                Node::Empty => return false,
                Node::Leaf { key: own, bits } => return own == key && bits >> (value % 64) & 1 == 1,
                Node::Branch { level, left, right, .. } => {
                    node = if key >> level & 1 == 0 { left } else { right };
                }
            }
        }
    }

    /// Everything in either set.
    pub(crate) fn union(&mut self, a: Set, b: Set) -> Set {
        Set(self.union_of(a.0, b.0))
    }

    fn union_of(&mut self, a: u32, b: u32) -> u32 {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        match (self.nodes[a as usize], self.nodes[b as usize]) {
            (Node::Leaf { key: key_a, bits: bits_a }, Node::Leaf { key: key_b, bits: bits_b })
                if key_a == key_b =>
            {
                match bits_a | bits_b {
                    bits if bits == bits_a => a,
                    bits if bits == bits_b => b,
                    bits => self.leaf(key_a, bits),
                }
            }
            (
                Node::Branch { prefix, level, left, right },
                Node::Branch { prefix: prefix_b, level: level_b, left: left_b, right: right_b },
            ) if (prefix, level) == (prefix_b, level_b) => {
                let new = (self.union_of(left, left_b), self.union_of(right, right_b));
                match new {
                    _ if new == (left, right) => a,
                    _ if new == (left_b, right_b) => b,
                    (left, right) => self.make(Node::Branch { prefix, level, left, right }),
                }
            }
            (Node::Branch { prefix, level, .. }, _) if self.is_below(b, prefix, level) => {
                self.union_below(a, b)
            }
            (_, Node::Branch { prefix, level, .. }) if self.is_below(a, prefix, level) => {
                self.union_below(b, a)
            }
            _ => self.link(a, b),
        }
    }

    /// True when all keys of `node` belong under a branch.
    fn is_below(&self, node: u32, prefix: u32, level: u8) -> bool {
        let inner = match self.nodes[node as usize] {
            Node::Branch { level, .. } => Some(level),
            Node::Empty | Node::Leaf { .. } => None,
        };
        prefix_of(self.key_of(node), level) == prefix && inner.is_none_or(|inner| inner < level)
    }

    fn union_below(&mut self, branch: u32, other: u32) -> u32 {
        let Node::Branch { prefix, level, left, right } = self.nodes[branch as usize] else {
            return branch;
        };
        let new = if self.key_of(other) >> level & 1 == 0 {
            (self.union_of(left, other), right)
        } else {
            (left, self.union_of(right, other))
        };
        if new == (left, right) {
            return branch;
        }
        self.make(Node::Branch { prefix, level, left: new.0, right: new.1 })
    }

    /// Adds the members in ascending order.
    pub(crate) fn members_into(&self, set: Set, members: &mut Vec<u32>) {
        self.for_each_leaf(set, &mut |key, mut bits| {
            while bits != 0 {
                members.push(key * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        });
    }

    /// Number of members.
    pub(crate) fn len(&self, set: Set) -> usize {
        let mut n_members = 0;
        self.for_each_leaf(set, &mut |_, bits| n_members += bits.count_ones() as usize);
        n_members
    }

    /// Keys and bits of the leaves in ascending order.
    fn for_each_leaf(&self, set: Set, visit: &mut dyn FnMut(u32, u64)) {
        let mut pending: SmallVec<[u32; 32]> = smallvec![set.0];
        while let Some(node) = pending.pop() {
            match self.nodes[node as usize] {
                Node::Empty => {}
                Node::Leaf { key, bits } => visit(key, bits),
                Node::Branch { left, right, .. } => pending.extend([right, left]),
            }
        }
    }
}

/// The bits of a key above a level.
fn prefix_of(key: u32, level: u8) -> u32 {
    (key >> level >> 1) << level << 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn behaves_like_a_set() {
        let mut sets = Sets::default();
        let mut random = 7u64;
        let mut pool = vec![(Set::EMPTY, BTreeSet::new())];
        for _ in 0..4000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = (random >> 33) as u32 % if random & 1 == 0 { 200 } else { u32::MAX };
            let (set, model) = pool[(random >> 20) as usize % pool.len()].clone();
            let (other, other_model) = pool[(random >> 40) as usize % pool.len()].clone();
            let (set, model) = match random >> 60 {
                0..=7 => (sets.insert(set, value), &model | &BTreeSet::from([value])),
                8..=10 => {
                    let victim = model.iter().next().copied().unwrap_or(value);
                    (sets.remove(set, victim), &model - &BTreeSet::from([victim]))
                }
                _ => (sets.union(set, other), &model | &other_model),
            };
            let mut members = Vec::new();
            sets.members_into(set, &mut members);
            assert_eq!(members, model.iter().copied().collect::<Vec<_>>());
            assert_eq!(sets.len(set), model.len());
            assert_eq!(sets.contains(set, value), model.contains(&value));
            if pool.len() < 50 {
                pool.push((set, model));
            } else {
                let slot = (random >> 10) as usize % 50;
                pool[slot] = (set, model);
            }
        }
    }

    #[test]
    fn what_changes_nothing_gives_the_same_set() {
        let mut sets = Sets::default();
        let values = [1, 900, 70, 5_000_000];
        let all = values.iter().fold(Set::EMPTY, |set, value| sets.insert(set, *value));
        let part = sets.remove(all, 900);
        assert_eq!(sets.union(all, part), all);
        assert_eq!(sets.union(part, all), all);
        assert_eq!(sets.insert(all, 70), all);
        assert_eq!(sets.remove(part, 900), part);
    }
}
