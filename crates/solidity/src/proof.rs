//! Proofs of what was compiled, where settings or the caller ask for them.
//!
//! Proven is the code of the answer, as it is deployed, against the Yul that it was made of; code that creates
//! the contract is not. A difference is an error, so that no build goes on with it.

use crate::compile::Code;
use crate::message::Message;
use cairn_certify::{Certificate, Demand, Outcome, Plan, Subject, functions};
use cairn_driver::{Input, Language, Options, Session};
use serde_json::{Value, json};

/// How the code of a contract is proven.
pub(crate) struct Proving<'a> {
    pub(crate) demand: Demand,
    /// How the code was made.
    pub(crate) options: &'a Options,
    /// Functions proven at once; 0 for one a core.
    pub(crate) threads: usize,
}

/// What became of it.
pub(crate) struct Proven {
    /// What the contract's answer has under `cairn`.
    pub(crate) output: Option<Value>,
    /// What is to be said.
    pub(crate) message: Option<Message>,
}

impl Proving<'_> {
    /// Proves the code of a contract against its Yul.
    pub(crate) fn prove(&self, contract: &str, yul: &str, code: &Code) -> Proven {
        match self.certificate(contract, yul, code) {
            Some(found) => {
                let message = self.message(contract, &found);
                Proven { output: Some(json!({ "proof": found.to_json() })), message }
            }
            None => {
                let message =
                    self.shortcoming(format!("{contract}: there is nothing to compare its code with"));
                Proven { output: None, message: Some(message) }
            }
        }
    }

    fn certificate(&self, contract: &str, yul: &str, code: &Code) -> Option<Certificate> {
        let input = Input { name: contract.to_owned(), text: yul.to_owned(), language: Language::Yul };
        let subject = Subject::compile(&input, self.options, &mut Session::default(), None).ok()?;
        let deployed = code.subs.first().map_or(code, |sub| &**sub);
        if subject.name() != Some(&deployed.program.name) {
            return None;
        }
        let subject = subject.with_code(&deployed.assembled);
        let parts = functions(&subject, &subject);
        Some(Plan::of_compile(&subject).certify(&parts, self.threads, &|_| {}))
    }

    fn message(&self, contract: &str, found: &Certificate) -> Option<Message> {
        let lines = |is_meant: fn(&str) -> bool| -> String {
            let findings = found.findings().iter().filter(|finding| is_meant(finding.verdict()));
            findings.map(|finding| format!("\n  {}", finding.line())).collect()
        };
        match found.outcome() {
            Outcome::Proven => None,
            Outcome::NotProven => {
                let lines = lines(|verdict| verdict != "proven");
                let text = format!("{contract}: not all functions are proven ({}):{lines}", found.counts());
                Some(self.shortcoming(text))
            }
            Outcome::Different => {
                let lines = lines(|verdict| verdict == "different");
                let text = format!(
                    "{contract}: the code does not do what its source says; please report it:{lines}"
                );
                Some(Message::error("InternalCompilerError", text))
            }
        }
    }

    /// Something that is not proven, as bad as the demand makes it.
    fn shortcoming(&self, text: String) -> Message {
        match self.demand {
            Demand::Warn => Message::warning(text),
            Demand::Require => Message::error("CodeGenerationError", text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::{Compiler, Source};
    use crate::metadata::Metadata;
    use crate::progress::Progress;
    use crate::settings::{Overrides, Settings};
    use cairn_driver::Level;

    /// A contract that writes this word where calldata begins with `12345678`.
    fn contract(word: u8) -> String {
        format!(
            "object \"C\" {{ code {{ let size := datasize(\"C_deployed\") codecopy(0, dataoffset(\"C_deployed\"), \
             size) return(0, size) }} object \"C_deployed\" {{ code {{ if eq(shr(224, calldataload(0)), 0x12345678) \
             {{ sstore(0, {word}) stop() }} revert(0, 0) }} data \".metadata\" hex\"a2646970667358221220{}\
             64736f6c63430008250033\" }} }}",
            "5a".repeat(32)
        )
    }

    /// The code of one contract proven against the Yul of another.
    fn proven(yul: &str, compiled: &str, demand: Demand) -> Proven {
        let settings = json!({ "cairn": { "level": "2" } });
        let metadata = Metadata::new(&Settings::of(&settings, &Overrides::default()).expect("valid"));
        let options = Options { level: Level::O2, ..Options::default() };
        let progress = Progress::default();
        let compiler = Compiler {
            options: options.clone(),
            metadata: &metadata,
            cache: None,
            threads: 1,
            progress: &progress,
        };
        let source = Source { name: "a.sol:C".to_owned(), yul: compiled.to_owned() };
        let code = compiler.compile(&[source]).0.remove(0).expect("it compiles");
        Proving { demand, options: &options, threads: 1 }.prove("C", yul, &code)
    }

    /// The metadata in the code is not that of the Yul, and nobody reads it.
    #[test]
    fn code_is_proven_as_it_is_deployed() {
        let found = proven(&contract(1), &contract(1), Demand::Require);
        assert!(found.message.is_none(), "{:?}", found.message);
        let proof = &found.output.expect("a report")["proof"];
        let functions = proof["functions"].as_array().expect("functions");
        assert_eq!(functions.len(), 2, "{proof}");
        assert!(functions.iter().all(|function| function["verdict"] == "proven"), "{proof}");
    }

    #[test]
    fn a_difference_is_an_error_whatever_is_demanded() {
        for demand in [Demand::Warn, Demand::Require] {
            let message = proven(&contract(1), &contract(2), demand).message.expect("an error");
            assert_eq!(message.severity, crate::message::Severity::Error);
            assert!(message.message.contains("0x12345678 different"), "{}", message.message);
        }
    }

    #[test]
    fn what_is_not_proven_is_as_bad_as_demanded() {
        // `msize` is not described.
        let source = contract(1).replace("sstore(0, 1)", "sstore(0, msize())");
        for (demand, severity) in [
            (Demand::Warn, crate::message::Severity::Warning),
            (Demand::Require, crate::message::Severity::Error),
        ] {
            let message = proven(&source, &source, demand).message.expect("something is said");
            assert_eq!(message.severity, severity);
            assert!(message.message.contains("0x12345678 undecided"), "{}", message.message);
        }
        let other = contract(1).replace("C_deployed", "D_deployed");
        let message = proven(&other, &contract(1), Demand::Warn).message.expect("something is said");
        assert!(message.message.contains("nothing to compare"), "{}", message.message);
    }
}
