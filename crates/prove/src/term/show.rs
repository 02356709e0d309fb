//! Terms for people.

use super::{Node, Term, Terms};
use cairn_evm::Word;

/// A term as text, cut below a depth.
pub fn show(terms: &Terms, term: Term, depth: usize) -> String {
    let list = |args: &[Term]| -> String {
        let shown: Vec<String> = args.iter().map(|arg| show(terms, *arg, depth - 1)).collect();
        shown.join(", ")
    };
    match terms.node(term) {
        Node::Const(word) => short(*word),
        _ if depth == 0 => format!("#{}", term.0),
        Node::Sum(parts, constant) => {
            let mut addends: Vec<String> = Vec::new();
            for (part, coefficient) in parts {
                let part = show(terms, *part, depth - 1);
                addends.push(match *coefficient {
                    one if one == Word::from(1) => part,
                    other => format!("{} * {part}", short(other)),
                });
            }
            if !constant.is_zero() {
                addends.push(short(*constant));
            }
            format!("({})", addends.join(" + "))
        }
        Node::Op(opcode, args) => format!("{}({})", opcode.known().lower, list(args)),
        Node::Ite(args) => format!("if({})", list(args)),
        Node::Leaf(leaf, args) if args.is_empty() => format!("{leaf:?}"),
        Node::Leaf(leaf, args) => format!("{leaf:?}[{}]", list(args)),
    }
}

/// A number, as a negative one where that is shorter.
fn short(word: Word) -> String {
    let negative = word.wrapping_neg();
    match word.bit_len() > 200 && negative.bit_len() < 100 {
        true => format!("-{negative:#x}"),
        false => format!("{word:#x}"),
    }
}
