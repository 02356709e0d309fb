//! Random Yul programs that are well typed, end soon, and whose behaviour the language defines.
//!
//! * Loops count to at most 3. Functions call only functions generated before them, or themselves
//!   with a decreasing depth; a bound on executed statements is kept while generating.
//! * With `memoryguard`, memory below the guard and above the returned pointer is used, nothing
//!   in between, and neither the pointer nor `msize` becomes data. Without, all memory is used.
//! * Nothing depends on gas or on code offsets.
//! * All variables in scope flow into storage, logs or return data now and then, so that a wrong
//!   value is seen.
//! * Most programs are small, some are large: many small ones reach more combinations in the same
//!   time, and only large ones run out of stack.

use crate::random::Random;
use std::fmt::Write;

/// Statements a program may execute, roughly.
const BUDGET: usize = 3_000;
/// Variables in scope at once, with and without room for frames.
const MAX_VARIABLES: [usize; 2] = [7, 40];

/// How large a program becomes: the most there is of each thing.
#[derive(Clone, Copy)]
struct Size {
    funcs: usize,
    /// Statements of the entry code.
    entry: usize,
    /// Statements of a function.
    body: usize,
    /// Statements of an inner block.
    nested: usize,
    /// Blocks inside each other.
    depth: usize,
    /// One function in so many takes and returns many values.
    wide: usize,
}

const SMALL: Size = Size { funcs: 2, entry: 4, body: 3, nested: 2, depth: 2, wide: 24 };
const MEDIUM: Size = Size { funcs: 3, entry: 8, body: 5, nested: 3, depth: 3, wide: 8 };
const LARGE: Size = Size { funcs: 6, entry: 14, body: 8, nested: 4, depth: 4, wide: 4 };

impl Size {
    fn choose(random: &mut Random) -> Size {
        match random.below(32) {
            0 => LARGE,
            1..6 => MEDIUM,
            _ => SMALL,
        }
    }
}

const BINARY: [&str; 21] = [
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
    "sar",
];
const UNARY: [&str; 4] = ["iszero", "not", "clz", "calldataload"];
const NULLARY: [&str; 9] = [
    "caller()",
    "callvalue()",
    "calldatasize()",
    "timestamp()",
    "number()",
    "address()",
    "chainid()",
    "origin()",
    "selfbalance()",
];

/// A program as source text.
pub(crate) fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let has_guard = !random.once_in(3);
    let size = Size::choose(&mut random);
    let constructor = code(&mut random, has_guard, Role::Constructor, size);
    let runtime = code(&mut random, has_guard, Role::Runtime, size);
    object(&constructor, &runtime)
}

/// A program whose constructor only deploys, and which neither calls nor looks at code: what the
/// Yul interpreter executes exactly.
pub(crate) fn interpretable_program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let has_guard = !random.once_in(3);
    let constructor = "        let size := datasize(\"a_deployed\")\n        datacopy(0, dataoffset(\"a_deployed\"), size)\n        return(0, size)\n";
    let size = Size::choose(&mut random);
    let runtime = code(&mut random, has_guard, Role::Interpreted, size);
    object(constructor, &runtime)
}

fn object(constructor: &str, runtime: &str) -> String {
    format!(
        "object \"a\" {{\n    code {{\n{constructor}    }}\n    object \"a_deployed\" {{\n        code {{\n{runtime}\
         \x20       }}\n        data \"text\" \"some bytes that lie in the code, more than a word of them\"\n    }}\n}}\n"
    )
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Constructor,
    Runtime,
    /// The runtime of an [`interpretable_program`].
    Interpreted,
}

fn code(random: &mut Random, has_guard: bool, role: Role, size: Size) -> String {
    let is_constructor = role == Role::Constructor;
    let size = if is_constructor { Size { entry: size.entry.div_ceil(2), ..size } } else { size };
    let n_funcs =
        if is_constructor { random.below(1 + size.funcs / 4) } else { random.between(0, size.funcs) };
    let mut generator = Generator {
        random,
        has_guard,
        role,
        size,
        funcs: Vec::new(),
        scope: Scope::default(),
        out: String::new(),
    };
    for index in 0..n_funcs {
        generator.function(index);
    }
    let funcs = std::mem::take(&mut generator.out);
    generator.entry();
    format!("{}{funcs}", generator.out)
}

/// A function that can be called.
#[derive(Clone)]
struct Func {
    name: String,
    params: usize,
    returns: usize,
    /// Statements executed by one call.
    cost: usize,
    /// The first parameter bounds the recursion.
    is_recursive: bool,
}

#[derive(Default)]
struct Scope {
    /// Variables that may be read.
    readable: Vec<String>,
    /// Variables that may be assigned: not loop counters and depths.
    writable: Vec<String>,
    /// Executions of the current place for one execution of the function.
    times: usize,
    /// Statements executed so far by one call.
    cost: usize,
    depth: usize,
    in_loop: bool,
    is_function: bool,
    next_name: usize,
    prefix: String,
}

struct Generator<'a> {
    random: &'a mut Random,
    has_guard: bool,
    role: Role,
    size: Size,
    funcs: Vec<Func>,
    scope: Scope,
    out: String,
}

impl Generator<'_> {
    fn line(&mut self, text: &str) {
        let indent = 8 + 4 * self.scope.depth + if self.role == Role::Constructor { 0 } else { 4 };
        writeln!(self.out, "{:indent$}{text}", "").expect("a string takes everything");
    }

    fn entry(&mut self) {
        self.scope = Scope { times: 1, prefix: "v".into(), ..Scope::default() };
        if self.has_guard {
            self.line("mstore(0x40, memoryguard(0x80))");
        }
        self.some_variables();
        let n = self.random.between(1, self.size.entry);
        self.statements(n);
        self.observe_all();
        match self.role {
            Role::Constructor => self.deploy(),
            Role::Runtime | Role::Interpreted => self.finish(),
        }
    }

    fn deploy(&mut self) {
        let at = if self.has_guard { "mload(0x40)" } else { "0x400" };
        let value = self.expression(2);
        self.line(&format!("let value := {value}"));
        self.line("let size := datasize(\"a_deployed\")");
        self.line(&format!("datacopy({at}, dataoffset(\"a_deployed\"), size)"));
        self.line(&format!("setimmutable({at}, \"imm\", value)"));
        self.line(&format!("return({at}, size)"));
    }

    fn finish(&mut self) {
        match self.random.below(6) {
            0 => self.line("stop()"),
            1 => {}
            2 => self.line("revert(0x00, 0x20)"),
            _ => {
                let at = self.address();
                self.line(&format!("return({at}, 0x20)"));
            }
        }
    }

    /// A function, or two that call each other.
    fn function(&mut self, index: usize) {
        let is_recursive = self.random.once_in(4);
        let first = self.signature(format!("f{index}"), is_recursive);
        if !is_recursive || self.random.once_in(2) {
            let cost = self.function_body(&first, &first);
            self.funcs.push(Func { cost, ..first });
            return;
        }
        let second = self.signature(format!("g{index}"), true);
        let cost = self.function_body(&first, &second) + self.function_body(&second, &first);
        self.funcs.push(Func { cost, ..first });
        self.funcs.push(Func { cost, ..second });
    }

    fn signature(&mut self, name: String, is_recursive: bool) -> Func {
        let many = self.has_guard && self.random.once_in(self.size.wide);
        let limit = if many { 20 } else { 4 };
        let params = self.random.between(usize::from(is_recursive), limit);
        let returns = self.random.between(0, limit.min(14));
        Func { name, params, returns, cost: 0, is_recursive }
    }

    /// Writes a function; a recursive one calls `next`. Returns what a call costs.
    fn function_body(&mut self, func: &Func, next: &Func) -> usize {
        let name = &func.name;
        self.scope = Scope { times: 1, prefix: format!("{name}_v"), ..Scope::default() };
        let params: Vec<String> = (0..func.params).map(|n| format!("{name}_p{n}")).collect();
        let returns: Vec<String> = (0..func.returns).map(|n| format!("{name}_r{n}")).collect();
        self.scope.readable.extend(params.iter().chain(&returns).cloned());
        self.scope
            .writable
            .extend(params.iter().skip(usize::from(func.is_recursive)).chain(&returns).cloned());
        self.scope.is_function = true;
        let arrow = if returns.is_empty() { String::new() } else { format!(" -> {}", returns.join(", ")) };
        self.line(&format!("function {name}({}){arrow} {{", params.join(", ")));
        self.scope.depth += 1;
        if func.is_recursive {
            self.line(&format!("if iszero({name}_p0) {{ leave }}"));
        }
        let n = self.random.between(1, self.size.body);
        self.statements(n);
        if func.is_recursive {
            self.recursive_call(func, next);
            let n = self.random.between(0, self.size.nested);
            self.statements(n);
        }
        self.scope.depth -= 1;
        self.line("}");
        (self.scope.cost + 2) * if func.is_recursive { 4 } else { 1 }
    }

    fn recursive_call(&mut self, func: &Func, next: &Func) {
        let mut args = vec![format!("sub({}_p0, 1)", func.name)];
        args.extend((1..next.params).map(|_| self.expression(1)));
        let call = format!("{}({})", next.name, args.join(", "));
        self.use_call(&call, next.returns);
    }

    /// A statement that takes `returns` values of a call.
    fn use_call(&mut self, call: &str, returns: usize) {
        if returns == 0 {
            return self.line(call);
        }
        let distinct = self.distinct_writable(returns);
        match distinct {
            Some(targets) if self.random.once_in(2) => {
                self.line(&format!("{} := {call}", targets.join(", ")))
            }
            _ => {
                let names: Vec<String> = (0..returns).map(|_| self.fresh()).collect();
                self.line(&format!("let {} := {call}", names.join(", ")));
                self.declare(names);
            }
        }
    }

    fn distinct_writable(&mut self, n: usize) -> Option<Vec<String>> {
        let mut pool = self.scope.writable.clone();
        (pool.len() >= n).then(|| (0..n).map(|_| pool.swap_remove(self.random.below(pool.len()))).collect())
    }

    fn fresh(&mut self) -> String {
        self.scope.next_name += 1;
        format!("{}{}", self.scope.prefix, self.scope.next_name)
    }

    fn declare(&mut self, names: Vec<String>) {
        self.scope.readable.extend(names.iter().cloned());
        self.scope.writable.extend(names);
    }

    fn some_variables(&mut self) {
        let limit = MAX_VARIABLES[usize::from(self.has_guard)];
        let n = if self.random.once_in(self.size.wide) {
            self.random.between(0, limit / 2)
        } else {
            self.random.between(0, 4)
        };
        for _ in 0..n {
            self.declaration();
        }
    }

    fn statements(&mut self, n: usize) {
        for _ in 0..n {
            self.scope.cost += self.scope.times;
            if self.scope.cost > BUDGET {
                return;
            }
            self.statement();
        }
    }

    fn statement(&mut self) {
        let is_deep = self.scope.depth >= self.size.depth;
        match self.random.below(24) {
            0..4 => self.declaration(),
            4..9 => self.assignment(),
            9..12 if !is_deep => self.branch(),
            12..14 if !is_deep => self.switch(),
            14..16 if !is_deep => self.for_loop(),
            16..19 => self.call(),
            19 if !is_deep => {
                self.line("{");
                self.nested(1, false);
                self.line("}");
            }
            20 => self.jump(),
            _ => self.effect(),
        }
    }

    fn declaration(&mut self) {
        if self.scope.readable.len() >= MAX_VARIABLES[usize::from(self.has_guard)] {
            return self.assignment();
        }
        let value = self.expression(3);
        let name = self.fresh();
        let text =
            if self.random.once_in(10) { format!("let {name}") } else { format!("let {name} := {value}") };
        self.line(&text);
        self.declare(vec![name]);
    }

    fn assignment(&mut self) {
        if self.scope.writable.is_empty() {
            return self.effect();
        }
        let value = self.expression(3);
        let target = self.random.pick(&self.scope.writable).clone();
        self.line(&format!("{target} := {value}"));
    }

    /// Statements of an inner block, executed `times` as often; what they declare goes out of scope.
    fn nested(&mut self, times: usize, in_loop: bool) {
        let lengths = (self.scope.readable.len(), self.scope.writable.len());
        let outer = (self.scope.times, self.scope.in_loop);
        self.scope.times *= times;
        self.scope.in_loop |= in_loop;
        self.scope.depth += 1;
        let n = self.random.between(0, self.size.nested);
        self.statements(n);
        self.scope.depth -= 1;
        (self.scope.times, self.scope.in_loop) = outer;
        self.scope.readable.truncate(lengths.0);
        self.scope.writable.truncate(lengths.1);
    }

    fn branch(&mut self) {
        let condition = self.expression(2);
        self.line(&format!("if {condition} {{"));
        self.nested(1, false);
        self.line("}");
    }

    fn switch(&mut self) {
        let n_cases = self.random.between(0, 5);
        let value = self.expression(2);
        let value = if self.random.once_in(4) { value } else { format!("and({value}, 7)") };
        self.line(&format!("switch {value}"));
        let first = self.random.below(4);
        for case in 0..n_cases {
            self.line(&format!("case {} {{", first + case));
            self.nested(1, false);
            self.line("}");
        }
        if n_cases == 0 || self.random.once_in(2) {
            self.line("default {");
            self.nested(1, false);
            self.line("}");
        }
    }

    fn for_loop(&mut self) {
        let bound = self.random.between(1, 3);
        let counter = self.fresh();
        let lengths = (self.scope.readable.len(), self.scope.writable.len());
        self.scope.readable.push(counter.clone());
        let start = if self.random.once_in(4) { "and(calldataload(0), 1)" } else { "0" };
        let step = format!("{counter} := add({counter}, 1)");
        if self.random.once_in(3) {
            // The test stands in the body.
            self.line(&format!("for {{ let {counter} := {start} }} 1 {{ {step} }} {{"));
            self.scope.depth += 1;
            self.line(&format!("if iszero(lt({counter}, {bound})) {{ break }}"));
            self.scope.depth -= 1;
        } else {
            let condition = self.random.once_in(3).then(|| self.expression(1));
            let test = format!("lt({counter}, {bound})");
            let test = condition.map_or(test.clone(), |also| format!("and({test}, iszero(iszero({also})))"));
            self.line(&format!("for {{ let {counter} := {start} }} {test} {{ {step} }} {{"));
        }
        self.nested(bound, true);
        self.line("}");
        self.scope.readable.truncate(lengths.0);
        self.scope.writable.truncate(lengths.1);
    }

    fn jump(&mut self) {
        let mut kinds = Vec::new();
        if self.scope.in_loop {
            kinds.extend(["break", "continue"]);
        }
        if self.scope.is_function {
            kinds.push("leave");
        }
        if self.random.once_in(3) {
            kinds.extend(["revert(0x00, 0x40)", "stop()", "return(0x00, 0x20)", "invalid()"]);
        }
        if kinds.is_empty() {
            return self.effect();
        }
        let kind = *self.random.pick(&kinds);
        let is_end = kind.ends_with(')');
        let condition = self.expression(2);
        let condition = if is_end { format!("eq(and({condition}, 15), 7)") } else { condition };
        let is_plain = !is_end && self.random.once_in(8);
        self.line(&if is_plain { kind.to_owned() } else { format!("if {condition} {{ {kind} }}") });
    }

    fn call(&mut self) {
        let spare = BUDGET.saturating_sub(self.scope.cost) / self.scope.times.max(1);
        let affordable: Vec<Func> = self.funcs.iter().filter(|func| func.cost < spare).cloned().collect();
        if affordable.is_empty() {
            return self.effect();
        }
        let func = self.random.pick(&affordable).clone();
        self.scope.cost += func.cost * self.scope.times;
        let args: Vec<String> = (0..func.params)
            .map(|n| {
                let value = self.expression(2);
                if n == 0 && func.is_recursive { format!("and({value}, 3)") } else { value }
            })
            .collect();
        self.use_call(&format!("{}({})", func.name, args.join(", ")), func.returns);
    }

    fn effect(&mut self) {
        let value = self.expression(2);
        let text = match self.random.below(12) {
            0..3 => format!("sstore({}, {value})", self.key()),
            3 => format!("tstore({}, {value})", self.key()),
            4..7 => format!("mstore({}, {value})", self.address()),
            7 => format!("mstore8({}, {value})", self.address()),
            8 => {
                let n = self.random.below(5);
                let topics: String = (0..n).map(|_| format!(", {}", self.expression(1))).collect();
                format!("log{n}({}, 0x20{topics})", self.address())
            }
            9 => match self.random.below(3) {
                0 => format!("calldatacopy({}, and({value}, 63), 0x20)", self.address()),
                1 => format!("mcopy({}, {}, 0x20)", self.address(), self.address()),
                _ if self.role == Role::Runtime => {
                    format!("datacopy({}, dataoffset(\"text\"), 0x20)", self.address())
                }
                _ => format!("calldatacopy({}, 0, 0x20)", self.address()),
            },
            10 if self.role != Role::Interpreted => {
                // The identity precompile.
                let (from, to) = (self.address(), self.address());
                format!("pop(staticcall(gas(), 4, {from}, 0x20, {to}, 0x20))")
            }
            _ => format!("pop({value})"),
        };
        self.line(&text);
    }

    fn key(&mut self) -> String {
        if self.random.once_in(2) {
            return self.random.below(4).to_string();
        }
        format!("and({}, 3)", self.expression(1))
    }

    /// The address of 32 bytes that the program may use.
    fn address(&mut self) -> String {
        if !self.has_guard {
            return match self.random.below(3) {
                0 => format!("0x{:02x}", 0x20 * self.random.below(8)),
                _ => format!("and({}, 0x1ff)", self.expression(1)),
            };
        }
        match self.random.below(4) {
            0 => (*self.random.pick(&["0x00", "0x20", "0x60"])).to_owned(),
            1 => format!("mul(and({}, 1), 0x20)", self.expression(1)),
            2 => format!("add(mload(0x40), 0x{:02x})", 0x20 * self.random.below(6)),
            _ => format!("add(mload(0x40), and({}, 0xff))", self.expression(1)),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.once_in(3) {
            return self.leaf();
        }
        let depth = depth - 1;
        match self.random.below(14) {
            0..7 => {
                let op = *self.random.pick(&BINARY);
                format!("{op}({}, {})", self.expression(depth), self.expression(depth))
            }
            7..9 => {
                let op = *self.random.pick(&UNARY);
                format!("{op}({})", self.expression(depth))
            }
            9 => {
                let op = *self.random.pick(&["addmod", "mulmod"]);
                let [a, b, c] = [0; 3].map(|_| self.expression(depth));
                format!("{op}({a}, {b}, {c})")
            }
            10 => format!("mload({})", self.address()),
            11 => format!("keccak256({}, 0x20)", self.address()),
            12 => {
                let op = *self.random.pick(&["sload", "tload"]);
                format!("{op}({})", self.key())
            }
            _ => self.call_expression(depth),
        }
    }

    /// A call with one result as an operand.
    fn call_expression(&mut self, depth: usize) -> String {
        let spare = BUDGET.saturating_sub(self.scope.cost) / self.scope.times.max(1);
        let usable = |func: &&Func| func.returns == 1 && func.params <= 4 && func.cost < spare;
        let usable: Vec<Func> = self.funcs.iter().filter(usable).cloned().collect();
        if usable.is_empty() {
            return self.leaf();
        }
        let func = self.random.pick(&usable).clone();
        self.scope.cost += func.cost * self.scope.times;
        let args: Vec<String> = (0..func.params)
            .map(|n| {
                let value = self.expression(depth.min(1));
                if n == 0 && func.is_recursive { format!("and({value}, 3)") } else { value }
            })
            .collect();
        format!("{}({})", func.name, args.join(", "))
    }

    fn leaf(&mut self) -> String {
        if !self.scope.readable.is_empty() && !self.random.once_in(4) {
            return self.random.pick(&self.scope.readable).clone();
        }
        match self.random.below(8) {
            0..3 => self.random.below(10).to_string(),
            3 => format!("0x{:x}", self.random.next() >> self.random.below(64)),
            4 => (*self.random.pick(&[
                "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
                "0x8000000000000000000000000000000000000000000000000000000000000000",
                "0xffffffffffffffffffffffffffffffffffffffff",
                "\"text\"",
                "0xff",
                "256",
            ]))
            .to_owned(),
            5 => format!("calldataload({})", 32 * self.random.below(4)),
            6 if self.role == Role::Runtime => "loadimmutable(\"imm\")".into(),
            _ => (*self.random.pick(&NULLARY)).to_owned(),
        }
    }

    /// Stores a mix of every variable in scope.
    fn observe_all(&mut self) {
        let names = self.scope.readable.clone();
        for (index, chunk) in names.chunks(5).enumerate() {
            let mix = chunk.iter().fold("1".to_owned(), |mix, name| format!("add(mul({mix}, 31), {name})"));
            self.line(&format!("sstore({}, {mix})", 100 + index));
        }
    }
}
