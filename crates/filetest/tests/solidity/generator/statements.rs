//! Statements on variables: declarations, assignments, arrays, branches, loops.

use super::scope::{Arithmetic, Effects, Path, Writer};
use super::types::{Place, Type, WORD, width};

/// Blocks within blocks.
const MAX_DEPTH: usize = 3;

impl Writer {
    /// Some statements; what they declare is forgotten behind them.
    pub(crate) fn block(&mut self, count: usize, depth: usize) {
        let known = self.scope.len();
        for _ in 0..count {
            self.statement(depth);
        }
        self.scope.truncate(known);
    }

    pub(crate) fn statement(&mut self, depth: usize) {
        if depth == 0 {
            return self.plain_statement();
        }
        match self.random.below(22) {
            0..=2 => self.branch(depth),
            3..=5 => self.any_loop(depth),
            6 => self.unchecked(depth),
            7 => self.failure(),
            8 | 9 if self.effects == Effects::All => self.interaction(depth),
            10 if self.effects == Effects::All => self.event(),
            11 | 12 => self.assembly_block(),
            13 => {
                self.line("{");
                self.block(2, depth - 1);
                self.line("}");
            }
            _ => self.plain_statement(),
        }
    }

    fn plain_statement(&mut self) {
        match self.random.below(18) {
            0..=2 => self.local(),
            3 | 4 => self.local_reference(),
            5..=8 => self.assign_value(),
            9 | 10 => self.assign_reference(),
            11 | 12 => self.array_operation(),
            13 => self.swap(),
            14 => self.delete(),
            15 => self.several_results(),
            16 => self.compound(),
            _ => self.assembly_block(),
        }
    }

    fn local(&mut self) {
        let kind = if self.chance(30) { WORD } else { self.names.value(&mut self.random) };
        let text = self.value(&kind, 3);
        let name = self.name("v");
        self.line(format!("{} {name} = {text};", kind.text()));
        self.declare(&name, kind, Place::Local);
    }

    fn local_reference(&mut self) {
        // A pointer to storage, or a piece of calldata.
        if self.chance(35) {
            let wanted = |kind: &Type, place: Place| {
                matches!(place, Place::Storage | Place::Calldata) && !kind.is_value()
            };
            if let Some(path) = self.path(wanted) {
                let name = self.name("p");
                let line = format!("{} {name} = {};", path.kind.placed(path.place), path.text);
                self.guarded(&path.conditions, |writer| {
                    writer.line(line.clone());
                    writer.declare(&name, path.kind.clone(), path.place);
                    writer.block(2, 0);
                    writer.scope.retain(|variable| variable.name != name);
                });
                return;
            }
        }
        let kind = self.names.any_reference(&mut self.random);
        let name = self.name("m");
        if self.chance(15) {
            self.line(format!("{} {name};", kind.placed(Place::Memory)));
        } else {
            let text = self.reference(&kind, 3);
            self.line(format!("{} {name} = {text};", kind.placed(Place::Memory)));
        }
        self.declare(&name, kind, Place::Memory);
    }

    /// Runs `write` inside a branch, if something has to hold.
    pub(crate) fn guarded(&mut self, conditions: &[String], write: impl FnOnce(&mut Writer)) {
        let is_guarded = !conditions.is_empty() && !self.chance(5);
        if is_guarded {
            self.line(format!("if ({}) {{", conditions.join(" && ")));
        }
        write(self);
        if is_guarded {
            self.line("}");
        }
    }

    fn is_writable(&self, place: Place) -> bool {
        Path::is_variable(place) && (place != Place::Storage || self.effects == Effects::All)
    }

    /// A place of a value type to write to.
    fn target(&mut self) -> Option<Path> {
        let effects = self.effects;
        self.path(|kind, place| {
            kind.is_value()
                && Path::is_variable(place)
                && (place != Place::Storage || effects == Effects::All)
        })
    }

    fn assign_value(&mut self) {
        let Some(path) = self.target() else { return self.local() };
        let text = self.value(&path.kind, 3);
        self.guarded(&path.conditions, |writer| writer.line(format!("{} = {text};", path.text)));
    }

    fn compound(&mut self) {
        let Some(path) = self.target() else { return self.local() };
        let operators: &[&str] = match (&path.kind, self.arithmetic) {
            (Type::Uint(_) | Type::Int(_), Arithmetic::Unchecked) => {
                &["+=", "-=", "*=", "|=", "^=", "<<=", ">>=", "%=", "/="]
            }
            (Type::Uint(_) | Type::Int(_), Arithmetic::Checked) => &["|=", "^=", "&=", ">>=", "<<=", "+="],
            (Type::FixedBytes(_), _) => &["|=", "^=", "&=", "<<=", ">>="],
            _ => return self.assign_value(),
        };
        let operator = self.random.pick(operators).to_string();
        let right = match operator.as_str() {
            "<<=" | ">>=" => {
                let kind = Type::Uint(width(&mut self.random));
                self.value(&kind, 2)
            }
            _ => self.value(&path.kind, 2),
        };
        let right = if matches!(operator.as_str(), "%=" | "/=") {
            format!("({right} | {}(1))", path.kind.text())
        } else {
            right
        };
        let right = match (operator.as_str(), self.arithmetic) {
            ("+=", Arithmetic::Checked) => format!("({right} % 5)"),
            _ => right,
        };
        self.guarded(&path.conditions, |writer| writer.line(format!("{} {operator} {right};", path.text)));
    }

    fn assign_reference(&mut self) {
        let effects = self.effects;
        let wanted = |kind: &Type, place: Place| {
            !kind.is_value()
                && !matches!(kind, Type::Mapping(..))
                && matches!(place, Place::Memory | Place::Storage)
                && (place != Place::Storage || effects == Effects::All)
        };
        // A pointer to storage is turned elsewhere by an assignment: only parts, or state variables, are meant.
        let Some(path) = self.path(wanted) else { return self.local_reference() };
        if path.place == Place::Storage
            && path.text.starts_with(['p', 'q'])
            && !path.text.contains(['.', '['])
        {
            return self.assign_value();
        }
        if path.place == Place::Storage
            && let Some(other) = self.narrower_array(&path.kind)
        {
            return self.guarded(&path.conditions, |writer| writer.line(format!("{} = {other};", path.text)));
        }
        let text = self.reference(&path.kind, 3);
        self.guarded(&path.conditions, |writer| writer.line(format!("{} = {text};", path.text)));
    }

    /// An array of narrower numbers, which may be assigned to storage.
    fn narrower_array(&mut self, kind: &Type) -> Option<String> {
        let Type::Array(wide) = kind else { return None };
        let fits = |narrow: &Type| match (&**wide, narrow) {
            (Type::Uint(a), Type::Uint(b)) | (Type::Int(a), Type::Int(b)) => a > b,
            (Type::FixedBytes(a), Type::FixedBytes(b)) => a > b,
            _ => false,
        };
        let path = self.path(|kind, _| match kind {
            Type::Array(narrow) | Type::Fixed(narrow, _) => fits(narrow),
            _ => false,
        })?;
        path.conditions.is_empty().then_some(path.text)
    }

    fn array_operation(&mut self) {
        if self.effects != Effects::All {
            return self.assign_value();
        }
        let wanted = |kind: &Type, place: Place| {
            place == Place::Storage && matches!(kind, Type::Array(_) | Type::Bytes)
        };
        let Some(path) = self.path(wanted) else { return self.assign_value() };
        let element = match &path.kind {
            Type::Array(element) => (**element).clone(),
            _ => Type::FixedBytes(1),
        };
        let text = &path.text;
        let line = match self.random.below(8) {
            0 => format!("if ({text}.length > 0) {text}.pop();"),
            1 if self.chance(20) => format!("{text}.pop();"),
            2 => format!("{text}.push();"),
            3 if element.is_value() => format!("{text}.push() = {};", self.value(&element, 2)),
            _ if element.is_value() => format!("{text}.push({});", self.value(&element, 2)),
            _ => format!("{text}.push({});", self.reference(&element, 2)),
        };
        let line = if self.chance(80) { format!("if ({text}.length < 40) {{ {line} }}") } else { line };
        self.guarded(&path.conditions, |writer| writer.line(line));
    }

    fn swap(&mut self) {
        let Some(path) = self.target() else { return self.local() };
        let effects = self.effects;
        let kind = path.kind.clone();
        let other = self.path(|found, place| {
            *found == kind && Path::is_variable(place) && (place != Place::Storage || effects == Effects::All)
        });
        let Some(other) = other else { return self.assign_value() };
        let conditions = [path.conditions, other.conditions].concat();
        let (a, b) = (path.text, other.text);
        let line = match self.random.below(3) {
            0 => format!("({a}, {b}) = ({b}, {});", self.value(&kind, 2)),
            1 => format!("({a}, , {b}) = ({b}, {}, {a});", self.value(&WORD, 1)),
            _ => format!("({a}, {b}) = ({b}, {a});"),
        };
        self.guarded(&conditions, |writer| writer.line(line));
    }

    fn delete(&mut self) {
        let effects = self.effects;
        let wanted = |kind: &Type, place: Place| {
            !matches!(kind, Type::Mapping(..) | Type::External | Type::Wrapped(_))
                && Path::is_variable(place)
                && (place != Place::Storage || effects == Effects::All)
        };
        let Some(path) = self.path(wanted) else { return self.assign_value() };
        if path.place == Place::Storage
            && path.text.starts_with(['p', 'q'])
            && !path.text.contains(['.', '['])
        {
            return self.assign_value();
        }
        debug_assert!(self.is_writable(path.place));
        self.guarded(&path.conditions, |writer| writer.line(format!("delete {};", path.text)));
    }

    /// Calls a function with several results.
    fn several_results(&mut self) {
        let known = self.callable(|function| function.results.len() != 1);
        if known.is_empty() || self.loops > 1 {
            return self.compound();
        }
        let function = self.random.pick(&known).clone();
        let call = self.call(&function, 2);
        if function.results.is_empty() || self.chance(10) {
            return self.line(format!("{call};"));
        }
        let mut parts = Vec::new();
        for kind in &function.results {
            if self.chance(20) {
                parts.push(String::new());
                continue;
            }
            let name = self.name("t");
            parts.push(format!("{} {name}", kind.placed(Place::Memory)));
            let place = if kind.is_value() { Place::Local } else { Place::Memory };
            self.declare(&name, kind.clone(), place);
        }
        if parts.iter().all(String::is_empty) {
            return self.line(format!("{call};"));
        }
        self.line(format!("({}) = {call};", parts.join(", ")));
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.value(&Type::Bool, 3);
        self.line(format!("if ({condition}) {{"));
        let count = self.random.between(1, 2);
        self.block(count, depth - 1);
        if self.chance(25) {
            self.leave();
        }
        if self.chance(50) {
            self.line("} else {");
            self.block(2, depth - 1);
        }
        self.line("}");
    }

    /// `break`, `continue` or `return`.
    fn leave(&mut self) {
        match self.random.below(3) {
            0 if self.loops > 0 => self.line("break;"),
            1 if self.loops > 0 => self.line("continue;"),
            _ => self.give_back(),
        }
    }

    /// `return` with values.
    pub(crate) fn give_back(&mut self) {
        let results = self.results.clone();
        let values: Vec<String> = results.iter().map(|kind| self.argument(kind, Place::Memory, 2)).collect();
        match values.as_slice() {
            [] => self.line("return;"),
            [value] => self.line(format!("return {value};")),
            values => self.line(format!("return ({});", values.join(", "))),
        }
    }

    fn any_loop(&mut self, depth: usize) {
        if self.loops >= 2 || depth > MAX_DEPTH {
            return self.plain_statement();
        }
        let counter = self.name("i");
        let bound = match self.random.below(5) {
            0 => self.random.between(1, 5).to_string(),
            1 => format!("({} % 5)", self.leaf(&WORD)),
            2 | 3 => {
                let sized = |kind: &Type, _| matches!(kind, Type::Array(_) | Type::Fixed(..) | Type::Bytes);
                match self.path(sized).filter(|path| path.conditions.is_empty()) {
                    Some(path) => return self.over_array(path, &counter, depth),
                    None => "4".into(),
                }
            }
            _ => format!("({} % 6)", self.value(&WORD, 1)),
        };
        let known = self.scope.len();
        let shape = self.random.below(5);
        let head = match shape {
            0 => format!("for (uint256 {counter} = {bound}; {counter} > 0; {counter}--) {{"),
            1 => format!("uint256 {counter} = {bound}; while ({counter} > 0) {{ {counter}--;"),
            2 => format!("uint256 {counter} = 0; do {{ {counter} += 2;"),
            3 => format!("for (uint256 {counter}; {counter} < {bound}; ) {{ {counter}++;"),
            _ => format!("for (uint256 {counter} = 0; {counter} < {bound}; {counter}++) {{"),
        };
        self.line(head);
        self.declare(&counter, WORD, Place::Constant);
        self.inside_loop(depth);
        self.line(if shape == 2 { format!("}} while ({counter} < ({bound}));") } else { "}".into() });
        self.scope.truncate(known);
    }

    fn inside_loop(&mut self, depth: usize) {
        self.loops += 1;
        let count = self.random.between(1, 2);
        self.block(count, depth - 1);
        self.loops -= 1;
    }

    /// All elements of an array, one after the other.
    fn over_array(&mut self, path: Path, counter: &str, depth: usize) {
        let (element, is_readable) = match &path.kind {
            Type::Array(element) | Type::Fixed(element, _) => ((**element).clone(), true),
            _ => (Type::FixedBytes(1), true),
        };
        debug_assert!(is_readable);
        let known = self.scope.len();
        let text = path.text;
        let (head, at) = match self.random.below(3) {
            0 => (
                format!("for (uint256 {counter} = {text}.length; {counter} > 0; {counter}--) {{"),
                format!("{counter} - 1"),
            ),
            1 => (
                format!(
                    "for (uint256 {counter} = 0; {counter} < {text}.length && {counter} < 9; ++{counter}) {{"
                ),
                counter.to_owned(),
            ),
            _ => (
                format!("for (uint256 {counter} = 0; {counter} < {text}.length; {counter}++) {{"),
                counter.to_owned(),
            ),
        };
        self.line(head);
        self.declare(counter, WORD, Place::Constant);
        self.declare(&format!("{text}[{at}]"), element.clone(), element_place(path.place, &element));
        let writable = Path::is_variable(path.place) && self.is_writable(path.place);
        if element.is_value() && writable && self.chance(50) {
            let value = self.value(&element, 2);
            self.line(format!("{text}[{at}] = {value};"));
        } else if element.is_value() {
            // A sum, as people write it.
            let sum = self.path(|kind, place| *kind == WORD && place == Place::Local);
            if let Some(sum) = sum {
                let word = self.cast(&format!("{text}[{at}]"), &element, &WORD);
                self.line(format!("{} ^= {word};", sum.text));
            }
        }
        self.inside_loop(depth);
        self.line("}");
        self.scope.truncate(known);
    }

    fn unchecked(&mut self, depth: usize) {
        if self.arithmetic == Arithmetic::Unchecked {
            return self.plain_statement();
        }
        self.line("unchecked {");
        self.arithmetic = Arithmetic::Unchecked;
        self.block(3, depth - 1);
        self.arithmetic = Arithmetic::Checked;
        self.line("}");
    }

    /// Something that fails, mostly if something holds.
    fn failure(&mut self) {
        let condition = self.value(&Type::Bool, 2);
        // Most go on.
        let condition = format!("({condition} || {} % 4 != 0)", self.leaf(&WORD));
        match self.random.below(7) {
            0 => self.line(format!("require({condition});")),
            1 => {
                let text = self.reference(&Type::String, 2);
                self.line(format!("require({condition}, {text});"));
            }
            2 => {
                let error = self.an_error();
                self.line(format!("require({condition}, {error});"));
            }
            3 => self.line(format!("assert({condition});")),
            4 => {
                let text = self.reference(&Type::String, 1);
                self.line(format!("if (!{condition}) revert({text});"));
            }
            5 => self.line(format!("if (!{condition}) revert();")),
            _ => {
                let error = self.an_error();
                self.line(format!("if (!{condition}) revert {error};"));
            }
        }
    }

    fn an_error(&mut self) -> String {
        let index = self.random.below(self.errors.len());
        let kinds = self.errors[index].clone();
        let values: Vec<String> = kinds.iter().map(|kind| self.argument(kind, Place::Memory, 2)).collect();
        format!("Err{index}({})", values.join(", "))
    }

    fn event(&mut self) {
        let index = self.random.below(self.events.len());
        let kinds = self.events[index].clone();
        let values: Vec<String> = kinds.iter().map(|kind| self.argument(kind, Place::Memory, 2)).collect();
        self.line(format!("emit Ev{index}({});", values.join(", ")));
    }
}

fn element_place(array: Place, element: &Type) -> Place {
    match array {
        Place::Calldata if element.is_value() => Place::Constant,
        place => place,
    }
}
