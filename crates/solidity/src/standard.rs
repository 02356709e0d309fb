//! Standard JSON in, standard JSON out.
//!
//! [`answer`] gives an answer to every text: what cannot be read is an error in it.

use crate::batches::ask;
use crate::environment::Environment;
use crate::fill::Fill;
use crate::frontend::{self, find};
use crate::message::Message;
use crate::progress::Step;
use crate::request::{ask_for_yul, read, remove_own_settings, texts_of, without_optimizer};
use crate::selection::Selection;
use crate::settings::Settings;
use crate::stats::Stats;
use serde_json::{Value, json};
use std::time::Instant;

/// The answer to a request.
pub fn answer(request: &str, environment: &Environment) -> String {
    answer_measured(request, environment).0
}

/// The answer to a request, and what it took.
pub fn answer_measured(request: &str, environment: &Environment) -> (String, Stats) {
    let mut stats = Stats::default();
    let answered = read(request).and_then(|request| match request["language"].as_str() {
        Some("Solidity" | "SolidityAST") => solidity(request, environment, &mut stats),
        Some("Yul") => crate::yul::answer(&request, environment),
        _ => Err(Message::of_request(
            "Only \"Solidity\", \"Yul\" or \"SolidityAST\" is supported as a language.",
        )),
    });
    (answered.unwrap_or_else(|message| json!({ "errors": [message.to_value()] }).to_string()), stats)
}

fn solidity(mut request: Value, environment: &Environment, stats: &mut Stats) -> Result<String, Message> {
    let settings = Settings::of(&request["settings"], &environment.overrides)?;
    let selection = Selection::of(request["settings"].get("outputSelection"));
    let texts = texts_of(&request);
    let wants_code = selection.wants_code() && request["settings"]["stopAfter"] != "parsing";
    let front_end =
        find::for_sources(&environment.places, texts.values()).map_err(|fault| message_of(&fault))?;
    remove_own_settings(&mut request);
    environment.progress.tell(Step::FrontEnd);
    if !wants_code {
        let started = Instant::now();
        let answer = front_end.start(&environment.places, &environment.access);
        let answer = answer.and_then(|mut running| running.compile(&request.to_string()));
        stats.front_end = started.elapsed();
        return answer.map_err(|fault| message_of(&fault));
    }
    ask_for_yul(&mut request, &selection);
    let optimizer = without_optimizer(&mut request, &front_end.version);
    let started = Instant::now();
    let mut parts = ask(environment, &front_end, &request).map_err(|fault| message_of(&fault))?;
    stats.front_end = started.elapsed();
    let started = Instant::now();
    let fill = Fill { version: front_end.version, settings, optimizer, selection, texts, environment };
    fill.fill(&mut parts, stats)?;
    stats.code = started.elapsed();
    Ok(parts.to_text())
}

fn message_of(fault: &frontend::Fault) -> Message {
    let help = fault.help().map(|help| format!(" {help}")).unwrap_or_default();
    Message::error("InternalCompilerError", format!("{fault}.{help}"))
}
