//! A random module: operands, operations, and what it returns.

use super::arithmetic::{self, Number, Wide, mask};
use super::{from_words, surroundings, to_words};
use crate::random::Random;
use std::fmt::Write;

const UNARY: [&str; 3] = ["iszero", "not", "clz"];
const BINARY: [&str; 20] = [
    "add",
    "sub",
    "mul",
    "div",
    "sdiv",
    "mod",
    "smod",
    "exp",
    "signextend",
    "lt",
    "gt",
    "slt",
    "sgt",
    "eq",
    "and",
    "or",
    "xor",
    "byte",
    "shl",
    "shr",
];
const TERNARY: [&str; 4] = ["addmod", "mulmod", "addmod", "mulmod"];
const GENERIC_UNARY: [&str; 8] = ["abs", "bswap", "ctpop", "ctlz", "cttz", "trunc", "zext", "sext"];
const GENERIC_BINARY: [&str; 13] = [
    "min", "max", "smin", "smax", "rotl", "rotr", "addo", "subo", "mulo", "uadd_sat", "usub_sat", "umul_sat",
    "mulhi",
];
const GENERIC_TERNARY: [&str; 2] = ["muldiv", "select"];
/// What is spelled in several lines: see [`Operation::lines`].
const COMPOSED: [&str; 8] = ["pass", "merge", "merge", "choose", "choose", "memory", "storage", "hash"];
/// Words of the surroundings, which [`super::surroundings`] knows.
const NULLARY: [&str; 4] = ["caller", "calldatasize", "timestamp", "address"];

/// Widths at which something changes, narrow and wide.
const NARROW: [usize; 22] =
    [1, 1, 2, 7, 8, 8, 9, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 160, 161, 200, 248, 255];
const WIDE: [usize; 14] = [257, 264, 288, 320, 383, 384, 448, 511, 512, 512, 513, 640, 768, 1024];
const HUGE: [usize; 10] = [1025, 1280, 1536, 2040, 2047, 2048, 2049, 3072, 4088, 4096];

/// Wide powers take longer than they are worth.
const MAX_POWER_BITS: usize = 520;
/// The product of two numbers must have a type.
const MAX_PRODUCT_BITS: usize = 2048;

#[allow(clippy::large_enum_variant, reason = "few of them, copied often")]
#[derive(Clone, Copy)]
enum Source {
    Constant(Wide),
    /// Offset in calldata.
    Calldata(usize),
}

struct Operation {
    name: &'static str,
    /// Indices of values.
    args: Vec<usize>,
    /// Their widths.
    arg_widths: Vec<usize>,
    results: Vec<usize>,
    /// What `choose` looks for.
    cases: Vec<Wide>,
}

/// Values are numbered: operands first, then the results of each operation.
pub(super) struct Module {
    operands: Vec<(usize, Source)>,
    operations: Vec<Operation>,
    calldata_size: usize,
}

impl Module {
    pub(super) fn choose(random: &mut Random) -> Self {
        let mut module = Module { operands: Vec::new(), operations: Vec::new(), calldata_size: 0 };
        let largest = random.below(20);
        let mut widths = Vec::new();
        for _ in 0..3 {
            let bits = width(random, largest);
            widths.push(bits);
            module.add_operand(random, bits);
        }
        for _ in 0..random.between(1, 3) {
            let operation = module.choose_operation(random, &widths, largest);
            widths.extend(&operation.results);
            module.operations.push(operation);
        }
        module
    }

    fn add_operand(&mut self, random: &mut Random, bits: usize) {
        let source = if random.once_in(4) {
            Source::Constant(value(random, bits) & mask(bits))
        } else {
            self.calldata_size += n_bytes(bits);
            Source::Calldata(self.calldata_size - n_bytes(bits))
        };
        self.operands.push((bits, source));
    }

    fn choose_operation(&self, random: &mut Random, widths: &[usize], largest: usize) -> Operation {
        let (name, n_args) = match random.below(25) {
            20 => (*random.pick(&NULLARY), 0),
            21.. => match *random.pick(&COMPOSED) {
                "merge" => ("merge", 3),
                name => (name, 1),
            },
            0 | 1 => (*random.pick(&UNARY), 1),
            2..9 => (*random.pick(&BINARY), 2),
            9 => ("sar", 2),
            10 | 11 => (*random.pick(&TERNARY), 3),
            12..14 => (*random.pick(&GENERIC_UNARY), 1),
            14..18 => (*random.pick(&GENERIC_BINARY), 2),
            _ => (*random.pick(&GENERIC_TERNARY), 3),
        };
        let args: Vec<usize> = (0..n_args).map(|_| random.below(widths.len())).collect();
        let arg_widths: Vec<usize> = args.iter().map(|index| widths[*index]).collect();
        let result = width(random, largest);
        let Some(results) = results_of(name, &arg_widths, result) else {
            let (args, arg_widths) = (vec![0, 1], widths[..2].to_vec());
            return Operation { name: "xor", args, arg_widths, results: vec![result], cases: Vec::new() };
        };
        let cases = if name == "choose" { cases(random, arg_widths[0]) } else { Vec::new() };
        Operation { name, args, arg_widths, results, cases }
    }

    /// The module as text.
    pub(super) fn text(&self) -> String {
        let mut text =
            "module @m {\nfunc @__entry() {\n^e:\n%heap = evm.heap_base 16384 : ptr<0>\n".to_owned();
        let mut line = |line: String| writeln!(text, "{line}").expect("a string takes everything");
        for (index, (bits, source)) in self.operands.iter().enumerate() {
            match source {
                Source::Constant(value) => line(format!("%v{index} = evm.constant 0x{value:x} : u{bits}")),
                Source::Calldata(offset) => {
                    line(format!("%o{index} = evm.constant {offset} : u256"));
                    line(format!("%v{index} = evm.calldataload %o{index} : u{bits}"));
                }
            }
        }
        let mut next = self.operands.len();
        for operation in &self.operations {
            line(operation.lines(next));
            next += operation.results.len();
        }
        let mut offset = 0;
        for (index, bits) in (self.operands.len()..).zip(self.results()) {
            line(format!("%at{index} = evm.constant {offset} : u256"));
            line(format!("evm.mstore %at{index}, %v{index}"));
            offset += n_bytes(bits);
        }
        line(format!("%start = evm.constant 0 : u256\n%size = evm.constant {offset} : u256"));
        line("evm.return %start, %size\n}".to_owned());
        let mut next = self.operands.len();
        for operation in &self.operations {
            line(operation.function(next));
            next += operation.results.len();
        }
        text + "}\n"
    }

    /// Widths of all results.
    fn results(&self) -> impl Iterator<Item = usize> {
        self.operations.iter().flat_map(|operation| operation.results.iter().copied())
    }

    /// Random operands. Loads of narrow values cut what stands above them.
    pub(super) fn calldata(&self, random: &mut Random) -> Vec<u8> {
        let mut data = Vec::new();
        for (bits, source) in &self.operands {
            if let Source::Calldata(_) = source {
                let dirt =
                    if random.once_in(2) { value(random, n_bytes(*bits) * 8) << *bits } else { Wide::ZERO };
                let full = n_bytes(*bits) * 8;
                let number = Number::new(full, (value(random, *bits) & mask(*bits)) | dirt);
                data.extend(to_words(&number));
            }
        }
        data
    }

    /// What the module returns; `None` if it reverts.
    pub(super) fn evaluate(&self, calldata: &[u8]) -> Option<Vec<u8>> {
        let operands = self.operands.iter().map(|(bits, source)| match source {
            Source::Constant(value) => Number::new(*bits, *value),
            Source::Calldata(offset) => from_words(&calldata[*offset..*offset + n_bytes(*bits)], *bits),
        });
        let mut values: Vec<Number> = operands.collect();
        for operation in &self.operations {
            let args: Vec<Number> = operation.args.iter().map(|index| values[*index]).collect();
            values.extend(operation.evaluate(&args, calldata)?);
        }
        Some(values[self.operands.len()..].iter().flat_map(to_words).collect())
    }
}

impl Operation {
    /// Its text; the first result is the value with this number.
    fn lines(&self, first: usize) -> String {
        let args: Vec<String> = self.args.iter().map(|arg| format!("%v{arg}")).collect();
        let args = args.join(", ");
        let values: Vec<String> =
            (first..first + self.results.len()).map(|index| format!("%v{index}")).collect();
        let values = values.join(", ");
        let types: Vec<String> = self.results.iter().map(|bits| spelled(self.name, *bits)).collect();
        let types = types.join(", ");
        let place = format!("%place{first} = evm.constant {} : u256\n", 4096 + 600 * first);
        match self.name {
            "pass" | "merge" | "choose" => format!("{values} = evm.icall @f{first}({args}) : {types}"),
            "memory" => format!(
                "{place}evm.mstore %place{first}, {args}\n{values} = evm.mload %place{first} : {types}"
            ),
            "storage" => format!(
                "{place}evm.sstore %place{first}, {args}\n{values} = evm.sload %place{first} : {types}"
            ),
            "hash" => format!(
                "{place}evm.mstore %place{first}, {args}\n%word{first} = evm.constant 32 : u256\n\
                 {values} = evm.keccak256 %place{first}, %word{first} : {types}"
            ),
            name => format!("{values} = evm.{name} {args} : {types}"),
        }
    }

    /// The function that it calls, if it does.
    fn function(&self, first: usize) -> String {
        let params: Vec<String> =
            self.arg_widths.iter().enumerate().map(|(index, bits)| format!("%p{index} : u{bits}")).collect();
        let params = params.join(", ");
        let result = self.results[0];
        match self.name {
            // Its parameter is as wide as the result, which is wider than the argument.
            "pass" => format!("func @f{first}(%p : u{result}) -> u{result} {{\n^e:\nevm.iret %p\n}}"),
            "merge" => format!(
                "func @f{first}({params}) -> u{result} {{\n^e:\nevm.condbr %p0, ^one, ^other\n^one:\nevm.br ^end(%p1)\n\
                 ^other:\nevm.br ^end(%p2)\n^end(%p : u{result}):\nevm.iret %p\n}}"
            ),
            "choose" => {
                let mut text =
                    format!("func @f{first}({params}) -> u{result} {{\n^e:\nevm.switch %p0, default ^c0\n");
                let cases = (1..)
                    .zip(&self.cases)
                    .map(|(n, case)| format!("case {} -> ^c{n}\n", self.spelled_case(*case)));
                text.extend(cases);
                for n in 0..=self.cases.len() {
                    text += &format!("^c{n}:\n%r{n} = evm.constant {n} : u{result}\nevm.iret %r{n}\n");
                }
                text + "}"
            }
            _ => String::new(),
        }
    }

    /// A case as a number, or as a negative one.
    fn spelled_case(&self, case: Wide) -> String {
        let largest = mask(self.arg_widths[0]);
        if largest - case < Wide::from(self.arg_widths[0].min(2)) {
            format!("-{}", largest - case + Wide::from(1))
        } else {
            format!("0x{case:x}")
        }
    }

    fn evaluate(&self, args: &[Number], calldata: &[u8]) -> Option<Vec<Number>> {
        let value = match self.name {
            "pass" | "memory" | "storage" => args[0].value,
            "merge" if args[0].value == Wide::ZERO => args[2].value,
            "merge" => args[1].value,
            "choose" => {
                let found = self.cases.iter().position(|case| *case == args[0].value);
                Wide::from(found.map_or(0, |index| index + 1))
            }
            "hash" => Wide::from_be_slice(cairn_evm::keccak256(&to_words(&args[0])[..32]).as_slice()),
            "calldatasize" => Wide::from(calldata.len()),
            name if self.args.is_empty() => Wide::from_be_slice(&surroundings(name).to_be_bytes::<32>()),
            name => return arithmetic::evaluate(name, args, &self.results),
        };
        Some(vec![Number::new(self.results[0], value)])
    }
}

/// Different numbers of the width, in a word.
fn cases(random: &mut Random, bits: usize) -> Vec<Wide> {
    let mut cases: Vec<Wide> = Vec::new();
    for _ in 0..random.between(1, 5) {
        let case = match random.below(3) {
            0 => mask(bits.min(256)),
            1 => Wide::from(random.below(3)) & mask(bits),
            _ => value(random, bits) & mask(bits.min(256)),
        };
        if !cases.contains(&case) {
            cases.push(case);
        }
    }
    cases
}

fn n_bytes(bits: usize) -> usize {
    bits.div_ceil(256) * 32
}

fn spelled(name: &str, bits: usize) -> String {
    let is_test = ["lt", "gt", "slt", "sgt", "eq", "iszero", "addo", "subo", "mulo"].contains(&name);
    if is_test && bits == 1 { "bool".to_owned() } else { format!("u{bits}") }
}

/// The widths of the results; `None` where the operation has no meaning at these widths.
fn results_of(name: &str, args: &[usize], result: usize) -> Option<Vec<usize>> {
    let widest = args.iter().copied().max().unwrap_or(0);
    let at = widest.max(result).max(256);
    let fits = widest <= result;
    let one = Some(vec![result]);
    match name {
        "hash" | "caller" | "address" | "calldatasize" | "timestamp" if result > 256 => None,
        "caller" | "address" => (result >= 160).then_some(vec![result]),
        "calldatasize" | "timestamp" => one,
        "pass" => fits.then_some(vec![result]),
        "merge" => (args[0] <= 256 && args[1].max(args[2]) <= result).then_some(vec![result]),
        "choose" => (result >= 3 && args[0] <= 256).then_some(vec![result]),
        "memory" | "storage" => Some(vec![args[0]]),
        "lt" | "gt" | "slt" | "sgt" | "eq" | "iszero" => Some(vec![1]),
        "byte" | "signextend" if at % 8 != 0 => None,
        "exp" if at > MAX_POWER_BITS => None,
        "addmod" | "mulmod" if at > MAX_PRODUCT_BITS => None,
        "trunc" => (args[0] > result).then_some(vec![result]),
        "zext" | "sext" => (args[0] < result).then_some(vec![result]),
        "select" => (args[1].max(args[2]) <= result).then_some(vec![result]),
        "bswap" if !args[0].is_multiple_of(8) => None,
        "abs" | "bswap" => Some(vec![args[0]]),
        "rotl" | "rotr" => Some(vec![args[1]]),
        // The result holds the width.
        "ctpop" | "ctlz" | "cttz" => (mask(result) >= Wide::from(args[0])).then_some(vec![result]),
        "min" | "max" | "smin" | "smax" | "uadd_sat" | "usub_sat" | "umul_sat" | "mulhi" if !fits => None,
        "addo" | "subo" | "mulo" => fits.then_some(vec![result, 1]),
        "muldiv" => (fits && result <= MAX_PRODUCT_BITS).then_some(vec![result]),
        _ => one,
    }
}

fn width(random: &mut Random, largest: usize) -> usize {
    match random.below(8) {
        0..3 => *random.pick(&NARROW),
        3 | 4 => 256,
        // Most modules keep to words and few of them, which is quicker.
        _ if largest < 8 => *random.pick(&NARROW),
        _ if largest < 19 => *random.pick(&WIDE),
        _ => *random.pick(&HUGE),
    }
}

/// A number around an edge; it may have more bits than asked for.
fn value(random: &mut Random, bits: usize) -> Wide {
    let one = Wide::from(1);
    let edge =
        *random.pick(&[1, 7, 8, 31, 32, 63, 64, 127, 128, 160, 255, 256, 257, 512, bits - 1, bits - 1, bits]);
    match random.below(10) {
        0 => Wide::from(random.below(3)),
        1 => mask(bits) - (Wide::from(random.below(3)) & mask(bits)),
        2 => one << edge,
        3 => mask(edge.max(1)),
        4 => (one << edge) + one,
        5 => mask(bits) << (edge % bits),
        6 => Wide::from(random.below(600)),
        7 => Wide::from(random.next() >> random.below(64)),
        _ => (0..bits.div_ceil(64)).fold(Wide::ZERO, |number, _| (number << 64) | Wide::from(random.next())),
    }
}
