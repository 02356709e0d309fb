//! A picture, and its parts: one a code.
//!
//! Contract: names of parts differ and are empty in a picture of one code; offsets of a part are those of
//! its own code.

use super::picture::{Cluster, clusters_of_blocks};
use super::sections::{clusters_of_sections, delegation};
use crate::analysis::Analysis;
use crate::container::Container;

/// What is drawn.
#[derive(Clone, Debug, Default)]
pub struct Picture {
    /// One a code, from left to right.
    pub parts: Vec<Part>,
}

/// One code.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// What the code is; empty where it is the only one.
    pub title: String,
    /// What ids of the part begin with; empty where it is the only one.
    pub name: String,
    /// The program's beginning, then functions by offset; of a container its sections.
    pub clusters: Vec<Cluster>,
}

impl Picture {
    /// The picture of an analysis.
    pub fn of(analysis: &Analysis<'_>) -> Picture {
        Picture { parts: vec![Part { clusters: clusters(analysis), ..Part::default() }] }
    }

    /// Several codes beside each other, with their titles; one alone is as in [`Picture::of`].
    pub fn beside<'p, 'c: 'p>(codes: impl IntoIterator<Item = (&'p str, &'p Analysis<'c>)>) -> Picture {
        let part = |(index, (title, analysis)): (usize, (&str, &Analysis<'c>))| Part {
            title: title.to_owned(),
            name: format!("p{index}_"),
            clusters: clusters(analysis),
        };
        let mut parts: Vec<Part> = codes.into_iter().enumerate().map(part).collect();
        if let [only] = &mut parts[..] {
            (only.title, only.name) = (String::new(), String::new());
        }
        Picture { parts }
    }
}

fn clusters(analysis: &Analysis<'_>) -> Vec<Cluster> {
    match Container::of(analysis.code) {
        Container::Plain => clusters_of_blocks(analysis),
        Container::Delegation(to) => vec![delegation(to)],
        Container::Eof(eof) => clusters_of_sections(analysis.code, &eof),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze;
    use crate::draw::{dot, html, mermaid, svg};

    #[test]
    fn nodes_of_several_parts_are_told_apart_and_of_one_are_as_ever() {
        // STOP; and JUMPDEST, STOP: both begin at 0.
        let analyses = [analyze(&[0x00]), analyze(&[0x5b, 0x00])];
        let both = Picture::beside(["first", "second"].into_iter().zip(&analyses));
        let picture = svg(&both);
        for part in &both.parts {
            assert_eq!(picture.matches(&format!("data-start=\"{}0\"", part.name)).count(), 1);
            assert_eq!(picture.matches(&part.title).count(), 1);
        }
        let page = html("both", &analyses, &both);
        assert!(page.contains("\"nodes\":{\"p0_0\":[[\"p0_0\",false]],\"p1_0\":[[\"p1_0\",false]]}"));
        assert!(page.contains("\"titles\":{\"p0_\":\"first\",\"p1_\":\"second\"}"));

        let one = Picture::beside([("first", &analyses[0])]);
        let same = Picture::of(&analyses[0]);
        assert_eq!((dot(&one), mermaid(&one), svg(&one)), (dot(&same), mermaid(&same), svg(&same)));
        assert!(!svg(&one).contains("first") && svg(&one).contains("data-start=\"0\""));
    }
}
