//! Contracts: the bases with state and modifiers, the one that is created, the one that is called.

use super::functions::Head;
use super::scope::{Effects, Function, Reach, Writer};
use super::types::{Place, Type, WORD};

/// Names of state variables that every program has.
const MODIFIERS: &str = "modifier counted(uint256 n) { word0 += n; _; word0 ^= 3; }
modifier twice(bool b) { _; if (b) { lane0++; _; } }
modifier gate(uint256 x) { if (x % 16 == 15) return; _; require(x % 16 != 14, \"gate\"); }";

const STEPS: &str = "function step0(uint256 x) internal returns (uint256) { word0 += x % 3; return x ^ 1; }
function step1(uint256 x) internal pure returns (uint256) { unchecked { return x * 3 + 1; } }
function step2(uint256 x) internal returns (uint256) { if (x == 7) revert(\"seven\"); lane0 ^= uint8(x); return lane0; }";

const FAILS: &str = "function fails(uint256 kind) external returns (uint256) {
word0++;
if (kind % 8 == 0) revert();
if (kind % 8 == 1) revert(\"a reason that is longer than thirty-two bytes, so that it takes two\");
if (kind % 8 == 2) { uint256 z = kind / 8; return 7 / z; }
if (kind % 8 == 3) assert(kind < 9);
if (kind % 8 == 4) { uint256[] memory a = new uint256[](kind % 5); return a[kind / 8 % 5]; }
if (kind % 8 == 5) revert Err0(@);
if (kind % 8 == 6) assembly (\"memory-safe\") { mstore(0, kind) revert(0, and(kind, 31)) }
return kind;
}";

const CUT: &str = "function cut(bytes calldata data, uint256[] calldata words, uint8 at) external pure returns (bytes memory, bytes32) {
return (data[at % 7:], keccak256(abi.encode(words[:at % 3], bytes4(data), data[:at % 5])));
}";

const CHILD: &str = "contract Child {
uint256 public immutable start;
address immutable maker;
bytes32 public hash;
uint8 lane;
mapping(uint256 => uint64) seen;
constructor(uint256 s, bytes memory b) payable {
require(s != 4, \"four\");
assert(s != 5);
if (s == 6) { uint256[] memory a = new uint256[](2); a[s] = b.length; }
if (s == 7) revert Small(uint8(b.length));
start = s;
maker = msg.sender;
hash = keccak256(b);
lane = uint8(b.length);
}
function poke(uint256 x) external payable returns (uint256) {
lane++;
seen[x % 4] += uint64(x);
if (x == 9) revert Small(lane);
return seen[x % 3] + start + msg.value;
}
function boom(uint8 kind) external view returns (bytes memory) {
if (kind == 0) revert();
if (kind == 1) revert(\"boom\");
if (kind == 2) revert Small(kind);
if (kind == 3) assert(false);
if (kind == 4) assembly (\"memory-safe\") { invalid() }
return abi.encode(kind, hash, maker == msg.sender);
}
receive() external payable { if (msg.value == 3) revert(\"three\"); }
}";

impl Writer {
    /// What is created by others.
    pub(crate) fn child(&mut self) {
        self.line("error Small(uint8 n);");
        self.lines.extend(CHILD.lines().map(str::to_owned));
    }

    /// The base with all state, and two that override a function.
    pub(crate) fn bases(&mut self) {
        self.line("abstract contract Base {");
        self.line("using L0 for *;");
        self.state();
        self.lines.extend(MODIFIERS.lines().map(str::to_owned));
        self.lines.extend(STEPS.lines().map(str::to_owned));
        self.line("constructor(uint256 n, bytes memory b) { word0 = n ^ b.length; kept = step0; steps[1] = step1; steps[2] = step2; }");
        self.line("function hop(uint256 x) external returns (uint256) { unchecked { word0 += x; return hook(x); } }");
        self.line("function skip(uint256 x) external view returns (uint256) { return x > 100 ? lane0 : word0 / (x % 4); }");
        self.line("function hook(uint256 x) internal virtual returns (uint256) {");
        self.hook();
        let internal = Head {
            prefix: "",
            reach: Reach::Internal,
            effects: Effects::All,
            level: 2,
            places: &[Place::Memory, Place::Memory, Place::Storage],
            words: " internal",
            statements: 4,
        };
        self.function(&internal);
        if self.chance(50) {
            self.function(&Head { effects: Effects::Reads, ..internal });
        }
        self.line("}");
        for (name, words) in [("Left", "virtual override"), ("Right", "virtual override")] {
            self.line(format!("abstract contract {name} is Base {{"));
            self.line(format!("function hook(uint256 x) internal {words} returns (uint256) {{"));
            self.line("unchecked { x = super.hook(x + 1) * 3; }");
            self.hook();
            self.line("}");
        }
    }

    /// The body of a function of one word.
    fn hook(&mut self) {
        let known = self.scope.len();
        (self.level, self.effects, self.results) = (1, Effects::All, vec![WORD]);
        self.declare("x", WORD, Place::Local);
        self.statements(2);
        self.line("return x;");
        self.line("}");
        self.scope.truncate(known);
    }

    fn state(&mut self) {
        self.line("uint256 internal word0;");
        self.line("uint8 internal lane0;");
        self.line("Child internal child;");
        self.line("function (uint256) returns (uint256) internal kept;");
        self.line("function (uint256) returns (uint256)[3] internal steps;");
        self.line("event Caught(bytes data);");
        self.declare("word0", WORD, Place::Storage);
        self.declare("lane0", Type::Uint(8), Place::Storage);
        for _ in 0..self.random.between(3, 6) {
            let kind = self.names.stored(&mut self.random);
            self.state_variable(kind);
        }
        if self.has_cancun() {
            for _ in 0..2 {
                let (kind, name) = (self.names.value(&mut self.random), self.name("tr"));
                self.line(format!("{} transient {name};", kind.text()));
                self.declare(&name, kind, Place::Storage);
            }
        }
        let (kind, name) = (super::types::basic(&mut self.random), self.name("co"));
        let text = self.literal(&kind);
        self.line(format!("{} constant {name} = {text};", kind.text()));
        self.declare(&name, kind, Place::Constant);
    }

    fn state_variable(&mut self, kind: Type) {
        let name = self.name("st");
        let getter = match &kind {
            value if value.is_value() => Some(vec![]),
            Type::Bytes | Type::String => Some(vec![]),
            Type::Array(element) | Type::Fixed(element, _) if element.is_value() => Some(vec![WORD]),
            Type::Mapping(key, value) if value.is_value() => Some(vec![(**key).clone()]),
            _ => None,
        };
        let visible = getter.filter(|_| self.chance(40));
        let word = if visible.is_some() { "public" } else { "internal" };
        self.line(format!("{} {word} {name};", kind.text()));
        if let Some(params) = visible {
            self.entries.push((name.clone(), params));
        }
        self.declare(&name, kind, Place::Storage);
    }

    /// The contract that is called; gives the types of its constructor's parameters.
    pub(crate) fn main_contract(&mut self) -> Vec<Type> {
        self.line("contract Main is Left, Right {");
        self.line("using L0 for *;");
        let immutables = self.immutables();
        let params = self.constructor(&immutables);
        self.line("function hook(uint256 x) internal override(Left, Right) returns (uint256) {");
        self.line("unchecked { return super.hook(x ^ word0) + 1; }");
        self.line("}");
        self.fixed_functions();
        self.idioms();
        let public = Head {
            prefix: "",
            reach: Reach::Public,
            effects: Effects::All,
            level: 2,
            places: &[Place::Memory],
            words: " public",
            statements: 4,
        };
        let outer = Head {
            reach: Reach::External,
            level: 3,
            places: &[Place::Calldata, Place::Calldata, Place::Memory],
            words: " external",
            statements: 6,
            ..public
        };
        let heads = [
            Head { ..public },
            Head { words: " public payable", ..public },
            Head { effects: Effects::Reads, ..public },
            Head { ..outer },
            Head { ..outer },
            Head { words: " external payable", ..outer },
            Head { ..outer },
            Head { effects: Effects::Reads, ..outer },
            Head { effects: Effects::None, ..outer },
        ];
        // The first two, and some of the others.
        let mut chosen = vec![self.random.below(3), 3];
        chosen.extend((4..heads.len()).filter(|_| self.chance(35)));
        for head in chosen.into_iter().map(|at| &heads[at]) {
            let Function { name, params, .. } = self.function(head);
            self.entries.push((name, params.into_iter().map(|(kind, _)| kind).collect()));
        }
        self.line("}");
        params
    }

    fn immutables(&mut self) -> Vec<(String, Type)> {
        let mut all = Vec::new();
        for _ in 0..self.random.between(1, 4) {
            let (kind, name) = (self.names.value(&mut self.random), self.name("im"));
            // solc has no immutable functions.
            let kind = if kind == Type::External { Type::Address } else { kind };
            self.line(format!("{} internal immutable {name};", kind.text()));
            all.push((name, kind));
        }
        all
    }

    fn constructor(&mut self, immutables: &[(String, Type)]) -> Vec<Type> {
        let kinds = vec![
            WORD,
            Type::Bytes,
            self.names.value(&mut self.random),
            self.names.reference(&mut self.random, 1),
        ];
        let known = self.scope.len();
        (self.level, self.effects, self.results) = (2, Effects::All, vec![]);
        let mut params = Vec::new();
        for kind in &kinds {
            let name = self.name("a");
            params.push(format!("{} {name}", kind.placed(Place::Memory)));
            let place = if kind.is_value() { Place::Local } else { Place::Memory };
            self.declare(&name, kind.clone(), place);
        }
        let (n, b) = (self.scope[known].name.clone(), self.scope[known + 1].name.clone());
        self.line(format!("constructor({}) Base({n}, {b}) payable {{", params.join(", ")));
        for (name, kind) in immutables {
            let text = self.value(kind, 2);
            self.line(format!("{name} = {text};"));
        }
        self.block(2, 1);
        self.line("if (word0 % 5 != 0) child = new Child(word0 % 3, hex\"aabb\");");
        self.line("}");
        self.scope.truncate(known);
        for (name, kind) in immutables {
            self.declare(name, kind.clone(), Place::Immutable);
        }
        kinds
    }

    /// A type that can be decoded.
    fn unpackable(&mut self) -> Type {
        let kind = self.names.any_reference(&mut self.random);
        if kind.names_functions() { WORD } else { kind }
    }

    /// What other parts of programs call by name.
    fn fixed_functions(&mut self) {
        (self.level, self.effects) = (1, Effects::None);
        let values: Vec<String> =
            self.errors[0].clone().iter().map(|kind| self.argument(kind, Place::Memory, 0)).collect();
        let fails = FAILS.replace('@', &values.join(", "));
        self.lines.extend(fails.lines().map(str::to_owned));
        self.line("function deep(uint256 n, uint256 acc) public returns (uint256) {");
        self.line("if (n % 6 == 0) return acc; unchecked { uint256 left = deep(n % 6 - 1, acc * 3 + n); lane0++; return left ^ kept(n); }");
        self.line("}");
        self.line("receive() external payable { word0 += msg.value; }");
        match self.random.below(3) {
            0 => {
                self.line("fallback(bytes calldata data) external payable returns (bytes memory) {");
                self.line("word0 ^= data.length; if (data.length > 4) return data[1:data.length / 2]; return abi.encode(msg.value, data);");
                self.line("}");
            }
            1 => self.line("fallback() external { lane0 = uint8(msg.data.length); }"),
            _ => {}
        }
        self.lines.extend(CUT.lines().map(str::to_owned));
        self.entries.push(("cut".into(), vec![Type::Bytes, Type::Array(Box::new(WORD)), Type::Uint(8)]));
        let kinds: Vec<Type> = (0..2).map(|_| self.unpackable()).collect();
        let texts: Vec<String> = kinds.iter().map(Type::text).collect();
        let places: Vec<String> = kinds.iter().map(|kind| kind.placed(Place::Memory)).collect();
        for place in ["calldata", "memory"] {
            let name = format!("unpack_{place}");
            self.line(format!(
                "function {name}(bytes {place} data) external pure returns ({}) {{",
                places.join(", ")
            ));
            self.line(format!("return abi.decode(data, ({}));", texts.join(", ")));
            self.line("}");
            self.entries.push((name, vec![Type::Bytes]));
        }
        self.unpacked = kinds;
        for (name, params) in
            [("fails", vec![WORD]), ("hop", vec![WORD]), ("skip", vec![WORD]), ("deep", vec![WORD, WORD])]
        {
            self.entries.push((name.into(), params));
        }
        for (name, effects) in [("hop", Effects::All), ("skip", Effects::Reads)] {
            self.functions.push(Function {
                name: name.into(),
                params: vec![(WORD, Place::Local)],
                results: vec![WORD],
                reach: Reach::External,
                level: 2,
                effects,
            });
        }
        self.functions.push(Function {
            name: "hook".into(),
            params: vec![(WORD, Place::Local)],
            results: vec![WORD],
            reach: Reach::Internal,
            level: 2,
            effects: Effects::All,
        });
    }
}
