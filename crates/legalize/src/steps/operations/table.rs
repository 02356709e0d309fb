//! What is done about each operation on each fork.

use super::custom::{self, Rewrite};
use super::{Results, arithmetic, bits, forks, overflow};
use crate::emit::Emit;
use crate::runtime::Routine;
use cairn_evm::{Fork, Opcode};
use cairn_ir::{Op, Value};

/// An expansion: from operands that are words to results that fit the width in bits.
pub(super) type Expand = fn(&mut Emit<'_>, &[Value], u16) -> Results;

/// What is done about an operation.
#[derive(Clone, Copy)]
pub(super) enum Action {
    /// It stays.
    Legal,
    /// It is rewritten by code of its own.
    Custom(Rewrite),
    /// It is replaced by a sequence of other operations.
    Expand(Expand),
    /// It is replaced by a call of a function of the runtime.
    LibCall(Routine),
    /// Nothing can stand in for it; the first fork that has it.
    Missing(Fork),
}

impl Action {
    /// The name used in documentation.
    pub(super) fn name(self) -> &'static str {
        match self {
            Action::Legal => "legal",
            Action::Custom(_) => "custom",
            Action::Expand(_) => "expand",
            Action::LibCall(_) => "libcall",
            Action::Missing(_) => "error",
        }
    }
}

/// What is done about `op` with `n_results` results of `width` bits on `fork`.
pub(super) fn action(op: Op, n_results: usize, width: u16, fork: Fork) -> Action {
    match op {
        Op::Evm(_) if n_results > 1 => Action::Custom(custom::call_with_length),
        Op::Evm(opcode) if opcode.exists_in(fork) => Action::Legal,
        Op::Evm(opcode) => missing_opcode(opcode),
        Op::Constant | Op::Alloca | Op::HeapBase | Op::CalldataBase | Op::PtrAdd => Action::Legal,
        Op::PtrToInt | Op::IntToPtr | Op::Zext => Action::Legal,
        Op::Trunc => Action::Expand(bits::truncate),
        Op::Sext => Action::Custom(custom::sext),
        Op::ReturnValue => Action::Custom(custom::return_value),
        Op::DataCopy => Action::Custom(custom::datacopy),
        Op::Select => Action::Expand(arithmetic::select),
        Op::Mload8 => Action::Expand(bits::load_byte),
        Op::DataOffset | Op::DataSize | Op::LoadImmutable | Op::SetImmutable => Action::Legal,
        Op::LinkerSymbol | Op::Verbatim => Action::Legal,
        Op::Min => Action::Expand(arithmetic::min),
        Op::Max => Action::Expand(arithmetic::max),
        Op::Smin => Action::Expand(arithmetic::signed_min),
        Op::Smax => Action::Expand(arithmetic::signed_max),
        Op::Abs => Action::Expand(arithmetic::abs),
        Op::Rotl => Action::Expand(bits::rotate_left),
        Op::Rotr => Action::Expand(bits::rotate_right),
        Op::Bswap if width >= 256 => Action::LibCall(Routine::Bswap),
        Op::Bswap => Action::Expand(bits::swap_bytes),
        Op::Ctpop => Action::LibCall(Routine::Ctpop),
        Op::Ctlz => Action::Expand(bits::leading_zeros),
        Op::Cttz => Action::Expand(bits::trailing_zeros),
        Op::Addo => Action::Expand(overflow::add),
        Op::Subo => Action::Expand(overflow::sub),
        Op::Mulo => Action::Expand(overflow::mul),
        Op::UaddSat => Action::Expand(overflow::saturating_add),
        Op::UsubSat => Action::Expand(overflow::saturating_sub),
        Op::UmulSat => Action::Expand(overflow::saturating_mul),
        Op::Muldiv if width >= 256 => Action::LibCall(Routine::Muldiv),
        Op::Muldiv => Action::Custom(custom::muldiv_narrow),
        Op::Mulhi => Action::Expand(overflow::high_product),
        Op::Br | Op::CondBr | Op::Switch | Op::Icall | Op::Iret | Op::Unreachable => Action::Legal,
        Op::DbgTrace | Op::DbgLabel => Action::Legal,
    }
}

/// What stands in for an opcode that the fork lacks.
fn missing_opcode(opcode: Opcode) -> Action {
    match opcode {
        Opcode::SHL => Action::Expand(forks::shl),
        Opcode::SHR => Action::Expand(forks::shr),
        Opcode::SAR => Action::Expand(forks::sar),
        Opcode::CLZ => Action::LibCall(Routine::Clz),
        Opcode::SELFBALANCE => Action::Expand(forks::selfbalance),
        Opcode::MCOPY => Action::LibCall(Routine::Mcopy),
        Opcode::REVERT => Action::Custom(custom::revert),
        opcode => Action::Missing(opcode.known().since),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;
    use std::path::Path;

    /// Actions over the forks, as `action` or `action until Fork, then action`.
    fn row(op: Op, width: u16) -> String {
        let mut text = String::new();
        let mut last = "";
        for fork in Fork::ALL {
            let name = action(op, 1, width, fork).name();
            if name != last {
                let separator = if last.is_empty() { String::new() } else { format!(", from {fork} ") };
                let _ = write!(text, "{separator}{name}");
                last = name;
            }
        }
        text
    }

    /// The table of docs/legalizer.md.
    fn table() -> String {
        let mut text = "| operation | action |\n|---|---|\n".to_owned();
        let opcodes = Opcode::all().filter(|op| !op.is_stack_manipulation() && !op.is_jump_related());
        let mut always: Vec<&str> = Vec::new();
        for op in opcodes.map(Op::Evm).chain(Op::TABLE.iter().copied()) {
            let (word, narrow) = (row(op, 256), row(op, 64));
            let name = if op == Op::ReturnValue { "return %v" } else { op.name() };
            match (word.as_str(), word == narrow) {
                ("legal", true) => always.push(name),
                (_, true) => {
                    let _ = writeln!(text, "| `{name}` | {word} |");
                }
                (_, false) => {
                    let _ = writeln!(text, "| `{name}` | {word}; narrower: {narrow} |");
                }
            }
        }
        let _ = writeln!(text, "\nLegal on every fork: `{}`.", always.join("`, `"));
        text
    }

    #[test]
    fn the_documented_table_is_the_code_s() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/legalizer.md");
        let text = std::fs::read_to_string(&path).expect("docs/legalizer.md");
        let (start, end) = ("<!-- operations -->\n", "<!-- end of operations -->");
        let (head, rest) = text.split_once(start).expect("the start of the table");
        let (found, tail) = rest.split_once(end).expect("the end of the table");
        if std::env::var_os("CAIRN_BLESS").is_some() {
            std::fs::write(&path, format!("{head}{start}{}{end}{tail}", table())).expect("a writable file");
            return;
        }
        assert_eq!(found, table(), "CAIRN_BLESS=1 rewrites the table");
    }
}
