//! Statements that reach other contracts: calls in every way, creations, values, functions as values.

use super::scope::{Function, Reach, Writer};
use super::types::{Place, Type, WORD};

impl Writer {
    pub(crate) fn interaction(&mut self, depth: usize) {
        // Free functions, libraries and bases have nobody to call.
        if self.level < 3 || self.loops > 1 {
            return self.statement(0);
        }
        match self.random.below(11) {
            0..=2 => self.try_call(depth),
            3 => self.try_create(depth),
            4 => self.create(),
            5 | 6 => self.low_level(),
            7 => self.bubble(),
            8 => self.send_value(),
            9 => self.function_values(),
            _ => self.precompile(),
        }
    }

    /// A function that can be called from outside.
    fn outer_function(&mut self) -> Option<Function> {
        let known = self.callable(|function| function.reach != Reach::Internal);
        if known.is_empty() { None } else { Some(self.random.pick(&known).clone()) }
    }

    fn try_call(&mut self, depth: usize) {
        let Some(function) = self.outer_function() else { return self.send_value() };
        let arguments: Vec<String> =
            function.params.iter().map(|(kind, place)| self.argument(kind, *place, 2)).collect();
        let call = format!("this.{}({})", function.name, arguments.join(", "));
        self.attempt(&call, &function.results, depth);
    }

    /// `try` with some of the clauses.
    fn attempt(&mut self, call: &str, results: &[Type], depth: usize) {
        let known = self.scope.len();
        let mut returned = Vec::new();
        for kind in results {
            let name = self.name("o");
            returned.push(format!("{} {name}", kind.placed(Place::Memory)));
            let place = if kind.is_value() { Place::Local } else { Place::Memory };
            self.declare(&name, kind.clone(), place);
        }
        let returned =
            if returned.is_empty() { String::new() } else { format!("returns ({}) ", returned.join(", ")) };
        self.line(format!("try {call} {returned}{{"));
        self.block(2, depth - 1);
        self.scope.truncate(known);
        let clauses = self.random.between(1, 7);
        if clauses & 1 != 0 {
            self.clause("Error(string memory ", Type::String, depth);
        }
        if clauses & 2 != 0 {
            self.clause("Panic(uint256 ", WORD, depth);
        }
        match (clauses & 4 != 0, self.chance(70)) {
            (true, true) => self.clause("(bytes memory ", Type::Bytes, depth),
            (true, false) => {
                self.line("} catch {");
                self.block(1, depth - 1);
            }
            (false, _) => {}
        }
        self.line("}");
    }

    fn clause(&mut self, head: &str, kind: Type, depth: usize) {
        let known = self.scope.len();
        let name = self.name("c");
        self.line(format!("}} catch {head}{name}) {{"));
        let place = if kind.is_value() { Place::Local } else { Place::Memory };
        self.declare(&name, kind.clone(), place);
        let shown = if kind == WORD { format!("abi.encode({name})") } else { format!("bytes({name})") };
        self.line(format!("emit Caught({shown});"));
        self.block(1, depth - 1);
        self.scope.truncate(known);
    }

    fn creation(&mut self) -> String {
        let (word, text) = (self.value(&WORD, 2), self.reference(&Type::Bytes, 2));
        let value = if self.chance(40) { format!("value: {}", self.random.below(3)) } else { String::new() };
        let salt =
            if self.chance(40) { format!("salt: bytes32({})", self.value(&WORD, 1)) } else { String::new() };
        let options: Vec<String> = [value, salt].into_iter().filter(|option| !option.is_empty()).collect();
        let options = if options.is_empty() { String::new() } else { format!("{{{}}}", options.join(", ")) };
        format!("new Child{options}({word} % 8, {text})")
    }

    fn try_create(&mut self, depth: usize) {
        let creation = self.creation();
        let name = self.name("n");
        self.line(format!("try {creation} returns (Child {name}) {{"));
        self.line(format!("child = {name};"));
        self.block(1, depth - 1);
        self.clause("Error(string memory ", Type::String, depth);
        self.clause("(bytes memory ", Type::Bytes, depth);
        self.line("}");
    }

    fn create(&mut self) {
        let creation = self.creation();
        self.line(format!("child = {creation};"));
        let word = self.value(&WORD, 2);
        self.line(format!("if (child.poke({word} % 50) > 3) emit Caught(abi.encode(child.start()));"));
    }

    fn low_level(&mut self) {
        let (flag, data) = (self.name("ok"), self.name("d"));
        let (target, payload) = match self.random.below(5) {
            0 => (
                "address(child)".to_owned(),
                format!("abi.encodeCall(Child.poke, ({}))", self.value(&WORD, 1)),
            ),
            1 => (
                "address(child)".into(),
                format!("abi.encodeWithSelector(Child.boom.selector, {})", self.value(&Type::Uint(8), 1)),
            ),
            2 => ("address(this)".into(), format!("abi.encodeCall(this.hop, ({}))", self.value(&WORD, 1))),
            3 => (
                "address(this)".into(),
                format!("abi.encodeWithSignature(\"fails(uint256)\", {})", self.value(&WORD, 1)),
            ),
            _ => ("address(4)".into(), self.reference(&Type::Bytes, 2)),
        };
        let way = match self.random.below(5) {
            0 => "staticcall",
            1 => "delegatecall",
            2 => "call{value: 1}",
            _ => "call",
        };
        self.line(format!("(bool {flag}, bytes memory {data}) = {target}.{way}({payload});"));
        self.declare(&flag, Type::Bool, Place::Local);
        self.declare(&data, Type::Bytes, Place::Memory);
        match self.random.below(3) {
            0 => self.line(format!(
                "if ({flag} && {data}.length == 32) emit Caught(abi.encode(abi.decode({data}, (uint256))));"
            )),
            1 => self.line(format!("emit Caught({data});")),
            _ => self.line(format!("if (!{flag}) {{ emit Caught({data}); }}")),
        }
    }

    /// A failing call's data become one's own.
    fn bubble(&mut self) {
        let (flag, data) = (self.name("ok"), self.name("d"));
        let word = self.value(&WORD, 2);
        self.line(format!("(bool {flag}, bytes memory {data}) = address(this).call(abi.encodeWithSignature(\"fails(uint256)\", {word}));"));
        let lines: &[&str] = match self.random.below(3) {
            0 => &["if (!@f) assembly (\"memory-safe\") { revert(add(@d, 0x20), mload(@d)) }"],
            1 => &[
                "if (!@f) {",
                "assembly (\"memory-safe\") {",
                "let p := mload(0x40)",
                "returndatacopy(p, 0, returndatasize())",
                "revert(p, returndatasize())",
                "}",
                "}",
            ],
            _ => &["require(@f || @d.length % 3 != 0, string(@d));"],
        };
        lines.iter().for_each(|line| self.line(line.replace("@f", &flag).replace("@d", &data)));
        self.declare(&data, Type::Bytes, Place::Memory);
    }

    fn send_value(&mut self) {
        let account = self.value(&Type::Address, 1);
        let amount = self.random.below(4);
        let line = match self.random.below(4) {
            0 => format!("payable({account}).transfer({amount});"),
            1 => format!("if (!payable({account}).send({amount})) word0++;"),
            2 => format!("(bool s{}, ) = ({account}).call{{value: {amount}}}(\"\");", self.name("s")),
            _ => format!("Child(child).poke{{value: {amount}}}({amount});"),
        };
        self.line(line);
    }

    /// Internal functions as values: chosen, kept, called.
    fn function_values(&mut self) {
        let (name, word) = (self.name("f"), self.value(&WORD, 2));
        let condition = self.value(&Type::Bool, 2);
        self.line(format!("function (uint256) returns (uint256) {name} = {condition} ? step0 : step1;"));
        match self.random.below(3) {
            0 => self.line(format!("if ({name} == step0) {name} = step2;")),
            1 => self.line(format!("kept = {name}; {name} = steps[{word} % 3];")),
            _ => self.line(format!("steps[{word} % 3] = {name};")),
        }
        let target = self.path(|kind, place| *kind == WORD && place == Place::Local);
        let argument = self.value(&WORD, 1);
        match target {
            Some(path) => self.line(format!("{} = {name}({argument});", path.text)),
            None => self.line(format!("word0 ^= {name}({argument});")),
        }
    }

    fn precompile(&mut self) {
        let data = self.reference(&Type::Bytes, 2);
        match self.random.below(3) {
            0 => self.line(format!("emit Caught(abi.encode(sha256({data}), ripemd160({data})));")),
            1 => {
                let line = format!(
                    "emit Caught(abi.encode(block.timestamp, block.number, address(this).codehash == keccak256(address(this).code), {}));",
                    self.a_word()
                );
                self.line(line);
            }
            _ => {
                let [hash, r, s] = [0; 3].map(|_| self.value(&Type::FixedBytes(32), 1));
                self.line(format!("emit Caught(abi.encode(ecrecover({hash}, 27, {r}, {s})));"));
            }
        }
    }
}
