//! Makes a sequence that shows a difference short and plain.

use super::Finding;
use super::helpers::companion_calls;
use super::pair::{Both, Facts, Pair, World};
use super::step::Step;
use crate::environment::{Environment, account};
use crate::machine::Message;
use alloy_primitives::{Address, Bytes, U256};

/// Replays of one finding at most.
const MAX_REPLAYS: usize = 120;

/// How sequences are replayed.
pub(crate) struct Replay<'a> {
    pub(crate) environment: &'a Environment,
    pub(crate) codes: [&'a [u8]; 2],
}

impl Replay<'_> {
    /// What the last step does, where the sequence runs and nothing differs before.
    fn last(&self, world: &World, steps: &[Step]) -> Option<Both> {
        let mut pair = Pair::new(self.environment, Facts::Neutral);
        pair.start(self.codes, world).ok()?.0?;
        pair.limit();
        let (last, before) = steps.split_last()?;
        for step in before {
            let both = pair.step(step).ok()?;
            if both.is_inconclusive() || !both.discrepancies.is_empty() {
                return None;
            }
        }
        pair.step(last).ok().filter(|both| !both.is_inconclusive())
    }

    /// Leaves out steps, times, values and senders that the difference does not need.
    pub(crate) fn shrink(&self, world: &World, address: Address, finding: &mut Finding) {
        let mut replays = 0;
        let mut try_steps = |finding: &mut Finding, steps: Vec<Step>| {
            replays += 1;
            let kinds = finding.kinds();
            let both = (replays <= MAX_REPLAYS).then(|| self.last(world, &steps)).flatten();
            let Some(both) = both.filter(|both| !both.discrepancies.is_empty()) else { return false };
            let shorter = Finding { count: finding.count, ..Finding::new(finding.world, steps, both) };
            let is_plainer =
                shorter.steps.last().map(|step| step.to) != finding.steps.last().map(|step| step.to);
            let is_same = is_plainer || shorter.kinds() == kinds;
            if is_same {
                *finding = shorter;
            }
            is_same
        };
        // One call of the program itself is plainer than two through the companion.
        for which in 0..2 {
            let mut steps = finding.steps.clone();
            let Some(last) = steps.last_mut() else { return };
            let Some(data) = companion_calls(last).map(|calls| Bytes::copy_from_slice(calls[which])) else {
                break;
            };
            *last = Step { to: address, message: Message { data, ..last.message.clone() }, ..last.clone() };
            try_steps(finding, steps);
        }
        let mut at = finding.steps.len().saturating_sub(1);
        while at > 0 {
            at -= 1;
            let mut steps = finding.steps.clone();
            steps.remove(at);
            try_steps(finding, steps);
        }
        for at in 0..finding.steps.len() {
            let plainer: [fn(&mut Step); 3] = [
                |step| step.seconds = 0,
                |step| step.message.value = U256::ZERO,
                |step| step.message.sender = account(0),
            ];
            for change in plainer {
                let mut steps = finding.steps.clone();
                change(&mut steps[at]);
                if steps != finding.steps {
                    try_steps(finding, steps);
                }
            }
        }
    }
}
