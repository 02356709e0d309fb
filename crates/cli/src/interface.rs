//! What a contract's interface says of calls, events and errors: an ABI in JSON, or signatures.

use crate::abi;
use alloy_dyn_abi::{DynSolValue, EventExt, JsonAbiExt};
use alloy_json_abi::{Error, Event, Function, JsonAbi};
use cairn_exec::Log;
use std::collections::BTreeMap;
use std::path::Path;

/// Functions, events and errors by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interface {
    abi: JsonAbi,
}

impl Interface {
    /// Reads an ABI: a list of items, or an object that has one as `abi`.
    ///
    /// # Errors
    /// The file can't be read, or is no ABI.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        Interface::parse(&read_text(path)?, path)
    }

    /// The same of a text that was read from `path`.
    fn parse(text: &str, path: &Path) -> Result<Self, String> {
        let fault = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let mut json: serde_json::Value = serde_json::from_str(text).map_err(|error| fault(&error))?;
        let list = if json.is_array() { json } else { json["abi"].take() };
        if !list.is_array() {
            return Err(fault(&"expected an ABI: a list, or an object with a list as `abi`"));
        }
        let abi = serde_json::from_value(list).map_err(|error| fault(&error))?;
        Ok(Interface { abi })
    }

    /// Signatures of functions and errors by selector: of an ABI, or of a text with one a line, such as
    /// `transfer(address,uint256)`; what stands before the name (`0xa9059cbb:`) and lines without a
    /// signature are skipped. None without a file.
    ///
    /// # Errors
    /// The file can't be read, is no ABI though it begins as JSON, or a line is no signature.
    pub(crate) fn signatures(path: Option<&Path>) -> Result<BTreeMap<u32, String>, String> {
        let Some(path) = path else { return Ok(BTreeMap::new()) };
        let text = read_text(path)?;
        let mut errors = BTreeMap::new();
        let functions = match text.trim_start().starts_with(['[', '{']) {
            true => {
                let abi = Interface::parse(&text, path)?.abi;
                let selector = |error: &Error| u32::from_be_bytes(error.selector().0);
                errors.extend(abi.errors().map(|error| (selector(error), error.signature())));
                abi.functions().cloned().collect()
            }
            false => functions_of_lines(&text)
                .map_err(|(line, error)| format!("{}:{line}: {error}", path.display()))?,
        };
        let by_selector =
            functions.iter().map(|function| (u32::from_be_bytes(function.selector().0), function));
        errors.extend(by_selector.map(|(selector, function)| (selector, function.signature())));
        Ok(errors)
    }

    /// Signatures of events by first topic: of an ABI, or of the lines of a text that begin with `event`.
    ///
    /// # Errors
    /// As for [`Interface::signatures`].
    pub(crate) fn topics(path: Option<&Path>) -> Result<BTreeMap<[u8; 32], String>, String> {
        let Some(path) = path else { return Ok(BTreeMap::new()) };
        let text = read_text(path)?;
        let mut interface = Interface::default();
        if text.trim_start().starts_with(['[', '{']) {
            interface = Interface::parse(&text, path)?;
        } else {
            let events = (1..).zip(text.lines()).filter(|(_, line)| line.trim_start().starts_with("event "));
            for (number, line) in events {
                let signature = line.trim().trim_end_matches(';');
                interface
                    .add_event(signature)
                    .map_err(|error| format!("{}:{number}: {error}", path.display()))?;
            }
        }
        let events = interface.abi.events().filter(|event| !event.anonymous);
        Ok(events.map(|event| (event.selector().0, event.signature())).collect())
    }

    /// Adds an event, such as `Transfer(address indexed from, address indexed to, uint256 value)`.
    ///
    /// # Errors
    /// It is no signature of an event.
    pub(crate) fn add_event(&mut self, signature: &str) -> Result<(), String> {
        let event = Event::parse(signature).map_err(|error| format!("event `{signature}`: {error}"))?;
        self.abi.events.entry(event.name.clone()).or_default().push(event);
        Ok(())
    }

    /// Adds an error, such as `Insufficient(uint256 balance)`.
    ///
    /// # Errors
    /// It is no signature of an error.
    pub(crate) fn add_error(&mut self, signature: &str) -> Result<(), String> {
        let error = Error::parse(signature).map_err(|fault| format!("error `{signature}`: {fault}"))?;
        self.abi.errors.entry(error.name.clone()).or_default().push(error);
        Ok(())
    }

    /// A function by signature or, where the name is enough, by name. Result types that the signature
    /// lacks are the interface's.
    ///
    /// # Errors
    /// It is no signature, and no function of this name, or several, are known.
    pub(crate) fn function(&self, text: &str) -> Result<Function, String> {
        if text.contains('(') {
            let function = abi::parse_signature(text)?;
            let known = self.by_selector(&function.selector().0).filter(|_| function.outputs.is_empty());
            return Ok(known.cloned().unwrap_or(function));
        }
        match self.abi.functions.get(text).map(Vec::as_slice) {
            Some([function]) => Ok(function.clone()),
            Some(several) => {
                let signatures: Vec<String> = several.iter().map(Function::signature).collect();
                Err(format!("`{text}` is one of {}: say which", signatures.join(", ")))
            }
            None => Err(format!("`{text}` is no signature such as `f(uint256)`, and no ABI names it")),
        }
    }

    fn by_selector(&self, selector: &[u8]) -> Option<&Function> {
        self.abi.functions().find(|function| function.selector() == *selector)
    }

    /// The signature of the function with this selector.
    pub(crate) fn name_of(&self, selector: u32) -> Option<String> {
        self.by_selector(&selector.to_be_bytes()).map(Function::signature)
    }

    /// A call in words: `transfer(0x…, 5)`.
    pub(crate) fn describe_call(&self, data: &[u8]) -> Option<String> {
        let (selector, body) = data.split_at_checked(4)?;
        let function = self.by_selector(selector)?;
        let values = function.abi_decode_input(body).ok()?;
        Some(format!("{}({})", function.name, abi::show_all(&values)))
    }

    /// Revert data in words: `Error(string)`, `Panic(uint256)` and the interface's errors are decoded.
    pub(crate) fn describe_revert(&self, data: &[u8]) -> Option<String> {
        let known = abi::describe_revert(data);
        known.or_else(|| {
            let (selector, body) = data.split_at_checked(4)?;
            let error = self.abi.errors().find(|error| error.selector() == *selector)?;
            let values = error.abi_decode_input(body).ok()?;
            Some(format!("{}({})", error.name, abi::show_all(&values)))
        })
    }

    /// An event in words: `Transfer(from: 0x…, to: 0x…, value: 5)`.
    pub(crate) fn describe_log(&self, log: &Log) -> Option<String> {
        let topic = log.topics.first();
        let named = self.abi.events().filter(|event| !event.anonymous && Some(&event.selector()) == topic);
        let anonymous = self.abi.events().filter(|event| event.anonymous);
        let mut texts = named.chain(anonymous).filter_map(|event| describe_event(event, log));
        texts.next()
    }
}

fn read_text(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// The functions of a text with a signature a line, or the number of the line that has none that can be read.
fn functions_of_lines(text: &str) -> Result<Vec<Function>, (usize, String)> {
    let mut functions = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some((before, types)) = line.split_once('(') else { continue };
        if before.trim_start().starts_with("event ") {
            continue;
        }
        let name = before.rsplit([' ', '\t', ':', ',', ';', '"']).next().unwrap_or_default();
        let end = types.rfind(')').map_or(types.len(), |end| end + 1);
        let signature = format!("{name}({}", &types[..end]);
        functions.push(abi::parse_signature(&signature).map_err(|error| (number, error))?);
    }
    Ok(functions)
}

fn describe_event(event: &Event, log: &Log) -> Option<String> {
    let decoded = event.decode_log_parts(log.topics.iter().copied(), &log.data).ok()?;
    let (mut indexed, mut body) = (decoded.indexed.iter(), decoded.body.iter());
    let fields = event.inputs.iter().map(|input| {
        let value: &DynSolValue = if input.indexed { indexed.next()? } else { body.next()? };
        let text = abi::show(value);
        Some(if input.name.is_empty() { text } else { format!("{}: {text}", input.name) })
    });
    Some(format!("{}({})", event.name, fields.collect::<Option<Vec<String>>>()?.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloy_primitives::{Address, B256, Bytes};

    fn interface() -> Interface {
        let mut interface = Interface::default();
        interface.add_event("Moved(address indexed who, uint256 amount)").unwrap();
        interface.add_error("Short(uint256)").unwrap();
        interface
    }

    #[test]
    fn events_and_errors_are_decoded() {
        let interface = interface();
        let word = |n: u8| B256::with_last_byte(n);
        let topics = vec![alloy_primitives::keccak256("Moved(address,uint256)"), word(7)];
        let mut log = Log { address: Address::ZERO, topics, data: Bytes::from(word(5).0) };
        let expected = format!("Moved(who: {}, amount: 5)", Address::with_last_byte(7));
        assert_eq!(interface.describe_log(&log), Some(expected));
        log.topics.pop();
        assert_eq!(interface.describe_log(&log), None);
        let data = [&alloy_primitives::keccak256("Short(uint256)")[..4], &word(9).0].concat();
        assert_eq!(interface.describe_revert(&data).unwrap(), "Short(9)");
        assert_eq!(interface.describe_revert(&data[..20]), None);
    }

    #[test]
    fn functions_are_found_by_name() {
        let json =
            r#"[{"type":"function","name":"f","inputs":[{"type":"uint256"}],"outputs":[{"type":"bool"}]}]"#;
        let interface = Interface { abi: serde_json::from_str(json).unwrap() };
        for text in ["f", "f(uint256)"] {
            assert_eq!(interface.function(text).unwrap().outputs.len(), 1);
        }
        assert!(interface.function("g").unwrap_err().contains("`g`"));
        let call = abi::encode_call(&interface.function("f").unwrap(), &["5".into()]).unwrap();
        assert_eq!(interface.describe_call(&call).unwrap(), "f(5)");
        let selector = u32::from_be_bytes([call[0], call[1], call[2], call[3]]);
        assert_eq!(interface.name_of(selector).unwrap(), "f(uint256)");
    }
}
