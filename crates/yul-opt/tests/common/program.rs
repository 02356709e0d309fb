//! Random programs that mostly come to an end.

use std::fmt::Write;

/// A generator of numbers.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..4 {
            random.next();
        }
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    /// True once in `n` times.
    pub(crate) fn chance(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }
}

#[derive(Clone)]
struct Function {
    name: String,
    n_parameters: u64,
    n_returns: u64,
}

struct Writer<'r> {
    random: &'r mut Random,
    out: String,
    functions: Vec<Function>,
    variables: Vec<String>,
    n_names: u64,
    loop_depth: u64,
    in_function: bool,
    can_jump: bool,
}

/// A program of a few functions and a body.
pub(crate) fn random_program(random: &mut Random) -> String {
    let n_functions = random.below(5);
    let functions = (0..n_functions)
        .map(|index| Function {
            name: format!("f{index}"),
            n_parameters: random.below(4),
            n_returns: random.below(3),
        })
        .collect();
    let mut writer = Writer {
        random,
        out: "{\n".into(),
        functions,
        variables: Vec::new(),
        n_names: 0,
        loop_depth: 0,
        in_function: false,
        can_jump: false,
    };
    writer.statements(12);
    for index in 0..n_functions as usize {
        writer.function(index);
    }
    writer.out.push('}');
    writer.out
}

impl Writer<'_> {
    fn new_name(&mut self) -> String {
        self.n_names += 1;
        let stem = ["x", "y", "a_1", "value"][self.random.below(4) as usize];
        format!("{stem}{}", self.n_names)
    }

    fn function(&mut self, index: usize) {
        let function = self.functions[index].clone();
        let outer = std::mem::take(&mut self.variables);
        let all = self.functions.clone();
        // Only later functions are called, and seldom the same, so that programs end.
        if !self.random.chance(12) {
            self.functions.drain(..=index);
        }
        let parameters: Vec<String> = (0..function.n_parameters).map(|_| self.new_name()).collect();
        let returns: Vec<String> = (0..function.n_returns).map(|_| self.new_name()).collect();
        write!(self.out, "function {}({})", function.name, parameters.join(", ")).expect("a string");
        if !returns.is_empty() {
            write!(self.out, " -> {}", returns.join(", ")).expect("a string");
        }
        self.variables.extend(parameters);
        self.variables.extend(returns);
        self.out.push_str(" {\n");
        self.in_function = true;
        self.statements(8);
        self.in_function = false;
        self.out.push_str("}\n");
        self.functions = all;
        self.variables = outer;
    }

    fn block(&mut self, n: u64) {
        let mark = self.variables.len();
        self.out.push_str("{\n");
        self.statements(n);
        self.out.push_str("}\n");
        self.variables.truncate(mark);
    }

    fn statements(&mut self, n: u64) {
        for _ in 0..1 + self.random.below(n) {
            self.statement(n);
        }
    }

    fn statement(&mut self, n: u64) {
        match self.random.below(26) {
            0..=5 => self.declaration(),
            6..=9 => self.assignment(),
            10 | 11 => {
                let (key, value) = (self.address(), self.expression(2));
                let store = ["sstore", "sstore", "tstore"][self.random.below(3) as usize];
                writeln!(self.out, "{store}({key}, {value})").expect("a string");
            }
            12 | 13 => {
                let (key, value) = (self.address(), self.expression(2));
                let store = ["mstore", "mstore", "mstore8"][self.random.below(3) as usize];
                writeln!(self.out, "{store}({key}, {value})").expect("a string");
            }
            14 | 15 if n > 1 => {
                let condition = self.expression(2);
                write!(self.out, "if {condition} ").expect("a string");
                self.block(n / 2);
            }
            16 if n > 1 => self.switch(n),
            17 | 18 if n > 1 && self.loop_depth < 2 => self.for_loop(n),
            19 => {
                let (start, value) = (self.address(), self.expression(1));
                writeln!(self.out, "log1({start}, 32, {value})").expect("a string");
            }
            20 => self.call_statement(),
            21 if self.random.chance(3) => self.end(),
            22 if n > 1 => self.block(n / 2),
            23 if self.can_jump => {
                let jump = ["break", "continue"][self.random.below(2) as usize];
                let condition = self.expression(1);
                writeln!(self.out, "if {condition} {{ {jump} }}").expect("a string");
            }
            24 if self.in_function => {
                let condition = self.expression(1);
                writeln!(self.out, "if {condition} {{ leave }}").expect("a string");
            }
            _ => {
                let value = self.expression(2);
                writeln!(self.out, "pop({value})").expect("a string");
            }
        }
    }

    fn declaration(&mut self) {
        let several: Vec<Function> =
            self.functions.iter().filter(|function| function.n_returns == 2).cloned().collect();
        if !several.is_empty() && self.random.chance(5) {
            let function = several[self.random.below(several.len() as u64) as usize].clone();
            let call = self.call(&function, 1);
            let (a, b) = (self.new_name(), self.new_name());
            writeln!(self.out, "let {a}, {b} := {call}").expect("a string");
            self.variables.extend([a, b]);
            return;
        }
        let value = self.expression(3);
        let name = self.new_name();
        if self.random.chance(10) {
            writeln!(self.out, "let {name}").expect("a string");
        } else {
            writeln!(self.out, "let {name} := {value}").expect("a string");
        }
        self.variables.push(name);
    }

    fn assignment(&mut self) {
        let Some(name) = self.variable() else {
            return self.declaration();
        };
        let value = self.expression(3);
        writeln!(self.out, "{name} := {value}").expect("a string");
    }

    fn switch(&mut self, n: u64) {
        let value = self.expression(2);
        write!(self.out, "switch {value} ").expect("a string");
        let n_cases = self.random.below(3);
        for case in 0..n_cases {
            write!(self.out, "case {case} ").expect("a string");
            self.block(n / 2);
        }
        if n_cases == 0 || self.random.chance(2) {
            self.out.push_str("default ");
            self.block(n / 2);
        }
    }

    fn for_loop(&mut self, n: u64) {
        let counter = self.new_name();
        let limit = self.random.below(4);
        writeln!(
            self.out,
            "for {{ let {counter} := 0 }} lt({counter}, {limit}) {{ {counter} := add({counter}, 1) }} {{"
        )
        .expect("a string");
        let mark = self.variables.len();
        let outer = std::mem::replace(&mut self.can_jump, true);
        self.loop_depth += 1;
        self.statements(n / 2);
        self.loop_depth -= 1;
        self.can_jump = outer;
        self.variables.truncate(mark);
        self.out.push_str("}\n");
    }

    fn end(&mut self) {
        let text = match self.random.below(4) {
            0 => "stop()".into(),
            1 => format!("return({}, 64)", self.address()),
            2 => format!("revert({}, 32)", self.address()),
            _ => "invalid()".into(),
        };
        let condition = self.expression(1);
        writeln!(self.out, "if {condition} {{ {text} }}").expect("a string");
    }

    fn call_statement(&mut self) {
        if self.random.chance(4) {
            let start = self.address();
            writeln!(self.out, "pop(call(gas(), 1, 0, {start}, 32, 0, 32))").expect("a string");
            return;
        }
        let functions: Vec<Function> =
            self.functions.iter().filter(|function| function.n_returns == 0).cloned().collect();
        if functions.is_empty() {
            return self.declaration();
        }
        let function = functions[self.random.below(functions.len() as u64) as usize].clone();
        let call = self.call(&function, 2);
        writeln!(self.out, "{call}").expect("a string");
    }

    fn call(&mut self, function: &Function, depth: u64) -> String {
        let args: Vec<String> = (0..function.n_parameters).map(|_| self.expression(depth)).collect();
        format!("{}({})", function.name, args.join(", "))
    }

    fn variable(&mut self) -> Option<String> {
        let n = self.variables.len() as u64;
        (n > 0).then(|| self.variables[self.random.below(n) as usize].clone())
    }

    fn address(&mut self) -> String {
        match self.random.below(8) {
            0 => "and(calldataload(0), 0x60)".into(),
            1 => match self.variable() {
                Some(name) => format!("and({name}, 0xff)"),
                None => "7".into(),
            },
            2 => "4".into(),
            _ => format!("{}", 32 * self.random.below(4)),
        }
    }

    fn literal(&mut self) -> String {
        match self.random.below(12) {
            0..=4 => self.random.below(4).to_string(),
            5 => "0xff".into(),
            6 => "0xffffffffffffffffffffffffffffffffffffffff".into(),
            7 => "115792089237316195423570985008687907853269984665640564039457584007913129639935".into(),
            8 => "0x8000000000000000000000000000000000000000000000000000000000000000".into(),
            9 => format!("{}", 1u64 << self.random.below(40)),
            10 => "\"abc\"".into(),
            _ => self.random.below(100_000).to_string(),
        }
    }

    fn expression(&mut self, depth: u64) -> String {
        if depth == 0 || self.random.chance(4) {
            return match (self.random.below(3), self.variable()) {
                (0, _) | (_, None) => self.literal(),
                (_, Some(name)) => name,
            };
        }
        const BINARY: [&str; 22] = [
            "add",
            "add",
            "sub",
            "sub",
            "mul",
            "div",
            "sdiv",
            "mod",
            "smod",
            "and",
            "or",
            "xor",
            "lt",
            "gt",
            "slt",
            "sgt",
            "eq",
            "shl",
            "shr",
            "sar",
            "byte",
            "signextend",
        ];
        match self.random.below(16) {
            0..=7 => {
                let opcode = BINARY[self.random.below(BINARY.len() as u64) as usize];
                let (left, right) = (self.expression(depth - 1), self.expression(depth - 1));
                format!("{opcode}({left}, {right})")
            }
            8 => format!("iszero({})", self.expression(depth - 1)),
            9 => format!("not({})", self.expression(depth - 1)),
            10 => format!("mload({})", self.address()),
            11 => format!("sload({})", self.address()),
            12 => format!("calldataload({})", self.address()),
            13 => format!("keccak256({}, {})", self.address(), [0, 8, 32, 64][self.random.below(4) as usize]),
            14 => ["caller()", "callvalue()", "address()", "tload(0)", "calldatasize()", "returndatasize()"]
                [self.random.below(6) as usize]
                .into(),
            _ => {
                let functions: Vec<Function> =
                    self.functions.iter().filter(|function| function.n_returns == 1).cloned().collect();
                if functions.is_empty() {
                    return self.expression(depth - 1);
                }
                let function = functions[self.random.below(functions.len() as u64) as usize].clone();
                self.call(&function, depth - 1)
            }
        }
    }
}
