//! Addresses and transactions for the tests of drivers.

use std::{sync::Arc, time::Duration};

use callgate_secret::Secret;
use callgate_transport::{Network, TlsSettings};
use tokio::time::Instant;

use crate::{
    endpoint::Connecting,
    settings::DatabaseLimits,
    transaction::{Access, Expects, Step, StepResult, Transaction},
};

pub(crate) fn connecting(url: &str) -> Connecting {
    Connecting {
        url: Secret::new(url.to_owned()),
        base: ".".into(),
        limits: DatabaseLimits { connections: 2, ..DatabaseLimits::default() },
        is_read_only: false,
        network: Network::new(),
        tls: TlsSettings::new(),
    }
}

pub(crate) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(10)
}

pub(crate) fn step(text: &str, values: &[&str], expects: Expects) -> Step {
    let values = values.iter().map(|value| Some((*value).to_owned())).collect();
    Step { text: Arc::from(text), values, expects }
}

pub(crate) fn rows(text: &str, values: &[&str]) -> Step {
    step(text, values, Expects::Rows { most: 50 })
}

pub(crate) fn one(text: &str, values: &[&str]) -> Step {
    step(text, values, Expects::Affected { most: 1, some: true })
}

pub(crate) fn read(steps: impl IntoIterator<Item = Step>) -> Transaction {
    Transaction {
        principal: "".into(),
        access: Access::Read,
        identity: Vec::new(),
        role: None,
        steps: steps.into_iter().collect(),
        lock_time: Duration::from_millis(200),
        stands_alone: false,
    }
}

pub(crate) fn write(steps: impl IntoIterator<Item = Step>) -> Transaction {
    Transaction { access: Access::Write, ..read(steps) }
}

/// The only value of the only row of the last step.
pub(crate) fn value(came: &[StepResult]) -> &str {
    came.last().unwrap().rows.row(0).unwrap().value(0).flatten().unwrap()
}
