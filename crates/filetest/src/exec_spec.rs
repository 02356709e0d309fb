//! Execution expectations: `[deploy] [static] [calldata=DATA] [value=N] => STATUS [DATA] [; CHECK]…`.
//!
//! STATUS is `return`, `revert`, `stop` (a return without data) or `halt`. CHECK is
//! `storage[KEY]=VALUE`, `logs=COUNT` or `gas<=N`. With `deploy` the program runs as creation code
//! first and the call goes to what it returned. With `static` the call runs in a static frame.

use crate::data::{parse_data, parse_word};
use cairn_evm::Word;

/// How execution must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// `return`, `stop`: success.
    Success,
    /// `revert`.
    Revert,
    /// `halt`: any exceptional halt.
    Halt,
}

/// A parsed `exec:` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecSpec {
    /// Deploy first.
    pub deploy: bool,
    /// Call statically.
    pub is_static: bool,
    /// Calldata of the call.
    pub calldata: Vec<u8>,
    /// Wei sent.
    pub value: Word,
    /// How execution must end.
    pub status: Status,
    /// Return or revert data.
    pub output: Vec<u8>,
    /// Storage words afterwards.
    pub storage: Vec<(Word, Word)>,
    /// Number of logs.
    pub logs: Option<usize>,
    /// Upper bound of execution gas.
    pub gas_at_most: Option<u64>,
}

impl ExecSpec {
    /// Parses what stands after `exec:`.
    ///
    /// # Errors
    /// What cannot be read.
    pub fn parse(line: &str) -> Result<ExecSpec, String> {
        let (call, expectation) = line.split_once("=>").ok_or("expected `=>`")?;
        let mut parts = expectation.split(';').map(str::trim);
        let outcome = parts.next().unwrap_or("");
        let (status, data) = outcome.split_once(' ').unwrap_or((outcome, ""));
        let status = match status {
            "return" | "stop" => Status::Success,
            "revert" => Status::Revert,
            "halt" => Status::Halt,
            other => return Err(format!("unknown outcome `{other}`")),
        };
        let mut spec = ExecSpec {
            deploy: false,
            is_static: false,
            calldata: Vec::new(),
            value: Word::ZERO,
            status,
            output: parse_data(data)?,
            storage: Vec::new(),
            logs: None,
            gas_at_most: None,
        };
        call.split_whitespace().try_for_each(|part| spec.read_call_part(part))?;
        if spec.is_static && !spec.value.is_zero() {
            return Err("a static call passes no value".to_owned());
        }
        parts.try_for_each(|part| spec.read_check(part))?;
        Ok(spec)
    }

    fn read_call_part(&mut self, part: &str) -> Result<(), String> {
        match part.split_once('=') {
            None if part == "deploy" => self.deploy = true,
            None if part == "static" => self.is_static = true,
            Some(("calldata", data)) => self.calldata = parse_data(data)?,
            Some(("value", wei)) => self.value = parse_word(wei)?,
            _ => return Err(format!("cannot read `{part}`; write data without spaces")),
        }
        Ok(())
    }

    fn read_check(&mut self, part: &str) -> Result<(), String> {
        if let Some(bound) = part.strip_prefix("gas<=") {
            self.gas_at_most = Some(bound.trim().parse().map_err(|_| format!("bad gas `{bound}`"))?);
            return Ok(());
        }
        if let Some(count) = part.strip_prefix("logs=") {
            self.logs = Some(count.trim().parse().map_err(|_| format!("bad count `{count}`"))?);
            return Ok(());
        }
        let storage = part.strip_prefix("storage[").and_then(|rest| rest.split_once("]="));
        let (key, value) = storage.ok_or(format!("unknown check `{part}`"))?;
        self.storage.push((parse_word(key)?, parse_word(value)?));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_parts_are_read() {
        let line = "deploy calldata=0x01,word(2) value=7 => return word(3); storage[1]=0x2; logs=1; gas<=90";
        let spec = ExecSpec::parse(line).unwrap();
        assert!(spec.deploy);
        assert_eq!(spec.calldata.len(), 33);
        assert_eq!((spec.value, spec.output.len()), (Word::from(7), 32));
        assert_eq!(spec.storage, [(Word::from(1), Word::from(2))]);
        assert_eq!((spec.logs, spec.gas_at_most), (Some(1), Some(90)));
        assert_eq!(ExecSpec::parse("=> stop").unwrap().status, Status::Success);
        assert!(ExecSpec::parse("static => halt").unwrap().is_static && !spec.is_static);
    }

    #[test]
    fn mistakes_are_refused() {
        for line in [
            "",
            "=> retrun",
            "calldata => stop",
            "=> stop; storage(1)=2",
            "=> stop; gas<=x",
            "static value=1 => stop",
        ] {
            assert!(ExecSpec::parse(line).is_err(), "{line}");
        }
    }
}
