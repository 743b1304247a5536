//! `--dry-run`: a program whose requests are answered by recorded cases alone. Nothing is sent, and what would have been is shown.

use std::{collections::BTreeMap, fmt::Write as _, path::Path, sync::Arc};

use callgate::{
    config::Environment,
    transport::{Recording, Replay},
};
use callgate_transport::canonical_request;

use crate::{
    commands::test::recorded_exchanges,
    exit::{Failure, error_with_cause},
    output,
};

/// A run without a network.
#[derive(Debug)]
pub(super) struct DryRun {
    replay: Arc<Replay>,
    /// The names of the cases by their requests.
    cases: BTreeMap<Vec<u8>, String>,
}

impl DryRun {
    /// Answers by the cases of the fixtures below a folder; by none without one.
    pub(super) fn new(fixtures: Option<&Path>) -> Result<Self, Failure> {
        let recordings = fixtures.map(recorded_exchanges).transpose()?.unwrap_or_default();
        let case = |it: &Recording| (canonical_request(&it.request), it.name.clone());
        let cases = recordings.iter().map(case).collect();
        let replay = Replay::new(recordings).map_err(|error| {
            Failure::with_help(
                &error_with_cause(&error),
                "correct the `response.http` of that case",
            )
        })?;
        Ok(Self { replay: Arc::new(replay), cases })
    }

    pub(super) fn environment(&self) -> Environment {
        let replay = Arc::<Replay>::clone(&self.replay);
        Environment::new().with_transport(replay).with_secret_stand_ins().without_audit()
    }

    /// Prints the requests in their order, each with the case that answered it. Returns true if one had no answer.
    pub(super) fn print_requests(&self) -> bool {
        let mut has_stopped = false;
        for (number, request) in (1..).zip(self.replay.requests()) {
            let case = self.cases.get(&request);
            let answered = match case {
                Some(name) => format!("answered by the case `{name}`"),
                None => "nothing is recorded: its call failed here".to_owned(),
            };
            has_stopped |= case.is_none();
            let mut text = format!("request {number}, {answered}:\n");
            for line in String::from_utf8_lossy(&request).trim_end().lines() {
                let _infallible = writeln!(text, "  {line}");
            }
            output::print_result(&text);
        }
        has_stopped
    }
}
