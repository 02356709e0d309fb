//! One text: where it goes, its stores, and what stands between them.

use super::{Memory, Part, Writer};
use crate::random::Random;
use crate::ways::{choice, chosen, filled, rounds};

const COMPUTED: &str = "[#v|not(#v)|calldataload(#k)|add(#v, #w)|timestamp()|loadimmutable(\"i\")]";
const TESTS: &str = "[and(#v, 1)|iszero(#v)|gt(#v, 6)|callvalue()|eq(#v, #w)|slt(#v, 100)]";

/// Stands between two stores: `#d` is data, for the other letters see the looks at a whole text.
const BLIND: &str = "[sstore(#k, #w)|if eq(#v, #w) { #v := #k }|#v := xor(#v, #w)|log1(0, 0, #w)|#v := add(#v, iszero(gas()))\
    |#v := add(msize(), mul(#v, 3))|if gt(#v, not(9)) { [revert(0, 0)|stop()|invalid()] }|pop(call(gas(), 0xe1, 0, 0, 0, 0, 0))\
    |#v := add(#v, gt(add(dataoffset(\"#d\"), datasize(\"#d\")), codesize()))|#v := add(#v, datasize(\"#d\"))\
    |for { let i := 0 } lt(i, and(#v, 3)) { i := add(i, 1) } { sstore(i, #w) }]";
/// The same where a text may be looked at.
const OPEN: &str = "[#v := xor(#v, [keccak256(#b, #s)|mload(#a)])|log1(#b, #s, #v)|pop(staticcall(gas(), 4, #b, #s, #a, 0x33))\
    |pop(call(gas(), [0xe9|0xe1], 0, #b, 0x20, #a, 0x40))|returndatacopy(#a, 0, and(returndatasize(), 0x3f))\
    |calldatacopy(#a, #k, 0x21)|mcopy(#a, #a, 0x1f)|mstore(#a, [#v|#w|mload(#a)])|mstore8(#a, [#v|#w])\
    |[datacopy|codecopy](#a, dataoffset(\"#d\"), datasize(\"#d\"))|extcodecopy(address(), #a, dataoffset(\"#d\"), datasize(\"#d\"))\
    |if #t { [revert|return](#b, #s) }|if #t { mstore(#a, #w) mstore(#a, #w) }\
    |for { let i := 0 } lt(i, #s) { i := add(i, 0x40) } { mstore(add(#b, i), #w) }]";

/// Addresses above the words that have a meaning, in what belongs to the program.
const FIXED: &str = "[0x80|0xa0|0x91|0x117|add(0x80, and(#v, 0x7f))|sub(or(and(#v, 0x7f), 0x100), 0x80)]";

/// Where a text goes.
pub(super) struct Place {
    pub(super) base: String,
    pub(super) size: usize,
    /// The text may be looked at before all of it is written, and a little may be written behind it.
    pub(super) is_open: bool,
}

impl Writer<'_> {
    /// A text, and what looks at it.
    pub(super) fn row(&mut self, look: &str) -> String {
        let (before, place, behind) = self.place();
        format!("{{ {before}\n{}{} {behind} }}\n", self.text(&place), self.fill(look, &place))
    }

    /// A place, with what comes before the first store and behind the last look.
    fn place(&mut self) -> (String, Place, String) {
        let size = 32 * *self.random.pick(&[2, 3, 3, 4, 5, 5, 5, 6, 9, 20]) + *self.random.pick(&[0, 0, 4]);
        let is_owned = self.program.memory == Memory::Owned;
        if !is_owned && self.random.once_in(4) {
            return self.over_pointer();
        }
        let is_fixed = is_owned || self.program.limit > 0x80 && self.random.once_in(3);
        let bases = match (is_owned && self.random.once_in(2), is_fixed) {
            (true, _) => "[0|0x20|0x40|0x1f|and(#v, 0x1e0)]",
            (_, true) => FIXED,
            _ => "[mload(0x40)|mload(0x40)|add(mload(0x40), [0x1c|and(#v, 0x3f)])]",
        };
        let (name, value) = (self.fresh("b"), self.fill_in(bases));
        let is_named = value.contains('(');
        let mut before = if is_named { format!("let {name} := {value}\n") } else { String::new() };
        let base = if is_named { name } else { value };
        let is_filled = self.random.once_in(3);
        if is_filled {
            before += &self.fill_in(&format!("calldatacopy({base}, [4|calldatasize()], {size})\n"));
        }
        let move_pointer = format!("mstore(0x40, add({base}, {}))", (size + 0x7f) / 32 * 32);
        let ways = [(&*move_pointer, ""), ("", &*move_pointer), ("", "")];
        let (first, last) = ways[if is_fixed { 2 } else { self.random.below(3) }];
        (before + first, Place { base, size, is_open: is_fixed || is_filled }, last.to_owned())
    }

    /// A place over the word of the pointer, which is saved.
    fn over_pointer(&mut self) -> (String, Place, String) {
        let (name, base) = (self.fresh("m"), *self.random.pick(&[0, 0x20]));
        let n = self.random.between((0x60 - base) / 32, (self.program.limit - base).min(0x120) / 32);
        let place = Place { base: base.to_string(), size: 32 * n, is_open: false };
        (format!("let {name} := mload(0x40)"), place, format!("mstore(0x40, {name})"))
    }

    /// Words below and above that of the pointer, which keeps one.
    pub(super) fn around_pointer(&mut self) -> String {
        let n_behind = if self.program.limit > 0x80 { 4 } else { 1 };
        let words = (0..3 + n_behind).filter(|at| *at != 2);
        let mut stores: Vec<String> = words.map(|at| format!("mstore({}, #w)", 32 * at)).collect();
        stores.push(format!("[|mstore(0x40, mload(0x40))|{}]", self.start()));
        shuffle(&mut stores, self.random);
        let look = format!("#v := add(keccak256(0, 0x40), keccak256(0x60, {}))", 32 * n_behind);
        self.fill_in(&format!("{}\n{look}", stores.join(" ")))
    }

    /// All stores of a text.
    fn text(&mut self, place: &Place) -> String {
        match self.random.below(8) {
            0 | 1 if place.size == 0xa0 => self.fill("#v := put[0|1](#b, [#v|#w], #w)\n", place),
            2 if place.size.is_multiple_of(0x60) => {
                let (counter, base) = (self.fresh("r"), self.fresh("q"));
                let start = format!("let {base} := add({}, mul({counter}, 0x60))\n", place.base);
                let stores = self.stores(&Place { base, size: 0x60, is_open: place.is_open });
                rounds(&counter, place.size / 0x60, &(start + &stores))
            }
            3 => choice(&self.fill(TESTS, place), &self.stores(place), &self.stores(place)),
            _ => self.stores(place),
        }
    }

    pub(super) fn stores(&mut self, place: &Place) -> String {
        let mut stores = self.list(place);
        match self.random.below(4) {
            0 => stores.reverse(),
            1 => shuffle(&mut stores, self.random),
            _ => {}
        }
        let (busy, name) = (*self.random.pick(&[0, 0, 2, 5, 12]), self.fresh("q"));
        let beside = if self.random.once_in(3) { "mstore(#a, #w)" } else { OPEN };
        let (moves, mut last) = (self.random.once_in(4), 0);
        let mut text = if moves { format!("let {name} := {}\n", place.base) } else { String::new() };
        for (at, operation, value) in stores {
            text += &if moves { moved(&name, last, at) } else { String::new() };
            last = at;
            let address = if moves { name.clone() } else { self.address(place, at) };
            text += &format!("{operation}({address}, {value})\n");
            if self.random.below(20) < busy {
                let list = if place.is_open && !self.random.once_in(3) { beside } else { BLIND };
                text += &(self.fill(list, place) + "\n");
            }
        }
        text
    }

    /// Places in a text in its order, what is stored there by which operation.
    fn list(&mut self, place: &Place) -> Vec<(usize, &'static str, String)> {
        let (words, shift) = (&self.program.words, place.size % 32);
        let first = self.random.below(words.len());
        let noise = *self.random.pick(&[0, 0, 1, 4, 8]);
        let selector = (0, "mstore", "shl(224, 0x08c379a0)".to_owned());
        let mut stores = if shift > 0 { vec![selector] } else { Vec::new() };
        for (index, at) in (shift..place.size).step_by(32).enumerate() {
            let word = words[(first + index) % words.len()].clone();
            let kind = if self.random.below(20) < noise { self.random.below(5) } else { 5 };
            match kind {
                0 if place.is_open => {}
                1 => stores.push((at, "mstore", self.fill(COMPUTED, place))),
                2 => stores.extend([(at, "mstore", self.fill("#w", place)), (at, "mstore", word)]),
                3 if place.is_open => stores.push((at.saturating_sub(self.random.below(32)), "mstore", word)),
                4 => {
                    let beside = (at + self.random.below(32), "mstore8", self.fill("[#v|#k]", place));
                    stores.extend([(at, "mstore", word), beside]);
                }
                _ => stores.push((at, "mstore", word)),
            }
        }
        stores
    }

    fn address(&mut self, place: &Place, at: usize) -> String {
        let Place { base, size, .. } = place;
        match self.random.below(9) {
            0 => format!("sub(add({base}, {size}), {})", size - at),
            1 => format!("add({at}, {base})"),
            2 => format!("sub({base}, sub(0, {at}))"),
            3 => format!("add(add({base}, {}), not(0x1f))", at + 32),
            4 => format!("add(add({base}, 0x20), sub({at}, 0x20))"),
            _ => format!("add({base}, {at})"),
        }
    }

    /// The template where there is no text.
    pub(super) fn fill_in(&mut self, template: &str) -> String {
        self.fill(template, &Place { base: "0".to_owned(), size: 32, is_open: false })
    }

    /// One of what the template may be, filled in.
    pub(super) fn fill(&mut self, template: &str, place: &Place) -> String {
        let mut text = chosen(template, self.random);
        while !self.may_have(&text) {
            text = chosen(template, self.random);
        }
        let data = self.program.names[self.random.below(2)].clone();
        filled(&text, |letter| match letter {
            "v" => format!("{}{}", self.letter, self.random.below(3)),
            "t" => self.fill(TESTS, place),
            "w" => self.random.pick(&self.program.words).clone(),
            "k" => self.random.below(70).to_string(),
            "a" => {
                let at = self.random.below(place.size - 31) & *self.random.pick(&[!0, !31]);
                let is_computed = self.random.once_in(5);
                if is_computed { self.fill("add(#b, and(#v, 0x1f))", place) } else { self.address(place, at) }
            }
            "b" => place.base.clone(),
            "s" => place.size.to_string(),
            "d" => data.clone(),
            "c" => self.program.names[2].clone(),
            "f" => if self.program.memory == Memory::Owned { "0x1000" } else { "mload(0x40)" }.to_owned(),
            other => unreachable!("no placeholder `{other}`"),
        })
    }

    /// Whether what the statement asks for is there. What is deployed does not begin with any byte.
    fn may_have(&self, text: &str) -> bool {
        let (has_data, has_immutable) = (self.part != Part::Alone, self.part == Part::Deployed);
        let deploys = matches!(self.part, Part::Constructor | Part::Created);
        (has_data || !text.contains("#d"))
            && (has_immutable || !text.contains("loadimmutable"))
            && (!deploys || !text.contains("if #t { return("))
            && (self.program.asks_size || !text.contains("msize"))
    }

    fn fresh(&mut self, prefix: &str) -> String {
        self.next_name += 1;
        format!("{prefix}_{}", self.next_name)
    }
}

/// Moves a variable from one place in a text to another.
fn moved(name: &str, from: usize, to: usize) -> String {
    let (operation, by) = if from > to { ("sub", from - to) } else { ("add", to - from) };
    format!("{name} := {operation}({name}, {by})\n")
}

fn shuffle<T>(list: &mut [T], random: &mut Random) {
    for at in (1..list.len()).rev() {
        list.swap(at, random.below(at + 1));
    }
}
