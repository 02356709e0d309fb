//! Lines as text: the offset in the code, what happens, and remarks.

use super::facts::External;
use super::fields::fields_of_store;
use super::say::{Effect, Line, Say, What};
use super::words::Words;
use crate::tree::{At, Callee, Elsewhere};
use cairn_evm::Opcode;
use cairn_yul::Builtin;
use rustc_hash::FxHashSet;

/// Columns that a remark stands behind, if there is room.
const REMARK_COLUMN: usize = 72;

impl Words<'_> {
    /// Writes lines.
    pub(super) fn write_lines(&mut self, lines: &[Line], out: &mut String) {
        let says = lines.iter().flat_map(|line| line.what.says());
        says.for_each(|say| returned(say, &mut self.returned));
        let mut index = 0;
        while let Some(line) = lines.get(index) {
            if let Some(condition) = self.is_check(&lines[index..]) {
                let end = &lines[index + 1];
                let fails = self.line(end);
                let condition = self.unless(&condition);
                let mut at = places(&line.what);
                if at.is_empty() {
                    at = places(&end.what);
                }
                self.put(out, &at, line.depth, &format!("require {condition} else {fails}"));
                index += 3;
                continue;
            }
            if let What::Case(word) = &line.what
                && let Some(Line { what: What::Go(_), .. }) = lines.get(index + 1)
            {
                let text = format!("case {word:#010x}: {}", self.line(&lines[index + 1]));
                self.put(out, &[], line.depth, &text);
                index += 2;
                continue;
            }
            let text = self.line(line);
            self.put(out, &places(&line.what), line.depth, &text);
            index += 1;
        }
    }

    /// The condition of a branch in which there is nothing but a failure.
    fn is_check(&self, lines: &[Line]) -> Option<Say> {
        let [Line { what: What::If(condition, _), .. }, end, Line { what: What::Close, .. }, ..] = lines
        else {
            return None;
        };
        self.fails(&end.what).then(|| condition.clone())
    }

    fn fails(&self, what: &What) -> bool {
        match what {
            What::Do(Say::Effect(effect, _)) => matches!(**effect, Effect::Revert(_)),
            What::Do(Say::Call(Callee::Builtin(Builtin::Evm(opcode)), ..)) => *opcode == Opcode::INVALID,
            What::Do(Say::Call(Callee::Func(func), ..)) => self.failing.contains(func),
            _ => false,
        }
    }

    /// What holds where a condition does not.
    fn unless(&mut self, condition: &Say) -> String {
        match condition.args_of(Opcode::ISZERO) {
            Some([inner]) => self.condition(inner),
            _ => self.text(&Say::evm(Opcode::ISZERO, vec![condition.clone()])),
        }
    }

    fn line(&mut self, line: &Line) -> String {
        match &line.what {
            What::Let(names, say) => {
                let names: Vec<String> = names.iter().map(|name| self.name(*name)).collect();
                format!("{} = {}", names.join(", "), self.text(say))
            }
            What::Do(say) => self.statement(say),
            What::Write(_, _, to, value) => {
                let (to, value) = (self.text(to), self.text(value));
                format!("memory[{to}] = {value}")
            }
            What::Fill(_, say) => self.statement(say),
            What::If(say, _) => format!("if {} {{", self.condition(say)),
            What::Else => "} else {".to_owned(),
            What::Switch(say, _) => format!("switch {} {{", self.text(say)),
            What::Case(word) => format!("case {}:", self.number(*word)),
            What::Default => "default:".to_owned(),
            What::While(say, _) if say.as_number().is_some() => "loop {".to_owned(),
            What::While(say, _) => format!("while {} {{", self.text(say)),
            What::Part => "once {".to_owned(),
            What::Close => "}".to_owned(),
            What::Break => "break".to_owned(),
            What::Continue => "continue".to_owned(),
            What::Leave(values) => format!("return {}", self.list(values)).trim_end().to_owned(),
            What::Go(Elsewhere::Node(node)) => format!("goto n{node}"),
            What::Go(Elsewhere::Function(index)) => {
                let function = self.facts.functions.get(*index as usize);
                format!("-> {}", function.map(External::head).unwrap_or_default())
            }
            What::Label(node) => format!("n{node}:"),
            What::Stack(words) => format!("stack {}", self.list(words)),
            What::Jump(to, text) => format!("goto {}{text}", self.list(to)),
        }
    }

    fn statement(&mut self, say: &Say) -> String {
        match say.as_evm() {
            Some((Opcode::SSTORE, [place, value])) => self.store("", place, value, say),
            Some((Opcode::TSTORE, [place, value])) => self.store("transient ", place, value, say),
            _ => self.text(say),
        }
    }

    fn store(&mut self, space: &str, place: &Say, value: &Say, whole: &Say) -> String {
        let at = match whole {
            Say::Call(_, _, at) => *at,
            _ => At(None),
        };
        let target = self.access(space, place, at);
        let is_stale = matches!(at, At(Some(pc)) if self.stale.contains(&pc));
        let fields = if is_stale { Vec::new() } else { fields_of_store(self.values, place, value) };
        if !fields.is_empty() {
            let texts = fields.iter().map(|field| {
                let value = field.value.map_or_else(|| "0".to_owned(), |value| self.text(value));
                format!("{target}:{}..{} = {value}", field.offset, field.offset + field.bytes)
            });
            return texts.collect::<Vec<_>>().join(", ");
        }
        let value = self.text(value);
        format!("{target} = {value}")
    }

    /// Calls and the like within a line have their offsets behind it.
    fn also(&mut self, at: &[u32]) {
        let Some((first, rest)) = at.split_first() else { return };
        let rest: Vec<String> = rest.iter().filter(|pc| *pc != first).map(|pc| format!("{pc:05x}")).collect();
        if !rest.is_empty() {
            self.remark(format!("and {}", rest.join(" ")));
        }
    }

    fn put(&mut self, out: &mut String, at: &[u32], depth: u32, text: &str) {
        self.also(at);
        let place = at.first().map_or_else(|| "     ".to_owned(), |pc| format!("{pc:05x}"));
        let mut line = format!("  {place}  {}{text}", "    ".repeat(depth as usize));
        let remarks = std::mem::take(&mut self.remarks);
        if !remarks.is_empty() {
            let width = line.chars().count().max(REMARK_COLUMN);
            line = format!("{line:width$}  ; {}", remarks.join(", "));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// The calls of which something reads what they gave back.
fn returned(say: &Say, found: &mut FxHashSet<u32>) {
    match say {
        Say::Returned(call, _) => {
            found.insert(*call);
        }
        _ => say.parts().into_iter().for_each(|part| returned(part, found)),
    }
}

/// Where a line stands in the code: what happens in it, the first of it in front.
fn places(what: &What) -> Vec<u32> {
    let mut found = Vec::new();
    if let What::Write(_, At(Some(pc)), ..) = what {
        found.push(*pc);
        what.says().into_iter().for_each(|say| say.places_of_effects(&mut found));
        return found;
    }
    if let What::If(condition, At(Some(jump)))
    | What::Switch(condition, At(Some(jump)))
    | What::While(condition, At(Some(jump))) = what
    {
        condition.places_of_effects(&mut found);
        found.push(*jump);
        return found;
    }
    what.says().into_iter().for_each(|say| say.places(&mut found));
    if matches!(what, What::Leave(_)) {
        // What it gives was computed anywhere.
        found.clear();
    }
    found
}
