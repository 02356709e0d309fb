//! The items of each kind of list.

use crate::list::{Items, booleans, int32, int64, lists, optional_int32, signed};
use crate::texts::{Texts, names};
use arrow_array::{ArrayRef, Int32Array};
use arrow_schema::{DataType, Field};
use cairn_bytecode::{Analysis, Case, EdgeKind, Event, JumpStatus};
use std::sync::Arc;

/// Bytes of code for each block or edge, and for each jump, somewhat below the average.
const BYTES_A_BLOCK: usize = 16;
const BYTES_A_JUMP: usize = 20;

pub(crate) fn required(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, false)
}

pub(crate) fn optional(name: &str, data_type: DataType) -> Field {
    Field::new(name, data_type, true)
}

#[derive(Default)]
pub(crate) struct Selectors {
    selector: Texts,
    entry: Vec<i32>,
}

impl Selectors {
    pub(crate) fn add(&mut self, cases: &[Case]) {
        for case in cases {
            self.selector.push_selector(case.selector);
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
        vec![self.selector.into_texts(), int32(self.entry)]
    }
}

#[derive(Default)]
pub(crate) struct Functions {
    selector: Texts,
    entry: Vec<i32>,
    payable: Vec<bool>,
}

impl Functions {
    pub(crate) fn add(&mut self, cases: &[Case]) {
        for case in cases {
            self.selector.push_selector(case.selector);
            self.entry.push(signed(case.entry));
            self.payable.push(case.payable);
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
        vec![self.selector.into_texts(), int32(self.entry), booleans(self.payable)]
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
    reached: Vec<bool>,
    lowest: Vec<i32>,
    highest: Vec<i32>,
    gas: Vec<i64>,
}

impl Blocks {
    pub(crate) fn add(&mut self, analysis: &Analysis<'_>) {
        let list = analysis.blocks.list();
        let heights = analysis.entry_heights();
        self.start.extend(list.iter().map(|block| signed(block.start)));
        self.end.extend(list.iter().map(|block| signed(block.end)));
        self.reached.extend_from_slice(analysis.reached());
        self.lowest.extend(heights.iter().map(|height| height.map_or(-1, |(lowest, _)| signed(lowest))));
        self.highest.extend(heights.iter().map(|height| height.map_or(-1, |(_, highest)| signed(highest))));
        self.gas.extend(list.iter().map(|block| i64::try_from(block.gas).unwrap_or(i64::MAX)));
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

    fn reserve(&mut self, bytes: usize) {
        let count = bytes / BYTES_A_BLOCK;
        let numbers = [&mut self.start, &mut self.end, &mut self.lowest, &mut self.highest];
        numbers.into_iter().for_each(|numbers| numbers.reserve(count));
        self.reached.reserve(count);
        self.gas.reserve(count);
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
    /// Numbers of kinds.
    kind: Vec<u8>,
}

impl Edges {
    pub(crate) fn add(&mut self, analysis: &Analysis<'_>) {
        let edges = analysis.cfg.edges();
        let blocks = analysis.blocks.list();
        self.from.extend(edges.iter().map(|edge| signed(blocks[edge.from as usize].start)));
        self.pc.extend(edges.iter().map(|edge| signed(blocks[edge.from as usize].last_pc)));
        self.to.extend(edges.iter().map(|edge| signed(blocks[edge.to as usize].start)));
        self.kind.extend(edges.iter().map(|edge| edge.kind as u8));
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

    fn reserve(&mut self, bytes: usize) {
        let count = bytes / BYTES_A_BLOCK;
        let numbers = [&mut self.from, &mut self.pc, &mut self.to];
        numbers.into_iter().for_each(|numbers| numbers.reserve(count));
        self.kind.reserve(count);
    }

    fn finish(self) -> Vec<ArrayRef> {
        let kinds = names(&self.kind, EdgeKind::ALL.map(EdgeKind::name));
        vec![int32(self.from), int32(self.pc), int32(self.to), kinds]
    }
}

pub(crate) struct Jumps {
    pc: Vec<i32>,
    /// Numbers of statuses.
    status: Vec<u8>,
    reason: Texts,
    targets: Vec<i32>,
    /// Where the targets of each jump end.
    ends: Vec<i32>,
}

impl Default for Jumps {
    fn default() -> Jumps {
        let (pc, status, reason, targets) = Default::default();
        Jumps { pc, status, reason, targets, ends: vec![0] }
    }
}

impl Jumps {
    pub(crate) fn add(&mut self, analysis: &Analysis<'_>) {
        let blocks = analysis.blocks.list();
        let jumps = analysis.cfg.jumps();
        self.pc.extend(jumps.iter().map(|jump| signed(blocks[jump.block as usize].last_pc)));
        self.status.extend(jumps.iter().map(|jump| jump.status as u8));
        if jumps.iter().all(|jump| jump.imprecision.is_none()) {
            self.reason.push_nulls(jumps.len());
        } else {
            let reasons = jumps.iter().map(|jump| jump.imprecision.map(|reason| reason.name().as_bytes()));
            reasons.for_each(|reason| self.reason.push_optional(reason));
        }
        for jump in jumps {
            for target in analysis.cfg.jump_targets(jump.block) {
                self.targets.push(signed(blocks[target as usize].start));
            }
            self.ends.push(self.targets.len() as i32);
        }
    }
}

impl Items for Jumps {
    fn fields() -> Vec<Field> {
        vec![
            required("pc", DataType::Int32),
            required("status", DataType::Utf8),
            optional("reason", DataType::Utf8),
            required("targets", DataType::List(Arc::new(required("item", DataType::Int32)))),
        ]
    }

    fn len(&self) -> usize {
        self.pc.len()
    }

    fn reserve(&mut self, bytes: usize) {
        let count = bytes / BYTES_A_JUMP;
        let numbers = [&mut self.pc, &mut self.targets, &mut self.ends];
        numbers.into_iter().for_each(|numbers| numbers.reserve(count));
        self.status.reserve(count);
    }

    fn finish(self) -> Vec<ArrayRef> {
        let targets = lists(Int32Array::from(self.targets), self.ends);
        let statuses = names(&self.status, JumpStatus::ALL.map(JumpStatus::name));
        vec![int32(self.pc), statuses, self.reason.into_texts(), targets]
    }
}

#[derive(Default)]
pub(crate) struct Events {
    pc: Vec<i32>,
    topics: Vec<i32>,
    topic: Texts,
}

impl Events {
    pub(crate) fn add(&mut self, events: &[Event]) {
        for event in events {
            self.pc.push(signed(event.pc));
            self.topics.push(i32::from(event.topics));
            match event.topic {
                Some(topic) => self.topic.push_bytes(&topic.to_be_bytes::<32>()),
                None => self.topic.push_null(),
            }
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
        vec![int32(self.pc), int32(self.topics), self.topic.into_bytes()]
    }
}
