//! Ways through a program: loops, switches, blocks, functions, and what ends them.

use super::{BUDGET, Function, Generator};
use crate::ways::{branch, choice};

/// Blocks inside each other.
const DEEP: usize = 30;
/// Results of a function at most.
const MAX_RESULTS: usize = 5;

const CALLED: [&str; 6] = [
    "#v := maybe_ends(#x)",
    "#v := down(and(#x, 7), #x)",
    "{ mstore(0x60, #x) #v := down(and(#x, 3), #x) mstore(0x60, #x) }",
    "{ let #n, #n_b, #n_c := split(#x) #v := add(#n, xor(#n_b, #n_c)) }",
    "if #r { #v := never(and(#x, 3)) }",
    "switch and(#x, 15) case 9 { pop(never(#x)) } default { #v := shl(1, #v) }",
];

const ENDS: [&str; 7] = [
    "if #r { stop() }",
    "if #r { return(#1, 0x20) }",
    "if #r { revert(#1, 0x20) }",
    "if #r { mstore(0, #x) revert(0, 0x24) }",
    "if #r { invalid() }",
    "if #r { selfdestruct(#[0xe1|caller()|#v]) }",
    "switch and(#x, 31) case 3 { revert(0, 0) } case 5 { revert(0, 0) } case 7 { panic(0x11) }",
];

impl Generator<'_> {
    pub(super) fn flow(&mut self) -> String {
        let is_deep = self.depth >= 4;
        match self.random.below(14) {
            0 | 1 if !is_deep => {
                let test = self.test();
                branch(&test, &self.nested(1))
            }
            2 if !is_deep => {
                let value = self.value();
                choice(&value, &self.nested(1), &self.nested(1))
            }
            3 if !is_deep => self.cases(),
            4..7 if !is_deep && self.is_affordable(12) => self.rounds(),
            7 if self.depth <= 1 => self.deep(),
            8 if self.depth <= 2 && self.is_affordable(30) => self.inner_function(),
            9 => self.one_of(&CALLED),
            10 => self.one_of(&ENDS),
            11 if self.is_in_loop || self.is_function => self.jump(),
            _ if self.functions.is_empty() => self.one_of(&CALLED),
            _ => self.call(),
        }
    }

    /// A switch, with cases that are there for a part of the values only.
    fn cases(&mut self) -> String {
        let mut text = format!("switch and({}, 7)\n", self.value());
        for case in 0..self.random.between(1, 4) {
            let body = if self.random.once_in(4) { self.jump() } else { self.nested(1) };
            text += &format!("case {} {{\n{body}}}\n", 2 * case + self.random.below(2));
        }
        if self.random.once_in(2) {
            text += &format!("default {{\n{}}}", self.nested(1));
        }
        text
    }

    /// A loop of at most three rounds, whose ends have effects of their own.
    fn rounds(&mut self) -> String {
        let counter = self.fresh();
        let bound = self.random.between(1, 3);
        let bound_text = self.one_of(&["#[B|B|and(#c, 3)|mod(#c, 3)]", "B"]).replace('B', &bound.to_string());
        let (n_fixed, is_in_loop) = (self.fixed.len(), self.is_in_loop);
        self.fixed.push(counter.clone());
        self.is_in_loop = false;
        let head = if self.is_function && self.random.once_in(3) {
            // No functions may stand there.
            let (test, first) = (self.test(), self.state());
            format!("if {test} {{ {first} leave }}")
        } else {
            String::new()
        };
        let mut end = if self.random.once_in(2) { self.nested(3) } else { String::new() };
        if self.is_function && self.random.once_in(4) {
            end += &format!("if {} {{ leave }}\n", self.test());
        }
        self.is_in_loop = true;
        let body = self.nested(3);
        self.is_in_loop = is_in_loop;
        self.fixed.truncate(n_fixed);
        let step = format!("{counter} := add({counter}, 1)");
        match self.random.below(4) {
            0 => format!(
                "for {{ let {counter} := 0 {head} }} 1 {{ {step} {end} }} {{\n\
                 if iszero(lt({counter}, {bound_text})) {{ break }}\n{body}}}"
            ),
            1 => format!(
                "{{ let {counter} := 0 {head}\nfor {{ }} lt({counter}, {bound_text}) {{ {end} }} {{\n{step}\n{body}}} }}"
            ),
            2 => {
                let down = format!("{counter} := sub({counter}, 1)");
                format!(
                    "for {{ let {counter} := {bound_text} {head} }} {counter} {{ {end} {down} }} {{\n{body}}}"
                )
            }
            _ => format!(
                "for {{ let {counter} := 0 {head} }} lt({counter}, {bound_text}) {{ {step} {end} }} {{\n{body}}}"
            ),
        }
    }

    /// Out of a loop, to its end of a round, or out of a function, on one way.
    fn jump(&mut self) -> String {
        let mut kinds = Vec::new();
        if self.is_in_loop {
            kinds.extend(["continue", "break"]);
        }
        if self.is_function {
            kinds.push("leave");
        }
        let Some(kind) = (!kinds.is_empty()).then(|| *self.random.pick(&kinds)) else {
            return self.one_of(&ENDS) + "\n";
        };
        let (value, other) = (self.value(), *self.random.pick(&kinds));
        match self.random.below(4) {
            0 => format!(
                "switch and({value}, 3) case 0 {{ {kind} }} case 2 {{ {} {other} }}\n",
                self.one_of(&CALLED)
            ),
            1 => format!("switch {value} case 0 {{ }} default {{ {kind} }}\n"),
            2 => format!("{{ {{ if and({value}, 3) {{ {kind} }} }} }}\n"),
            _ => format!("if and({value}, 1) {{ {kind} }}\n"),
        }
    }

    /// A statement in many blocks.
    fn deep(&mut self) -> String {
        let (mut text, mut ends) = (String::new(), String::new());
        let inner = self.nested(1);
        for _ in 0..DEEP {
            let open = match self.random.below(8) {
                0 => format!("if {} {{", self.test()),
                1 => format!("switch {} case 0xabcdef {{ }} default {{", self.value()),
                2 => format!("if lt({}, not(0)) {{", self.variable()),
                _ => "{".to_owned(),
            };
            let name = self.fresh();
            text += &format!("{open} let {name} := {}\n", self.value());
            ends += &self.one_of(&["}", "}", "#v := add(#v, N) }"]).replace('N', &name);
        }
        // What is declared in a block is read behind the blocks in it, the innermost first.
        let mut closed = String::new();
        for part in ends.split_inclusive('}').rev() {
            closed += part;
        }
        format!("{text}{inner}{closed}")
    }

    /// A function that is visible in its block alone, called behind it or before it.
    fn inner_function(&mut self) -> String {
        let name = format!("in_{}", self.depth);
        if self.functions.iter().any(|function| function.name == name) {
            return self.call();
        }
        let prefix = format!("q{}_", self.depth);
        let text = self.function(&name, &prefix);
        let function = self.functions.last().expect("was made").clone();
        let call = self.call_of(&function);
        if self.random.once_in(2) { format!("{text}{call}") } else { format!("{call}\n{text}") }
    }

    /// A function, which later code may call.
    pub(super) fn function(&mut self, name: &str, prefix: &str) -> String {
        let params = *self.random.pick(&[0, 1, 2, 2, 3, 6]);
        let results = *self.random.pick(&[0, 1, 1, 2, 3, MAX_RESULTS]);
        let named =
            |kind: &str, n: usize| (0..n).map(|index| format!("{prefix}{kind}{index}")).collect::<Vec<_>>();
        let (param_names, result_names, local) =
            (named("", params), named("r", results), format!("{prefix}l"));
        let variables = [&param_names[..], &result_names[..], std::slice::from_ref(&local)].concat();
        let outside = (
            std::mem::replace(&mut self.variables, variables),
            std::mem::take(&mut self.fixed),
            std::mem::take(&mut self.buffers),
            (self.is_function, self.is_in_loop, self.left, self.depth, self.times, self.cost),
        );
        let n_functions = self.functions.len();
        // A part of what may run is left for others.
        (self.is_function, self.is_in_loop, self.left, self.depth) = (true, false, 6, self.depth + 1);
        (self.times, self.cost) = (1, BUDGET * 3 / 4);
        let n = self.random.between(1, 4);
        let mut body = self.statements(n);
        if self.random.once_in(5) {
            body += &self.one_of(&[
                "if #t { revert(0, 0) }",
                "if #t { leave } stop()",
                "if #t { leave } revert(0, 0)",
                "pop(never(#v))",
            ]);
        }
        let cost = self.cost - BUDGET * 3 / 4 + 1;
        self.functions.truncate(n_functions);
        (self.variables, self.fixed, self.buffers) = (outside.0, outside.1, outside.2);
        (self.is_function, self.is_in_loop, self.left, self.depth, self.times, self.cost) = outside.3;
        self.functions.push(Function { name: name.to_owned(), params, results, cost });
        let first = *self.random.pick(&["calldataload(0)", "calldatasize()", "sload(1)"]);
        let arrow = if results == 0 { String::new() } else { format!("-> {}", result_names.join(", ")) };
        format!("function {name}({}) {arrow} {{\nlet {local} := {first}\n{body}}}\n", param_names.join(", "))
    }

    fn call(&mut self) -> String {
        let affordable: Vec<Function> =
            self.functions.iter().filter(|function| self.is_affordable(function.cost)).cloned().collect();
        if affordable.is_empty() {
            return self.one_of(&CALLED);
        }
        let function = self.random.pick(&affordable).clone();
        self.call_of(&function)
    }

    /// A call whose results are kept, in new variables or in ones that are there.
    fn call_of(&mut self, function: &Function) -> String {
        self.cost += function.cost * self.times;
        let args: Vec<String> = (0..function.params).map(|_| self.value()).collect();
        let call = format!("{}({})", function.name, args.join(", "));
        if function.results == 0 {
            return call;
        }
        if function.results == 1 {
            let target = self.variable();
            return match self.random.below(3) {
                0 => format!("{target} := {call}"),
                1 => format!("{target} := add({target}, {call})"),
                _ => format!("if {call} {{ {target} := {} }}", self.value()),
            };
        }
        let mut distinct = self.variables.clone();
        while distinct.len() > function.results {
            distinct.remove(self.random.below(distinct.len()));
        }
        if distinct.len() == function.results && self.random.once_in(2) {
            return format!("{} := {call}", distinct.join(", "));
        }
        let names: Vec<String> = (0..function.results).map(|_| self.fresh()).collect();
        self.variables.extend(names.iter().cloned());
        format!("let {} := {call}", names.join(", "))
    }
}
