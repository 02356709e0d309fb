//! Lists in the order of blocks: most of what is known of a block is one item or two, so counting comes
//! first and only what belongs to one block is compared.

use crate::blocks::BlockId;
use std::cmp::Ordering;
use std::ops::Range;

/// Items of one block from where sorting by inserting takes too long.
const MANY: usize = 16;

/// Sorts by block, and the items of a block as `order` says. `count` is the number of blocks. Cost: linear,
/// where no block has many items.
pub(crate) fn sort_by_block<T: Copy>(
    items: &mut Vec<T>,
    count: usize,
    block_of: impl Fn(&T) -> BlockId,
    order: impl Fn(&T, &T) -> Ordering,
) {
    let mut first = firsts(items, count, &block_of);
    let mut sorted = items.clone();
    for item in items.iter() {
        let next = &mut first[block_of(item) as usize];
        sorted[*next as usize] = *item;
        *next += 1;
    }
    // Each number has become where the items of its block end.
    let mut start = 0;
    for end in &first[..count] {
        let of_block = &mut sorted[start as usize..*end as usize];
        start = *end;
        match of_block.len() {
            0 | 1 => {}
            2..MANY => insert_all(of_block, &order),
            _ => of_block.sort_unstable_by(&order),
        }
    }
    *items = sorted;
}

/// Where the items of each block begin in the order of blocks, and the number of all.
fn firsts<T>(items: &[T], count: usize, block_of: impl Fn(&T) -> BlockId) -> Vec<u32> {
    let mut first = vec![0u32; count + 1];
    items.iter().for_each(|item| first[block_of(item) as usize] += 1);
    let mut before = 0;
    for number in &mut first {
        before += std::mem::replace(number, before);
    }
    first
}

fn insert_all<T>(items: &mut [T], order: impl Fn(&T, &T) -> Ordering) {
    for end in 1..items.len() {
        let mut place = end;
        while place > 0 && order(&items[place - 1], &items[place]) == Ordering::Greater {
            items.swap(place - 1, place);
            place -= 1;
        }
    }
}

/// Which items of a list belong to which block.
pub(crate) struct Index {
    /// By block, the first place in [`Index::order`]; one more at the end.
    first: Vec<u32>,
    /// Places of the list, by block and then as they stand there.
    order: Vec<u32>,
}

impl Index {
    pub(crate) fn new<T>(items: &[T], count: usize, block_of: impl Fn(&T) -> BlockId) -> Index {
        let mut first = firsts(items, count, &block_of);
        let mut order = vec![0; items.len()];
        for (place, item) in items.iter().enumerate() {
            let next = &mut first[block_of(item) as usize];
            order[*next as usize] = place as u32;
            *next += 1;
        }
        // Each number has become that of the block after it.
        first.copy_within(..count, 1);
        first[0] = 0;
        Index { first, order }
    }

    /// The places of the items of a block.
    pub(crate) fn of(&self, block: BlockId) -> &[u32] {
        &self.order[self.range(block)]
    }

    fn range(&self, block: BlockId) -> Range<usize> {
        self.first[block as usize] as usize..self.first[block as usize + 1] as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_order_of_a_sort() {
        let item = |number: u32| (number.wrapping_mul(0x9e37_79b9) >> 24) % 7;
        for length in [0, 1, 2, 9, 200] {
            let mut items: Vec<(u32, u32)> =
                (0..length).map(|place| (item(place), item(place + 99))).collect();
            let mut sorted = items.clone();
            sorted.sort_unstable();
            sort_by_block(&mut items, 8, |item| item.0, Ord::cmp);
            assert_eq!(items, sorted);
        }
    }

    #[test]
    fn an_index_keeps_the_order_of_the_list() {
        let index = Index::new(&[2, 0, 2, 2], 4, |block| *block);
        let of_block: Vec<&[u32]> = (0..4).map(|block| index.of(block)).collect();
        assert_eq!(of_block, [&[1][..], &[], &[0, 2, 3], &[]]);
    }
}
