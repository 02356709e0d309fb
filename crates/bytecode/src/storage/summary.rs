//! What a block does to stack, memory and storage, in terms of the words at its entry.
//!
//! Contract: memory is what stores of the block itself leave at places that are known against each
//! other; stores to other places are taken not to touch these, and calls neither.

use super::chains::EMPTY;
use super::symbol::{Key, Link, Part, Root, Symbol, Symbols};
use crate::analysis::Analysis;
use crate::block_stack::BlockStack;
use crate::blocks::BlockId;
use crate::optable::OpKind;
use cairn_evm::account::ACCOUNT_BITS;
use cairn_evm::{Opcode, Word};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;

/// Memory below this is followed from block to block: where compilers put what they hash.
pub(crate) const SCRATCH: u32 = 0x40;
/// The address of the word that says where memory is free.
const FREE: u32 = 0x40;
/// Bytes of code for each constant, and words that a block leaves, about: there is room for so many at first.
const BYTES_A_CONSTANT: usize = 8;
const WORDS_OF_AN_EXIT: usize = 4;
/// Stores of a block that are remembered.
const MAX_STORES: usize = 24;

/// An instruction that touches storage or writes an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) pc: u32,
    pub(crate) opcode: Opcode,
    /// The slot, or the first topic.
    pub(crate) operand: Symbol,
    /// What is stored.
    pub(crate) value: Symbol,
}

/// A part that is taken of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Taken {
    pub(crate) root: Root,
    pub(crate) part: Part,
    pub(crate) usage: Usage,
}

/// What becomes of a part of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Usage {
    /// It is cut out.
    Cut,
    /// The same, and it is shifted to the high end.
    Raised,
    /// It is cut out and tested for zero.
    Tested,
    /// It is cut out and compared with a number that is not zero.
    Compared,
    /// It is cleared.
    Cleared,
    /// The same, and a bit takes its place.
    Flag,
    /// It is made zero or one, as truth values are cleaned; of a whole word.
    Truth,
}

/// What a block does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    /// Words of the stack at its entry that it looks at.
    pub(crate) needs: u32,
    /// The stack at the exit, as far down as the block looks; top last.
    pub(crate) exit: Range<u32>,
    /// Words of scratch memory that it leaves.
    pub(crate) memory: SmallVec<[(u32, Symbol); 2]>,
    pub(crate) touches: Range<u32>,
    pub(crate) taken: Range<u32>,
}

/// Runs blocks, each at most once.
pub(crate) struct Summaries<'a> {
    pub(crate) analysis: &'a Analysis<'a>,
    pub(crate) symbols: Symbols,
    /// By block: the place of its summary, once there is one.
    done: Vec<u32>,
    list: Vec<Summary>,
    exits: Vec<Symbol>,
    touches: Vec<Touch>,
    taken: Vec<Taken>,
    stack: BlockStack<Symbol>,
    memory: Vec<(Symbol, i64, Symbol)>,
    last_stored: Option<Symbol>,
    /// Where an `ISZERO` stands whose operand is this word.
    last_tested: Option<(u32, Symbol)>,
    /// Words of the entry that are known to be constants, by block and depth.
    constants: FxHashMap<(BlockId, u32), Word>,
    /// The program begins by saying where memory is free, as Solidity's do; Vyper's do not.
    pub(crate) has_free_pointer: bool,
    /// Depths of words that say where something is hashed, of the block that is run.
    places: SmallVec<[u32; 4]>,
}

impl<'a> Summaries<'a> {
    pub(crate) fn new(analysis: &'a Analysis<'a>) -> Summaries<'a> {
        let count = analysis.blocks.len();
        Summaries {
            analysis,
            symbols: Symbols::new(analysis.code.len() / BYTES_A_CONSTANT),
            done: vec![NONE; count],
            list: Vec::with_capacity(count),
            exits: Vec::with_capacity(WORDS_OF_AN_EXIT * count),
            touches: Vec::new(),
            taken: Vec::new(),
            stack: BlockStack::default(),
            memory: Vec::new(),
            last_stored: None,
            last_tested: None,
            constants: FxHashMap::default(),
            has_free_pointer: sets_free_pointer(analysis),
            places: SmallVec::new(),
        }
    }

    /// The depths of words at the entry of a block that would have to be known for what it hashes.
    pub(crate) fn unknown_places(&mut self, block: BlockId) -> SmallVec<[u32; 4]> {
        self.run(block);
        std::mem::take(&mut self.places)
    }

    /// Says that a word at the entry of a block is a constant; the block is run again.
    pub(crate) fn set_constant(&mut self, block: BlockId, depth: u32, word: Word) {
        self.constants.insert((block, depth), word);
        self.done[block as usize] = NONE;
    }

    /// What a block touches.
    pub(crate) fn touches(&mut self, block: BlockId) -> Range<u32> {
        self.of(block).touches.clone()
    }

    pub(crate) fn touch(&self, index: u32) -> Touch {
        self.touches[index as usize]
    }

    /// The parts that a block takes of words.
    pub(crate) fn taken(&mut self, block: BlockId) -> &[Taken] {
        let range = self.of(block).taken.clone();
        &self.taken[range.start as usize..range.end as usize]
    }

    /// The stack at the exit of a block, as far down as the block looks; top last.
    pub(crate) fn exit(&mut self, block: BlockId) -> &[Symbol] {
        let range = self.of(block).exit.clone();
        &self.exits[range.start as usize..range.end as usize]
    }

    /// The word at a depth of the stack with which a block is left.
    #[inline]
    pub(crate) fn at_exit(&mut self, block: BlockId, depth: u32) -> Symbol {
        let Summary { exit: Range { start, end }, needs, .. } = *self.of(block);
        match (end - start).checked_sub(1 + depth) {
            Some(place) => self.exits[(start + place) as usize],
            None => Symbol::of(Root::Entry(needs + depth - (end - start))),
        }
    }

    /// The word of scratch memory with which a block is left.
    pub(crate) fn memory_at_exit(&mut self, block: BlockId, address: u32) -> Symbol {
        let stored = self.of(block).memory.iter().find(|(place, _)| *place == address);
        stored.map_or(Symbol::of(Root::Memory(address)), |(_, symbol)| *symbol)
    }

    /// The summary of a block, which is run for it if need be.
    #[inline]
    fn of(&mut self, block: BlockId) -> &Summary {
        self.run(block);
        &self.list[self.done[block as usize] as usize]
    }

    #[inline]
    fn run(&mut self, block: BlockId) {
        if self.done[block as usize] == NONE {
            self.run_now(block);
        }
    }

    fn run_now(&mut self, block: BlockId) {
        let analysis = self.analysis;
        let data = analysis.blocks.get(block);
        let subject = analysis.subject();
        let entry = |depth| {
            let known = self.constants.get(&(block, depth)).copied();
            known.map_or(Symbol::of(Root::Entry(depth)), |word| self.symbols.constant(word))
        };
        self.stack.begin(data, entry);
        self.memory.clear();
        self.places.clear();
        self.last_stored = None;
        let (touches, taken) = (self.touches.len() as u32, self.taken.len() as u32);
        // Here it is nobody else's, which spares looking up where it lies at each instruction.
        let mut stack = std::mem::take(&mut self.stack);
        let (mut at, end) = (data.start as usize, data.end as usize);
        while at < end {
            let (pc, opcode) = (at, Opcode(analysis.code[at]));
            let facts = analysis.table[usize::from(opcode.0)];
            at += 1 + usize::from(facts.immediate);
            let below = stack.height() - usize::from(facts.inputs);
            match facts.kind {
                OpKind::Push => stack.push(match subject.is_known_at(pc as u32, at) {
                    true => self.symbols.constant(pushed(analysis.code, pc + 1, at)),
                    false => Symbol::UNKNOWN,
                }),
                OpKind::Dup => stack.duplicate(below),
                OpKind::Swap => stack.swap(below),
                // What stays one word or none, and is looked at nowhere.
                OpKind::Plain if !is_followed(opcode) => {
                    stack.truncate(below);
                    if facts.outputs > 0 {
                        stack.push(Symbol::UNKNOWN);
                    }
                }
                OpKind::And | OpKind::Arithmetic | OpKind::Plain | OpKind::JumpI => {
                    let operands = match *stack.words() {
                        [.., c, b, a] => [a, b, c],
                        [b, a] => [a, b, Symbol::UNKNOWN],
                        [a] => [a, Symbol::UNKNOWN, Symbol::UNKNOWN],
                        [] => [Symbol::UNKNOWN; 3],
                    };
                    let result = self.operate(pc as u32, opcode, operands, taken);
                    stack.truncate(below);
                    if facts.outputs > 0 {
                        stack.push(result);
                    }
                }
                OpKind::Pc | OpKind::CodeSize => stack.push(Symbol::UNKNOWN),
                OpKind::JumpDest | OpKind::Jump | OpKind::Halt | OpKind::Undefined => stack.truncate(below),
            }
        }
        self.stack = stack;
        let exit = self.exits.len() as u32;
        self.exits.extend_from_slice(self.stack.words());
        let kept = |(base, at, symbol): &(Symbol, i64, Symbol)| {
            let address = u32::try_from(*at).ok().filter(|at| *at < SCRATCH && base.root() == NO_BASE)?;
            Some((address, *symbol))
        };
        self.done[block as usize] = self.list.len() as u32;
        self.list.push(Summary {
            needs: data.needs,
            exit: exit..self.exits.len() as u32,
            memory: self.memory.iter().filter_map(kept).collect(),
            touches: touches..self.touches.len() as u32,
            taken: taken..self.taken.len() as u32,
        });
    }

    /// Does what an instruction does beside the stack, and gives its result, from the topmost words of the stack.
    fn operate(&mut self, pc: u32, op: Opcode, [a, b, c]: [Symbol; 3], first_taken: u32) -> Symbol {
        match op {
            Opcode::MSTORE => {
                self.store(a, b);
                Symbol::UNKNOWN
            }
            Opcode::MLOAD => self.load(a),
            Opcode::CODECOPY => {
                self.copy_code(a, b, c);
                Symbol::UNKNOWN
            }
            Opcode::KECCAK256 => self.hash(a, b),
            Opcode::SLOAD | Opcode::SSTORE | Opcode::TLOAD | Opcode::TSTORE => {
                self.touches.push(Touch { pc, opcode: op, operand: a, value: b });
                if op == Opcode::SLOAD { Symbol::of(Root::Load(pc)) } else { Symbol::UNKNOWN }
            }
            _ if (Opcode::LOG0..=Opcode::LOG4).contains(&op) => {
                self.touches.push(Touch { pc, opcode: op, operand: c, value: Symbol::UNKNOWN });
                Symbol::UNKNOWN
            }
            Opcode::JUMPI => {
                self.take(b, first_taken, Usage::Tested);
                Symbol::UNKNOWN
            }
            _ => {
                match op {
                    Opcode::ISZERO => {
                        self.take(a, first_taken, Usage::Tested);
                        self.clean(pc, a);
                    }
                    Opcode::SHL => self.raise(a, b, first_taken),
                    Opcode::OR => self.fill(a, b, first_taken),
                    Opcode::EQ | Opcode::SUB | Opcode::XOR => {
                        self.compare(a, b, first_taken);
                        self.count(op, a, b, first_taken);
                    }
                    Opcode::LT | Opcode::GT => self.count(op, a, b, first_taken),
                    _ => {}
                }
                let result = self.symbols.apply(op, a, b);
                if result != a && result != b {
                    self.take(result, first_taken, Usage::Cut);
                }
                result
            }
        }
    }

    /// A part that is shifted to the high end is one of fixed bytes, but for addresses.
    fn raise(&mut self, by: Symbol, symbol: Symbol, first_taken: u32) {
        let left = self.symbols.word(by).and_then(|by| u16::try_from(by).ok());
        if let Some((Link::Part(part), EMPTY)) = self.symbols.last(symbol.chain)
            && left.is_some_and(|left| left.saturating_add(part.width) == 256)
            && part.width != ACCOUNT_BITS
        {
            self.take(symbol, first_taken, Usage::Raised);
        }
    }

    /// A bit in the place of what is cleared is a flag.
    fn fill(&mut self, a: Symbol, b: Symbol, first_taken: u32) {
        for (cleared, filled) in [(a, b), (b, a)] {
            if self.symbols.is_cleared(cleared) && self.symbols.bits(filled).is_some_and(|bits| bits <= 1) {
                self.take(cleared, first_taken, Usage::Flag);
            }
        }
    }

    /// Two `ISZERO` in a row clean a truth value.
    fn clean(&mut self, pc: u32, operand: Symbol) {
        match self.last_tested.take() {
            Some((before, word)) if before + 1 == pc => {
                if word.chain == EMPTY && matches!(word.root(), Root::Entry(_)) {
                    let part = Part::new(0, 8);
                    self.taken.push(Taken { root: word.root(), part, usage: Usage::Truth });
                }
            }
            _ => self.last_tested = Some((pc, operand)),
        }
    }

    /// A word that is compared with an address is one, although it is not cleaned: Vyper keeps it clean.
    fn compare(&mut self, a: Symbol, b: Symbol, first_taken: u32) {
        for (word, other) in [(a, b), (b, a)] {
            if word.chain == EMPTY && other == Symbol::ADDRESS {
                let address = self.symbols.push(word, Link::Part(Part::new(0, ACCOUNT_BITS)));
                self.take(address, first_taken, Usage::Cut);
            }
        }
    }

    /// A byte that is compared with a number is no truth value. Nothing is known of what it is compared with for order,
    /// because no truth value is.
    fn count(&mut self, op: Opcode, a: Symbol, b: Symbol, first_taken: u32) {
        let is_order = matches!(op, Opcode::LT | Opcode::GT);
        for (byte, other) in [(a, b), (b, a)] {
            let is_number = is_order || self.symbols.word(other).is_some_and(|word| !word.is_zero());
            if let Some((Link::Part(Part { width: 8, .. }), EMPTY)) = self.symbols.last(byte.chain)
                && is_number
            {
                self.take(byte, first_taken, Usage::Compared);
            }
        }
    }

    /// Remembers the part that a symbol is.
    fn take(&mut self, symbol: Symbol, first_taken: u32, usage: Usage) {
        if !matches!(symbol.root(), Root::Entry(_) | Root::Load(_)) {
            return;
        }
        let known = &mut self.taken[first_taken as usize..];
        match (self.symbols.last(symbol.chain), usage) {
            (Some((Link::Part(part), EMPTY)), _) => {
                // What is cut from a part takes its place.
                let same = |taken: &&mut Taken| {
                    taken.root == symbol.root()
                        && taken.usage < Usage::Cleared
                        && taken.part.offset <= part.offset
                        && taken.part.offset + taken.part.width >= part.offset + part.width
                };
                match known.iter_mut().rev().find(same) {
                    Some(taken) => (taken.part, taken.usage) = (part, taken.usage.max(usage)),
                    None => self.taken.push(Taken { root: symbol.root(), part, usage }),
                }
            }
            (Some((Link::Clear(part), _)), Usage::Cut | Usage::Flag) => {
                let usage = if usage == Usage::Cut { Usage::Cleared } else { Usage::Flag };
                self.taken.push(Taken { root: symbol.root(), part, usage });
            }
            _ => {}
        }
    }

    /// A place of memory: what it is counted from, and how far behind that.
    fn place(&self, address: Symbol) -> Option<(Symbol, i64)> {
        if let Some(word) = self.symbols.word(address) {
            return u32::try_from(word).ok().map(|at| (Symbol::of(NO_BASE), i64::from(at)));
        }
        match (address.root(), self.symbols.last(address.chain)) {
            (Root::Unknown, _) => None,
            (root, Some((Link::Add(more), chain))) => Some((Symbol::new(root, chain), i64::from(more))),
            _ => Some((address, 0)),
        }
    }

    fn store(&mut self, address: Symbol, symbol: Symbol) {
        let place = self.place(address);
        // What is put behind other words at the free pointer, and then hashed, is no slot behind a key.
        let moves_pointer = place == Some((Symbol::of(NO_BASE), i64::from(FREE)));
        self.last_stored = (!moves_pointer).then_some(symbol);
        let Some((base, at)) = place else { return };
        let known = self.memory.iter().position(|stored| (stored.0, stored.1) == (base, at));
        match known {
            Some(place) => self.memory[place].2 = symbol,
            None if self.memory.len() < MAX_STORES => self.memory.push((base, at, symbol)),
            None => {}
        }
    }

    /// A word of the code that is copied to memory.
    fn copy_code(&mut self, to: Symbol, from: Symbol, length: Symbol) {
        let length = self.symbols.word(length);
        let from = self.symbols.word(from).and_then(|from| usize::try_from(from).ok());
        let bytes = from.and_then(|from| self.analysis.code.get(from..)?.first_chunk::<32>());
        if let Some(bytes) = bytes.filter(|_| length == Some(Word::from(32))) {
            let word = self.symbols.constant(Word::from_be_bytes(*bytes));
            self.store(to, word);
        }
    }

    /// What lies in memory; `None` where that is not known.
    fn stored(&self, base: Symbol, at: i64) -> Option<Symbol> {
        let stored = self.memory.iter().find(|stored| (stored.0, stored.1) == (base, at));
        match (stored, u32::try_from(at)) {
            (Some(stored), _) => Some(stored.2),
            (None, Ok(at)) if base.root() == NO_BASE && (at < SCRATCH || at == FREE) => {
                Some(Symbol::of(Root::Memory(at)))
            }
            _ => None,
        }
    }

    fn load(&self, address: Symbol) -> Symbol {
        self.place(address).and_then(|(base, at)| self.stored(base, at)).unwrap_or(Symbol::UNKNOWN)
    }

    /// The hash of a piece of memory, as that of a place of storage.
    fn hash(&mut self, address: Symbol, length: Symbol) -> Symbol {
        let operands = [address, length];
        let length = self.symbols.word(length).map(|word| u32::try_from(word).unwrap_or(u32::MAX));
        let Some(length) = length else {
            self.want(&operands);
            // A key of some length, with the slot behind it.
            let base = self.last_stored.filter(|base| matches!(base.root(), Root::Const(_) | Root::Entry(_)));
            return base.map_or(Symbol::HASH, |base| self.symbols.push(base, Link::Mapping(Key::Bytes)));
        };
        let Some((base, at)) = self.place(address) else { return Symbol::HASH };
        match length {
            0x20 => match self.stored(base, at) {
                Some(slot) => self.linked(slot, Link::Data),
                None => self.want(&operands),
            },
            0x40 => {
                let words = (self.stored(base, at), self.stored(base, at + 0x20));
                let (Some(first), Some(second)) = words else { return self.want(&operands) };
                // Another store of the block may have gone there.
                if matches!(first.root(), Root::Memory(_)) || matches!(second.root(), Root::Memory(_)) {
                    self.want(&[]);
                }
                // Solidity hashes the key, then the slot, Vyper the other way round. A word that comes from memory
                // is no slot: neither what is unknown, nor where Vyper has a variable and Solidity the free pointer.
                let is_key = match second.root() {
                    Root::Unknown | Root::Memory(FREE) => true,
                    Root::Const(_) => false,
                    Root::Entry(_) | Root::Load(_) | Root::Memory(_) | Root::Sum(_) => {
                        !self.has_free_pointer && matches!(first.root(), Root::Const(_))
                    }
                };
                let (key, slot) = if is_key { (second, first) } else { (first, second) };
                let key = self.symbols.key(key);
                self.linked(slot, Link::Mapping(key))
            }
            _ => Symbol::HASH,
        }
    }

    /// Remembers which words of the entry say where something is hashed, and stored before.
    fn want(&mut self, operands: &[Symbol]) -> Symbol {
        let stores = self.memory.iter().map(|stored| stored.0);
        for symbol in operands.iter().copied().chain(stores) {
            if let Root::Entry(depth) = symbol.root()
                && !self.places.contains(&depth)
            {
                self.places.push(depth);
            }
        }
        Symbol::HASH
    }

    fn linked(&mut self, slot: Symbol, link: Link) -> Symbol {
        if slot.root() == Root::Unknown { Symbol::HASH } else { self.symbols.push(slot, link) }
    }
}

/// True when the first block of a program stores at the address of the free pointer.
fn sets_free_pointer(analysis: &Analysis<'_>) -> bool {
    let Some(first) = analysis.blocks.list().first() else { return false };
    let mut is_address = false;
    analysis.instructions(first).any(|inst| {
        let stores = inst.opcode == Opcode::MSTORE && is_address;
        is_address = inst.pushed_word() == Some(Word::from(FREE));
        stores
    })
}

/// The word that is pushed by data between two offsets; zeros follow what the code has of them.
fn pushed(code: &[u8], start: usize, end: usize) -> Word {
    match code.get(start..end) {
        // Most pushes by far.
        Some(&[byte]) => Word::from(byte),
        Some(&[high, low]) => Word::from(u16::from_be_bytes([high, low])),
        Some(data) if data.len() <= 8 => {
            Word::from(data.iter().fold(0u64, |word, byte| word << 8 | u64::from(*byte)))
        }
        Some(data) => Word::from_be_slice(data),
        None => Word::from_be_slice(&code[start..]) << (8 * (end - code.len())),
    }
}

/// No summary yet.
const NONE: u32 = u32::MAX;

/// True for opcodes that are no arithmetic, and of which something is made here.
fn is_followed(op: Opcode) -> bool {
    matches!(
        op,
        Opcode::MSTORE
            | Opcode::MLOAD
            | Opcode::CODECOPY
            | Opcode::KECCAK256
            | Opcode::SLOAD
            | Opcode::SSTORE
            | Opcode::TLOAD
            | Opcode::TSTORE
            | Opcode::CALLER
            | Opcode::ADDRESS
            | Opcode::ORIGIN
            | Opcode::COINBASE
    ) || (Opcode::LOG0..=Opcode::LOG4).contains(&op)
}

/// What places of memory are counted from that are constants.
const NO_BASE: Root = Root::Unknown;
