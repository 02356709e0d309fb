//! The items of each kind of list.

use crate::list::{Items, booleans, bytes, int32, int64, optional_int32, signed, texts};
use arrow_array::ArrayRef;
use arrow_array::builder::{BinaryBuilder, BooleanBuilder, Int32Builder, ListBuilder, StringBuilder};
use arrow_schema::{DataType, Field};
use cairn_bytecode::{Analysis, BlockId, Case, Event};
use std::sync::Arc;

pub(crate) fn required(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, false)
}

pub(crate) fn optional(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, true)
}

/// `0x` and eight digits.
pub(crate) fn push_selector(builder: &mut StringBuilder, selector: u32) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = *b"0x00000000";
    for (place, digit) in text[2..].iter_mut().enumerate() {
        *digit = DIGITS[(selector >> (28 - 4 * place) & 15) as usize];
    }
    builder.append_value(std::str::from_utf8(&text).expect("invariant: hexadecimal digits are ASCII"));
}

#[derive(Default)]
pub(crate) struct Selectors {
    selector: StringBuilder,
    entry: Vec<i32>,
}

impl Selectors {
    pub(crate) fn add(&mut self, cases: &[Case]) {
        for case in cases {
            push_selector(&mut self.selector, case.selector);
            self.entry.push(signed(case.entry));
        }
    }
}

impl Items for Selectors {
    fn fields() -> Vec<Field> {
        vec![required("selector", DataType::Utf8), required("entry", DataType::Int32)]
    }

    fn len(&self) -> usize {
        self.entry.len()
    }

    fn finish(self) -> Vec<ArrayRef> {
        vec![texts(self.selector), int32(self.entry)]
    }
}

#[derive(Default)]
pub(crate) struct Functions {
    selector: StringBuilder,
    entry: Vec<i32>,
    payable: BooleanBuilder,
}

impl Functions {
    pub(crate) fn add(&mut self, cases: &[Case]) {
        for case in cases {
            push_selector(&mut self.selector, case.selector);
            self.entry.push(signed(case.entry));
            self.payable.append_value(case.payable);
        }
    }
}

impl Items for Functions {
    fn fields() -> Vec<Field> {
        vec![
            required("selector", DataType::Utf8),
            required("entry", DataType::Int32),
            required("payable", DataType::Boolean),
        ]
    }

    fn len(&self) -> usize {
        self.entry.len()
    }

    fn finish(self) -> Vec<ArrayRef> {
        vec![texts(self.selector), int32(self.entry), booleans(self.payable)]
    }
}

#[derive(Default)]
pub(crate) struct Internals {
    entry: Vec<i32>,
    params: Vec<i32>,
    rets: Vec<i32>,
}

impl Internals {
    pub(crate) fn add(&mut self, analysis: &Analysis<'_>) {
        for function in &analysis.functions {
            self.entry.push(signed(analysis.blocks.get(function.entry).start));
            self.params.push(signed(function.params));
            self.rets.push(function.rets.map_or(-1, signed));
        }
    }
}

impl Items for Internals {
    fn fields() -> Vec<Field> {
        vec![
            required("entry", DataType::Int32),
            required("params", DataType::Int32),
            optional("rets", DataType::Int32),
        ]
    }

    fn len(&self) -> usize {
        self.entry.len()
    }

    fn finish(self) -> Vec<ArrayRef> {
        vec![int32(self.entry), int32(self.params), optional_int32(self.rets)]
    }
}

#[derive(Default)]
pub(crate) struct Blocks {
    start: Vec<i32>,
    end: Vec<i32>,
    reached: BooleanBuilder,
    lowest: Vec<i32>,
    highest: Vec<i32>,
    gas: Vec<i64>,
}

impl Blocks {
    pub(crate) fn add(&mut self, analysis: &Analysis<'_>) {
        for (id, block) in analysis.blocks.list().iter().enumerate() {
            let height = analysis.entry_height(id as BlockId);
            self.start.push(signed(block.start));
            self.end.push(signed(block.end));
            self.reached.append_value(analysis.is_reached(id as BlockId));
            self.lowest.push(height.map_or(-1, |(lowest, _)| signed(lowest)));
            self.highest.push(height.map_or(-1, |(_, highest)| signed(highest)));
            self.gas.push(i64::try_from(block.gas).unwrap_or(i64::MAX));
        }
    }
}

impl Items for Blocks {
    fn fields() -> Vec<Field> {
        vec![
            required("start", DataType::Int32),
            required("end", DataType::Int32),
            required("reached", DataType::Boolean),
            optional("lowest", DataType::Int32),
            optional("highest", DataType::Int32),
            required("gas", DataType::Int64),
        ]
    }

    fn len(&self) -> usize {
        self.start.len()
    }

    fn finish(self) -> Vec<ArrayRef> {
        let heights = (optional_int32(self.lowest), optional_int32(self.highest));
        vec![
            int32(self.start),
            int32(self.end),
            booleans(self.reached),
            heights.0,
            heights.1,
            int64(self.gas),
        ]
    }
}

#[derive(Default)]
pub(crate) struct Edges {
    from: Vec<i32>,
    pc: Vec<i32>,
    to: Vec<i32>,
    kind: StringBuilder,
}

impl Edges {
    pub(crate) fn add(&mut self, analysis: &Analysis<'_>) {
        for edge in analysis.cfg.edges() {
            let from = analysis.blocks.get(edge.from);
            self.from.push(signed(from.start));
            self.pc.push(signed(from.last_pc));
            self.to.push(signed(analysis.blocks.get(edge.to).start));
            self.kind.append_value(edge.kind.name());
        }
    }
}

impl Items for Edges {
    fn fields() -> Vec<Field> {
        vec![
            required("from", DataType::Int32),
            required("pc", DataType::Int32),
            required("to", DataType::Int32),
            required("kind", DataType::Utf8),
        ]
    }

    fn len(&self) -> usize {
        self.from.len()
    }

    fn finish(self) -> Vec<ArrayRef> {
        vec![int32(self.from), int32(self.pc), int32(self.to), texts(self.kind)]
    }
}

pub(crate) struct Jumps {
    pc: Vec<i32>,
    status: StringBuilder,
    reason: StringBuilder,
    targets: ListBuilder<Int32Builder>,
}

fn target_field() -> Arc<Field> {
    Arc::new(required("item", DataType::Int32))
}

impl Default for Jumps {
    fn default() -> Jumps {
        Jumps {
            pc: Vec::new(),
            status: StringBuilder::new(),
            reason: StringBuilder::new(),
            targets: ListBuilder::new(Int32Builder::new()).with_field(target_field()),
        }
    }
}

impl Jumps {
    pub(crate) fn add(&mut self, analysis: &Analysis<'_>) {
        for jump in analysis.cfg.jumps() {
            self.pc.push(signed(analysis.blocks.get(jump.block).last_pc));
            self.status.append_value(jump.status.name());
            self.reason.append_option(jump.imprecision.map(|reason| reason.name()));
            for target in analysis.cfg.jump_targets(jump.block) {
                self.targets.values().append_value(signed(analysis.blocks.get(target).start));
            }
            self.targets.append(true);
        }
    }
}

impl Items for Jumps {
    fn fields() -> Vec<Field> {
        vec![
            required("pc", DataType::Int32),
            required("status", DataType::Utf8),
            optional("reason", DataType::Utf8),
            required("targets", DataType::List(target_field())),
        ]
    }

    fn len(&self) -> usize {
        self.pc.len()
    }

    fn finish(mut self) -> Vec<ArrayRef> {
        vec![int32(self.pc), texts(self.status), texts(self.reason), Arc::new(self.targets.finish())]
    }
}

#[derive(Default)]
pub(crate) struct Events {
    pc: Vec<i32>,
    topics: Vec<i32>,
    topic: BinaryBuilder,
}

impl Events {
    pub(crate) fn add(&mut self, events: &[Event]) {
        for event in events {
            self.pc.push(signed(event.pc));
            self.topics.push(i32::from(event.topics));
            self.topic.append_option(event.topic.map(|topic| topic.to_be_bytes::<32>()));
        }
    }
}

impl Items for Events {
    fn fields() -> Vec<Field> {
        vec![
            required("pc", DataType::Int32),
            required("topics", DataType::Int32),
            optional("topic", DataType::Binary),
        ]
    }

    fn len(&self) -> usize {
        self.pc.len()
    }

    fn finish(self) -> Vec<ArrayRef> {
        vec![int32(self.pc), int32(self.topics), bytes(self.topic)]
    }
}
