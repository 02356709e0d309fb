//! Debug information in the ethdebug format: the `program` schema, one entry an instruction.

use crate::assemble::Assembled;
use crate::program::{Program, Variable, VariablePlace};
use crate::srcmap::{Instruction, instructions};
use cairn_evm::{Fork, Opcode, hex};
use serde_json::{Value, json};

/// Which code an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Environment {
    /// Deployed code.
    Call,
    /// Creation code.
    Create,
}

/// The ethdebug program of an object's own code.
pub fn ethdebug(program: &Program, assembled: &Assembled, environment: Environment, fork: Fork) -> Value {
    let entries: Vec<Value> =
        instructions(program, assembled).map(|entry| instruction(&entry, program, assembled, fork)).collect();
    json!({
        "contract": { "name": program.name },
        "environment": match environment {
            Environment::Call => "call",
            Environment::Create => "create",
        },
        "instructions": entries,
    })
}

fn instruction(instruction: &Instruction<'_>, program: &Program, assembled: &Assembled, fork: Fork) -> Value {
    let position = instruction.position;
    let opcode = Opcode(assembled.bytes[position]);
    let mut operation = json!({ "mnemonic": opcode.name(fork) });
    let width = opcode.push_width().map_or(0, usize::from);
    if let Some(immediate) = assembled.bytes.get(position + 1..position + 1 + width).filter(|_| width > 0) {
        operation["arguments"] = json!([hex::encode_prefixed(immediate)]);
    }
    let mut entry = json!({ "offset": position, "operation": operation });
    if let Some(loc) = instruction.loc.filter(|loc| loc.start >= 0 && loc.source >= 0) {
        let range = json!({ "offset": loc.start, "length": loc.end.saturating_sub(loc.start) });
        entry["context"] = json!({ "code": { "source": { "id": loc.source }, "range": range } });
    }
    if let Some(variables) = instruction.item.loc.and_then(|loc| program.variables.get(&loc)) {
        entry["context"]["variables"] = variables.iter().map(variable).collect();
    }
    entry
}

fn variable(variable: &Variable) -> Value {
    let mut pointers: Vec<Value> = variable.places.iter().copied().map(pointer).collect();
    let pointer = match pointers.len() {
        1 => pointers.remove(0),
        _ => json!({ "group": pointers }),
    };
    json!({ "identifier": variable.name, "type": { "id": variable.ty }, "pointer": pointer })
}

fn pointer(place: VariablePlace) -> Value {
    match place {
        VariablePlace::Stack(slot) => json!({ "location": "stack", "slot": slot }),
        VariablePlace::Memory(offset) => json!({ "location": "memory", "offset": offset, "length": 32 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assemble::{AssembleOptions, assemble};
    use crate::program::{Item, ItemKind};
    use cairn_diag::SourceLoc;
    use cairn_evm::Word;

    #[test]
    fn instructions_with_their_source() {
        let push = Item { loc: Some(0), ..ItemKind::Push(Word::from(5)).into() };
        let program = Program {
            name: "C".to_owned(),
            items: vec![push, Opcode::STOP.into()],
            locs: vec![SourceLoc { source: 2, start: 7, end: 10 }],
            ..Program::default()
        };
        let assembled = assemble(&program, AssembleOptions::default()).expect("assembles");
        let expected = json!({
            "contract": { "name": "C" },
            "environment": "call",
            "instructions": [
                {
                    "offset": 0,
                    "operation": { "mnemonic": "PUSH1", "arguments": ["0x05"] },
                    "context": { "code": { "source": { "id": 2 }, "range": { "offset": 7, "length": 3 } } },
                },
                { "offset": 2, "operation": { "mnemonic": "STOP" } },
            ],
        });
        assert_eq!(ethdebug(&program, &assembled, Environment::Call, Fork::Osaka), expected);
    }
}
