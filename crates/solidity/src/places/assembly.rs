//! Parts of inline assembly: solc's Yul has the same words in the same order, but for names of variables and
//! what stands for `x.slot` and the like.
//!
//! The source is parsed as far as it takes to know where statements and expressions begin and end. Where the
//! two differ in more than words, it gets no places.

use super::lexer::{Kind, Token, tokens};

/// A place to put before a word of the Yul.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Where it begins in the Yul.
    pub(super) at: usize,
    /// Where the part begins and ends in the source.
    pub(super) start: usize,
    pub(super) end: usize,
    /// It is a statement that would have no code.
    pub(super) is_bare: bool,
}

/// Deeper ones get no places.
const MAX_DEPTH: usize = 200;

const KEYWORDS: [&str; 10] =
    ["let", "if", "switch", "case", "default", "for", "function", "break", "continue", "leave"];

/// The places of all parts of a block, from its source (`assembly { … }`) and the Yul that begins with it; and
/// where it ends there.
pub(super) fn marks(source: &str, yul: &str) -> Option<(Vec<Mark>, usize)> {
    let written: Vec<Token<'_>> = tokens(source).skip_while(|token| token.text != "{").collect();
    let copied = block(yul);
    let is_copy = written.len() == copied.len() && written.iter().zip(&copied).all(|(a, b)| is_same(a, b));
    if !is_copy {
        return None;
    }
    let mut parser = Parser { tokens: &written, at: 0, depth: 0, parts: Vec::new() };
    parser.block()?;
    // Of two parts that begin with one word the inner one is named last, and is in force.
    let marks = parser.parts.iter().map(|part| {
        let (first, last) = (&written[part.first], &written[part.last]);
        let at = copied[part.first].at.start;
        Mark { at, start: first.at.start, end: last.at.end, is_bare: part.is_bare }
    });
    Some((marks.collect(), copied.last()?.at.end))
}

/// The tokens of the block that a text begins with.
fn block(text: &str) -> Vec<Token<'_>> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for token in tokens(text) {
        match token.text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        found.push(token);
        if depth == 0 {
            break;
        }
    }
    found
}

fn is_same(written: &Token<'_>, copied: &Token<'_>) -> bool {
    let is_named = |token: &Token<'_>| token.kind != Kind::Sign && !KEYWORDS.contains(&token.text);
    written.text == copied.text || (is_named(written) && is_named(copied))
}

/// A statement or expression, by its first and last token.
struct Part {
    first: usize,
    last: usize,
    /// It copies a word, or jumps.
    is_bare: bool,
}

struct Parser<'a, 't> {
    tokens: &'a [Token<'t>],
    at: usize,
    depth: usize,
    parts: Vec<Part>,
}

impl<'t> Parser<'_, 't> {
    fn peek(&self) -> &'t str {
        self.tokens.get(self.at).map_or("", |token| token.text)
    }

    /// Passes over a sign or keyword, if it stands here.
    fn take(&mut self, text: &str) -> bool {
        let is_here = self.peek() == text;
        self.at += usize::from(is_here);
        is_here
    }

    fn expect(&mut self, text: &str) -> Option<()> {
        self.take(text).then_some(())
    }

    /// A name or a literal.
    fn word(&mut self) -> Option<()> {
        let token = self.tokens.get(self.at)?;
        let is_word = token.kind != Kind::Sign && !KEYWORDS.contains(&token.text);
        self.at += 1;
        is_word.then_some(())
    }

    fn words(&mut self) -> Option<()> {
        self.word()?;
        while self.take(",") {
            self.word()?;
        }
        Some(())
    }

    fn block(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.expect("{")?;
        while !self.take("}") {
            self.statement()?;
        }
        self.depth -= 1;
        Some(())
    }

    fn statement(&mut self) -> Option<()> {
        if self.peek() == "{" {
            return self.block();
        }
        let (index, first) = (self.parts.len(), self.at);
        self.parts.push(Part { first, last: first, is_bare: false });
        match self.peek() {
            "break" | "continue" | "leave" => self.at += 1,
            "let" => {
                self.at += 1;
                self.words()?;
                if self.take(":=") {
                    self.expression()?;
                }
            }
            "if" => {
                self.at += 1;
                self.expression()?;
                self.block()?;
            }
            "switch" => self.switch()?,
            "for" => {
                self.at += 1;
                self.block()?;
                self.expression()?;
                self.block()?;
                self.block()?;
            }
            "function" => self.function()?,
            _ => {
                let is_assignment = matches!(self.tokens.get(first + 1)?.text, ":=" | ",");
                if is_assignment {
                    self.words()?;
                    self.expect(":=")?;
                }
                self.expression()?;
            }
        }
        let part = &mut self.parts[index];
        part.last = self.at - 1;
        let mut words = self.tokens[first..self.at].iter().map(|token| token.text);
        part.is_bare = !words.any(|word| matches!(word, "(" | "if" | "switch" | "for" | "function"));
        Some(())
    }

    fn switch(&mut self) -> Option<()> {
        self.at += 1;
        self.expression()?;
        while self.take("case") {
            self.word()?;
            self.block()?;
        }
        if self.take("default") {
            self.block()?;
        }
        Some(())
    }

    fn function(&mut self) -> Option<()> {
        self.at += 1;
        self.word()?;
        self.expect("(")?;
        if !self.take(")") {
            self.words()?;
            self.expect(")")?;
        }
        if self.take("->") {
            self.words()?;
        }
        self.block()
    }

    fn expression(&mut self) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let (index, first) = (self.parts.len(), self.at);
        self.parts.push(Part { first, last: first, is_bare: false });
        self.word()?;
        if self.take("(") && !self.take(")") {
            self.expression()?;
            while self.take(",") {
                self.expression()?;
            }
            self.expect(")")?;
        }
        self.depth -= 1;
        self.parts[index].last = self.at - 1;
        Some(())
    }
}
