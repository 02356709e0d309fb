//! Walks all ways through code.

use super::memory::Memory;
use super::price;
use super::value::{Value, of_no_name, result};
use cairn_evm::memory::{memory_read, memory_write};
use cairn_evm::{Fork, JumpdestMap, MemoryLength, MemoryRegion, Opcode, Word};
use std::collections::BTreeMap;

/// Instructions on all ways together.
const MAX_STEPS: u32 = 40_000;
/// How often a way may come to a branch of which nothing is known: more is a loop.
const MAX_VISITS: u32 = 24;
/// Words on the stack.
const MAX_STACK: usize = 1024;

/// Code as it stands in an account or is run to make one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code<'a> {
    pub(crate) bytes: &'a [u8],
    /// Where the bytes begin that are written later: immutables and addresses of libraries.
    pub(crate) open: &'a [usize],
    pub(crate) fork: Fork,
}

/// How it is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Entry<'a> {
    /// By a call of the function with this name.
    Function(u32),
    /// By a call whose data are no name, but so many bytes, less than four.
    Short(u64),
    /// By a call of none of these functions.
    Other(&'a [u32]),
    /// Without data, to make an account. Arguments may follow the code.
    Creation,
    /// By a jump from elsewhere in it, with so many words on the stack: one of them is the place to return to.
    Inner { pc: usize, words: usize },
}

/// The most gas that code takes, with a call's value of 0 and with another; `None` where there is no bound.
pub(crate) fn most(code: Code<'_>, entry: Entry<'_>) -> Option<u64> {
    let dests = JumpdestMap::compute(code.bytes);
    let most = [Value::number(0), Value::AtLeast(1)].map(|value| {
        let (most, steps) = (None, 0);
        most_of(Walk { code, entry, value, dests: &dests, most, steps })
    });
    let [Some(without), Some(with)] = most else { return None };
    without.max(with)
}

/// The most gas of all ways; `None` where there is no bound, and none in it where no way comes to an end.
fn most_of(mut walk: Walk<'_>) -> Option<Option<u64>> {
    let entry = walk.entry;
    let mut ways = vec![Way::start(entry)];
    while let Some(way) = ways.pop() {
        match walk.follow(way) {
            End::Fork(first, second) => ways.extend([*first, *second]),
            End::Ended(gas) => walk.most = walk.most.max(Some(gas)),
            End::Failed => {}
            End::Unbounded => return None,
        }
    }
    Some(walk.most)
}

struct Walk<'a> {
    code: Code<'a>,
    entry: Entry<'a>,
    /// The wei of the call.
    value: Value,
    dests: &'a JumpdestMap,
    most: Option<u64>,
    steps: u32,
}

/// A way through the code up to an instruction.
#[derive(Clone, Debug, Default)]
struct Way {
    pc: usize,
    stack: Vec<Value>,
    memory: Memory,
    gas: u64,
    /// How often it came to branches of which nothing is known.
    visits: BTreeMap<usize, u32>,
}

/// Where a piece of a way ends.
enum End {
    Fork(Box<Way>, Box<Way>),
    Ended(u64),
    /// It takes all gas.
    Failed,
    Unbounded,
}

impl Walk<'_> {
    fn follow(&mut self, mut way: Way) -> End {
        loop {
            self.steps += 1;
            let Some(byte) = self.code.bytes.get(way.pc) else { return End::Ended(way.gas) };
            let op = Opcode(*byte);
            if self.steps > MAX_STEPS || [Opcode::DUPN, Opcode::SWAPN, Opcode::EXCHANGE].contains(&op) {
                return End::Unbounded;
            }
            let Some(info) = op.info().filter(|info| info.since <= self.code.fork) else {
                return End::Failed;
            };
            let inputs = usize::from(info.inputs);
            if way.stack.len() < inputs || op == Opcode::INVALID {
                return End::Failed;
            }
            let args: Vec<Value> = way.stack.iter().rev().take(inputs).copied().collect();
            let priced = price::most(op, &args, self.code.fork).zip(way.touch(op, &args));
            let Some(gas) = priced.and_then(|(own, memory)| way.gas.checked_add(own.checked_add(memory)?))
            else {
                return End::Unbounded;
            };
            way.gas = gas;
            if op == Opcode::JUMP || op == Opcode::JUMPI {
                way.stack.truncate(way.stack.len() - inputs);
                match self.jump(op, &args, way) {
                    Ok(next) => way = next,
                    Err(end) => return end,
                }
                continue;
            }
            if op.halts() {
                return End::Ended(way.gas);
            }
            self.step(op, &args, &mut way);
            if way.stack.len() > MAX_STACK {
                return End::Failed;
            }
        }
    }

    fn jump(&self, op: Opcode, args: &[Value], mut way: Way) -> Result<Way, End> {
        if op == Opcode::JUMP && args[0] == Value::Given {
            return Err(End::Ended(way.gas));
        }
        let target =
            args[0].known().map(|word| usize::try_from(word).ok().filter(|pc| self.dests.contains(*pc)));
        let condition = if op == Opcode::JUMP { Some(true) } else { args[1].truth() };
        match (condition, target) {
            (Some(false), _) => {
                way.pc += 1;
                Ok(way)
            }
            (_, None) => Err(End::Unbounded),
            (Some(true), Some(None)) => Err(End::Failed),
            (Some(true), Some(Some(pc))) => {
                way.pc = pc;
                Ok(way)
            }
            (None, Some(target)) => {
                let visits = way.visits.entry(way.pc).or_default();
                *visits += 1;
                if *visits > MAX_VISITS {
                    return Err(End::Unbounded);
                }
                let Some(pc) = target else {
                    way.pc += 1;
                    return Ok(way);
                };
                let jumped = Way { pc, ..way.clone() };
                way.pc += 1;
                Err(End::Fork(Box::new(jumped), Box::new(way)))
            }
        }
    }

    /// What an instruction does that is no jump.
    fn step(&self, op: Opcode, args: &[Value], way: &mut Way) {
        let at = way.pc;
        if let Some(width) = op.push_width() {
            way.pc += 1 + usize::from(width);
            way.stack.push(self.pushed(at + 1, usize::from(width)));
            return;
        }
        way.pc += 1;
        let height = way.stack.len();
        if let Some(depth) = op.dup_depth() {
            way.stack.push(way.stack[height - usize::from(depth)]);
            return;
        }
        if let Some(depth) = op.swap_depth() {
            way.stack.swap(height - 1, height - 1 - usize::from(depth));
            return;
        }
        way.stack.truncate(way.stack.len() - args.len());
        let outputs = op.info().map_or(0, |info| info.outputs);
        let value = self.value(op, args, way, at);
        way.stack.extend((0..outputs).map(|_| value));
        way.write(op, args);
    }

    fn pushed(&self, start: usize, width: usize) -> Value {
        if self.code.open.contains(&start) {
            return Value::Unknown;
        }
        let bytes = (start..start + width).map(|at| self.code.bytes.get(at).copied().unwrap_or(0));
        Value::Known(Word::from_be_slice(&bytes.collect::<Vec<u8>>()))
    }

    fn value(&self, op: Opcode, args: &[Value], way: &Way, pc: usize) -> Value {
        match op {
            Opcode::PC => Value::number(pc as u64),
            Opcode::CALLDATASIZE => match self.entry {
                Entry::Function(_) | Entry::Other(_) => Value::AtLeast(4),
                Entry::Short(bytes) => Value::number(bytes),
                Entry::Creation => Value::number(0),
                Entry::Inner { .. } => Value::Unknown,
            },
            Opcode::CALLVALUE => self.value,
            Opcode::CALLDATALOAD if args[0] == Value::Huge => Value::number(0),
            Opcode::CALLDATALOAD => self.data(args[0].small()),
            Opcode::CODESIZE if self.entry != Entry::Creation => Value::number(self.code.bytes.len() as u64),
            Opcode::MLOAD => args[0].small().map_or(Value::Unknown, |start| way.memory.load(start)),
            _ if op.is_arithmetic() => match self.entry {
                Entry::Other(names) => of_no_name(op, args, names).unwrap_or_else(|| result(op, args)),
                Entry::Function(_) | Entry::Short(_) | Entry::Creation | Entry::Inner { .. } => {
                    result(op, args)
                }
            },
            _ => Value::Unknown,
        }
    }

    /// A word of the data of the call.
    fn data(&self, start: Option<u64>) -> Value {
        match (self.entry, start) {
            (Entry::Function(name), Some(0)) => Value::Head(name),
            (Entry::Other(_), Some(0)) => Value::NoHead,
            (Entry::Short(0) | Entry::Creation, _) => Value::number(0),
            (
                Entry::Function(_) | Entry::Other(_) | Entry::Short(_) | Entry::Inner { .. },
                Some(_) | None,
            ) => Value::Unknown,
        }
    }
}

impl Way {
    fn start(entry: Entry<'_>) -> Way {
        match entry {
            Entry::Inner { pc, words } => {
                Way { pc, stack: vec![Value::Given; words], memory: Memory::of_others(), ..Way::default() }
            }
            Entry::Function(_) | Entry::Short(_) | Entry::Other(_) | Entry::Creation => Way::default(),
        }
    }

    /// Touches the memory of an instruction; the gas of growing, `None` where it is not known.
    fn touch(&mut self, op: Opcode, args: &[Value]) -> Option<u64> {
        let mut gas = 0_u64;
        for region in [memory_read(op), memory_write(op)].into_iter().flatten() {
            let (start, length) = known(region, args)?;
            gas = gas.checked_add(self.memory.touch(start, length)?)?;
        }
        Some(gas)
    }

    fn write(&mut self, op: Opcode, args: &[Value]) {
        let Some((start, length)) = memory_write(op).and_then(|region| known(region, args)) else { return };
        if op == Opcode::MSTORE {
            self.memory.store(start, args[1]);
        } else if length > 0 {
            self.memory.write(start..start + length);
        }
    }
}

/// Start and length of a region; an empty one may stand anywhere.
fn known(region: MemoryRegion, args: &[Value]) -> Option<(u64, u64)> {
    let length = match region.length {
        MemoryLength::Fixed(bytes) => u64::from(bytes),
        MemoryLength::Operand(index) => args[usize::from(index)].small()?,
    };
    let start = args[usize::from(region.start)].small();
    if length == 0 { Some((0, 0)) } else { Some((start?, length)) }
}
