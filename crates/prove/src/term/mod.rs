//! Words as terms: each distinct term once, in a normal form.
//!
//! A [`Term`] stands for a 256-bit word as a function of what a program is given ([`Leaf`]).
//! Invariants: two ids are equal exactly if the terms are the same after normalization; operands are
//! older than what is made of them; a term whose [`Facts`] leave one word is that constant. Equal
//! ids mean equal words under every [`Model`](eval::Model); different ids mean nothing.
//!
//! The normal form: sums are linear, with coefficients modulo 2^256, and `not`, differences,
//! products with constants and shifts by constants to the left are sums; `or` and `xor` of words
//! without common bits are sums; comparisons are `lt`, `slt` and `eq` alone, constants on the right.

mod aligned;
mod arith;
mod atoms;
mod bits;
mod compare;
pub mod eval;
mod hash;
mod leaf;
mod linear;
mod show;
mod transfer;
mod unwrapped;

pub(crate) use atoms::{Function, Opaque, is_hard};
pub use leaf::{Leaf, Space};
pub(crate) use linear::facts_of_sum;
pub use show::show;
pub(crate) use transfer::transfer;

use cairn_evm::{Opcode, Word};
use cairn_rules::Facts;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// A term of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(pub(crate) u32);

/// Operands of a term.
pub type Args = SmallVec<[Term; 3]>;

/// What a term is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// A word.
    Const(Word),
    /// Products of terms with coefficients that are not zero, sorted by term, plus a constant.
    Sum(Box<[(Term, Word)]>, Word),
    /// An arithmetic opcode.
    Op(Opcode, Args),
    /// The second where the first, which is 0 or 1, is 1; else the third.
    Ite([Term; 3]),
    /// What the program is given.
    Leaf(Leaf, Args),
}

struct Data {
    node: Node,
    facts: Facts,
}

/// A table of terms.
pub struct Terms {
    data: Vec<Data>,
    index: FxHashMap<Node, Term>,
    /// The constant 0.
    pub zero: Term,
    /// The constant 1.
    pub one: Term,
    /// Whether hashes may be taken to be far from each other (A11).
    pub hashes_are_far: bool,
    /// Hashes of constants: how many bytes of which words.
    hashed: BTreeMap<Word, (u32, Vec<Term>)>,
    /// Whether sizes, gas and addresses are bounded (A12).
    pub sizes_are_bounded: bool,
    /// Whether it was used that hashes are far.
    pub used_far_hashes: bool,
}

impl Default for Terms {
    fn default() -> Self {
        let mut terms = Terms {
            data: Vec::new(),
            index: FxHashMap::default(),
            zero: Term(0),
            one: Term(0),
            hashes_are_far: true,
            hashed: BTreeMap::new(),
            sizes_are_bounded: true,
            used_far_hashes: false,
        };
        terms.zero = terms.word(Word::ZERO);
        terms.one = terms.word(Word::from(1));
        terms
    }
}

impl Terms {
    /// Number of terms.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Every term, oldest first.
    pub fn all(&self) -> impl Iterator<Item = Term> + use<> {
        (0..self.data.len() as u32).map(Term)
    }

    /// True of a table without terms, which there is none of.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// What a term is.
    pub fn node(&self, term: Term) -> &Node {
        &self.data[term.0 as usize].node
    }

    /// What is known of a term whatever the program is given.
    pub fn facts(&self, term: Term) -> &Facts {
        &self.data[term.0 as usize].facts
    }

    /// The word of a constant.
    pub fn as_word(&self, term: Term) -> Option<Word> {
        match self.node(term) {
            Node::Const(word) => Some(*word),
            _ => None,
        }
    }

    /// The number of a constant that is small.
    pub fn as_u64(&self, term: Term) -> Option<u64> {
        self.as_word(term).and_then(|word| u64::try_from(word).ok())
    }

    /// A constant.
    pub fn word(&mut self, word: Word) -> Term {
        self.intern(Node::Const(word), Facts::exactly(word))
    }

    /// A constant.
    pub fn number(&mut self, number: u64) -> Term {
        self.word(Word::from(number))
    }

    /// What the program is given.
    pub fn leaf(&mut self, leaf: Leaf, args: &[Term]) -> Term {
        let is_unknown = leaf.is_bounded() && !self.sizes_are_bounded;
        let facts = if is_unknown { Facts::ANY } else { leaf.facts() };
        self.make(Node::Leaf(leaf, args.into()), facts)
    }

    fn intern(&mut self, node: Node, facts: Facts) -> Term {
        if let Some(term) = self.index.get(&node) {
            return *term;
        }
        let term = Term(u32::try_from(self.data.len()).expect("invariant: terms fit in memory"));
        self.index.insert(node.clone(), term);
        self.data.push(Data { node, facts });
        term
    }

    /// A term, or the constant that the facts say it is.
    fn make(&mut self, node: Node, facts: Facts) -> Term {
        match facts.as_word() {
            Some(word) => self.word(word),
            None => self.intern(node, facts),
        }
    }

    /// An opcode on normalized operands.
    fn raw(&mut self, opcode: Opcode, args: &[Term]) -> Term {
        self.raw_in(opcode, args, &Facts::ANY)
    }

    /// The same, of which more is known than by what is known of the operands.
    fn raw_in(&mut self, opcode: Opcode, args: &[Term], more: &Facts) -> Term {
        let node = Node::Op(opcode, args.into());
        if let Some(term) = self.index.get(&node) {
            return *term;
        }
        let facts: SmallVec<[Facts; 3]> = args.iter().map(|arg| *self.facts(*arg)).collect();
        let facts: SmallVec<[&Facts; 3]> = facts.iter().collect();
        let facts = transfer(opcode, &facts);
        self.make(node, facts.meet(more).unwrap_or(facts))
    }

    /// The same with operands that may be exchanged, in order.
    fn raw_sorted(&mut self, opcode: Opcode, a: Term, b: Term) -> Term {
        self.raw(opcode, &[a.min(b), a.max(b)])
    }

    /// Calls `f` on each operand.
    pub fn for_each_operand(&self, term: Term, mut f: impl FnMut(Term)) {
        match self.node(term) {
            Node::Const(_) => {}
            Node::Sum(parts, _) => parts.iter().for_each(|(part, _)| f(*part)),
            Node::Op(_, args) | Node::Leaf(_, args) => args.iter().for_each(|arg| f(*arg)),
            Node::Ite(args) => args.iter().for_each(|arg| f(*arg)),
        }
    }

    /// The terms that these are made of, with them, oldest first.
    pub fn below(&self, roots: &[Term]) -> Vec<Term> {
        let mut found: Vec<Term> = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut open = roots.to_vec();
        while let Some(term) = open.pop() {
            if seen.insert(term) {
                found.push(term);
                self.for_each_operand(term, |operand| open.push(operand));
            }
        }
        found.sort_unstable();
        found
    }

    /// What an arithmetic opcode gives; `None` for other opcodes.
    pub fn apply(&mut self, opcode: Opcode, args: &[Term]) -> Option<Term> {
        Some(match (opcode, args) {
            (Opcode::ADD, &[a, b]) => self.add(a, b),
            (Opcode::SUB, &[a, b]) => self.sub(a, b),
            (Opcode::MUL, &[a, b]) => self.mul(a, b),
            (Opcode::DIV, &[a, b]) => self.div(a, b),
            (Opcode::SDIV, &[a, b]) => self.sdiv(a, b),
            (Opcode::MOD, &[a, b]) => self.rem(a, b),
            (Opcode::SMOD, &[a, b]) => self.raw(opcode, &[a, b]),
            (Opcode::ADDMOD | Opcode::MULMOD, &[a, b, n]) => self.modular(opcode, a, b, n),
            (Opcode::EXP, &[a, b]) => self.exp(a, b),
            (Opcode::SIGNEXTEND, &[index, a]) => self.signextend(index, a),
            (Opcode::LT, &[a, b]) => self.lt(a, b),
            (Opcode::GT, &[a, b]) => self.lt(b, a),
            (Opcode::SLT, &[a, b]) => self.slt(a, b),
            (Opcode::SGT, &[a, b]) => self.slt(b, a),
            (Opcode::EQ, &[a, b]) => self.eq(a, b),
            (Opcode::ISZERO, &[a]) => self.is_zero(a),
            (Opcode::AND, &[a, b]) => self.and(a, b),
            (Opcode::OR, &[a, b]) => self.or(a, b),
            (Opcode::XOR, &[a, b]) => self.xor(a, b),
            (Opcode::NOT, &[a]) => self.not(a),
            (Opcode::BYTE, &[index, a]) => self.byte(index, a),
            (Opcode::SHL, &[by, a]) => self.shl(by, a),
            (Opcode::SHR, &[by, a]) => self.shr(by, a),
            (Opcode::SAR, &[by, a]) => self.sar(by, a),
            (Opcode::CLZ, &[a]) => self.raw(opcode, &[a]),
            _ => return None,
        })
    }
}
