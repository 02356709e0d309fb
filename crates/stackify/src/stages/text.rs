//! The stages as text.

use super::{BlockStage, Class, FuncStages};
use std::fmt::{self, Display, Formatter};

/// Stacks stand in this column.
const STACK_COLUMN: usize = 28;

impl Display for Class {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Class::StackSlot(height) => write!(f, "StackSlot({height})"),
            Class::MemorySlot(offset) => write!(f, "MemorySlot({offset:#x})"),
            Class::Immediate => f.write_str("Immediate"),
            Class::Void => f.write_str("Void"),
        }
    }
}

impl Display for FuncStages {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "module `@{}`, function `@{}`", self.module, self.function)?;
        writeln!(f, "  1. block linearization")?;
        for block in &self.blocks {
            let label = block.label.as_deref().unwrap_or("no label, nobody jumps there");
            writeln!(f, "    {} → {label}", block.name)?;
        }
        writeln!(f, "  2. lifetime analysis")?;
        for value in self.values.iter().filter(|value| value.rule != "gives no value") {
            let live = match value.live_into.as_slice() {
                [] => "live in its block only".to_owned(),
                blocks => format!("live into {}", blocks.join(", ")),
            };
            writeln!(f, "    {}: defined in {}, {live}", value.name, value.defined)?;
        }
        writeln!(f, "  3. frame layout")?;
        for object in &self.frame {
            let (end, usage) = (object.offset + object.size, object.usage);
            writeln!(f, "    {:#x} to {end:#x}: {usage} {}", object.offset, object.name)?;
        }
        writeln!(f, "  4. value assignment")?;
        for value in &self.values {
            writeln!(f, "    {}: {}: {}", value.name, value.class, value.rule)?;
        }
        writeln!(f, "  5. scheduling")?;
        self.blocks.iter().try_for_each(|block| write_steps(f, block))?;
        writeln!(f, "  6. terminator lowering")?;
        for line in self.blocks.iter().flat_map(|block| &block.code) {
            let indent = if line.ends_with(':') { 2 } else { 4 };
            writeln!(f, "  {:indent$}{line}", "")?;
        }
        Ok(())
    }
}

fn write_steps(f: &mut Formatter<'_>, block: &BlockStage) -> fmt::Result {
    let mut line =
        |text: String, stack: &[String]| writeln!(f, "{text:STACK_COLUMN$} [{}]", stack.join(", "));
    line(format!("    {}", block.name), &block.entry)?;
    block.steps.iter().try_for_each(|step| line(format!("      {}", step.text), &step.stack))?;
    writeln!(f, "      {}", block.exit)
}
