//! Random modules in text, the same for a seed on every machine.

/// A small generator of pseudo-random numbers (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        cairn_testkit::next_random(&mut self.0)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Types of generated values.
const TYPES: [&str; 6] = ["u256", "u256", "bool", "u8", "u64", "u512"];

struct Generator {
    random: Random,
    text: String,
    next_value: usize,
    /// Visible values with their types; those of the entry block first.
    values: Vec<(String, &'static str)>,
    entry_values: usize,
    /// Parameters of each block.
    blocks: Vec<Vec<&'static str>>,
    num_slots: usize,
}

/// The text of a module in free form that executes: slots, loops, block arguments, switches, code
/// behind terminators, calls, every width of integer.
pub(crate) fn random_module(seed: u64) -> String {
    let mut generator = Generator {
        random: Random(seed),
        text: String::from("module @Random {\n  data @d = hex\"0102\"\n  !loc !0 = 0:1:2\n"),
        next_value: 0,
        values: Vec::new(),
        entry_values: 0,
        blocks: Vec::new(),
        num_slots: 0,
    };
    generator.function("@__entry()", true);
    generator.function("@helper(%a : u256, %b : bool) -> (u8, u256)", false);
    generator.text.push_str("}\n");
    generator.text
}

impl Generator {
    fn function(&mut self, header: &str, is_entry: bool) {
        self.text += &format!("  func {header} {{\n");
        self.values.clear();
        if !is_entry {
            self.values.extend([("%a".to_owned(), "u256"), ("%b".to_owned(), "bool")]);
        }
        let num_blocks = 1 + self.random.below(7);
        self.blocks = (0..num_blocks)
            .map(|block| {
                let count = if block == 0 { 0 } else { self.random.below(3) };
                (0..count).map(|_| *self.random.pick(&TYPES)).collect()
            })
            .collect();
        for block in 0..num_blocks {
            self.block(block, is_entry);
        }
        self.text += "  }\n";
    }

    fn block(&mut self, block: usize, is_entry: bool) {
        if block == 0 {
            self.text += "  ^entry:\n";
            self.num_slots = self.random.below(4);
            (0..self.num_slots)
                .for_each(|slot| self.text += &format!("    %slot{slot} = evm.alloca : ptr<0>\n"));
            TYPES.iter().skip(1).for_each(|ty| {
                let literal = self.random.below(2);
                self.inst(&format!("evm.constant {literal}"), ty);
            });
        } else {
            self.values.truncate(self.entry_values);
            let params = self.blocks[block].clone();
            let names: Vec<String> = params.iter().map(|ty| self.define(ty)).collect();
            let list: Vec<String> =
                names.iter().zip(&params).map(|(name, ty)| format!("{name} : {ty}")).collect();
            self.text += &format!("  ^b{block}");
            if !list.is_empty() {
                self.text += &format!("({})", list.join(", "));
            }
            self.text += ":\n";
        }
        for _ in 0..self.random.below(9) {
            self.random_inst(is_entry);
        }
        if block == 0 {
            self.entry_values = self.values.len();
        }
        if self.random.chance(95) {
            self.terminator(is_entry);
        }
        if self.random.chance(10) {
            // Behind the terminator: values that nobody else may use.
            let visible = self.values.len();
            self.random_inst(is_entry);
            self.values.truncate(visible);
        }
    }

    fn define(&mut self, ty: &'static str) -> String {
        let name = format!("%v{}", self.next_value);
        self.next_value += 1;
        self.values.push((name.clone(), ty));
        name
    }

    fn inst(&mut self, op: &str, ty: &'static str) {
        let name = self.define(ty);
        let loc = if self.random.chance(10) { " loc(!0)" } else { "" };
        self.text += &format!("    {name} = {op} : {ty}{loc}\n");
    }

    /// A visible value of exactly this type.
    fn value(&mut self, ty: &str) -> String {
        let fitting: Vec<&(String, &str)> = self.values.iter().filter(|(_, found)| *found == ty).collect();
        self.random.pick(&fitting).0.clone()
    }

    fn any_value(&mut self) -> (String, &'static str) {
        let values = self.values.clone();
        self.random.pick(&values).clone()
    }

    fn random_inst(&mut self, is_entry: bool) {
        match self.random.below(9) {
            0 => {
                let literal = self.random.below(200);
                self.inst(&format!("evm.constant {literal}"), "u256");
            }
            1 | 2 => {
                let names = [
                    "add",
                    "sub",
                    "mul",
                    "div",
                    "sdiv",
                    "mod",
                    "smod",
                    "and",
                    "xor",
                    "shl",
                    "sar",
                    "byte",
                    "signextend",
                ];
                let op = *self.random.pick(&names);
                let ty = *self.random.pick(&["u256", "u256", "u8", "u64", "u512"]);
                let (a, b) = (self.value(ty), self.value(ty));
                self.inst(&format!("evm.{op} {a}, {b}"), ty);
            }
            3 => {
                let op = *self.random.pick(&["lt", "gt", "slt", "eq"]);
                let ty = *self.random.pick(&["u256", "u512"]);
                let (a, b) = (self.value(ty), self.value(ty));
                self.inst(&format!("evm.{op} {a}, {b}"), "bool");
            }
            4 => {
                let op = *self.random.pick(&["min", "smax", "rotl", "uadd_sat", "umul_sat", "mulhi"]);
                let ty = *self.random.pick(&["u256", "u8", "u64", "u512"]);
                let (a, b) = (self.value(ty), self.value(ty));
                self.inst(&format!("evm.{op} {a}, {b}"), ty);
            }
            5 => {
                let (op, from, to) = *self.random.pick(&[
                    ("trunc", "u256", "u8"),
                    ("sext", "u8", "u256"),
                    ("zext", "u64", "u512"),
                    ("trunc", "u512", "u256"),
                    ("ctlz", "u64", "u64"),
                    ("bswap", "u64", "u64"),
                ]);
                let value = self.value(from);
                self.inst(&format!("evm.{op} {value}"), to);
            }
            6 | 7 if self.num_slots > 0 => self.slot_access(),
            8 if is_entry => {
                let (a, b) = (self.value("u256"), self.value("bool"));
                let (x, y) = (self.define("u8"), self.define("u256"));
                self.text += &format!("    {x}, {y} = evm.icall @helper({a}, {b}) : u8, u256\n");
            }
            _ => {
                let (key, value) = (self.value("u256"), self.value("u256"));
                self.text += &format!("    evm.sstore {key}, {value}\n");
            }
        }
    }

    fn slot_access(&mut self) {
        let slot = self.random.below(self.num_slots);
        if self.random.chance(50) {
            self.inst(&format!("evm.mload %slot{slot}"), "u256");
        } else {
            let ty = *self.random.pick(&["u256", "u256", "bool", "u64"]);
            let value = self.value(ty);
            self.text += &format!("    evm.mstore %slot{slot}, {value}\n");
        }
    }

    fn target(&mut self) -> Option<String> {
        if self.blocks.len() == 1 {
            return None;
        }
        let block = 1 + self.random.below(self.blocks.len() - 1);
        let params = self.blocks[block].clone();
        let args: Vec<String> = params.iter().map(|ty| self.value(ty)).collect();
        let args = if args.is_empty() { String::new() } else { format!("({})", args.join(", ")) };
        Some(format!("^b{block}{args}"))
    }

    fn terminator(&mut self, is_entry: bool) {
        let kind = self.random.below(10);
        if let Some(target) = self.target().filter(|_| kind < 3) {
            self.text += &format!("    evm.br {target}\n");
            return;
        }
        if let (Some(then), Some(otherwise), 3..=6) = (self.target(), self.target(), kind) {
            let (condition, ty) = self.any_value();
            if ty != "u512" {
                self.text += &format!("    evm.condbr {condition}, {then}, {otherwise}\n");
                return;
            }
            let value = self.value("u256");
            let loc = if self.random.chance(50) { " loc(!0)" } else { "" };
            self.text +=
                &format!("    evm.switch {value}, default {then}{loc}\n      case 1 -> {otherwise}\n");
            return;
        }
        let (word, byte) = (self.value("u256"), self.value("u8"));
        self.text += &match (is_entry, kind) {
            (true, 9) => "    evm.stop\n".to_owned(),
            (true, _) => format!("    evm.return {word}\n"),
            (false, _) => format!("    evm.iret {byte}, {word}\n"),
        };
    }
}
