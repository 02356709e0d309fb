//! Yul objects as ranges of a text, without parsing their code.
//!
//! solc writes the whole of each object that a contract creates into the contract's own Yul, so a
//! project hands over the same objects many times. Here a text is taken apart into objects, each
//! with its *own text*: the object with a stub in the place of each nested one, which has the names of
//! those nested in it and nothing else. Two objects with the same own text have the same code.
//!
//! The text is one that solc writes: well-formed Yul, nested objects by their direct names. Text
//! that looks otherwise is not taken apart ([`outline`] is `None`), which costs time only.

use std::borrow::Cow;
use std::ops::Range;

/// An object in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Its name.
    pub name: String,
    /// Where it stands, with the `@use-src` comment before it.
    pub range: Range<usize>,
    /// Its nested objects, in order.
    pub objects: Vec<Outline>,
}

/// Objects nested deeper are not taken apart.
const MAX_DEPTH: usize = 200;

/// The outermost object of a text.
pub fn outline(text: &str) -> Option<Outline> {
    let mut scanner = Scanner { text, at: 0, debug: None };
    loop {
        match scanner.next()? {
            Lexeme::Word("object") => return scanner.object(MAX_DEPTH),
            Lexeme::Open | Lexeme::Close => return None,
            Lexeme::Word(_) | Lexeme::Text(_) => {}
        }
    }
}

impl Outline {
    /// The object with a stub in the place of each nested one.
    pub fn own_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let (Some(whole), false) = (text.get(self.range.clone()), self.objects.is_empty()) else {
            return Cow::Borrowed(text.get(self.range.clone()).unwrap_or_default());
        };
        let mut own = String::with_capacity(whole.len());
        let mut from = self.range.start;
        for object in &self.objects {
            own += &text[from..object.range.start];
            object.add_stub(&mut own);
            from = object.range.end;
        }
        own += &text[from..self.range.end];
        Cow::Owned(own)
    }

    /// Adds an object with its name, and with those nested in it: code may name them by a path.
    fn add_stub(&self, text: &mut String) {
        *text += &format!("object \"{}\" {{ code {{ }}", self.name);
        for object in &self.objects {
            *text += " ";
            object.add_stub(text);
        }
        *text += " }";
    }
}

enum Lexeme<'t> {
    Word(&'t str),
    /// What stands between quotes.
    Text(&'t str),
    Open,
    Close,
}

struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// Start of the `@use-src` comment since the last lexeme.
    debug: Option<usize>,
}

impl<'t> Scanner<'t> {
    /// The next word, string or brace; everything else is skipped.
    fn next(&mut self) -> Option<Lexeme<'t>> {
        let bytes = self.text.as_bytes();
        loop {
            let start = self.at;
            let byte = *bytes.get(start)?;
            self.at += 1;
            match byte {
                b'{' => return Some(Lexeme::Open),
                b'}' => return Some(Lexeme::Close),
                b'"' => return self.string(start),
                b'/' if bytes.get(self.at) == Some(&b'/') => self.line_comment(start),
                b'/' if bytes.get(self.at) == Some(&b'*') => self.block_comment()?,
                byte if is_word(byte) => {
                    let rest = bytes[self.at..].iter().position(|byte| !is_word(*byte));
                    self.at = rest.map_or(bytes.len(), |length| self.at + length);
                    return Some(Lexeme::Word(&self.text[start..self.at]));
                }
                _ => {}
            }
        }
    }

    fn string(&mut self, start: usize) -> Option<Lexeme<'t>> {
        let bytes = self.text.as_bytes();
        loop {
            match *bytes.get(self.at)? {
                b'"' => break,
                b'\\' => self.at += 2,
                b'\n' => return None,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(Lexeme::Text(&self.text[start + 1..self.at - 1]))
    }

    fn line_comment(&mut self, start: usize) {
        let rest = &self.text[start..];
        let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
        if line.contains("@use-src") {
            self.debug = Some(start);
        }
        self.at = start + line.len();
    }

    fn block_comment(&mut self) -> Option<()> {
        let end = self.text[self.at..].find("*/")?;
        self.at += end + 2;
        Some(())
    }

    /// The object whose keyword was read.
    fn object(&mut self, depth_left: usize) -> Option<Outline> {
        let keyword = self.at - "object".len();
        let start = self.debug.take().unwrap_or(keyword);
        let Some(Lexeme::Text(name)) = self.next() else { return None };
        let Some(Lexeme::Open) = self.next() else { return None };
        let mut objects = Vec::new();
        let mut depth = 1;
        while depth > 0 {
            match self.next()? {
                Lexeme::Open => depth += 1,
                Lexeme::Close => depth -= 1,
                Lexeme::Word("object") if depth == 1 => {
                    objects.push(self.object(depth_left.checked_sub(1)?)?)
                }
                Lexeme::Word(_) | Lexeme::Text(_) => {}
            }
        }
        Some(Outline { name: name.to_owned(), range: start..self.at, objects })
    }
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    const NESTED: &str = r#"
/// @use-src 0:"a.sol"
object "A_1" {
    code { /* object "x" { */ pop("}") // object "y" {
    }
    /// @use-src 0:"a.sol"
    object "A_1_deployed" {
        code { let object_ := 1 { } }
        object "B_2" { code { } data ".metadata" hex"a264" }
    }
    data "d" "\"{"
}
"#;

    #[test]
    fn objects_are_found_where_they_stand() {
        let found = outline(NESTED).unwrap();
        assert_eq!(found.name, "A_1");
        assert!(NESTED[found.range.clone()].starts_with("/// @use-src"));
        assert!(NESTED[found.range.clone()].ends_with("\"\\\"{\"\n}"));
        let [deployed] = &found.objects[..] else { panic!("{found:?}") };
        assert!(NESTED[deployed.range.clone()].starts_with("/// @use-src"));
        assert_eq!(deployed.objects[0].name, "B_2");
        assert_eq!(
            &NESTED[deployed.objects[0].range.clone()],
            r#"object "B_2" { code { } data ".metadata" hex"a264" }"#
        );
    }

    #[test]
    fn nested_objects_become_stubs() {
        let found = outline(NESTED).unwrap();
        let own = found.own_text(NESTED);
        let stub = r#"object "A_1_deployed" { code { } object "B_2" { code { } } }"#;
        assert!(own.contains(stub) && !own.contains(".metadata"), "{own}");
        assert!(own.contains("data \"d\""));
        let inner = &found.objects[0].objects[0];
        assert!(matches!(inner.own_text(NESTED), Cow::Borrowed(text) if text.starts_with("object \"B_2\"")));
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in
            ["", "{ }", "object", "object \"a", "object \"a\" { code {", "object 1 { }", "object \"a\n\" {}"]
        {
            assert_eq!(outline(text), None, "{text}");
        }
    }
}
