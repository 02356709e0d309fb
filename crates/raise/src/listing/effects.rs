//! Events, failures, results and calls in words.

use super::facts::{panic_meaning, precompile};
use super::say::{Data, Effect, Piece, Say};
use super::words::Words;
use cairn_evm::word::low_mask;
use cairn_evm::{Opcode, Word};

/// Bytes of a word.
const WORD: u64 = 32;

/// Bytes of a selector.
const SELECTOR: u64 = 4;

/// `Error(string)`, which Solidity's `require` and `revert` fail with.
const ERROR: u32 = 0x08c3_79a0;

/// `Panic(uint256)`, which Solidity's own checks fail with.
const PANIC: u32 = 0x4e48_7b71;

/// The longest text that is shown.
const MAX_TEXT: usize = 256;

/// Values behind a selector.
struct Message<'s> {
    selector: u32,
    values: &'s [Piece],
}

impl Words<'_> {
    /// What happens.
    pub(super) fn effect(&mut self, effect: &Effect) -> String {
        match effect {
            Effect::Hash(data) => {
                let data = self.data(data);
                format!("keccak({data})")
            }
            Effect::Return(data) => format!("return {}", self.values_or_nothing(data)).trim_end().to_owned(),
            Effect::Revert(data) => self.revert(data),
            Effect::Emit { topics, data } => self.emit(topics, data),
            Effect::Message { number, opcode, gas, to, value, data } => {
                let mut with = Vec::new();
                if let Some(value) = value.as_ref().filter(|value| value.as_number() != Some(Word::ZERO)) {
                    with.push(format!("value: {}", self.text(value)));
                }
                if gas.args_of(Opcode::GAS).is_none() {
                    with.push(format!("gas: {}", self.text(gas)));
                }
                let with = if with.is_empty() { String::new() } else { format!("{{{}}}", with.join(", ")) };
                let text = self.message(*opcode, to, &with, data);
                if self.returned.contains(number) { format!("{text} -> ret{number}") } else { text }
            }
        }
    }

    fn values_or_nothing(&mut self, data: &Data) -> String {
        match data {
            Data::Known(pieces) if pieces.is_empty() => String::new(),
            _ => self.data(data),
        }
    }

    /// Bytes of memory as values.
    fn data(&mut self, data: &Data) -> String {
        match data {
            Data::Known(pieces) => self.pieces(pieces),
            Data::Memory(start, bytes) => self.bytes(Opcode::MLOAD, start, bytes),
        }
    }

    pub(super) fn pieces(&mut self, pieces: &[Piece]) -> String {
        if let Some(text) = text_of(pieces) {
            return text;
        }
        let mut texts = Vec::with_capacity(pieces.len());
        let mut rest = pieces;
        while let Some((first, behind)) = rest.split_first() {
            let whole = behind.first().and_then(|bytes| self.with_length(first, bytes));
            rest = if whole.is_some() { &behind[1..] } else { behind };
            texts.push(whole.unwrap_or_else(|| self.piece(first)));
        }
        texts.join(", ")
    }

    /// A length and what lies behind it in memory, by where it is: as many bytes (a text or a byte array), or as
    /// many words (an array).
    fn with_length(&mut self, length: &Piece, bytes: &Piece) -> Option<String> {
        let Say::Bytes(Opcode::MLOAD, region) = &bytes.value else { return None };
        let [from, count] = region.as_slice() else { return None };
        let place = self.length_before(from, &length.value).filter(|_| length.bytes == WORD)?;
        let words = match self.value_of(count).as_evm() {
            Some((Opcode::MUL, [a, b])) if b.as_number() == Some(Word::from(WORD)) => Some(a),
            Some((Opcode::MUL, [a, b])) if a.as_number() == Some(Word::from(WORD)) => Some(b),
            Some((Opcode::SHL, [by, words])) if by.as_number() == Some(Word::from(5)) => Some(words),
            _ => None,
        };
        let name = match words {
            Some(words) if *words == length.value => "words",
            _ if *count == length.value => "bytes",
            _ => return None,
        };
        Some(format!("{name}({})", self.text(&place)))
    }

    /// Where a length stands if a region begins right behind it.
    fn length_before(&self, from: &Say, length: &Say) -> Option<Say> {
        let place = self.value_of(length).args_of(Opcode::MLOAD)?.first()?;
        let is_word = |say: &Say| say.as_number() == Some(Word::from(WORD));
        let [a, b] = self.value_of(from).args_of(Opcode::ADD)? else { return None };
        ((a == place && is_word(b)) || (b == place && is_word(a))).then(|| place.clone())
    }

    /// Bytes by where they lie.
    pub(super) fn bytes(&mut self, source: Opcode, from: &Say, bytes: &Say) -> String {
        let (what, size) = match source {
            Opcode::CALLDATALOAD => ("calldata", Some(Opcode::CALLDATASIZE)),
            Opcode::MLOAD => ("memory", None),
            _ => ("returndata", Some(Opcode::RETURNDATASIZE)),
        };
        let is_all = size.is_some_and(|size| bytes.args_of(size).is_some());
        if is_all && from.as_number() == Some(Word::ZERO) {
            return what.to_owned();
        }
        if source == Opcode::MLOAD
            && let Some(place) = self.length_before(from, bytes)
        {
            return format!("content({})", self.text(&place));
        }
        let (from, bytes) = (self.atom(from), self.atom(bytes));
        format!("{what}[{from} for {bytes}]")
    }

    /// The first bytes of a value: those of a number as they are, those of a value that was moved up to be
    /// the first as the value, cut to them.
    fn piece(&mut self, piece: &Piece) -> String {
        if piece.bytes == Piece::OPEN {
            return self.text(&piece.value);
        }
        let Some(bits) = (WORD * 8).checked_sub(piece.bytes * 8).filter(|bits| (1..256).contains(bits))
        else {
            return self.text(&piece.value);
        };
        if let Some(word) = piece.value.as_number() {
            return format!("{:#0width$x}", word >> bits as usize, width = 2 + 2 * piece.bytes as usize);
        }
        match moved_up(&piece.value).filter(|(_, by)| *by == Word::from(bits)) {
            Some((value, _)) => {
                let mask = Say::Number(low_mask((256 - bits) as usize));
                self.text(&Say::evm(Opcode::AND, vec![mask, value.clone()]))
            }
            None => format!("bytes{}({})", piece.bytes, self.text(&piece.value)),
        }
    }

    fn revert(&mut self, data: &Data) -> String {
        let Data::Known(pieces) = data else { return format!("revert {}", self.data(data)) };
        let Some(message) = message_of(pieces) else {
            return format!("revert({})", self.pieces(pieces));
        };
        let number = |place: usize| message.values.get(place).and_then(|piece| piece.value.as_number());
        if message.selector == ERROR
            && let Some(text) = message.values.get(1..).and_then(text_of)
        {
            return format!("revert Error({text})");
        }
        if message.selector == PANIC
            && let Some(code) = number(0).and_then(|code| u64::try_from(code).ok())
        {
            panic_meaning(code).into_iter().for_each(|meaning| self.remark(meaning.to_owned()));
            return format!("revert Panic({code:#x})");
        }
        let name = self.selector_name(message.selector);
        format!("revert {name}({})", self.pieces(message.values))
    }

    /// The name of a function or an error; a remark says its types.
    fn selector_name(&mut self, selector: u32) -> String {
        match self.facts.notes.selectors.get(&selector) {
            Some(signature) => {
                self.remark(signature.clone());
                signature.split('(').next().unwrap_or_default().to_owned()
            }
            None => format!("{selector:#010x}"),
        }
    }

    fn emit(&mut self, topics: &[Say], data: &Data) -> String {
        let data = self.values_or_nothing(data);
        let Some((first, rest)) = topics.split_first() else { return format!("emit log0({data})") };
        let known = first.as_number().and_then(|topic| self.facts.notes.topics.get(&topic));
        let name = match known {
            Some(signature) => {
                let name = signature.split('(').next().unwrap_or_default().to_owned();
                let signature = signature.clone();
                self.remark(signature);
                name
            }
            None => match first.as_number() {
                Some(topic) => format!("event({topic:#x})"),
                None => format!("event({})", self.text(first)),
            },
        };
        let indexed = self.list(rest);
        let between = if indexed.is_empty() || data.is_empty() { "" } else { "; " };
        format!("emit {name}({indexed}{between}{data})")
    }

    /// A call of other code: whom, how, what.
    fn message(&mut self, opcode: Opcode, to: &Say, with: &str, data: &Data) -> String {
        let how = match opcode {
            Opcode::STATICCALL => "static ",
            Opcode::DELEGATECALL => "delegate ",
            Opcode::CALLCODE => "callcode ",
            _ => "",
        };
        let precompiled = to.as_number().and_then(|to| u64::try_from(to).ok()).and_then(precompile);
        if let Some(name) = precompiled {
            let data = self.values_or_nothing(data);
            return format!("{how}{name}{with}({data})");
        }
        let receiver = self.receiver(to);
        if let Data::Known(pieces) = data
            && let Some(message) = message_of(pieces)
        {
            let name = self.selector_name(message.selector);
            let values = self.pieces(message.values);
            return format!("{how}{receiver}.{name}{with}({values})");
        }
        let data = self.values_or_nothing(data);
        format!("{how}{receiver}.call{with}({data})")
    }

    /// An address without the mask that makes sure that it is one.
    fn receiver(&mut self, to: &Say) -> String {
        let text = self.atom(to);
        let inner = text.strip_prefix("address(").and_then(|text| text.strip_suffix(')'));
        match inner {
            Some(inner) if inner.chars().all(|c| c.is_ascii_alphanumeric() || "[].:_".contains(c)) => {
                inner.to_owned()
            }
            _ => text,
        }
    }
}

/// The message that bytes are: four bytes, then words.
fn message_of(pieces: &[Piece]) -> Option<Message<'_>> {
    let (first, values) = pieces.split_first()?;
    let word = first.value.as_number()?;
    if first.bytes < SELECTOR || first.bytes > WORD || word.trailing_zeros() < 224 {
        return None;
    }
    let is_message = first.bytes == SELECTOR || (values.is_empty() && first.bytes == WORD);
    let selector = u32::try_from(word >> 224).ok()?;
    is_message.then_some(Message { selector, values })
}

/// The text that pieces are: a length, or where it lies first, and letters.
fn text_of(pieces: &[Piece]) -> Option<String> {
    let pieces = match pieces {
        [first, rest @ ..] if first.value.as_number() == Some(Word::from(WORD)) => rest,
        _ => pieces,
    };
    let (length, rest) = pieces.split_first()?;
    let length =
        usize::try_from(length.value.as_number()?).ok().filter(|length| (1..=MAX_TEXT).contains(length))?;
    let mut bytes = Vec::new();
    for piece in rest {
        let word: [u8; 32] = piece.value.as_number()?.to_be_bytes();
        bytes.extend_from_slice(word.get(..usize::try_from(piece.bytes).ok()?)?);
    }
    let text = bytes.get(..length)?;
    let is_letter = |byte: &u8| (b' '..=b'~').contains(byte);
    let is_all = text.iter().all(is_letter)
        && bytes[length..].iter().all(|byte| *byte == 0)
        && bytes.len() < length + 32;
    is_all.then(|| format!("{:?}", String::from_utf8_lossy(text)))
}

/// A value that is moved up by so many bits.
fn moved_up(say: &Say) -> Option<(&Say, Word)> {
    match say.as_evm()? {
        (Opcode::SHL, [Say::Number(by), value]) => Some((value, *by)),
        (Opcode::MUL, [Say::Number(power), value] | [value, Say::Number(power)])
            if power.count_ones() == 1 =>
        {
            Some((value, Word::from(power.trailing_zeros())))
        }
        _ => None,
    }
}
