//! The same edit in two texts that are much alike: what was changed in the one is found in the other by what stands
//! around it.
//!
//! Texts are compared word by word, without regard to space between words. An edit is found where the words before
//! and behind it have counterparts; what lies between may differ.

use similar::{Algorithm, DiffOp, capture_diff_slices_deadline};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Texts that are not much alike are compared no longer than that.
const MAX_TIME: Duration = Duration::from_secs(1);

/// Two texts, and which words of the first are which of the second.
pub(crate) struct Aligned {
    pub(crate) first: String,
    pub(crate) second: String,
    /// For each word of the first its counterpart.
    counterparts: Vec<Option<usize>>,
}

impl Aligned {
    /// Compares two texts.
    pub(crate) fn new(first: String, second: String) -> Self {
        let [a, b] = [words(&first), words(&second)];
        let [a, b] = [texts(&first, &a), texts(&second, &b)];
        let mut counterparts = vec![None; a.len()];
        let deadline = Instant::now() + MAX_TIME;
        for part in capture_diff_slices_deadline(Algorithm::Myers, &a, &b, Some(deadline)) {
            if let DiffOp::Equal { old_index, new_index, len } = part {
                (0..len).for_each(|step| counterparts[old_index + step] = Some(new_index + step));
            }
        }
        Aligned { first, second, counterparts }
    }

    /// The second text with the edit that makes `edited` of the first; `None` if its place has no counterpart.
    pub(crate) fn follow(&self, edited: &str) -> Option<String> {
        let [old, new] = [words(&self.first), words(edited)];
        let [a, b] = [texts(&self.first, &old), texts(edited, &new)];
        let shorter = a.len().min(b.len());
        let start = (0..shorter).take_while(|index| a[*index] == b[*index]).count();
        let rest = shorter - start;
        let kept = (1..=rest).take_while(|back| a[a.len() - back] == b[b.len() - back]).count();
        let inserted = match new[start..new.len() - kept] {
            [] => "",
            [ref first, .., ref last] => &edited[first.start..last.end],
            [ref only] => &edited[only.clone()],
        };
        let others = words(&self.second);
        let from = match start.checked_sub(1) {
            None => 0,
            Some(before) => self.counterparts[before]? + 1,
        };
        let to = match self.counterparts.get(a.len() - kept) {
            None => others.len(),
            Some(behind) => (*behind)?,
        };
        if from > to {
            return None;
        }
        let head = from.checked_sub(1).map_or(0, |before| others[before].end);
        let tail = others.get(to).map_or(self.second.len(), |behind| behind.start);
        // A line stays a line.
        let space = if self.second[head..tail].contains('\n') { "\n" } else { " " };
        Some([&self.second[..head], space, inserted, space, &self.second[tail..]].concat())
    }
}

/// Places of the words of a text: names and numbers, and every other character by itself.
fn words(text: &str) -> Vec<Range<usize>> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.');
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut goes_on = false;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match found.last_mut() {
            Some(word) if goes_on && is_part(c) => word.end = end,
            _ if c.is_whitespace() => {}
            _ => found.push(at..end),
        }
        goes_on = is_part(c);
    }
    found
}

fn texts<'t>(text: &'t str, words: &[Range<usize>]) -> Vec<&'t str> {
    words.iter().map(|word| &text[word.clone()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(first: &str, edited: &str, second: &str) -> Option<String> {
        let found = Aligned::new(first.to_owned(), second.to_owned()).follow(edited)?;
        Some(found.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn what_both_have_goes_in_both() {
        let (first, second) = ("{ f(1) g(sar(4, x)) h(2) }", "{ f(1) g(shr(5, x)) h(2) }");
        let expected = |text: &str| Some(text.to_owned());
        assert_eq!(followed(first, "{ g(sar(4, x)) h(2) }", second), expected("{ g(shr(5, x)) h(2) }"));
        assert_eq!(
            followed(first, "{ f(1) g(sar(4, 0)) h(2) }", second),
            expected("{ f(1) g(shr(5, 0 )) h(2) }")
        );
        // What differs goes, too, if it stands between what does not.
        assert_eq!(followed(first, "{ f(1) h(2) }", second), expected("{ f(1) h(2) }"));
        assert_eq!(followed(first, "{ f(1) g(0) h(2) }", second), expected("{ f(1) g( 0 ) h(2) }"));
        assert_eq!(followed(first, "", second), Some(String::new()));
    }

    #[test]
    fn what_has_no_counterpart_stays() {
        // Behind the edit stands a word that the other text does not have.
        assert_eq!(followed("a b c", "a c", "a b d"), None);
        assert_eq!(followed("a b c", "b c", "d b c"), Some("b c".to_owned()));
        assert_eq!(followed("a b c", "a b", "a b c d"), Some("a b".to_owned()));
    }
}
