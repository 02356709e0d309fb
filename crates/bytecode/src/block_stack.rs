//! The stack of a block that is run on what is known of its words.
//!
//! Invariant: [`BlockStack::begin`] makes room for all that the block puts there, so no instruction asks whether
//! there is room, or makes some. A loop over instructions takes the stack out of where it lies, and puts it back:
//! then it stays in registers.

use crate::blocks::Block;

/// The words that a block needs at its entry, and what it puts on them; the topmost last.
#[derive(Default)]
pub(crate) struct BlockStack<T> {
    /// The stack, and what blocks before left above it.
    words: Vec<T>,
    height: usize,
}

impl<T: Copy + Default> BlockStack<T> {
    /// Begins a block with the words that it needs, the topmost last.
    #[inline]
    pub(crate) fn begin(&mut self, block: &Block, mut entry: impl FnMut(u32) -> T) {
        let (needs, room) = (block.needs as usize, (block.needs + block.peak) as usize);
        if self.words.len() < room {
            self.make_room(room);
        }
        self.height = needs;
        (0..block.needs).rev().zip(&mut self.words[..needs]).for_each(|(depth, word)| *word = entry(depth));
    }

    #[cold]
    fn make_room(&mut self, room: usize) {
        self.words.resize(room, T::default());
    }

    pub(crate) fn words(&self) -> &[T] {
        &self.words[..self.height]
    }

    pub(crate) fn height(&self) -> usize {
        self.height
    }

    /// The word at a height, counted from the bottom.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> T {
        self.words[place]
    }

    #[inline]
    pub(crate) fn push(&mut self, word: T) {
        self.words[self.height] = word;
        self.height += 1;
    }

    #[inline]
    pub(crate) fn pop(&mut self) -> Option<T> {
        self.height = self.height.checked_sub(1)?;
        Some(self.words[self.height])
    }

    /// Takes all words off above a height.
    #[inline]
    pub(crate) fn truncate(&mut self, height: usize) {
        self.height = self.height.min(height);
    }

    /// The word at `place`, once more on the top.
    #[inline]
    pub(crate) fn duplicate(&mut self, place: usize) {
        self.push(self.words[place]);
    }

    /// Exchanges the topmost word with that at `place`.
    #[inline]
    pub(crate) fn swap(&mut self, place: usize) {
        self.words.swap(self.height - 1, place);
    }

    pub(crate) fn last_mut(&mut self) -> Option<&mut T> {
        self.words[..self.height].last_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::Blocks;
    use crate::optable::table_of;
    use cairn_evm::Fork;

    #[test]
    fn there_is_room_for_each_block_and_nothing_is_left_of_the_one_before() {
        // DUP3 DUP1 PUSH0 POP SWAP2 STOP: three words at the entry, and three on them.
        let code = [0x82, 0x80, 0x5f, 0x50, 0x91, 0x00];
        let blocks = Blocks::compute(&code, &table_of(Fork::default()));
        let mut stack = BlockStack::default();
        for first in [10, 20] {
            stack.begin(blocks.get(0), |depth| first + 2 - depth);
            stack.duplicate(0);
            stack.duplicate(3);
            stack.push(7);
            assert_eq!(stack.pop(), Some(7));
            stack.swap(2);
            assert_eq!(stack.words(), [first, first + 1, first, first, first + 2]);
            assert_eq!((stack.height(), stack.at(1)), (5, first + 1));
            stack.truncate(9);
            stack.truncate(1);
            assert_eq!(stack.last_mut().copied(), Some(first));
            assert_eq!((stack.pop(), stack.pop()), (Some(first), None));
        }
    }
}
